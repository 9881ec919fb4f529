"""Workbooks (.xlsx): a sheet as the text that a CSV file of it would hold."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import ParseError

from evenhand.data.source import fold
from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    UnknownFormat,
    UnknownOption,
    listing,
    sentence_hint,
    suggest,
    write_word,
)
from evenhand.formats.file_heads import refuse_columns_twice
from evenhand.formats.roles import Header, are_judges, is_criterion, may_be_person, names_part
from evenhand.render.document import plural

MAX_BYTES: Final = 2 << 30  # Most bytes of a workbook when it is unpacked
_MERGED: Final = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
# A formula that no program has computed; a computed one is followed by its value
_UNCOMPUTED: Final = re.compile(
    rb'<(?:\w+:)?c\s[^>]*\br="([A-Z]+\d+)"[^>]*>\s*<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)'
    rb"\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
# Filled cells from which on a row, and rows from which on a sheet, is more than a remark
FEWEST_CELLS: Final = 3
FEWEST_SYSTEMS: Final = 2  # Columns from which on each may be of a system
_NUMBER: Final = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)")
_JOIN: Final = " / "  # Between a heading and the heading below it

Cell = str | None
Area = tuple[int, int, int, int]  # first row and column, last row and column, from 0


@dataclass(frozen=True)
class Sheet:
    book: Path
    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    numbers: tuple[int, ...]  # of the rows, as the sheet counts them from 1
    notes: tuple[str, ...]

    def by_row(self) -> Iterator[tuple[int, Mapping[str, Cell]]]:
        for number, row in zip(self.numbers, self.rows, strict=True):
            yield number, dict(zip(self.columns, row, strict=True))


def read_sheet(
    path: Path,
    name: str | None = None,
    fits: Callable[[Sheet], bool] = lambda _: True,
    advise: Callable[[str], str] | None = None,
    *,
    remarks: bool = False,
    row: str = "judgment",
) -> Sheet:
    """Return the sheet of a name; without one, the only sheet that fits where there are several.

    Sheets of the same columns, none of which says who judged, are read together: each is a judge.

    advise: how to choose a sheet, by its name.
    remarks: whether titles and legends below the header are rows, for who checks every row.
    row: what a row of it is.
    """
    full = [one for one in _open(path, name, remarks=remarks) if one.rows]
    if not full:
        where = f"sheet '{name}' of {path}" if name is not None else str(path)
        raise InvalidJudgments(f"{where} holds no rows: write a header and one {row} a row")
    if name is not None or len(full) == 1:
        return full[0]
    fitting = [one for one in full if fits(one)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting and not remarks and _are_judges(fitting):
        return _join(fitting, [one.name for one in full if one not in fitting])
    names = [one.name for one in fitting or full]
    which = "several of which could be meant" if fitting else "and none looks like what is needed"
    remedy = f"say which one: --sheet {write_word(names[0])}, in Python sheet={names[0]!r}"
    remedy = advise(names[0]) if advise else remedy
    raise UnknownOption(f"{path} has {len(full)} sheets, {which}: {listing(names)}; {remedy}")


def _are_judges(sheets: Sequence[Sheet]) -> bool:
    first = Header(sheets[0].columns)
    judged = first.candidates("system") or (first.candidates("left") and first.candidates("right"))
    alike = len({tuple(map(fold, one.columns)) for one in sheets}) == 1
    if not alike or first.candidates("judge"):
        return False
    parts = any(names_part(one.name) for one in sheets)
    return bool(judged and not parts) or _score_systems(sheets, first)


def _score_systems(sheets: Sequence[Sheet], header: Header) -> bool:
    """Say whether a column for each system is on sheets of the same items, called like people."""
    items = header.candidates("item")
    systems = [name for name in header.columns if name not in items]
    if len(items) != 1 or len(systems) < FEWEST_SYSTEMS or are_judges(systems):
        return False
    if any(map(is_criterion, systems)) or not all(may_be_person(one.name) for one in sheets):
        return False
    at = header.columns.index(items[0])
    first, *others = ({row[at] for row in one.rows} for one in sheets)
    return all(first & one for one in others)


def _join(sheets: Sequence[Sheet], others: Sequence[str]) -> Sheet:
    names = [one.name for one in sheets]
    note = (
        f"sheets {listing(names)} were read together, each as a judge; to read one of them:"
        f" --sheet {write_word(names[0])}, in Python sheet={names[0]!r}"
    )
    notes = [note, *([f"not read: {listing(others)}"] if others else [])]
    notes += [f"{one.name}: {text}" for one in sheets for text in one.notes[1:]]
    return Sheet(
        sheets[0].book,
        listing(names),
        ("judge", *sheets[0].columns),
        tuple((one.name, *row) for one in sheets for row in one.rows),
        tuple(number for one in sheets for number in one.numbers),
        tuple(notes),
    )


def _open(path: Path, name: str | None, *, remarks: bool) -> list[Sheet]:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with path.open("rb") as file, zipfile.ZipFile(path) as archive:
            if sum(part.file_size for part in archive.infolist()) > MAX_BYTES:
                raise UnknownFormat(f"{path} is too large for a workbook: save the sheet as CSV")
            book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
            shown = [one for one in book.worksheets if one.sheet_state == "visible"]
            if name is not None:
                shown = [one for one in book.worksheets if one.title == name]
            if not shown:
                titles = [one.title for one in book.worksheets]
                hint = sentence_hint(suggest(str(name), titles)) or f": it has {listing(titles)}"
                raise UnknownOption(f"no sheet '{name}' in {path}{hint}")
            try:
                places = [
                    str(one._worksheet_path).lstrip("/") for one in shown
                ]  # told nowhere else
                return [
                    _read(path, one, archive.read(place), remarks=remarks)
                    for one, place in zip(shown, places, strict=True)
                ]
            finally:
                book.close()
    except EvenhandError:
        raise
    except (
        *(zipfile.BadZipFile, KeyError, ParseError, InvalidFileException, ValueError, EOFError),
    ):
        raise UnknownFormat(
            f"{path} is no whole workbook: it is damaged or locked by a password; save it again"
        ) from None


def _read(path: Path, sheet: Any, xml: bytes, *, remarks: bool) -> Sheet:
    from openpyxl.utils import column_index_from_string

    bare = _UNCOMPUTED.search(xml)
    if bare:
        raise UnknownFormat(
            f"cell {bare[1].decode()} of sheet '{sheet.title}' of {path} holds a formula that was"
            " never computed: open the file in a spreadsheet program and save it"
        )
    sheet.reset_dimensions()  # which programs write wrongly
    cells = [[_write(path, one, whole=remarks) for one in row] for row in sheet.iter_rows()]
    width = max(map(len, cells), default=0)
    grid: list[list[Cell]] = [[*row, *[None] * (width - len(row))] for row in cells]
    areas: list[Area] = []
    for left, top, right, bottom in (map(bytes.decode, one) for one in _MERGED.findall(xml)):
        first, last = column_index_from_string(left) - 1, column_index_from_string(right) - 1
        if int(top) <= len(grid):
            areas.append((int(top) - 1, first, int(bottom) - 1, last))
    return _lay_out(path, sheet.title, grid, areas, remarks=remarks)


def _write(path: Path, cell: Any, *, whole: bool) -> Cell:
    """Return what a cell holds; of a sheet that is shown whole, an error is refused."""
    value = cell.value
    if value is None or (cell.data_type == "e" and value == "#N/A"):
        return None
    if whole and cell.data_type == "e":
        raise InvalidJudgments(
            f"cell {cell.coordinate} of sheet '{cell.parent.title}' of {path} holds the error"
            f" {value}: mend its formula, or empty it"
        )
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    text = f"{value.total_seconds():g}" if isinstance(value, timedelta) else str(value)
    return text if text.strip() else None


def _lay_out(
    path: Path, name: str, grid: list[list[Cell]], areas: Sequence[Area], *, remarks: bool
) -> Sheet:
    """Find the header of a sheet, and the rows below it."""
    from openpyxl.utils import get_column_letter

    most = max((_count(row) for row in grid), default=0)
    head = next((at for at, row in enumerate(grid) if _count(row) >= min(2, most)), None)
    if head is None or not most:
        return Sheet(path, name, (), (), (), ())
    above = [one for row in grid[:head] for one in row if one]
    names, deep = _read_header(grid, head, areas)
    first = head + deep
    edge = next((at for at, row in enumerate(zip(*grid[head:], strict=True)) if any(row)), 0)
    if not names[edge] and first < len(grid) and _count(grid[first]) == 1 and grid[first][edge]:
        names[edge] = str(grid[first][edge])  # the index of a frame has its own row
        first += 1
    unread = {} if remarks else _find_remarks(grid, first)
    filled = 0  # cells of merged ones
    for top, left, bottom, right in (one for one in areas if one[2] >= first):
        value = grid[top][left] if left < len(grid[top]) else None
        for row in grid[max(top, first) : bottom + 1]:
            for at in range(left, min(right + 1, len(row))):
                if row[at] is None and value is not None:
                    row[at], filled = value, filled + 1
    numbers = [at for at in range(first, len(grid)) if _count(grid[at]) and at not in unread]
    used = [at for at, title in enumerate(names) if title or any(grid[row][at] for row in numbers)]
    bare = next((at for at in used if not names[at]), None) if remarks else None
    if bare is not None:
        raise UnknownFormat(
            f"column {get_column_letter(bare + 1)} of sheet '{name}' of {path} has no name in its"
            f" header, row {head + 1}: name it, or empty it"
        )
    columns = tuple(names[at] or f"column{at + 1}" for at in used)
    refuse_columns_twice(columns, f"sheet '{name}' of {path}")
    notes = [f"sheet '{name}'"]
    if above:
        notes.append(f"not read: what stands above the header in row {head + 1}, '{above[0]:.40}'")
    notes += [f"not read: row {at + 1}, '{remark:.40}'" for at, remark in unread.items()]
    if filled:
        notes.append(f"{plural(filled, 'cell')} of merged cells hold the value that they show")
    rows = tuple(tuple(grid[at][one] for one in used) for at in numbers)
    return Sheet(path, name, columns, rows, tuple(at + 1 for at in numbers), tuple(notes))


def _find_remarks(grid: Sequence[Sequence[Cell]], first: int) -> dict[int, str]:
    """Return rows below the header that hold a title or a legend, each with its first words.

    A row of one cell is a title where rows have three cells or more. The first row is a legend
    where it has words above numbers, and nothing in it stands in another row.
    """
    rows = {at: [*grid[at]] for at in range(first, len(grid)) if _count(grid[at])}
    counts = sorted(map(_count, rows.values()))
    remarks = {
        at: next(filter(None, row))
        for at, row in rows.items()
        if _count(row) == 1 and counts[len(counts) // 2] >= FEWEST_CELLS
    }
    body = [row for at, row in rows.items() if at not in remarks]
    if len(body) < FEWEST_CELLS:
        return remarks
    legend, *others = body
    columns = [(cell, [row[at] for row in others if row[at]]) for at, cell in enumerate(legend)]
    above = [
        cell
        for cell, below in columns
        if cell and below and all(_NUMBER.fullmatch(one or "") for one in below)
    ]
    odd = [cell for cell, below in columns if cell and cell not in below]
    words = above and not any(_NUMBER.fullmatch(cell) for cell in above)
    if words and len(odd) == _count(legend) >= FEWEST_CELLS:
        at = next(at for at, row in rows.items() if row == legend)
        remarks[at] = odd[0]
    return remarks


def _count(row: Iterable[Cell]) -> int:
    return sum(one is not None for one in row)


def _read_header(
    grid: Sequence[Sequence[Cell]], head: int, areas: Sequence[Area]
) -> tuple[list[str], int]:
    """Return the name of each column, and how many rows of names there are: 1 or 2."""
    names = [(one or "").strip() for one in grid[head]]
    below, values = (grid[at] if at < len(grid) else () for at in (head + 1, head + 2))
    words = {at for at, one in enumerate(below) if one and not _NUMBER.fullmatch(one)}
    spans = [one for one in areas if one[0] <= head <= one[2] and one[3] > one[1]]
    under = {at for _, left, _, right in spans for at in range(left, right + 1)}
    for _, left, _, right in spans:
        names[left : right + 1] = [names[left]] * (right + 1 - left)
    if not spans:  # headings over several columns that were not merged: numbers are below both
        under = {at for at, one in enumerate(names) if not one and at in words}
        numbers = {at for at, one in enumerate(values) if one and _NUMBER.fullmatch(one)}
        if (
            not under
            or not under <= numbers
            or words != {at for at, one in enumerate(below) if one}
        ):
            return names, 1
        for at in sorted(under):
            names[at] = names[at - 1] if at else ""
    down = {at for one in areas if one[0] == head < one[2] for at in range(one[1], one[3] + 1)}
    if under - down and under - down <= words:
        lower = ["" if at in down else (one or "").strip() for at, one in enumerate(below)]
        return [_JOIN.join(filter(None, pair)) for pair in zip(names, lower, strict=True)], 2
    for _, left, _, right in spans:
        for at in range(left, right + 1):
            names[at] = f"{names[at]} {at - left + 1}"
    return names, 1
