"""Fragility: how few votes, judges or items carry a conclusion, and which ones.

Units are put in order by their influence on the difference between two systems, largest first, or
of votes that leave a pair undecided by their influence on the difference over its error, and taken
away until a ranking from scratch no longer says what was concluded (Broderick, Giordano &
Meager 2020, An automatic finite-sample robustness metric, arXiv:2011.14999; Huang, Shen, Wei &
Broderick 2025, Dropping just a handful of preferences can change top large language model rankings,
arXiv:2508.11847). Every set that is reported was verified so; with one unit less in the same order
the conclusion stands. Judges, items or rankings that alone link a system to the others are tried as
a set. A smaller set of other units may exist: the number is an upper bound.

When not to use it: to say how sure a conclusion is. Few votes carry every close race, however
honest; rank sets say how sure it is. Fragility says which comparisons to look at first, and accuses
nobody: votes that are alike carry it alike, whoever gave them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, product
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, listing, name_near, require_option
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.exclusions import carries_excluded, write_excluded
from evenhand.judgments.names import take_names
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.intervals import FEW
from evenhand.ranking.ranking import Ranking, name_cause, say_barred
from evenhand.ranking.robustness.removal import (
    FALLS,
    HOLDS,
    NO_RANKING,
    Case,
    Claim,
    Queue,
    Removed,
    find_fewest,
    find_gone,
    is_decided,
    name_ahead,
    open_case,
    pull_votes,
    queue_clusters,
    queue_votes,
    stands,
)
from evenhand.ranking.settings import choose_log_linear

# The conclusions of a board whose support is asked about.

BORDERS: Final = 5  # Most borders between clusters that are asked about unasked


def find_claims(ranking: Ranking) -> tuple[Claim, ...]:
    """Return what a board says first.

    Who leads (alone, or level with others), the nearest system that the leader is decided to be
    better than, and the borders between clusters.
    """
    systems, ahead = ranking.systems, leaders(ranking)
    claims = []
    if ahead == 1:
        claims.append(Claim(f"{systems[0]} is first", systems[:1], systems[1:]))
    elif ahead < len(systems):
        name = f"{listing(systems[:ahead])} are ahead of all others"
        claims.append(Claim(name, systems[:ahead], systems[ahead:]))
    sets = ranking.rank_sets
    if sets is not None:  # the leader is seldom decided to be first; whom it beats may be
        beaten = np.flatnonzero(sets.decided[0] > 0).tolist()
        claims += [
            _pair(ranking, systems[0], systems[place]) for place in beaten[:1] if place > ahead
        ]
    if ranking.cluster is None:
        return tuple(claims)
    borders = (np.flatnonzero(np.diff(ranking.cluster)) + 1).tolist()
    return (*claims, *(_border(ranking, place) for place in borders[:BORDERS] if place > ahead))


def leaders(ranking: Ranking) -> int:
    """Return how many systems share the first place."""
    return int((ranking.rank == ranking.rank[0]).sum())


def say_level(ranking: Ranking) -> tuple[str, ...]:
    """Note that several systems are level at the head, so that nobody is first."""
    ahead = leaders(ranking)
    names = listing(ranking.systems[:ahead])
    return (f"level at the head, so that nobody is first: {names}",) if ahead > 1 else ()


def say_few(ranking: Ranking, claims: Sequence[Claim]) -> tuple[str, ...]:
    """Note which conclusions are of pairs that may not be decided, since few link them."""
    sets, notes = ranking.rank_sets, []
    for claim in claims if sets is not None else ():
        rows, columns = claim.across(ranking.systems)
        pairs = list(product(rows.ravel().tolist(), columns.ravel().tolist()))
        causes: dict[str, list[tuple[int, int]]] = {}
        for pair in pairs:
            if sets is not None and sets.barred[pair]:
                causes.setdefault(name_cause(sets, pair), []).append(pair)
        if sets is not None and causes:
            alone = len(claim.above) == 1 < len(pairs)
            whose = ("its", "pairs") if alone else ("the", "pairs across it")
            whose = ("the", "pairs") if len(pairs) == 1 else whose
            rest = say_barred(sets, causes, len(pairs), whose)
            stay = "stays" if sum(map(len, causes.values())) == 1 else "stay"
            notes.append(f"{claim.name}: {rest} and {stay} open, however far apart")
    return tuple(notes)


def require_claims(
    ranking: Ranking, pairs: Sequence[tuple[str, str]], after: Sequence[int]
) -> tuple[Claim, ...]:
    """Return the conclusions that were asked about.

    pairs: (better, worse) systems; the same pair counts once.
    """
    given: Sequence[Any] = pairs
    alone = len(given) == 2 and all(one in ranking.systems for one in given)
    asked: list[Any] = [tuple(one) for one in ([given] if alone else given)]
    if any(len(one) != 2 for one in asked):
        raise UnknownOption("pairs are (better, worse), two systems each: pairs=[('A', 'B')]")
    places = (after,) if isinstance(after, int) else after
    return (
        *(_pair(ranking, *pair) for pair in dict.fromkeys(asked)),
        *(_border(ranking, place) for place in dict.fromkeys(places)),
    )


def _pair(ranking: Ranking, better: str, worse: str) -> Claim:
    for system in (better, worse):
        if system not in ranking.systems:
            raise InvalidJudgments(f"no system '{system}'.{name_near(system, ranking.systems)}")
    if better == worse:
        raise UnknownOption(f"{better} and {worse} are one system: a pair is of two")
    above, below = (int(ranking.rank[ranking.systems.index(one)]) for one in (better, worse))
    if above == below:
        raise UnknownOption(f"the board has {better} and {worse} level: neither is ahead")
    if above > below:
        raise UnknownOption(
            f"the board does not have {better} ahead of {worse}: ask about {worse} ahead of"
            f" {better}"
        )
    return Claim(f"{better} is ahead of {worse}", (better,), (worse,))


def _border(ranking: Ranking, place: int) -> Claim:
    systems = ranking.systems
    if not 1 <= place < len(systems):
        raise UnknownOption(
            f"no border after place {place}: {len(systems)} systems have borders after places 1"
            f" to {len(systems) - 1}"
        )
    if ranking.rank[place - 1] == ranking.rank[place]:
        raise UnknownOption(
            f"no border after place {place}: {systems[place - 1]} and {systems[place]} are level"
        )
    return Claim(f"border after place {place}", systems[:place], systems[place:])


# How fragile conclusions are: how few votes, judges or items carry each, and which ones.

NAMED: Final = 5  # Most judges or items that are named in a sentence
COUNTED: Final = 3  # Most kinds of votes that are counted in a sentence
# Judges, items or rankings up to which all sets of them are tried: at most 254 fits
SMALL: Final = 8
TURNED, OPENED = "turned", "opened"
_PLURAL: Final = {"vote": "votes", "ranking": "rankings", "judge": "judges", "item": "items"}


@dataclass(frozen=True)
class Flip:
    """What carries one conclusion."""

    claim: str  # the conclusion in words
    how: str  # "turned" (another system is then ahead) or "opened" (it is then no longer decided)
    unit: str  # vote, ranking, judge or item
    # units without which it no longer stands, an upper bound; None where it stands without all
    # that speak for it
    fewest: int | None
    total: int  # units that there are
    tried: int  # units that were taken away, where it stands without them
    # the number that cumulated influence alone foresees; None where it foresees none
    foreseen: int | None
    left: str | None  # what is left then: "falls", or "no ranking" where the rest determines none
    # who and what, in the order in which they are taken away. Where an order turns, any
    removed: tuple[Removed, ...]
    ahead: str | None = None
    behind: str | None = None
    gone: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """Share of all units that carry it (proportion)."""
        return None if self.fewest is None else self.fewest / self.total

    @property
    def exact(self) -> bool:
        """Whether all sets were tried, so that none turns the order with fewer units."""
        return self.how == TURNED and self.unit != "vote" and self.total <= SMALL

    @property
    def says(self) -> str:
        """The finding in a sentence."""
        if self.fewest is None:
            what = _PLURAL[self.unit]
            rest = f"the {self.tried:,} of {self.total:,} {what} that speak for it"
            return f"{self.claim}: {_STANDS[self.how]} without {rest}"
        names = f" ({self.whose})" if self.whose else ""
        return f"{self.claim}: without {self.few} {self.effect}{names}"

    @property
    def few(self) -> str:
        """How many of how many carry it; empty where it stands."""
        what = _PLURAL[self.unit] if self.total > 1 else self.unit
        return "" if self.fewest is None else f"{self.fewest:,} of {self.total:,} {what}"

    @property
    def effect(self) -> str:
        """What becomes of the conclusion without them."""
        if self.left == NO_RANKING:
            gone = listing(self.gone, NAMED)
            return f"nothing is left of {gone}" if gone else "no ranking is left"
        if self.ahead is None:
            return _EFFECT[self.how]
        known = self.claim.startswith(f"{self.behind} is ")
        return f"{self.ahead} is ahead" if known else f"{self.ahead} is ahead of {self.behind}"

    @property
    def whose(self) -> str:
        """Who and what is taken away, in a line; empty where the conclusion stands.

        Of votes their kinds: which judges gave them is beside the point, or chosen by what they
        leave of the agreement between judges, and would read as an accusation.
        """
        if self.unit in ("judge", "item"):
            names = [one.judge if self.unit == "judge" else one.item for one in self.removed]
            return listing([name for name in names if name is not None], NAMED)
        kinds = Counter[tuple[str, int]]()
        for one in self.removed:
            if one.of is not None:
                kinds[one.kind, round(one.of)] += round(one.count)
        return _count(kinds, "any " if self.how == TURNED else "")

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {**asdict(self), "removed": [asdict(one) for one in self.removed], "says": self.says}


_EFFECT: Final[Mapping[str, str]] = {
    TURNED: "another system is ahead",
    OPENED: "it is no longer decided",
}
_STANDS: Final[Mapping[str, str]] = {
    TURNED: "the order stays",
    OPENED: "it stays decided",
}


def _count(kinds: Counter[tuple[str, int]], any_: str) -> str:
    """Write how many of how many votes of each kind, the most first, equal numbers by name.

    >>> _count(Counter({("a over b", 9): 2, ("c over b", 5): 5}), "any ")
    'all 5 c over b, any 2 of 9 a over b'
    """
    order = sorted(kinds.items(), key=lambda one: (-one[1], one[0]))
    said = [
        f"all {count:,} {kind}" if count == of else f"{any_}{count:,} of {of:,} {kind}"
        for (kind, of), count in order
    ]
    return listing(said, COUNTED)


def _say_together(flips: Sequence[Flip]) -> str:
    """Say how few of each unit carry one conclusion."""
    how, said = flips[0].how, []
    effects: dict[str, list[str]] = {}
    for one in flips:
        if one.fewest is not None:
            effects.setdefault(one.effect, []).append(one.few)
    for effect, few in effects.items():
        said.append(f"without {_join(few, 'or')} {effect}")
    most = [f"the {one.tried:,} {_PLURAL[one.unit]}" for one in flips if one.fewest is None]
    if most:
        said.append(f"{_STANDS[how]} without {_join(most, 'and')} that speak for it")
    return f"{flips[0].claim}: {'; '.join(said)}"


def _join(names: Sequence[str], word: str) -> str:
    """Join names with a word before the last.

    >>> _join(["a", "b", "c"], "or")
    'a, b or c'
    """
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


@dataclass(frozen=True, repr=False)
class Fragility(InNotebooks):
    """What carries the conclusions of a ranking.

    Attributes:
        flips: in the order of the claims.
        notes: what could not be asked.
        signature: what made the numbers.

    """

    TABLE: ClassVar = "flips"

    flips: tuple[Flip, ...]
    notes: tuple[str, ...]
    signature: str

    @property
    def conclusions(self) -> tuple[tuple[Flip, ...], ...]:
        """Flips of the same conclusion and outcome together: a unit each."""
        together: dict[tuple[str, str], list[Flip]] = {}
        for one in self.flips:
            together.setdefault((one.claim, one.how), []).append(one)
        return tuple(tuple(own) for own in together.values())

    @property
    def says(self) -> tuple[str, ...]:
        """The findings in sentences, one for each conclusion and outcome."""
        return tuple(_say_together(own) for own in self.conclusions)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "flips": [flip.to_dict() for flip in self.flips],
            "notes": list(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def __str__(self) -> str:
        return "\n".join([*self.says, *self.notes, self.signature])


# Sets of judges, items or rankings: those that alone link the systems of a claim, and all sets.
#
# Where two judges saw a system and nobody else did, nothing is left of it without them, whichever
# way they speak. Influence does not see that: what a judge who alone links a system pulls is not
# defined, and one of the two may speak against it. Where judges are few, all sets of them are
# tried.

Truths = NDArray[np.bool_]
FREE: Final = 8  # Systems that a claim does not name, up to which all ways to part them are tried


def queue_links(case: Case, unit: str, claim: Claim, how: str, pulls: NDArray[np.float64]) -> Queue:
    """Put the fewest units in order that alone link the two sides of a claim.

    For an order to turn, those who say anything for the side above: without them nothing holds it
    up. For a pair to be open, all who compared the sides.

    pulls: (G,) how far a difference of the claim falls without each.
    """
    tally = case.tally
    counts = case.settings.model.treat_ties(tally.counts)
    for_left, for_right = counts[:, :2].sum(axis=1) > 0, counts[:, 1:].sum(axis=1) > 0
    if how != TURNED:
        for_left = for_right = for_left | for_right
    factor = tally.factor(unit)
    best: NDArray[np.int64] = np.arange(len(factor.loads))
    for upper in _part(claim, tally.systems):
        left, right = upper[tally.left], upper[tally.right]
        across = (left & ~right & for_left) | (right & ~left & for_right)
        own = np.unique(factor.codes[across]).astype(np.int64)
        best = own if len(own) < len(best) else best
    order = best[np.argsort(-pulls[best], kind="stable")]
    ones = np.ones(len(order), dtype=np.int64)
    return Queue(unit, tally, pulls[order], ones, order, len(factor.loads))


def queue_sets(case: Case, unit: str, pulls: NDArray[np.float64], below: int) -> Iterator[Queue]:
    """Yield all sets of fewer than so many units where there are few units, the smallest first.

    pulls: (G,) how far a difference of a claim falls without each.
    """
    if len(pulls) > SMALL:
        return
    order = np.argsort(-pulls, kind="stable").tolist()
    for size in range(1, min(below, len(pulls))):
        for chosen in combinations(order, size):
            own = np.array(chosen, dtype=np.int64)
            ones = np.ones(size, dtype=np.int64)
            yield Queue(unit, case.tally, pulls[own], ones, own, len(pulls))


def _part(claim: Claim, systems: tuple[str, ...]) -> Iterator[Truths]:
    """Yield (K,) masks of an upper part with all systems above a claim's border, none below."""
    above = np.isin(systems, claim.above)
    free = np.flatnonzero(~above & ~np.isin(systems, claim.below))
    ways = product((False, True), repeat=len(free))
    for upper in ways if len(free) <= FREE else ((one,) * len(free) for one in (False, True)):
        mask = above.copy()
        mask[free] = upper
        yield mask


