"""Tables of other projects that are no CSV with a header, told by their first lines or their names.

Three things are out of order there: columns have no names, fields are parted by tabs in one line
and by blanks in the next, or quotation marks stand bare in the text. Each shape is known exactly;
a file that is none of them is read like any other.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, Literal

from evenhand.errors import UnknownFormat
from evenhand.formats.files.head import Head
from evenhand.formats.files.names import duckdb_name
from evenhand.formats.files.quoting import unquote
from evenhand.judgments.engine import quote, quote_name
from evenhand.judgments.file_lines import LONGEST_LINE

if TYPE_CHECKING:
    import duckdb

Parting = Literal[",", "\t", "blanks"]

# Headers of tables whose lines mix tabs and blanks
BLANK_HEADERS: Final = (
    (
        *("HITId", "WorkerId", "Input.src", "Input.trg", "Input.item", "hit"),
        *("sys_id", "rid", "type", "sid", "score", "time"),
    ),
    ("SYS", "SID", "RAW.SCR", "Z.SCR", "N"),
    ("RAW.SCR", "Z.SCR", "N", "SYS", "N.ALL"),
    ("system", "mqm_avg_score", "seg_id"),
)

# The last column of MQM tables: a remark in the header, below which lines may end early
REMARK: Final = "# Documentation"
_RESULTS: Final = ("SRC", "TRG", "WINS", "TOTAL")
_MQM: Final = ("system", "doc", "rater", "source", "target", "category", "severity")

APPRAISE: Final = ("user", "system", "segID", "type", "src", "tgt", "score")
# Appraise's word for an output, one that is asked again, a reference, and a spoilt output
TYPES: Final = ("TGT", "CHK", "REF", "BAD")

# Names of mt-metrics-eval's files: en-de.mqm.seg.score
MTME: Final = re.compile(
    r"(?P<pair>[^.]+-[^.]+)\.(?P<name>.+)\.(?P<level>sys|domain|doc|seg)\.(?P<what>score|rating)(\.(gz|zst))?"
)

# Columns that may follow the first seven of Appraise's table, in their order
_PARTS: Final = (
    ((), ("documentID", "isCompleteDocument"), ("errors", "sourceErrors")),
    ((), ("spans",)),
    (("start", "end"), ()),
    ((), ("batchNo", "item_pk")),
)
_MOMENT: Final = re.compile(r"1\d{9}(\.\d+)?")
_WHOLE: Final = re.compile(r"\d+")
# Other signs that Python takes for the end of a line may stand in a text
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
# A delimiter that no text holds, so that a line is read as it is
_NOWHERE: Final = "\x1f\x1e\x1f\x1e"


@dataclass(frozen=True)
class Shape:
    """How the lines of a file are to be taken apart."""

    columns: tuple[str, ...]  # their names
    parting: Parting  # what stands between fields: one character, or blanks and tabs in any number
    header: bool  # whether the first line names the columns
    # whether quotation marks bound a field: "some" where that is told from the fields
    quoted: bool | Literal["some"]
    # column → value of every row, taken from the name of the file
    constants: tuple[tuple[str, str], ...] = ()
    padded: bool = False  # whether lines may end before the last column


def tell_shape(head: Head) -> Shape | None:
    """Return the shape of a file, or None if it is a table like any other."""
    first = _LINE_END.split(head.text, maxsplit=1)[0]
    fields = tuple(first.replace('"', "").split())
    _refuse_other_tables(head, fields)
    if fields in BLANK_HEADERS:
        return Shape(fields, "blanks", header=True, quoted=True)
    named = MTME.fullmatch(head.path.name)
    if named:
        return _mtme(named)
    columns = tuple(first.split("\t"))
    if set(_MQM) <= set(columns):
        columns = _unique(columns)
        padded = columns[-1] == REMARK
        return Shape(columns, "\t", header=True, quoted="some", padded=padded)
    columns = name_appraise_columns(_read_line(first, ","))
    if columns:
        return Shape(columns, ",", header=False, quoted=True)
    _refuse_near_appraise(head, first)
    return None


def _read_line(line: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter), [])


def _refuse_near_appraise(head: Head, first: str) -> None:
    """Refuse a table that is like Appraise's but for one thing; say for which."""
    for delimiter in (",", ";", "\t"):
        fields = [one.strip() for one in _read_line(first, delimiter)]
        if len(fields) < len(APPRAISE) or fields[3] not in TYPES:
            continue
        if delimiter != ",":
            fault = f"commas part its fields, not {delimiter!r}"
        elif not _are_languages(fields[4:6]):
            fault = f"languages have three letters, not '{fields[4]}' and '{fields[5]}'"
        else:
            fault = (
                f"behind the score stand {', '.join(fields[7:])[:80]}, and not document,"
                " isCompleteDocument (True or False), errors in [], and times in seconds since 1970"
            )
        raise UnknownFormat(
            f"line 1 of {head.path} looks like Appraise's table ('{fields[3]}' as its type), but"
            f" {fault}; with a header of our own names it is read as it is"
        )


