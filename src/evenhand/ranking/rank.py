"""The main job: from judgments to a ranking that can be believed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified, UnknownOption, require_option
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import Levels, count_levels
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Factor, Tally, merge_levels
from evenhand.numerics.distributions import normal_quantile, t_quantile
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.coefficients import Contrast
from evenhand.preference.fit import Fit
from evenhand.ranking.bootstrap import REPLICATES, resample
from evenhand.ranking.clustering import Clustering, choose_clustering, wanted_factors
from evenhand.ranking.intervals import (
    Intervals,
    find_clusters,
    percentile_intervals,
    rank_ranges,
    wald_intervals,
)
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.signature import sign
from evenhand.ranking.sandwich import (
    cluster_covariance,
    crossed_covariance,
    judgment_covariance,
    take_apart,
)

Array = NDArray[np.float64]
INTERVALS: Final = ("sandwich", "model", "bootstrap")
CLUSTERS: Final = 200
"""Most clusters of one way: more are merged at random into as many of about equal load."""
SEED: Final = 20131
TOP: Final = 20
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Settings:
    """What was asked of `rank`."""

    model: BradleyTerry
    interval: str
    cluster: str | None
    level: float
    seed: int
    progress: Progress | None

    def __post_init__(self) -> None:
        if self.interval == "rank-sets":
            raise UnknownOption(
                "interval 'rank-sets' is not there yet: choose sandwich | model | bootstrap"
            )
        require_option("interval", self.interval, INTERVALS)
        if self.interval == "model" and self.cluster is not None:
            raise UnknownOption(
                "interval 'model' assumes independent judgments and knows no clusters: leave out"
                " cluster, or choose interval 'sandwich' or 'bootstrap'"
            )
        if not 0 < self.level < 1:
            raise UnknownOption(f"level cannot be {self.level}: it lies between 0 and 1, as .95")
        if self.model.judge_covariates:
            raise UnknownOption(
                "a ranking is one for all judges: leave out judge covariates, or rank each group"
                f" apart (--group-by {self.model.judge_covariates[0]})"
            )


def rank(
    data: Comparisons | Rankings,
    *,
    model: BradleyTerry | None = None,
    interval: str = "sandwich",
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    group_by: str | None = None,
    progress: Progress | None = None,
) -> Ranking | GroupedRankings:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    Args:
        data: comparisons or rankings; several tasks are ranked task by task.
        model: the preference model; Davidson's ties by default.
        interval: "sandwich" (clustered), "model" (assumes independent judgments) or "bootstrap".
        cluster: judgment | judge | item | ranking | judge+item; by default what the data have.
        level: nominal level of intervals (proportion).
        seed: of everything random; it stands in the signature.
        group_by: a column whose levels are ranked apart.
        progress: called with steps done and to do.

    Returns:
        A ranking, or one per task or group.

    Raises:
        NotIdentified: the data determine no worths; says what to collect.
        InvalidJudgments: a value in the data that cannot be.
        UnknownOption: a setting that does not exist or does not fit.

    """
    settings = Settings(model or BradleyTerry(), interval, cluster, level, seed, progress)
    table = data.comparisons() if isinstance(data, Rankings) else data
    by = table.require(group_by) if group_by is not None else None
    if by is None and table.has("task"):
        by = "task"
    ways = () if interval == "model" else wanted_factors(cluster, _present(table))
    if by is None:
        return _rank_one(table, ways, settings)
    return _rank_groups(table, by, ways, settings)


def _present(table: Comparisons) -> set[str]:
    return {name for name in ("judge", "item", "ranking") if table.has(name)}


def _rank_one(table: Comparisons, ways: tuple[str, ...], settings: Settings) -> Ranking:
    tally = table.tally(by=ways, limits=dict.fromkeys(ways, CLUSTERS))
    levels = {
        name: tally.factors[name].loads if name in ways else count_levels(table, name)
        for name in ("judge", "item")
        if table.has(name) and (name in ways or name == "judge")
    }
    return make_ranking(tally, Levels(levels), settings)


