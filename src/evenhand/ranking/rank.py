"""The main job: from judgments to a ranking that can be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.comparisons import Comparisons
from evenhand.data.controls import (
    OF_SYSTEMS,
    Openable,
    carries_excluded,
    keep_all_judges,
    refuse_kind,
    require_one_source,
    say_left_out,
    take_pairs,
)
from evenhand.data.engine import count_labels
from evenhand.data.exclusions import note_excluded
from evenhand.data.groups import Levels, choose_groups, say_pooled, split_table, tally_groups
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.data.tally import Tally
from evenhand.errors import UnknownColumn, UnknownOption, listing
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit
from evenhand.models.registry import name_settings
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking import clustering
from evenhand.ranking.inference import (
    SAMPLED,
    Settings,
    choose_model,
    find_intervals,
    number_places,
    order_systems,
    refuse_of_ratings,
)
from evenhand.ranking.intervals import MIN_CLUSTERS, Intervals, Progress
from evenhand.ranking.ranking import GroupedRankings, Ranking, rank_apart, take_only, with_notes
from evenhand.ranking.sandwich import gather_clusters, walk_information
from evenhand.ranking.texts import say
from evenhand.render.document import Finding, take_findings

if TYPE_CHECKING:
    from evenhand.data.weights import JudgeCap, Mix
    from evenhand.models.controls import ControlEffect, ControlledFit


@carries_excluded(*OF_SYSTEMS)
def rank(
    data: Comparisons | Rankings | Tally | Ratings | RatingRows | Openable,
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
    criterion: str | None = None,
    lower_is_better: bool | None = None,
    references: Sequence[str] | None = None,
    llm: Comparisons | Rankings | Openable | None = None,
    llm_judges: Sequence[str] = (),
    unpaired: str | None = None,
    llm_weight: float | None = None,
    progress: Progress | None = None,
    start: Any = None,
) -> Ranking | GroupedRankings:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    Args:
        data: comparisons or rankings; several tasks are ranked task by task. Or what was counted
            of them before: a tally, distinguished by judge, item, ... where they are to cluster.
            Or ratings; several criteria are ranked one by one. Or what `read` opens: a path, a
            frame, a dict of columns and others.
        model: settings of a preference model, or its name in the registry; the log-linear
            Bradley-Terry model with Davidson's ties by default. Of ratings `Adjusted`, `Means`,
            `ZScores` or their names; scores adjusted for judges and items by default.
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
        criterion: of ratings, the one criterion to rank by; all of them by default.
        lower_is_better: of ratings, whether lower scores are better; by default where the name of
            the criterion says so, such as "errors", and no score is below 0.
        references: of ratings, systems that are human references: the others are ranked without
            them, and a second fit shows them beside. By default those whose names say so, such as
            "ref-A"; () for none.
        llm: verdicts of LLM judges on the same items, on many more than people judged: they make
            the ranking by people more precise, however biased they are. Every comparison needs its
            item, and items for people are a random part of all.
        llm_judges: the same where verdicts are among the judgments: names of the judges who are
            LLMs.
        unpaired: with verdicts, what becomes of judgments on outputs without a verdict: "drop" or
            "keep"; they are refused by default.
        llm_weight: with verdicts, their weight λ, from 0 (people alone) to 1; by default the one
            with the smallest errors.
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
    by_llm = _asks_verdicts(llm, llm_judges, unpaired, llm_weight)
    data = keep_all_judges(data) if len(llm_judges) else data
    if isinstance(data, Ratings | RatingRows):
        from evenhand.ranking.ratings import choose_rating_model, rank_ratings

        used = {"controls": controls, "mix": mix, "judge_cap": judge_cap, "start": start}
        unfit = [name for name, value in used.items() if value]
        if unfit:
            raise UnknownOption(f"ratings are ranked without {listing(unfit)}: leave it out")
        chosen = choose_rating_model(model), interval or "rank-sets"
        direction: Any = {"lower_is_better": lower_is_better, "references": references}
        of_ratings = Settings(*chosen, cluster, level, seed, progress, **direction)
        if not by_llm:
            return rank_ratings(data, of_ratings, group_by=group_by)
        from evenhand.ranking.score_verdicts import fuse_scores, take_verdicts

        scores, verdicts, excluded = take_verdicts(data, llm, llm_judges, group_by)
        rank_part = partial(fuse_scores, verdicts=verdicts, unpaired=unpaired, weight=llm_weight)
        ranked = rank_ratings(scores, of_ratings, group_by=group_by, rank_part=rank_part)
        return note_excluded(ranked, excluded)
    refuse_of_ratings(criterion, lower_is_better, references)
    spec = choose_model(model, controls, seed)
    if isinstance(spec, BradleyTerry):
        interval = interval or "rank-sets"
    elif start is not None:
        raise UnknownOption(f"{name_settings(spec)} takes no start: leave it out")
    settings = Settings(spec, interval, cluster, level, seed, progress, start=start)
    table, weights = take_pairs(data), mix  # type: ignore[arg-type]
    if judge_cap is not None:
        from evenhand.data.weights import choose_weights

        weights = choose_weights(mix, judge_cap)  # type: ignore[assignment]
    if by_llm:
        unfit = [k for k, v in {"mix": mix, "judge cap": judge_cap, "start": start}.items() if v]
        if unfit:
            raise UnknownOption(f"verdicts go with no {listing(unfit)}: leave it out")
        from evenhand.ranking.verdicts import open_verdicts, rank_with_verdicts

        people, of_llm, judges = open_verdicts(table, llm, llm_judges)
        left_out = take_findings(say_left_out(data, people))
        how: Any = {"group_by": group_by, "unpaired": unpaired, "weight": llm_weight}
        return rank_with_verdicts(people, of_llm, judges, settings, left_out, **how)
    if not isinstance(table, Comparisons):
        return rank_counts(table, group_by, settings, weights)
    by = choose_groups(table, group_by)
    left_out = (*take_findings(say_left_out(data, table)), *say_sampled(table))
    if by is None:
        ranking = _rank_one(_weigh(table, weights), _choose_clusterings(table, settings), settings)
        return with_notes(ranking, table, (*left_out, *ranking.notes))
    if table.mix is not None:  # it was made over all groups together, and is none in any of them
        raise UnknownOption(
            f"these judgments were mixed over every {by} together: give the mix to"
            " rank(data, mix=...), which makes it in each"
        )
    grouped = rank_each(table, by, settings, weights, left_out)
    return take_only(grouped, requested=group_by is not None)


def say_sampled(table: Comparisons) -> tuple[Finding, ...]:
    """Say that probabilities of having been sampled are not used, where they differ."""
    if SAMPLED not in table.covariates:
        return ()
    different = len(count_labels(table.frame, SAMPLED, as_text=True)) > 1
    return (say("sampling-unused", "warning", column=SAMPLED),) * different


def _asks_verdicts(
    llm: object, llm_judges: Sequence[str], unpaired: str | None, weight: float | None
) -> bool:
    named = len(llm_judges) > 0
    if unpaired is not None and llm is None and not named:
        raise UnknownOption("unpaired judgments are those without a verdict: give verdicts (--llm)")
    if weight is not None and llm is None and not named:
        raise UnknownOption("λ is the weight of verdicts: give verdicts (--llm)")
    require_one_source(llm, llm_judges)
    return llm is not None or named


def _weigh(table: Comparisons, weights: Mix | JudgeCap | None) -> Comparisons:
    if weights is None:
        return table
    from evenhand.data.weights import JudgeCap, Mix

    if not isinstance(weights, Mix | JudgeCap):
        raise UnknownOption(
            f"a mix cannot be {weights!r}: state one as"
            " evenhand.Mix({'judge_group': {'expert': 0.8, 'crowd': 0.2}})"
        )
    return weights.weigh(table)


def rank_each(
    table: Comparisons,
    by: str | None,
    settings: Settings,
    weights: Mix | JudgeCap | None = None,
    left_out: tuple[Finding, ...] = (),
) -> GroupedRankings:
    """Rank the levels of a column apart, or all under ""; return also where none can be ranked."""
    clusterings = _choose_clusterings(table, settings, by)
    apart = weights is not None or not settings.log_linear
    if by is None or apart or settings.model.controls:
        parts: Mapping[str, Comparisons] = {"": table}
        if by is not None and apart:
            from evenhand.ranking.by_model import split_judgments

            parts = split_judgments(table, by)
        elif by is not None:
            parts = split_table(table, by)
        grouped = rank_apart(
            parts, by, lambda name: _rank_one(_weigh(parts[name], weights), clusterings, settings)
        )
    else:  # from one pass over the data
        factors = (*clusterings, *(("judge",) if table.has("judge") else ()))
        grouped = _rank_tallies(tally_groups(table, by, factors), by, settings)
    pooled = take_findings(say_pooled(table, by))
    groups = {
        name: with_notes(one, table, (*left_out, *clustering.note_inside(one.notes, by), *pooled))
        for name, one in grouped.groups.items()
    }
    return replace(grouped, groups=groups)


def _choose_clusterings(
    table: Comparisons, settings: Settings, by: str | None = None
) -> tuple[str, ...]:
    present = {name for name in clustering.FACTORS if table.has(name)}
    if settings.interval == "model":
        return ()
    return clustering.wanted_factors(settings.cluster, present, by)


def _rank_one(table: Comparisons, clusterings: tuple[str, ...], settings: Settings) -> Ranking:
    settings = replace(settings, mix=table.mix)
    if not settings.log_linear:
        from evenhand.ranking.by_model import rank_by_model

        return rank_by_model(table, clusterings, settings)
    if not settings.model.controls:
        apart = settings.interval in ("rank-sets", "sandwich")
        evidence, levels = clustering.gather_evidence(table, clusterings, apart=apart)
        return make_ranking(evidence, levels, settings)
    # Who wins where outputs are alike in what is controlled for. Rows are read once; the fit goes
    # through them a few times, the sandwich once for each way and for their cells.
    from evenhand.models.controls import Controlled, fit_rows, read_controls

    limits = dict.fromkeys(clusterings, clustering.MAX_CLUSTERS)
    controls, rows = read_controls(table, settings.model.controls, by=clusterings, limits=limits)
    fit = fit_rows(settings.model, controls, rows)
    whole = rows.tally()
    tallies = {}
    for name in clusterings:
        unmerged = {name: partial(table.tally, (name,))} if rows.levels[name].merged else {}
        tallies[name] = replace(rows.tally((name,)), unmerged=unmerged)
    levels = clustering.count_loads(table, rows.levels)
    ranking, intervals = _infer(fit, clustering.Evidence(tallies, whole), levels, settings)
    if intervals is None:
        return ranking
    numbered = map(number_places, (fit.plain.log_worth, fit.log_worth))
    before, after = (ranks[np.argsort(order)].tolist() for order, ranks in numbered)
    moved = {
        fit.systems[i]: (before[i], after[i])
        for i in np.argsort(after, kind="stable").tolist()
        if before[i] != after[i]
    }
    effects = find_control_effects(fit, whole, intervals, settings.level)
    return replace(ranking, controlled=Controlled(effects, moved))


def _rank_tallies(parts: Mapping[str, Tally], by: str, settings: Settings) -> GroupedRankings:
    before = settings.start

    def rank_group(name: str) -> Ranking:
        tally = clustering.of_one_judge(parts[name], name) if by == "judge" else parts[name]
        start = before.groups.get(name) if isinstance(before, GroupedRankings) else before
        return rank_tally(tally, replace(settings, start=start))

    return rank_apart(parts, by, rank_group)


def rank_tally(tally: Tally, settings: Settings) -> Ranking:
    """Rank by counts that tell apart all that may cluster."""
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    evidence = clustering.Evidence.of(clustering.merge_factors(tally))
    return make_ranking(evidence, Levels(loads), settings)


def make_ranking(evidence: clustering.Evidence, levels: Levels, settings: Settings) -> Ranking:
    fit = settings.model.fit(evidence.whole, start=settings.start)
    return _infer(fit, evidence, levels, settings)[0]


def _infer(
    fit: Fit, evidence: clustering.Evidence, levels: Levels, settings: Settings
) -> tuple[Ranking, Intervals | None]:
    with one_blas_thread():
        clustered = find_intervals(fit, evidence, levels, settings)
    return order_systems(fit, evidence, levels, clustered, settings), clustered[1]


def rank_counts(
    data: Any, group_by: str | None, settings: Settings, weights: object
) -> Ranking | GroupedRankings:
    if not isinstance(data, Tally):
        raise refuse_kind(data, "only judgments can be ranked, not")
    known = tuple(data.factors)
    by = group_by if group_by is not None else "task" if "task" in known else None
    unfit = "" if weights is None else "a mix or a judge cap"
    if not settings.log_linear:
        unfit = settings.name
    elif settings.model.controls:
        unfit = "a control"
    if unfit:
        raise UnknownOption(
            f"{unfit} needs the judgments themselves, and these are counts of them: rank what"
            " evenhand.read opens"
        )
    if by is not None and by not in known:
        raise UnknownColumn(
            f"the counts do not distinguish {by}: count by it as well; they were made by"
            f" {listing(known) or 'nothing'}"
        )
    present: set[str] = {name for name in clustering.FACTORS if name in known}
    by_model = settings.interval == "model"
    clusterings = () if by_model else clustering.wanted_factors(settings.cluster, present, by)
    if by is None:  # levels are merged where they are too many
        names = dict.fromkeys((*clusterings, *(("judge",) if "judge" in present else ())))
        merged = clustering.merge_factors(data.pool(tuple(names)))
        joint = merged.pool(tuple(merged.factors))
        loads = {name: joint.factors[name].loads for name in names}
        evidence = clustering.Evidence.of(joint.pool(clusterings))
        return make_ranking(evidence, Levels(loads), settings)
    factors = (*clusterings, *(("judge",) if "judge" in present and by != "judge" else ()))
    parts = _split_counts(data, by, tuple(dict.fromkeys(factors)))
    return take_only(_rank_tallies(parts, by, settings), requested=group_by is not None)


def _split_counts(data: Tally, by: str, factors: tuple[str, ...]) -> dict[str, Tally]:
    """Return the counts of each group; an answer is a ranking, where the counts say which."""
    rankings = ("ranking",) if "ranking" in data.factors else ()
    whole = data.pool(tuple(dict.fromkeys((by, *factors, *rankings))))
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


# What controls do where some clusters carry them: the effective clusters of a coefficient are those
# of a difference (`covariance`), with c the coefficient. With fewer than five there is no standard
# error and no p-value; with more, Student's t has one degree of freedom less than there are.


def find_control_effects(
    fit: ControlledFit, whole: Tally, intervals: Intervals, level: float
) -> tuple[ControlEffect, ...]:
    from evenhand.models.controls import ControlEffect

    effects = list(fit.effects(intervals.parameters, level, intervals.df))
    clusterings = intervals.rank_sets.clusterings if intervals.rank_sets is not None else ()
    for name in (way for way in clusterings if way in fit.rows.levels):
        pieces, _ = gather_clusters(fit, whole, name)
        slopes = fit.likelihood.slopes(np.arange(len(fit.beta), dtype=np.float64)).astype(np.intp)
        rows = fit.raw_vcov[slopes]
        blocks = (some for _, some in walk_information(fit, pieces))
        shares = np.concatenate([np.einsum("qi,gij,qj->gq", rows, some, rows) for some in blocks])
        carriers = shares.sum(axis=0) ** 2 / (shares**2).sum(axis=0)
        for at, effective in enumerate(carriers.tolist()):
            effect = effects[at]
            if effective < MIN_CLUSTERS * (1 - 1e-9):
                effects[at] = effect.without_error(
                    f"it rests on fewer than {MIN_CLUSTERS:.0f} effective {name}s"
                    f" ({effective:.1f}), and nothing shows how another {name} would differ"
                )
            elif not effect.rests and effective - 1 < intervals.df:
                estimate = effect.estimate, effect.stderr
                effects[at] = ControlEffect.make(
                    (effect.name, effect.sd), estimate, effect.level, effective - 1
                )
    return tuple(effects)