# Each conclusion with the fewest votes, judges and items that carry it.

Array = NDArray[np.float64]
RIVALS: Final = 3  # Pairs across a border that are pulled at, the nearest first
# Comparisons up to which it is asked what leaves a pair undecided: each step is a ranking
MOST: Final = 200_000


def examine(
    case: Case, claims: Sequence[Claim], outcomes: Sequence[str] = (TURNED, OPENED)
) -> Fragility:
    """Find what carries each claim."""
    notes: list[str] = []
    units, flips = case.units, []
    if case.tally.squares is not None:
        units = tuple(unit for unit in units if unit in ("judge", "item"))
        notes.append("importance weights count no votes: none are taken away one by one")
    large = case.tally.n_comparisons > MOST and OPENED in outcomes
    if large:
        notes.append(f"above {MOST:,} comparisons it is not asked what leaves a pair undecided")
    for claim in claims:
        if TURNED in outcomes:
            flips += [find_flip(case, claim, unit, TURNED) for unit in units]
        if large or OPENED not in outcomes or not _is_decided(case, claim):
            continue
        if is_decided(claim, case.tally, case.settings) == HOLDS:
            flips += [find_flip(case, claim, unit, OPENED) for unit in units]
        else:
            notes.append(f"{claim.name}: decided so narrowly that other random signs leave it open")
    return Fragility(tuple(flips), tuple(notes), case.signature)


