"""Fragility: how few votes, judges or items carry a conclusion, and which ones.

Units are ordered by their influence on the difference between two systems, largest first, or, for
votes that leave a pair undecided, by their influence on the difference over its error. They are
taken away until a ranking from scratch no longer says what was concluded (Broderick, Giordano &
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
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations, product
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, require_pairs, say_left_out
from evenhand.data.exclusions import Exclusion, list_findings, write_contract
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.data.taking import Openable
from evenhand.data.tally import take_names
from evenhand.errors import (
    InvalidJudgments,
    UnknownOption,
    listing,
    require_option,
    suggest_or_list,
)
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics import Array, Integers
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.intervals import MIN_CLUSTERS
from evenhand.ranking.ranking import Ranking, name_cause, say_barred
from evenhand.ranking.robustness import removal
from evenhand.ranking.robustness.texts import say
from evenhand.ranking.settings import choose_log_linear
from evenhand.render.document import Column, Document, Table
from evenhand.render.findings import Finding

REVERSED, UNDECIDED = "reversed", "undecided"
OUTCOMES: Final = (REVERSED, UNDECIDED)
MAX_BORDERS_ASKED: Final = 5  # Borders between clusters that are asked about by default
MAX_NAMES_IN_SENTENCE: Final = 5  # Judges, items or systems that are named
MAX_KINDS_IN_SENTENCE: Final = 3  # Kinds of votes that are counted
MAX_ROWS_SHOWN: Final = 15  # Conclusions and units that a terminal shows; JSON has all
MAX_PAIRS_TRIED: Final = 3  # Pairs across a border whose difference is taken down, nearest first
# Judges, items or rankings up to which all sets of them are tried: at most 254 fits
MAX_UNITS_FOR_ALL_SETS: Final = 8
# Systems that a claim does not name, up to which all ways to part them are tried
MAX_UNNAMED_SYSTEMS: Final = 8
# Comparisons up to which it is asked what leaves a pair undecided: each step is a ranking
MAX_COMPARISONS_TO_UNDECIDE: Final = 200_000
# How an outcome is called in a table, and what that means
OUTCOME_LEGEND: Final = {
    "reversed": "reversed: without so many, or fewer others, another system is ahead",
    "undecided": "undecided: it is no longer decided without so many, or fewer others",
    "unranked": "unranked: nothing is left to rank",
    "robust": "robust: not reversed without all that support it; larger sets were not tried",
    "robust, exactly": "robust, exactly: no set of them reverses it",
}


def _count_leaders(ranking: Ranking) -> int:
    return int((ranking.rank == ranking.rank[0]).sum())


def find_claims(ranking: Ranking) -> tuple[removal.Claim, ...]:
    # Who leads (alone, or level with others), the nearest system that the leader is decided to be
    # better than, and the borders between clusters.
    systems, ahead = ranking.systems, _count_leaders(ranking)
    claims = []
    if ahead == 1:
        claims.append(removal.Claim(f"{systems[0]} is first", systems[:1], systems[1:], systems[0]))
    elif ahead < len(systems):
        name = f"{listing(systems[:ahead])} are ahead of all others"
        claims.append(removal.Claim(name, systems[:ahead], systems[ahead:]))
    sets = ranking.rank_sets
    if sets is not None:  # the leader is seldom decided to be first; whom it beats may be
        beaten = np.flatnonzero(sets.decided[0] > 0).tolist()
        if beaten and beaten[0] > ahead:
            claims.append(claim_pair(ranking, systems[0], systems[beaten[0]]))
    if ranking.cluster is not None:
        borders = (np.flatnonzero(np.diff(ranking.cluster)) + 1).tolist()
        claims += [
            _claim_border(ranking, place) for place in borders[:MAX_BORDERS_ASKED] if place > ahead
        ]
    return tuple(claims)


def claim_pair(ranking: Ranking, better: str, worse: str) -> removal.Claim:
    for system in (better, worse):
        if system not in ranking.systems:
            raise InvalidJudgments(
                f"no system '{system}'.{suggest_or_list(system, ranking.systems)}"
            )
    if better == worse:
        raise UnknownOption(f"{better} and {worse} are one system: a pair is of two")
    above, below = (int(ranking.rank[ranking.systems.index(name)]) for name in (better, worse))
    if above == below:
        raise UnknownOption(f"the board has {better} and {worse} level: neither is ahead")
    if above > below:
        raise UnknownOption(
            f"the board does not have {better} ahead of {worse}: ask about {worse} ahead of"
            f" {better}"
        )
    return removal.Claim(f"{better} is ahead of {worse}", (better,), (worse,), better)


def _claim_border(ranking: Ranking, place: int) -> removal.Claim:
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
    return removal.Claim(f"border after place {place}", systems[:place], systems[place:])


def _note_barred(ranking: Ranking, claims: Sequence[removal.Claim]) -> list[Finding]:
    sets = ranking.rank_sets
    if sets is None:
        return []
    notes = []
    for claim in claims:
        rows, columns = claim.across(ranking.systems)
        pairs = list(product(rows.ravel().tolist(), columns.ravel().tolist()))
        causes: dict[str, list[tuple[int, int]]] = {}
        for pair in pairs:
            if sets.barred[pair]:
                causes.setdefault(name_cause(sets, pair), []).append(pair)
        if not causes:
            continue
        several = "its {of} pairs" if len(claim.above) == 1 else "the {of} pairs across it"
        rest = say_barred(sets, causes, len(pairs), ("the pair", several))
        code = "pair-barred" if sum(map(len, causes.values())) == 1 else "pairs-barred"
        notes.append(say(code, "warning", claim=claim.name, why=rest))
    return notes


@dataclass(frozen=True)
class Flip:
    claim: str  # the conclusion in words
    how: str  # "reversed" (another system is then ahead) or "undecided"
    unit: str  # vote, ranking, judge or item
    # units without which it no longer stands, an upper bound; None where it stands without all
    # that speak for it
    fewest: int | None
    total: int  # units that there are
    tried: int  # units that were taken away, where it stands without them
    # the number that cumulated influence alone predicts; None where it predicts none
    predicted: int | None
    left: str | None  # what is left then: "falls", or "no ranking" where the rest determines none
    # who and what, in the order in which they are taken away. Where an order turns, any
    removed: tuple[removal.Removed, ...]
    ahead: str | None = None
    behind: str | None = None
    gone: tuple[str, ...] = ()
    subject: str = ""  # the system that the claim is about, where it is about one

    @property
    def share(self) -> float | None:
        return None if self.fewest is None else self.fewest / self.total

    @property
    def exact(self) -> bool:
        return self.how == REVERSED and self.unit != "vote" and self.total <= MAX_UNITS_FOR_ALL_SETS

    @property
    def outcome(self) -> str:
        """What becomes of the conclusion, as a key of OUTCOME_LEGEND."""
        if self.fewest is None:
            return "robust, exactly" if self.exact else "robust"
        return "unranked" if self.left == removal.NO_RANKING else self.how

    @property
    def says(self) -> str:
        return say("carried", "info", claim=self.claim, parts=_say_part([self], whose=True))

    @property
    def few(self) -> str:
        unit = f"{self.unit}s" if self.total > 1 else self.unit
        return "" if self.fewest is None else f"{self.fewest:,} of {self.total:,} {unit}"

    @property
    def effect(self) -> str:
        if self.left == removal.NO_RANKING:
            gone = listing(self.gone, MAX_NAMES_IN_SENTENCE)
            return say("nothing-left" if gone else "no-ranking-left", gone=gone)
        if self.ahead is None:
            return say("another-ahead" if self.how == REVERSED else "undecided")
        known = self.behind == self.subject
        return say("ahead" if known else "ahead-of", ahead=self.ahead, behind=self.behind)

    @property
    def supporters(self) -> str:
        if self.tried == 0:
            return say("holds-without-any", unit=self.unit)
        code = "holds-without-one" if self.tried == 1 else "holds-without-all"
        return say(code, unit=self.unit, units=f"{self.unit}s", tried=self.tried)

    @property
    def whose(self) -> str:
        """Who and what is taken away, in a line; empty where the conclusion stands."""
        # Of votes their kinds: which judges gave them is beside the point, or chosen by what they
        # leave of the agreement between judges, and would read as an accusation.
        most = MAX_NAMES_IN_SENTENCE if self.unit in ("judge", "item") else MAX_KINDS_IN_SENTENCE
        return listing(self.named, most)

    @property
    def named(self) -> list[str]:
        """The judges or items that are taken away, or how many votes of each kind."""
        if self.unit in ("judge", "item"):
            names = [
                removed.judge if self.unit == "judge" else removed.item for removed in self.removed
            ]
            return [name for name in names if name is not None]
        kinds = Counter[tuple[str, int]]()
        for removed in self.removed:
            if removed.of is not None:
                kinds[removed.kind, round(removed.of)] += round(removed.count)
        # The most first, equal numbers by name
        order = sorted(kinds.items(), key=lambda entry: (-entry[1], entry[0]))
        some = "any " if self.how == REVERSED else ""
        return [
            f"all {count:,} {kind}" if count == of else f"{some}{count:,} of {of:,} {kind}"
            for (kind, of), count in order
        ]

    def to_dict(self) -> dict[str, Any]:
        fields = asdict(self)
        del fields["subject"]
        removed = [asdict(one) for one in self.removed]
        return {**fields, "removed": removed, "says": self.says}


def _say_part(flips: Sequence[Flip], *, whose: bool = False) -> str:
    effects: dict[str, list[str]] = {}
    for flip in flips:
        if flip.fewest is not None:
            named = f" ({flip.whose})" if whose and flip.whose else ""
            effects.setdefault(flip.effect, []).append(f"{flip.few}{named}")
    parts: list[str] = [
        say("falls-without", few=_join(few, "or"), effect=effect) for effect, few in effects.items()
    ]
    parts += [flip.supporters for flip in flips if flip.fewest is None]
    return "; ".join(parts)


def _join(names: Sequence[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


@dataclass(frozen=True, repr=False)
class Fragility(Shown):
    """What carries the conclusions of a ranking."""

    flips: tuple[Flip, ...]  # in the order of the claims
    notes: tuple[str, ...]  # what could not be asked
    signature: str  # what made the numbers
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def conclusions(self) -> tuple[tuple[Flip, ...], ...]:
        """Flips of the same conclusion and outcome together: a unit each."""
        together: dict[tuple[str, str], list[Flip]] = {}
        for flip in self.flips:
            together.setdefault((flip.claim, flip.how), []).append(flip)
        return tuple(tuple(flips) for flips in together.values())

    @property
    def says(self) -> tuple[str, ...]:
        """The findings in sentences, one for each conclusion and outcome."""
        return tuple(
            say("carried", "info", claim=flips[0].claim, parts=_say_part(flips))
            for flips in self.conclusions
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return write_contract(self) | {"flips": [flip.to_dict() for flip in self.flips]}

    @property
    def table(self) -> Table:
        """A row for each conclusion and unit."""
        keys = ("claim", "how", "unit", "fewest", "total", "share", "left")
        rows = []
        for one in self.flips:
            row = {key: getattr(one, key) for key in keys}
            every = f"{one.tried:,} of {one.total:,} {one.unit}s"
            rows.append(row | {"few": one.few or every, "outcome": one.outcome, "who": one.named})
        outcomes = {one.outcome for one in self.flips}
        columns = (
            Column("claim", "conclusion", "name"),
            Column("few", "without", "text"),
            Column("outcome", "becomes", "text"),
            Column("who", "which", "names"),
        )
        return Table(
            "flips",
            "How few reverse each conclusion",
            columns,
            tuple(rows),
            limit=MAX_ROWS_SHOWN,
            legend=tuple(text for one, text in OUTCOME_LEGEND.items() if one in outcomes),
            without=("few", "outcome", "who"),
        )

    def document(self) -> Document:
        """Return what people read: how few carry each conclusion, and whose they are."""
        return Document(
            answer=self.says,
            parts=(self.table,),
            findings=list_findings(self.notes, self.excluded),
            signature=self.signature,
        )


def examine(
    case: removal.Case, claims: Sequence[removal.Claim], outcomes: Sequence[str]
) -> Fragility:
    notes: list[str] = []
    units, flips = case.units, []
    if case.tally.squares is not None:
        units = tuple(unit for unit in units if unit in ("judge", "item"))
        notes.append(say("weights-no-votes"))
    large = case.tally.n_comparisons > MAX_COMPARISONS_TO_UNDECIDE and UNDECIDED in outcomes
    if large:
        notes.append(say("too-many-to-undecide", limit=MAX_COMPARISONS_TO_UNDECIDE))
    sets = case.ranking.rank_sets
    for claim in claims:
        if REVERSED in outcomes:
            flips += [find_flip(case, claim, unit, REVERSED) for unit in units]
        if large or UNDECIDED not in outcomes or sets is None:
            continue
        rows, columns = claim.across(case.ranking.systems)
        if not (sets.decided[rows, columns] > 0).all():
            continue
        if removal.check_decided(claim, case.tally, case.settings) == removal.HOLDS:
            flips += [find_flip(case, claim, unit, UNDECIDED) for unit in units]
        else:
            notes.append(say("narrowly-decided", "warning", claim=claim.name))
    return Fragility(tuple(flips), tuple(notes), case.signature)


def find_flip(case: removal.Case, claim: removal.Claim, unit: str, how: str) -> Flip:
    """Find the fewest units of one kind without which a claim no longer stands."""
    # The differences of the pairs across the border that need least are each taken down, and those
    # who alone link the systems are taken away; the smallest set is kept.
    contrasts, needed = nearest_pairs(case, claim, how)
    orders = _order_units(case, unit, contrasts, how)
    flips = [
        _search(case, claim, how, order, order.predict(need))
        for order, need in zip(orders, needed.tolist(), strict=True)
    ]
    best = min(flips, key=_size)
    if unit == "vote":
        return best
    influence = np.asarray(contrasts[:1] @ case.influences[unit])[0]
    links = _order_links(case, unit, claim, how, influence)
    start = links.most if how == REVERSED else links.most - int(MIN_CLUSTERS) + 1
    if start < _size(best):
        linked = _search(case, claim, how, links, start=max(start, 1))
        best = min(best, linked, key=_size)
    if how != REVERSED or len(influence) > MAX_UNITS_FOR_ALL_SETS:
        return best
    # Where units are few, all sets of fewer than were found are tried, the smallest first
    ordered = np.argsort(-influence, kind="stable").tolist()
    for size in range(1, min(_size(best), len(influence))):
        for codes in combinations(ordered, size):
            chosen = removal.RemovalOrder.of_clusters(case.tally, unit, influence, np.array(codes))
            rest = chosen.remove(size, keep_factors=False)
            if removal.check_order(claim, rest, case.settings)[0] == removal.FALLS:
                return _search(case, claim, REVERSED, chosen, start=size)
    return best


def _size(flip: Flip) -> int:
    return flip.total + 1 if flip.fewest is None else flip.fewest


def nearest_pairs(case: removal.Case, claim: removal.Claim, how: str) -> tuple[Array, Array]:
    """Return the pairs across a border that need least, and how far each has to fall."""
    # Returns: (Q, K) weights of log-worths, and (Q,) log-odds.
    rows, columns = claim.across(case.fit.systems)
    need = (case.fit.log_worth[rows] - case.fit.log_worth[columns]).ravel()
    stderr = _pair_errors(case)[rows, columns].ravel()
    sets = case.ranking.rank_sets
    if how == UNDECIDED and sets is not None and sets.critical:
        need = np.maximum(need - min(sets.critical) * stderr, 0.0)
    chosen = np.argsort(need / stderr, kind="stable")[:MAX_PAIRS_TRIED]
    first, second = np.divmod(chosen, columns.size)
    contrasts = np.zeros((len(chosen), len(case.fit.systems)))
    order = np.arange(len(chosen))
    contrasts[order, rows.ravel()[first]] = 1.0
    contrasts[order, columns.ravel()[second]] = -1.0
    return contrasts, need[chosen]


def _pair_errors(case: removal.Case) -> Array:
    """Return (K, K) standard errors of differences, as the ranking has them, else the model's."""
    board = case.ranking
    if board.pair_stderr is not None:
        place = {name: i for i, name in enumerate(board.systems)}
        order = [place[name] for name in case.fit.systems]
        return np.asarray(board.pair_stderr[np.ix_(order, order)])
    vcov = case.fit.worth_vcov
    spread = np.diag(vcov)[:, None] + np.diag(vcov) - 2 * vcov
    return np.sqrt(np.maximum(spread, 0.0))


