"""Where a row stands in its file: the number of its line, as an editor counts them."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, cast

from evenhand.judgments.source import Source, name_rows

MOST: Final = 1_000_000  # Lines looked through; beyond, a row is named by its number
SUFFIXES: Final = (".csv", ".tsv")
# Bytes of a record of CSV at most. Reading in parallel takes no more memory up to this length.
LONGEST_LINE: Final = 8 << 20
_CLOSING: Final = re.compile(rb'[^"]*(?:""[^"]*)*"(?!")')  # The rest of a field in quotes


def name_lines(source: Source, rows: Sequence[Mapping[str, Any]], column: str) -> str:
    """Name rows by their lines in a CSV file, such as " (line 51)"; elsewhere by their numbers.

    A row is taken for that line only if the line holds its value: a table may have been filtered.
    """
    wanted = {int(row["row"]): str(row[column] or "") for row in rows if row.get("row")}
    lines = _find_lines(Path(source.name), wanted)
    if not wanted or len(lines) < len(wanted):
        return name_rows([dict(row) for row in rows])
    return f" (line{'s' if len(lines) > 1 else ''} {', '.join(f'{line:,}' for line in lines)})"


def _find_lines(path: Path, wanted: Mapping[int, str]) -> list[int]:
    """Return the lines that end the records of these numbers and hold these values."""
    if path.suffix.lower() not in SUFFIXES or max(wanted, default=0) > MOST:
        return []
    lines: list[int] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            mark = "\t" if path.suffix.lower() == ".tsv" else _tell(file.readline())
            file.seek(0)
            reader = csv.reader(file, delimiter=mark)
            for number, record in enumerate(filter(None, reader)):
                if number in wanted and wanted[number] in record:
                    lines.append(reader.line_num)
                if number >= max(wanted, default=0):
                    break
    except (OSError, UnicodeDecodeError, csv.Error):
        return []
    return lines


def _tell(header: str) -> str:
    """Return the mark between the fields of a header."""
    return max(",;\t|", key=header.count)


def find_odd_end(path: Path) -> tuple[int, str, str] | None:
    r"""Return the first line that ends otherwise than line 1, and both ends; None if all agree.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_bytes(b"left,right\r\na,b\r\nb,a\n")
    ...     find_odd_end(path)
    (3, 'LF', 'CRLF')
    """
    try:
        with path.open(newline="") as file:
            first = _end_of(file.readline())
            for number, line in enumerate(file, start=2):
                end = _end_of(line)
                if end and end != first:
                    return number, end, first
    except (OSError, UnicodeDecodeError):
        return None
    return None


def _end_of(line: str) -> str:
    """Return the name of a line's end; nothing at the end of a file."""
    ends = (("\r\n", "CRLF"), ("\n", "LF"), ("\r", "CR"))
    return next((name for end, name in ends if line.endswith(end)), "")


def find_undecodable(path: Path) -> int | None:
    """Return the first line of a text file that is not UTF-8; None if there is none."""
    try:
        with open_text(path) as file:
            if file.peek(4)[:4] == b"PAR1":  # type: ignore[attr-defined]
                return None
            for number, line in enumerate(file, start=1):
                try:
                    line.decode()
                except UnicodeDecodeError:
                    return number
    except (OSError, EOFError, zlib.error):
        return None
    return None


def open_text(path: Path) -> IO[bytes]:
    """Open a file, unpacked where it is packed with gzip."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path)) if packed else path.open("rb")


@dataclass(frozen=True)
class Record:
    """Where a record of CSV stands, found in the file itself."""

    line: int  # its first line, from 1
    size: int  # its bytes; those up to the end of the file where a quote stays open
    closed: bool  # whether its quotes are closed


def find_record(path: Path, number: int | None, mark: str = ",") -> Record | None:
    r"""Return the record of a number, which is its line only where no field holds line ends.

    mark: what stands between fields. >>> from tempfile import TemporaryDirectory >>> with
        TemporaryDirectory() as folder: ...     path = Path(folder, "votes.csv") ...     _ =
        path.write_bytes(b'left,note\nA,"two\nlines"\nB,"open\nC,\n') ...     find_record(path, 3)
        Record(line=4, size=11, closed=False)
    """
    try:
        with open_text(path) as opened:
            for at, record in enumerate(_list_records(opened, mark.encode()), start=1):
                if at == number or (number is None and record.size > LONGEST_LINE):
                    return record
    except (OSError, EOFError, zlib.error):
        return None
    return None


def _list_records(file: IO[bytes], mark: bytes) -> Iterator[Record]:
    """Yield the records of a file, one physical line at a time."""
    opening = re.compile(rb'(?:^|%s)"' % re.escape(mark))
    first = size = 0
    inside = False
    for number, line in enumerate(file, start=1):
        if not inside:
            first, size = number, 0
        size += len(line)
        inside = _stays_open(line, opening, inside=inside)
        if not inside:
            yield Record(first, size, closed=True)
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
