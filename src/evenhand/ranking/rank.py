"""The main job: from judgments to a ranking that can be believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.groups import choose_groups, say_pooled, tally_groups
from evenhand.judgments.levels import Levels, count_levels
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Factor, Tally, merge_levels
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.ranking.clustering import FACTORS, wanted_factors
from evenhand.ranking.controlled import rank_rows, rank_rows_apart
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.inference import find_intervals
from evenhand.ranking.ordering import order_systems
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.settings import Progress, Settings

CLUSTERS: Final = 200
"""Most clusters of one way: more are merged at random into as many of about equal load."""
JOINT: Final = 10_000_000
"""Most judgments that are counted by judge and item at once."""


def rank(
    data: Comparisons | Rankings,
    *,
    model: BradleyTerry | None = None,
    interval: str = "sandwich",
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    group_by: str | None = None,
    controls: Sequence[str] = (),
    progress: Progress | None = None,
) -> Ranking | GroupedRankings:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    Args:
        data: comparisons or rankings; several tasks are ranked task by task.
        model: the preference model; Davidson's ties by default.
        interval: "sandwich" (clustered), "model" (assumes independent judgments) or "bootstrap".
        cluster: judgment | judge | item | ranking | judge+item; by default what the data have.
        level: nominal level of intervals (proportion).
        seed: of the bootstrap; it stands in the signature. Clusters beyond 200 are merged in one
            fixed random order, whatever the seed.
        group_by: a column whose levels are ranked apart.
        controls: what differs between two outputs and is controlled for, such as length: columns
            of differences, left minus right, or NAME=LEFT,RIGHT for two columns.
        progress: called with steps done and to do.

    Returns:
        A ranking; one per group where `group_by` is given, one per task where there are several.

    Raises:
        NotIdentified: the data determine no worths; says what to collect.
        InvalidJudgments: a value in the data that cannot be.
        UnknownOption: a setting that does not exist or does not fit.
        UnknownColumn: a column that was asked for is not there.

    """
    spec = model or BradleyTerry()
    spec = replace(spec, controls=tuple(controls)) if controls else spec
    settings = Settings(spec, interval, cluster, level, seed, progress)
    table = data.comparisons() if isinstance(data, Rankings) else data
    if not isinstance(table, Comparisons):
        raise InvalidJudgments(
            f"only comparisons and rankings can be ranked, not {type(data).__name__}: open them"
            " with evenhand.read"
        )
    by = choose_groups(table, group_by)
    if by is None:
        return _rank_one(table, _choose_ways(table, settings), settings)
    found = rank_each(table, by, settings)
    if not found.groups:
        whys = (f"{by} {name}: {why}" for name, why in found.refused.items())
        raise NotIdentified("; ".join(whys))
    if group_by is None and len(found.groups) + len(found.refused) == 1:
        return next(iter(found.groups.values()))
    return found


def rank_each(table: Comparisons, by: str, settings: Settings) -> GroupedRankings:
    """Rank the levels of a column apart; unlike `rank`, return also where none can be ranked."""
    ways = _choose_ways(table, settings, by)
    found, notes = _rank_groups(table, by, ways, settings), say_pooled(table, by)
    groups = {name: replace(one, notes=(*one.notes, *notes)) for name, one in found.groups.items()}
    return replace(found, groups=groups)


def _choose_ways(table: Comparisons, settings: Settings, by: str | None = None) -> tuple[str, ...]:
    """Return the factors that may cluster."""
    present = {name for name in FACTORS if table.has(name)}
    return () if settings.interval == "model" else wanted_factors(settings.cluster, present, by)


def _rank_one(table: Comparisons, ways: tuple[str, ...], settings: Settings) -> Ranking:
    if settings.model.controls:
        return rank_rows(table, ways, settings, CLUSTERS)
    if len(ways) > 1 and settings.interval == "sandwich" and _is_large(table):
        counted = {name: table.tally(by=(name,), limits={name: CLUSTERS}) for name in ways}
        evidence = Evidence.apart(counted)
    else:
        evidence = Evidence.of(table.tally(by=ways, limits=dict.fromkeys(ways, CLUSTERS)))
    loads = {name: factor.loads for name, factor in evidence.factors.items()}
    if "judge" not in loads and table.has("judge"):
        loads["judge"] = count_levels(table, "judge")
    return make_ranking(evidence, Levels(loads), settings)


def _is_large(table: Comparisons) -> bool:
    """Say whether cells of judge and item would be too many to hold (INFERENCE B3)."""
    return table.rankings is None and table.count_judgments() > JOINT


def _rank_groups(
    table: Comparisons, by: str, ways: tuple[str, ...], settings: Settings
) -> GroupedRankings:
    """Rank every group by itself, from one pass over the data; with controls from one for each."""
    if settings.model.controls:
        found = rank_rows_apart(table, by, ways, settings, CLUSTERS)
        return GroupedRankings(found[0], by, found[1])
    judges = ("judge",) if table.has("judge") else ()
    kept = (*ways, *judges)
    rankings: dict[str, Ranking] = {}
    refused: dict[str, str] = {}
    for name, part in tally_groups(table, by, kept).items():
        group = of_one_judge(part, name) if by == "judge" else part
        try:
            rankings[name] = _rank_group(group, settings)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    return GroupedRankings(rankings, by, refused)


def of_one_judge(tally: Tally, name: str) -> Tally:
    """Say who judged where judges are the groups."""
    codes = np.zeros(len(tally.left), dtype=np.int32)
    judge = Factor((name,), codes, np.array([tally.n_comparisons]), 1)
    return replace(tally, factors={**tally.factors, "judge": judge})


def _rank_group(tally: Tally, settings: Settings) -> Ranking:
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    merged = {name: merge_levels(one, CLUSTERS, SEED) for name, one in tally.factors.items()}
    evidence = Evidence.of(replace(tally, factors=merged))
    return make_ranking(evidence, Levels(loads), settings)


def make_ranking(evidence: Evidence, levels: Levels, settings: Settings) -> Ranking:
    """Fit, put intervals around, and order.

    Args:
        evidence: the counts, told apart by the candidates for clusters.
        levels: loads of judges and items.
        settings: what was asked.

    Raises:
        NotIdentified: the data determine no worths, or do not show the spread that was asked for.
        NotConverged: the fit did not settle.

    """
    fit = settings.model.fit(evidence.whole)
    with one_blas_thread():
        found = find_intervals(fit, evidence, levels, settings)
    return order_systems(fit, evidence.whole, levels, found, settings)
