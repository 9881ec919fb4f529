"""Rules that score systems from counts of pairs, and Koehn's rank ranges and clusters.

Every rule is a function `score(tally) -> Scores` of a tally of comparisons, of which it takes the
counts of pairs alone; those that draw something take `seed=` too. `methods.RULES` has them by name,
docs/rules.md the formula and the source of each, and when not to use it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from math import ceil, pi, sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    require_level,
    require_option,
)
from evenhand.numerics import Array, Integers
from evenhand.numerics.linear_order import MAX_NODES_EXACT, find_best_orders
from evenhand.numerics.sorting import merge_insertion
from evenhand.ranking.bootstrap import MAX_LOST_SHARE, ResamplingPlan, draw_counts, plan_pairs
from evenhand.ranking.clustering import say_few
from evenhand.ranking.texts import say
from evenhand.render.document import Finding

# Who beat whom, and whether comparisons join all systems: no score spans groups that never met.


def require_linked(tally: Tally) -> None:
    n = len(tally.systems)
    if not tally.n_comparisons > 0:
        raise NotIdentified(
            f"there is no comparison among {n:,} system{'s' * (n != 1)}: nothing to rank"
        )
    groups, apart = find_apart(tally)
    if groups > 1:
        raise NotIdentified(
            f"the systems fall into {groups} groups that were never compared: nothing joins"
            f" {listing(apart)} to the rest; collect comparisons to join them, or rank them apart"
        )


def find_apart(tally: Tally) -> tuple[int, list[str]]:
    """Return into how many groups comparisons join the systems, and who is in the smallest."""
    part = tally.find_groups()
    smallest = np.flatnonzero(part == np.argmin(np.bincount(part))).tolist()
    return int(part.max()) + 1, [tally.systems[i] for i in smallest]


def count_wins(tally: Tally) -> NDArray[np.float64]:
    """Return (K, K) how often the row's system was preferred to the column's."""
    k = len(tally.systems)
    won = np.zeros((k, k))
    np.add.at(won, (tally.left, tally.right), tally.wins)
    np.add.at(won, (tally.right, tally.left), tally.losses)
    return won


class Meetings(Tally):
    """Counts of every pair that met, seen from both sides: each system stands left of the other."""

    @property
    def totals(self) -> Array:
        return self.wins + self.ties + self.losses

    @property
    def decided(self) -> Array:
        return self.wins + self.losses

    def sum(self, values: Array) -> Array:
        """(K,) sums of a column over the opponents of each system."""
        return np.bincount(self.left, values, minlength=len(self.systems)).astype(np.float64)

    @property
    def opponents(self) -> Array:
        return self.sum(np.ones(len(self.left)))

    def mean(self, shares: Array, among: Array | int) -> Array:
        """(K,) means of (M,) shares over so many opponents."""
        # thirds and sixths added up in another order differ in the last digit: equal scores would
        # get different places, by the names of opponents
        return np.asarray(np.round(self.sum(shares) / among, 12) + 0.0)  # + 0: no minus zero


def list_meetings(tally: Tally) -> Meetings:
    """Count all pairs that met; who was shown first is forgotten, weights multiply counts."""
    require_linked(tally)
    pooled = tally.pool().fold()
    meetings = Meetings(
        tally.systems,
        np.concatenate([pooled.left, pooled.right]),
        np.concatenate([pooled.right, pooled.left]),
        np.concatenate([pooled.wins, pooled.losses]),
        np.concatenate([pooled.ties, pooled.ties]),
        np.concatenate([pooled.losses, pooled.wins]),
    )
    return meetings.take(meetings.totals > 0)


def require_decided(met: Meetings, rule: str) -> None:
    decided = met.take(met.decided > 0)
    if tied := [met.systems[i] for i in np.flatnonzero(decided.opponents == 0).tolist()]:
        raise NotIdentified(
            f"{rule} is a share of decided comparisons, and all of {listing(tied)} are ties:"
            " collect more, leave those systems out, or take a rule that counts ties (origwmt,"
            " win-rate, expected-net-wins)"
        )
    groups, apart = find_apart(decided)
    if groups > 1:
        raise NotIdentified(
            f"{rule} is a share of decided comparisons, and without ties the systems fall into"
            f" {groups} groups: only ties join {listing(apart)} to the rest; collect more, rank"
            " them apart, or take a rule that counts ties (origwmt, win-rate, expected-net-wins)"
        )


# Rules that are a share of wins, ties and losses and say nothing beside it: name → unit, score.

SHARES: Final[Mapping[str, tuple[str, Callable[[Meetings], Array]]]] = {
    "origwmt": ("proportion", lambda met: met.sum(met.wins + met.ties) / met.sum(met.totals)),
    "win-rate": ("proportion", lambda met: met.sum(met.wins) / met.sum(met.totals)),
    "expected-net-wins": (
        "net proportion",
        lambda met: met.mean((met.wins - met.losses) / met.totals, met.opponents),
    ),
    "soccer": (
        "proportion",
        lambda met: met.mean((met.wins + met.ties / 2) / met.totals, met.opponents),
    ),
}


def score_share(tally: Tally, rule: str) -> Scores:
    unit, share = SHARES[rule]
    return Scores(rule, tally.systems, share(list_meetings(tally)), unit)


def score_bojar(tally: Tally) -> Scores:
    met = list_meetings(tally)
    require_decided(met, "bojar")
    return Scores("bojar", tally.systems, met.sum(met.wins) / met.sum(met.decided), "proportion")


def score_expected_wins(tally: Tally, *, zero: bool = False) -> Scores:
    met = list_meetings(tally)
    met = met.take(met.decided > 0)
    if not zero:
        require_decided(met, "expected-wins")
    k = len(tally.systems)
    values = met.mean(met.wins / met.decided, k - 1 if zero else met.opponents)
    pairs, notes = k * (k - 1) // 2, []
    if missing := pairs - len(met.left) // 2:
        notes.append(say("pairs-zero" if zero else "pairs-ignored", missing=missing, pairs=pairs))
    if tied := [tally.systems[i] for i in np.flatnonzero(met.opponents == 0).tolist()]:
        notes.append(say("all-ties-zero", systems=tied))
    rule = f"expected-wins{'-zero' * zero}"
    return Scores(rule, tally.systems, values, "proportion", notes=tuple(notes))


# Most probable ranking: argmax ∏_{i before j} P_ij = argmax Σ_{i before j} log P_ij,
#
# P_ij = P(p_ij > ½ | w_ij, w_ji),  p_ij ~ Beta(w_ij + 1, w_ji + 1),
#
# a minimum feedback arc set with log-odds as weights; pairs are independent, ties decide nothing.

TINY: Final = 1e-250
MIN_DECIMAL: Final = 0.001  # Probabilities below are written as a power of ten


def score_most_probable(tally: Tally, *, seed: int = SEED) -> Scores:
    require_linked(tally)
    won = count_wins(tally)
    total = won.sum(axis=1) + won.sum(axis=0)
    share = won.sum(axis=1) / np.where(total > 0, total, 1.0)
    best = find_best_orders(-log_chances(won).T, share, limit=1, seed=seed)
    probability = float(np.exp(-best.cost))
    chance = f"{probability:.3f}" if probability < 0.9995 else "above 0.999"
    if probability < MIN_DECIMAL:
        chance = f"10^{-best.cost / np.log(10):.2f}"
    notes = [say("probability", probability=chance)]
    if best.first is None or best.last is None:
        gap = float((best.cost - best.bound) / np.log(10))
        notes += note_unproven("not-proven-probable", gap, len(won))
    elif best.count != 1:
        moving = [tally.systems[i] for i in np.flatnonzero(best.first != best.last).tolist()]
        notes.append(say("equally-probable", orders=best.count, systems=moving))
    settings = () if best.count is not None else (f"seed={seed}",)
    return score_order("most-probable", tally.systems, best.orders[0], settings, notes)


def score_order(
    rule: str,
    systems: tuple[str, ...],
    order: Sequence[int],
    settings: tuple[str, ...],
    notes: Sequence[Finding],
) -> Scores:
    """Return the scores of a rule that only orders systems, best first: minus their places."""
    values = np.empty(len(systems))
    values[list(order)] = -np.arange(1.0, len(systems) + 1)
    return Scores(rule, systems, values, "place", settings=settings, notes=tuple(notes))


def note_unproven(code: str, gap: float, systems: int) -> list[Finding]:
    """Say how far an order may be from the best; of many systems most of the gap is the bound's."""
    loose = [say("loose-bound", systems=MAX_NODES_EXACT)] * (systems > MAX_NODES_EXACT)
    return [say(code, "warning", gap=gap), *loose]


