"""What is in a table of judgments: how many, by whom, about what, and whether it can be ranked.

Counting forces every check of the values, so that a table which can be inspected can be used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from evenhand.errors import InvalidJudgments
from evenhand.formats.kinds import count_kinds
from evenhand.formats.links import draw_links, tally_systems
from evenhand.formats.overlap import (
    Overlap,
    RankingCounts,
    count_overlap,
    count_rankings,
    one_row_per_answer,
)
from evenhand.formats.scores import Scores, inspect_ratings, say_alike_of
from evenhand.formats.table import Handle
from evenhand.judgments.alike import say_alike, say_names
from evenhand.judgments.checks import find_padded, refuse_padded
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import ANSWER, Frame
from evenhand.judgments.exclusions import Exclusion, list_idle, write_excluded
from evenhand.judgments.levels import count_answers
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.source import Source, find_rows, name_rows
from evenhand.judgments.tally import Factor, Tally
from evenhand.numerics.graph import is_strongly_connected, weak_components


@dataclass(frozen=True)
class Part:
    """What one task holds, or the whole table; None where the table cannot say."""

    task: str | None  # its name; None for the whole table
    judgments: float  # answers; a ranking is one, and a weight of 3 is three
    systems: int  # different systems
    comparisons: float | None = None  # pairs that were compared
    rankings: int | None = None  # rankings, blank ones included
    blank_rankings: int | None = None  # rankings in which nothing was ranked
    ranks: int | None = None  # ranks of the other rankings, given or not
    blank_ranks: int | None = None  # those of them that are not given
    judges: int | None = None  # different judges
    # (Σ n)² / Σ n² over the judges' comparisons: equal loads give them all
    effective_judges: float | None = None
    items: int | None = None  # different items
    shared_items: int | None = None  # items that two or more judges judged
    shared_judgments: float | None = None  # share of judgments on those items
    tie_share: float | None = None  # share of comparisons without a preference
    left_share: float | None = None  # share of left among comparisons with a preference
    # the system that most seldom stood left, and its share of times there
    least_left: tuple[str, float] | None = None
    # the system that most often stood left, and its share
    most_left: tuple[str, float] | None = None
    # parts of the comparison graph that no comparison joins, controls left out; 1 is needed to
    # rank
    components: int | None = None
    # whether a chain of preferences leads from every system to every other, ties counting both
    # ways; without it some worths are infinite
    strongly_connected: bool | None = None
    controls: int | None = None  # judgments of outputs whose worth is known, in the whole table
    repeats: int | None = None  # judgments that were asked for again, in the whole table


@dataclass(frozen=True)
class Inspection:
    """What is in a table of judgments."""

    name: str  # the file, or "data frame"
    kind: str  # "comparisons", "rankings" or "ratings"
    format: str  # the layout that was recognised
    columns: Mapping[str, str]  # role → column
    covariates: tuple[str, ...]  # columns without a role
    notes: tuple[str, ...]  # what was understood, and what was left out
    total: Part  # the whole table
    tasks: tuple[Part, ...] = ()  # each task, by name; empty where there are fewer than two
    scores: tuple[Scores, ...] = ()  # for ratings, one entry for each criterion
    excluded: tuple[Exclusion, ...] = ()  # what was excluded when the table was read

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries and lists, for JSON."""
        return {**asdict(self), "excluded": write_excluded(self.excluded)}


def inspect(data: Handle, *, expanded: Comparisons | None = None) -> Inspection:
    """Count what is in a table of judgments, and check every value on the way."""
    if isinstance(data, Ratings):
        refuse_unnamed(data.frame, data.source, ["system", "judge", "item", "criterion", "task"])
        counted, scores = inspect_ratings(data)
        controls, repeats = count_kinds(data)
        part = Part(None, **counted, controls=controls, repeats=repeats)
        return _inspection(data, (part,), scores, notes=say_alike_of(data))
    if expanded is None:
        expanded = data.comparisons() if isinstance(data, Rankings) else data
    tally = expanded.tally([role for role in ("task", "judge") if expanded.has(role)])
    refuse_unnamed(expanded.frame, expanded.source, ["item"])
    overlap = count_overlap(one_row_per_answer(expanded), judge=expanded.has("judge"))
    ranked = count_rankings(expanded.rankings) if expanded.rankings is not None else {}
    controls, repeats = count_kinds(expanded)
    linked = tally_systems(expanded, controls)
    tasks = tuple(
        _part(task, (part, linked.get(task, part)), overlap.get(task), ranked.get(task))
        for task, part in _by_task(expanded, tally).items()
    )
    if len(tasks) > 1:
        tasks = (_sum(tally, tasks), *tasks)
    tasks = (replace(tasks[0], controls=controls, repeats=repeats), *tasks[1:])
    return _inspection(data, tasks, notes=(*say_names(tally.systems), *_judges_alike(tally)))


def _judges_alike(tally: Tally) -> tuple[str, ...]:
    judges = tally.factors.get("judge")
    return () if judges is None else say_alike(judges.labels, "judge")


