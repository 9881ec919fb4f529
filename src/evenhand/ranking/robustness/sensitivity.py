"""What would change the answer: fragility, other reasonable choices, and cycles, of one board."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, ClassVar, Final

import numpy as np

from evenhand.errors import EvenhandError, NotConverged, NotIdentified, UnknownOption, listing
from evenhand.judges.cards import Screening
from evenhand.judges.screening import screen_judges
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.exclusions import Exclusion, carries_excluded, write_excluded
from evenhand.judgments.judge_cap import choose_weights
from evenhand.judgments.levels import Levels
from evenhand.judgments.mix import Mix
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.models.bradley_terry import BradleyTerry, Ties
from evenhand.ranking.clustering import Clustering, Evidence
from evenhand.ranking.inference import order_systems
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.robustness.cycles import Cycles, find_cycles
from evenhand.ranking.robustness.fragility import Fragility, find_fragility
from evenhand.ranking.settings import Settings, choose_log_linear
from evenhand.ranking.sides import INSEPARABLE, find_one_sided

# One ranking under each reasonable choice, and which conclusions survive all of them.

NAMED: Final = 5  # Most conclusions that are named in a sentence
DEFAULT: Final = "default"
ASKED: Final = "as asked"
ONLY: Final = "the only ranking there is"
Pair = tuple[str, str]


@dataclass(frozen=True)
class Choice:
    """One way to rank."""

    name: str  # what differs from the default, in words
    systems: tuple[str, ...]  # best first; empty where it gives no ranking
    rank: tuple[int, ...]  # place of each; those of systems that are level are the same
    rank_lower: tuple[int, ...]  # best place of each that decided pairs leave
    rank_upper: tuple[int, ...]  # worst place
    decided: tuple[Pair, ...]  # (better, worse) of every decided pair
    refused: str | None = None  # why there is no ranking, or None

    @property
    def first(self) -> tuple[str, ...]:
        """Who leads: several where they are level."""
        return tuple(
            name
            for name, place in zip(self.systems, self.rank, strict=True)
            if place == self.rank[0]
        )


@dataclass(frozen=True)
class Conclusion:
    """Something that some choice decides."""

    better: str  # the system that is better
    worse: str  # the other
    by_default: bool  # whether the first of the rankings decides it
    under: tuple[str, ...]  # choices that decide it
    open: tuple[str, ...]  # choices that leave the pair open
    against: tuple[str, ...]  # choices that decide the opposite

    @property
    def survives(self) -> bool:
        """Whether every choice that gives a ranking decides it."""
        return not self.open and not self.against

    @property
    def name(self) -> str:
        """The conclusion in words."""
        return f"{self.better} over {self.worse}"


@dataclass(frozen=True, repr=False)
class Sensitivity(InNotebooks):
    """The default ranking beside those by other reasonable choices.

    Attributes:
        choices: the default first, or the ranking that was asked for.
        level: of rank sets under each (proportion).
        notes: choices that the data do not offer, and why.
        signature: of the default.
        decides: whether choices also say which pairs they decide; else there are orders alone.

    """

    TABLE: ClassVar = "conclusions"

    choices: tuple[Choice, ...]
    level: float
    notes: tuple[str, ...]
    signature: str
    decides: bool = True

    @property
    def ranked(self) -> tuple[Choice, ...]:
        """Choices that give a ranking."""
        return tuple(one for one in self.choices if one.refused is None)

    @cached_property
    def conclusions(self) -> tuple[Conclusion, ...]:
        """Everything that any choice decides, in the order of the default board."""
        place = {name: i for i, name in enumerate(self.choices[0].systems)}
        sets = {one.name: set(one.decided) for one in self.ranked}
        pairs = {pair for own in sets.values() for pair in own}
        most = len(place)
        order = sorted(
            pairs, key=lambda pair: (place.get(pair[0], most), place.get(pair[1], most), pair)
        )
        return tuple(self._conclude(better, worse, sets) for better, worse in order)

    def _conclude(self, better: str, worse: str, sets: dict[str, set[Pair]]) -> Conclusion:
        under = tuple(name for name, own in sets.items() if (better, worse) in own)
        against = tuple(name for name, own in sets.items() if (worse, better) in own)
        rest = tuple(name for name in sets if name not in (*under, *against))
        return Conclusion(better, worse, self.choices[0].name in under, under, rest, against)

    def changes(self, choice: Choice) -> tuple[str, ...]:
        """Return what is otherwise than in the first ranking: order first, then decided pairs.

        Args:
            choice: one of the choices that give a ranking.

        """
        turned = _turn(self.choices[0], choice)
        decided = []
        for one in self.conclusions:
            if one.by_default == (choice.name in one.under):
                continue
            if not one.by_default:
                decided.append(f"{one.name} decided")
            elif choice.name not in one.against:  # else the opposite says so
                decided.append(f"{one.name} open")
        return (*turned, *decided)

    @property
    def survivors(self) -> tuple[Conclusion, ...]:
        """What every choice decides."""
        return tuple(one for one in self.conclusions if one.survives)

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who leads under some choice, alone or level with others; the default's first."""
        return tuple(dict.fromkeys(name for one in self.ranked for name in one.first))

    @property
    def says(self) -> tuple[str, ...]:
        """The finding in sentences."""
        if not self.decides:
            return (self._say_leader(),)
        default = [one for one in self.conclusions if one.by_default]
        lost = [one for one in default if not one.survives]
        several = f"all {len(self.ranked)} rankings" if len(self.ranked) > 1 else ONLY
        said = [self._say_leader()]
        if not default:
            usual = self.choices[0].name == DEFAULT
            first = "the default" if usual else "the ranking that was asked for"
            said.append(f"{first} decides no pair, so that none can be lost")
        else:
            kept = len(default) - len(lost)
            said.append(f"{kept} of {len(default)} decided pairs survive {several}")
        said += [_say_lost(one) for one in lost[:NAMED]]
        if len(lost) > NAMED:
            said.append(f"{len(lost) - NAMED} more pairs do not survive")
        return tuple(said)

    def _say_leader(self) -> str:
        own = self.ranked[0].first
        other = [one for one in self.ranked if one.first != own]
        leads = f"{listing(own)} {'leads' if len(own) == 1 else 'lead, level,'}"
        if len(self.ranked) == 1:
            return f"{leads} in {ONLY}"
        if not other:
            return f"{leads} in all {len(self.ranked)} rankings"
        others = dict.fromkeys(" level with ".join(one.first) for one in other)
        comma = "," if len(own) == 1 else ""
        under = listing([one.name for one in other])
        return f"{leads}{comma} yet not under {under}: {listing([*others])}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "choices": [asdict(one) for one in self.choices],
            "conclusions": [{**asdict(one), "survives": one.survives} for one in self.conclusions],
            "leaders": list(self.leaders),
            "decides": self.decides,
            "level": self.level,
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def __str__(self) -> str:
        rows = [
            f"{one.name}: {one.refused or ', '.join(one.systems)}"
            + (f" ({len(one.decided)} pairs decided)" if one.refused is None else "")
            for one in self.choices
        ]
        return "\n".join([*rows, *self.says, *self.notes, self.signature])


