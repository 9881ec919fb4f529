"""The cluster bootstrap: draw judges, items, rankings or answers again, and refit.

Where a model knows of a resample no more than sums, all are refitted with one factor (`refits`).
Two ways at once are drawn independently and their counts multiplied (Owen 2007, "The pigeonhole
bootstrap", Annals of Applied Statistics 1:386-411), which is conservative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, NotIdentified
from evenhand.models.likelihood import ENDLESS, Davidson, TwoOutcomes
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array
from evenhand.numerics.distributions import MAX_TABLE_MEAN, draw_poisson
from evenhand.ranking.clustering import Clustering, Evidence
from evenhand.ranking.intervals import REPLICATES, Intervals, resampled_intervals
from evenhand.ranking.texts import say

# Refits of many resamples by steps of Newton's with one factor: that of the estimate.
#
# Plain, Davidson's and half-win models know of a resample b no more than how often each pair was
# compared, n_b, and the sums x_b of what was observed, so that its score at β is
#
# s_b(β) = x_b − Σ_pairs n_b E[x | β],    β ← β + H⁻¹ s_b(β)
#
# H is the information of all data at their own estimate, where the steps begin. They shrink by a
# factor ρ; what is then missing of the maximum is estimated as ρ/(1 − ρ) of the last step, all that
# steps of a geometric series would still add, and may miss by two or three times. A resample whose
# steps do not shrink, since it has no maximum or a far one, is left to an ordinary fit.

MAX_MISSING: Final = 1e-4  # Most model standard errors by which a refit may miss its maximum
MAX_STEPS: Final = 20
MAX_STEP_RATIO: Final = 0.7  # Factor by which steps shrink at least, from the third on
MAX_DENSE_PAIRS: Final = 8_000_000  # Most numbers in the table of which pair is of which systems


@dataclass(frozen=True, eq=False)
class Refitter:
    fit: Fit  # the fit to the data, one worth per system
    sides: Array  # (K, P) +1 where a system stood left in a pair, −1 where right
    scale: Array  # (p, 1) model standard errors

    def treat(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return (3, ...) comparisons, wins less losses, and ties; counts: left, tie, right."""
        kinds = self.fit.model.treat_ties(np.eye(3))
        wanted = (kinds.sum(axis=1), kinds[:, 0] - kinds[:, 2], kinds[:, 1])
        treated = np.empty_like(counts)
        for kind, (won, tied, lost) in enumerate(wanted):
            np.add(won * counts[0], lost * counts[2], out=treated[kind])
            if tied:
                treated[kind] += tied * counts[1]
        return treated

    def sum_outcomes(self, net: NDArray[Any], tied: Array | None) -> Array:
        """Return (p, n) sums of (P, n) wins less losses of the left system, and of (n,) ties."""
        sums = [self.fit.design.pull(self.sides @ net)]
        if tied is not None and self.fit.likelihood.law.free:
            sums.append(tied[None])
        if self.fit.likelihood.order_effect:
            sums.append(net.sum(axis=0, keepdims=True))
        return np.concatenate(sums)

    def expect(self, beta: Array, often: NDArray[Any]) -> Array:
        """Return (p, b) what (P, b) comparisons would show on average at (p, b) parameters."""
        design, likelihood = self.fit.design, self.fit.likelihood
        worths = self._place(beta)
        eta = worths[design.left] - worths[design.right]
        if likelihood.order_effect:
            eta += beta[-1]
        if isinstance(likelihood.law, TwoOutcomes):
            by_eta = np.tanh(eta, out=eta)
            by_eta *= often
            return self.sum_outcomes(by_eta, None)
        tie = beta[likelihood.n_worths] if likelihood.law.free else np.zeros(1)
        # (P, b) wins less losses, and ties, by Davidson's law; new arrays would cost more than sums
        root = np.abs(eta)
        np.exp(np.negative(root, out=root), out=root)
        weak = root * root
        root *= np.exp(np.minimum(tie, ENDLESS))
        each = often / (1.0 + weak + root)
        np.copysign(np.subtract(1.0, weak, out=weak), eta, out=weak)
        weak *= each
        root *= each
        return self.sum_outcomes(weak, root.sum(axis=0))

    def refit(self, often: NDArray[Any], sums: Array) -> tuple[Array, Array]:
        """Return (b, K) log-worths, and (b,) standard errors they may miss; ∞ beyond limits."""
        beta = np.repeat(self.fit.beta[:, None], often.shape[1], axis=1)
        last = missing = np.full(often.shape[1], np.inf)
        for turn in range(MAX_STEPS):
            step = self.fit.raw_vcov @ (sums - self.expect(beta, often))
            beta += step
            size = np.abs(step / self.scale).max(axis=0)
            rate = np.divide(size, last, out=np.zeros_like(size), where=last > 0)
            if turn:
                rest = size * rate / (1 - np.minimum(rate, MAX_STEP_RATIO))
                missing = np.where(rate < MAX_STEP_RATIO, rest, np.inf)
                missing = np.where(size == 0, 0.0, missing)
                if (missing <= MAX_MISSING).all() or (turn > 1 and (rate > MAX_STEP_RATIO).all()):
                    break
            last = size
        worths = self._place(beta)
        return 2 * worths.T, np.where(missing <= MAX_MISSING, missing, np.inf)

    def _place(self, beta: Array) -> Array:
        """Return (K, b) λ of the systems, the reference at 0."""
        worths = beta[: self.fit.likelihood.n_worths]
        return np.insert(worths, self.fit.design.reference, 0.0, axis=0)


