"""Would a doubt reverse the answer? What decides whether a check fails or only warns.

A check fails (red) only where the answer changes with what it found: where a decided first place
goes to another system, or the order of a decided pair is reversed. Otherwise it warns (amber). What
is looked at, for each kind of doubt:

| doubt | looked at | changes the answer where |
|---|---|---|
| the place of an output counts | order effect in the model | order reversed, other leaders |
| judges are doubtful or agree too little | without flagged judges | order reversed, other leaders |
| judges differ in what they prefer | busy judges capped at the median | order reversed |
| pairs fit no single scale, circles | each pair's own comparisons | they contradict the answer |

The first two take out the very fault that was found, so that an answer which names other leaders
without it rested on it. The third is one choice among others, and orders alone are compared. Own
comparisons contradict a decided pair whose worse system won most of them beyond chance. They also
contradict that two systems which may each be the best cannot be told apart, where one of them won
beyond chance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import EvenhandError, NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import Fit
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics.distributions import normal_quantile
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.sensitivity import order_alone
from evenhand.report.answer import say_answer
from evenhand.report.document import FAILED, WARNING
from evenhand.report.effort import may_rank
from evenhand.report.numbers import write_value

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.ranking.robustness.cycles import Cycle
    from evenhand.ranking.score_board import ScoreBoard
    from evenhand.report.study import Study

STAYS: Final = "the decided order stays"
# Chance that a pair is said to be contradicted by its own comparisons, over all decided pairs
ALPHA: Final = 0.05
NO_RANKING: Final = "there is no ranking"
REFUSALS: Final = (NotIdentified, NotConverged, UnknownOption)


@dataclass(frozen=True, eq=False)
class Reversals:
    """What each kind of doubt reverses in a ranking; "" where it reverses nothing."""

    study: Study  # the judgments

    @cached_property
    def order(self) -> str:
        """What is reversed with the order effect in the model."""
        fit = self.study.ranking.fit
        if isinstance(fit, Fit) and fit.model.order_effect:
            return ""
        model = replace(self._model, order_effect=True)
        if not may_rank(self.study, 1):
            return self._order(self.study.pairs, model)
        return self._rank(self.study.pairs, model)

    @cached_property
    def judges(self) -> str:
        """What is reversed without the flagged judges."""
        try:
            flagged = [card.judge for card in self.study.screening.flagged]
        except REFUSALS:
            return ""
        if not flagged:
            return ""
        return self._rank(self.study.pairs.without(judges=tuple(flagged)), self._model)

    @cached_property
    def loads(self) -> str:
        """What is reversed where busy judges are capped at the median."""
        return self._order(self.study.pairs, self._model, judge_cap="median")

    @cached_property
    def pairs(self) -> str:
        """What the ranking says of pairs that their own comparisons contradict."""
        claims = self._list_claims()
        enough = normal_quantile(1 - ALPHA / max(len(claims), 1))
        against = []
        for one, two in claims:
            won, lost = self._wins.get((one, two), (0.0, 0.0))
            if lost - won >= enough * (won + lost) ** 0.5 > 0:
                against.append((one, two, lost / (won + lost)))
        return self._say_contradicted(against)

    def find_circle(self, circle: Cycle) -> str:
        """Say which decided pair a circle of majorities contradicts."""
        claims = set(self._list_claims())
        names = [(circle.systems[at], circle.systems[(at + 1) % 3]) for at in range(3)]
        against = [
            (worse, better, share)
            for (better, worse), share in zip(names, circle.won, strict=True)
            if (worse, better) in claims
        ]
        return self._say_contradicted(against)

    def _list_claims(self) -> list[tuple[str, str]]:
        """Return (first, second) of pairs of which the answer denies that the second is better.

        These are decided pairs, and both ways round those which may each be the best and are open.
        """
        ranking = self.study.ranking
        if ranking.rank_sets is None or ranking.rank_lower is None:
            return []
        decided = ranking.rank_sets.decided
        leads = np.asarray(ranking.rank_lower) == 1
        both = (decided == 0) & leads[:, None] & leads & ~np.eye(len(leads), dtype=np.bool_)
        first, second = (part.tolist() for part in np.nonzero((decided > 0) | both))
        return [
            (ranking.systems[i], ranking.systems[j]) for i, j in zip(first, second, strict=True)
        ]

    @cached_property
    def _wins(self) -> Mapping[tuple[str, str], tuple[float, float]]:
        """Wins and losses of each pair of systems, both ways round."""
        tally = self.study.tally.fold().pool()
        found = {}
        for at, (left, right) in enumerate(zip(tally.left, tally.right, strict=True)):
            one, two = tally.systems[left], tally.systems[right]
            won, lost = float(tally.wins[at]), float(tally.losses[at])
            found[one, two], found[two, one] = (won, lost), (lost, won)
        return found

    def _say_contradicted(self, against: list[tuple[str, str, float]]) -> str:
        """Say what own comparisons contradict, the clearest pair by name."""
        if not against:
            return ""
        first, second, share = max(against, key=lambda one: one[2])
        more = f", and so {len(against) - 1} more pairs" if len(against) > 1 else ""
        own = f"{second} won {write_value(share, 'share')} of their own decided comparisons{more}"
        if self._is_decided(first, second):
            return f"{first} is decided to be better than {second}, yet {own}"
        return f"{first} and {second} are left undecided, yet {own}"

    def _is_decided(self, first: str, second: str) -> bool:
        ranking = self.study.ranking
        one, two = ranking.systems.index(first), ranking.systems.index(second)
        return ranking.rank_sets is not None and bool(ranking.rank_sets.decided[one, two] > 0)

    @property
    def _model(self) -> BradleyTerry:
        return self.study.settings.model or BradleyTerry()

    def _rank(self, table: Comparisons, model: BradleyTerry) -> str:
        """Rank otherwise and say what is reversed, or which other systems may be the best."""
        study, ranking = self.study, self.study.ranking
        try:
            other = rank(table, model=model, level=ranking.level, seed=study.settings.seed)
        except REFUSALS as refusal:
            return f"{NO_RANKING}: {_plain(refusal)}"
        one = other if isinstance(other, Ranking) else next(iter(other.groups.values()))
        return find_reversal(ranking, one) or _find_other_answer(ranking, one)

    def _order(self, table: Comparisons, model: BradleyTerry, judge_cap: str | None = None) -> str:
        """Order the systems otherwise and say what that reverses."""
        study, ranking = self.study, self.study.ranking
        rest: dict[str, Any] = {
            "level": ranking.level,
            "seed": study.settings.seed,
            "judge_cap": judge_cap,
        }
        try:
            other = order_alone(table, model=model, cluster=None, **rest)
        except REFUSALS:
            return ""
        return find_reversal(ranking, other)


def _find_other_answer(ranking: Ranking, other: Ranking) -> str:
    """Say the answer of another ranking in which other systems may be the best; else ""."""
    if list_leaders(ranking) == list_leaders(other):
        return ""
    return f"the answer is another one: {say_answer(other, advise=False)[0].rstrip('.')}"


def list_leaders(ranking: Ranking) -> tuple[frozenset[str], int, bool]:
    """Return which systems may be the best, of how many, and whether one is decided to be."""
    lower, upper = ranking.rank_lower, ranking.rank_upper
    if lower is None or upper is None:
        return frozenset(ranking.systems[:1]), len(ranking.systems), False
    pairs = zip(ranking.systems, lower.tolist(), strict=True)
    leaders = frozenset(system for system, low in pairs if low == 1)
    return leaders, len(ranking.systems), int(upper[0]) == 1


def find_reversal(ranking: Ranking, other: Ranking) -> str:
    """Say what another ranking of the same judgments reverses of what is decided; "" if nothing."""
    if ranking.rank_sets is None or ranking.rank_upper is None:
        return ""
    places = dict(zip(other.systems, other.rank.tolist(), strict=True))
    best = int(ranking.rank_upper[0]) == 1
    return _find_reversed(ranking.systems, ranking.rank_sets.decided, places, best_decided=best)


def find_board_reversal(board: ScoreBoard, other: ScoreBoard) -> str:
    """Say the same of boards of mean scores; references have no place."""
    ranked = np.flatnonzero(board.ranked)
    systems = tuple(board.systems[at] for at in ranked.tolist())
    places = {name: at for at, name in enumerate(other.systems, start=1) if name in systems}
    places = {name: at for at, name in enumerate(places, start=1)}
    decided = board.decided[np.ix_(ranked, ranked)]
    best = int(board.rank_upper[ranked[0]]) == 1
    return _find_reversed(systems, decided, places, best_decided=best)


def _find_reversed(
    systems: tuple[str, ...],
    decided: NDArray[np.int8],
    places: Mapping[str, int],
    *,
    best_decided: bool,
) -> str:
    """Say what other places reverse of decided pairs; systems that have none are passed over."""
    if best_decided and systems[0] not in places:
        return f"{systems[0]} cannot be ranked"
    if best_decided and places[systems[0]] > 1:
        first = next(name for name, place in places.items() if place == 1)
        return f"{first} and not {systems[0]} is first"
    better, worse = (part.tolist() for part in np.nonzero(decided > 0))
    pairs = [(systems[one], systems[two]) for one, two in zip(better, worse, strict=True)]
    turned = [
        (one, two)
        for one, two in pairs
        if one in places and two in places and places[one] > places[two]
    ]
    if len(turned) == 1:
        return f"{turned[0][1]} is before {turned[0][0]}, a decided pair reversed"
    return f"{len(turned):,} of {len(pairs):,} decided pairs are reversed" if turned else ""


def choose_state(reversal: str) -> str:
    """Return failed where the answer changes, else a warning.

    >>> choose_state("B and not A is first"), choose_state("")
    ('failed', 'warning')
    """
    return FAILED if reversal else WARNING


def say_outcome(condition: str, reversal: str) -> str:
    """Say what becomes of the answer under a condition.

    >>> say_outcome("With the order effect in the model", "")
    'With the order effect in the model the decided order stays.'
    """
    return f"{condition} {reversal or STAYS}."


def _plain(refusal: EvenhandError) -> str:
    return str(refusal.without_options() if hasattr(refusal, "without_options") else refusal)