def _say_lost(one: Conclusion) -> str:
    if one.against:
        return f"{one.name} is turned round under {listing(one.against)}"
    return f"{one.name} stays open under {listing(one.open)}"


def _turn(usual: Choice, choice: Choice) -> list[str]:
    """Return who is ahead of whom, or level, otherwise than usual."""
    before, after = (dict(zip(one.systems, one.rank, strict=True)) for one in (usual, choice))
    said = []
    for one, other in combinations([name for name in usual.systems if name in after], 2):
        level = before[one] == before[other]
        if after[one] > after[other]:
            said.append(f"{other} ahead of {one}")
        elif after[one] == after[other] and not level:
            said.append(f"{one} and {other} level")
        elif after[one] < after[other] and level:
            said.append(f"{one} ahead of {other}")
    return said


# Sensitivity: the same judgments ranked under each reasonable choice, in one table.
#
# A ranking rests on choices that others would make otherwise: what a tie says, what hangs together,
# whether the output shown first has an advantage, how much a busy judge counts, and whether judges
# who are to be doubted count at all. A conclusion that only one of them draws is a conclusion about
# that choice (Steegen, Tuerlinckx, Gelman & Vanpaemel 2016, Increasing transparency through a
# multiverse analysis, Perspectives on Psychological Science 11:702-712).
#
# When not to use it: to choose the ranking that one likes. The default was chosen beforehand, by
# experiments with known truth; the others show what hangs on it.

TIES: Final[Mapping[Ties, str]] = {
    "davidson": "ties by Davidson",
    "rao-kupper": "ties by Rao and Kupper",
    "half-win": "a tie is half a win",
    "discard": "ties left out",
}
CLUSTERED: Final = {
    "judge": "clustered by judge alone",
    "item": "clustered by item alone",
    "judge+item": "clustered by judge and item",
    "judgment": "votes taken for independent",
}
UNASKED: Final = (
    "which pairs each choice decides was not asked, nor what clusters change: they change no order"
)
Run = Callable[..., Ranking | GroupedRankings]
Offer = tuple[str, Callable[[], Ranking | GroupedRankings]]