def make_refitter(fit: Fit) -> Refitter | None:
    """Return what all refits share; None of models whose refits need more than sums."""
    design, likelihood = fit.design, fit.likelihood
    plain = design.matrix is None and likelihood.ties is None and not fit.model.prior
    k, many = len(fit.systems), len(design.left)
    if not plain or many != len(fit.tally.left) or k * many > MAX_DENSE_PAIRS:
        return None
    if not isinstance(likelihood.law, Davidson | TwoOutcomes):
        return None
    sides, each = np.zeros((k, many)), np.arange(many)
    sides[design.left, each], sides[design.right, each] = 1.0, -1.0
    return Refitter(fit, sides, np.sqrt(np.diag(fit.raw_vcov))[:, None])


# What resamples are drawn from: counts by cluster, and the pairs that they belong to.

MAX_DENSE_COUNTS: Final = 20_000_000  # Most numbers in the counts of all clusters


@dataclass(frozen=True, eq=False)
class ResamplingPlan:
    tally: Tally  # entries by cluster
    counts: Array  # (C, 3) their counts, turned as the pair stands in the fit
    pairs: Tally  # the counts that the model was fitted to, one entry per pair
    places: NDArray[np.int64]  # (C,) entry of `pairs` to which each entry belongs
    clusters: Array | None = None  # (G, 3, pairs) counts of every cluster, where they fit


def plan_resampling(fit: Fit, tally: Tally) -> ResamplingPlan:
    pairs, k = fit.tally, len(fit.systems)
    left, right = tally.left.astype(np.int64), tally.right.astype(np.int64)
    turned = np.zeros(len(left), dtype=bool) if fit.model.order_effect else left > right
    keys = np.where(turned, right * k + left, left * k + right)
    places = np.searchsorted(pairs.left.astype(np.int64) * k + pairs.right, keys)
    counts = np.where(turned[:, None], tally.counts[:, ::-1], tally.counts)
    return ResamplingPlan(tally, counts, pairs, places)


def plan_pairs(tally: Tally, clusterings: tuple[str, ...]) -> ResamplingPlan:
    """Return counts as they stand, for whatever is told from pairs alone."""
    counts, pairs, k = tally.pool(clusterings), tally.pool(), len(tally.systems)
    known, keys = (one.left.astype(np.int64) * k + one.right for one in (pairs, counts))
    return ResamplingPlan(counts, counts.counts, pairs, np.searchsorted(known, keys))


def fits_in_memory(plan: ResamplingPlan, clusterings: tuple[str, ...]) -> bool:
    """Say whether the counts of every cluster of a single way may stand side by side."""
    return (
        len(clusterings) == 1
        and plan.tally.factor(clusterings[0]).size * 3 * len(plan.pairs.left) <= MAX_DENSE_COUNTS
    )


def select_drawn(plan: ResamplingPlan, counts: Array) -> Tally:
    """Return the pairs that were drawn, from (3, pairs) counts, every system still named."""
    wins, ties, losses = counts
    pairs = replace(plan.pairs, wins=wins, ties=ties, losses=losses, factors={})
    return pairs.take(wins + ties + losses > 0)


