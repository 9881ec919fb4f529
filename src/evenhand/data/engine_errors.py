"""What DuckDB refuses, said in the user's words: which file, which line, what to do."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

from evenhand.data.query_log import LAST_OPENED, LONGEST_LINE, name_originals
from evenhand.errors import SKIP, EvenhandError, InvalidJudgments, UnknownFormat, UnknownOption

if TYPE_CHECKING:
    import duckdb


_LONGEST: Final = 240  # Characters of a foreign message that are shown at most
# What is said of a CSV file; the last where one line is longer than all that is read at once
_CSV: Final = ("CSV Error on Line", "CSV Parser state machine", "The Parallel CSV Reader")
_CSV_LINE: Final = re.compile(r"CSV Error on Line: (\d+)")
_CSV_FILE: Final = re.compile(r"^\s*file = (.+)$", re.MULTILINE)
_CSV_MARK: Final = re.compile(r"^\s*delimiter = (\\t|.)", re.MULTILINE)
_CSV_SIZE: Final = re.compile(r"Maximum line size of \d+ bytes exceeded\. Actual Size:\s*(\d+)")
CSV_WIDTH: Final = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_JSON: Final = re.compile(r'Malformed JSON in file "(.+?)", at byte \d+ in (line|record\S*) (\d+)')
_JSON_VALUE: Final = re.compile(r"Malformed JSON at byte \d+ of input")  # of a value, not of a file
# What is said of a damaged Parquet file; a name that ends in .parquet is no such word
_PARQUET: Final = re.compile(
    r"No magic bytes|(?<!\.)Parquet|decompression failure|TProtocol|Thrift|Footer length"
    r"|don't know what type|Could not read enough bytes|Out of buffer",
    re.IGNORECASE,
)
_COLUMNS: Final = re.compile(
    r'schema mismatch in glob: column "(.+?)" was read from the original file "(.+?)", but could'
    r' not be found in file "(.+?)"'
)
_FOLDERS: Final = re.compile(r'Hive partition mismatch between file "(.+?)" and "(.+?)"')
_MEMORY: Final = re.compile(r"Out of Memory|could not allocate", re.IGNORECASE)
# What is said where the engine broke off within itself, and once it has
_BROKEN: Final = re.compile(r"INTERNAL Error|database has been invalidated")
_SEALED: Final = "disabled by configuration"
# A refusal of ours, of a file elsewhere, that came through DuckDB
_ELSEWHERE: Final = re.compile(r"(?:UnknownFormat|MissingFile): ('.+)")
# What DuckDB puts before an error that it meets when rows are fetched in parts
_PENDING: Final = "closed pending query result\nError: "
# An interrupt that reached Python while it read a file elsewhere for DuckDB
_STOPPED: Final = re.compile(r"^([A-Z][\w ]*: )*KeyboardInterrupt\b", re.MULTILINE)
_QUOTED: Final = re.compile(r"""["']([^"']+)["']""")


def explain(error: duckdb.Error, name: str = "the file") -> EvenhandError:
    if was_stopped(error):
        raise KeyboardInterrupt
    text = str(error).rpartition(_PENDING)[2]
    elsewhere = _ELSEWHERE.search(text)
    if elsewhere:
        return UnknownFormat(elsewhere[1])
    fault = _explain(text, name)
    return type(fault)(name_originals(str(fault)))


def was_stopped(error: duckdb.Error) -> bool:
    """Say whether the user stopped it, in Python, while it read a file elsewhere."""
    return _STOPPED.search(str(error)) is not None


def _explain(text: str, name: str) -> EvenhandError:
    if any(words in text for words in _CSV):
        return UnknownFormat(_explain_csv(text, name))
    damaged = _JSON.search(text)
    if damaged:
        file, unit, number = damaged.groups()
        place = "line" if unit == "line" else "object"  # DuckDB 1.5 counts one too far
        return UnknownFormat(
            f"{place} {max(int(number) - 1, 1):,} (or the next) of {file} is not complete JSON: if"
            " it is damaged or cut off, correct or delete it; a JSON file holds one object per"
            " line, or one list of objects"
        )
    first = first_line(text)
    if _BROKEN.search(text):
        for file in [name, *LAST_OPENED]:
            line = find_undecodable(Path(file))
            if line:
                return UnknownFormat(
                    f"line {line:,} of {file} is not UTF-8 text: save the file as UTF-8"
                )
        return UnknownFormat(
            f"{name} cannot be read, it is damaged or was read beside a damaged file ({first}): try"
            " again"
        )
    if _SEALED in text:
        return UnknownFormat(
            f"{name} comes from a database with views or macros of its own, for which no other file"
            f" is opened or written ({first}): copy its rows into a table of a new database first"
        )
    if _MEMORY.search(text):
        return UnknownOption(
            f"{name} takes more memory than there is or was allowed ({first}): give more, such as"
            " --memory 2GB, or leave --memory out"
        )
    if "Conversion Error" in text or _JSON_VALUE.search(text):
        return InvalidJudgments(f"a condition or a cast does not fit the values: {first}")
    columns, folders = _COLUMNS.search(text), _FOLDERS.search(text)
    if columns:  # two sound files differ that were to be read together
        column, other, file = columns.groups()
        return UnknownFormat(
            f"{file} has no column {column!r}, which {other} has: files read together need the same"
            " columns; read them apart, or give them the same names"
        )
    if folders:
        file, other = folders.groups()
        return UnknownFormat(
            f"{file} and {other} lie in folders of other keys: files read together need the same"
            " folders, such as task=fr-en/; read them apart"
        )
    if not _PARQUET.search(first):
        return UnknownFormat(f"{name} cannot be read: {first}")
    quoted = _QUOTED.search(first.replace("don't", ""))
    return UnknownFormat(
        f"{quoted[1] if quoted else name} is not a whole Parquet file: it is truncated, damaged or"
        f" of another kind ({first})"
    )


def explain_polars(error: Exception) -> EvenhandError:
    return UnknownFormat(f"Polars could not answer a query: {first_line(str(error))}")


def _explain_csv(text: str, name: str) -> str:
    match = _CSV_FILE.search(text)
    file = match[1].strip() if match else name
    numbered, mark = _CSV_LINE.search(text), _CSV_MARK.search(text)
    number = int(numbered[1]) if numbered else None
    record = find_record(Path(file), number, mark[1].replace("\\t", "\t") if mark else ",")
    if numbered is None and record is None:  # a line ends otherwise, or a quote stays open
        odd = find_odd_end(Path(file))
        if odd is None:
            return f"{file} is not well-formed CSV: a quote is opened and never closed"
        line, end, first = odd
        return (
            f"{file} mixes kinds of line ends: line {line:,} ends in {end}, line 1 in {first}; save"
            f" it with one kind (an editor, or dos2unix {file})"
        )
    where = f"line {record.line if record else number:,} of {file}"
    size = _CSV_SIZE.search(text)
    if size or (record and record.closed and record.size > LONGEST_LINE):
        n = int(size[1]) if size else record.size if record else 0
        return (
            f"{where} is {n / (1 << 20):,.1f} MB long, and a line of CSV may have"
            f" {LONGEST_LINE >> 20}: shorten its longest field, leave that column out, or save the"
            " table as Parquet, which has no such limit"
        )
    if "nvalid unicode" in text:
        return f"{where} is not UTF-8 text: save the file as UTF-8"
    width = CSV_WIDTH.search(text)
    if width:
        expected, seen = width.groups()
        return (
            f"{where} has {seen} field{'s' if seen != '1' else ''} where the header has {expected}:"
            " correct the line (a field that holds the delimiter stands in double quotes), or"
            f" {SKIP}"
        )
    if "unterminated quote" in text:
        if record is not None and not record.closed:
            return f"{where} opens a quote that is never closed: close it, or double it in a text"
        return (
            f"{where} opens a quote that is not closed where a field ends: double a quote that"
            " belongs to a text"
        )
    return f"{where} cannot be read: {first_line(text.rpartition('CSV Error on Line: ')[2])}"


def first_line(text: str) -> str:
    """Return the first line that says something, without DuckDB's name for the kind of error."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = re.sub(r"^[A-Z][\w ]*? Error: ", "", lines[0]) if lines else "no reason was given"
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"


