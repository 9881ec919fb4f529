"""Where a table came from, what was understood of it, and what its rows are called in messages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, product
from pathlib import Path
from typing import Any, Final

import narwhals as nw

from evenhand.data import engine
from evenhand.data.conditions import mark_whole
from evenhand.data.exclusions import Exclusion, Filter
from evenhand.data.query_log import hold
from evenhand.data.texts import say
from evenhand.render.document import Finding


def fold(name: str) -> str:
    """Reduce a column name to what is compared: letters and digits, in one case."""
    folded = name.casefold()
    return folded if folded.isalnum() else "".join(filter(str.isalnum, folded))


# What may be recorded beside a judgment: whether it is a control or a repeat, what is expected of
# it, how long it took, and when it was given
ANNOTATIONS: Final = ("kind", "expected", "seconds", "shown_at")


@dataclass(frozen=True)
class AnnotationColumn:
    column: str  # its name in the frame
    # whether it is called like its role or was asked for; if not, values that cannot be read make
    # it a column like any other
    sure: bool = True
    task: str = ""  # what it does, in words, where a reader knows it by more than its role


@dataclass(frozen=True)
class Source:
    """Where a table came from, and what was understood of it."""

    name: str = "data frame"  # the file, or "data frame"
    format: str = "comparisons"  # the layout that was recognised, by its registry name
    # role → column of the outside table, as understood
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # sentences for the reader, such as what was left out
    # role of `ANNOTATIONS` → its column; where a role is missing, a column of its name plays it
    annotations: Mapping[str, AnnotationColumn] = field(default_factory=dict)
    # the DuckDB connection that reads the file, if one does
    connection: Any = field(default=None, repr=False, compare=False)
    # whether its columns are of rows made from records, which no condition on the file can name
    laid_out: bool = field(default=False, compare=False)
    turn: str = ""  # the column of turns that items are named with, as question:turn
    without_controls: bool = False  # whether controls were left out (`controls.leave_out_controls`)
    # whether judges who are marked as LLMs were looked for: excluded, or kept on purpose
    all_judges: bool = False
    # NUMBER:HASH of the end of the log that answers were read from; "" where there is no log
    log_head: str = field(default="", compare=False)
    plan_sha256: str = ""  # of the plan of a gate that its campaign registered; "" without one
    # answers of the campaign that are still to come
    remaining: int = field(default=0, compare=False)
    vacant: int = field(default=0, compare=False)  # those of them at seats that are free
    # of such a campaign: says why its log does not hold, "" if it does, and how many answers were
    # deleted, or changed after all had been given
    audit: Callable[[], tuple[str, int]] | None = field(default=None, repr=False, compare=False)
    # options of `read` that were given and may change what answers say, as one writes them
    choices: tuple[str, ...] = field(default=(), compare=False)
    # what stands behind a verb to read the same judgments, such as ("votes.csv", "--task", "fr-en")
    words: tuple[str, ...] = field(default=("FILE",), compare=False)
    # what was excluded on the way here; filters are not counted yet
    exclusions: tuple[Exclusion | Filter, ...] = field(default=(), repr=False, compare=False)

    def noting(self, *notes: str) -> Source:
        return replace(self, notes=(*self.notes, *notes))

    def excluding(self, *exclusions: Exclusion | Filter) -> Source:
        more = [getattr(one, "sentence", "") for one in exclusions]
        stored = (*self.exclusions, *exclusions)
        return replace(self.noting(*filter(None, more)), exclusions=stored)

    def write_command(self, verb: str, *options: str) -> str:
        """Return a command on these judgments.

        >>> Source(words=("our votes.csv",)).write_command("rank", "--llm-judges", "gpt")
        "evenhand rank 'our votes.csv' --llm-judges gpt"
        """
        return shlex.join(("evenhand", verb, *self.words, *options))

    def named(self, role: str) -> str:
        return self.columns.get(role, role)

    def find_annotations(self, columns: Sequence[str]) -> dict[str, AnnotationColumn]:
        every = {role: self.annotations.get(role, AnnotationColumn(role)) for role in ANNOTATIONS}
        return {role: one for role, one in every.items() if one.column in columns}


def write_log_check(log: str, head: str) -> str:
    """Return the command that holds a log against its head.

    >>> write_log_check("our votes.db", "2:ab")
    "evenhand check 'our votes.db' --head 2:ab"
    """
    return shlex.join(("evenhand", "check", log, "--head", head))


def number_rows(frame: engine.Frame, name: str) -> engine.Frame:
    """Add the number of each row, from 1, as text; numbers that rows have already stay."""
    # Engines that keep no order (Spark, a lazy Polars frame) number the rows sorted by all their
    # columns, so that the numbers are the same in every query.
    if name in frame.collect_schema().names():
        return frame
    if frame.implementation.is_duckdb():
        native = frame.to_native()
        return nw.from_native(  # type: ignore[no-any-return]
            native.project(f'cast(row_number() over () as varchar) as "{name}", *')
        )
    if isinstance(frame, nw.DataFrame):
        numbered: engine.Frame = frame.with_row_index(name)
    else:
        numbered = frame.with_row_index(name, order_by=list(frame.collect_schema().names()))
    return numbered.with_columns((nw.col(name) + 1).cast(nw.String))


def find_rows(frame: engine.Frame, condition: nw.Expr, limit: int = 5) -> list[dict[str, Any]]:
    """Return the first rows that meet a condition, with their number (from 1) under "row".

    Under "line" stands the line of the text file that holds the row, where one does.
    """
    # Lazy engines other than DuckDB keep no row order; there the number is left out. Where a row of
    # the table became several, they all have its number; where rows are excluded, that from before.
    table, keeps_order = frame, isinstance(frame, nw.DataFrame) or frame.implementation.is_duckdb()
    names = frame.collect_schema().names()
    if keeps_order and engine.ANSWER in names:
        frame = frame.with_columns(row=nw.col(engine.ANSWER).cast(nw.Int64))
    elif keeps_order and engine.PLACE in names:
        frame = frame.with_columns(row=nw.col(engine.PLACE) + 1)
    elif isinstance(frame, nw.DataFrame):
        frame = frame.with_row_index("row").with_columns(row=nw.col("row") + 1)
    elif keeps_order:
        frame = nw.from_native(frame.to_native().project('row_number() over () as "row", *'))
    matching = frame.filter(condition)
    if keeps_order and {engine.ANSWER, engine.PLACE} & {*names}:  # a join keeps no order
        matching = matching.sort("row")
    columns = engine.fetch_columns(matching.head(limit))
    names = list(columns)
    rows = [dict(zip(names, each, strict=True)) for each in zip(*columns.values(), strict=True)]
    lines = find_lines(table, {int(row["row"]) for row in rows if row.get("row")})
    return [{**row, "line": lines[int(row["row"])]} for row in rows] if lines else rows


def advise_missing(frame: engine.Frame, number: str) -> str:
    """Return what reads a number as no answer, as a clause."""
    if frame.implementation.is_duckdb():
        return f"add --missing {number}, in Python read(..., missing={number})"
    return f"pass evenhand.read(frame, missing={number})"


_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")


def matches_code(value: object, code: str) -> bool:
    """Say whether a value is a code, such as 99 or "n.a.": as a number, or as text but for case."""
    text = str(value).strip()
    if _NUMBER.fullmatch(text) and _NUMBER.fullmatch(code):
        return float(text) == float(code)
    return text.casefold() == code.casefold()


def empty_codes(
    frame: engine.Frame, columns: Sequence[str], codes: Sequence[str], table: str
) -> tuple[engine.Frame, list[Finding]]:
    """Empty the cells of some columns that hold a code for "no answer"; say how many held each."""
    schema = frame.collect_schema()
    cells: dict[str, dict[str, int]] = {code: {} for code in codes}
    for column in columns:
        counted = engine.count_labels(frame, column, as_text=True)
        codes_of = {
            label: code
            for label, code in product(counted, codes)
            if label is not None and matches_code(label, code)
        }
        for label, code in codes_of.items():
            cells[code][column] = cells[code].get(column, 0) + int(counted[label])
        if codes_of:
            dtype, value = schema[column], nw.col(column)
            number = int if dtype.is_integer() else float
            held = [number(one) for one in codes_of] if dtype.is_numeric() else [*codes_of]
            frame = frame.with_columns(nw.when(~value.is_in(held)).then(value).alias(column))
    return frame, [
        say("missing-code", n=sum(by.values()), code=code, by=by)
        if by
        else say("unused-missing-code", "warning", code=code, columns=[*columns], table=table)
        for code, by in cells.items()
    ]


# All blanks that Python strips from a text
BLANKS: Final = "".join(filter(str.isspace, map(chr, range(0x3001))))
_PADDED: Final = f"^[{BLANKS}]|[{BLANKS}]$"
_AROUND: Final = f"^[{BLANKS}]+|[{BLANKS}]+$"


def strip_blanks(
    frame: engine.Frame, columns: Mapping[str, str], rows: int | None = None
) -> tuple[engine.Frame, tuple[str, ...]]:
    """Take blanks around the texts of columns away, with a note that counts them.

    columns: column → what it is called in the note.
    rows: how many rows are looked at first; where none of them has such a blank, all stay.
    """
    schema = frame.collect_schema()
    texts = [column for column in columns if schema[column] == nw.String]
    if not texts:
        return frame, ()
    first = frame if rows is None else frame.head(rows)
    if isinstance(first, nw.DataFrame):  # in pandas a tenth of the time of an expression
        each = {one: first.get_column(one).unique().to_list() for one in texts}
        named = {name: [one for one in each[name] if isinstance(one, str)] for name in texts}
        padded = [name for name in texts if any(one != one.strip() for one in named[name])]
    else:
        if first.implementation.is_duckdb():  # for a constant in an expression it imports pandas
            pattern = engine.quote(_PADDED)
            marks = (
                f"bool_or(regexp_matches({name}, {pattern})) as {name}"
                for name in map(engine.quote_name, texts)
            )
            first = nw.from_native(first.to_native().aggregate(", ".join(marks)))
        else:
            first = first.select(*(nw.col(one).str.contains(_PADDED).any() for one in texts))
        looked = engine.fetch_columns(first)
        padded = [one for one in texts if looked[one][0]]
    if not padded:
        return frame, ()
    sums = (mark_whole(nw.col(one).str.contains(_PADDED)).sum().alias(one) for one in padded)
    counts = engine.fetch_columns(frame.select(*sums))
    # not `strip_chars`, which Ibis has without its characters
    stripped = frame.with_columns(*(nw.col(one).str.replace_all(_AROUND, "") for one in padded))
    names = [f"{int(counts[one][0]):,} in '{columns[one]}'" for one in padded]
    return stripped, (say("stripped", columns=names),)


def repeats_header(name: str, where: str) -> str:
    """Say that a row holds the names of the columns, as the header does."""
    return f"{name} repeats its header{where}, as where two files were joined: delete such rows"


_NAMED_BY: Final[ContextVar[tuple[str, ...]]] = ContextVar("columns that name rows", default=())


def naming_rows(*columns: str) -> AbstractContextManager[Any]:
    """Have messages name rows by columns, for readers who have no table in which to count them."""
    return hold(_NAMED_BY, columns)


def name_rows(rows: list[dict[str, Any]]) -> str:
    """Name rows for a message, for instance " (rows 3, 17)" or " (judge ann; judge ben)"."""
    columns = _NAMED_BY.get()
    if columns and all(column in row for row in rows for column in columns):
        named = (", ".join(f"{column} {row[column]}" for column in columns) for row in rows)
        return f" ({'; '.join(dict.fromkeys(named))})" if rows else ""
    unit = "line" if rows and all("line" in row for row in rows) else "row"
    numbers = list(dict.fromkeys(f"{int(row[unit]):,}" for row in rows if unit in row))
    if not numbers:
        return ""
    return f" ({unit}{'s' if len(numbers) > 1 else ''} {', '.join(numbers)})"


MAX_LINES_READ: Final = 1_000_000  # Lines looked through; beyond, a row is named by its number
# What a relation of DuckDB reads, as its SQL says it
_TEXT: Final = re.compile(r"read_(csv|json)\((?:main\.list_value\()?'((?:[^']|'')+)'\)?, \(")
_COUNTED: Final = "row_number() OVER ()"
# What makes other rows than those of the file
_RESHAPED: Final = re.compile(
    r"\b(where|union|unpivot|unnest|join|group by|order by)\b", re.IGNORECASE
)
_STRINGS: Final = re.compile(r"'(?:[^']|'')*'")


def find_lines(frame: engine.Frame, numbers: Collection[int]) -> dict[int, int]:
    """Return row → its line in the text file that a frame reads, as an editor shows it.

    Nothing where rows stand in no line: in a workbook, a data frame, Parquet, a list of JSON, or
    where rows were chosen or unfolded before they were counted.
    """
    if not frame.implementation.is_duckdb() or not 0 < max(numbers, default=0) <= MAX_LINES_READ:
        return {}
    native: Any = frame.to_native()
    if not {engine.PLACE, engine.ANSWER} & {*native.columns}:
        native = native.project("row_number() over (), *")
    query = native.sql_query()
    _, counts, rows = _STRINGS.sub("''", query).partition(_COUNTED)
    depth = accumulate((one == "(") - (one == ")") for one in rows)
    counted = rows[: next((at for at, one in enumerate(depth) if one < 0), len(rows))]
    files = _TEXT.findall(query)
    if not counts or len(files) != 1 or _RESHAPED.search(counted):
        return {}
    ((kind, name),) = files
    skipped = re.search(r'"skip" = (\d+)', query)
    above = int(kind == "csv" and "\"header\" = CAST('t'" in query)
    mark = re.search(r"\(delim = '(.)'\)", query)
    quoted = '("quote" = \'"\')' in query
    path, width = Path(name.replace("''", "'")), query.count(":= 'VARCHAR'")
    skips = "(ignore_errors = CAST('t'" in query
    marked = mark[1] if mark and (quoted or skips) else None
    from evenhand.data.engine_errors import list_starts, open_text

    starts = list_starts(path, marked, width if skips else None)
    if skipped:  # lines, of which blank ones start no record
        with open_text(path) as opened:
            blank = sum(not line.strip() for line in islice(opened, int(skipped[1])))
        starts = islice(starts, int(skipped[1]) - blank, None)
    wanted = {number + above: number for number in numbers}
    pairs = zip(range(1, max(wanted) + 1), starts, strict=False)
    lines = {wanted[at]: line for at, line in pairs if at in wanted}
    return lines if len(lines) == len(wanted) else {}