def _refuse_other_tables(head: Head, fields: Sequence[str]) -> None:
    """Refuse what belongs to a campaign, but is no judgments."""
    if tuple(fields[:4]) == _RESULTS:
        raise UnknownFormat(
            f"{head.path} holds the clusters of a ranking, not judgments: read the scores they"
            " were made of"
        )
    if fields and tuple(fields[0].split(",")) == ("Username", "Password", "URL"):
        raise UnknownFormat(f"{head.path} holds logins, not judgments; keep it to yourself")


def _mtme(named: re.Match[str]) -> Shape:
    """Return the shape of a file of mt-metrics-eval, whose name says what its lines do not."""
    level = named["level"]
    constants = tuple((name, named[name]) for name in ("pair", "name", "level"))
    if named["what"] == "rating":
        rated = ("SYSTEM", "RATING", "RATER")
        return Shape(rated, "\t", header=False, quoted=False, constants=constants, padded=True)
    columns = ("DOMAIN", "SYSTEM", "SCORE") if level == "domain" else ("SYSTEM", "SCORE")
    return Shape(columns, "blanks", header=False, quoted=False, constants=constants)


def _unique(columns: Sequence[str]) -> tuple[str, ...]:
    """Name the last column of MQM tables, which is a remark on them, by its first word."""
    return tuple(REMARK if name.startswith("#") else name for name in columns)