def _order_units(
    case: removal.Case, unit: str, contrasts: Array, how: str
) -> list[removal.RemovalOrder]:
    tally = case.tally
    if unit != "vote":
        orders = []
        for influence in contrasts @ case.influences[unit]:
            codes = np.argsort(-influence, kind="stable")
            codes = codes[influence[codes] > 0]
            orders.append(removal.RemovalOrder.of_clusters(tally, unit, influence, codes))
        return orders
    # Whether an order is reversed depends on how many votes of each kind are left and not on whose
    # they are: such votes differ by kind alone. Whether a pair is decided depends on both.
    sided = case.settings.model.order_effect
    if how == REVERSED:
        tally = tally.pool() if sided else tally.pool().fold()
    influences = removal.vote_influence(case.fit, tally, contrasts)
    effects = influences if how == REVERSED else _weigh_by_error(case, influences, contrasts)
    return [
        removal.RemovalOrder.of_votes(tally, influence, effect, sided=sided)
        for influence, effect in zip(influences, effects, strict=True)
    ]


def _weigh_by_error(case: removal.Case, influences: Array, contrasts: Array) -> Array:
    """Return (Q, C, 3): by what share t = d/s falls without one vote, to first order."""
    # Without a vote of influence e the difference is d − e. The variance s² is the sum of squares
    # of what judges (or items) add, a; that of the vote's own judge falls to a − e: t loses e/d − e
    # Σ a / s². Among votes of like influence those go first whose judge and item speak least for
    # the difference: judges then agree less.
    sets = case.ranking.rank_sets
    added = np.zeros(influences.shape[:2])
    for name, factor in case.tally.factors.items():
        if sets is not None and name in sets.clusterings:
            added += (contrasts @ case.influences[name])[:, factor.codes]
    gap = contrasts @ case.fit.log_worth
    stderr = _pair_errors(case)[contrasts.argmax(axis=1), contrasts.argmin(axis=1)]
    share = 1 / gap[:, None] - added / stderr[:, None] ** 2
    return np.asarray(influences * share[:, :, None])


