"""From covariances or resamples to intervals, decided pairs, rank ranges and clusters.

A pair is decided when the interval of its difference leaves zero out. Ranges that follow from such
pairs are marginal: each holds at the level by itself, not all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Factor
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import normal_quantile, t_quantile
from evenhand.render.document import Finding

MAX_PAIR_SYSTEMS: Final = 500  # Most systems whose errors of all differences are kept
MAX_LISTED_SYSTEMS: Final = 50  # Most systems whose pairs are listed one by one, with p-values


REPLICATES: Final = 999  # Resamples, or replicates drawn for rank sets
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Way:
    name: str  # judge, item or ranking; judgment where single answers are clusters
    kind: str  # CV3 or CR1
    levels: int  # how many judges, say, there are
    clusters: int  # how many clusters: fewer where levels were merged at random


@dataclass(frozen=True, eq=False)
class Estimates:
    """What intervals are of: a number for each system, linear in the parameters of a fit."""

    systems: tuple[str, ...]  # names
    values: Array  # (K,) log-worths, or scores, in any gauge
    rows: Array  # (K, p) what each value is of the parameters, less the mean of all
    vcov: Array  # (p, p) covariance of the parameters where all answers are independent
    to_systems: Callable[[Array], Array]  # from (p, p) to (K, K), in any gauge
    inflation: float = 1.0  # times the variance by `vcov`, since one answer holds several


@dataclass(frozen=True, eq=False)
class Intervals:
    """Uncertainty of a board, in the order of the fit's systems; infinite for no interval."""

    stderr: Array  # (K,) standard errors of centred log-worths
    lower: Array  # (K,) lower ends
    upper: Array  # (K,) upper ends
    decided: NDArray[np.int8]  # (K, K) +1 where the row's system is better, −1 worse, 0 open
    method: str  # how, in a few words
    notes: tuple[Finding, ...] = ()  # what the reader should know
    ways: tuple[Way, ...] = ()  # ways of clustering; none with a model's or from draws
    parameters: Array = field(default_factory=lambda: np.zeros(0))  # (p,) standard errors; or empty
    df: float = np.inf  # degrees of freedom of the t distribution; infinite for the normal
    pairs: Array | None = None  # (K, K) errors of differences; None of over 500 systems
    rank_sets: RankSets | None = None  # what simultaneous decisions rest on, or None
    centred_on: NDArray[np.bool_] | None = None  # (K,) systems of mean zero; None for all


def centred_variance(vcov: Array, members: NDArray[np.bool_] | None = None) -> Array:
    """Return (K,) variances of log-worths centred on some members, all by default."""
    inside = np.ones(len(vcov), dtype=np.bool_) if members is None else members
    means = vcov[:, inside].mean(axis=1)
    return np.asarray(np.maximum(np.diag(vcov) - 2 * means + means[inside].mean(), 0.0))


def pair_variance(vcov: Array) -> Array:
    variance, diagonal = -2 * vcov, np.diag(vcov)
    variance += diagonal[:, None]
    variance += diagonal
    return np.asarray(np.maximum(variance, 0.0, out=variance))


def list_known(values: Array) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def find_root(vcov: Array) -> Array:
    """Return a matrix R with R Rᵀ = a covariance, which may be singular."""
    size, directions = np.linalg.eigh(vcov)
    return np.asarray(directions * np.sqrt(np.maximum(size, 0.0)))


def wald_intervals(
    log_worth: Array,
    vcovs: Sequence[Array],
    level: float,
    df: float,
    method: str,
    *,
    notes: tuple[Finding, ...] = (),
    ways: tuple[Way, ...] = (),
) -> Intervals:
    """Return symmetric intervals; of several covariances each contrast takes its largest."""
    critical = t_quantile((1 + level) / 2, df)
    method += f", t on {df:.0f} df" if df < np.inf else ""
    centred = log_worth - log_worth.mean()
    stderr = np.sqrt(np.max([centred_variance(vcov) for vcov in vcovs], axis=0))
    margin = np.sqrt(np.max([pair_variance(vcov) for vcov in vcovs], axis=0))
    better = (centred[:, None] - centred > critical * margin).astype(np.int8)
    return Intervals(
        stderr,
        centred - critical * stderr,
        centred + critical * stderr,
        better - better.T,
        method,
        notes=notes,
        ways=ways,
        df=df,
        pairs=margin if len(margin) <= MAX_PAIR_SYSTEMS else None,
    )


