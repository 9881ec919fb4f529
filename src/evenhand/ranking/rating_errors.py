"""How sure scores of systems are: errors by judges and items, without refits.

    V_c = max(V_J, V_I, V_J + V_I − V_JI)

V_J and V_I are jackknives over whole judges and whole items (`numerics.absorption` has what leaving
one out changes), V_JI is the sandwich by cells of both: a cell is what one judge said of one item.
From there everything is as with comparisons (`rank_sets`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.tally import Factor, merge_levels
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.means import LeastSquaresFit
from evenhand.models.rating_fit import RatingFit, contrast_basis
from evenhand.numerics import Array
from evenhand.numerics.absorption import sum_clusters, sum_squares
from evenhand.numerics.cluster_means import cross_ways, number_groups
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking import covariance
from evenhand.ranking.clustering import MAX_CLUSTERS, Clustering, choose_clustering, wanted_factors
from evenhand.ranking.intervals import Estimates, Intervals, Way, wald_intervals
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.sandwich import MAX_DENSE, Answers, find_singular
from evenhand.ranking.settings import Settings

MIN_MERGED: Final = 20  # Fewest clusters that many are merged into, however many the systems
EQUAL: Final = 1e-9  # Difference beside the sd of a residual that is rounding and no difference
ROUNDING: Final = 1e-18  # Variance beside the largest square of a score, below which it is rounding


@dataclass(frozen=True, eq=False)
class ScoredAnswers:
    """What ratings may cluster by."""

    factors: Mapping[str, Factor]  # "judge" and "item", those that are known
    n_answers: float  # number of ratings

    @property
    def n_comparisons(self) -> float:
        return self.n_answers

    def at_least(self, answers: float) -> float:
        return answers


def find_rating_intervals(
    fit: RatingFit, answers: ScoredAnswers, settings: Settings, sign: float
) -> tuple[Clustering, Intervals]:
    """Return the clusters and the intervals of a fit to ratings, in the fit's order of systems.

    sign: −1 where lower scores are better.

    Raises:
        NotIdentified: nothing shows how far other ratings might differ.
        UnknownOption: an interval that this model has not.

    """
    refuse_flat(fit)
    clustering = Clustering(())
    clustered = isinstance(fit, LeastSquaresFit) and settings.interval != "model"
    if settings.cluster is not None and not clustered:
        raise UnknownOption(
            f"{settings.name} with interval '{settings.interval}' has errors of its own: leave"
            " cluster out, or choose --model adjusted with interval 'rank-sets' or 'sandwich'"
        )
    if isinstance(fit, LeastSquaresFit) and clustered:
        basis = fit.basis
        estimates = Estimates(
            fit.systems, sign * fit.estimate, basis, fit.variance * fit.bread, partial(lift, basis)
        )
        wanted_factors(settings.cluster, {*answers.factors})
        clustering = choose_clustering(settings.cluster, answers)
        clustering, spread = find_spread(fit, answers, clustering, settings)
    else:
        basis = contrast_basis(len(fit.systems))
        if fit.vcov is None:
            raise NotIdentified("this model knows no errors, so that it has no intervals")
        vcov = basis.T @ fit.vcov @ basis
        estimates = Estimates(fit.systems, sign * fit.estimate, basis, vcov, partial(lift, basis))
        method = f"model, {fit.assumes}"
        spread = covariance.Spread((), [vcov], fit.df, method, ())
    if settings.interval == "rank-sets":
        return clustering, decide_all(estimates, spread, settings.level, settings.seed)
    df = spread.df
    critical = t_quantile((1 + settings.level) / 2, df)
    method = spread.method if settings.interval == "model" else f"sandwich {spread.method}"
    method += f", t on {df:.0f} df" if np.isfinite(df) else ""
    vcovs = [estimates.to_systems(one) for one in spread.vcovs]
    intervals = wald_intervals(estimates.values, vcovs, critical, method)
    return clustering, replace(intervals, notes=spread.notes, ways=spread.ways, df=df)


def lift(basis: Array, vcov: Array) -> Array:
    """Turn a covariance of contrasts into that of systems."""
    return np.asarray(basis @ vcov @ basis.T)


def refuse_flat(fit: RatingFit) -> None:
    """Refuse scores that do not vary beyond systems, judges and items."""
    if not isinstance(fit, LeastSquaresFit):
        return
    largest = 1.0 if fit.scale == "z" else float(np.abs(fit.data.score).max())
    if fit.variance <= ROUNDING * max(largest**2, np.finfo(np.float64).tiny):
        raise NotIdentified(
            "scores do not vary beyond what systems, judges and items explain: nothing shows how"
            " far others would differ",
            ["collect more ratings"],
        )


def find_spread(
    fit: LeastSquaresFit, answers: ScoredAnswers, clustering: Clustering, settings: Settings
) -> tuple[Clustering, covariance.Spread]:
    """Cluster by every way that can be; one that determines nothing is refused if requested."""
    estimate = partial(leave_out, fit, answers.factors, settings.cluster)
    clustering, found = covariance.estimate_each(
        estimate, clustering, answers, requested=settings.cluster
    )
    ways = tuple(found.values())
    n = len(fit.residual)
    rows = fit.basis @ fit.bread
    if not ways:
        single = sum_squares(fit.absorbed, fit.residual, np.arange(n), n, rows)
        method = "CR1 by judgment"
        way = (Way("judgment", "CR1", n, n),)
        vcov = single * (n / fit.df)
        return clustering, covariance.Spread((), [vcov], fit.df, method, way)
    vcovs = [way.vcov for way in ways]
    if len(ways) > 1:
        cells = number_groups(*(way.factor.codes for way in ways))
        crossed = sum_squares(fit.absorbed, fit.residual, cells, int(cells.max()) + 1, rows)
        vcovs = cross_ways(vcovs, crossed * (n / fit.df))
    described, method, df = covariance.describe_ways(ways)
    return clustering, covariance.Spread(ways, vcovs, df, method, described)


def leave_out(
    fit: LeastSquaresFit, factors: Mapping[str, Factor], requested: str | None, name: str
) -> covariance.ClusteredErrors:
    """Return errors by one way of clustering; refuse one by which no pair can be decided."""
    basis, p = fit.basis, fit.basis.shape[1]
    limit = max(MIN_MERGED, min(MAX_CLUSTERS, MAX_DENSE // (p + 1) ** 2))
    factor = merge_levels(factors[name], limit, SEED)
    sums = sum_clusters(fit.absorbed, fit.residual, factor.codes, factor.size)
    information = np.matmul(np.matmul(basis.T, sums.information), basis)
    held = np.flatnonzero(np.einsum("gii->g", information) > 0)
    if len(held) < 2:
        raise NotIdentified("all differences are of one cluster: there is no spread between")
    total = basis.T @ fit.absorbed.information @ basis
    left_out = covariance.LeftOut(
        basis, total, fit.bread, information[held], sums.scores[held] @ basis, held
    )
    alone = find_singular(Answers(total, fit.bread), information[held])
    parts = {g: covariance.invert_parts(total - information[held[g]], basis) for g in alone}
    way = left_out.leave_out(name, factor, parts, parts)
    shown = covariance.find_linked(way, requested=requested)
    # systems with the same scores are never decided, so that they do not speak for the others
    apart = np.abs(fit.estimate[:, None] - fit.estimate) > EQUAL * np.sqrt(fit.variance)
    shown = shown & apart if (shown & apart).any() else shown
    of_model = lift(basis, fit.variance * fit.bread)
    covariance.refuse_alike(fit.systems, lift(basis, way.vcov), of_model, name, shown)
    return way
