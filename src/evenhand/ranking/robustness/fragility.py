"""Fragility: how few votes, judges or items carry a conclusion, and which ones.

A vote with score u in (η, t) moves the difference c between systems by

    e = cᵀ H⁻¹ Zᵀ (I − W Z H⁻¹ Zᵀ)⁻¹ u

when it is taken away, to first order in the score and exactly in the information that goes with it;
Z holds the derivatives of (η, t) by the parameters and W the information of the vote (Broderick,
Giordano & Meager 2020, arXiv:2011.14999, with the leverage kept). A judge's votes go together: cᵀ
(H − H_g)⁻¹ s_g. Units are taken away, those with the most influence on the difference first, or on
the difference over its error, until a ranking from scratch no longer says what was concluded
(Huang, Shen, Wei & Broderick 2025, arXiv:2508.11847); with one unit less the conclusion stands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion, write_contract, write_document
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.data.tally import Factor, Tally, first_of_each, join_codes, keep_levels, take_names
from evenhand.data.votes import LEFT, TIE
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, require_option
from evenhand.models.log_linear import Fit
from evenhand.models.means import LeastSquaresFit
from evenhand.numerics import Array, Integers
from evenhand.numerics.absorption import sum_clusters
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking import ratings, sandwich
from evenhand.ranking.clustering import wanted_factors
from evenhand.ranking.inference import Settings, choose_log_linear, name_model
from evenhand.ranking.intervals import MIN_CLUSTERS
from evenhand.ranking.rank import rank_tally
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.claims import (
    FALLS,
    HOLDS,
    MAX_UNITS_FOR_ALL_SETS,
    NO_RANKING,
    OUTCOME_LEGEND,
    OUTCOMES,
    REVERSED,
    UNDECIDED,
    Claim,
    Flip,
    Removed,
    claim_border,
    claim_pairs,
    count_leaders,
    find_claims,
    note_barred,
    say_part,
)
from evenhand.ranking.texts import say_of_robustness as say
from evenhand.render.document import Column, Document, Table, take_findings, write_signature

TOLERANCE: Final = 1e-9  # Log-odds that are ahead: less is what an iteration leaves
MAX_ROWS_SHOWN: Final = 15  # Conclusions and units that a terminal shows; JSON has all
MAX_PAIRS_TRIED: Final = 3  # Pairs across a border whose difference is taken down, nearest first
MAX_UNNAMED_SYSTEMS: Final = 8  # Up to so many all ways to part them are tried
MAX_COMPARISONS_TO_UNDECIDE: Final = 200_000  # Of more each step would take long
MAX_INFLUENCE: Final = 20_000_000  # Most numbers in the information of all levels


def _worth_rows(fit: Fit) -> Array:
    rows = fit.design.rows()
    return np.pad(rows, ((0, 0), (0, len(fit.raw_vcov) - rows.shape[1])))


def vote_influence(fit: Fit, tally: Tally, contrasts: Array) -> Array:
    """Return (Q, C, 3): how far each contrast falls (log-odds) without one vote of each outcome."""
    keys = tally.left.astype(np.int64) * len(tally.systems) + tally.right
    pairs, inverse = np.unique(keys, return_inverse=True)
    left, right = np.divmod(pairs, len(tally.systems))
    # Derivatives of η and of t by the parameters, (P, p) each
    rows, likelihood = _worth_rows(fit), fit.likelihood
    by_eta = rows[left] - rows[right]
    by_tie = np.zeros_like(by_eta)
    if likelihood.law.free:
        by_tie[:, likelihood.n_worths] = 1.0
    if likelihood.order_effect:
        by_eta[:, likelihood.n_worths + likelihood.n_ties] = 1.0
    _, tie, order, _ = likelihood.parts(fit.beta)
    eta = fit.lambdas[left] - fit.lambdas[right] + order

    spread = fit.raw_vcov
    moved = contrasts @ rows @ spread
    along = np.stack([moved @ by_eta.T, moved @ by_tie.T], axis=2)
    both = np.stack([by_eta, by_tie], axis=1)
    leverage = np.matmul(np.matmul(both, spread), both.transpose(0, 2, 1))
    influence = np.empty((len(contrasts), len(pairs), 3))
    for outcome, vote in enumerate(np.eye(3)):
        counts = fit.model.treat_ties(np.tile(vote, (len(pairs), 1)))
        local = likelihood.law.expand(eta, tie, counts)
        rows_of = ([local.eta_eta, local.eta_tie], [local.eta_tie, local.tie_tie])
        information = np.moveaxis(np.array(rows_of), 2, 0)
        rest = np.eye(2) - np.matmul(information, leverage)
        score = np.stack([local.eta, local.tie], axis=1)[:, :, None]
        influence[:, :, outcome] = 2 * (along * np.linalg.solve(rest, score)[:, :, 0]).sum(axis=2)
    return np.asarray(influence[:, inverse.reshape(-1)])


def worth_influence(fit: Fit, tally: Tally, name: str) -> Array:
    """Return (K, G): how far each log-worth falls (log-odds) without each judge or item."""
    pieces, _ = sandwich.gather_clusters(fit, tally, name)
    scores, total = sandwich.sum_scores(fit, pieces), sandwich.total_information(fit)
    changes = []
    for start, information in sandwich.walk_information(fit, pieces):
        # Where one alone links some systems to the rest, the score is taken as it stands
        information[sandwich.find_singular(total, fit.raw_vcov, information)] = 0.0
        some = scores[start : start + len(information)]
        changes.append(sandwich.leave_out(fit.raw_vcov, total, information, some))
    return np.asarray(2 * _worth_rows(fit) @ np.concatenate(changes).T)


@dataclass(frozen=True, eq=False)
class RemovalOrder:
    """Units in the order in which they are taken away: the one with the most influence first."""

    unit: str  # vote, ranking, judge or item
    tally: Tally  # the judgments
    influence: Array  # (U,) how far the difference falls without one copy
    copies: Integers  # (U,) whole number of units that are alike
    cells: Integers  # (U,) 3 × entry + outcome of votes, else the code of the cluster
    total: int  # units that there are, whichever way they speak
    sided: bool = False  # whether votes that differ in who stood first are of two kinds

    @classmethod
    def of_votes(
        cls, tally: Tally, influence: Array, effects: Array, *, sided: bool
    ) -> RemovalOrder:
        copies = np.floor(tally.counts.reshape(-1)).astype(np.int64)
        falls, effect = influence.reshape(-1), effects.reshape(-1)
        # Sums in another order leave other last digits, which must not decide who comes first
        scale = max(float(np.abs(effect).max(initial=0.0)), np.finfo(float).tiny)
        order = np.argsort(-np.round(effect / scale, 9), kind="stable")
        order = order[(falls[order] > 0) & (copies[order] > 0)]
        return cls("vote", tally, falls[order], copies[order], order, int(copies.sum()), sided)

    @classmethod
    def of_clusters(
        cls, tally: Tally, unit: str, influence: Array, codes: Integers
    ) -> RemovalOrder:
        copies = np.ones(len(codes), dtype=np.int64)
        return cls(unit, tally, influence[codes], copies, codes, len(influence))

    @property
    def most(self) -> int:
        return int(self.copies.sum())

    def predict(self, difference: float) -> int | None:
        """Return how many take a difference (log-odds) to 0 by cumulated influence, or None."""
        reached = np.cumsum(self.influence * self.copies)
        at = int(np.searchsorted(reached, difference, side="right"))
        if at == len(reached):
            return None
        before = reached[at] - self.influence[at] * self.copies[at]
        copies = int(np.floor((difference - before) / self.influence[at])) + 1
        return int(self.copies[:at].sum()) + min(copies, int(self.copies[at]))

    def _count_taken(self, number: int) -> Integers:
        before = np.cumsum(self.copies) - self.copies
        return np.asarray(np.clip(number - before, 0, self.copies), dtype=np.int64)

    def remove(self, number: int, *, keep_factors: bool = True) -> Tally:
        taken = self._count_taken(number)
        if self.unit == "vote":
            removed = np.zeros(self.tally.counts.shape)
            removed.reshape(-1)[self.cells] = taken
        else:
            gone = np.isin(self.tally.factor(self.unit).codes, self.cells[taken > 0])
            removed = self.tally.counts * gone[:, None]
        answers = float(number) if self.unit in ("vote", "ranking") else None
        tally = self.tally if keep_factors else replace(self.tally, factors={})
        return subtract(tally, removed, answers)

    def describe(self, number: int) -> tuple[Removed, ...]:
        taken = self._count_taken(number)
        rows = np.flatnonzero(taken)
        if self.unit != "vote":
            factor = self.tally.factor(self.unit)
            unit = "judge" if self.unit == "judge" else "item"
            return tuple(
                Removed(**{unit: factor.labels[code]}, count=float(factor.loads[code]))
                for code in self.cells[rows]
            )
        alike: dict[Removed, float] = {}  # the same vote with the outputs the other way round
        # (3 C,) how many votes are of the kind of each cell: same systems, same outcome
        tally = self.tally
        left, right = (np.repeat(side.astype(np.int64), 3) for side in (tally.left, tally.right))
        outcome = np.tile(np.arange(3), len(tally.left))
        turned = (left > right) & (not self.sided)
        low, high = np.where(turned, right, left), np.where(turned, left, right)
        outcome = np.where(turned, 2 - outcome, outcome)
        _, kind = np.unique((low * len(tally.systems) + high) * 3 + outcome, return_inverse=True)
        kinds = np.asarray(np.bincount(kind, tally.counts.reshape(-1))[kind])
        for row in rows:
            entry, answer = divmod(int(self.cells[row]), 3)
            shown = [tally.systems[side[entry]] for side in (tally.left, tally.right)]
            tie = answer == TIE
            better, worse = sorted(shown) if tie else shown[:: 1 if answer == LEFT else -1]
            who = {name: f.labels[f.codes[entry]] for name, f in tally.factors.items()}
            of, first = float(kinds[self.cells[row]]), shown[0] if self.sided else None
            whose = who.get("judge"), who.get("item")
            vote = Removed(*whose, better, worse, tie=tie, of=of, first=first)
            alike[vote] = alike.get(vote, 0.0) + float(taken[row])
        return tuple(replace(vote, count=count) for vote, count in alike.items())


def subtract(tally: Tally, removed: Array, answers: float | None) -> Tally:
    """Return a tally without some of its comparisons; systems keep their codes."""
    # removed: (C, 3); answers: judgments that are, None to go by the share of comparisons
    counts = tally.counts - removed
    used = counts.sum(axis=1) > 0
    share = float(counts.sum()) / tally.n_comparisons
    number = tally.n_judgments * share if answers is None else tally.n_judgments - answers
    wins, ties, losses = counts[used].T
    totals = counts[used].sum(axis=1)
    return replace(
        tally.take(used),
        wins=wins,
        ties=ties,
        losses=losses,
        factors={name: keep_levels(f, used, totals) for name, f in tally.factors.items()},
        n_judgments=float(round(number)),
    )


@dataclass(frozen=True, eq=False)
class Case:
    # the judgments by judge and item, whose codes do not go by names: rank sets of what is left
    # draw the same signs whatever judges are called
    tally: Tally
    ranking: Ranking  # what was concluded
    fit: Fit  # the model behind it
    settings: Settings  # of the ranking
    units: tuple[str, ...]  # vote (or ranking), judge, item: what can be taken away
    influences: Mapping[str, Array] = field(repr=False)  # factor → (K, G), by level

    @property
    def signature(self) -> str:
        parts = ["fragility", name_model(self.fit), f"rank sets, level {self.settings.level:g}"]
        parts += [] if self.settings.cluster is None else [f"by {self.settings.cluster}"]
        parts += [] if self.settings.mix is None else [self.settings.mix.name]
        parts.append(f"seed={self.settings.seed}")
        return write_signature(parts, self.tally.n_judgments, self.tally.digest)


def make_case(tally: Tally, settings: Settings, board: Ranking | None = None) -> Case:
    # pooled, with entries in an order that does not depend on that of the table
    tally = tally.pool(tuple(tally.factors))
    size = len(tally.systems)
    digits = [(tally.left, size), (tally.right, size)]
    digits += [(factor.codes, factor.size) for factor in tally.factors.values()]
    tally = tally.take(first_of_each(join_codes(digits))[0])
    if board is not None and set(board.systems) != set(tally.systems):
        raise UnknownOption("the board is of other systems: give the ranking of these judgments")
    ranking = board or rank_tally(tally, settings)
    fit = ranking.fit
    if not isinstance(fit, Fit) or fit.vcov is None:
        raise NotIdentified(f"{len(tally.systems):,} systems are too many to ask what carries them")
    factors, influences = {}, {}
    for name, factor in tally.factors.items():
        influence = worth_influence(fit, tally, name)
        # Judges or items by load and by what they say: random signs go by number, and numbered by
        # name the fewest votes that leave a pair undecided would depend on what judges are called.
        worth = fit.log_worth - fit.log_worth.mean()
        ends = np.zeros(len(worth))
        ends[[int(worth.argmax()), int(worth.argmin())]] = 1.0, -1.0
        speaks = np.stack([worth, ends]) @ influence
        scale = max(float(np.abs(speaks).max()), float(np.finfo(float).tiny))
        along, apart = np.round(speaks / scale, 9)
        order = np.lexsort((apart, along, factor.loads))
        codes = np.empty(len(order), dtype=np.int32)
        codes[order] = np.arange(len(order), dtype=np.int32)
        labels = tuple(factor.labels[code] for code in order.tolist())
        factors[name] = Factor(labels, codes[factor.codes], factor.loads[order], factor.size)
        influences[name] = influence[:, order]
    # Answers can be taken away, and judges and items that gave or got several
    several = [
        name
        for name in ("judge", "item")
        if name in factors and 1 < len(factors[name].labels) < tally.n_judgments
    ]
    units = ("ranking" if "ranking" in factors else "vote", *several)
    return Case(replace(tally, factors=factors), ranking, fit, settings, units, influences)


def find_gone(claim: Claim, tally: Tally) -> tuple[str, ...]:
    seen = {tally.systems[code] for code in _find_seen(tally).tolist()}
    return tuple(name for name in (*claim.above, *claim.below) if name not in seen)


def _find_seen(tally: Tally) -> NDArray[np.intp]:
    return np.asarray(np.unique(np.concatenate([tally.left, tally.right])), dtype=np.intp)


def check_claim(
    claim: Claim, tally: Tally, settings: Settings, how: str
) -> tuple[str, tuple[str, str] | None]:
    """Fit or rank from scratch; return whether a claim stands.

    REVERSED: whether no system below the border is ahead of one above. Where one is, also the best
    system below and the worst above, which it has passed. UNDECIDED: whether every pair across the
    border is decided.
    """
    gone, seen = set(find_gone(claim, tally)), _find_seen(tally)
    if gone.issuperset(claim.above) or gone.issuperset(claim.below):
        return NO_RANKING, None
    model = settings.model
    of_all = model.system_covariates or model.reference is not None
    if len(seen) < len(tally.systems) and not of_all:
        # a claim about the others is not touched by systems that nobody judged
        above, below = (
            tuple(name for name in side if name not in gone) for side in (claim.above, claim.below)
        )
        claim = replace(claim, above=above, below=below)
        systems = tuple(tally.systems[code] for code in seen.tolist())
        left, right = (
            np.searchsorted(seen, side).astype(np.int32) for side in (tally.left, tally.right)
        )
        tally = replace(tally, systems=systems, left=left, right=right)
    try:
        if how == REVERSED:
            fit = model.fit(tally.pool())
            worth = dict(zip(fit.systems, fit.log_worth.tolist(), strict=True))
            last = min(claim.above, key=worth.__getitem__)
            first = max(claim.below, key=worth.__getitem__)
            falls = worth[last] - worth[first] < -TOLERANCE
            return (FALLS, (first, last)) if falls else (HOLDS, None)
        ranking = rank_tally(tally, settings)
    except (NotIdentified, NotConverged):
        return NO_RANKING, None
    if ranking.rank_sets is None:
        return NO_RANKING, None
    rows, columns = claim.across(ranking.systems)
    return (HOLDS if (ranking.rank_sets.decided[rows, columns] > 0).all() else FALLS), None


def find_fewest(check: Callable[[int], str], start: int, most: int) -> tuple[int, str] | None:
    """Return a number without which a claim no longer stands, and what became of it.

    With one unit less it stands; a smaller number may exist where a claim stands again without more
    units. None: it stands at all numbers that were tried, `most` among them.
    """
    # from a predicted number in growing steps up or down, then halving what is left
    verdicts = {0: HOLDS}

    def falls(number: int) -> bool:
        if number not in verdicts:
            verdicts[number] = check(number)
        return verdicts[number] != HOLDS

    number, step = max(1, min(start, most)), 1
    if falls(number):
        high = number
        while high - step > 0 and falls(high - step):
            high, step = high - step, 2 * step
        low = max(high - step, 0)
    else:
        low = number
        while not falls(min(low + step, most)):
            low, step = min(low + step, most), 2 * step
            if low == most:
                return None
        high = min(low + step, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if falls(middle) else (middle, high)
    return high, verdicts[high]


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
            say("carried", "info", claim=flips[0].claim, parts=say_part(flips))
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
        return write_document(self, self.table)


def find_flip(case: Case, claim: Claim, unit: str, how: str) -> Flip:
    # The differences of the pairs across the border that need least are each taken down, and those
    # who alone link the systems are taken away; the smallest set is kept.
    rows, columns = claim.across(case.fit.systems)
    need = (case.fit.log_worth[rows] - case.fit.log_worth[columns]).ravel()
    stderr = _pair_errors(case)[rows, columns].ravel()
    sets = case.ranking.rank_sets
    if how == UNDECIDED and sets is not None and sets.critical:
        need = np.maximum(need - min(sets.critical) * stderr, 0.0)
    nearest = np.argsort(need / stderr, kind="stable")[:MAX_PAIRS_TRIED]
    first, second = np.divmod(nearest, columns.size)
    contrasts = np.zeros((len(nearest), len(case.fit.systems)))
    order = np.arange(len(nearest))
    contrasts[order, rows.ravel()[first]] = 1.0
    contrasts[order, columns.ravel()[second]] = -1.0
    orders = _order_units(case, unit, contrasts, how)
    flips = [
        _search(case, claim, how, order, order.predict(need))
        for order, need in zip(orders, need[nearest].tolist(), strict=True)
    ]
    best = min(flips, key=_size)
    if unit == "vote":
        return best
    influence = np.asarray(contrasts[:1] @ case.influences[unit])[0]
    links = _order_links(case, unit, claim, how, influence)
    start = links.most if how == REVERSED else links.most - int(MIN_CLUSTERS) + 1
    if start < _size(best):
        best = min(best, _search(case, claim, how, links, start=max(start, 1)), key=_size)
    if how != REVERSED or len(influence) > MAX_UNITS_FOR_ALL_SETS:
        return best
    # Where units are few, all sets of fewer than were found are tried, the smallest first
    ordered = np.argsort(-influence, kind="stable").tolist()
    for size in range(1, min(_size(best), len(influence))):
        for codes in combinations(ordered, size):
            chosen = RemovalOrder.of_clusters(case.tally, unit, influence, np.array(codes))
            rest = chosen.remove(size, keep_factors=False)
            if check_claim(claim, rest, case.settings, REVERSED)[0] == FALLS:
                return _search(case, claim, REVERSED, chosen, start=size)
    return best


def _size(flip: Flip) -> int:
    return flip.total + 1 if flip.fewest is None else flip.fewest


def _pair_errors(case: Case) -> Array:
    """Return (K, K) standard errors of differences, as the ranking has them, else the model's."""
    board = case.ranking
    if board.pair_stderr is not None:
        place = {name: i for i, name in enumerate(board.systems)}
        order = [place[name] for name in case.fit.systems]
        return np.asarray(board.pair_stderr[np.ix_(order, order)])
    vcov = case.fit.worth_vcov
    spread = np.diag(vcov)[:, None] + np.diag(vcov) - 2 * vcov
    return np.sqrt(np.maximum(spread, 0.0))