def _order_links(
    case: removal.Case, unit: str, claim: removal.Claim, how: str, influence: Array
) -> removal.RemovalOrder:
    """Return the fewest judges, items or rankings that alone link the two sides of a claim."""
    # Where two judges saw a system and nobody else did, nothing is left of it without them,
    # whichever way they speak. Influence does not see that: that of a judge who alone links a
    # system is not defined, and one of the two may speak against it. For an order to be reversed,
    # those who say anything for the side above: without them nothing holds it up. For a pair to be
    # undecided, all who compared the sides.
    tally = case.tally
    counts = case.settings.model.treat_ties(tally.counts)
    for_left, for_right = counts[:, :2].sum(axis=1) > 0, counts[:, 1:].sum(axis=1) > 0
    if how != REVERSED:
        for_left = for_right = for_left | for_right
    factor = tally.factor(unit)
    # Systems that the claim does not name may stand with either side
    upper = np.isin(tally.systems, claim.above)
    free = np.flatnonzero(~upper & ~np.isin(tally.systems, claim.below))
    sides = [(False,) * len(free), (True,) * len(free)]
    if len(free) <= MAX_UNNAMED_SYSTEMS:
        sides = list(product((False, True), repeat=len(free)))
    fewest: Integers = np.arange(len(factor.loads))
    for side in sides:
        upper[free] = side
        left, right = upper[tally.left], upper[tally.right]
        across = (left & ~right & for_left) | (right & ~left & for_right)
        links = np.unique(factor.codes[across]).astype(np.int64)
        fewest = links if len(links) < len(fewest) else fewest
    order = fewest[np.argsort(-influence[fewest], kind="stable")]
    return removal.RemovalOrder.of_clusters(tally, unit, influence, order)