def draw_counts(
    plan: ResamplingPlan, clusterings: tuple[str, ...], rng: np.random.Generator
) -> Array:
    """Return (3, pairs) counts of one resample."""
    if plan.clusters is not None:
        drawn = draw_clusters(len(plan.clusters), rng)
        return (drawn @ plan.clusters.reshape(len(drawn), -1)).reshape(3, -1)
    if clusterings:
        weights = np.ones(len(plan.places))
        for name in clusterings:
            factor = plan.tally.factor(name)
            weights *= draw_clusters(factor.size, rng)[factor.codes]
        counts = plan.counts * weights[:, None]
    else:
        shares = (plan.counts / plan.counts.sum()).ravel()
        answers = rng.multinomial(int(plan.counts.sum()), shares)
        counts = answers.reshape(-1, 3).astype(np.float64)
    return sum_by_pair(plan, counts)


def sum_by_pair(plan: ResamplingPlan, counts: Array) -> Array:
    """Add (C, 3) counts of entries up by pair: (3, pairs)."""
    size = len(plan.pairs.left)
    sums = [np.bincount(plan.places, counts[:, outcome], size) for outcome in range(3)]
    return np.stack(sums).astype(np.float64)


def draw_clusters(size: int, rng: np.random.Generator) -> Array:
    return rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)


MODEL_REPLICATES: Final = 300  # Resamples of other models, which take longer to fit
MAX_LOST_SHARE: Final = 0.05
REFITS_AT_ONCE: Final = 32  # Resamples that are refitted together
MIN_POISSON_ANSWERS: Final = 100_000  # Answers from which each cell is drawn by itself
MAX_CELLS_AT_ONCE: Final = 20_000_000  # Numbers of cells that are drawn together
Progress = Callable[[int, int], None] | None
# Log-worths of a resample, with standard errors they may miss; None where it determines none
Refit = tuple[Array, float] | None


@dataclass(frozen=True, eq=False)
class Draws:
    log_worth: Array  # (B, K) without the resamples that determine no worths
    lost: int  # number of such resamples
    missing: float = 0.0  # most model standard errors by which any may miss its maximum


def resample(
    fit: Fit,
    tally: Tally,
    clusterings: tuple[str, ...],
    *,
    rng: np.random.Generator,
    progress: Progress = None,
) -> Draws:
    plan, refitter = plan_resampling(fit, tally.pool(clusterings)), make_refitter(fit)
    refits: Iterator[Refit]
    if refitter is None:
        refits = _refit_each(fit.model, plan, clusterings, rng, REPLICATES)
    elif fits_in_memory(plan, clusterings):
        refits = _refit_clusters(refitter, plan, clusterings[0], rng)
    else:
        refits = _refit_counts(refitter, plan, clusterings, rng)
    return _gather(refits, REPLICATES, "use --interval sandwich, or pass --prior 1", progress)


def resample_model(
    model: Any,
    tally: Tally,
    clusterings: tuple[str, ...],
    *,
    rng: np.random.Generator,
    progress: Progress = None,
) -> Draws:
    plan = plan_pairs(tally, clusterings)
    plan = replace(plan, pairs=replace(plan.pairs, squares=None))
    refits = _refit_each(model, plan, clusterings, rng, MODEL_REPLICATES)
    return _gather(refits, MODEL_REPLICATES, "collect more, or rank by bradley-terry", progress)


def bootstrap_intervals(
    draws: Draws, evidence: Evidence, clustering: Clustering, level: float
) -> Intervals:
    """Return intervals from resampled log-worths, widened where clusters are few."""
    replicates = len(draws.log_worth) + draws.lost
    method = f"bootstrap by {clustering.name}, B={replicates}"
    if draws.missing:
        method += f", refits to about {draws.missing:.0e} model standard errors"
    known = evidence.factors
    factors = [known[name] for name in clustering.clusterings if name in known]
    intervals = resampled_intervals(draws.log_worth, factors, level, method)
    lost = [say("lost-resamples", lost=draws.lost, replicates=replicates)] * bool(draws.lost)
    return replace(intervals, notes=tuple(lost))


def _refit_each(
    model: Any, plan: ResamplingPlan, clusterings: tuple[str, ...], rng: np.random.Generator, n: int
) -> Iterator[Refit]:
    if fits_in_memory(plan, clusterings):  # a resample is then one product with a matrix
        size, factor = len(plan.pairs.left), plan.tally.factor(clusterings[0])
        flat = factor.codes.astype(np.int64) * size + plan.places
        sums = [np.bincount(flat, plan.counts[:, o], factor.size * size) for o in range(3)]
        clusters = np.stack(sums, axis=0).reshape(3, factor.size, size).transpose(1, 0, 2)
        plan = replace(plan, clusters=np.ascontiguousarray(clusters, dtype=np.float64))
    for _ in range(n):
        yield _try(model, select_drawn(plan, draw_counts(plan, clusterings, rng)))


