"""The fewest units, in one order, without which a claim no longer stands; each step is a refit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.joined_codes import first_of_each, join_codes
from evenhand.judgments.levels import Levels
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Factor, Tally
from evenhand.judgments.votes import LEFT, TIE
from evenhand.models.base import Fit
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.ties import Local
from evenhand.ranking.clustering import Evidence, merge_factors, wanted_factors
from evenhand.ranking.rank import make_ranking
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.sandwich import (
    MAX_BLOCK_NUMBERS,
    find_bridges,
    gather_clusters,
    leave_out,
    sum_information,
    sum_scores,
    total_information,
)
from evenhand.ranking.settings import Settings
from evenhand.ranking.signature import name_model

# How hard every vote, judge or item pulls at a difference between two systems.
#
# A vote with score u in (η, t) moves the difference c by
#
# e = cᵀ H⁻¹ Zᵀ (I − W Z H⁻¹ Zᵀ)⁻¹ u
#
# when it is taken away, to first order in the score and exactly in the information that goes with
# it; Z holds the derivatives of (η, t) by the parameters and W the information of the vote. Without
# ties that is cᵀ H⁻¹ x (y − p) / (1 − leverage) (Broderick, Giordano & Meager 2020,
# arXiv:2011.14999, with the leverage kept). A judge's votes are taken away together: cᵀ (H − H_g)⁻¹
# s_g.

Array = NDArray[np.float64]


def worth_rows(fit: Fit) -> Array:
    """Return (K, p): λ of the systems by parameter."""
    rows = fit.design.rows()
    return np.pad(rows, ((0, 0), (0, len(fit.raw_vcov) - rows.shape[1])))


def pull_votes(fit: Fit, tally: Tally, contrasts: Array) -> Array:
    """Return (Q, C, 3): how far each contrast falls (log-odds) without one vote of each outcome.

    contrasts: (Q, K) weights of the systems' log-worths.
    """
    size = len(tally.systems)
    pairs, inverse = np.unique(
        tally.left.astype(np.int64) * size + tally.right, return_inverse=True
    )
    left, right = np.divmod(pairs, size)
    by_eta, by_tie = _place(fit, left, right)
    spread = fit.raw_vcov
    moved = contrasts @ worth_rows(fit) @ spread
    along = np.stack([moved @ by_eta.T, moved @ by_tie.T], axis=2)
    both = np.stack([by_eta, by_tie], axis=1)
    leverage = np.matmul(np.matmul(both, spread), both.transpose(0, 2, 1))
    found = np.empty((len(contrasts), len(pairs), 3))
    for outcome, one in enumerate(_single_votes(fit, left, right)):
        information = np.stack(
            [np.stack([one.eta_eta, one.eta_tie], 1), np.stack([one.eta_tie, one.tie_tie], 1)], 1
        )
        rest = np.eye(2) - np.matmul(information, leverage)
        score = np.stack([one.eta, one.tie], axis=1)[:, :, None]
        found[:, :, outcome] = 2 * (along * np.linalg.solve(rest, score)[:, :, 0]).sum(axis=2)
    return np.asarray(found[:, inverse.reshape(-1)])


def _place(fit: Fit, left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return derivatives of η and of t by the parameters, (C, p) each."""
    rows, likelihood = worth_rows(fit), fit.likelihood
    by_eta = rows[left] - rows[right]
    by_tie = np.zeros_like(by_eta)
    if likelihood.law.free:
        by_tie[:, likelihood.n_worths] = 1.0
    if likelihood.order_effect:
        by_eta[:, likelihood.n_worths + likelihood.n_ties] = 1.0
    return by_eta, by_tie


