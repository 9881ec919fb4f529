"""The main job: from judgments to a ranking that can be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.errors import NotConverged, NotIdentified, UnknownColumn, UnknownOption, listing
from evenhand.formats.counted import CountedFiles
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out, take_pairs
from evenhand.judgments.exclusions import carries_excluded
from evenhand.judgments.groups import choose_groups, say_pooled, tally_groups
from evenhand.judgments.judge_cap import JudgeCap
from evenhand.judgments.levels import Levels
from evenhand.judgments.mix import Mix
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import refuse_kind
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import name_settings
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.clustering import (
    CLUSTERS,
    FACTORS,
    JOINT,
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


@carries_excluded("controls")
def rank(
    data: Comparisons | Rankings | Tally | CountedFiles,
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
            of them before: a tally, told apart by judge, item, ... where they are to cluster, or
            files counted one by one (`evenhand.count_files`).
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
    kept = (cluster, level, seed, progress)
    settings: Settings | ModelSettings
    if isinstance(spec, BradleyTerry):
        settings = Settings(spec, interval or "rank-sets", *kept, start=start)
    elif start is None:
        settings = ModelSettings(name_settings(spec), spec, interval, *kept)
    else:
        raise UnknownOption(f"{name_settings(spec)} takes no start: leave it out")
    table, weighing = take_pairs(data), _choose_weights(mix, judge_cap)  # type: ignore[arg-type]
    if not isinstance(table, Comparisons):
        return rank_counts(table, group_by, settings, weighing)
    by = choose_groups(table, group_by)
    if by is None:
        alone = _rank_one(_weigh(table, weighing), _choose_ways(table, settings), settings)
        said = (*say_left_out(data, table), *alone.notes)
        return replace(alone, notes=said, answers=_name_answers_of(table, alone))
    if table.mix is not None:
        refuse_mixed(by)
    found = _note(rank_each(table, by, settings, weighing), say_left_out(data, table))
    return take_only(found, asked=group_by is not None)


def take_only(found: GroupedRankings, *, asked: bool) -> Ranking | GroupedRankings:
    """Return rankings of groups; the ranking itself where no groups were asked for."""
    if not found.groups:
        whys = (f"{found.by} {name}: {why}" for name, why in found.refused.items())
        raise NotIdentified("; ".join(whys))
    if not asked and len(found.groups) + len(found.refused) == 1:
        return next(iter(found.groups.values()))
    return found


def _choose_weights(mix: Mix | JudgeCap | None, judge_cap: str | None) -> Mix | JudgeCap | None:
    """Return what weighs judgments: a mix, a cap, or nothing."""
    if judge_cap is None:
        return mix
    from evenhand.judgments.judge_cap import choose_weights

    return choose_weights(mix, judge_cap)


def _weigh(table: Comparisons, mix: Mix | JudgeCap | None) -> Comparisons:
    """Return the judgments in the mix that was stated, if any."""
    if mix is None:
        return table

    return weigh(table, mix)


def rank_each(
    table: Comparisons,
    by: str,
    settings: Settings | ModelSettings,
    mix: Mix | JudgeCap | None = None,
) -> GroupedRankings:
    """Rank the levels of a column apart; unlike `rank`, return also where none can be ranked."""
    ways = _choose_ways(table, settings, by)
    if mix is None and isinstance(settings, Settings):
        found = _rank_groups(table, by, ways, settings)
    else:
        from evenhand.ranking.by_model import split_judgments

        rankings, refused = _rank_parts(split_judgments(table, by), ways, settings, mix)
        found = GroupedRankings(rankings, by, refused)
    notes = say_pooled(table, by)
    groups = {
        name: replace(
            one, notes=(*note_inside(one.notes, by), *notes), answers=_name_answers_of(table, one)
        )
        for name, one in found.groups.items()
    }
    return replace(found, groups=groups)


def _note(found: GroupedRankings, said: tuple[str, ...]) -> GroupedRankings:
    """Say in every group what was left out of the table."""
    if not said:
        return found
    groups = {name: replace(one, notes=(*said, *one.notes)) for name, one in found.groups.items()}
    return replace(found, groups=groups)


def _name_answers_of(table: Comparisons, ranking: Ranking) -> str:
    """Return what the answers are; merged outputs and rankings of two are judgments of pairs."""
    least = ranking.n_comparisons * (1 - 1e-9)  # sums of weights differ by their order
    of_pairs = table.rankings is None or ranking.n_judgments >= least
    return "judgments" if of_pairs else "rankings"


def _choose_ways(
    table: Comparisons, settings: Settings | ModelSettings, by: str | None = None
) -> tuple[str, ...]:
    """Return the factors that may cluster."""
    present = {name for name in FACTORS if table.has(name)}
    return () if settings.interval == "model" else wanted_factors(settings.cluster, present, by)


def _rank_one(
    table: Comparisons, ways: tuple[str, ...], settings: Settings | ModelSettings
) -> Ranking:
    settings = replace(settings, mix=table.mix)
    if isinstance(settings, ModelSettings):
        from evenhand.ranking.by_model import rank_by_model

        return rank_by_model(table, ways, settings)
    if settings.model.controls:
        from evenhand.ranking.controlled import rank_rows

        return rank_rows(table, ways, settings, CLUSTERS)
    apart = settings.interval in ("rank-sets", "sandwich")
    evidence, levels = gather_evidence(table, ways, apart=apart)
    return make_ranking(evidence, levels, settings)


def _rank_groups(
    table: Comparisons, by: str, ways: tuple[str, ...], settings: Settings
) -> GroupedRankings:
    """Rank every group by itself, from one pass over the data; with controls from one for each."""
    if settings.model.controls:
        from evenhand.ranking.controlled import rank_rows_apart

        found = rank_rows_apart(table, by, ways, settings, CLUSTERS)
        return GroupedRankings(found[0], by, found[1])
    kept = (*ways, *(("judge",) if table.has("judge") else ()))
    return rank_tallies(tally_groups(table, by, kept), by, settings)


def rank_tallies(parts: Mapping[str, Tally], by: str, settings: Settings) -> GroupedRankings:
    """Rank the counts of every group by itself."""
    rankings: dict[str, Ranking] = {}
    refused: dict[str, str] = {}
    before = settings.start
    for name, part in parts.items():
        group = of_one_judge(part, name) if by == "judge" else part
        own = before.groups.get(name) if isinstance(before, GroupedRankings) else before
        try:
            rankings[name] = _rank_group(group, replace(settings, start=own))
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    return GroupedRankings(rankings, by, refused)


def _rank_parts(
    parts: Mapping[str, Comparisons],
    ways: tuple[str, ...],
    settings: Settings | ModelSettings,
    mix: Mix | JudgeCap | None,
) -> tuple[dict[str, Ranking], dict[str, str]]:
    """Rank tables apart; return rankings, and why others have none."""
    rankings: dict[str, Ranking] = {}
    refused: dict[str, str] = {}
    for name, part in parts.items():
        try:
            rankings[name] = _rank_one(_weigh(part, mix), ways, settings)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    return rankings, refused


def _rank_group(tally: Tally, settings: Settings) -> Ranking:
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    return make_ranking(Evidence.of(merge_factors(tally)), Levels(loads), settings)


def make_ranking(evidence: Evidence, levels: Levels, settings: Settings) -> Ranking:
    """Fit, put intervals around, and order."""
    fit = settings.model.fit(evidence.whole, start=settings.start)
    with one_blas_thread():
        found = find_intervals(fit, evidence, levels, settings)
    return order_systems(fit, evidence, levels, found, settings)


# Ranking what was counted before: a tally, or files that were counted one by one.


def rank_counts(
    data: Any, group_by: str | None, settings: Settings | ModelSettings, weighing: object
) -> Ranking | GroupedRankings:
    """Rank counts as the judgments that they were made of."""
    if not isinstance(data, Tally | CountedFiles):
        raise refuse_kind(data, "only comparisons and rankings can be ranked, not")
    known = tuple(data.factors)
    by = group_by if group_by is not None else "task" if "task" in known else None
    if not isinstance(settings, Settings):
        raise _refuse_counts(settings.name)
    if weighing is not None or settings.model.controls:
        raise _refuse_counts("a control" if settings.model.controls else "a mix or a judge cap")
    if isinstance(data, CountedFiles) and by is not None and by == data.group_by:
        by = known[0]
    if by is not None and by not in known:
        raise UnknownColumn(
            f"the counts do not tell apart {by}: count by it as well; they were made by"
            f" {listing(known) or 'nothing'}"
        )
    present: set[str] = {name for name in FACTORS if name in known}
    ways = () if settings.interval == "model" else wanted_factors(settings.cluster, present, by)
    if by is None:
        return _name_counted_answers(_rank_whole(data, ways, settings))
    kept = (*ways, *(("judge",) if "judge" in present and by != "judge" else ()))
    parts = _split(data, by, tuple(dict.fromkeys(kept)))
    found = rank_tallies(parts, by, settings)
    named = {name: _name_counted_answers(one) for name, one in found.groups.items()}
    return take_only(replace(found, groups=named), asked=group_by is not None)


def _refuse_counts(what: str) -> UnknownOption:
    """Return the refusal of what counts by pair do not hold."""
    return UnknownOption(
        f"{what} needs the judgments themselves, and these are counts of them: rank what"
        " evenhand.read opens"
    )


def _rank_whole(data: Tally | CountedFiles, ways: tuple[str, ...], settings: Settings) -> Ranking:
    """Rank counts of all judgments; ways are counted apart where judgments are very many."""
    told = (*ways, *(("judge",) if "judge" in data.factors and "judge" not in ways else ()))
    apart = isinstance(data, CountedFiles) and len(told) > 1 and data.n_judgments > JOINT
    if apart and settings.interval not in ("rank-sets", "sandwich"):
        apart = False
    if apart:
        tallies = {name: count_by(data, (name,)) for name in told}
    else:
        joint = count_by(data, told)
        tallies = dict.fromkeys(told, joint)
    loads = {name: tallies[name].factors[name].loads for name in told}
    if not ways:
        whole = next(iter(tallies.values())) if tallies else count_by(data, ())
        return make_ranking(Evidence({}, whole.pool()), Levels(loads), settings)
    kept = {name: tallies[name] if apart else tallies[name].pool(ways) for name in ways}
    evidence = Evidence.apart(kept) if apart else Evidence.of(kept[ways[0]])
    return make_ranking(evidence, Levels(loads), settings)


def count_by(data: Tally | CountedFiles, names: tuple[str, ...]) -> Tally:
    """Return counts told apart by some factors, levels merged where they are too many."""
    limits = dict.fromkeys(names, CLUSTERS)
    if isinstance(data, CountedFiles):
        return data.tally(names, limits=limits)
    return _merge(data.pool(names))


def _merge(tally: Tally) -> Tally:
    """Merge the levels of factors that have more than clusters may be, and pool what is alike."""
    merged = merge_factors(tally)
    return merged.pool(tuple(merged.factors))


def _split(data: Tally | CountedFiles, by: str, kept: tuple[str, ...]) -> dict[str, Tally]:
    """Return the counts of each group; an answer is a ranking, where the counts say which."""
    told = (by, *kept)
    rankings = "ranking" in data.factors
    names = (*told, *(("ranking",) if rankings and "ranking" not in told else ()))
    whole = data.tally(names) if isinstance(data, CountedFiles) else data.pool(names)
    parts = whole.split(by)
    if whole.of_pairs:
        return {name: part.pool(kept) for name, part in parts.items()}
    if not rankings:
        raise UnknownOption(
            f"these counts do not say how many answers each {by} has: count by ranking as well"
        )
    return {
        name: replace(part.pool(kept), n_judgments=_count_answers(part))
        for name, part in parts.items()
    }


def _count_answers(part: Tally) -> float:
    """Sum the weights of rankings; each stands in every entry of its ranking."""
    codes = part.factors["ranking"].codes
    loads = np.bincount(codes, part.counts.sum(axis=1)) / np.maximum(np.bincount(codes), 1)
    return float(loads.sum())


def _name_counted_answers(ranking: Ranking) -> Ranking:
    of_pairs = ranking.n_judgments >= ranking.n_comparisons * (1 - 1e-9)
    return replace(ranking, answers="judgments" if of_pairs else "rankings")


# Judgments in a stated mix, or with a cap on judges, before they are ranked.


def weigh(table: Comparisons, mix: Mix | JudgeCap) -> Comparisons:
    """Return the judgments in the mix that was stated."""
    if not isinstance(mix, Mix | JudgeCap):
        raise UnknownOption(
            f"a mix cannot be {mix!r}: state one as"
            " evenhand.Mix({'judge_group': {'expert': 0.8, 'crowd': 0.2}})"
        )
    return mix.weigh(table)


def refuse_mixed(by: str) -> None:
    """Refuse a mix that was made over all groups together, which is none in any of them."""
    raise UnknownOption(
        f"these judgments were mixed over every {by} together: give the mix to"
        " rank(data, mix=...), which makes it in each"
    )
