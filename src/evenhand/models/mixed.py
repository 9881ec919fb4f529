"""The mixed model of ratings: systems fixed; judges, items and their tastes for systems random.

    y = μ_system + judge + item + (judge x system) + (item x system) + e
    df = 2 v² / (gᵀ A g),   v = lᵀ (XᵀV⁻¹X)⁻¹ l,   g = ∂v/∂θ

Variances θ are those of restricted maximum likelihood, A the inverse of the observed information on
those that are not 0, as lmerTest has it; all systems are compared at once by its F (Fai & Cornelius
1996, Journal of Statistical Computation and Simulation 54:363-378). Sources: Satterthwaite (1946),
Biometrics Bulletin 2:110-114; Kuznetsova, Brockhoff & Christensen (2017), Journal of Statistical
Software 82(13). When not to use it: docs/ratings.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np

from evenhand.data.rating_rows import RatingRows, average_repeats
from evenhand.data.results import (
    ITEM,
    ITEM_SYSTEM,
    JUDGE,
    JUDGE_ITEM,
    JUDGE_SYSTEM,
    RESIDUAL,
    SYSTEM,
    Component,
)
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, listing, require_option
from evenhand.models.rating_components import (
    MAX_COST_PROFILED,
    MIN_OWN_SHARE,
    Factor,
    Identified,
    Peak,
    Problem,
    Term,
    arrange,
    explain,
    find_peak,
    identify,
    make_terms,
    slope_means,
    solve_equations,
)
from evenhand.models.rating_fit import (
    Predicted,
    RatingFit,
    RatingModel,
    ScoredRows,
    find_levels,
    find_systems,
    find_unlinked,
    predict_normal,
    tabulate_differences,
)
from evenhand.models.texts import say, say_ratings
from evenhand.numerics import Array, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import f_tail
from evenhand.numerics.newton import one_blas_thread
from evenhand.render.document import Column, Finding, Table

RANDOM: Final = (JUDGE, ITEM, JUDGE_SYSTEM, ITEM_SYSTEM)
GAIN_LEFT: Final = 1e-12  # Twice the log-likelihood still to be gained at the end (nats)
DOUBTFUL: Final = 0.05  # p-value from which a test says nothing
LOG_STEP: Final = 3e-4  # In log variance, of numerical derivatives
SPREAD_ROUNDING: Final = 1e-12  # Share of the mean below which the sd of scores is rounding


@dataclass(frozen=True)
class FTest:
    statistic: float  # F
    df: int  # systems less one
    df_below: float  # Satterthwaite's
    p: float


def _widen_single(rows: RatingRows) -> float:
    """Return how much larger the variance of a single score is than that of the mean of repeats."""
    if rows.judges == ("",) or rows.items == ("",):
        return 0.0
    cell = number_groups(rows.judge, rows.item, rows.system)
    counts = np.bincount(cell)
    repeats = rows.size - len(counts)
    if not repeats:
        return 0.0
    means = np.bincount(cell, rows.score) / counts
    within = float(((rows.score - means[cell]) ** 2).sum()) / repeats
    return within * float((1 - 1 / counts).mean())


def _tell_apart(known: Identified, score: Array) -> tuple[Identified, Problem]:
    """Drop the effects that the means of systems leave no variance of their own."""
    # With matrices D_k = Z_k Z_kᵀ and P as usual, variances are distinguished if the P D_k P are
    # linearly independent; and these are if the vectors P D_k P x are, x drawn at random. That
    # is the average information on scores x.
    probe = np.random.Generator(np.random.PCG64(1)).standard_normal(len(score))
    system, *terms = known.terms
    problem = _arrange(score, terms, system)
    solved = solve_equations(replace(problem, score=probe), np.ones(len(terms) + 1))
    information = solved.information
    numbers, carries, reasons = [len(terms)], dict(known.carries), list(known.reasons)
    for at, term in enumerate(terms):
        # nothing at all is left of a matrix within the means of systems
        empty = information[at, at] <= MIN_OWN_SHARE * information[-1, -1]
        if not empty and explain(information, numbers, at)[1] > MIN_OWN_SHARE:
            numbers.append(at)
        else:
            reasons.append(say("in-the-means", name=term.name))
            carries[SYSTEM] = (*carries.get(SYSTEM, ()), term.name)
    if len(numbers) <= len(terms):
        terms = [terms[at] for at in numbers[1:]]
        problem = _arrange(score, terms, system)
    return Identified((system, *terms), carries, tuple(reasons)), problem


def _arrange(score: Array, terms: Sequence[Term], system: Term) -> Problem:
    arrangement = arrange(terms, system)
    if arrangement is None:
        raise NotIdentified(
            "judges, systems and items are too many for the mixed model",
            ["use --model adjusted", "take a part of the items (--where)"],
        )
    return Problem(score, terms, system, arrangement)


def _inform(problem: Problem, peak: Peak) -> Array:
    """Return the information on the logs of the variances that are not 0, the observed one."""
    free = np.flatnonzero(~peak.zero)
    scale = peak.variances[free]
    average = peak.solved.information[np.ix_(free, free)] * scale * scale[:, None]
    if problem.arrangement.cost > MAX_COST_PROFILED:  # so many scores that they hardly differ
        return average
    observed = np.empty_like(average)
    for place, at in enumerate(free.tolist()):  # central differences of the gradient
        ends = []
        for side in (-1, 1):
            variances = peak.variances.copy()
            variances[at] *= np.exp(side * LOG_STEP)
            ends.append((variances * solve_equations(problem, variances).gradient)[free])
        observed[place] = (ends[0] - ends[1]) / (2 * LOG_STEP)
    observed = (observed + observed.T) / 2
    return observed if np.linalg.eigvalsh(observed)[0] > 0 else average


def _match(term: Term, seen: RatingRows, rows: RatingRows) -> Integers:
    """Return (n,) the level of a term that each row has, such as its judge; −1 where it is new."""
    own, other = np.zeros(seen.size, dtype=np.int64), np.zeros(rows.size, dtype=np.int64)
    new = np.zeros(rows.size, dtype=np.bool_)
    for role in term.name.split(" x "):
        names, codes = seen.labels(role)
        levels = find_levels(names, rows, role)
        own, other = own * len(names) + codes, other * len(names) + levels
        new |= levels < 0
    present, first = np.unique(own, return_index=True)
    at = np.minimum(np.searchsorted(present, other), len(present) - 1)
    return np.asarray(np.where(new | (present[at] != other), -1, term.codes[first][at]))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MixedFit(RatingFit):
    """Means of systems by generalised least squares, and the variances that they rest on."""

    vcov: Array
    loglik: float  # restricted log-likelihood (nats)
    components: tuple[Component, ...]  # of the random effects, the residual last
    slopes: Array  # (P, K, K) slopes of vcov by the log of each variance that is not 0
    variances_vcov: Array  # (P, P) covariance of these logs

    problem: Problem  # the equations, of scores of mean 0 and variance 1
    peak: Peak  # variances and effects that solve them
    unit: tuple[float, float]  # mean and standard deviation of the scores
    rows: RatingRows  # the scores, repeats averaged
    single: float = 0.0  # variance of a single score beyond that of the mean of its repeats

    assumes: ClassVar[str] = "judges and items drawn at random"

    def predict(self, rows: RatingRows, points: Array) -> Predicted:
        """Predict scores by what is expected of known judges, items and outputs.

        Effects are those of best linear unbiased prediction, and what is not known of them, or
        nothing where they are new, is in the variance.
        """
        mean, variance = self.estimate[find_systems(self, rows)], np.zeros(rows.size)
        made, scale = self.problem.arrangement, self.problem.scale(self.peak.variances)
        residual = float(self.peak.variances[-1])
        left = residual * Factor.of(made, scale, residual).diagonal * scale**2
        spread = self.unit[1]
        for at, (term, start) in enumerate(zip(self.problem.terms, made.starts, strict=True)):
            if self.peak.zero[at]:
                continue
            place = _match(term, self.rows, rows)
            known, of = place >= 0, place + start
            mean = mean + spread * np.where(known, self.peak.solved.effects[of], 0.0)
            variance += np.where(known, left[of], self.peak.variances[at])
        total = spread**2 * (variance + residual) + self.single
        return predict_normal(rows.score, points, mean, total)

    @property
    def df(self) -> float:
        return max(self.f_test.df_below, 1.0)

    def find_df(self, weights: Array) -> float:
        return float(self._find_df(weights[None])[0])

    def _find_df(self, weights: Array) -> Array:
        """Return (m,) Satterthwaite's degrees of freedom of (m, K) contrasts."""
        variances = np.einsum("mi,ij,mj->m", weights, self.vcov, weights)
        slopes = np.einsum("mi,pij,mj->mp", weights, self.slopes, weights)
        errors = np.einsum("mp,pq,mq->m", slopes, self.variances_vcov, slopes)
        return np.asarray(2 * variances**2 / errors)

    @cached_property
    def f_test(self) -> FTest:
        q = len(self.systems) - 1
        differences = np.eye(q, q + 1) - np.eye(q, q + 1, 1)
        values, vectors = np.linalg.eigh(differences @ self.vcov @ differences.T)
        weights = vectors.T @ differences
        statistic = float(((weights @ self.estimate) ** 2 / values).mean())
        below = self._find_df(weights)
        expected = float((below[below > 2] / (below[below > 2] - 2)).sum())
        df = float(below[0]) if q == 1 else 2 * expected / (expected - q) if expected > q else 0.0
        return FTest(statistic, q, df, f_tail(statistic, q, df) if df > 0 else 1.0)

    @property
    def says(self) -> tuple[Finding, ...]:
        test = self.f_test
        code = "systems-differ" if test.p < DOUBTFUL else "systems-alike"
        values = {"df": test.df, "below": test.df_below, "statistic": test.statistic}
        return (say_ratings(code, p=test.p, **values),)

    @property
    def signature_parts(self) -> tuple[str, ...]:
        names = self.model.random
        return () if names == RANDOM else (f"random {', '.join(names) or 'none'}",)

    @property
    def tables(self) -> tuple[Table, ...]:
        total = sum(one.variance for one in self.components)
        rows = [
            {"name": one.title, "levels": one.levels, "sd": one.sd, "share": one.variance / total}
            for one in self.components
        ]
        columns = (
            Column("name", "source", "name"),
            Column("levels", "levels", "count"),
            Column("sd", "sd", "figures"),
            Column("share", "variance", "share"),
        )
        effects = Table("components", "Random effects", columns, tuple(rows))
        return (tabulate_differences(self), effects)

    @property
    def extras(self) -> dict[str, Any]:
        return {
            "loglik": self.loglik,
            "f_test": vars(self.f_test),
            "differences": [one.to_dict() for one in self.compare_all()],
            "components": [one.to_dict() for one in self.components],
        }