def log_chances(won: Array) -> Array:
    """Return (K, K) log P_ij that the row's system is better, from how often it was preferred."""
    from scipy.special import betainc, betaln

    right, wrong = won + 1, won.T + 1
    chance = betainc(wrong, right, 0.5)
    tiny = chance < TINY
    logs = np.log(np.where(tiny, 1.0, chance))
    # I_½(a, b) = ½^(a+b) / (a B(a, b)) · Σ_n ∏_{m<n} ½ (a + b + m)/(a + 1 + m) for a far above b,
    # where I_½ itself is no number any more; the terms shrink
    a, b = wrong[tiny], right[tiny]
    total, term, n = np.ones_like(a), np.ones_like(a), 0
    while term.size and (term > total * 1e-17).any():
        term *= (a + b + n) / (a + 1 + n) / 2
        total += term
        n += 1
    logs[tiny] = -(a + b) * np.log(2) - np.log(a) - betaln(a, b) + np.log(total)
    return np.asarray(logs)


# Monte Carlo playoffs: the systems are put into a bracket at random, byes where they are no power
# of two. One drawn judgment decides a match, a drawn tie is drawn again, and a coin decides a pair
# that was never decided.

TOURNAMENTS: Final = 100_000
TOURNAMENTS_AT_ONCE: Final = 10_000