def _by_task(data: Comparisons, tally: Tally) -> dict[str | None, Tally]:
    """Take tasks apart, each with its number of answers."""
    if not data.has("task"):
        return {None: tally}
    answers = count_answers(data, "task") if data.expanded else {}
    return {
        task: replace(part, n_judgments=answers.get(task, part.n_judgments))
        for task, part in tally.split("task").items()
    }


def _inspection(
    data: Handle,
    parts: tuple[Part, ...],
    scores: tuple[Scores, ...] = (),
    notes: tuple[str, ...] = (),
) -> Inspection:
    return Inspection(
        name=data.source.name,
        kind=type(data).__name__.lower(),
        format=data.source.format,
        columns=dict(data.source.columns),
        covariates=_covariates(data),
        notes=(*data.source.notes, *list_idle(data.source.exclusions), *notes),
        total=parts[0],
        tasks=parts[1:],
        scores=scores,
        excluded=data.excluded,
    )


def _covariates(data: Handle) -> tuple[str, ...]:
    """Name the columns without a role, but those that counting added."""
    added = {ANSWER, "ranking"} if ANSWER in data.columns else set()
    return tuple(name for name in data.columns if name not in {*data.source.columns, *added})


def refuse_unnamed(frame: Frame, source: Source, roles: Sequence[str]) -> None:
    """Refuse labels that are missing or have a blank before or after them."""
    there = frame.collect_schema().names()
    roles = [role for role in roles if role in there]
    for role in roles:
        rows = find_rows(frame, nw.col(role).is_null() | (nw.col(role) == ""))
        if rows:
            raise InvalidJudgments(
                f"a value is missing in column '{source.named(role)}' of"
                f" {source.name}{name_rows(rows)}"
            )
    refuse_padded(frame, find_padded(frame, roles), source)


def _part(
    task: str | None,
    tallies: tuple[Tally, Tally],
    overlap: Overlap | None,
    ranked: RankingCounts | None,
) -> Part:
    """Put together what is known of one task, from all judgments and from those of systems."""
    tally, linked = tallies
    judge = tally.factors.get("judge")
    pooled = tally.pool()
    wins, ties, losses = (float(n.sum()) for n in (pooled.wins, pooled.ties, pooled.losses))
    decisive = wins + losses
    least, most = _extremes(pooled) if tally.positions_known else (None, None)
    graph = draw_links(linked.pool())
    return Part(
        task=task,
        judgments=tally.n_judgments if ranked is None else ranked.used,
        systems=len(tally.systems),
        comparisons=tally.n_comparisons,
        rankings=ranked.all if ranked else None,
        blank_rankings=ranked.blank if ranked else None,
        ranks=ranked.ranks if ranked else None,
        blank_ranks=ranked.blank_ranks if ranked else None,
        judges=len(judge.labels) if judge else None,
        effective_judges=judge.effective if judge else None,
        items=overlap.items if overlap else None,
        shared_items=overlap.shared if overlap else None,
        shared_judgments=overlap.share if overlap else None,
        tie_share=ties / (decisive + ties),
        left_share=wins / decisive if decisive and tally.positions_known else None,
        least_left=least,
        most_left=most,
        components=int(weak_components(graph).max()) + 1,
        strongly_connected=is_strongly_connected(graph),
    )


def _extremes(tally: Tally) -> tuple[tuple[str, float], tuple[str, float]]:
    """Return the systems that stood left least and most often, and their shares."""
    shown = tally.counts.sum(axis=1)
    k = len(tally.systems)
    left = np.bincount(tally.left, weights=shown, minlength=k)
    share = left / (left + np.bincount(tally.right, weights=shown, minlength=k))
    ends = int(share.argmin()), int(share.argmax())
    least, most = ((tally.systems[i], float(share[i])) for i in ends)
    return least, most


def _sum(tally: Tally, parts: Sequence[Part]) -> Part:
    """Put tasks together; items of different tasks are different, judges and systems may be one."""
    judge: Factor | None = tally.factors.get("judge")
    judgments = sum(part.judgments for part in parts)
    on_shared = [part.judgments * (part.shared_judgments or 0.0) for part in parts]
    known = parts[0]
    decisive = tally.wins.sum() + tally.losses.sum()
    return Part(
        task=None,
        judgments=judgments,
        systems=len(tally.systems),
        comparisons=tally.n_comparisons,
        rankings=_total([part.rankings for part in parts]),
        blank_rankings=_total([part.blank_rankings for part in parts]),
        ranks=_total([part.ranks for part in parts]),
        blank_ranks=_total([part.blank_ranks for part in parts]),
        judges=len(judge.labels) if judge else None,
        effective_judges=judge.effective if judge else None,
        items=_total([part.items for part in parts]),
        shared_items=_total([part.shared_items for part in parts]),
        shared_judgments=None if known.shared_judgments is None else sum(on_shared) / judgments,
        tie_share=float(tally.ties.sum()) / tally.n_comparisons,
        left_share=float(tally.wins.sum() / decisive)
        if decisive and tally.positions_known
        else None,
    )


def _total(numbers: Sequence[int | None]) -> int | None:
    known = [n for n in numbers if n is not None]
    return sum(known) if known else None
