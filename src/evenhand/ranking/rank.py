"""The main job: from judgments to a ranking that can be believed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import carries_excluded, refuse_kind, say_left_out, take_pairs
from evenhand.data.groups import Levels, choose_groups, say_pooled, split_table, tally_groups
from evenhand.data.rankings import Rankings
from evenhand.data.tally import Tally
from evenhand.data.weights import JudgeCap, Mix
from evenhand.errors import NotConverged, NotIdentified, UnknownColumn, UnknownOption, listing
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import name_settings
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.clustering import (
    FACTORS,
    Evidence,
    gather_evidence,
    merge_factors,
    note_inside,
    of_one_judge,
    wanted_factors,
)
from evenhand.ranking.inference import find_intervals, order_systems
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.settings import ModelSettings, Progress, Settings, choose_model
from evenhand.render.findings import take_findings


@carries_excluded("controls")
def rank(
    data: Comparisons | Rankings | Tally,
    *,
    model: Any = None,
    interval: str | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    group_by: str | None = None,
    controls: Sequence[str] = (),
    mix: Mix | None = None,
    judge_cap: str | None = None,
    progress: Progress | None = None,
    start: Any = None,
) -> Ranking | GroupedRankings:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    Args:
        data: comparisons or rankings; several tasks are ranked task by task. Or what was counted
            of them before: a tally, distinguished by judge, item, ... where they are to cluster.
        model: settings of a preference model, or its name in the registry; the log-linear
            Bradley-Terry model with Davidson's ties by default.
        interval: "rank-sets" (clustered, all claims at once), "sandwich" (clustered, each claim by
            itself), "model" (assumes independent judgments) or "bootstrap"; by default rank sets,
            or what another model has.
        cluster: judgment | judge | item | ranking | judge+item; by default what the data have.
        level: nominal level of intervals (proportion).
        seed: of everything random; it stands in the signature. Clusters beyond 200 are merged in
            one fixed random order, whatever the seed.
        group_by: a column whose levels are ranked apart.
        controls: what differs between two outputs and is controlled for, such as length: columns
            of differences, left minus right, or NAME=LEFT,RIGHT for two columns.
        mix: how much judges and items of each kind count, if not as they come; in every task or
            group by itself.
        judge_cap: "median" gives judges above the median load the weight of one with it.
        progress: called with steps done and to do.
        start: an earlier ranking, or fit, to start from, such as yesterday's: the answer is the
            same, in fewer steps.

    Returns:
        A ranking; one per group where `group_by` is given, one per task where there are several.

    Raises:
        NotIdentified: the data determine no worths; says what to collect.
        InvalidJudgments: a value in the data that cannot be.
        UnknownOption: a setting that does not exist or does not fit.
        UnknownColumn: a column that was asked for is not there.

    """
    spec = choose_model(model, controls, seed)
    options = (cluster, level, seed, progress)
    settings: Settings | ModelSettings
    if isinstance(spec, BradleyTerry):
        settings = Settings(spec, interval or "rank-sets", *options, start=start)
    elif start is None:
        settings = ModelSettings(name_settings(spec), spec, interval, *options)
    else:
        raise UnknownOption(f"{name_settings(spec)} takes no start: leave it out")
    table, weights = take_pairs(data), mix  # type: ignore[arg-type]
    if judge_cap is not None:
        from evenhand.data.weights import choose_weights

        weights = choose_weights(mix, judge_cap)  # type: ignore[assignment]
    if not isinstance(table, Comparisons):
        return rank_counts(table, group_by, settings, weights)
    by, left_out = choose_groups(table, group_by), take_findings(say_left_out(data, table))
    if by is None:
        ranking = _rank_one(_weigh(table, weights), _choose_clusterings(table, settings), settings)
        notes = (*left_out, *ranking.notes)
        return replace(ranking, notes=notes, answers=_name_answers(ranking, table))
    if table.mix is not None:  # it was made over all groups together, and is none in any of them
        raise UnknownOption(
            f"these judgments were mixed over every {by} together: give the mix to"
            " rank(data, mix=...), which makes it in each"
        )
    grouped = rank_each(table, by, settings, weights)
    if left_out:
        groups = {
            name: replace(ranking, notes=(*left_out, *ranking.notes))
            for name, ranking in grouped.groups.items()
        }
        grouped = replace(grouped, groups=groups)
    return _take_only(grouped, requested=group_by is not None)