def _order_units(case: Case, unit: str, contrasts: Array, how: str) -> list[RemovalOrder]:
    tally = case.tally
    if unit != "vote":
        orders = []
        for influence in contrasts @ case.influences[unit]:
            codes = np.argsort(-influence, kind="stable")
            codes = codes[influence[codes] > 0]
            orders.append(RemovalOrder.of_clusters(tally, unit, influence, codes))
        return orders
    # Whether an order is reversed depends on how many votes of each kind are left and not on whose
    # they are: such votes differ by kind alone. Whether a pair is decided depends on both.
    sided = case.settings.model.order_effect
    if how == REVERSED:
        tally = tally.pool() if sided else tally.pool().fold()
    influences = vote_influence(case.fit, tally, contrasts)
    effects = influences
    if how != REVERSED:  # by what share t = d/s falls without one vote, to first order
        # Without a vote of influence e the difference is d − e. The variance s² is the sum of
        # squares of what judges (or items) add, a; that of the vote's own judge falls to a − e: t
        # loses e/d − e Σ a / s². Among votes of like influence those go first whose judge and item
        # speak least for the difference: judges then agree less.
        sets = case.ranking.rank_sets
        added = np.zeros(influences.shape[:2])
        for name, factor in case.tally.factors.items():
            if sets is not None and name in sets.clusterings:
                added += (contrasts @ case.influences[name])[:, factor.codes]
        gap = contrasts @ case.fit.log_worth
        stderr = _pair_errors(case)[contrasts.argmax(axis=1), contrasts.argmin(axis=1)]
        share = 1 / gap[:, None] - added / stderr[:, None] ** 2
        effects = np.asarray(influences * share[:, :, None])
    return [
        RemovalOrder.of_votes(tally, influence, effect, sided=sided)
        for influence, effect in zip(influences, effects, strict=True)
    ]


