"""CSV, JSON, Parquet, workbooks and tables of other projects as tables on a DuckDB connection.

Of CSV all values are text. The header and the delimiter are read here rather than guessed by
DuckDB, whose sniffer looks for types, may take the first lines for a title, and renames a doubled
column without a word.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, count, islice, product
from os import getpid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import duckdb
import narwhals as nw

from evenhand.data.engine import PLACE, explained, fetch_columns, make_table, quote, quote_name
from evenhand.data.exclusions import Exclusion
from evenhand.data.query_log import (
    LONGEST_LINE,
    call_copy,
    forget_copies,
    name_originals,
    note_opened,
)
from evenhand.errors import (
    SKIP,
    EvenhandError,
    InvalidJudgments,
    MissingFile,
    NoRows,
    UnknownFormat,
    UnknownOption,
    listing,
    sentence_hint,
    suggest,
)
from evenhand.formats import file_heads
from evenhand.formats.roles import reads_role
from evenhand.formats.table import NESTED, Kinds, Table, exclude_bad_rows
from evenhand.formats.texts import say

if TYPE_CHECKING:
    from evenhand.formats.workbooks import Sheet

_LIKELY: Final = (",", "\t", ";", "|")
_RARE: Final = (":", "^", "~", " ")
_LIMITS: Final = f"max_line_size = {LONGEST_LINE}, buffer_size = {4 * LONGEST_LINE}"
# Records that must have as many fields as the header for a delimiter to be believed
_LOOK: Final = 10


# A first line by which Excel is told the delimiter
_EXCEL: Final = re.compile(r'"?sep=(.)"?', re.IGNORECASE)


@dataclass(frozen=True)
class Shape:
    columns: tuple[str, ...]  # their names, without outer blanks
    parting: str  # what stands between fields: a character, or "blanks": those and tabs, many
    header: bool = True  # whether the first line that is read names the columns
    # whether quotation marks bound a field: "some" where that is told from the fields
    quoted: bool | Literal["some"] = True
    # column → value of every row, taken from the name of the file
    constants: tuple[tuple[str, str], ...] = ()
    padded: bool = False  # whether lines may end before the last column
    skip: int = 0  # records above the header, or above the first row where it is not read
    above: str = ""  # the first words above the header


def skip_ragged(connection: duckdb.DuckDBPyConnection, query: str) -> tuple[str, list[Exclusion]]:
    """Return a query of CSV files without the lines that are no rows, which are listed."""
    from evenhand.data.engine_errors import CSV_WIDTH, find_record

    number = next(file_heads.NUMBERS)
    lines, files = f"evenhand_lines_{number}", f"evenhand_files_{number}"
    options = f"store_rejects = true, rejects_table = '{lines}', rejects_scan = '{files}'"
    storing = query.replace(_LIMITS, f"{_LIMITS}, {options}, rejects_limit = 0")
    ((kept,),) = connection.execute(f"select count(*) from ({storing})").fetchall()
    bad = connection.execute(
        "select file_path, line, any_value(delimiter), any_value(error_type), min(error_message)"
        f" from {lines} join {files} using (scan_id, file_id) group by all order by all"
    ).fetchall()
    connection.execute(f"drop table {lines}; drop table {files}")
    if not bad:
        return query, []
    places: list[str] = []
    for path, at, mark, kind, message in bad:
        record = find_record(Path(path), at, mark.replace("\\t", "\t"))
        where = f"line {record.line if record else at:,}"
        several = f" of {name_originals(path)}" if len({one[0] for one in bad}) > 1 else ""
        width = CSV_WIDTH.search(message)
        why = f"{width[2]} fields, not {width[1]}" if width else kind.lower()
        places.append(f"{where}{several} ({why})")
    return _ignore_ragged(query), [exclude_bad_rows(places, places, kept + len(places))]


def _ignore_ragged(query: str) -> str:
    return query.replace(_LIMITS, f"{_LIMITS}, ignore_errors = true")


def read_dialect(head: file_heads.Head) -> Shape:
    first = re.split(r"\r\n|\n|\r", head.text, maxsplit=1)[0].strip()
    if not first:
        raise UnknownFormat(f"line 1 of {head.path} is blank: put the header there")
    if first.startswith("#"):
        raise UnknownFormat(
            f"line 1 of {head.path} is a comment ('{first[:40]}'): put the header there, comments"
            " are not read"
        )
    excel_line = _EXCEL.fullmatch(first)
    text = head.text.partition("\n")[2] if excel_line else head.text
    titled = find_titled(text, excel_line[1] if excel_line else None)
    if titled is not None:
        file_heads.refuse_columns_twice(titled.columns, str(head.path))
        return replace(titled, skip=titled.skip + bool(excel_line))
    delimiter = excel_line[1] if excel_line else _delimiter(replace(head, text=text))
    records = list(_records(text, delimiter, 3))
    if len(records) < 2 and head.whole and head.text.count('"') % 2:
        raise UnknownFormat(f"line 1 of {head.path} opens a quote that is never closed: close it")
    if len(records) < 2 and head.whole and delimiter in _LIKELY and len(records[0]) > 1:
        raise NoRows(f"{head.path} holds a header but no judgments: write one a row below it")
    if len(records) < 2 and head.whole:
        raise UnknownFormat(
            f"{head.path} holds one line of text ('{first[:40]}') and no table: write a header of"
            " names with commas between them, and one judgment a row below it"
        )
    if not records:
        raise UnknownFormat(f"{head.path} has no readable header in line 1")
    columns = [name.strip() or f"column{i}" for i, name in enumerate(records[0], start=1)]
    file_heads.refuse_columns_twice(columns, str(head.path))
    below = [cell for cell in records[-1] if cell]
    if below and all('"ImportId"' in cell for cell in below):  # an export of Qualtrics
        return Shape(tuple(columns), delimiter, header=False, skip=len(records))
    return Shape(tuple(columns), delimiter, skip=1 if excel_line else 0)


MAX_TITLES: Final = 5  # Most lines above a header


def find_titled(text: str, delimiter: str | None) -> Shape | None:
    """Find the header below lines of a title; None where the first line is the header, or may be.

    The header names every column of the records below it, and those above it are no such names:
    none is as long, none has a name that a role goes by, and of a padded one a single cell is set.
    Of several delimiters the one whose header stands highest is believed: commas of decimals, which
    the header has none of, part nothing. A first line that parts into no names of roles, by commas
    or semicolons that all rows have, is a title above such names.
    """
    found: list[Shape] = []
    first_fits = False
    for mark in _LIKELY if delimiter is None else (delimiter,):
        records = list(_records(text, mark, MAX_TITLES + _LOOK))
        width = len(records[-1]) if records else 0
        cells = [[cell.strip() for cell in record] for record in records]
        alike = sum(len(one) == width for one in records)
        if width == len(records[0]) > 1 < sum(map(bool, cells[0])) and 2 * alike > len(records):
            if any(map(reads_role, cells[0])):
                return None
            first_fits = True
            continue
        place = next((at for at, one in enumerate(cells) if len(one) == width and all(one)), 0)
        if not (0 < place <= MAX_TITLES and width > 1 and len(records) > place + 1):
            continue
        names, above = cells[place], [[cell for cell in one if cell] for one in cells[:place]]
        even = all(len(one) == width for one in records[place:])
        plain = not any(re.match(r"[+-]?[\d.,]+$", name) for name in names)
        titles = all(
            len(cells[at]) < width or not one or (len(one) == 1 and cells[at][0])
            for at, one in enumerate(above)
        )
        named = any(map(reads_role, chain(*above)))
        lines = text.splitlines()
        head = [at for at, line in enumerate(lines) if line.strip()][place]
        if even and plain and titles and not named and not any('"' in one for one in lines[:head]):
            first = f"{mark} ".join(next(filter(None, above), []))
            found.append(Shape(tuple(names), mark, skip=head, above=first or "blank cells"))
    if first_fits:
        found = [one for one in found if any(map(reads_role, one.columns))]
    return min(found, key=lambda one: one.skip, default=None)


def _delimiter(head: file_heads.Head) -> str:
    if file_heads.suffix_of(head.path) == ".tsv" and "\t" in head.text.partition("\n")[0]:
        return "\t"
    for candidates in (_LIKELY, _RARE):
        widths = {
            mark: [len(record) for record in _records(head.text, mark, _LOOK)]
            for mark in candidates
        }
        splitting = [mark for mark in candidates if widths[mark] and widths[mark][0] > 1]
        even = [mark for mark in splitting if len(set(widths[mark])) == 1]
        if splitting:
            return max(even or splitting, key=lambda mark: widths[mark][0])
    return ","


def _records(text: str, delimiter: str, n: int) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=False)
    with suppress(csv.Error):  # a field longer than the module takes: the records before it must do
        yield from islice(filter(None, reader), n)


def _difference(first: Path, other: Path, known: Sequence[str], columns: Sequence[str]) -> str:
    lacking = [name for name in known if name not in columns]
    extra = [name for name in columns if name not in known]
    words = [f"lacks {listing(lacking)}"] if lacking else []
    words += [f"has {listing(extra)} too"] if extra else []
    what = " and ".join(words) or "has the columns in another order"
    return f"{other} {what}, compared with {first}: files read together need one header"


# What DuckDB calls a value of JSON → what it is called here
_KINDS: Final = {
    "VARCHAR": "text",
    "BIGINT": "whole numbers",
    "UBIGINT": "whole numbers",
    "DOUBLE": "fractions",
    "BOOLEAN": "true or false",
}
# Bytes up to which every object is searched for keys; of larger files the first ones
_SMALL: Final = 64 << 20
_OBJECTS: Final = 200_000
MANY_ROWS: Final = 100  # Objects of the same keys by which one around them is known for a table
_KEY: Final = re.compile(r'[\s,]*"(?:[^"\\]|\\.)*"\s*:\s*')


def _refuse_columns(name: object) -> UnknownFormat:
    return UnknownFormat(
        f"{name} is one JSON object of columns, and not of rows: write an object for each row, with"
        " pandas frame.to_json('rows.jsonl', orient='records', lines=True)"
    )


def _names_rows(text: str) -> bool:
    """Say whether an object begins with many of the same keys: a frame, each row by its name."""
    # As columns the rows of a long one would keep the engine busy for minutes.
    if not text.startswith("{") or "\n{" in text:
        return False
    decoder, at, keys = json.JSONDecoder(), 1, None
    for _ in range(MANY_ROWS):
        key = _KEY.match(text, at)
        try:
            row, at = decoder.raw_decode(text, key.end()) if key else (None, at)
        except ValueError:
            return False
        if not isinstance(row, dict) or keys not in (None, row.keys()):
            return False
        keys = row.keys()
    return True


def open_inner(table: Table, knows: Callable[[Table], bool]) -> Table:
    """Return the one list of objects that each JSON file holds in an object, as in {"data": [...]}.

    A table that is no such object, or has a known layout, is returned as it is. A file of one
    object that holds columns, as pandas writes one, is refused.
    """
    nested = [one for one, kind in table.original_types.items() if kind == NESTED]
    may_be_columns = len(nested) > 1 and {*nested} == {*table.columns}
    if not nested or (not may_be_columns and knows(table)):
        return table
    files = max(len(table.paths), 1)
    looked = fetch_columns(table.frame.head(files + 1))
    held = {
        name: [json.loads(value or "null") for value in looked[name].tolist()]
        for name in nested
        if len(looked[name]) == files
    }
    first = [one[0] for one in held.values()]
    shapes = {tuple(one) if isinstance(one, dict) else len(one or ()) for one in first}
    of_rows = any(isinstance(one, list) and one and isinstance(one[0], dict) for one in first)
    alike = len(shapes) == 1 or {"columns", "data"} <= {*nested}
    if may_be_columns and held and alike and not of_rows:
        raise _refuse_columns(table.name)
    if may_be_columns and knows(table):
        return table
    full = {n: one for n, one in held.items() if all(isinstance(i, list) and i for i in one)}
    joined = {name: [*chain(*lists)] for name, lists in full.items()}
    lists = {n: inner for n, inner in joined.items() if all(isinstance(i, dict) for i in inner)}
    if len(lists) > 1:
        raise UnknownFormat(
            f"{table.name} holds several lists, {listing([*lists])}: save the one with the"
            " judgments as a file of its own"
        )
    if not lists:
        return table
    ((name, objects),) = lists.items()
    copies = file_heads.Copies()
    copy = copies.write("inner.json", table.name, json.dumps(objects).encode())
    opened = open_files(copy)
    copies.keep_with(opened.connection)
    others = [one for one in looked if one != name]
    code = "inner-list" if others else "inner-list-alone"
    note = say(code, name=name, file=table.name, others=others)
    return replace(opened, name=table.name, paths=table.paths, notes=(*table.notes, note))


def _find_kinds(connection: duckdb.DuckDBPyConnection, source: str, name: str) -> dict[str, str]:
    column = quote_name(name)
    query = (
        f"select json_type({column}) as kind, min(filename) from read_json({source}, columns ="
        f" {{{quote(name)}: 'JSON'}}) group by all having kind <> 'NULL' order by kind"
    )
    with explained(name):
        rows = connection.execute(query).fetchall()
    return {_KINDS.get(kind, "nested values"): file for kind, file in reversed(rows)}


def _unfit(kind: str) -> str | None:
    """Say what a JSON column holds where that is nothing to name a thing by."""
    if kind in {"DOUBLE", "FLOAT"}:
        return "fractions"
    if kind == "BOOLEAN":
        return "true or false"
    return NESTED if kind.endswith("]") or kind.startswith(("STRUCT", "MAP")) else None


# Parquet: columns keep their types; only the footer is read before something is counted.


# What a column of a file holds, in words where it may be a role; null where it is all missing
_KIND: Final = (
    "case when logical_type = 'NullType()' then null when type = 'BOOLEAN' then 'true or false'"
    " when type in ('FLOAT', 'DOUBLE') or converted_type = 'DECIMAL' then 'fractions' when"
    " converted_type in ('UTF8', 'ENUM', 'JSON') or logical_type = 'StringType()' or (type ="
    " 'BYTE_ARRAY' and logical_type is null) then 'text' when (type in ('INT32', 'INT64') and"
    " logical_type is null and coalesce(converted_type, 'INT') like '%INT%') or logical_type like"
    " 'IntType%' then 'whole numbers' when converted_type = 'DATE' then 'dates' else"
    " coalesce(converted_type, logical_type, type) end"
)


def open_parquet(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], said: str, *, folders: bool
) -> tuple[duckdb.DuckDBPyRelation, dict[str, Kinds]]:
    files = "[" + ", ".join(map(quote, names)) + "]"
    counted = connection.execute(
        f"select sum(num_rows) from parquet_file_metadata({files})"
    ).fetchone()
    if counted is None or not counted[0]:
        raise InvalidJudgments(f"{said} holds columns but no rows")
    hive = "true" if folders else "false"
    options = f"binary_as_string = true, hive_types_autocast = false, hive_partitioning = {hive}"
    relation = connection.sql(f"select * from read_parquet({files}, {options})")
    # DuckDB would cast a column that has another type in another file to that of the first one.
    # Files without one of the columns are refused by DuckDB itself, by name.
    wanted = "[" + ", ".join(quote(name.casefold()) for name in relation.columns) + "]"
    kinds_of_files = (
        "select count(distinct types), count(distinct names) from (select list([lower(name), type,"
        " converted_type, logical_type] order by lower(name)) as types, list(lower(name) order by"
        f" lower(name)) as names from parquet_schema({files}) where list_contains({wanted},"
        " lower(name)) group by file_name)"
    )
    differ = len(names) > 1 and connection.execute(kinds_of_files).fetchone()
    if not differ or differ[0] == 1 or differ[1] != 1:
        return relation, {}
    columns = ", ".join(map(quote_name, relation.columns))
    wide = f"select {columns} from read_parquet({files}, {options}, union_by_name = true)"
    # Column → kinds of value, each with a file that has it, where they do not agree
    rows = connection.execute(
        f"select name, {_KIND} as kind, min(file_name) from parquet_schema({files})"
        " where coalesce(num_children, 0) = 0 group by all having kind is not null order by all"
    ).fetchall()
    found: dict[str, dict[str, str]] = {}
    for name, kind, file in rows:
        found.setdefault(name, {})[kind] = file
    return connection.sql(wide), {
        name: partial(dict, kinds) for name, kinds in found.items() if len(kinds) > 1
    }


# In tables parted by tabs some fields are quoted as in CSV, and marks elsewhere are text:
#
#     "Er sagte ""hallo"" zu mir"    "One"    a "bare" mark
#
# The first of these was quoted, since its marks are doubled. The second was so only if some field
# of its file was, and no bare mark stands in any other. The third is text.
_WHOLE: Final = '"([^"]|"")*"'
_DOUBLED: Final = '"([^"]|"")*""([^"]|"")*"'


def unquote(connection: duckdb.DuckDBPyConnection, query: str, columns: Sequence[str]) -> str:
    """Return the SQL of columns without the quotation marks that bound some of their fields."""
    names = [quote_name(column) for column in columns]
    cells = f"select unnest([{', '.join(names)}]) as cell from ({query})"
    row = connection.execute(
        f"select coalesce(bool_or(regexp_full_match(cell, {quote(_DOUBLED)})), false),"
        f" coalesce(bool_and(regexp_full_match(cell, {quote(_WHOLE)})), false)"
        f" from ({cells}) where contains(cell, '\"')"
    ).fetchone()
    doubled, whole = row or (False, False)
    if not doubled:
        return ", ".join(names)
    sure = _WHOLE if whole else _DOUBLED
    return ", ".join(
        f"case when regexp_full_match({name}, {quote(sure)}) then"
        f""" nullif(replace({name}[2:-2], '""', '"'), '') else {name} end as {name}"""
        for name in names
    )


# Tables of other projects without names of columns, parted by tabs in one line and by blanks in the
# next, or with bare quotation marks. Each shape is known exactly; a file that is none of them is
# read like any other.

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
_MQM: Final = ("system", "rater", "source", "target", "category", "severity")

APPRAISE_COLUMNS: Final = ("user", "system", "segID", "type", "src", "tgt", "score")
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
_DIGITS: Final = re.compile(r"\d+")
# Other signs that Python takes for the end of a line may stand in a text
_LINE_END: Final = re.compile(r"\r\n|\n|\r")


def tell_shape(head: file_heads.Head) -> Shape | None:
    first = _LINE_END.split(head.text, maxsplit=1)[0]
    fields = tuple(first.replace('"', "").split())
    # Refuse what belongs to a campaign, but is no judgments
    if tuple(fields[:4]) == _RESULTS:
        raise UnknownFormat(
            f"{head.path} holds the clusters of a ranking, not judgments: read the scores they"
            " were made of"
        )
    if fields and tuple(fields[0].split(",")) == ("Username", "Password", "URL"):
        raise UnknownFormat(f"{head.path} holds logins, not judgments; keep it to yourself")
    if fields in BLANK_HEADERS:
        return Shape(fields, "blanks")
    named = MTME.fullmatch(head.path.name)
    if named:
        level = named["level"]
        constants = tuple((name, named[name]) for name in ("pair", "name", "level"))
        if named["what"] == "rating":
            rated = ("SYSTEM", "RATING", "RATER")
            return Shape(rated, "\t", False, False, constants, padded=True)
        names = ("DOMAIN", "SYSTEM", "SCORE") if level == "domain" else ("SYSTEM", "SCORE")
        return Shape(names, "blanks", False, False, constants)
    columns = tuple(first.split("\t"))
    if set(_MQM) <= set(columns):
        columns = tuple(REMARK if name.startswith("#") else name for name in columns)
        return Shape(columns, "\t", quoted="some", padded=columns[-1] == REMARK)
    columns = name_appraise_columns(next(_records(first, ",", 1), []))
    if columns:
        return Shape(columns, ",", header=False)
    for delimiter in (",", ";", "\t"):  # which no table of Appraise has, though it looks like one
        cells = [one.strip() for one in next(_records(first, delimiter, 1), [])]
        if len(cells) < len(APPRAISE_COLUMNS) or cells[3] not in TYPES:
            continue
        if delimiter != ",":
            fault = f"commas part its fields, not {delimiter!r}"
        elif not _are_languages(cells[4:6]):
            fault = f"languages have three letters, not '{cells[4]}' and '{cells[5]}'"
        else:
            fault = (
                f"behind the score stand {', '.join(cells[7:])[:80]}, and not document,"
                " isCompleteDocument (True or False), errors in [], and times in seconds since 1970"
            )
        raise UnknownFormat(
            f"line 1 of {head.path} looks like Appraise's table ('{cells[3]}' as its type), but"
            f" {fault}; with a header of our own names it is read as it is"
        )
    return None


def name_appraise_columns(fields: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of Appraise's table, which has no header; () if it is none."""
    if len(fields) < len(APPRAISE_COLUMNS) or fields[3] not in TYPES:
        return ()
    if not _are_languages(fields[4:6]):
        return ()
    rest = [one.strip() for one in fields[len(APPRAISE_COLUMNS) :]]
    for parts in product(*_PARTS):
        names = tuple(name for part in parts for name in part)
        if len(names) == len(rest) and all(map(_fits, names, rest)):
            # marks are of documents, and pairs have times
            if ("spans" in names and "documentID" not in names) or (
                "errors" in names and "start" not in names
            ):
                continue
            return (*APPRAISE_COLUMNS, *names)
    return ()


