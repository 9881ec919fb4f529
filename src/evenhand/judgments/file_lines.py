"""Where a row stands in its file: the number of its line, as an editor counts them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evenhand.judgments.source import Source, name_rows

MOST: Final = 1_000_000
"""Lines looked through; beyond, a row is named by its number."""
SUFFIXES: Final = (".csv", ".tsv")


def name_lines(source: Source, rows: Sequence[Mapping[str, Any]], column: str) -> str:
    """Name rows by their lines in a CSV file, such as " (line 51)"; elsewhere by their numbers.

    A row is taken for that line only if the line holds its value: a table may have been filtered.

    Args:
        source: of the table, for its name.
        rows: from `find_rows`, with their numbers from 1 and their values.
        column: the column whose values are the reason.

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