def _take_only(grouped: GroupedRankings, *, requested: bool) -> Ranking | GroupedRankings:
    """Return rankings of groups; the ranking itself where no groups were asked for."""
    if not grouped.groups:
        reasons = (f"{grouped.by} {name}: {why}" for name, why in grouped.refused.items())
        raise NotIdentified("; ".join(reasons))
    if not requested and len(grouped.groups) + len(grouped.refused) == 1:
        return next(iter(grouped.groups.values()))
    return grouped


def _weigh(table: Comparisons, weights: Mix | JudgeCap | None) -> Comparisons:
    if weights is None:
        return table
    if not isinstance(weights, Mix | JudgeCap):
        raise UnknownOption(
            f"a mix cannot be {weights!r}: state one as"
            " evenhand.Mix({'judge_group': {'expert': 0.8, 'crowd': 0.2}})"
        )
    return weights.weigh(table)


def rank_each(
    table: Comparisons,
    by: str,
    settings: Settings | ModelSettings,
    weights: Mix | JudgeCap | None = None,
) -> GroupedRankings:
    """Rank the levels of a column apart; unlike `rank`, return also where none can be ranked."""
    clusterings = _choose_clusterings(table, settings, by)
    if weights is not None or isinstance(settings, ModelSettings):
        from evenhand.ranking.by_model import split_judgments

        parts = split_judgments(table, by)
        grouped = _rank_apart(
            parts, by, lambda name: _rank_one(_weigh(parts[name], weights), clusterings, settings)
        )
    elif settings.model.controls:
        from evenhand.ranking.controlled import rank_rows

        tables, log_linear = split_table(table, by), settings
        grouped = _rank_apart(
            tables, by, lambda name: rank_rows(tables[name], clusterings, log_linear)
        )
    else:  # from one pass over the data
        factors = (*clusterings, *(("judge",) if table.has("judge") else ()))
        grouped = _rank_tallies(tally_groups(table, by, factors), by, settings)
    pooled = take_findings(say_pooled(table, by))
    groups = {
        name: replace(
            ranking,
            notes=(*note_inside(ranking.notes, by), *pooled),
            answers=_name_answers(ranking, table),
        )
        for name, ranking in grouped.groups.items()
    }
    return replace(grouped, groups=groups)


def _name_answers(ranking: Ranking, table: Comparisons | None = None) -> str:
    """Return what the answers are; merged outputs and rankings of two are judgments of pairs."""
    least = ranking.n_comparisons * (1 - 1e-9)  # sums of weights differ by their order
    no_rankings = table is not None and table.rankings is None
    return "judgments" if no_rankings or ranking.n_judgments >= least else "rankings"


def _choose_clusterings(
    table: Comparisons, settings: Settings | ModelSettings, by: str | None = None
) -> tuple[str, ...]:
    present = {name for name in FACTORS if table.has(name)}
    return () if settings.interval == "model" else wanted_factors(settings.cluster, present, by)


def _rank_one(
    table: Comparisons, clusterings: tuple[str, ...], settings: Settings | ModelSettings
) -> Ranking:
    settings = replace(settings, mix=table.mix)
    if isinstance(settings, ModelSettings):
        from evenhand.ranking.by_model import rank_by_model

        return rank_by_model(table, clusterings, settings)
    if settings.model.controls:
        from evenhand.ranking.controlled import rank_rows

        return rank_rows(table, clusterings, settings)
    apart = settings.interval in ("rank-sets", "sandwich")
    evidence, levels = gather_evidence(table, clusterings, apart=apart)
    return make_ranking(evidence, levels, settings)


def _rank_apart(
    names: Iterable[str], by: str, rank_group: Callable[[str], Ranking]
) -> GroupedRankings:
    rankings: dict[str, Ranking] = {}
    refused: dict[str, str] = {}
    for name in names:
        try:
            rankings[name] = rank_group(name)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    return GroupedRankings(rankings, by, refused)