def _are_languages(names: Sequence[str]) -> bool:
    return all(len(one) == 3 and one.isalpha() for one in names)


def _fits(name: str, value: str) -> bool:
    if name == "isCompleteDocument":
        return value in {"True", "False"}
    if name == "spans":
        return value.startswith("[")
    if name in {"start", "end"}:
        return is_moment(value)
    if name in {"batchNo", "item_pk"}:
        return _DIGITS.fullmatch(value) is not None
    return True


def is_moment(text: str) -> bool:
    return _MOMENT.fullmatch(text) is not None


def _query_shape(
    connection: duckdb.DuckDBPyConnection,
    heads: Sequence[file_heads.Head],
    shape: Shape,
    *,
    skip: bool,
) -> tuple[str, list[Exclusion]]:
    """Return the query of files of one shape, and which lines were excluded, being no rows."""
    constants = "".join(f", {quote(value)} as {quote(name)}" for name, value in shape.constants)
    if shape.parting != "blanks":
        mark = quote('"' if shape.quoted is True else "")
        more = (
            f"delim = {quote(shape.parting)}, quote = {mark}, escape = {mark}, nullstr = '', skip ="
            f" {shape.skip},{' null_padding = true,' if shape.padded else ''} {_LIMITS}"
        )
        paths, packed = [head.path for head in heads], heads[0].compression
        table = file_heads.write_csv_table(
            paths, shape.columns, packed, header=shape.header, more=more
        )
        fields = "*"
        if shape.quoted == "some":
            looked = f"select * from {_ignore_ragged(table) if skip else table}"
            fields = unquote(connection, looked, shape.columns)
        return f"select {fields}{constants} from {table}", []
    (head,), n = heads, len(shape.columns)
    fields = ", ".join(
        f"nullif(trim(fields[{at}], '\"'), '') as {quote_name(column)}"
        for at, column in enumerate(shape.columns, start=1)
    )
    # lines as lists of fields; a quoted field may have blanks
    field = r'"[^"]*"|\S+' if shape.quoted else r"\S+"
    table = file_heads.write_csv_table(
        [head.path],
        ["line"],
        head.compression,
        header=shape.header,
        more=f"{file_heads.AS_LINES}, {_LIMITS}",
    )
    lines = f"select regexp_extract_all(line, {quote(field)}) as fields from {table}"
    query = f"select {fields}{constants} from ({lines})"
    uneven = connection.execute(
        f"select row, len(fields) from (select row_number() over () as row, fields from ({lines}))"
        f" where len(fields) <> {n} order by row"
    ).fetchall()
    if not uneven:
        return query, []
    places = [f"line {row + shape.header:,} ({m} fields, not {n})" for row, m in uneven]
    if not skip:
        at, _, what = places[0].partition(" (")
        raise UnknownFormat(
            f"{at} of {head.path} has {what[:-1]}: {', '.join(shape.columns)}; correct it, or"
            f" {SKIP}"
        )
    ((every,),) = connection.execute(f"select count(*) from ({query})").fetchall()
    return f"{query} where len(fields) = {n}", [exclude_bad_rows(places, places, every)]


