"""Names and rows of tables: covariates, merged and alike names, tasks, order of rows, bins."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, Final, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.conditions import advise_without
from evenhand.data.engine import (
    ANSWER,
    PLACE,
    Columns,
    Frame,
    count_labels,
    fetch_columns,
    is_nan,
    small_table,
)
from evenhand.data.source import Source, find_rows, name_rows
from evenhand.data.texts import say
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption, listing, suggest_or_list
from evenhand.render.document import Finding

NAMELESS: Final = "the table to join"


def join_covariates(
    frame: Frame, table: Any, on: str, source: Source, named: str = NAMELESS
) -> Frame:
    """Add the columns of a table with one row per judge (or item), of any engine."""
    other = nw.from_native(table)
    names = other.collect_schema().names()
    if on not in names:
        raise UnknownColumn(f"{named} has no column '{on}'; it has {listing(names)}")
    taken = [name for name in names if name != on and name in frame.collect_schema().names()]
    if taken:
        raise InvalidJudgments(
            f"{source.name} already has a column '{taken[0]}': rename it in {named}"
        )
    columns = {name: _as_text(values) for name, values in fetch_columns(other).items()}
    given, needed = columns[on], count_labels(frame, on, as_text=True)
    doubled = [str(name) for name, n in Counter(given).items() if n > 1]
    if doubled:
        raise InvalidJudgments(
            f"{on} {listing(doubled)} stands more than once in {named}: one row for each"
        )
    absent = sorted({name for name in needed if name is not None} - set(given))
    if absent:
        remedy = advise_without(frame, {source.named(on): absent}, judges=on == "judge")
        raise InvalidJudgments(
            f"{on} {listing(absent)} of {source.name} is not in {named}: add a row for each, or"
            f" leave them out ({remedy})"
        )
    keyed = frame.collect_schema()[on]
    ours = small_table(frame, columns, source.connection)
    if keyed != nw.String:
        ours = ours.with_columns(nw.col(on).cast(keyed))
    alike: Any = ours.lazy() if isinstance(frame, nw.LazyFrame) else ours  # as narwhals asks
    return frame.join(alike, on=on, how="left")


def _as_text(column: NDArray[Any]) -> list[Any]:
    whole = column.dtype.kind == "f" and not (column[~np.isnan(column)] % 1).any()
    return [
        None if value is None or value != value else str(int(value) if whole else value)  # noqa: PLR0124 - nan is the only value that differs from itself
        for value in column.tolist()
    ]


# One output of several systems, shown once under a name such as "A+B", gives comparisons for each
# of them with the others, and none between them: nobody was asked about these. Taking it for a tie
# of the two inflates agreement and tie parameters. A sign may also be part of a name, so that names
# are taken apart only where the caller says by which sign.
SIGN: Final = "+"  # The sign that WMT put between the systems of one output
SEPARATOR: Final = "system_separator"  # Column with the sign, where a campaign merged equal outputs
PART: Final = "evenhand_part"
ENTRY: Final = "evenhand_entry"
COMPARED: Final = "each of these is compared with the others, not with one another"


@dataclass(frozen=True)
class Parts:
    """Names of outputs and the systems that they stand for, one system an entry."""

    # (P,) names as they stand in the table; a merged name once for each of its systems
    labels: tuple[str, ...]
    systems: tuple[str, ...]  # (P,) the systems
    note: str  # what was taken apart, for the reader


def find_parts(
    frame: Frame, columns: Sequence[str], sign: str, source: Source, *, explanation: str = COMPARED
) -> Parts | None:
    """Look up all names of outputs and take the merged ones apart; None where none is merged."""
    if not sign.strip():
        raise UnknownOption(
            "system_separator is empty: say which sign stands between the systems of one output,"
            " such as '+'"
        )
    named = {label for name in columns for label in count_labels(frame, name, as_text=True)}
    labels = sorted(named - {None})
    merged = [label for label in labels if sign in label]
    if not merged:
        return None
    taken = {label: label.split(sign) for label in merged}
    for label, systems in taken.items():
        where = f"'{source.named(columns[0])}' of {source.name}"
        said = f"name '{label}' in column {where}"
        if not all(systems):
            raise InvalidJudgments(
                f"{said} has an empty part: between the signs of a merged name stands a system"
            )
        padded = [system for system in systems if system != system.strip()]
        if padded:
            raise InvalidJudgments(
                f"{said} has the part '{padded[0]}' with a blank before or after it: labels are"
                " compared exactly, put the blanks into the sign (system_separator=' + ') or"
                " take them out"
            )
        doubled = [system for system in systems if systems.count(system) > 1]
        if doubled:
            raise InvalidJudgments(f"{said} names system '{doubled[0]}' twice: name it once")
    pairs = [(label, system) for label in labels for system in taken.get(label, [label])]
    only = sorted({system for _, system in pairs}.difference(labels))
    shortest = min(merged, key=len)
    note = (
        f"{len(merged):,} of {len(labels):,} names stand for several systems, such as"
        f" '{shortest}': {explanation}"
    )
    if only:
        note += f"; only ever found in such names: {listing(only)}"
    return Parts(tuple(label for label, _ in pairs), tuple(system for _, system in pairs), note)


def spread(frame: Frame, column: str, parts: Parts, source: Source) -> Frame:
    """Turn each row into one for each system of the output that a column names."""
    names = frame.collect_schema().names()
    if frame.collect_schema()[column] != nw.String:
        frame = frame.with_columns(nw.col(column).cast(nw.String))
    table = small_table(frame, {column: parts.labels, PART: parts.systems}, source.connection)
    joined = frame.join(table, on=column, how="left")  # type: ignore[arg-type]
    return joined.select(
        *[nw.col(PART).alias(name) if name == column else nw.col(name) for name in names]
    )


def say_none(sign: str) -> str:
    return f"no name holds '{sign}': every output is of one system"


def say_merged(systems: Sequence[str]) -> tuple[str, ...]:
    """Say how to read names that look merged, if there are some: every part is a name itself."""
    names = set(systems)
    merged = [name for name in systems if SIGN in name and names.issuperset(name.split(SIGN))]
    if not merged:
        return ()
    values = {"systems": len(systems), "example": min(merged, key=len), "sign": SIGN}
    if len(merged) == 1:
        return (say("merged-name", **values),)
    return (say("merged-names", merged=len(merged), **values),)


# Labels are compared exactly, so that a name written in two ways splits a system in two. Nothing is
# joined unasked.
_SIGNS: Final = r"""[\s\-‐-―_.,:;/\\'"’`()\[\]]+"""
_BETWEEN_NUMBERS: Final = re.compile(rf"(?<=\d){_SIGNS}(?=\d)")
_ANYWHERE: Final = re.compile(rf"(?!(?<=\d) (?=\d)){_SIGNS}")
# Zeros before a whole number, and behind one as spreadsheets write it: 007 and 7.0 are 7
_ZEROS: Final = re.compile(r"(?<![\d.,])0+(?=\d)|(?<=\d)\.0+$")
# Names that LLM judges have, after the name of who offers them, and people hardly do
_LLM_NAME: Final = re.compile(
    r"(.*/)?((chat)?gpt([-_ .\d]|oss|$)|o[134](-mini|-pro|$)|claude[-_ .]?(\d|opus|sonnet|haiku)"
    r"|gemini([-_ .\d]|$)|gemma[-_ .]?\d|(meta-)?llama[-_ .]?\d|mi[sx]tral|qwen|deepseek|command-r"
    r"|vicuna|grok([-_ .\d]|$)|kimi[-_ .]|phi-\d|prometheus|auto-?j(-|$)|skywork-reward"
    r"|(.*[-_ .])?l?lm[-_ .]?judge|judge[-_ .]?llm|llm([-_ .:]|$))",
    re.IGNORECASE,
)


def say_names(systems: Iterable[str]) -> tuple[str, ...]:
    """Say what names of systems may hide: outputs of several systems, one system named twice."""
    names = tuple(systems)
    return (*say_merged(names), *say_alike(names))


def say_alike(names: Iterable[str], kind: str = "system") -> tuple[str, ...]:
    """Say which names differ only in capitals, blanks, punctuation or how a number is written."""
    looks: dict[str, list[str]] = {}
    for name in sorted(names):
        looks.setdefault(_strip_name(name, _ZEROS), []).append(name)
    alike = [same for same in looks.values() if len(same) > 1]
    if not alike:
        return ()
    numbers = any(len({_strip_name(name) for name in same}) > 1 for same in alike)
    if len(alike) == 1 and len(alike[0]) == 2:
        one, other = alike[0]
        code = "similar-numbers" if numbers else "similar-names"
        return (say(code, one=one, other=other, kind=kind),)
    some = [name for same in alike for name in same]
    code = "many-similar-numbers" if numbers else "many-similar-names"
    return (say(code, count=len(some), names=some, kind=kind),)


def _strip_name(name: str, further: re.Pattern[str] | None = None) -> str:
    """Take away what is easily written in two ways; signs between digits part numbers."""
    text = unicodedata.normalize("NFKC", name).casefold()
    text = further.sub("", text) if further is not None else text
    return _ANYWHERE.sub("", _BETWEEN_NUMBERS.sub(" ", text)) or name


def note_llm_names(
    judges: Iterable[str], columns: Sequence[str] = (), source: Source | None = None
) -> tuple[Finding, ...]:
    """Ask about judges who are named like LLMs and count as people, unless judge_type says it.

    source: of judgments, with a command that ranks them with the help of those judges.
    """
    named = sorted(one for one in judges if _LLM_NAME.match(one))
    if not named or "judge_type" in columns:
        return ()
    if source is None or "item" not in columns:
        return (say("named-like-llms", "warning", judges=named),)
    command = source.write_command("rank", "--llm-judges", ",".join(named))
    return (say("named-like-llms-inside", "warning", judges=named, command=command),)


def drop_marked(notes: Sequence[Finding], columns: Sequence[str]) -> tuple[Finding, ...]:
    return tuple(
        one for one in notes if one.code != "named-like-llms" or "judge_type" not in columns
    )


def count_tasks(frame: Frame, source: Source) -> dict[str, int]:
    if "task" not in frame.collect_schema().names():
        return {}
    tasks = count_labels(frame, "task", as_text=True)
    if None in tasks:
        raise InvalidJudgments(f"a task is missing in {source.name}: fill it or drop it")
    return {task: int(rows) for task, rows in sorted(tasks.items())}


def list_tasks(frame: Frame, source: Source) -> list[str]:
    return list(count_tasks(frame, source))


def require_task(frame: Frame, source: Source, task: str) -> None:
    if "task" not in frame.collect_schema().names():
        raise UnknownColumn(
            f"{source.name} has no tasks, so task '{task}' cannot be taken: leave it out, or say"
            " which column is the task (--column task=NAME, in Python columns={'task': 'NAME'})"
        )
    tasks = list_tasks(frame, source)
    if task not in tasks:
        hint = suggest_or_list(task, tasks)
        raise InvalidJudgments(f"no task '{task}' in {source.name}.{hint}")


# Joins do not keep the order of rows, by which the first of two answers counts: where rows stood is
# numbered before, in engines that keep an order, and restored by who asks for it.


def number_places(frame: Frame, name: str = PLACE) -> Frame | None:
    """Number the rows; None where the engine keeps no order of them."""
    if isinstance(frame, nw.DataFrame):
        return cast("Frame", frame.with_row_index(name))
    native: Any = frame.to_native()
    if frame.implementation.is_polars():
        return cast("Frame", nw.from_native(native.with_row_index(name)))
    if frame.implementation.is_duckdb():
        counted = native.project(f'row_number() over () - 1 as "{name}", *')
        return cast("Frame", nw.from_native(counted))
    return None


def keep_places(frame: Frame) -> Frame:
    """Number the rows of a table that will be joined, where there is an order to keep."""
    names = frame.collect_schema().names()
    if PLACE in names:
        return frame
    if ANSWER in names and (isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()):
        return frame.with_columns(nw.col(ANSWER).cast(nw.Int64).alias(PLACE) - 1)
    numbered = number_places(frame)
    return frame if numbered is None else numbered


def list_places(frame: Frame) -> list[str]:
    return [name for name in frame.collect_schema().names() if name == PLACE]


def sort_rows(columns: Columns) -> Columns:
    """Put fetched rows into the order of the table, where their places were fetched too."""
    if PLACE not in columns:
        return columns
    order = np.argsort(columns[PLACE], kind="stable")
    return {name: column[order] for name, column in columns.items() if name != PLACE}


_NUMBER: Final = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"


def add_bins(frame: Frame, column: str, edges: Sequence[float], name: str, source: Source) -> Frame:
    """Add the bin of a column of numbers; where a number is missing, its bin is."""
    rising = all(low < high for low, high in pairwise(edges))
    if not edges or not rising or not all(map(isfinite, edges)):
        raise UnknownOption(f"edges of bins are numbers that rise, such as 100, 200; not {edges}")
    between = [f"{low:.15g} to {high:.15g}" for low, high in pairwise(edges)]
    names = [f"below {edges[0]:.15g}", *between, f"{edges[-1]:.15g} and above"]
    value = _read_numbers(frame, column, source)
    label: nw.Expr = nw.when(value >= edges[-1]).then(nw.lit(names[-1]))
    for edge, bin_name in zip(reversed(edges), reversed(names[:-1]), strict=True):
        label = nw.when(value < edge).then(nw.lit(bin_name)).otherwise(label)
    return frame.with_columns(label.alias(name))


def _read_numbers(frame: Frame, column: str, source: Source) -> nw.Expr:
    dtype, value = frame.collect_schema()[column], nw.col(column)
    if dtype.is_float():
        return nw.when(~is_nan(frame, column)).then(value)
    if dtype.is_numeric():
        return value
    if dtype != nw.String:
        raise UnknownOption(
            f"column '{column}' of {source.name} holds {str(dtype).lower()}: bins"
            " are made of numbers"
        )
    text = value.str.strip_chars()
    rows = find_rows(frame, ~value.is_null() & (text != "") & ~text.str.contains(_NUMBER))
    if rows:
        raise InvalidJudgments(
            f"'{rows[0][column]}' in column '{column}' of {source.name}{name_rows(rows)} is not a"
            " number: bins are made of numbers"
        )
    return nw.when(text != "").then(text).cast(nw.Float64)