def _is_decided(case: Case, claim: Claim) -> bool:
    rows, columns = claim.across(case.ranking.systems)
    sets = case.ranking.rank_sets
    return sets is not None and bool((sets.decided[rows, columns] > 0).all())


def find_flip(case: Case, claim: Claim, unit: str, how: str) -> Flip:
    """Find the fewest units of one kind without which a claim no longer stands.

    The pairs across the border that need least are each pulled at, and those who alone link the
    systems are taken away; the smallest set is kept.
    """
    contrasts, needed = nearest_pairs(case, claim, how)
    queues = make_queues(case, unit, contrasts, how)
    found = [
        _search(case, claim, how, (queue, queue.foresee(need)))
        for queue, need in zip(queues, needed.tolist(), strict=True)
    ]
    best = min(found, key=_size)
    if unit == "vote":
        return best
    pulls = case.pull(unit, contrasts[:1])[0]
    links = queue_links(case, unit, claim, how, pulls)
    enough = links.most if how == TURNED else links.most - int(FEW) + 1
    if enough < _size(best):
        other = _search(case, claim, how, (links, None), start=max(enough, 1))
        best = min(best, other, key=_size)
    return _try_all(case, claim, pulls, best) if how == TURNED else best


def _try_all(case: Case, claim: Claim, pulls: Array, best: Flip) -> Flip:
    """Return the smallest set that puts another system ahead where units are few, else the best."""
    for queue in queue_sets(case, best.unit, pulls, _size(best)):
        if stands(claim, queue.leave(queue.most, told_apart=False), case.settings) == FALLS:
            return _search(case, claim, TURNED, (queue, None), start=queue.most)
    return best