# Engines of files elsewhere, each with a folder of its own for what memory does not hold
_APART: Final = count(1)


def connect() -> duckdb.DuckDBPyConnection:
    """Open a connection of our own, with tables of its own, to the one engine of this process."""
    # An engine for each file would start its threads and fetch its memory anew: at 10⁷ rows that
    # costs as much as half a GROUP BY. An engine that broke off over a damaged file is replaced.
    try:
        connection = _engine().cursor()
        connection.execute("select 1")
    except duckdb.FatalException:
        _engine.cache_clear()
        connection = _engine().cursor()
    return connection


def limit_memory(most: str) -> None:
    """Let the engine take so much memory, such as "4GB"; what is more goes to disk."""
    _engine().execute(f"set memory_limit = {quote(most)}")


@cache
def _engine() -> duckdb.DuckDBPyConnection:
    # What does not fit in memory goes to the system's folder for temporary files, not to the
    # working directory. What was read of a file is not kept for the next time: a file written anew
    # within a second looks the same to the engine, and what is kept takes as much memory as the
    # columns take on disk.
    return duckdb.connect(config={**_settings(), "enable_external_file_cache": "false"})


def connect_apart() -> duckdb.DuckDBPyConnection:
    """Open a connection to an engine of its own, for files elsewhere, as long as one holds it."""
    # It keeps what was read of them, as far as its memory goes, so that no column comes twice. It
    # has one thread: others would call Python to read, and wait for it for ever where what they
    # read for is given up meanwhile.
    (limit,) = connect().execute("select current_setting('memory_limit')").fetchone() or ("",)
    settings = {"memory_limit": limit, "threads": "1"}
    return duckdb.connect(config={**_settings(f"-{next(_APART)}"), **settings})


