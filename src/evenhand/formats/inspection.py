"""What is in a table of judgments: how many, by whom, about what, and whether it can be ranked.

Counting forces every check of the values, so that a table which can be inspected can be used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import narwhals as nw
import numpy as np

from evenhand.data import slips
from evenhand.data.annotations import Unread, classify_kinds, refuse_unread
from evenhand.data.coding import find_padded, refuse_padded, refuse_unnamed_levels
from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import mark_whole
from evenhand.data.controls import (
    count_kind_labels,
    leave_out_controls,
    name_kinds,
    note_llm_judges,
)
from evenhand.data.engine import ANSWER, Frame, count_by, count_labels, count_rows
from evenhand.data.exclusions import Exclusion, list_findings, list_idle, write_excluded
from evenhand.data.joining import note_llm_names, say_names
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL, REPEAT, read_scale, reads_lower
from evenhand.data.ratings import Ratings
from evenhand.data.results import Shown
from evenhand.data.source import Source, find_rows, name_rows
from evenhand.data.tables import RankingCounts, count_answers, drop_unweighted
from evenhand.data.tally import Tally
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.formats.table import Handle
from evenhand.formats.texts import say
from evenhand.numerics.graph import Graph, is_strongly_connected, weak_components
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    describe_findings,
    effective,
    plural,
    share,
    whole,
)

# Exclusions that the counts tell
COUNTED: Final = ("blank-rankings", "blank-ranks", "no-score")
COUNTS: Final = ("judgments", "comparisons")  # that importance weights may make fractions
_ENDS: Final = ("min_left_share", "max_left_share")  # each a system and its share


def count_kinds(data: Comparisons | Ratings) -> tuple[int | None, int | None]:
    annotations = data.source.find_annotations(data.columns)
    if "kind" not in annotations:
        return None, None
    counted = count_kind_labels(data, name_kinds(data, "kind"))
    try:
        kinds = classify_kinds([label.strip() for label in counted])
    except Unread as fault:
        refuse_unread(data.source, "kind", annotations["kind"], fault)
        return None, None
    sums = dict.fromkeys((CONTROL, REPEAT), 0.0)
    for (kind, _), n in zip(kinds, counted.values(), strict=True):
        if kind in sums:
            sums[kind] += n
    return int(sums[CONTROL]), int(sums[REPEAT])


_N = "evenhand_n"


def one_row_per_answer(data: Comparisons) -> Frame:
    """Return one row for each answer with its weight, if that is not 0; rankings stay whole."""
    roles = [role for role in ("task", "judge", "item") if data.has(role)]
    if data.rankings is not None:
        sizes = data.rankings.sizes(roles, weighted=True)
        used = sizes.filter(nw.col("ranked") > 1)
        return _with_task(used.select(*roles, nw.col("times").alias(_N)))
    frame = drop_unweighted(data)
    weight = nw.col("weight") if data.has("weight") else nw.lit(1)
    if not data.expanded:
        return _with_task(frame.select(*roles, weight.alias(_N)))
    every = frame.select(ANSWER, *roles, weight.alias(_N))
    return _with_task(every.group_by(ANSWER, *roles).agg(nw.col(_N).max()))


def count_overlap(frame: Frame, *, judge: bool) -> dict[str | None, dict[str, Any]]:
    """Return what `Part` says of the items of each task, and of judges on them."""
    if "item" not in frame.collect_schema().names():
        return {}
    # two judges or more are there where the first by name is not the last: one group an item
    who = nw.col("judge") if judge else nw.lit("")
    items = (
        frame.with_columns(first=who, last=who)
        .group_by("task", "item")
        .agg(nw.col("first").min(), nw.col("last").max(), nw.col(_N).sum())
    )
    shared = mark_whole(nw.col("first") != nw.col("last"))
    items = items.with_columns(shared=shared).with_columns(on_shared=shared * nw.col(_N))
    sums = [nw.col(name).sum() for name in ("shared", "on_shared", _N)]
    rows = count_by(items, ["task"], nw.len().alias("items"), *sums)
    return {
        task or None: {
            "items": int(n),
            "shared_items": int(shared) if judge else None,
            "shared_judgments": float(on / total) if judge and total else None,
        }
        for task, n, shared, on, total in zip(
            *(rows[name].tolist() for name in ("task", "items", "shared", "on_shared", _N)),
            strict=True,
        )
    }


def _with_task(frame: Frame) -> Frame:
    if "task" in frame.collect_schema().names():
        return frame
    return frame.with_columns(task=nw.lit(""))


@dataclass(frozen=True)
class Scores:
    criterion: str | None  # its name; None where the table has no such column
    count: int  # scores that are there
    missing: int  # scores that are not
    lowest: float | None  # the lowest
    mean: float | None  # the mean
    highest: float | None  # the highest; all three None where no score is there
    better: str | None = None  # "higher" or "lower", by the name of the criterion; None without any


def inspect_ratings(data: Ratings) -> tuple[dict[str, Any], tuple[Scores, ...]]:
    scores = _describe(data)
    n = sum(one.count + one.missing for one in scores)
    if not n:
        raise InvalidJudgments(f"no judgments in {data.source.name}: nothing to count")
    loads = count_labels(data.frame, "judge").values() if "judge" in data.columns else None
    systems = count_labels(data.frame, "system") if data.has("system") else ()
    counted: dict[str, Any] = {"judgments": n, "systems": len(systems)}
    if loads is not None:
        counted["judges"] = len(loads)
        counted["effective_judges"] = sum(loads) ** 2 / sum(load**2 for load in loads)
    roles = [role for role in ("task", "judge", "item") if role in data.columns]
    frame = _with_task(data.frame.select(*roles, nw.lit(1).alias(_N)))
    overlap = count_overlap(frame, judge="judge" in roles).values()
    if overlap:
        counted["items"] = sum(one["items"] for one in overlap)
    if overlap and loads is not None:
        counted["shared_items"] = sum(one["shared_items"] or 0 for one in overlap)
    return counted, scores


def _describe(data: Ratings) -> tuple[Scores, ...]:
    frame = data.frame
    if "criterion" not in data.columns:
        frame = frame.with_columns(criterion=nw.lit(""))
    score = nw.col("score").cast(nw.Float64)
    rows = count_by(
        frame.with_columns(score=score, missing=mark_whole(score.is_null())),
        ["criterion"],
        nw.len().alias("n"),
        nw.col("missing").sum(),
        nw.col("score").min().alias("lowest"),
        nw.col("score").mean().alias("mean"),
        nw.col("score").max().alias("highest"),
    )
    names = ("criterion", "n", "missing", "lowest", "mean", "highest")
    summaries = sorted(zip(*(rows[name].tolist() for name in names), strict=True))
    found = []
    for criterion, n, gone, *ends in summaries:
        lowest, mean, highest = ends if n > gone else (None,) * 3
        better = None
        if n > gone and data.has("system"):
            better = "lower" if reads_lower(criterion or "", ends[0]) else "higher"
        count = int(n - gone), int(gone)
        found.append(Scores(criterion or None, *count, lowest, mean, highest, better))
    return tuple(found)


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
    min_left_share: tuple[str, float] | None = None
    # the system that most often stood left, and its share
    max_left_share: tuple[str, float] | None = None
    # parts of the comparison graph that no comparison joins, controls left out; 1 is needed to rank
    components: int | None = None
    # whether a chain of preferences leads from every system to every other, ties counting both
    # ways; without it some worths are infinite
    strongly_connected: bool | None = None
    controls: int | None = None  # judgments of outputs whose worth is known, in the whole table
    # judgments that were asked for again, in the whole table; of ratings without kinds, scores by
    # a judge who had scored the same output before
    repeats: int | None = None


@dataclass(frozen=True, repr=False)
class Inspection(Shown):
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
        described = asdict(self)
        del described["notes"]
        for part in (described["total"], *described["tasks"]):
            part.update({key: whole(part[key]) for key in COUNTS if part[key] is not None})
        described["excluded"] = write_excluded(self.excluded)
        return {**described, "findings": describe_findings(self._list_findings())}

    def _list_findings(self) -> tuple[Finding, ...]:
        excluded = (one for one in self.excluded if one.code not in COUNTED)
        return list_findings(self.notes, excluded)

    def document(self) -> Document:
        """Return what people read: counts, whether all systems can be ranked, each task."""
        named = [role if role == name else f"{role}={name}" for role, name in self.columns.items()]
        columns = [say("column-names", columns=", ".join(named))] if named else []
        if self.covariates:
            columns.append(say("other-columns", columns=", ".join(self.covariates)))
        # What the sentence of counts leaves out
        part = self.total
        said = []
        if part.controls is not None and part.repeats is not None:
            said.append(say("controls", controls=part.controls, repeats=part.repeats))
        if part.blank_ranks and part.ranks:
            code = "blank-ranks-of-others" if part.blank_rankings else "blank-ranks"
            said.append(say(code, blank=part.blank_ranks, of=part.ranks))
        if part.shared_items is not None:
            code = "shared-items" if part.shared_judgments is None else "shared-judgments"
            said.append(say(code, items=part.shared_items, share=part.shared_judgments))
        if part.left_share is not None:
            said.append(say("left-preferred", share=part.left_share))
        if part.min_left_share is not None and part.max_left_share is not None:
            (least, low), (most, high) = part.min_left_share, part.max_left_share
            ends = {"least": least, "low": low, "most": most, "high": high}
            said.append(say("left-alike", share=low) if low == high else say("left-shares", **ends))
        answer = [say("holds", name=self.name, counts=self._count())]
        if part.components is not None and part.components > 1:
            answer.append(say("not-linked", "warning", groups=part.components))
        elif part.components is not None:
            linked = part.strongly_connected
            answer.append(say("linked") if linked else say("one-way", "warning"))
        return Document(
            answer=tuple(answer),
            basis=" ".join([*columns, *said]),
            parts=(self._tabulate(), *_tabulate_scores(self.scores)),
            findings=self._list_findings(),
        )

    def _count(self) -> str:
        part, kind = self.total, "rating" if self.kind == "ratings" else "judgment"
        counts = [plural(part.judgments, kind)]
        if part.rankings is not None:
            blank = f", {part.blank_rankings:,} of them blank" if part.blank_rankings else ""
            counts = [plural(part.rankings, "ranking") + blank]
        several = part.rankings is not None or (part.comparisons or 0) > part.judgments
        if part.comparisons is not None and several:
            counts[0] += f" → {plural(part.comparisons, 'comparison')}"
        if part.judges is not None:
            uneven = effective(part.judges, part.effective_judges)
            counts.append(f"{plural(part.judges, 'judge')}{uneven}")
        counts += [] if part.items is None else [plural(part.items, "item")]
        counts += [plural(part.systems, "system")] if part.systems else []
        counts += [] if part.tie_share is None else [f"{share(part.tie_share, 1)} ties"]
        return ", ".join(counts)

    def _tabulate(self) -> Table:
        described = self.to_dict()
        rows = [
            {
                **one,
                **{key: ": ".join(map(str, one[key])) for key in _ENDS if one[key]},
                "name": part.task or "all",
                "linked": None
                if part.components is None
                else f"{part.components} parts"
                if part.components > 1
                else ("one way", "yes")[bool(part.strongly_connected)],
            }
            for part, one in zip(
                (self.total, *self.tasks), (described["total"], *described["tasks"]), strict=True
            )
        ]
        return Table(
            "counts",
            "Judgments",
            (
                Column("name", "task", "name"),
                Column("judgments", "judgments", "count"),
                Column("judges", "judges", "count"),
                Column("items", "items", "count"),
                Column("systems", "systems", "count"),
                Column("tie_share", "ties", "percent"),
                Column("left_share", "left", "percent"),
                Column("linked", "linked"),
            ),
            tuple(rows),
            lines=(1,),
            without=("name", "linked"),
            only=() if self.tasks else ("latex", "markdown", "html", "csv"),
        )


def _tabulate_scores(scores: tuple[Scores, ...]) -> list[Table]:
    if not scores:
        return []
    columns = (
        *([Column("criterion", "criterion", "name")] * any(one.criterion for one in scores)),
        Column("count", "scores", "count"),
        *([Column("missing", "missing", "count")] * any(one.missing for one in scores)),
        Column("lowest", "lowest", "general"),
        Column("mean", "mean", "figures"),
        Column("highest", "highest", "general"),
        *([Column("better", "better", "name")] * any(one.better for one in scores)),
    )
    return [Table("scores", "Scores", columns, tuple(map(asdict, scores)))]


def inspect(
    data: Handle, *, expanded: Comparisons | None = None, scale: str | None = None
) -> Inspection:
    """Count what is in a table of judgments, and check every value on the way.

    Args:
        data: the judgments.
        expanded: the comparisons of rankings, where they are known.
        scale: possible scores of ratings, such as "1-5"; others are refused.
    """
    if scale is not None and not isinstance(data, Ratings):
        raise UnknownOption(f"scale '{scale}' is of scores, and {data.source.name} holds none")
    if isinstance(data, Ratings):
        refuse_unnamed(data.frame, data.source, ["system", "judge", "item", "criterion", "task"])
        counted, scores = inspect_ratings(data)
        controls, repeats = count_kinds(data)
        if repeats is None and data.has("judge") and data.has("item"):
            # Count the scores by a judge who had scored the same output before
            roles = ("task", "judge", "item", "system", "criterion")
            scored = data.frame.filter(~nw.col("score").is_null())
            repeats = count_rows(scored) - count_rows(
                scored.select(*filter(data.has, roles)).unique()
            )
        part = Part(None, **counted, controls=controls, repeats=repeats)
        notes = (*slips.find_slips(data), *_note_ratings(data, part.judgments, scale))
        return _inspection(data, (part,), scores, notes=notes)
    if expanded is None:
        expanded = data.comparisons() if isinstance(data, Rankings) else data
    tally = expanded.tally([role for role in ("task", "judge") if expanded.has(role)])
    refuse_unnamed(expanded.frame, expanded.source, ["item"])
    overlap = count_overlap(one_row_per_answer(expanded), judge=expanded.has("judge"))
    rankings = expanded.rankings
    ranked = {} if rankings is None else rankings.count_tasks(weighted=True)
    controls, repeats = count_kinds(expanded)
    linked: dict[str | None, Tally] = {}
    if controls and controls < expanded.count_judgments():
        remaining = leave_out_controls(expanded)
        others = remaining.tally(["task"] if remaining.has("task") else [])
        linked = dict(others.split("task").items()) if others.factors else {None: others}
    by_task: dict[str | None, Tally] = {None: tally}
    if expanded.has("task"):
        answers = count_answers(expanded, "task") if expanded.expanded else {}
        by_task = {
            task: replace(part, n_judgments=answers.get(task, part.n_judgments))
            for task, part in tally.split("task").items()
        }
    tasks = tuple(
        _part(task, (part, linked.get(task, part)), overlap.get(task, {}), ranked.get(task))
        for task, part in by_task.items()
    )
    if len(tasks) > 1:
        # Items of different tasks are different; judges and systems may be one
        every = _part(None, (tally, tally), {}, None)
        on_shared = [part.judgments * (part.shared_judgments or 0.0) for part in tasks]
        known = tasks[0].shared_judgments is not None
        counts: dict[str, Any] = {name: [getattr(one, name) for one in tasks] for name in _ADDED}
        for name, each in counts.items():
            numbers = [n for n in each if n is not None]
            counts[name] = sum(numbers) if numbers else None
        counts |= dict.fromkeys((*_ENDS, "components", "strongly_connected"))  # of each task alone
        shared = sum(on_shared) / every.judgments if known else None
        tasks = (replace(every, shared_judgments=shared, **counts), *tasks)
    tasks = (replace(tasks[0], controls=controls, repeats=repeats), *tasks[1:])
    judges = tally.factors.get("judge")
    notes = say_names(tally.systems)
    if judges:
        named = slips.note_odd_names(data, judges.labels, "judge")
        notes += (*named, *note_llm_names(judges.labels, data.columns, data.source))
    notes += (*slips.note_item_numbers(data), *slips.find_slips(data))
    return _inspection(data, tasks, notes=notes)


def _note_ratings(data: Ratings, judgments: float, scale: str | None) -> list[str]:
    notes: list[str] = []
    if data.has("judge") and judgments <= slips.MAX_ROWS_IN_PASSING:
        notes += slips.find_short_scales(data.rows())
    if scale is not None:
        declared = read_scale(scale)
        table = data.frame
        declared.check(
            data.rows().score, lambda off: name_rows(find_rows(table, nw.col("score").is_in(off)))
        )
        notes.append(say("on-scale", scale=str(declared)))
    for role in (role for role in ("system", "judge") if data.has(role)):
        names = [*filter(None, count_labels(data.frame, role, as_text=True))]
        notes += slips.note_odd_names(data, names, role)
        if role == "judge":
            notes += note_llm_names(names, data.columns, data.source)
    if data.has("item") and judgments <= slips.MAX_ROWS_IN_PASSING:
        items = count_labels(data.frame, "item", as_text=True)
        notes += slips.note_summaries(data, filter(None, items), "item")
    notes += slips.note_item_numbers(data)
    return notes


def _inspection(
    data: Handle,
    parts: tuple[Part, ...],
    scores: tuple[Scores, ...] = (),
    notes: tuple[str, ...] = (),
) -> Inspection:
    # columns without a role, but those that counting added
    named = {*data.source.columns, *([ANSWER, "ranking"] if ANSWER in data.columns else [])}
    return Inspection(
        name=data.source.name,
        kind=type(data).__name__.lower(),
        format=data.source.format,
        columns=dict(data.source.columns),
        covariates=tuple(name for name in data.columns if name not in named),
        notes=(
            *data.source.notes,
            *note_llm_judges(data),
            *list_idle(data.source.exclusions),
            *notes,
        ),
        total=parts[0],
        tasks=parts[1:],
        scores=scores,
        excluded=data.excluded,
    )


def refuse_unnamed(frame: Frame, source: Source, roles: Sequence[str]) -> None:
    there = frame.collect_schema().names()
    roles = [role for role in roles if role in there]
    labels: dict[str, list[str | None]] = {}
    for role in roles:
        empty = {None: nw.col(role).is_null(), "": nw.col(role) == ""}
        if find_rows(frame, empty[None] | empty[""]):
            labels[role] = [label for label, rows in empty.items() if find_rows(frame, rows, 1)]
    if labels:
        refuse_unnamed_levels(frame, labels, source)
    refuse_padded(frame, find_padded(frame, roles), source)


def _part(
    task: str | None,
    tallies: tuple[Tally, Tally],
    overlap: Mapping[str, Any],
    ranked: RankingCounts | None,
) -> Part:
    tally, linked = tallies
    judge = tally.factors.get("judge")
    pooled = tally.pool()
    wins, ties, losses = (float(n.sum()) for n in (pooled.wins, pooled.ties, pooled.losses))
    decisive = wins + losses
    least = most = None
    if tally.positions_known:  # who stood left least and most often
        shown, k = pooled.counts.sum(axis=1), len(pooled.systems)
        on_left = np.bincount(pooled.left, weights=shown, minlength=k)
        part = on_left / (on_left + np.bincount(pooled.right, weights=shown, minlength=k))
        ends = int(part.argmin()), int(part.argmax())
        least, most = ((pooled.systems[i], float(part[i])) for i in ends)
    # An edge from each system to those that were preferred to it; a tie draws both
    pairs = linked.pool()
    up, down = pairs.losses + pairs.ties > 0, pairs.wins + pairs.ties > 0
    left, right = pairs.left.astype(np.intp), pairs.right.astype(np.intp)
    worse, better = ([left[up], right[down]], [right[up], left[down]])
    graph = Graph(len(pairs.systems), np.concatenate(worse), np.concatenate(better))
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
        **overlap,
        tie_share=ties / (decisive + ties),
        left_share=wins / decisive if decisive and tally.positions_known else None,
        min_left_share=least,
        max_left_share=most,
        components=int(weak_components(graph).max()) + 1,
        strongly_connected=is_strongly_connected(graph),
    )


# Counts of a table that are those of its tasks together
_ADDED: Final = ("rankings", "blank_rankings", "ranks", "blank_ranks", "items", "shared_items")