def percentile_intervals(draws: Array, level: float, method: str) -> Intervals:
    """Return percentile intervals of (B, K) resampled log-worths, in any gauge."""
    centred = draws - draws.mean(axis=1, keepdims=True)
    tails = [(1 - level) / 2, (1 + level) / 2]
    lower, upper = np.quantile(centred, tails, axis=0)
    decided = np.zeros((draws.shape[1], draws.shape[1]), dtype=np.int8)
    for i, of_system in enumerate(draws.T):
        low, high = np.quantile(of_system[:, None] - draws, tails, axis=0)
        decided[i] = (low > 0).astype(np.int8) - (high < 0).astype(np.int8)
    pairs = np.sqrt(pair_variance(np.cov(draws.T))) if len(decided) <= MAX_PAIR_SYSTEMS else None
    return Intervals(centred.std(axis=0, ddof=1), lower, upper, decided, method, pairs=pairs)


def resampled_intervals(
    draws: Array, factors: Sequence[Factor], level: float, method: str
) -> Intervals:
    """Return intervals from (B, K) resampled log-worths, widened where clusters are few."""
    if not factors:
        return percentile_intervals(draws, level, method)
    # the bootstrap divides by G where G − 1 is due, and knows nothing of Student's t
    fewest = max(2.0, min(float(factor.size) for factor in factors))
    effective = min(min(float(factor.size), factor.effective) for factor in factors)
    df, tail = max(1.0, effective - 1), (1 + level) / 2
    longer = t_quantile(tail, df) / t_quantile(tail, np.inf)
    centre, due = draws.mean(axis=0), np.sqrt(fewest / (fewest - 1))
    spread = centre + longer * due * (draws - centre)
    intervals = percentile_intervals(spread, level, f"{method}, widened by t on {df:.0f} df")
    pairs = None if intervals.pairs is None else intervals.pairs / longer
    return replace(intervals, stderr=intervals.stderr / longer, pairs=pairs, df=df)