def _settings(ending: str = "") -> dict[str, Any]:
    return {
        "temp_directory": str(Path(tempfile.gettempdir()) / f"evenhand-{getpid()}{ending}"),
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
    }


def open_files(
    source: str | Path | Sequence[str | Path],
    *,
    sheet: str | None = None,
    fits: Callable[[Table], bool] = lambda _: True,
    advise: Callable[[str], str] | None = None,
    skip: bool = False,
) -> Table:
    """Open one or many files of one layout as a table; of the rows nothing is read yet.

    With `skip`, lines of CSV that are no rows are left out, which takes a look at all of them.

    Of workbooks a sheet is read: the one that is named, or the only one that fits; see
    `workbooks.read_sheet`.
    """
    copies = file_heads.Copies()
    try:
        paths = file_heads.find_files(source)
        if not any(map(file_heads.is_workbook, paths)):
            table = _open_paths(paths, copies, skip=skip)
            if sheet is not None:
                raise UnknownOption(f"{table.name} is no workbook, so it has no sheet '{sheet}'")
        else:
            from evenhand.formats.workbooks import read_sheet

            note_opened([str(path) for path in paths])
            table = _open_workbooks(
                paths, lambda path, one: read_sheet(path, sheet, one, advise), fits
            )
    except EvenhandError as error:
        said = name_originals(str(error))
        copies.drop()
        raise type(error)(said) from None
    copies.keep_with(table.connection)
    return table