def _single_votes(fit: Fit, left: NDArray[np.int64], right: NDArray[np.int64]) -> list[Local]:
    """Return derivatives of one vote of each outcome on each pair."""
    likelihood = fit.likelihood
    _, tie, order, _ = likelihood.parts(fit.beta)
    eta = fit.lambdas[left] - fit.lambdas[right] + order
    found = []
    for vote in np.eye(3):
        counts = fit.model.treat_ties(np.tile(vote, (len(eta), 1)))
        found.append(likelihood.law.expand(eta, tie, counts))
    return found


def pull_clusters(fit: Fit, tally: Tally, name: str, contrasts: Array) -> Array:
    """Return (Q, G): how far each contrast falls (log-odds) without each judge or item.

    contrasts: (Q, K) weights of the systems' log-worths.
    """
    return np.asarray(contrasts @ lower_worths(fit, tally, name))


def lower_worths(fit: Fit, tally: Tally, name: str) -> Array:
    """Return (K, G): how far each log-worth falls (log-odds) without each judge or item.

    Where one alone links some systems to the rest, the score is taken as it stands.
    """
    pieces, _ = gather_clusters(fit, tally, name)
    scores, total = sum_scores(fit, pieces), total_information(fit)
    changes = np.empty_like(scores)
    step = max(1, MAX_BLOCK_NUMBERS // len(total) ** 2)
    for start in range(0, pieces.size, step):
        rows = slice(start, min(start + step, pieces.size))
        own = sum_information(fit, pieces, rows.start, rows.stop)
        bridges = find_bridges(fit, total, own)
        own[bridges] = 0.0
        changes[rows] = leave_out(fit.raw_vcov, total, own, scores[rows])
    return np.asarray(2 * worth_rows(fit) @ changes.T)


# What is taken away, in which order, and the judgments that are left.

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Removed:
    """Judgments that are taken away."""

    # who gave them; None where nobody is known, or where any votes that are alike do
    judge: str | None
    item: str | None  # on what, or None likewise
    # the system that was preferred; the first by name of a tie. None of a whole judge.
    better: str | None
    worse: str | None  # the other
    tie: bool  # whether neither was preferred
    count: float  # how many comparisons
    # how many votes of this kind there are: same systems, same outcome and, where the model knows
    # an order effect, same sides. None of a whole judge.
    of: float | None = None
    first: str | None = None  # the system shown first, where the model knows an order effect

    @property
    def kind(self) -> str:
        """What was answered; empty of a whole judge."""
        if self.better is None:
            return ""
        side = "" if self.first is None else f" ({self.first} first)"
        pair = f"{self.better} {'and' if self.tie else 'over'} {self.worse}{side}"
        return f"ties of {pair}" if self.tie else pair


@dataclass(frozen=True, eq=False)
class Queue:
    """Units in the order in which they are taken away: the one that pulls hardest first."""

    unit: str  # vote, ranking, judge or item
    tally: Tally  # the judgments
    pulls: Array  # (U,) how far the difference falls without one copy; all above zero
    copies: Integers  # (U,) whole number of units that are alike
    cells: Integers  # (U,) 3 × entry + outcome of votes, else the code of the cluster
    total: int  # units that there are, whichever way they pull
    sided: bool = False  # whether votes that differ in who stood first are of two kinds

    @property
    def most(self) -> int:
        """How many there are to take."""
        return int(self.copies.sum())

    def foresee(self, difference: float) -> int | None:
        """Return how many pull a difference down to zero, by cumulated pulls; None if all do not.

        difference: what has to be pulled down (log-odds).
        """
        reached = np.cumsum(self.pulls * self.copies)
        at = int(np.searchsorted(reached, difference, side="right"))
        if at == len(reached):
            return None
        before = reached[at] - self.pulls[at] * self.copies[at]
        some = int(np.floor((difference - before) / self.pulls[at])) + 1
        return int(self.copies[:at].sum()) + min(some, int(self.copies[at]))

    def _taken(self, number: int) -> Integers:
        """Return (U,) copies among the first so many units."""
        before = np.cumsum(self.copies) - self.copies
        return np.asarray(np.clip(number - before, 0, self.copies), dtype=np.int64)

    def count(self, number: int) -> Array:
        """Return (C, 3) comparisons among the first so many units."""
        taken = self._taken(number)
        if self.unit == "vote":
            counts = np.zeros(self.tally.counts.size)
            counts[self.cells] = taken
            return counts.reshape(-1, 3)
        gone = np.isin(self.tally.factor(self.unit).codes, self.cells[taken > 0])
        return np.asarray(self.tally.counts * gone[:, None])

    def leave(self, number: int, *, told_apart: bool = True) -> Tally:
        """Return what is left without the first so many units."""
        answers = float(number) if self.unit in ("vote", "ranking") else None
        tally = self.tally if told_apart else replace(self.tally, factors={})
        return take_away(tally, self.count(number), answers)

    def listing(self, number: int) -> tuple[Removed, ...]:
        """Name the first so many units, in their order."""
        taken = self._taken(number)
        rows = np.flatnonzero(taken)
        if self.unit != "vote":
            return tuple(self._cluster(int(self.cells[row])) for row in rows)
        alike: dict[Removed, float] = {}  # the same vote with the outputs the other way round
        kinds = count_kinds(self.tally, sided=self.sided)
        for row in rows:
            cell = int(self.cells[row])
            one = self._vote(cell, float(kinds[cell]))
            alike[one] = alike.get(one, 0.0) + float(taken[row])
        return tuple(replace(one, count=count) for one, count in alike.items())

    def _vote(self, cell: int, of: float) -> Removed:
        entry, outcome = divmod(cell, 3)
        shown = [self.tally.systems[side[entry]] for side in (self.tally.left, self.tally.right)]
        tie = outcome == TIE
        better, worse = sorted(shown) if tie else shown[:: 1 if outcome == LEFT else -1]
        who = {name: f.labels[f.codes[entry]] for name, f in self.tally.factors.items()}
        first = shown[0] if self.sided else None
        judge, item = who.get("judge"), who.get("item")
        return Removed(judge, item, better, worse, tie=tie, count=1.0, of=of, first=first)

    def _cluster(self, code: int) -> Removed:
        factor = self.tally.factor(self.unit)
        name = factor.labels[code]
        judge = name if self.unit == "judge" else None
        item = name if self.unit in ("item", "ranking") else None
        return Removed(judge, item, None, None, tie=False, count=float(factor.loads[code]))


def queue_votes(tally: Tally, pulls: Array, effects: Array, *, sided: bool) -> Queue:
    """Put single votes that speak for a difference in order, the largest effect first.

    pulls: (C, 3) how far a difference falls without one vote.
    effects: (C, 3) what votes are put in order by. Sums in another order leave other last
    """
    copies = np.floor(tally.counts.reshape(-1)).astype(np.int64)
    flat, effect = pulls.reshape(-1), effects.reshape(-1)
    scale = max(float(np.abs(effect).max(initial=0.0)), np.finfo(float).tiny)
    order = np.argsort(-np.round(effect / scale, 9), kind="stable")
    order = order[(flat[order] > 0) & (copies[order] > 0)]
    return Queue("vote", tally, flat[order], copies[order], order, int(copies.sum()), sided)


def count_kinds(tally: Tally, *, sided: bool) -> Array:
    """Return (3 C,) how many votes are of the kind of each cell: same systems, same outcome."""
    size = len(tally.systems)
    left, right = (np.repeat(side.astype(np.int64), 3) for side in (tally.left, tally.right))
    outcome = np.tile(np.arange(3), len(tally.left))
    turned = (left > right) & (not sided)
    low, high = np.where(turned, right, left), np.where(turned, left, right)
    outcome = np.where(turned, 2 - outcome, outcome)
    _, kind = np.unique((low * size + high) * 3 + outcome, return_inverse=True)
    return np.asarray(np.bincount(kind, tally.counts.reshape(-1))[kind])


def queue_clusters(tally: Tally, name: str, pulls: Array) -> Queue:
    """Put judges, items or rankings in order.

    pulls: (G,) how far a difference falls without each.
    """
    order = np.argsort(-pulls, kind="stable")
    order = order[pulls[order] > 0]
    ones = np.ones(len(order), dtype=np.int64)
    return Queue(name, tally, pulls[order], ones, order, len(pulls))


def take_away(tally: Tally, gone: Array, answers: float | None) -> Tally:
    """Return a tally without some of its comparisons; systems keep their codes.

    gone: (C, 3) comparisons to take away.
    """
    left = tally.counts - gone
    kept = left.sum(axis=1) > 0
    factors = {name: _relevel(one, kept, left) for name, one in tally.factors.items()}
    share = float(left.sum()) / tally.n_comparisons
    number = tally.n_judgments * share if answers is None else tally.n_judgments - answers
    wins, ties, losses = left[kept].T
    return replace(
        tally,
        left=tally.left[kept],
        right=tally.right[kept],
        wins=wins,
        ties=ties,
        losses=losses,
        factors=factors,
        n_judgments=float(round(number)),
        squares=None if tally.squares is None else tally.squares[kept],
    )


def _relevel(factor: Factor, kept: NDArray[np.bool_], left: Array) -> Factor:
    codes = factor.codes[kept]
    loads = np.bincount(codes, left[kept].sum(axis=1), minlength=len(factor.labels))
    used = np.flatnonzero(np.bincount(codes, minlength=len(factor.labels)))
    numbers = np.zeros(len(factor.labels), dtype=np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    labels = tuple(factor.labels[code] for code in used.tolist())
    return Factor(labels, numbers[codes], loads[used].astype(float, copy=False), len(used))


def sort_entries(tally: Tally) -> Tally:
    """Pool, and put entries in an order that does not depend on that of the table."""
    pooled = tally.pool(tuple(tally.factors))
    size = len(pooled.systems)
    digits = [(pooled.left, size), (pooled.right, size)]
    digits += [(factor.codes, factor.size) for factor in pooled.factors.values()]
    order, _ = first_of_each(join_codes(digits))
    return replace(
        pooled,
        left=pooled.left[order],
        right=pooled.right[order],
        wins=pooled.wins[order],
        ties=pooled.ties[order],
        losses=pooled.losses[order],
        factors={name: replace(f, codes=f.codes[order]) for name, f in pooled.factors.items()},
        squares=None if pooled.squares is None else pooled.squares[order],
    )


# Judgments with what was concluded from them, ready to be taken apart.

EMPTY: Final = float(np.finfo(float).tiny)  # Stands for zero in a denominator


@dataclass(frozen=True, eq=False)
class Case:
    """Judgments with what was concluded from them."""

    # the judgments, told apart by judge and item, whose codes do not go by names: rank sets of
    # what is left draw the same signs whatever judges are called
    tally: Tally
    ranking: Ranking  # what was concluded
    fit: Fit  # the model behind it
    settings: Settings  # of the ranking
    units: tuple[str, ...]  # vote (or ranking), judge, item: what can be taken away
    # factor → (K, G) how far each log-worth falls without each of its levels
    falls: Mapping[str, Array] = field(repr=False)

    def pull(self, unit: str, contrasts: Array) -> Array:
        """Return (Q, G): how far each contrast falls (log-odds) without each judge or item.

        contrasts: (Q, K) weights of the systems' log-worths.
        """
        return np.asarray(contrasts @ self.falls[unit])

    @property
    def signature(self) -> str:
        """What makes the numbers."""
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
    """Count and rank judgments of one task.

    model: settings of the log-linear model.
    level: of rank sets (proportion).
    """
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
    """Rank judgments that are counted by judge, item and ranking, as far as these are known."""
    tally = sort_entries(tally)
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    if board is not None and set(board.systems) != set(tally.systems):
        raise UnknownOption("the board is of other systems: give the ranking of these judgments")
    ranking = board or make_ranking(merge_evidence(tally), Levels(loads), settings)
    fit = ranking.fit
    if not isinstance(fit, Fit) or fit.vcov is None:
        raise NotIdentified(f"{len(tally.systems):,} systems are too many to ask what carries them")
    falls = {name: lower_worths(fit, tally, name) for name in tally.factors}
    orders = {name: order_levels(fit, tally, name, own) for name, own in falls.items()}
    falls = {name: own[:, orders[name]] for name, own in falls.items()}
    return Case(renumber(tally, orders), ranking, fit, settings, _choose_units(tally), falls)


def order_levels(fit: Fit, tally: Tally, name: str, falls: Array) -> Integers:
    """Put judges or items in order by load and by what they say, instead of by name.

    Random signs go by number. Numbered by name, the fewest votes that leave a pair undecided hang
    on what judges are called: 5 or 12 of 900 in one campaign.

    falls: (K, G) how far each log-worth falls without each of its levels.
    """
    worth = fit.log_worth - fit.log_worth.mean()
    ends = np.zeros(len(worth))
    ends[[int(worth.argmax()), int(worth.argmin())]] = 1.0, -1.0
    own = np.stack([worth, ends]) @ falls
    along, apart = np.round(own / max(float(np.abs(own).max()), EMPTY), 9)
    return np.lexsort((apart, along, tally.factor(name).loads))


def renumber(tally: Tally, orders: Mapping[str, Integers]) -> Tally:
    """Number the levels of factors anew.

    orders: factor → (G,) its levels in their new order.
    """
    factors = {}
    for name, factor in tally.factors.items():
        order = orders[name]
        codes = np.empty(len(order), dtype=np.int32)
        codes[order] = np.arange(len(order), dtype=np.int32)
        labels = tuple(factor.labels[code] for code in order.tolist())
        factors[name] = Factor(labels, codes[factor.codes], factor.loads[order], factor.size)
    return replace(tally, factors=factors)


def merge_evidence(tally: Tally) -> Evidence:
    """Return the counts for a ranking; more than 200 clusters of a kind are merged."""
    return Evidence.of(merge_factors(tally))


def _choose_units(tally: Tally) -> tuple[str, ...]:
    """Return what can be taken away: answers, and judges and items that gave or got several."""
    answer = "ranking" if "ranking" in tally.factors else "vote"
    several = [
        name
        for name in ("judge", "item")
        if name in tally.factors and 1 < len(tally.factors[name].labels) < tally.n_judgments
    ]
    return (answer, *several)


AHEAD: Final = 1e-9  # Log-odds by which a system must be ahead: less is what an iteration leaves
HOLDS, FALLS, NO_RANKING = "holds", "falls", "no ranking"
Verdict = str


@dataclass(frozen=True)
class Claim:
    """Every system above stands above every system below."""

    name: str  # the claim in words
    above: tuple[str, ...]  # names of systems
    below: tuple[str, ...]  # names of systems

    def across(self, systems: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return codes of the systems above and below, to index a (K, K) table by."""
        place = {name: i for i, name in enumerate(systems)}
        above, below = ([place[name] for name in names] for names in (self.above, self.below))
        rows, columns = np.ix_(above, below)
        return rows, columns


def find_gone(claim: Claim, tally: Tally) -> tuple[str, ...]:
    """Return the systems of a claim that nobody judged in what is left."""
    seen = set(_find_seen(tally).tolist())
    place = {name: i for i, name in enumerate(tally.systems)}
    return tuple(name for name in (*claim.above, *claim.below) if place[name] not in seen)


def _find_seen(tally: Tally) -> NDArray[np.intp]:
    """Return the codes of the systems that somebody judged."""
    return np.asarray(np.unique(np.concatenate([tally.left, tally.right])), dtype=np.intp)


def narrow(claim: Claim, tally: Tally, model: BradleyTerry) -> tuple[Claim, Tally] | None:
    """Leave out systems that nobody judged: a claim about the others is not touched by that."""
    gone = set(find_gone(claim, tally))
    if gone.issuperset(claim.above) or gone.issuperset(claim.below):
        return None
    seen = _find_seen(tally)
    if len(seen) == len(tally.systems) or model.system_covariates or model.reference is not None:
        return claim, tally
    codes = np.zeros(len(tally.systems), dtype=np.int32)
    codes[seen] = np.arange(len(seen))
    above, below = (
        tuple(name for name in names if name not in gone) for names in (claim.above, claim.below)
    )
    systems = tuple(tally.systems[code] for code in seen.tolist())
    left, right = codes[tally.left], codes[tally.right]
    rest = replace(tally, systems=systems, left=left, right=right)
    return Claim(claim.name, above, below), rest


def stands(claim: Claim, tally: Tally, settings: Settings) -> Verdict:
    """Fit from scratch; return whether no system below the border is ahead of one above."""
    gap = _compare(claim, tally, settings)
    if gap is None:
        return NO_RANKING
    return FALLS if gap[0] < -AHEAD else HOLDS


def name_ahead(claim: Claim, tally: Tally, settings: Settings) -> tuple[str, str] | None:
    """Name the best system below a claim's border, and the worst above it, which it has passed."""
    gap = _compare(claim, tally, settings)
    return None if gap is None or gap[0] >= -AHEAD else gap[1]


def _compare(
    claim: Claim, tally: Tally, settings: Settings
) -> tuple[float, tuple[str, str]] | None:
    """Return the least difference across a border (log-odds), and the systems below and above."""
    rest = narrow(claim, tally, settings.model)
    if rest is None:
        return None
    try:
        fit = settings.model.fit(rest[1].pool())
    except (NotIdentified, NotConverged):
        return None
    worth = dict(zip(fit.systems, fit.log_worth.tolist(), strict=True))
    last, first = (
        min(rest[0].above, key=worth.__getitem__),
        max(rest[0].below, key=worth.__getitem__),
    )
    return worth[last] - worth[first], (first, last)


def is_decided(claim: Claim, tally: Tally, settings: Settings) -> Verdict:
    """Say whether every pair across a claim's border is decided, after a ranking from scratch."""
    rest = narrow(claim, tally, settings.model)
    if rest is None:
        return NO_RANKING
    claim, tally = rest
    loads = Levels({name: factor.loads for name, factor in tally.factors.items()})
    try:
        ranking = make_ranking(merge_evidence(tally), loads, settings)
    except (NotIdentified, NotConverged):
        return NO_RANKING
    if ranking.rank_sets is None:
        return NO_RANKING
    rows, columns = claim.across(ranking.systems)
    return HOLDS if (ranking.rank_sets.decided[rows, columns] > 0).all() else FALLS


def find_fewest(
    judge: Callable[[int], Verdict], start: int, most: int
) -> tuple[int, Verdict] | None:
    """Return the smallest number at which a claim no longer stands, and what became of it.

    From the number that is foreseen the search goes up or down in growing steps, then halves what
    is left: at the number that is returned the claim falls, and with one unit less it stands.
    """
    known = {0: HOLDS}

    def ask(number: int) -> bool:
        if number not in known:
            known[number] = judge(number)
        return known[number] != HOLDS

    low, high = 0, most
    number, step = max(1, min(start, most)), 1
    if ask(number):
        high = number
        while high - step > 0 and ask(high - step):
            high, step = high - step, 2 * step
        low = max(high - step, 0)
    else:
        low = number
        while not ask(min(low + step, most)):
            low, step = min(low + step, most), 2 * step
            if low == most:
                return None
        high = min(low + step, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if ask(middle) else (middle, high)
    return high, known[high]