def _rank_groups(
    table: Comparisons, by: str, ways: tuple[str, ...], settings: Settings
) -> Ranking | GroupedRankings:
    named = [name for name in ("judge", *ways) if table.has(name) and name != by]
    kept = tuple(dict.fromkeys([*(w for w in ways if w != by), *named]))
    parts = table.tally(by=(by, *kept)).split(by)
    answers = table.rankings.count_by(by) if table.rankings is not None else {}
    rankings: dict[str, Ranking] = {}
    refused: dict[str, str] = {}
    for name, part in parts.items():
        loads = {w: part.factors[w].loads for w in named}
        own = {w: merge_levels(part.factors[w], CLUSTERS, settings.seed) for w in ways if w != by}
        n = answers.get(name, part.n_judgments)
        try:
            tally = replace(part, factors=own, n_judgments=n)
            rankings[name] = make_ranking(tally, Levels(loads), settings)
        except (NotIdentified, NotConverged) as refusal:
            if len(parts) == 1:
                raise
            refused[name] = str(refusal)
    if len(parts) == 1:
        return next(iter(rankings.values()))
    if not rankings:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return GroupedRankings(rankings, by, refused)


def make_ranking(tally: Tally, levels: Levels, settings: Settings) -> Ranking:
    """Fit, put intervals around, and order."""
    fit = settings.model.fit(tally)
    answers = tally.n_judgments
    if settings.interval == "model":
        clustering = Clustering((), levels.headline())
        intervals = _model_intervals(fit, settings.level)
    else:
        clustering = choose_clustering(settings.cluster, tally.factors, answers)
        clustering, intervals = _clustered(fit, tally, clustering, settings)
    return _order(fit, tally, levels, (clustering, intervals), settings)


def _model_intervals(fit: Fit, level: float) -> Intervals | None:
    if fit.vcov is None:
        return None
    critical = normal_quantile((1 + level) / 2)
    return wald_intervals(fit.log_worth, [fit.worth_vcov], critical, "model, independent judgments")


def _clustered(
    fit: Fit, tally: Tally, clustering: Clustering, settings: Settings
) -> tuple[Clustering, Intervals | None]:
    """Return intervals by cluster; a way whose cluster alone links some systems is given up."""
    if fit.vcov is None:
        return clustering, None
    if settings.interval == "bootstrap":
        return clustering, _bootstrap_intervals(fit, tally, clustering, settings)
    try:
        return clustering, _sandwich_intervals(fit, tally, clustering, settings.level)
    except NotIdentified as refusal:
        if settings.cluster is not None:
            raise NotIdentified(
                f"{refusal}: no interval by {clustering.name}; use --cluster judgment"
            ) from refusal
        note = f"{refusal}: clustered by judgment instead"
        weaker = replace(clustering, ways=(), notes=(*clustering.notes, note))
        return weaker, _sandwich_intervals(fit, tally, weaker, settings.level)


def _sandwich_intervals(
    fit: Fit, tally: Tally, clustering: Clustering, level: float
) -> Intervals:
    pieces = take_apart(fit, tally)
    ways = clustering.ways
    if not ways:
        vcov = fit.to_worth(judgment_covariance(fit, pieces))
        critical = normal_quantile((1 + level) / 2)
        return wald_intervals(fit.log_worth, [vcov], critical, "sandwich CR1 by judgment")
    found = [cluster_covariance(fit, pieces, name) for name in ways]
    vcovs = [fit.to_worth(vcov) for vcov, _ in found]
    if len(ways) == 2:
        crossed = fit.to_worth(crossed_covariance(fit, pieces, (ways[0], ways[1])))
        vcovs.append(vcovs[0] + vcovs[1] - crossed)
    df = min(_degrees(tally.factors[name]) for name in ways)
    kinds = "/".join(dict.fromkeys(kind for _, kind in found))
    critical = t_quantile((1 + level) / 2, df)
    method = f"sandwich {kinds} by {clustering.name}, t on {df:.0f} df"
    return wald_intervals(fit.log_worth, vcovs, critical, method)


def _degrees(factor: Factor) -> float:
    """Return degrees of freedom: effective clusters less one (INFERENCE B6)."""
    return max(1.0, min(float(factor.size), factor.effective) - 1)