def _open_paths(paths: Sequence[Path], copies: file_heads.Copies, *, skip: bool) -> Table:
    note_opened([str(path) for path in paths])
    connection = connect()
    heads = [file_heads.read_head(path, connection) for path in paths]
    for head in heads:
        if head.kind != heads[0].kind:
            raise UnknownFormat(
                f"{heads[0].path} is {heads[0].kind} and {head.path} is {head.kind}: files read"
                " together must be of one kind"
            )
    name = name_originals(file_heads.name_files(paths))
    more: dict[str, Any] = {}
    with explained(name):
        if heads[0].kind == "parquet":
            names, folders = [file_heads.duckdb_name(path) for path in paths], len(paths) > 1
            relation, more["mixed"] = open_parquet(connection, names, name, folders=folders)
        elif heads[0].kind == "arrow":
            relation = open_arrow(connection, heads)
        elif heads[0].kind == "json":
            relation, more["original_types"], more["mixed"] = _open_json(connection, heads, copies)
        else:
            relation, more = _open_text(connection, heads, copies, skip=skip)
    encodings = []
    for head in (one for one in heads if one.encoding):
        code = "encoding" if head.encoding.startswith("utf") else "encoding-guessed"
        said, file = ENCODINGS[head.encoding], name_originals(str(head.path))
        encodings.append(say(code, file=file, encoding=said))
    more["notes"] = (*encodings, *more.get("notes", ()))
    return Table(nw.from_native(relation), name, connection, paths=tuple(paths), **more)