def _search(
    case: removal.Case,
    claim: removal.Claim,
    how: str,
    order: removal.RemovalOrder,
    predicted: int | None = None,
    *,
    start: int | None = None,
) -> Flip:
    def check(number: int) -> str:
        if how == REVERSED:
            rest = order.remove(number, keep_factors=False)
            return removal.check_order(claim, rest, case.settings)[0]
        return removal.check_decided(claim, order.remove(number), case.settings)

    most = min(order.most, order.total - 1)
    result = None if most < 1 else removal.find_fewest(check, start or predicted or most, most)
    flip = Flip(
        claim=claim.name,
        how=how,
        unit=order.unit,
        fewest=None,
        total=order.total,
        tried=max(most, 0),
        subject=claim.subject,
        predicted=predicted,
        left=None,
        removed=(),
    )
    if result is None:
        return flip
    fewest, left = result
    rest = order.remove(fewest, keep_factors=False)
    _, passed = removal.check_order(claim, rest, case.settings) if how == REVERSED else ("", None)
    return replace(
        flip,
        fewest=fewest,
        left=left,
        removed=order.describe(fewest),
        ahead=None if passed is None else passed[0],
        behind=None if passed is None else passed[1],
        gone=removal.find_gone(claim, rest) if left == removal.NO_RANKING else (),
    )