def _bootstrap_intervals(
    fit: Fit, tally: Tally, clustering: Clustering, settings: Settings
) -> Intervals:
    if tally.squares is not None:
        raise UnknownOption("importance weights cannot be resampled: use interval 'sandwich'")
    rng = np.random.Generator(np.random.PCG64(settings.seed))
    draws = resample(fit, tally, clustering.ways, rng=rng, progress=settings.progress)
    method = f"bootstrap by {clustering.name}, B={REPLICATES}"
    found = percentile_intervals(fit.log_worth, draws.log_worth, settings.level, method)
    if not draws.lost:
        return found
    note = f"{draws.lost} of {REPLICATES} resamples determine no worths and were left out"
    return replace(found, notes=(note,))


def _order(
    fit: Fit,
    tally: Tally,
    levels: Levels,
    found: tuple[Clustering, Intervals | None],
    settings: Settings,
) -> Ranking:
    """Put everything in the order of the board, best first, equal estimates by name."""
    clustering, intervals = found
    centred = fit.log_worth - fit.log_worth.mean()
    order = np.lexsort((np.arange(len(centred)), -centred))
    won, tied, lost = _totals(fit.tally)
    places = _places(centred[order])
    board = {} if intervals is None else _board(intervals, order)
    return Ranking(
        systems=tuple(fit.systems[i] for i in order),
        log_worth=centred[order],
        stderr=board.get("stderr"),
        lower=board.get("lower"),
        upper=board.get("upper"),
        rank=places,
        rank_lower=board.get("rank_lower"),
        rank_upper=board.get("rank_upper"),
        cluster=board.get("cluster"),
        better_than=board.get("better_than"),
        wins=won[order],
        ties=tied[order],
        losses=lost[order],
        level=settings.level,
        interval=settings.interval,
        method=intervals.method if intervals is not None else "no intervals",
        rank_interval="marginal",
        n_judgments=tally.n_judgments,
        n_comparisons=tally.n_comparisons,
        n_judges=levels.count("judge"),
        effective_judges=levels.effective("judge"),
        n_items=levels.count("item"),
        signature=sign(fit, tally, levels, intervals, settings),
        headline=clustering.headline,
        notes=(*_notes(fit, tally, intervals), *clustering.notes),
        neighbours=() if intervals is not None else _neighbours(fit, order),
        fit=fit,
    )


def _board(intervals: Intervals, order: NDArray[np.int64]) -> dict[str, Any]:
    """Reorder intervals, and derive rank ranges and clusters."""
    lowest, highest = rank_ranges(intervals.decided)
    return {
        "stderr": intervals.stderr[order],
        "lower": intervals.lower[order],
        "upper": intervals.upper[order],
        "rank_lower": lowest[order],
        "rank_upper": highest[order],
        "cluster": find_clusters(order, intervals.decided),
        "better_than": (intervals.decided > 0).sum(axis=1)[order],
    }


def _places(values: Array) -> NDArray[np.int64]:
    """Number sorted values from 1; equal ones share a place."""
    fresh = np.concatenate([[True], np.abs(np.diff(values)) > 1e-9])
    starts = np.flatnonzero(fresh)
    return np.asarray(starts[np.cumsum(fresh) - 1] + 1)


def _totals(tally: Tally) -> tuple[Array, Array, Array]:
    """Return (K,) comparisons won, tied and lost by each system."""
    k = len(tally.systems)

    def by_system(as_left: Array, as_right: Array) -> Array:
        left = np.bincount(tally.left, as_left, minlength=k)
        return np.asarray(left + np.bincount(tally.right, as_right, minlength=k))

    return (
        by_system(tally.wins, tally.losses),
        by_system(tally.ties, tally.ties),
        by_system(tally.losses, tally.wins),
    )


def _notes(fit: Fit, tally: Tally, intervals: Intervals | None) -> tuple[str, ...]:
    notes = [*fit.notes, *(intervals.notes if intervals is not None else ())]
    if tally.zero_weight:
        notes.append(f"{tally.zero_weight:,} rows have weight zero and were left out")
    if intervals is None:
        notes.append(
            f"{len(fit.systems):,} systems are too many for intervals of all: contrasts of"
            f" neighbours at the top {TOP} are given; ask for others by fit.contrasts"
        )
    return tuple(notes)


def _neighbours(fit: Fit, order: NDArray[np.int64]) -> tuple[Contrast, ...]:
    names = [fit.systems[i] for i in order[: TOP + 1]]
    return fit.contrasts(list(pairwise(names)))