def _order_links(case: Case, unit: str, claim: Claim, how: str, influence: Array) -> RemovalOrder:
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
    return RemovalOrder.of_clusters(tally, unit, influence, order)


def _search(
    case: Case,
    claim: Claim,
    how: str,
    order: RemovalOrder,
    predicted: int | None = None,
    *,
    start: int | None = None,
) -> Flip:
    passed: dict[int, tuple[str, str] | None] = {}

    def check(number: int) -> str:
        rest = order.remove(number, keep_factors=how != REVERSED)
        outcome, passed[number] = check_claim(claim, rest, case.settings, how)
        return outcome

    most = min(order.most, order.total - 1)
    found = find_fewest(check, start or predicted or most, most) if most >= 1 else None
    fewest, left = found or (None, None)
    gone: tuple[str, ...] = ()
    if fewest is not None and left == NO_RANKING:
        gone = find_gone(claim, order.remove(fewest, keep_factors=False))
    ahead, behind = (passed[fewest] if fewest else None) or (None, None)
    return Flip(
        claim=claim.name,
        how=how,
        unit=order.unit,
        fewest=fewest,
        total=order.total,
        tried=max(most, 0),
        predicted=predicted,
        left=left,
        removed=order.describe(fewest) if fewest else (),
        ahead=ahead,
        behind=behind,
        gone=gone,
        subject=claim.subject,
    )