@carries_excluded("controls")
def find_fragility(
    data: Comparisons | Rankings | Openable,
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
        cluster: judgments that are correlated, as in `rank`.
        level: of rank sets (proportion).
        seed: of rank sets.
        board: the ranking of these data under these settings, where it is known: it is then not
            made again.
        most: how many of the conclusions that the board says first are asked about, where none
            was named; None for all.
        outcomes: "reversed" (another system is then ahead), "undecided" (no longer decided,
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
    ('A is first: without 4 of 11 votes, B is ahead.',)
    """
    outcomes = take_names(outcomes)
    for outcome in outcomes:
        require_option("outcome", outcome, OUTCOMES)
    spec = choose_log_linear(model)
    table = require_pairs(data, "conclusions are of comparisons or rankings, not of")
    with one_blas_thread():
        case = removal.open_case(table, spec, cluster=cluster, level=level, seed=seed, board=board)
        given: Sequence[Any] = pairs
        single = len(given) == 2 and all(name in case.ranking.systems for name in given)
        wanted: list[Any] = [tuple(pair) for pair in ([given] if single else given)]
        if any(len(pair) != 2 for pair in wanted):
            raise UnknownOption("pairs are (better, worse), two systems each: pairs=[('A', 'B')]")
        places = (after,) if isinstance(after, int) else after
        requested = (
            *(claim_pair(case.ranking, *pair) for pair in dict.fromkeys(wanted)),
            *(_claim_border(case.ranking, place) for place in dict.fromkeys(places)),
        )
        claims = requested or find_claims(case.ranking)[:most]
        fragility = examine(case, claims, outcomes)
    notes = [*say_left_out(data, table)]
    ahead = _count_leaders(case.ranking)
    if ahead > 1:
        notes.append(say("nobody-first", names=case.ranking.systems[:ahead]))
    notes += [*_note_barred(case.ranking, claims), *fragility.notes]
    return replace(fragility, notes=tuple(notes))