def _try(model: Any, resample: Tally) -> Refit:
    try:
        return np.asarray(model.fit(resample).log_worth), 0.0
    except (NotIdentified, NotConverged):
        return None


def _gather(refits: Iterator[Refit], replicates: int, remedy: str, progress: Progress) -> Draws:
    draws: list[Array] = []
    missing = 0.0
    for done, one in enumerate(refits, start=1):
        if one is not None:
            draws.append(one[0])
            missing = max(missing, one[1])
        lost = done - len(draws)
        if lost > MAX_LOST_SHARE * replicates:
            raise NotIdentified(
                f"{lost} of the first {done} resamples determine no worths: the data are too thin"
                f" to be resampled; {remedy}"
            )
        if progress is not None:
            progress(done, replicates)
    return Draws(np.stack(draws), replicates - len(draws), missing)


def _refit_clusters(
    refitter: Refitter, plan: ResamplingPlan, name: str, rng: np.random.Generator
) -> Iterator[Refit]:
    """Refit on resamples of clusters, which are products with the counts of each."""
    factor, size = plan.tally.factor(name), len(plan.pairs.left)
    often, net, tied = refitter.treat(plan.counts.T)
    flat = factor.codes.astype(np.int64) * size + plan.places
    cells = factor.size, size
    often, net = (np.bincount(flat, one, factor.size * size).reshape(cells) for one in (often, net))
    of_ties = np.bincount(factor.codes, tied, factor.size).astype(np.float64)
    sums = refitter.sum_outcomes(net.T, of_ties)
    often = often.T.astype(np.float64)
    for some in _portions():
        drawn = np.stack([draw_clusters(factor.size, rng) for _ in some])
        refits = refitter.refit(often @ drawn.T, sums @ drawn.T)
        for weights, log_worth, missing in zip(drawn, *refits, strict=True):
            if np.isfinite(missing):
                yield log_worth, float(missing)
            else:
                values = sum_by_pair(plan, plan.counts * weights[factor.codes, None])
                yield _try(refitter.fit.model, select_drawn(plan, values))


def _refit_counts(
    refitter: Refitter, plan: ResamplingPlan, clusterings: tuple[str, ...], rng: np.random.Generator
) -> Iterator[Refit]:
    """Refit on resamples of single answers, or of two ways at once."""
    for drawn in _draw_portions(plan, clusterings, rng):
        often, net, tied = refitter.treat(drawn.astype(np.float64))
        refits = refitter.refit(often, refitter.sum_outcomes(net, tied.sum(axis=0)))
        for at, (log_worth, missing) in enumerate(zip(*refits, strict=True)):
            if np.isfinite(missing):
                yield log_worth, float(missing)
            else:
                counts = drawn[:, :, at].astype(np.float64)
                yield _try(refitter.fit.model, select_drawn(plan, counts))


def _draw_portions(
    plan: ResamplingPlan, clusterings: tuple[str, ...], rng: np.random.Generator
) -> Iterator[NDArray[Any]]:
    """Draw (3, pairs, b) counts of some resamples at a time."""
    counts = plan.counts
    if clusterings or counts.sum() < MIN_POISSON_ANSWERS or counts.max() > MAX_TABLE_MEAN:
        for some in _portions():
            yield np.stack([draw_counts(plan, clusterings, rng) for _ in some], axis=2)
        return
    # of very many single answers each cell's number is Poisson's, as if answers had come in at
    # will: their total varies then too, by so little that nobody sees it
    means = sum_by_pair(plan, counts).ravel()
    for some in _portions(
        max(REFITS_AT_ONCE, MAX_CELLS_AT_ONCE // means.size // REFITS_AT_ONCE * REFITS_AT_ONCE)
    ):
        drawn = draw_poisson(means, len(some), rng).reshape(3, -1, len(some))
        for start in range(0, len(some), REFITS_AT_ONCE):
            yield drawn[:, :, start : start + REFITS_AT_ONCE]


def _portions(size: int = REFITS_AT_ONCE) -> Iterator[range]:
    for start in range(0, REPLICATES, size):
        yield range(start, min(start + size, REPLICATES))