def name_appraise_columns(fields: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of Appraise's table, which has no header; () if it is none.

    >>> line = "engdeu0101,sys,68,TGT,eng,deu,10,rt.com.91337,False"
    >>> name_appraise_columns(line.split(","))[-2:]
    ('documentID', 'isCompleteDocument')
    """
    if len(fields) < len(APPRAISE) or fields[3] not in TYPES:
        return ()
    if not _are_languages(fields[4:6]):
        return ()
    rest = [one.strip() for one in fields[len(APPRAISE) :]]
    for parts in product(*_PARTS):
        names = tuple(name for part in parts for name in part)
        if len(names) == len(rest) and all(map(_fits, names, rest)) and _go_together(names):
            return (*APPRAISE, *names)
    return ()


def _are_languages(names: Sequence[str]) -> bool:
    return all(len(one) == 3 and one.isalpha() for one in names)


def _go_together(names: Sequence[str]) -> bool:
    """Say whether columns stand in one table: marks are of documents, pairs have times."""
    return ("spans" not in names or "documentID" in names) and (
        "errors" not in names or "start" in names
    )


def _fits(name: str, value: str) -> bool:
    """Say whether a value can stand in a column of Appraise's."""
    if name == "isCompleteDocument":
        return value in {"True", "False"}
    if name == "spans":
        return value.startswith("[")
    if name in {"start", "end"}:
        return is_moment(value)
    if name in {"batchNo", "item_pk"}:
        return _WHOLE.fullmatch(value) is not None
    return True


def is_moment(text: str) -> bool:
    """Say whether a text is a time in seconds since 1970 that can stand in Appraise's table.

    >>> is_moment("1717331262.5"), is_moment("100"), is_moment("2024-06-02")
    (True, False, False)
    """
    return _MOMENT.fullmatch(text) is not None


def open_shaped(
    connection: duckdb.DuckDBPyConnection, heads: Sequence[Head], shapes: Sequence[Shape]
) -> duckdb.DuckDBPyRelation:
    """Return a relation over files of one such shape, every value as text."""
    for head, shape in zip(heads, shapes, strict=True):
        if shape.columns != shapes[0].columns:
            raise UnknownFormat(
                f"{head.path} has other columns than {heads[0].path}: files read together need the"
                " same"
            )
    queries = []
    for head, shape in zip(heads, shapes, strict=True):
        if shape.parting == "blanks":
            _refuse_uneven(connection, head, shape)
        queries.append(_query(connection, head, shape))
    return connection.sql(" union all ".join(queries))


def _query(connection: duckdb.DuckDBPyConnection, head: Head, shape: Shape) -> str:
    constants = "".join(f", {quote(value)} as {quote(name)}" for name, value in shape.constants)
    if shape.parting == "blanks":
        fields = ", ".join(
            f"nullif(trim(fields[{at}], '\"'), '') as {quote_name(column)}"
            for at, column in enumerate(shape.columns, start=1)
        )
        return f"select {fields}{constants} from ({_lines(head, shape)})"
    types = ", ".join(f"{quote(column)}: 'VARCHAR'" for column in shape.columns)
    mark = '"' if shape.quoted is True else ""
    table = (
        f"read_csv({quote(duckdb_name(head.path))}, auto_detect = false,"
        f" header = {str(shape.header).lower()}, columns = {{{types}}},"
        f" delim = {quote(shape.parting)}, quote = {quote(mark)}, escape = {quote(mark)},"
        f" nullstr = '', null_padding = {str(shape.padded).lower()},"
        f" compression = '{head.compression}', hive_partitioning = false,"
        f" max_line_size = {LONGEST_LINE}, buffer_size = {4 * LONGEST_LINE})"
    )
    fields = "*"
    if shape.quoted == "some":
        fields = ", ".join(unquote(connection, f"select * from {table}", shape.columns).values())
    return f"select {fields}{constants} from {table}"


def _lines(head: Head, shape: Shape) -> str:
    """Return the query of lines as lists of fields; a quoted field may have blanks."""
    field = r'"[^"]*"|\S+' if shape.quoted else r"\S+"
    return (
        f"select regexp_extract_all(line, {quote(field)}) as fields from"
        f" read_csv({quote(duckdb_name(head.path))}, auto_detect = false,"
        f" header = {str(shape.header).lower()}, columns = {{'line': 'VARCHAR'}},"
        f" delim = '{_NOWHERE}', quote = '', escape = '', strict_mode = false,"
        f" compression = '{head.compression}', hive_partitioning = false,"
        f" max_line_size = {LONGEST_LINE}, buffer_size = {4 * LONGEST_LINE})"
    )


def _refuse_uneven(connection: duckdb.DuckDBPyConnection, head: Head, shape: Shape) -> None:
    n = len(shape.columns)
    uneven = connection.execute(
        f"select row, len(fields) from (select row_number() over () as row, fields from"
        f" ({_lines(head, shape)})) where len(fields) <> {n} order by row limit 1"
    ).fetchone()
    if uneven is not None:
        line = uneven[0] + shape.header
        names = ", ".join(shape.columns)
        raise UnknownFormat(
            f"line {line:,} of {head.path} has {uneven[1]} fields, not {n}: {names}"
        )
