"""Ranking what was counted before: a tally, or files that were counted one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from evenhand.errors import UnknownColumn, UnknownOption, listing
from evenhand.formats.counted import CountedFiles
from evenhand.judgments.levels import Levels
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import refuse_kind
from evenhand.ranking.clustering import FACTORS, wanted_factors
from evenhand.ranking.evidence import CLUSTERS, JOINT, Evidence, merge_factors
from evenhand.ranking.rank import make_ranking, rank_tallies, take_only
from evenhand.ranking.ranking import GroupedRankings, Ranking
from evenhand.ranking.settings import ModelSettings, Settings


def rank_counts(
    data: Any, group_by: str | None, settings: Settings | ModelSettings, weighing: object
) -> Ranking | GroupedRankings:
    """Rank counts as the judgments that they were made of.

    Args:
        data: a tally, or counted files.
        group_by: a factor whose levels are ranked apart; by default the task, if it is one.
        settings: what was asked.
        weighing: a mix or cap, which counts cannot have.

    Raises:
        InvalidJudgments: it is neither.
        UnknownOption: something is asked that needs the judgments themselves.
        UnknownColumn: a factor that is not there.
        NotIdentified: the data determine no worths.

    """
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
        return _name_answers(_rank_whole(data, ways, settings))
    kept = (*ways, *(("judge",) if "judge" in present and by != "judge" else ()))
    parts = _split(data, by, tuple(dict.fromkeys(kept)))
    found = rank_tallies(parts, by, settings)
    named = {name: _name_answers(one) for name, one in found.groups.items()}
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


def _name_answers(ranking: Ranking) -> Ranking:
    of_pairs = ranking.n_judgments >= ranking.n_comparisons * (1 - 1e-9)
    return replace(ranking, answers="judgments" if of_pairs else "rankings")