def _rank_tallies(parts: Mapping[str, Tally], by: str, settings: Settings) -> GroupedRankings:
    before = settings.start

    def rank_group(name: str) -> Ranking:
        tally = of_one_judge(parts[name], name) if by == "judge" else parts[name]
        start = before.groups.get(name) if isinstance(before, GroupedRankings) else before
        loads = {factor: levels.loads for factor, levels in tally.factors.items()}
        evidence = Evidence.of(merge_factors(tally))
        return make_ranking(evidence, Levels(loads), replace(settings, start=start))

    return _rank_apart(parts, by, rank_group)


def make_ranking(evidence: Evidence, levels: Levels, settings: Settings) -> Ranking:
    fit = settings.model.fit(evidence.whole, start=settings.start)
    with one_blas_thread():
        clustered = find_intervals(fit, evidence, levels, settings)
    return order_systems(fit, evidence, levels, clustered, settings)


def rank_counts(
    data: Any, group_by: str | None, settings: Settings | ModelSettings, weights: object
) -> Ranking | GroupedRankings:
    if not isinstance(data, Tally):
        raise refuse_kind(data, "only comparisons and rankings can be ranked, not")
    known = tuple(data.factors)
    by = group_by if group_by is not None else "task" if "task" in known else None
    if not isinstance(settings, Settings):
        raise _refuse_counts(settings.name)
    if weights is not None or settings.model.controls:
        raise _refuse_counts("a control" if settings.model.controls else "a mix or a judge cap")
    if by is not None and by not in known:
        raise UnknownColumn(
            f"the counts do not distinguish {by}: count by it as well; they were made by"
            f" {listing(known) or 'nothing'}"
        )
    present: set[str] = {name for name in FACTORS if name in known}
    by_model = settings.interval == "model"
    clusterings = () if by_model else wanted_factors(settings.cluster, present, by)
    if by is None:
        ranking = _rank_whole(data, clusterings, settings)
        return replace(ranking, answers=_name_answers(ranking))
    factors = (*clusterings, *(("judge",) if "judge" in present and by != "judge" else ()))
    parts = _split_counts(data, by, tuple(dict.fromkeys(factors)))
    grouped = _rank_tallies(parts, by, settings)
    groups = {
        name: replace(ranking, answers=_name_answers(ranking))
        for name, ranking in grouped.groups.items()
    }
    return _take_only(replace(grouped, groups=groups), requested=group_by is not None)


def _refuse_counts(what: str) -> UnknownOption:
    return UnknownOption(
        f"{what} needs the judgments themselves, and these are counts of them: rank what"
        " evenhand.read opens"
    )


def _rank_whole(data: Tally, clusterings: tuple[str, ...], settings: Settings) -> Ranking:
    """Rank counts of all judgments; levels are merged where they are too many."""
    names = tuple(dict.fromkeys((*clusterings, *(("judge",) if "judge" in data.factors else ()))))
    merged = merge_factors(data.pool(names))
    joint = merged.pool(tuple(merged.factors))
    loads = {name: joint.factors[name].loads for name in names}
    if not clusterings:
        return make_ranking(Evidence({}, joint.pool()), Levels(loads), settings)
    return make_ranking(Evidence.of(joint.pool(clusterings)), Levels(loads), settings)


def _split_counts(data: Tally, by: str, factors: tuple[str, ...]) -> dict[str, Tally]:
    """Return the counts of each group; an answer is a ranking, where the counts say which."""
    rankings = ("ranking",) if "ranking" in data.factors else ()
    names = tuple(dict.fromkeys((by, *factors, *rankings)))
    whole = data.pool(names)
    parts = whole.split(by)
    if whole.of_pairs:
        return {name: part.pool(factors) for name, part in parts.items()}
    if not rankings:
        raise UnknownOption(
            f"these counts do not say how many answers each {by} has: count by ranking as well"
        )
    counted = {}
    for name, part in parts.items():
        codes = part.factors["ranking"].codes  # its weight stands in every entry of a ranking
        loads = np.bincount(codes, part.counts.sum(axis=1)) / np.maximum(np.bincount(codes), 1)
        counted[name] = replace(part.pool(factors), n_judgments=float(loads.sum()))
    return counted