def rank_ranges(decided: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return 1 + (decided < 0).sum(axis=1), len(decided) - (decided > 0).sum(axis=1)


def find_clusters(order: NDArray[np.int64], decided: NDArray[np.int8]) -> NDArray[np.int64]:
    # A line is drawn after a place if and only if everybody above it is decided to be better than
    # everybody below.
    k = len(order)
    unsure = decided[np.ix_(order, order)] <= 0
    furthest = k - 1 - np.argmax(unsure[:, ::-1], axis=1)  # nobody is better than oneself
    lines = np.maximum.accumulate(furthest)[:-1] == np.arange(k - 1)
    return np.concatenate([[1], 1 + np.cumsum(lines)])


# Rank sets: the places that the decided pairs leave to each system, all of them at once.
#
# lower = 1 + number of systems decided to be better,  upper = K − number decided to be worse
#
# Pairs are decided by max-|t| over all pairs with step-down, so that all sets hold the true ranks
# together at the level (Mogstad, Romano, Shaikh & Wilhelm 2024, Inference for ranks with
# applications to mobility across neighbourhoods and academic achievement across countries, Review
# of Economic Studies 91:476-518), for a number of judgments that was fixed beforehand. A marginal
# set is about one system that was chosen before looking: it holds by itself, and is never wider.

Decided = NDArray[np.int8]
Truths = NDArray[np.bool_]
MIN_CLUSTERS: Final = 5.0  # Effective clusters of a difference and its link, to be decided


@dataclass(frozen=True, eq=False)
class RankSets:
    """What decided pairs rest on. Arrays are in the order of the board, best first."""

    clusterings: tuple[str, ...]  # the clusterings, "judgment" where there is none
    replicates: int  # number of replicates drawn for each, B; 0 where critical values are Holm's
    critical: tuple[float, ...]  # critical value of |t| at every step
    statistic: Array  # (K, K) t of row less column
    decided: Decided  # (K, K) +1 where the row is decided to be better, −1 worse, 0 open
    alone: Decided  # (K, K) the same for each row by itself: marginal sets
    effective: Array  # (K, K) fewest effective clusters, or of links; infinite of judgments
    resting: Truths  # (K, K) whether a difference rests on one cluster alone
    apart: Truths  # (K, K) whether systems stand on different items or judges
    different: tuple[str, ...]  # of the two, what differs where they are apart
    way: Integers  # (K, K) place of the way that keeps a pair open, −1 for judgments
    clusters: Array  # (K, K) effective clusters of that way; 0 where judgments bind
    lone: Truths  # (W, K, K) whether a difference rests on one cluster of that way alone
    thin: Truths  # (W, K, K) whether it rests on too few effective clusters of that way
    adjusted: Array | None = None  # (K, K) adjusted p-values, NaN of none; None of very many

    def reorder(self, order: Integers) -> RankSets:
        rows, columns = np.ix_(order, order)
        arrays: dict[str, Any] = {
            name: one[..., rows, columns]
            for name, one in vars(self).items()
            if isinstance(one, np.ndarray)
        }
        return replace(self, **arrays)

    @property
    def barred(self) -> Truths:
        """(K, K) whether a difference may not be decided, whatever its size."""
        return np.asarray(self.apart | self.resting | (self.effective < MIN_CLUSTERS))

    @property
    def marginal(self) -> tuple[Integers, Integers]:
        """(K,) best and (K,) worst rank of every system, each by itself."""
        return rank_ranges(self.alone)

    def to_dict(self, systems: Sequence[str]) -> dict[str, Any]:
        first, second = np.triu_indices(len(systems), 1)
        better = self.decided[first, second]
        won = np.where(better > 0, first, second)[better != 0].tolist()
        lost = np.where(better > 0, second, first)[better != 0].tolist()
        fewest = float(self.effective[first, second].min())
        return {
            "clusterings": list(self.clusterings),
            "replicates": self.replicates,
            "critical": list(self.critical),
            "min_effective_clusters": None if np.isinf(fewest) else fewest,
            "single_cluster_pairs": int(self.resting[first, second].sum()),
            "pairs": len(first),
            "decided": [[systems[a], systems[b]] for a, b in zip(won, lost, strict=True)],
        }


def say_place(lower: int, upper: int, systems: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    low, high = (
        f"{place}{'th' if place % 100 in (11, 12, 13) else endings.get(place % 10, 'th')}"
        for place in (lower, upper)
    )
    anywhere = ", that is anywhere" if (lower, upper) == (1, systems) else ""
    return low if lower == upper else f"{low} to {high}{anywhere}"


# How many more judgments decide a pair (`design.more_judgments` has the formula).

POWER: Final = 0.8  # With which a pair is decided, unless told otherwise
STEPS: Final = 60  # Halvings of the search for t: more than digits of a number


def find_times(today: float, apart: float, critical: float, power: float = POWER) -> float | None:
    """Return how many times as many judgments decide a pair with a power (.5 or more)."""
    if today > critical:
        return 1.0
    if apart <= 0:
        return None
    sure = normal_quantile(power)

    def is_short(more: float) -> bool:
        needed = critical * np.sqrt(1 + more) + sure * np.sqrt(more)
        return bool(today + more * apart < needed)

    low, high = 0.0, 1.0
    while is_short(high):
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_short(middle) else (low, middle)
    return 1 + high
