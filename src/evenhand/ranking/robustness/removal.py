"""Judgments taken away from a ranking: what each adds to a difference, and what is left without.

A vote with score u in (η, t) moves the difference c between systems by

    e = cᵀ H⁻¹ Zᵀ (I − W Z H⁻¹ Zᵀ)⁻¹ u

when it is taken away, to first order in the score and exactly in the information that goes with it;
Z holds the derivatives of (η, t) by the parameters and W the information of the vote. Without ties
that is cᵀ H⁻¹ x (y − p) / (1 − leverage) (Broderick, Giordano & Meager 2020, arXiv:2011.14999, with
the leverage kept). A judge's votes are taken away together: cᵀ (H − H_g)⁻¹ s_g.

When not to use it: influences order what is taken away, they are no result; every set that is
reported comes from a ranking made again without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import take_pairs
from evenhand.data.groups import Levels
from evenhand.data.rankings import Rankings
from evenhand.data.results import write_signature
from evenhand.data.tally import Factor, Tally, first_of_each, join_codes, keep_levels
from evenhand.data.votes import LEFT, TIE
from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array, Integers
from evenhand.ranking import sandwich
from evenhand.ranking.clustering import Evidence, merge_factors, wanted_factors
from evenhand.ranking.rank import make_ranking
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import Settings, name_model

Verdict = str

HOLDS, FALLS, NO_RANKING = "holds", "falls", "no ranking"
# Log-odds by which a system must be ahead: less is what an iteration leaves
TOLERANCE: Final = 1e-9


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
        information[sandwich.find_bridges(fit, total, information)] = 0.0
        some = scores[start : start + len(information)]
        changes.append(sandwich.leave_out(fit.raw_vcov, total, information, some))
    return np.asarray(2 * _worth_rows(fit) @ np.concatenate(changes).T)


@dataclass(frozen=True)
class Removed:
    # who gave them; None where nobody is known, or where any votes that are alike do
    judge: str | None = None
    item: str | None = None  # on what, or None likewise
    # the system that was preferred; the first by name of a tie. None of a whole judge.
    better: str | None = None
    worse: str | None = None  # the other
    tie: bool = False  # whether neither was preferred
    count: float = 1.0  # how many comparisons
    # how many votes of this kind there are: same systems, same outcome and, where the model knows
    # an order effect, same sides. None of a whole judge.
    of: float | None = None
    first: str | None = None  # the system shown first, where the model knows an order effect

    @property
    def kind(self) -> str:
        if self.better is None:
            return ""
        side = "" if self.first is None else f" ({self.first} first)"
        pair = f"{self.better} {'and' if self.tie else 'over'} {self.worse}{side}"
        return f"ties of {pair}" if self.tie else pair


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
        """Order single votes that speak for a difference."""
        copies = np.floor(tally.counts.reshape(-1)).astype(np.int64)
        falls, effect = influence.reshape(-1), effects.reshape(-1)
        # Sums in another order leave other last digits, which must not decide who comes first
        scale = max(float(np.abs(effect).max(initial=0.0)), np.finfo(float).tiny)
        order = np.argsort(-np.round(effect / scale, 9), kind="stable")
        order = order[(falls[order] > 0) & (copies[order] > 0)]
        total = int(copies.sum())
        return cls("vote", tally, falls[order], copies[order], order, total, sided)

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
        """Return how many take a difference (log-odds) to zero, by cumulated influence."""
        # None if all together do not.
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
            named = [(factor.labels[code], float(factor.loads[code])) for code in self.cells[rows]]
            if self.unit == "judge":
                return tuple(Removed(judge=name, count=load) for name, load in named)
            return tuple(Removed(item=name, count=load) for name, load in named)
        alike: dict[Removed, float] = {}  # the same vote with the outputs the other way round
        # (3 C,) how many votes are of the kind of each cell: same systems, same outcome
        tally = self.tally
        left, right = (np.repeat(side.astype(np.int64), 3) for side in (tally.left, tally.right))
        outcome = np.tile(np.arange(3), len(tally.left))
        turned = (left > right) & (not self.sided)
        low, high = np.where(turned, right, left), np.where(turned, left, right)
        outcome = np.where(turned, 2 - outcome, outcome)
        keys = (low * len(tally.systems) + high) * 3 + outcome
        _, kind = np.unique(keys, return_inverse=True)
        kinds = np.asarray(np.bincount(kind, tally.counts.reshape(-1))[kind])
        for row in rows:
            entry, answer = divmod(int(self.cells[row]), 3)
            shown = [
                self.tally.systems[side[entry]] for side in (self.tally.left, self.tally.right)
            ]
            tie = answer == TIE
            better, worse = sorted(shown) if tie else shown[:: 1 if answer == LEFT else -1]
            who = {name: f.labels[f.codes[entry]] for name, f in self.tally.factors.items()}
            first = shown[0] if self.sided else None
            vote = Removed(
                who.get("judge"),
                who.get("item"),
                better,
                worse,
                tie=tie,
                of=float(kinds[self.cells[row]]),
                first=first,
            )
            alike[vote] = alike.get(vote, 0.0) + float(taken[row])
        return tuple(replace(vote, count=count) for vote, count in alike.items())


def subtract(tally: Tally, removed: Array, answers: float | None) -> Tally:
    """Return a tally without some of its comparisons; systems keep their codes."""
    # removed: (C, 3) comparisons to take away.
    # answers: how many judgments that are; None to go by the share of comparisons.
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
    # factor → (K, G) how far each log-worth falls without each of its levels
    influences: Mapping[str, Array] = field(repr=False)

    @property
    def signature(self) -> str:
        parts = ["fragility", name_model(self.fit), f"rank sets, level {self.settings.level:g}"]
        parts += [] if self.settings.cluster is None else [f"by {self.settings.cluster}"]
        parts += [] if self.settings.mix is None else [self.settings.mix.name]
        parts.append(f"seed={self.settings.seed}")
        return write_signature(parts, self.tally.n_judgments, self.tally.digest)


def open_case(
    data: Comparisons | Rankings,
    model: BradleyTerry,
    *,
    cluster: str | None = None,
    level: float,
    seed: int = SEED,
    board: Ranking | None = None,
) -> Case:
    table = take_pairs(data)
    if len(table.tasks()) > 1:
        raise UnknownOption("conclusions are of one board: choose a task")
    if model.controls:
        raise UnknownOption("votes are not taken away under controls: leave the controls out")
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    wanted_factors(cluster, set(present))
    settings = Settings(model, "rank-sets", cluster, level, seed, None, table.mix)
    return make_case(table.tally(by=present), settings, board)


def make_case(tally: Tally, settings: Settings, board: Ranking | None = None) -> Case:
    # pooled, with entries in an order that does not depend on that of the table
    tally = tally.pool(tuple(tally.factors))
    size = len(tally.systems)
    digits = [(tally.left, size), (tally.right, size)]
    digits += [(factor.codes, factor.size) for factor in tally.factors.values()]
    tally = tally.take(first_of_each(join_codes(digits))[0])
    if board is not None and set(board.systems) != set(tally.systems):
        raise UnknownOption("the board is of other systems: give the ranking of these judgments")
    ranking = board or _rank_again(tally, settings)
    fit = ranking.fit
    if not isinstance(fit, Fit) or fit.vcov is None:
        raise NotIdentified(f"{len(tally.systems):,} systems are too many to ask what carries them")
    factors, influences = {}, {}
    for name, factor in tally.factors.items():
        influence = worth_influence(fit, tally, name)
        # Order judges or items by load and by what they say, instead of by name
        # Random signs go by number. Numbered by name, the fewest votes that leave a pair undecided
        # would depend on what judges are called: 5 or 12 of 900 in one campaign.
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


def _rank_again(tally: Tally, settings: Settings) -> Ranking:
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    return make_ranking(merge_evidence(tally), Levels(loads), settings)


def merge_evidence(tally: Tally) -> Evidence:
    """Return the counts for a ranking; more than 200 clusters of a kind are merged."""
    return Evidence.of(merge_factors(tally))


@dataclass(frozen=True)
class Claim:
    name: str  # the claim in words
    above: tuple[str, ...]  # names of systems
    below: tuple[str, ...]  # names of systems
    subject: str = ""  # the system that the claim is about, where it is about one

    def across(self, systems: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return codes of the systems above and below, to index a (K, K) table by."""
        place = {name: i for i, name in enumerate(systems)}
        above, below = ([place[name] for name in names] for names in (self.above, self.below))
        rows, columns = np.ix_(above, below)
        return rows, columns