# What Python calls an encoding → what people call it
ENCODINGS: Final = {
    "cp1252": "Latin-1 (Windows-1252)",
    "latin-1": "Latin-1",
    **dict.fromkeys(("utf-16", "utf-16-le", "utf-16-be"), "UTF-16"),
    "utf-32": "UTF-32",
}


def open_arrow(
    connection: duckdb.DuckDBPyConnection, heads: Sequence[file_heads.Head]
) -> duckdb.DuckDBPyRelation:
    tables = []
    try:
        from pyarrow import ArrowException, feather, ipc
    except ModuleNotFoundError:
        raise UnknownFormat(
            f"{heads[0].path} is an Arrow file, which is read with pyarrow: pip install pyarrow, or"
            " save the table as Parquet or CSV"
        ) from None
    for path in (head.path for head in heads):
        table = f"evenhand_arrow_{next(file_heads.NUMBERS)}"
        try:
            with path.open("rb") as file:
                stream = file.read(4) == b"\xff\xff\xff\xff"
            read = ipc.open_stream(path).read_all() if stream else feather.read_table(path)
        except (ArrowException, OSError) as error:
            raise UnknownFormat(f"{path} is not a whole Arrow file: {error}") from None
        connection.register(f"{table}_read", read)
        connection.execute(f"create temp table {table} as from {table}_read")
        connection.unregister(f"{table}_read")
        tables.append(f"select * from {table}")
    return connection.sql(" union all ".join(tables))