def _size(flip: Flip) -> int:
    return flip.total + 1 if flip.fewest is None else flip.fewest


def make_queues(case: Case, unit: str, contrasts: Array, how: str) -> list[Queue]:
    """Put units in order, for each contrast.

    Whether an order turns round depends on how many votes of each kind are left and not on whose
    they are: such votes are told apart by kind alone. Whether it is decided depends on both.

    contrasts: (Q, K) weights of the systems' log-worths.
    """
    if unit != "vote":
        own = case.pull(unit, contrasts)
        return [queue_clusters(case.tally, unit, one) for one in own]
    sided, tally = case.settings.model.order_effect, case.tally
    if how == TURNED:
        tally = tally.pool() if sided else tally.pool().fold()
    pulls = pull_votes(case.fit, tally, contrasts)
    effects = pulls if how == TURNED else weigh_votes(case, pulls, contrasts)
    return [
        queue_votes(tally, pull, effect, sided=sided)
        for pull, effect in zip(pulls, effects, strict=True)
    ]


def weigh_votes(case: Case, pulls: Array, contrasts: Array) -> Array:
    """Return (Q, C, 3): by what share t = d/s falls without one vote, to first order.

    Without a vote of pull e the difference is d − e. The variance s² is the sum of squares of what
    judges (or items) add, a; that of the vote's own judge falls to a − e: t loses
    e/d − e Σ a / s². Among votes that pull alike those go first whose judge and item speak least
    for the difference: judges then agree less.

    pulls: (Q, C, 3) of single votes.
    contrasts: (Q, K) weights of the systems' log-worths.
    """
    sets = case.ranking.rank_sets
    added = np.zeros(pulls.shape[:2])
    ways = () if sets is None else sets.ways
    for name, factor in case.tally.factors.items():
        if name in ways:
            own = case.pull(name, contrasts)
            added += own[:, factor.codes]
    gap = contrasts @ case.fit.log_worth
    stderr = _errors(case)[contrasts.argmax(axis=1), contrasts.argmin(axis=1)]
    return np.asarray(pulls * (1 / gap[:, None] - added / stderr[:, None] ** 2)[:, :, None])


