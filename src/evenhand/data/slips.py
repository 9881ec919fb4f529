"""Slips of the hand in a table: rows pasted twice, and scores off a scale, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import narwhals as nw
import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import advise_without
from evenhand.data.engine import COUNT, PLACE, count_labels, count_rows, fetch_columns
from evenhand.data.joining import say_alike
from evenhand.data.labels import MISSING
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import (
    MAX_POINTS,
    OFTEN,
    RatingRows,
    find_far,
    find_no_answers,
    say_no_answer,
)
from evenhand.data.ratings import Ratings
from evenhand.data.source import advise_missing, find_lines, find_rows, number_rows
from evenhand.data.tables import BOUND_BY
from evenhand.data.texts import say
from evenhand.numerics.cluster_means import number_groups
from evenhand.render.document import Finding, take_findings

# Rows beyond which nobody pastes by hand, and grouping by every column takes seconds
MAX_ROWS_COMPARED: Final = 1_000_000
MAX_ROWS_IN_PASSING: Final = 100_000  # The same for who asks for a ranking, and waits for it
MAX_NAMED: Final = 5  # Rows that a warning names
# Scores of a judge from which on their scale is told; times that others' highest is higher
MIN_OF_SCALE, SHORT_SCALE = 10, 5
_ROW: Final = "evenhand_row"
_WHOLE: Final = re.compile(r"\d+(\.0+)?")  # A whole number, as sheets and programs write it


def find_slips(
    data: Comparisons | Rankings | Ratings, *, pasted: bool = True
) -> tuple[Finding, ...]:
    """Warn of rows that equal another row, and of scores far from all others or off the scale.

    Each is a warning that names its lines in a CSV file, elsewhere rows or cells, and has its
    values: code "identical-rows" with `rows`, and code "far-score" with `score`, `n`,
    `low`, `high` and `criterion`. The table is as it was read, with controls and second answers.

    pasted: whether to look for equal rows, which groups the table, up to a million rows.
    """
    if isinstance(data, Rankings) or (isinstance(data, Comparisons) and data.expanded):
        return ()  # rows of one answer share their judge and item
    scales = _count_scores(data) if isinstance(data, Ratings) else {}
    far = _say_far(data, scales, codes=True) if isinstance(data, Ratings) else []
    return (*far, *(_find_identical(data) if pasted else []))


# Names that rows of a sheet have which sum up the others, in languages of many sheets
SUMMARIES: Final = frozenset(
    (
        *("mean", "average", "avg", "avg.", "total", "totals", "grand total", "sum", "median"),
        *("summe", "mittelwert", "durchschnitt", "gesamt", "moyenne", "somme", "total général"),
        *("promedio", "media", "suma", "totale", "gemiddelde", "totaal", "média", "soma"),
        *("sd", "std", "stdev", "std dev", "standard deviation", "standardabweichung"),
        *("średnia", "razem", "průměr", "celkem", "среднее", "итого", "平均", "合計", "合计"),
    )
)


def note_odd_names(
    data: Comparisons | Rankings | Ratings, names: Iterable[str], role: str
) -> tuple[Finding, ...]:
    """Say which names of judges or systems may be slips: written in two ways, or of no judge."""
    there = [*filter(None, names)]
    notes = (*take_findings(say_alike(there, role)), *note_summaries(data, there, role))
    none = [one for one in there if one.strip().casefold() in MISSING]
    if none:
        remedy = advise_without(data.frame, {data.source.named(role): none})
        notes = (*notes, say("missing-names", "warning", role=role, names=none, remedy=remedy))
    return notes


def note_item_numbers(data: Comparisons | Rankings | Ratings) -> tuple[Finding, ...]:
    """Say which items are numbers that differ only in how they are written, such as 7 and 007."""
    if not data.has("item"):
        return ()
    names = filter(None, count_labels(data.frame, "item", as_text=True))
    return take_findings(say_alike([one for one in names if _WHOLE.fullmatch(one)], "item"))


def note_summaries(
    data: Comparisons | Rankings | Ratings, names: Iterable[str], role: str
) -> tuple[Finding, ...]:
    """Warn of judges, items or systems that are called like rows which sum up the others."""
    sums = [one for one in sorted(names) if one.strip().casefold() in SUMMARIES]
    if not sums:
        return ()
    remedy = advise_without(data.frame, {data.source.named(role): sums})
    return (say("summary-rows", "warning", role=role, names=sums, remedy=remedy),)


def note_slips(data: Ratings, rows: RatingRows) -> tuple[Finding, ...]:
    """Say which names and scores may be slips, and which rows were pasted twice.

    rows: the scores of the table; equal rows are sought where some answers of them are the same.
    """
    tasks = data.has("task")
    items = dict.fromkeys(one.rpartition(BOUND_BY)[2] if tasks else one for one in rows.items)
    names = (
        *note_odd_names(data, rows.systems, "system"),
        *note_odd_names(data, rows.judges, "judge"),
        *note_summaries(data, items, "item"),
    )
    names = (*names, *find_short_scales(rows))
    if not 0 < rows.size <= MAX_ROWS_IN_PASSING:
        return names
    several = int(number_groups(rows.task, rows.judge, rows.unit).max()) + 1 < rows.size
    scales = {}
    for code, criterion in enumerate(rows.criteria):
        points, n = np.unique(rows.score[rows.criterion == code], return_counts=True)
        scales[criterion] = dict(zip(points.tolist(), n.tolist(), strict=True))
    far = _say_far(data, scales, codes=False)  # of codes every reading of rows warns
    return (*names, *far, *(_find_identical(data) if several else []))


def find_short_scales(rows: RatingRows) -> list[Finding]:
    """Name judges whose scores all lie far below the highest of the others, by criterion."""
    if rows.size > MAX_ROWS_IN_PASSING:
        return []
    found = []
    for code, criterion in enumerate(rows.criteria):
        mine = rows.criterion == code
        points, counts = np.unique(rows.score[mine], return_counts=True)
        codes = find_no_answers(dict(zip(points.tolist(), counts.tolist(), strict=True)))
        mine &= ~np.isin(rows.score, codes)
        judge, score = rows.judge[mine], rows.score[mine]
        n, top = np.bincount(judge, minlength=len(rows.judges)), np.full(len(rows.judges), -np.inf)
        np.maximum.at(top, judge, score)
        often = np.sort(score)[-OFTEN:]  # a slip is no scale
        highest = float(often[0]) if len(often) else 0.0
        low = np.flatnonzero((n >= MIN_OF_SCALE) & (top > 0) & (top * SHORT_SCALE <= highest))
        if len(low):
            told = {"judges": [rows.judges[at] for at in low.tolist()], "highest": highest}
            told |= {"own": float(top[low].max()), "of": f" of {criterion}" if criterion else ""}
            found.append(say("short-scales", "warning", **told))
    return found


def _find_identical(data: Comparisons | Ratings) -> list[Finding]:
    """Count the rows that are another row again in every column, where judge and item are known.

    A judge who is asked a second time makes such a row too, unless the table says when or why.
    """
    if not (data.has("judge") and data.has("item")) or data.has("weight"):
        return []
    every = count_rows(data.frame)
    if every > MAX_ROWS_COMPARED:
        return []
    again = every - count_rows(data.frame.group_by(*data.columns).agg(nw.len().alias(COUNT)))
    if not again:
        return []
    where = ""
    if isinstance(data.frame, nw.DataFrame) or data.frame.implementation.is_duckdb():
        if PLACE in data.frame.collect_schema().names():  # where rows were excluded before
            numbered = data.frame.with_columns(nw.col(PLACE).cast(nw.Int64).alias(_ROW) + 1)
        else:
            numbered = number_rows(data.frame, _ROW).with_columns(nw.col(_ROW).cast(nw.Int64))
        ends = numbered.group_by(*data.columns).agg(
            nw.len().alias(COUNT), nw.col(_ROW).min().alias("row"), nw.col(_ROW).max().alias("last")
        )
        columns = fetch_columns(
            ends.filter(nw.col(COUNT) > 1).sort("row", *_labels(data)).head(MAX_NAMED)
        )
        values = zip(*columns.values(), strict=True)
        firsts = [dict(zip(columns, each, strict=True)) for each in values]
        rows = [*firsts, *({**one, "row": one["last"]} for one in firsts)]
        lines = find_lines(data.frame, {int(one["row"]) for one in rows})
        more = "" if again <= len(firsts) else ", ..."
        if lines or not data.source.exclusions:
            numbers = [lines.get(int(one["row"]), int(one["row"])) for one in rows]
            # cells of one row of a wide table have its number
            pairs = dict.fromkeys(zip(numbers[: len(firsts)], numbers[len(firsts) :], strict=True))
            written = ", ".join(f"{first:,} and {last:,}" for first, last in pairs)
            where = f" ({'lines' if lines else 'rows'} {written}{more})"
        else:  # rows that remain are no rows of the file
            cells = [", ".join(f"{role} {row[role]}" for role in _labels(data)) for row in firsts]
            where = f" ({'; '.join(cells)}{more})"
    return [say("identical-rows", "warning", rows=again, where=where)]


def _count_scores(data: Ratings) -> dict[str, dict[float, int]]:
    """Return criterion → score → how often it was given."""
    roles = ["criterion"] if data.has("criterion") else []
    frame = data.frame.with_columns(score=nw.col("score").cast(nw.Float64))
    points = frame.filter(~nw.col("score").is_null()).group_by(*roles, "score")
    cells = fetch_columns(points.agg(nw.len().alias(COUNT)).head(MAX_POINTS * MAX_POINTS))
    scales: dict[str, dict[float, int]] = {}
    names = cells["criterion"].tolist() if roles else [""] * len(cells["score"])
    for name, score, n in zip(names, cells["score"].tolist(), cells[COUNT].tolist(), strict=True):
        scales.setdefault(name or "", {})[score] = n
    return scales


def _say_far(
    data: Ratings, scales: Mapping[str, Mapping[float, int]], *, codes: bool
) -> list[Finding]:
    """Warn of scores far from all others; with codes, of those that mean "no answer" as well."""
    far = []
    for name, counts in sorted(scales.items()):
        slips = find_far(counts)
        ordered = sorted(counts.keys() - {*slips})
        remedy = partial(advise_missing, data.frame)
        meant_none = [one for one in find_no_answers(counts) if codes and one not in slips]
        far += [say_no_answer(one, counts, name, remedy) for one in meant_none]
        for end in slips:
            meant = nw.col("score").cast(nw.Float64) == end
            meant = meant & (nw.col("criterion") == name) if name else meant
            where = _name_places(data, find_rows(data.frame, meant, MAX_NAMED), counts[end])
            scale = {"low": ordered[0], "high": ordered[-1], "criterion": name}
            far.append(say("far-score", "warning", score=end, n=counts[end], where=where, **scale))
    return far


def _name_places(data: Ratings, rows: Sequence[Mapping[str, Any]], n: int) -> str:
    more = f" and {n - len(rows):,} more" if n > len(rows) else ""
    if rows and all("line" in row for row in rows):
        numbers = ", ".join(f"{row['line']:,}" for row in rows)
        return f" (line{'s' if len(rows) > 1 or more else ''} {numbers}{more})"
    cells = [", ".join(f"{role} {row[role]}" for role in _labels(data)) for row in rows]
    return f" ({'; '.join(cells)}{more})"


def _labels(data: Comparisons | Ratings) -> list[str]:
    roles = ("judge", "item", "system", "left", "right", "criterion")
    return [role for role in roles if data.has(role)]
