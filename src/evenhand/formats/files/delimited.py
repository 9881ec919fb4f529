"""CSV and its relations: any delimiter, all values as text, the header read exactly.

The header and the delimiter are read here rather than guessed by DuckDB, whose sniffer looks for
types, may take the first lines for a title, and renames a doubled column without a word.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from evenhand.errors import InvalidJudgments, UnknownFormat, listing
from evenhand.formats.files.head import Head, suffix_of
from evenhand.formats.files.line_ends import has_mixed_ends, hold_even
from evenhand.formats.files.names import duckdb_name
from evenhand.judgments.engine import quote
from evenhand.judgments.file_lines import LONGEST_LINE

if TYPE_CHECKING:
    import duckdb

_LIKELY: Final = (",", "\t", ";", "|")
_RARE: Final = (":", "^", "~", " ")
# Records that must have as many fields as the header for a delimiter to be believed
_LOOK: Final = 10


# A first line by which Excel is told the delimiter
_EXCEL: Final = re.compile(r'"?sep=(.)"?', re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written."""

    delimiter: str  # one character
    columns: tuple[str, ...]  # names of the header, without outer blanks
    skip: int = 0  # lines above the header


def open_delimited(
    connection: duckdb.DuckDBPyConnection, heads: Sequence[Head]
) -> duckdb.DuckDBPyRelation:
    """Return a relation over CSV files of one layout, every value as text."""
    dialects = [read_dialect(head) for head in heads]
    for head, dialect in zip(heads, dialects, strict=True):
        if dialect.columns != dialects[0].columns:
            raise UnknownFormat(_difference(heads[0], head, dialects[0], dialect))
    groups: dict[tuple[str, str, int], list[str]] = {}
    held, columns = [], dialects[0].columns
    for head, dialect in zip(heads, dialects, strict=True):
        key = (dialect.delimiter, head.compression, dialect.skip)
        if has_mixed_ends(head):
            held.append(_hold(connection, head, dialect))
        else:
            groups.setdefault(key, []).append(duckdb_name(head.path))
    queries = [_query(names, columns, key) for key, names in groups.items()]
    return connection.sql(" union all ".join([*queries, *held]))


def _hold(connection: duckdb.DuckDBPyConnection, head: Head, dialect: Dialect) -> str:
    """Return the query of a file whose lines end in several ways."""
    key = (dialect.delimiter, "none", dialect.skip)
    return hold_even(connection, head, lambda copy: _query([copy], dialect.columns, key))


def _query(names: Sequence[str], columns: Sequence[str], key: tuple[str, str, int]) -> str:
    delimiter, compression, skip = key
    files = ", ".join(quote(name) for name in names)
    types = ", ".join(f"{quote(column)}: 'VARCHAR'" for column in columns)
    return (
        f"select * from read_csv([{files}], auto_detect = false, header = true,"
        f" columns = {{{types}}}, delim = {quote(delimiter)}, quote = '\"', escape = '\"',"
        f" skip = {skip}, nullstr = '', compression = '{compression}', hive_partitioning = false,"
        f" max_line_size = {LONGEST_LINE}, buffer_size = {4 * LONGEST_LINE})"
    )


def read_dialect(head: Head) -> Dialect:
    """Tell the delimiter and the columns from the beginning of a file."""
    first = re.split(r"\r\n|\n|\r", head.text, maxsplit=1)[0].strip()
    if not first:
        raise UnknownFormat(f"line 1 of {head.path} is blank: put the header there")
    if first.startswith("#"):
        raise UnknownFormat(
            f"line 1 of {head.path} is a comment ('{first[:40]}'): put the header there, comments"
            " are not read"
        )
    told = _EXCEL.fullmatch(first)
    text = head.text.partition("\n")[2] if told else head.text
    delimiter = told[1] if told else _delimiter(replace(head, text=text))
    records = list(_records(text, delimiter, 2))
    if len(records) < 2 and head.whole and head.text.count('"') % 2:
        raise UnknownFormat(f"line 1 of {head.path} opens a quote that is never closed: close it")
    if len(records) < 2 and head.whole:
        raise InvalidJudgments(
            f"{head.path} holds a header but no judgments: write one a row below it"
        )
    if not records:
        raise UnknownFormat(f"{head.path} has no readable header in line 1")
    columns = [name.strip() or f"column{i}" for i, name in enumerate(records[0], start=1)]
    folded = [name.casefold() for name in columns]
    twice = [name for i, name in enumerate(columns) if folded[i] in folded[:i]]
    if twice:
        raise UnknownFormat(
            f"column '{twice[0]}' stands twice in the header of {head.path} (capitals do not"
            " tell columns apart): rename one"
        )
    return Dialect(delimiter, tuple(columns), skip=1 if told else 0)


def _delimiter(head: Head) -> str:
    """Choose the delimiter that gives the header most fields, and the first records as many."""
    if suffix_of(head.path) == ".tsv" and "\t" in head.text.partition("\n")[0]:
        return "\t"
    for candidates in (_LIKELY, _RARE):
        widths = {mark: _widths(head.text, mark) for mark in candidates}
        splitting = [mark for mark in candidates if widths[mark] and widths[mark][0] > 1]
        even = [mark for mark in splitting if len(set(widths[mark])) == 1]
        if splitting:
            return max(even or splitting, key=lambda mark: widths[mark][0])
    return ","


def _widths(text: str, delimiter: str) -> list[int]:
    return [len(record) for record in _records(text, delimiter, _LOOK)]


def _records(text: str, delimiter: str, n: int) -> Iterator[list[str]]:
    """Yield the first n records that are not blank, as far as they can be read."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=False)
    try:
        for record in reader:
            if record:
                yield record
                n -= 1
            if n == 0:
                return
    except csv.Error:  # a field longer than the module takes: the records before it must do
        return


def _difference(first: Head, other: Head, known: Dialect, found: Dialect) -> str:
    lacking = [name for name in known.columns if name not in found.columns]
    extra = [name for name in found.columns if name not in known.columns]
    words = [f"lacks {listing(lacking)}"] if lacking else []
    words += [f"has {listing(extra)} too"] if extra else []
    what = " and ".join(words) or "has the columns in another order"
    return f"{other.path} {what}, compared with {first.path}: files read together need one header"