_CLOSING: Final = re.compile(rb'[^"]*(?:""[^"]*)*"(?!")')  # The rest of a field in quotes


def find_odd_end(path: Path) -> tuple[int, str, str] | None:
    """Return the first line that ends otherwise than line 1, and both ends; None if all agree."""
    with suppress(OSError, UnicodeDecodeError), path.open(newline="") as file:
        first = _end_of(file.readline())
        for number, line in enumerate(file, start=2):
            end = _end_of(line)
            if end and end != first:
                return number, end, first
    return None


def _end_of(line: str) -> str:
    ends = (("\r\n", "CRLF"), ("\n", "LF"), ("\r", "CR"))
    return next((name for end, name in ends if line.endswith(end)), "")


def find_undecodable(path: Path) -> int | None:
    """Return the first line of a text file that is not UTF-8; None if there is none."""
    with suppress(OSError, EOFError, zlib.error), open_text(path) as file:
        if file.peek(4)[:4] == b"PAR1":  # type: ignore[attr-defined]
            return None
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


def open_text(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb")


@dataclass(frozen=True)
class Record:
    """Where a record of CSV stands, found in the file itself."""

    line: int  # its first line, from 1
    size: int  # its bytes; those up to the end of the file where a quote stays open
    closed: bool  # whether its quotes are closed
    blank: bool = False  # whether it is a line without anything


def find_record(path: Path, number: int | None, mark: str = ",") -> Record | None:
    r"""Return the record of a number, which is its line only where no field holds line ends.

    mark: what stands between fields.
    """
    with suppress(OSError, EOFError, zlib.error), open_text(path) as opened:
        for at, record in enumerate(_list_records(opened, mark.encode()), start=1):
            if at == number or (number is None and record.size > LONGEST_LINE):
                return record
    return None


def list_starts(path: Path, mark: str | None, fields: int | None = None) -> Iterator[int]:
    """Yield the line in which each record of a text file starts; blank lines are none.

    mark: what stands between fields, of which some may be quoted; None where each line is one.
    fields: how many a record has; others are none. None where all have as many.
    """
    with (
        suppress(OSError, EOFError, zlib.error, UnicodeError, csv.Error),
        open_text(path) as opened,
    ):
        if mark is not None and fields is not None:
            start, reader = 1, csv.reader(io.TextIOWrapper(opened, "utf-8"), delimiter=mark)
            for record in reader:
                if len(record) == fields:
                    yield start
                start = reader.line_num + 1
        elif mark is not None:
            yield from (one.line for one in _list_records(opened, mark.encode()) if not one.blank)
        elif opened.peek(1)[:1] != b"[":  # type: ignore[attr-defined]
            yield from (at for at, line in enumerate(opened, start=1) if line.strip())


def _list_records(file: IO[bytes], mark: bytes) -> Iterator[Record]:
    opening = re.compile(rb'(?:^|%s)"' % re.escape(mark))
    first = size = 0
    inside = False
    for number, line in enumerate(file, start=1):
        if not inside:
            first, size = number, 0
        size += len(line)
        inside = _stays_open(line, opening, inside=inside)
        if not inside:
            yield Record(first, size, closed=True, blank=not line.strip(b"\r\n"))
    if inside:
        yield Record(first, size, closed=False)


def _stays_open(line: bytes, opening: re.Pattern[bytes], *, inside: bool) -> bool:
    """Say whether a field in quotes goes on in the next line."""
    at = 0
    while b'"' in line:
        if not inside:
            begun = opening.search(line, at)
            if begun is None:
                return False
            at = begun.end()
        closing = _CLOSING.match(line, at)
        if closing is None:
            return True
        at, inside = closing.end(), False
    return inside