def score_playoffs(tally: Tally, *, seed: int = SEED, tournaments: int = TOURNAMENTS) -> Scores:
    if tournaments < 1:
        raise UnknownOption(f"tournaments cannot be {tournaments}: it is a whole number from 1")
    require_linked(tally)
    won = count_wins(tally)
    decided = won + won.T
    chance = np.where(decided > 0, won, 0.5) / np.where(decided > 0, decided, 1.0)
    undecided = int((decided[np.triu_indices(len(won), 1)] == 0).sum())
    rng = np.random.Generator(np.random.PCG64(seed))
    k, trophies = len(chance), np.zeros(len(chance), dtype=np.int64)
    places = 1 << (k - 1).bit_length()
    for done in range(0, tournaments, TOURNAMENTS_AT_ONCE):
        runs = min(TOURNAMENTS_AT_ONCE, tournaments - done)
        seeds = rng.permuted(np.tile(np.arange(k), (runs, 1)), axis=1)
        field = np.full((runs, places), -1, dtype=np.int64)  # −1 is a bye, at most one in a match
        field[:, 0::2] = seeds[:, : places // 2]
        field[:, 1 : 2 * (k - places // 2) : 2] = seeds[:, places // 2 :]
        while field.shape[1] > 1:
            first, second = field[:, 0::2], field[:, 1::2]
            wins = rng.random(first.shape) < chance[first, second]
            field = np.where(wins | (second < 0), first, second)
        trophies += np.bincount(field[:, 0], minlength=k)
    share = trophies / tournaments
    coin = say("pairs-by-coin", missing=undecided, pairs=k * (k - 1) // 2)
    last = int((share == 0).sum())
    never = say("never-won", systems=last, tournaments=tournaments)
    order = np.argsort(-share, kind="stable")
    upper, lower = share[order[:-1]], share[order[1:]]
    gap = upper - lower  # shares of the same tournaments: var(p - q) = (p + q - (p - q)^2) / n
    close = (upper > 0) & (gap <= 2 * np.sqrt((upper + lower - gap**2) / tournaments))
    names = [tally.systems[i] for i in order]
    pairs = [f"{names[i]} and {names[i + 1]}" for i in np.flatnonzero(close)]
    return Scores(
        rule="playoffs",
        systems=tally.systems,
        values=share,
        unit="proportion",
        stderr=np.sqrt(share * (1 - share) / tournaments),
        settings=(f"seed={seed}", f"tournaments={tournaments}"),
        notes=(
            *[coin] * (undecided > 0),
            *[never] * (last > 1),
            *((say("simulation-luck", pairs=pairs),) if pairs else ()),
        ),
    )


# Vilar's score: the mean of judgments r_i counted +1, 0 and −1, with its standard error.
#
# R = (1/m) Σ_i r_i = (w − l)/m,  se[R] = √( (1/m) Σ_i (r_i − R)² ) / √(m − 1),  Σ_i r_i² = w + l
#
# Our reading of Vilar et al. (2007): 0 is a tie, and R is over all comparisons of a system.


def score_vilar(tally: Tally) -> Scores:
    met = list_meetings(tally)
    wins, losses, totals = met.sum(met.wins), met.sum(met.losses), met.sum(met.totals)
    mean = (wins - losses) / totals
    spread = np.maximum((wins + losses) / totals - mean**2, 0.0)  # rounding may fall below 0
    n = totals
    if tally.squares is not None:  # as many comparisons as importance weights are worth
        sides, k = np.concatenate([tally.left, tally.right]), len(tally.systems)
        n = totals**2 / np.bincount(sides, np.tile(tally.squares.sum(axis=1), 2), minlength=k)
    once = [tally.systems[i] for i in np.flatnonzero(n <= 1 + 1e-9).tolist()]
    notes = (say("single-comparison", systems=once),) if once else ()
    stderr = None if once else np.sqrt(spread / (n - 1))
    return Scores("vilar", tally.systems, mean, "net proportion", stderr=stderr, notes=notes)


# Vilar's sort: s before o  ⇔  R_so > 0,   R_so = (w_so − w_os) / m_so,   by merge insertion (Ford &
# Johnson 1959), which begins with systems in the order of their `vilar` score; that score, then the
# name, decides where a pair never met or is even.


def score_vilar_sort(tally: Tally) -> Scores:
    met = list_meetings(tally)
    k = len(tally.systems)
    net = np.zeros((k, k))
    net[met.left, met.right] = met.wins - met.losses
    start = np.argsort(-score_vilar(tally).values, kind="stable")
    place = np.argsort(start, kind="stable")  # decides where net wins are even
    compared: set[tuple[int, int]] = set()

    def prefers(one: int, other: int) -> bool:
        compared.add((min(one, other), max(one, other)))
        wins = net[one, other]
        return bool(wins > 0 if wins else place[one] < place[other])

    order = merge_insertion(start.tolist(), prefers)
    against = int(np.count_nonzero(np.tril(net[np.ix_(order, order)], -1) > 0))
    even = sum(1 for pair in compared if net[pair] == 0)
    notes = [say("sorted-pairs", "info", asked=len(compared), pairs=k * (k - 1) // 2)]
    if even:
        notes.append(say("no-majority", pairs=even))
    if against:
        notes.append(say("against-majority", "warning", pairs=against))
    return score_order("vilar-sort", tally.systems, order, (), notes)


# Lopez's rule: the order that contradicts the fewest judgments, a minimum feedback arc set.
#
# cost(order) = Σ over pairs, j placed before i, of weight(i, j)
#
# rule                     weight(i, j), with w_ij: how often i was preferred to j, t_ij: ties
# feedback-arc-set         max(0, w_ij − w_ji)                              net
# feedback-arc-set-raw     w_ij                                             raw
# feedback-arc-set-share   max(0, w_ij − w_ji) / (w_ij + t_ij + w_ji)       share
#
# Raw costs are net costs plus a constant, so that both have the same best orders.

WEIGHTS: Final = ("net", "raw", "share")


@dataclass(frozen=True, eq=False)
class FeedbackArcSet:
    systems: tuple[str, ...]  # the K systems, sorted by name
    cost: float  # weight that the orders contradict
    bound: float  # no order contradicts less; `cost` where the orders are proven to be best
    orders: tuple[tuple[str, ...], ...]  # best ones, the one reported first
    count: int | None  # how many there are, None where the best is not proven
    best_place: Integers | None  # (K,) best place in any best order, None where not proven
    worst_place: Integers | None  # (K,) worst place
    undecided: tuple[str, ...]  # systems without a decided comparison, which may stand anywhere

    @property
    def gap(self) -> float:
        """By how much a better order could undercut `cost` at most; 0 where proven."""
        return self.cost - self.bound

    @property
    def moving(self) -> tuple[str, ...]:
        """Systems that have different places in different best orders."""
        if self.best_place is None or self.worst_place is None:
            return ()
        rows = np.flatnonzero(self.best_place != self.worst_place)
        return tuple(self.systems[i] for i in rows.tolist())


def find_feedback_arc_set(
    tally: Tally, *, weights: str = "net", limit: int = 100, seed: int = SEED
) -> FeedbackArcSet:
    require_option("weights", weights, WEIGHTS)
    met = list_meetings(tally)
    prefer = SHARES["expected-net-wins"][1](met)
    k = len(met.systems)
    costs = np.zeros((k, k))
    weight = met.wins if weights == "raw" else np.maximum(met.wins - met.losses, 0.0)
    costs[met.left, met.right] = weight / met.totals if weights == "share" else weight
    best = find_best_orders(costs, prefer, limit=limit, seed=seed)
    undecided = np.flatnonzero(met.sum(met.decided) == 0).tolist()
    return FeedbackArcSet(
        systems=tally.systems,
        cost=best.cost,
        bound=best.bound,
        orders=tuple(tuple(tally.systems[i] for i in order) for order in best.orders),
        count=best.count,
        best_place=None if best.first is None else best.first + 1,
        worst_place=None if best.last is None else best.last + 1,
        undecided=tuple(tally.systems[i] for i in undecided),
    )


def score_feedback_arc_set(tally: Tally, *, weights: str = "net", seed: int = SEED) -> Scores:
    best = find_feedback_arc_set(tally, weights=weights, limit=1, seed=seed)
    order = [best.systems.index(name) for name in best.orders[0]]
    settings = () if best.count is not None else (f"seed={seed}",)
    unit = {"net": "net win", "raw": "win", "share": "net share"}[weights]
    digits = 4 if weights == "share" else 10
    contradicted = f"{best.cost:,.{digits}g} {unit}{'' if best.cost == 1 else 's'}"
    notes = [say("contradicted", cost=contradicted)]
    if best.count is None:
        notes += note_unproven("not-proven", best.gap, len(best.systems))
    elif best.count > 1:
        notes.append(say("several-orders", orders=best.count, systems=best.moving))
    if best.undecided:
        notes.append(say("no-decided", systems=best.undecided))
    rule = f"feedback-arc-set{'' if weights == 'net' else f'-{weights}'}"
    return score_order(rule, best.systems, order, settings, notes)


# Koehn's clusters: rank ranges from resampling, and lines where no ranges overlap.
#
# range of i = its places in resamples, without the worst and best 2.5 %,
# a line after place p  ⇔  max_{i ≤ p} worst_i < min_{j > p} best_j.
#
# Each range holds for one system by itself (Koehn 2012; docs/wmt16.md). A rule needs counts alone,
# so that a resample is a draw of counts.


RUNS: Final = 1000
MIN_RUNS: Final = 20


def plan_draws(tally: Tally, by: tuple[str, ...]) -> ResamplingPlan:
    """Return what comparisons, or levels of factors, are drawn from; sides do not matter."""
    plan = plan_pairs(tally.fold(), by)
    counts = plan.pairs.counts
    if not counts.sum() > 0:
        raise InvalidJudgments("there are no comparisons to draw from: is a condition too narrow?")
    if not by and (plan.pairs.squares is not None or (counts % 1 != 0).any()):
        kind = "fractional" if plan.pairs.squares is None else "importance"
        raise InvalidJudgments(
            f"single comparisons cannot be drawn with {kind} weights: leave the weights out, or"
            " draw whole judges or rankings"
        )
    return plan


def rank_ranges(samples: Array, level: float = 0.95) -> tuple[Integers, Integers]:
    """Return (K,) best and (K,) worst place of each system over (R, K) samples of scores."""
    # Of R places of a system, sorted, the ⌈R (1 − level)/2⌉ first and last are cut off, as WMT did.
    # Of equal scores the best place counts for the lower end and the worst for the upper.
    runs = len(samples)
    require_level(level)
    if runs < MIN_RUNS:
        raise UnknownOption(f"{runs} runs say too little about ranges: take at least {MIN_RUNS}")
    cut = ceil(round((runs - runs * level) / 2, 9))
    if 2 * cut >= runs:
        raise UnknownOption(f"level {level} leaves none of {runs} runs: raise one of them")
    rows = list(zip(np.sort(-samples, axis=1), -samples, strict=True))
    ahead = np.sort([np.searchsorted(order, row, side="left") for order, row in rows], axis=0)
    reached = np.sort([np.searchsorted(order, row, side="right") for order, row in rows], axis=0)
    return 1 + ahead[cut], reached[runs - cut - 1]


def find_clusters(values: Array, best: Integers, worst: Integers) -> Integers:
    """Return (K,) the cluster of each system, 1 is best, from scores and places."""
    order = np.argsort(-values, kind="stable")
    reached = np.maximum.accumulate(worst[order])
    ahead = np.minimum.accumulate(best[order][::-1])[::-1]
    cluster = np.empty(len(values), dtype=np.int64)
    cluster[order] = np.concatenate([[1], 1 + np.cumsum(reached[:-1] < ahead[1:])])
    return cluster


def score_with_clusters(
    rule: Callable[[Tally], Scores],
    tally: Tally,
    *,
    by: tuple[str, ...] = (),
    runs: int = RUNS,
    level: float = 0.95,
    seed: int = SEED,
) -> Scores:
    """Add standard errors, rank ranges and clusters to the scores of a rule, by resampling.

    by: factors whose levels are drawn whole; () draws comparisons, as WMT 2013 for expected wins
    """
    for name in by:
        if tally.factor(name).size < 2:
            raise NotIdentified(
                f"ranges cannot be drawn by {name}: there is only one {name}; draw comparisons"
                " (--cluster judgment), as if they were independent"
            )
    scores = rule(tally)
    plan, rng = plan_draws(tally, by), np.random.Generator(np.random.PCG64(seed))
    scored, lost = [], 0
    for done in range(1, runs + 1):
        wins, ties, losses = draw_counts(plan, by, rng)
        resample = replace(plan.pairs, wins=wins, ties=ties, losses=losses)
        try:
            scored.append(rule(replace(resample, n_judgments=resample.n_comparisons)).values)
        except NotIdentified as refusal:
            lost += 1
            if lost > MAX_LOST_SHARE * runs:
                raise NotIdentified(
                    f"{lost} of the first {done} resamples are too thin for the rule: collect more"
                    " comparisons, or ask for scores without ranges"
                ) from refusal
    samples = np.stack(scored)
    best, worst = rank_ranges(samples, level)
    factors = {name: tally.factor(name) for name in by}
    few_levels = (say_few(name, one.size, one.effective) for name, one in factors.items())
    drawn = "+".join(by) or "comparison"
    options = (f"seed={seed}", f"runs={runs}", f"level={level}", f"drawn={drawn}")
    return replace(
        scores,
        stderr=samples.std(axis=0, ddof=1),
        rank_lower=best,
        rank_upper=worst,
        cluster=find_clusters(scores.values, best, worst),
        settings=scores.settings + tuple(new for new in options if new not in scores.settings),
        notes=(
            *scores.notes,
            *(say("limited", limit=few) for few in few_levels if few is not None),
            *((say("thin-resamples", lost=lost, runs=runs),) if lost else ()),
        ),
    )


# TrueSkill as WMT ranked with it (docs/wmt16.md): a thousand runs of N + 1 matches each.
#
#     μ_i = 0, σ_i = .5, β = σ n/40, τ = 0, 25 % draws between equals; n = N + 1 matches:
#     a = the system with the largest σ, b with P ∝ exp(−|μ_a − μ_b|), one judgment at random,
#     score = mean of μ over runs, clusters from its ranks in them.


# One match of two in TrueSkill: Gaussian skills, updated by a win, a draw or a loss.
#
# performance_i ~ N(μ_i, σ_i² + β²),  i wins if its performance is higher by more than ε,
# c² = 2β² + σ_a² + σ_b²,  t = (μ_a − μ_b)/c,
# μ_a ← μ_a + (σ_a²/c) v,  μ_b ← μ_b − (σ_b²/c) v,  σ_i² ← σ_i² (1 − (σ_i²/c²) w),
# v, w: how a standard normal around −t moves and narrows when the outcome is seen.
#
# Ralf Herbrich, Tom Minka and Thore Graepel (2006), "TrueSkill: A Bayesian Skill Rating System",
# NIPS 19, section 3 and table 1, without the dynamics τ.

DRAW: Final = 0  # An outcome is 1 where the first wins, −1 where it loses
FAR_TAIL: Final = 37.0  # Standard deviations beyond which a probability loses its precision


class Skill(NamedTuple):
    mean: Array  # (R,) μ
    variance: Array  # (R,) σ²


def surprise(gap: Array, margin: Array, outcome: NDArray[np.int64]) -> tuple[Array, Array]:
    """Return v and w of Herbrich et al. (2006), table 1: the moments of a truncated normal."""
    from scipy.special import ndtr

    draw = outcome == DRAW
    size = np.abs(gap)
    high = np.maximum(np.where(draw, margin - size, outcome * gap - margin), -FAR_TAIL)
    low = np.where(draw, np.maximum(-margin - size, -FAR_TAIL - 2), -FAR_TAIL - 2)
    at_high, at_low = (np.exp(-0.5 * x * x) * (1 / sqrt(2 * pi)) for x in (high, low))
    inside = ndtr(high) - ndtr(low)
    shift = (at_high - at_low) / inside
    narrowing = shift * shift + (high * at_high - low * at_low) / inside
    turn = np.where(draw, np.where(gap < 0, 1.0, -1.0), outcome)
    return turn * shift, narrowing


def play(
    first: Skill, second: Skill, outcome: NDArray[np.int64], *, beta: float, margin: float
) -> tuple[Skill, Skill]:
    """Return the (R,) skills of both sides after R separate matches; `margin` is ε."""
    scale = np.sqrt(2 * beta * beta + first.variance + second.variance)
    shift, narrowing = surprise((first.mean - second.mean) / scale, margin / scale, outcome)
    after = []
    for skill, turn in ((first, 1.0), (second, -1.0)):
        step = skill.variance / scale
        mean = skill.mean + step * (turn * shift)
        after.append(Skill(mean, skill.variance * (1 - step / scale * narrowing)))
    return after[0], after[1]


# One step is the next match of every run, since within a run each match depends on the last. Arrays
# are (K, R): systems by runs.

SIGMA: Final = 0.5
DRAWS: Final = 0.25
PACE: Final = 40  # β is σ times the number of matches over this, in keisks/wmt-trueskill
MATCHES_AT_ONCE: Final = 256


@dataclass(frozen=True, eq=False)
class Matches:
    cell: Integers  # (K, K) row of `win` and `undefeated` by both systems, −1 if unseen
    win: Array  # (2C, R) chance that the first wins, in that direction
    undefeated: Array  # (2C, R) chance that it does not lose
    met: NDArray[np.bool_] | None  # (K, K, R) whether a pair was seen; None for always

    @classmethod
    def of(cls, pairs: Tally, counts: Array) -> Matches:
        """Turn (R, C, 3) wins, ties and losses of each pair's left system into chances."""
        k, c = len(pairs.systems), len(pairs.left)
        seen = counts.sum(axis=2).T
        chances = counts.T / np.where(seen > 0, seen, 1.0)
        both = np.concatenate([chances, chances[::-1]], axis=1)
        cell = np.full((k, k), -1, dtype=np.int64)
        cell[pairs.left, pairs.right] = np.arange(c)
        cell[pairs.right, pairs.left] = np.arange(c, 2 * c)
        met = None
        if c < k * (k - 1) // 2 or (seen == 0).any():
            met = np.zeros((k, k, len(counts)), dtype=np.bool_)
            met[pairs.left, pairs.right] = met[pairs.right, pairs.left] = seen > 0
        return cls(cell, both[0], both[0] + both[1], met)


def replay(matches: Matches, n: int, rng: np.random.Generator) -> Array:
    """Play n matches in every run, and return (R, K) mean skills."""
    from scipy.special import ndtri

    k, size = len(matches.cell), matches.win.shape[1]
    beta = SIGMA * n / PACE
    margin = float(ndtri((DRAWS + 1) / 2) * sqrt(2) * beta)  # ε: equals draw as often as DRAWS
    # (K, R) μ, exp(μ) and exp(−μ); (R, K) σ², −1 for a system that nobody met: it never plays
    means, up, down = np.zeros((k, size)), np.ones((k, size)), np.ones((k, size))
    variances = np.full((size, k), SIGMA**2)
    if matches.met is not None:
        variances[~matches.met.any(axis=1).T] = -1.0
    room = np.empty((k, size)), np.empty((k, size))  # new arrays cost more than what is done there
    runs, row = np.arange(size), np.arange(size) * k
    mean, variance = means.reshape(-1), variances.reshape(-1)
    win, undefeated = matches.win.reshape(-1), matches.undefeated.reshape(-1)
    cells = matches.cell.reshape(-1)
    for done in range(0, n, MATCHES_AT_ONCE):
        for partner, luck in rng.random((min(MATCHES_AT_ONCE, n - done), 2, size)):
            first = variances.argmax(axis=1)
            np.multiply(up, down.reshape(-1)[first * size + runs], out=room[0])
            np.multiply(down, up.reshape(-1)[first * size + runs], out=room[1])
            second = _choose(*room, matches.met, first, partner)
            cell = cells[first * k + second] * size + runs
            outcome = (luck < win[cell]).astype(np.int64) - (luck >= undefeated[cell])
            # one long index into flat arrays is five times as fast as two short ones
            places = [(system * size + runs, row + system) for system in (first, second)]
            one, two = (Skill(mean[at], variance[there]) for at, there in places)
            after = play(one, two, outcome, beta=beta, margin=margin)
            for (at, there), skill in zip(places, after, strict=True):
                mean[at], variance[there] = skill
                up.reshape(-1)[at] = grown = np.exp(skill.mean)
                down.reshape(-1)[at] = 1 / grown
    return np.ascontiguousarray(means.T)


def _choose(
    ahead: Array, behind: Array, met: NDArray[np.bool_] | None, first: Integers, luck: Array
) -> Integers:
    """Draw the second system with P ∝ exp(−|μ_a − μ_b|); both arrays, exp(±), are overwritten."""
    weight, runs = np.minimum(ahead, behind, out=ahead), np.arange(len(first))
    weight.reshape(-1)[first * len(first) + runs] = 0.0
    if met is not None:
        weight *= met[first, :, runs].T
    for row in range(1, len(weight)):
        weight[row] += weight[row - 1]
    passed = weight <= luck * (weight[-1] * (1 - 2.0**-50))
    return np.asarray(passed.sum(axis=0, dtype=np.int64))


MAX_DENSE_CHANCES: Final = 20_000_000  # Most chances that are held at once
MAX_WORK: Final = 4_000_000_000  # Most matches × systems × runs: about a minute or two


@dataclass(frozen=True)
class TrueSkill:
    runs: int = RUNS  # how often all matches are played, each time others
    by: str | None = None  # a factor whose levels are drawn, such as "ranking", or None
    resampled: bool = True  # whether each run has a resample (WMT 2016), or all (WMT 2015)

    def __post_init__(self) -> None:
        if self.by is not None and not self.resampled:
            raise UnknownOption(f'by="{self.by}" draws whole levels: it needs resampled=True')
        if self.runs < 1:
            raise UnknownOption(f"runs cannot be {self.runs}: it is a whole number from 1")


LEVEL: Final = 0.95  # Share of places that a rank range holds
WMT: Final = TrueSkill()
WMT15: Final = TrueSkill(resampled=False)


def score_trueskill(tally: Tally, *, seed: int = SEED, settings: TrueSkill = WMT) -> Scores:
    require_linked(tally)
    by = () if settings.by is None else (settings.by,)
    plan = plan_draws(tally, by)
    pairs, squares = plan.pairs, plan.pairs.squares
    # of importance weights, whose scale says nothing, what they are worth
    size = round(pairs.n_comparisons if squares is None else pairs.n_comparisons**2 / squares.sum())
    # as many matches as comparisons and one, as WMT played; on very large data as many as a minute
    # or two allows, which are noisier
    k, runs, wanted = len(tally.systems), settings.runs, size + 1
    n = min(wanted, max(1, MAX_WORK // (runs * k)))
    rng = np.random.Generator(np.random.PCG64(seed))
    draws: Iterator[Array] = repeat(pairs.counts, runs)
    if settings.resampled:
        draws = (draw_counts(plan, by, rng).T for _ in range(runs))
    ends = np.concatenate([pairs.left, pairs.right])
    skills, absent = [], np.zeros(k, dtype=np.int64)  # in how many runs each system met nobody
    while drawn := list(islice(draws, max(1, min(runs, MAX_DENSE_CHANCES // k**2)))):
        counts = np.stack(drawn)
        skills.append(replay(Matches.of(pairs, counts), n, rng))
        for comparisons in counts.sum(axis=2):
            absent += np.bincount(ends, np.tile(comparisons, 2), k) == 0
    samples = np.concatenate(skills)
    values = samples.mean(axis=0)
    best, worst = rank_ranges(samples, LEVEL)
    options = {
        "seed": seed,
        "runs": runs,
        "level": LEVEL,
        "drawn": settings.by or "comparison" if settings.resampled else "nothing",
        "matches": n,
    }
    notes = []
    if n < size:  # chance weighs more
        notes.append(say("few-matches", matches=n, wanted=wanted))
    if absent.any():  # their skill stayed at zero there
        names = [f"{tally.systems[i]} ({absent[i]})" for i in np.flatnonzero(absent).tolist()]
        notes.append(say("absent", runs=runs, systems=names))
    return Scores(
        rule="trueskill",
        systems=tally.systems,
        values=values,
        unit="skill",
        stderr=samples.std(axis=0, ddof=1),
        rank_lower=best,
        rank_upper=worst,
        cluster=find_clusters(values, best, worst),
        settings=tuple(f"{name}={value}" for name, value in options.items()),
        notes=tuple(notes),
    )