@controls.carries_excluded(*controls.OF_SYSTEMS)
def find_fragility(
    data: Comparisons | Rankings | Ratings | controls.Openable,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    after: Sequence[int] = (),
    model: Any = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    board: Ranking | None = None,
    most: int | None = None,
    outcomes: Sequence[str] = OUTCOMES,
) -> Fragility:
    """Find the fewest votes, judges and items without which conclusions no longer stand.

    Args:
        data: comparisons or rankings of one task, or ratings under one criterion, of which judges
            and items that reverse a conclusion are found.
        pairs: (better, worse): conclusions to be asked about.
        after: places above borders, counted from 1. With neither, the first system, whom it is
            decided to beat, and the borders between clusters are asked about.
        model: settings of the log-linear model; of ratings of a model of scores.
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
    if isinstance(data, Ratings | RatingRows):
        ratings.refuse_of_votes({"after": after, "outcomes": REVERSED not in outcomes})
        how = Settings(ratings.choose_rating_model(model), "rank-sets", cluster, level, seed)
        scores = ratings.take_part(data)
        found = board or ratings.rank_scores(scores, how)
        if not isinstance(found.fit, LeastSquaresFit):
            raise UnknownOption("fragility of ratings is of the models adjusted, mean and z")
        warnings = [one for one in take_findings(scores.notes) if one.severity == "warning"]
        return Fragility(find_flips(found, pairs, most), tuple(warnings), found.signature)
    spec = choose_log_linear(model)
    table = controls.require_pairs(data, "conclusions are of comparisons or rankings, not of")
    if len(table.tasks()) > 1:
        raise UnknownOption("conclusions are of one board: choose a task")
    if spec.controls:
        raise UnknownOption("votes are not taken away under controls: leave the controls out")
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    wanted_factors(cluster, set(present))
    settings = Settings(spec, "rank-sets", cluster, level, seed, mix=table.mix)
    with one_blas_thread():
        case = make_case(table.tally(by=present), settings, board)
        ranking, units, flips = case.ranking, case.units, []
        places = (after,) if isinstance(after, int) else after
        claims = (
            *claim_pairs(ranking, pairs),
            *(claim_border(ranking, place) for place in dict.fromkeys(places)),
        ) or find_claims(ranking)[:most]
        notes, ahead = [*controls.say_left_out(data, table)], count_leaders(ranking)
        notes += [say("nobody-first", names=ranking.systems[:ahead])] if ahead > 1 else []
        notes += note_barred(ranking, claims)
        if case.tally.squares is not None:
            units = tuple(unit for unit in units if unit in ("judge", "item"))
            notes.append(say("weights-no-votes"))
        large = case.tally.n_comparisons > MAX_COMPARISONS_TO_UNDECIDE and UNDECIDED in outcomes
        notes += [say("too-many-to-undecide", limit=MAX_COMPARISONS_TO_UNDECIDE)] * large
        for claim in claims:
            if REVERSED in outcomes:
                flips += [find_flip(case, claim, unit, REVERSED) for unit in units]
            if large or UNDECIDED not in outcomes or ranking.rank_sets is None:
                continue
            rows, columns = claim.across(ranking.systems)
            if not (ranking.rank_sets.decided[rows, columns] > 0).all():
                continue
            if check_claim(claim, case.tally, case.settings, UNDECIDED)[0] == HOLDS:
                flips += [find_flip(case, claim, unit, UNDECIDED) for unit in units]
            else:
                notes.append(say("narrowly-decided", "warning", claim=claim.name))
    return Fragility(tuple(flips), tuple(notes), case.signature)


# Of ratings: levels of judges or items are excluded in the order in which they support the
# difference, to first order, and the number without which the order turns is confirmed by refits.


def find_flips(
    ranking: Ranking, pairs: Sequence[tuple[str, str]] = (), most: int | None = None
) -> tuple[Flip, ...]:
    """Find how few judges or items carry the first `most` conclusions of a ranking by ratings."""
    fit = ranking.fit
    if not isinstance(fit, LeastSquaresFit):
        return ()
    units = [
        name
        for name, factor in fit.data.factors.items()
        if 1 < factor.size < len(fit.residual)
        and factor.size * len(fit.systems) ** 2 <= MAX_INFLUENCE
    ]
    asked = claim_pairs(ranking, pairs)
    claims = asked or [one for one in find_claims(ranking)[:most] if one.subject]
    return tuple(_flip_ratings(ranking, fit, name, claim) for claim in claims for name in units)


def _flip_ratings(ranking: Ranking, fit: LeastSquaresFit, name: str, claim: Claim) -> Flip:
    factor, sign = fit.data.factors[name], -1.0 if ranking.lower_is_better else 1.0
    with one_blas_thread():
        changes = sign * leave_levels_out(fit, factor.codes, factor.size)
    at = fit.code(claim.subject)
    orders: list[tuple[tuple[bool, float, str], int | None, Integers]] = []
    for other in claim.below:
        gap = sign * float(fit.estimate[at] - fit.estimate[fit.code(other)])
        effect = changes[:, at] - changes[:, fit.code(other)]
        order = np.argsort(effect, kind="stable")
        order = order[effect[order] < 0]  # those that support the order
        gaps = gap + np.cumsum(effect[order])
        reached = np.flatnonzero(gaps < 0)
        count = int(reached[0]) + 1 if len(reached) else None
        nearest = (count is None, count or float(min(gaps, default=gap)), other)
        orders.append((nearest, count, order))
    _, predicted, order = min(orders, key=lambda one: one[0])

    def find_ahead(gone: Integers) -> str:
        """Return who is ahead of the subject without some levels, by a refit; HOLDS if nobody."""
        try:
            again = fit.model.fit(fit.data.rows.take(~np.isin(factor.codes, gone)))
        except NotIdentified:
            return HOLDS
        values = dict(zip(again.systems, (sign * again.estimate).tolist(), strict=True))
        if claim.subject not in values:
            return HOLDS
        others = [one for one in claim.below if one in values]
        best = max(others, key=values.__getitem__, default=claim.subject)
        return best if values[best] > values[claim.subject] else HOLDS

    gone, ahead = np.arange(0), HOLDS
    if factor.size <= MAX_UNITS_FOR_ALL_SETS:
        sizes = range(1, factor.size)
        sets = (np.array(one) for n in sizes for one in combinations(range(factor.size), n))
        gone, ahead = next(((one, who) for one in sets if (who := find_ahead(one))), (gone, ahead))
    elif len(order) and (
        found := find_fewest(lambda n: find_ahead(order[:n]), predicted or len(order), len(order))
    ):
        gone, ahead = order[: found[0]], found[1]
    names = [factor.labels[one] for one in gone.tolist()]
    return Flip(
        claim=claim.name,
        how=REVERSED,
        unit=name,
        fewest=len(names) or None,
        total=factor.size,
        tried=len(order),
        predicted=predicted,
        left=FALLS if names else None,
        removed=tuple(
            Removed(judge=one) if name == "judge" else Removed(item=one) for one in names
        ),
        ahead=ahead or None,
        behind=claim.subject if names else None,
        subject=claim.subject,
    )


def leave_levels_out(fit: LeastSquaresFit, codes: Any, size: int) -> Array:
    """Return (levels, K) what leaving out each judge, or each item, changes in the estimates."""
    sums, basis = sum_clusters(fit.absorbed, fit.residual, codes, size), fit.basis
    total = basis.T @ fit.absorbed.information @ basis
    rest = total - np.matmul(np.matmul(basis.T, sums.information), basis)
    changes = np.zeros((size, len(fit.systems)))
    for g in range(size):  # a level that alone links systems stays: without it nothing is known
        if np.linalg.cond(rest[g]) < 1 / np.finfo(np.float64).eps:
            changes[g] = -basis @ np.linalg.solve(rest[g], basis.T @ sums.scores[g])
    return changes