def nearest_pairs(case: Case, claim: Claim, how: str) -> tuple[Array, Array]:
    """Return the pairs across a border that need least, and how far each has to fall.

    Returns: (Q, K) weights of log-worths, and (Q,) log-odds.
    """
    rows, columns = claim.across(case.fit.systems)
    need = (case.fit.log_worth[rows] - case.fit.log_worth[columns]).ravel()
    stderr = _errors(case)[rows, columns].ravel()
    sets = case.ranking.rank_sets
    if how == OPENED and sets is not None and sets.critical:
        need = np.maximum(need - min(sets.critical) * stderr, 0.0)
    chosen = np.argsort(need / stderr, kind="stable")[:RIVALS]
    first, second = np.divmod(chosen, columns.size)
    contrasts = np.zeros((len(chosen), len(case.fit.systems)))
    order = np.arange(len(chosen))
    contrasts[order, rows.ravel()[first]] = 1.0
    contrasts[order, columns.ravel()[second]] = -1.0
    return contrasts, need[chosen]


def _errors(case: Case) -> Array:
    """Return (K, K) standard errors of differences, as the ranking has them, else the model's."""
    board = case.ranking
    if board.pair_stderr is not None:
        place = {name: i for i, name in enumerate(board.systems)}
        order = [place[name] for name in case.fit.systems]
        return np.asarray(board.pair_stderr[np.ix_(order, order)])
    own = case.fit.worth_vcov
    spread = np.diag(own)[:, None] + np.diag(own) - 2 * own
    return np.sqrt(np.maximum(spread, 0.0))