def find_gone(claim: Claim, tally: Tally) -> tuple[str, ...]:
    seen = {tally.systems[code] for code in _find_seen(tally).tolist()}
    return tuple(name for name in (*claim.above, *claim.below) if name not in seen)


def _find_seen(tally: Tally) -> NDArray[np.intp]:
    return np.asarray(np.unique(np.concatenate([tally.left, tally.right])), dtype=np.intp)


def _narrow(claim: Claim, tally: Tally, model: BradleyTerry) -> tuple[Claim, Tally] | None:
    """Leave out systems that nobody judged: a claim about the others is not touched by that."""
    gone = set(find_gone(claim, tally))
    if gone.issuperset(claim.above) or gone.issuperset(claim.below):
        return None
    seen = _find_seen(tally)
    if len(seen) == len(tally.systems) or model.system_covariates or model.reference is not None:
        return claim, tally
    above, below = (
        tuple(name for name in names if name not in gone) for names in (claim.above, claim.below)
    )
    systems = tuple(tally.systems[code] for code in seen.tolist())
    left, right = (
        np.searchsorted(seen, side).astype(np.int32) for side in (tally.left, tally.right)
    )
    rest = replace(tally, systems=systems, left=left, right=right)
    return replace(claim, above=above, below=below), rest


def check_order(
    claim: Claim, tally: Tally, settings: Settings
) -> tuple[Verdict, tuple[str, str] | None]:
    """Fit from scratch; return whether no system below the border is ahead of one above."""
    # Where one is, also the best system below and the worst above, which it has passed.
    narrowed = _narrow(claim, tally, settings.model)
    if narrowed is None:
        return NO_RANKING, None
    claim, tally = narrowed
    try:
        fit = settings.model.fit(tally.pool())
    except (NotIdentified, NotConverged):
        return NO_RANKING, None
    worth = dict(zip(fit.systems, fit.log_worth.tolist(), strict=True))
    last = min(claim.above, key=worth.__getitem__)
    first = max(claim.below, key=worth.__getitem__)
    if worth[last] - worth[first] < -TOLERANCE:
        return FALLS, (first, last)
    return HOLDS, None


def check_decided(claim: Claim, tally: Tally, settings: Settings) -> Verdict:
    """Rank from scratch; return whether every pair across a claim's border is decided."""
    narrowed = _narrow(claim, tally, settings.model)
    if narrowed is None:
        return NO_RANKING
    claim, tally = narrowed
    try:
        ranking = _rank_again(tally, settings)
    except (NotIdentified, NotConverged):
        return NO_RANKING
    if ranking.rank_sets is None:
        return NO_RANKING
    rows, columns = claim.across(ranking.systems)
    return HOLDS if (ranking.rank_sets.decided[rows, columns] > 0).all() else FALLS


def find_fewest(
    check: Callable[[int], Verdict], start: int, most: int
) -> tuple[int, Verdict] | None:
    """Return the smallest number at which a claim no longer stands, and what became of it."""
    # From a predicted number the search goes up or down in growing steps, then halves what is left:
    # at the number that is returned the claim falls, and with one unit less it stands.
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