@carries_excluded("controls")
def vary_choices(
    data: Comparisons | Rankings,
    *,
    model: BradleyTerry | None = None,
    cluster: str | None = None,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    board: Ranking | None = None,
    decide: bool = True,
    screening: Screening | None = None,
) -> Sensitivity:
    """Rank under each reasonable choice and see which conclusions survive all of them.

    Args:
        data: comparisons or rankings of one task.
        model: settings of the log-linear model that was asked for; each choice differs from what
            was asked, or from the default, in one thing.
        cluster: judgments that hang together, as in `rank`.
        mix: how much judges and items of each kind count, as in `rank`.
        judge_cap: "median" or None, as in `rank`.
        level: of rank sets under each choice (proportion).
        seed: of rank sets.
        board: the ranking that was asked for, where it is known: it is then not made again.
        decide: whether each choice also says which pairs it decides, which takes nearly all of
            the time. Without, there are orders alone, and no choice of what hangs together, which
            changes none.
        screening: which judges are to be doubted, where it is known.

    Raises:
        UnknownOption: several tasks, or settings that do not fit.
        UnknownColumn: a column that was asked for is not there.
        NotIdentified: the data determine no worths under what was asked.

    >>> import evenhand, pandas as pd
    >>> rows = [("A", "B", "left")] * 40 + [("A", "B", "right")] * 9 + [("A", "B", "tie")] * 20
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> evenhand.vary_choices(votes).says
    ('A leads in all 4 rankings', '1 of 1 decided pairs survive all 4 rankings')
    """
    table = require_pairs(data, "choices are varied on comparisons or rankings, not on")
    if len(table.tasks()) > 1:
        raise UnknownOption("choices are varied on one board: choose a task")
    spec = choose_log_linear(model)
    weights: dict[str, Any] = {"mix": mix, "judge_cap": judge_cap}
    how = rank if decide else order_alone
    ranked = partial(how, model=spec, cluster=cluster, level=level, seed=seed, **weights)
    run = partial(ranked, table, **({} if decide else {"counted": table.tally()}))
    asked = board or _only(run())
    notes = [*say_left_out(data, table)]
    offers = [
        *_offer_ties(asked, spec, run),
        *(_offer_clusters(asked, table, run) if decide else ()),
        *_offer_order(table, spec, run, notes),
        *_offer_loads(table, weights, run, notes),
        *_offer_judges(screening or data, table, ranked, notes),
    ]
    usual = replace(spec, reference=None) == BradleyTerry() and not any([cluster, mix, judge_cap])
    first = _describe(DEFAULT if usual else ASKED, asked)
    choices = [first, *(_try(name, make) for name, make in offers)]
    notes += [] if decide else [UNASKED]
    return Sensitivity(tuple(choices), level, tuple(notes), asked.signature, decide)


def order_alone(
    table: Comparisons,
    *,
    model: BradleyTerry,
    cluster: str | None,
    level: float,
    seed: int,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    counted: Tally | None = None,
) -> Ranking:
    """Rank without intervals: who is ahead of whom, by the model alone.

    model: settings of the log-linear model.
    """
    if model.controls:
        raise UnknownOption("under controls orders are not asked alone: let each choice decide")
    weighing = choose_weights(mix, judge_cap)
    weighed = table if weighing is None else weighing.weigh(table)
    settings = Settings(model, "rank-sets", cluster, level, seed, None, weighed.mix)
    tally = weighed.tally() if counted is None or weighing is not None else counted
    evidence, levels = Evidence.of(tally), Levels({})
    fit = model.fit(evidence.whole)
    return order_systems(fit, evidence, levels, (Clustering(()), None), settings)


def _only(found: Ranking | GroupedRankings) -> Ranking:
    """Return the ranking of one task, also where the table names the task."""
    return found if isinstance(found, Ranking) else next(iter(found.groups.values()))


def _offer_ties(asked: Ranking, spec: BradleyTerry, run: Run) -> Iterator[Offer]:
    if asked.ties.any():
        for ties, name in TIES.items():
            if ties != spec.ties:
                yield name, partial(run, model=replace(spec, ties=ties))


def _offer_clusters(asked: Ranking, table: Comparisons, run: Run) -> Iterator[Offer]:
    ways = () if asked.rank_sets is None else asked.rank_sets.ways
    present = [name for name in ("judge", "item") if table.has(name)]
    wanted = [*present, *(["judge+item"] if len(present) > 1 else []), "judgment"]
    for cluster in wanted:
        if tuple(cluster.split("+")) != ways:
            yield CLUSTERED[cluster], partial(run, cluster=cluster)


def _offer_order(
    table: Comparisons, spec: BradleyTerry, run: Run, notes: list[str]
) -> Iterator[Offer]:
    other = partial(run, model=replace(spec, order_effect=not spec.order_effect))
    if spec.order_effect:
        yield "no advantage of the first output", other
    elif not table.positions_known:
        notes.append("which output was shown first is not known: no advantage of the first")
    elif not find_one_sided(table.tally(), None).separable:
        notes.append(INSEPARABLE)
    else:
        yield "advantage of the first output", other