def _open_json(
    connection: duckdb.DuckDBPyConnection,
    heads: Sequence[file_heads.Head],
    copies: file_heads.Copies,
) -> tuple[duckdb.DuckDBPyRelation, dict[str, str], dict[str, Kinds]]:
    heads = [file_heads.rewrite(head, copies, quoted=False) for head in heads]
    if len(heads) == 1 and file_heads.is_wrapped(heads[0]):
        return file_heads.open_wrapped(connection, heads[0]), {}, {}
    for head in heads:
        text = head.text.lstrip()
        if text.startswith("["):
            inner = text[1:].lstrip()
            if inner.startswith("]"):
                raise InvalidJudgments(f"{head.path} holds an empty list: no judgments")
            if inner and not inner.startswith("{"):
                raise UnknownFormat(f"{head.path} is a list, but not of objects with named values")
        if _names_rows(text):
            raise _refuse_columns(head.path)
    files = "[" + ", ".join(quote(file_heads.duckdb_name(head.path)) for head in heads) + "]"
    compressions = {head.compression for head in heads}
    if len(compressions) > 1:
        raise UnknownFormat("JSON files read together must be packed in one way, or none of them")
    compression = compressions.pop()
    packed = "uncompressed" if compression == "none" else compression
    options = f"compression = '{packed}', hive_partitioning = false"
    size = sum(head.path.stat().st_size for head in heads)
    if any(not head.whole and "\n{" not in head.text for head in heads):  # it may be one object
        options += f", maximum_object_size = {min(max(size, 1 << 24), 1 << 31)}"
    sample = -1 if size <= _SMALL else _OBJECTS
    described = connection.sql(
        f"describe select * from read_json({files}, {options}, maximum_depth = 2, "
        f"sample_size = {sample}, union_by_name = true, convert_strings_to_integers = false)"
    ).fetchall()
    types = {str(name): str(kind) for name, kind, *_ in described}
    alike: dict[str, list[str]] = {}
    for name in types:
        alike.setdefault(name.casefold(), []).append(name)
    if [*types] == ["json"] and '"' not in heads[0].text:  # DuckDB's name where there are no keys
        raise InvalidJudgments(f"{heads[0].path} holds objects without keys: no judgments")
    for name in types:  # of keys that differ in capitals only DuckDB renames one, and misses it
        base = re.sub(r"_\d+$", "", name)
        twins = [one for one in alike.get(base.casefold(), ()) if one != base]
        if base != name and twins:
            raise UnknownFormat(
                f"keys '{twins[0]}' and '{base}' of {heads[0].path} differ in capitals only: rename"
                " one"
            )
    columns = ", ".join(f"{quote(name)}: 'VARCHAR'" for name in types)
    relation = connection.sql(
        f"select * from read_json({files}, {options}, columns = {{{columns}}})"
    )
    source = f"{files}, {options}, filename = true"
    mixed: dict[str, Kinds] = {
        name: partial(_find_kinds, connection, source, name)
        for name, kind in types.items()
        if kind == "JSON"  # of several kinds, or missing throughout
    }
    return relation, {name: what for name, kind in types.items() if (what := _unfit(kind))}, mixed