def _search(
    case: Case, claim: Claim, how: str, pull: tuple[Queue, int | None], start: int | None = None
) -> Flip:
    """Search along one queue, from the number that is foreseen or another."""
    queue, foreseen = pull
    ask, apart = (stands, False) if how == TURNED else (is_decided, True)

    def verdict(number: int) -> str:
        return ask(claim, queue.leave(number, told_apart=apart), case.settings)

    most = min(queue.most, queue.total - 1)
    found = None if most < 1 else find_fewest(verdict, start or foreseen or most, most)
    fewest, left = (None, None) if found is None else found
    rest = None if fewest is None else queue.leave(fewest, told_apart=False)
    passed = None
    if rest is not None and how == TURNED:
        passed = name_ahead(claim, rest, case.settings)
    return Flip(
        claim=claim.name,
        how=how,
        unit=queue.unit,
        fewest=fewest,
        total=queue.total,
        tried=max(most, 0),
        foreseen=foreseen,
        left=left,
        removed=() if fewest is None else queue.listing(fewest),
        ahead=None if passed is None else passed[0],
        behind=None if passed is None else passed[1],
        gone=() if rest is None or left != NO_RANKING else find_gone(claim, rest),
    )


OUTCOMES: Final = (TURNED, OPENED)


@carries_excluded("controls")
def find_fragility(
    data: Comparisons | Rankings,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    after: Sequence[int] = (),
    model: BradleyTerry | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    board: Ranking | None = None,
    most: int | None = None,
    outcomes: Sequence[str] = OUTCOMES,
) -> Fragility:
    """Find the fewest votes, judges and items without which conclusions no longer stand.

    Args:
        data: comparisons or rankings of one task.
        pairs: (better, worse): conclusions to be asked about.
        after: places above borders, counted from 1. With neither, the first system, whom it is
            decided to beat, and the borders between clusters are asked about.
        model: settings of the log-linear model.
        cluster: judgments that hang together, as in `rank`.
        level: of rank sets (proportion).
        seed: of rank sets.
        board: the ranking of these data under these settings, where it is known: it is then not
            made again.
        most: how many of the conclusions that the board says first are asked about, where none
            was named; None for all.
        outcomes: "turned" (another system is then ahead), "opened" (it is then no longer decided,
            which takes a ranking at each step), or both.

    Raises:
        UnknownOption: a conclusion that the ranking does not draw, several tasks, an outcome that
            does not exist, or a model that knows controls or judge covariates.
        InvalidJudgments: neither comparisons nor rankings; says what to do.
        UnknownColumn: a column of the clusters that were asked for is not there.
        NotIdentified: the data determine no worths.

    >>> import evenhand, pandas as pd
    >>> rows = [("A", "B", "left")] * 7 + [("A", "B", "right")] * 4
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> evenhand.find_fragility(votes).says
    ('A is first: without 4 of 11 votes B is ahead',)
    """
    outcomes = take_names(outcomes)
    for outcome in outcomes:
        require_option("outcome", outcome, OUTCOMES)
    spec = choose_log_linear(model)
    table = require_pairs(data, "conclusions are of comparisons or rankings, not of")
    with one_blas_thread():
        case = open_case(table, spec, cluster=cluster, level=level, seed=seed, board=board)
        asked = require_claims(case.ranking, pairs, after)
        claims = asked or find_claims(case.ranking)[:most]
        found = examine(case, claims, outcomes)
    said = (*say_left_out(data, table), *say_level(case.ranking), *say_few(case.ranking, claims))
    return replace(found, notes=(*said, *found.notes))