def _offer_loads(
    table: Comparisons, weights: Mapping[str, object], run: Run, notes: list[str]
) -> Iterator[Offer]:
    if weights["judge_cap"]:
        yield "busy judges count in full", partial(run, judge_cap=None)
        return
    if weights["mix"]:
        yield "judgments as they come", partial(run, mix=None)
        return
    if not table.has("judge"):
        notes.append("judges are not known: none can be capped or left out")
        return
    loads = table.tally(by=("judge",)).factor("judge").loads
    if np.ptp(loads) > 0 and table.mix is None and not table.has("weight"):
        yield "busy judges capped at the median", partial(run, judge_cap="median")


def _offer_judges(
    data: Comparisons | Rankings | Screening, table: Comparisons, ranked: Run, notes: list[str]
) -> Iterator[Offer]:
    if not table.has("judge"):
        return
    flagged = _find_flagged(data, notes)
    if flagged:
        name = f"without flagged judges ({listing(flagged, 3)})"
        yield name, partial(ranked, table.without(judges=flagged, recorded=False))


def _find_flagged(data: Comparisons | Rankings | Screening, notes: list[str]) -> Sequence[str]:
    """Return the judges who are to be doubted, or note why nobody is."""
    try:
        found = data if isinstance(data, Screening) else screen_judges(data)
    except (NotIdentified, UnknownOption) as refusal:
        notes.append(f"no judge is left out: {refusal}")
        return ()
    flagged = [card.judge for card in found.flagged]
    if not flagged:
        why = f": {found.abstains}" if found.abstains else ""
        notes.append(f"no judge is flagged{why}")
    return flagged


def _try(name: str, make: Callable[[], Ranking | GroupedRankings]) -> Choice:
    """Rank by a choice, or say why it gives no ranking."""
    try:
        found = make()
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        return Choice(name, (), (), (), (), (), _plain(refusal))
    return _describe(name, _only(found))


def _plain(refusal: EvenhandError) -> str:
    return str(refusal.without_options() if hasattr(refusal, "without_options") else refusal)


def _describe(name: str, found: Ranking) -> Choice:
    sets = found.rank_sets
    pairs = [] if sets is None else sets.to_dict(found.systems)["decided"]
    lower, upper = (np.zeros(0, int),) * 2 if sets is None else sets.bounds
    return Choice(
        name,
        found.systems,
        tuple(found.rank.tolist()),
        tuple(lower.tolist()),
        tuple(upper.tolist()),
        tuple((better, worse) for better, worse in pairs),
    )


@dataclass(frozen=True)
class Doubts:
    """What would change the answer."""

    fragility: Fragility  # the fewest votes, judges and items that carry each conclusion
    sensitivity: Sensitivity  # the ranking under each reasonable choice
    # whether preferences go round in circles; None where decisive votes do not say
    cycles: Cycles | None
    notes: tuple[str, ...]  # why something is missing

    @property
    def says(self) -> tuple[str, ...]:
        """All findings in sentences."""
        cycles = () if self.cycles is None else self.cycles.says
        return (*self.fragility.says, *self.sensitivity.says, *cycles)

    @property
    def signature(self) -> str:
        """The line of the default ranking, which all three are about."""
        return self.sensitivity.signature

    @property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from the judgments."""
        return self.sensitivity.excluded

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of one board."""
        return {
            "fragility": self.fragility.to_dict(),
            "sensitivity": self.sensitivity.to_dict(),
            "cycles": None if self.cycles is None else self.cycles.to_dict(),
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }


def raise_doubts(
    data: Comparisons | Rankings,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    after: Sequence[int] = (),
    model: BradleyTerry | None = None,
    cluster: str | None = None,
    mix: Mix | None = None,
    judge_cap: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
) -> Doubts:
    """Ask what would change the answer.

    pairs: (better, worse): conclusions to be asked about, as in `find_fragility`.
    model: settings of the log-linear model, as in `rank`. Of it cycles take the order effect; where
        sides were not randomised they have one anyway.
    level: of rank sets and of cycles (proportion).
    """
    rest: dict[str, Any] = {"cluster": cluster, "level": level, "seed": seed}
    weights = choose_weights(mix, judge_cap)
    weighed = data if weights is None else weights.weigh(data)
    fragility = find_fragility(weighed, pairs=pairs, after=after, model=model, **rest)
    sensitivity = vary_choices(data, model=model, mix=mix, judge_cap=judge_cap, **rest)
    try:
        order = True if model is not None and model.order_effect else None
        cycles, notes = find_cycles(weighed, order_effect=order, **rest), ()
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        return Doubts(fragility, sensitivity, None, (f"cycles are not tested: {refusal}",))
    return Doubts(fragility, sensitivity, cycles, notes)