def _open_workbooks(
    paths: Sequence[Path],
    read: Callable[[Path, Callable[[Sheet], bool]], Sheet],
    fits: Callable[[Table], bool],
) -> Table:
    name, connection = name_originals(file_heads.name_files(paths)), connect()
    for path in paths:
        if not file_heads.is_workbook(path):
            raise UnknownFormat(f"{path} is no workbook, and others are: read them apart")

    def hold(*sheets: Sheet) -> Table:
        columns: dict[str, list[Any]] = {
            column: [row[at] for one in sheets for row in one.rows]
            for at, column in enumerate(sheets[0].columns)
        }
        if len(sheets) == 1:  # so that messages name rows as the sheet does
            columns[PLACE] = [number - 1 for number in sheets[0].numbers]
        notes = tuple(dict.fromkeys(note for one in sheets for note in one.notes))
        frame = make_table(connection, columns)  # no comma parts fields: one may part decimals
        return Table(frame, name, connection, notes=notes, delimiter=";")

    sheets = [read(path, lambda one: fits(hold(one))) for path in paths]
    for one in sheets:
        if one.columns != sheets[0].columns:
            known = sheets[0].columns
            raise UnknownFormat(_difference(sheets[0].book, one.book, known, one.columns))
    return replace(hold(*sheets), paths=tuple(paths))


def _open_text(
    connection: duckdb.DuckDBPyConnection,
    heads: Sequence[file_heads.Head],
    copies: file_heads.Copies,
    *,
    skip: bool,
) -> tuple[duckdb.DuckDBPyRelation, dict[str, Any]]:
    told = [tell_shape(head) for head in heads]
    heads = [
        file_heads.rewrite(head, copies, quoted=shape is None or shape.quoted is True)
        for head, shape in zip(heads, told, strict=True)
    ]
    shapes = [shape for shape in told if shape is not None]
    more: dict[str, Any] = {}
    if len(shapes) < len(heads):
        shapes = [read_dialect(head) for head in heads]
        notes = [] if all(one.header for one in shapes) else [say("questions")]
        more = {"delimiter": shapes[0].parting, "notes": notes}
    groups: dict[tuple[Shape, str, Path | None], list[file_heads.Head]] = {}
    for head, shape in zip(heads, shapes, strict=True):
        if shape.columns != shapes[0].columns:
            known = shapes[0].columns
            raise UnknownFormat(_difference(heads[0].path, head.path, known, shape.columns))
        if shape.above:
            more["notes"].append(say("above-header", line=shape.skip + 1, words=shape.above[:40]))
        alone = None if shape.quoted is True and shape.parting != "blanks" else head.path
        groups.setdefault((shape, head.compression, alone), []).append(head)
    parts = [
        _query_shape(connection, group, shape, skip=skip) for (shape, *_), group in groups.items()
    ]
    query, skipped = (
        " union all ".join(query for query, _ in parts),
        [*chain(*(one for _, one in parts))],
    )
    query, ragged = skip_ragged(connection, query) if skip else (query, [])
    return connection.sql(query), {**more, "skipped": [*skipped, *ragged]}


# Of a text file that grows at its end each whole line is read once; half a line waits. A file that
# is cut, or written anew, is refused.
QUOTED: Final = (".csv",)  # Endings of files in which a line may go on within quotes
KINDS: Final = (*QUOTED, ".tsv", ".jsonl", ".ndjson")  # Endings of files that can grow line by line
TAIL: Final = 256  # Bytes before the end of what was read that are compared at each look


class GrowingCopy:
    """The whole lines of a file that grows, in a file of their own, which readers can open."""

    # offset: bytes that were read.
    # waiting: bytes behind them of a line that is not whole yet.
    # copy: that file; errors and queries call it as the original

    def __init__(self, path: Path) -> None:
        if path.suffix.lower() not in KINDS:
            raise UnknownFormat(
                f"'{path}' cannot be watched while it grows: only {', '.join(KINDS)} grow line by"
                " line; look at it without --live"
            )
        self.path, self.offset, self.waiting = path, 0, 0
        self._tail = b""
        self._folder = tempfile.TemporaryDirectory(prefix="evenhand-")
        self.copy = Path(self._folder.name, path.name)
        call_copy(str(self.copy), str(path))

    def read_new(self) -> bytes:
        """Return the whole lines that were not read before, which stand in the copy then."""
        try:
            with self.path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                file.seek(max(0, self.offset - len(self._tail)))
                if size < self.offset or file.read(len(self._tail)) != self._tail:
                    raise InvalidJudgments(
                        f"'{self.path}' was cut or rewritten: what is decided rests on lines"
                        " that stay; start again with the new file"
                    )
                fresh = file.read() if size > self.offset else b""
        except FileNotFoundError:
            near = [one.name for one in self.path.parent.glob("*")]
            raise MissingFile(
                f"there is no file '{self.path}'{sentence_hint(suggest(self.path.name, near))}"
            ) from None
        # Where the last whole line ends; within quotes no line does
        last = fresh.rfind(b"\n") + 1
        if self.path.suffix.lower() in QUOTED:
            while last and fresh.count(b'"', 0, last) % 2:
                last = fresh.rfind(b"\n", 0, last - 1) + 1
        whole = fresh[:last]
        self.offset, self.waiting = self.offset + len(whole), len(fresh) - len(whole)
        self._tail = (self._tail + whole)[-TAIL:]
        if whole:
            with self.copy.open("ab") as copy:
                copy.write(whole)
        return whole

    def close(self) -> None:
        self._folder.cleanup()
        forget_copies([str(self.copy)])
