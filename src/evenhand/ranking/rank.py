"""The main job: from judgments to a ranking that can be believed."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import Levels, count_answers, count_levels
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Factor, Tally, merge_levels
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.ranking.clustering import FACTORS, wanted_factors
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.inference import find_intervals
from evenhand.ranking.ordering import order_systems
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.settings import Progress, Settings

CLUSTERS: Final = 200
"""Most clusters of one way: more are merged at random into as many of about equal load."""
JOINT: Final = 10_000_000
"""Most judgments that are counted by judge and item at once."""
"""Of merging clusters, and of everything else random unless another is given."""


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
        seed: of the bootstrap; it stands in the signature. Clusters beyond 200 are merged in one
            fixed random order, whatever the seed.
        group_by: a column whose levels are ranked apart.
        progress: called with steps done and to do.

    Returns:
        A ranking; one per group where `group_by` is given, one per task where there are several.

    Raises:
        NotIdentified: the data determine no worths; says what to collect.
        InvalidJudgments: a value in the data that cannot be.
        UnknownOption: a setting that does not exist or does not fit.
        UnknownColumn: a column that was asked for is not there.

    """
    settings = Settings(model or BradleyTerry(), interval, cluster, level, seed, progress)
    table = data.comparisons() if isinstance(data, Rankings) else data
    if not isinstance(table, Comparisons):
        raise InvalidJudgments(
            f"only comparisons and rankings can be ranked, not {type(data).__name__}: open them"
            " with evenhand.read"
        )
    by = table.require(group_by) if group_by is not None else None
    if by is None and table.has("task"):
        by = "task"
    present = {name for name in FACTORS if table.has(name)}
    ways = () if interval == "model" else wanted_factors(cluster, present, by)
    if by is None:
        return _rank_one(table, ways, settings)
    found = _say_pooled(_rank_groups(table, by, ways, settings), table)
    if group_by is None and len(found.groups) + len(found.refused) == 1:
        return next(iter(found.groups.values()))
    return found


def _rank_one(table: Comparisons, ways: tuple[str, ...], settings: Settings) -> Ranking:
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
    """Rank every group by itself, from one pass over the data."""
    judges = ("judge",) if table.has("judge") else ()
    kept = tuple(name for name in dict.fromkeys([*ways, *judges]) if name != by)
    whole = table.tally(by=(by, *kept))
    answers = count_answers(table, by) if table.rankings is not None else None
    rankings: dict[str, Ranking] = {}
    refused: dict[str, str] = {}
    for name, part in whole.split(by).items():
        group = part if answers is None else replace(part, n_judgments=answers[name])
        if by == "judge":
            group = _of_one_judge(group, name)
        try:
            rankings[name] = _rank_group(group, settings)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    if not rankings:
        raise NotIdentified("; ".join(f"{by} {name}: {why}" for name, why in refused.items()))
    return GroupedRankings(rankings, by, refused)


def _say_pooled(found: GroupedRankings, table: Comparisons) -> GroupedRankings:
    """Note in every ranking that it mixes tasks, where groups are something else."""
    tasks = [] if found.by == "task" else table.tasks()
    if len(tasks) < 2:
        return found
    note = f"{len(tasks)} tasks are pooled"
    groups = {name: replace(one, notes=(*one.notes, note)) for name, one in found.groups.items()}
    return replace(found, groups=groups)


def _of_one_judge(tally: Tally, name: str) -> Tally:
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