@dataclass(frozen=True)
class Mixed(RatingModel[MixedFit]):
    """Systems fixed; judges, items and their tastes for systems random.

    Attributes:
        random: which effects are random; "judge x item" may be added.

    >>> import polars as pl
    >>> import evenhand
    >>> judges = ["ann"] * 4 + ["ben"] * 4 + ["cy"] * 4
    >>> scores = [3, 2, 5, 3, 5, 4, 4, 4, 4, 3, 5, 2]
    >>> table = {"judge": judges, "item": ["a", "a", "b", "b"] * 3, "system": ["x", "y"] * 6}
    >>> fit = evenhand.Mixed().fit(evenhand.read(pl.DataFrame(table | {"score": scores})))
    >>> fit.contrasts([("x", "y")])[0].estimate
    1.3333333
    >>> [one.name for one in fit.components]
    ['judge', 'item', 'item x system', 'judge x system', 'residual']
    """

    random: tuple[str, ...] = RANDOM

    def __post_init__(self) -> None:
        object.__setattr__(self, "random", tuple(self.random))
        for name in self.random:
            require_option("random effect", name, (*RANDOM, JUDGE_ITEM))
        if len(set(self.random)) < len(self.random):
            raise UnknownOption(f"random effects {listing(self.random)}: one is named twice")

    def _fit(self, scores: ScoredRows) -> MixedFit:
        rows, notes = average_repeats(scores.rows)
        unknown = {JUDGE, ITEM}.difference(scores.factors)
        terms = [term for term in make_terms(rows) if term.name in (SYSTEM, *self.random)]
        known = identify([one for one in terms if unknown.isdisjoint(one.name.split(" x "))])
        if not known.terms or known.terms[0].name != SYSTEM:
            raise NotIdentified(
                "the mixed model has nothing to compare: " + "; ".join(known.reasons),
                ["collect several scores of two systems or more"],
            )
        mean, spread = float(rows.score.mean()), float(rows.score.std())
        if spread <= SPREAD_ROUNDING * abs(mean):
            raise NotIdentified("all scores are equal: there is nothing to rank by")
        with one_blas_thread():
            known, problem = _tell_apart(known, (rows.score - mean) / spread)
            try:
                peak = find_peak(problem, GAIN_LEFT)
            except (NotIdentified, NotConverged) as refusal:
                raise type(refusal)(refusal.cause, ["use --model adjusted or mean"]) from None
            information = _inform(problem, peak)
            slopes = slope_means(problem, peak.variances)[~peak.zero]
        unlinked = find_unlinked(scores)
        if unlinked is not None and {JUDGE, ITEM}.isdisjoint(known.carries.get(SYSTEM, ())):
            # errors account for random judges and items, so that these differences have some
            notes, unlinked = (*notes, unlinked.say("unlinked-random")), None
        k = problem.fixed.size
        sds = spread * np.sqrt(np.where(peak.zero, 0.0, peak.variances))
        names = [*((term.name, term.size) for term in problem.terms), (RESIDUAL, rows.size)]
        components = tuple(
            Component(name, float(sd), size, carries=known.carries.get(name, ()))
            for (name, size), sd in zip(names, sds, strict=True)
        )
        centre = np.eye(k) - 1 / k
        fit = MixedFit(
            model=self,
            systems=scores.systems,
            estimate=mean + spread * peak.solved.effects[:k],
            vcov=spread**2 * centre @ peak.solved.means_vcov @ centre,
            counts=scores.counts,
            means=scores.means,
            loglik=peak.solved.value - problem.df * float(np.log(spread)),
            components=components,
            slopes=spread**2 * centre @ slopes @ centre,
            variances_vcov=np.asarray(np.linalg.inv(information)),
            notes=(*notes, *known.reasons),
            problem=problem,
            peak=peak,
            unit=(mean, spread),
            rows=rows,
            single=_widen_single(scores.rows),
        )
        return fit.mark_unlinked(unlinked)
