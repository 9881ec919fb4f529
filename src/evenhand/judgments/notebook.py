"""How results are shown: a table, what they say, the line that reproduces them.

In notebooks as HTML, and wherever they are printed as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar, Final

# Exclusion at run time as well: a board that comes over HTTP is read by its annotations
from evenhand.judgments.exclusions import Exclusion, list_texts

SHOWN: Final = 100  # Most rows that are shown; `to_dict` has them all
# What a cell can hold, besides lists of text; what else there is, is left to `to_dict`
PLAIN: Final = (str, int, float, type(None))

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InNotebooks:
    """A result that is shown as a table, with its sentences, notes and signature."""

    TABLE: ClassVar[str] = ""  # where its rows stand in `to_dict`; "" where `records` returns them
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    def _repr_html_(self) -> str:
        return draw_result(self, self.TABLE)

    def __repr__(self) -> str:
        return write_result(self, self.TABLE)


def draw_result(result: Any, table: str = "") -> str:
    """Return a result for a notebook."""
    rows, more = _take_rows(result, table)
    return draw_table(*tabulate(rows), (*more, *_list_lines(result)))


def write_result(result: Any, table: str = "") -> str:
    """Return a result as text: its table, and below it what is said."""
    rows, more = _take_rows(result, table)
    return "\n".join(
        line for line in (*_align(*tabulate(rows)), *more, *_list_lines(result)) if line
    )


def draw_table(
    head: Sequence[str], body: Iterable[Sequence[str]], said: Iterable[str] = (), above: str = ""
) -> str:
    """Return a table with what is said below it."""
    first = f"<p><strong>{escape(above)}</strong></p>" if above else ""
    rows = "".join(_cells("td", row) for row in body)
    table = f"<table>{_cells('th', head)}{rows}</table>" if head else ""
    below = "<br>".join(escape(line) for line in said if line)
    return first + table + (f"<p>{below}</p>" if below else "")


def draw_groups(by: str, shown: Mapping[str, str], refused: Mapping[str, str]) -> str:
    """Return results of groups below each other."""
    parts = [f"<h4>{escape(by)} {escape(name)}</h4>{html}" for name, html in shown.items()]
    parts += [
        f"<h4>{escape(by)} {escape(name)}</h4><p>{escape(why)}</p>" for name, why in refused.items()
    ]
    return "".join(parts)


def tabulate(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return titles and cells of rows as text; what no cell can hold is left out.

    >>> tabulate([{"system": "A", "log_worth": 0.123456, "better": [1]}])
    (['system', 'log worth'], [['A', '0.1235']])
    """
    keys = [
        key
        for key in dict.fromkeys(key for row in rows for key in row)
        if all(_is_plain(row.get(key)) for row in rows)
    ]
    cells = [[write_cell(row.get(key)) for key in keys] for row in rows]
    return [str(key).replace("_", " ") for key in keys], cells


def _is_plain(value: Any) -> bool:
    """Whether a cell can hold a value."""
    if isinstance(value, list | tuple):
        return all(isinstance(one, str) for one in value)
    return isinstance(value, PLAIN)


def write_cell(value: Any) -> str:
    """Write a value; what is not known is empty.

    >>> [write_cell(value) for value in (None, True, 12345, 1234.5, 2.0, "A")]
    ['', 'yes', '12,345', '1,234', '2', 'A']
    """
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return ", ".join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and abs(value) < 1000:
        return f"{value:.4g}"
    return f"{value:,.0f}" if isinstance(value, float | int) else str(value)


def _cells(tag: str, row: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"


def _align(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of text, numbers below each other; columns without a value are left out.

    >>> _align(["system", "wins", "seed"], [["A", "12", ""], ["lark", "3", ""]])
    ['system  wins', 'A         12', 'lark       3']
    """
    columns = []
    for title, *cells in zip(head, *body, strict=True):
        if any(cells):
            wide = max(map(len, (title, *cells)))
            number = all(not cell.strip("-+0123456789.,e") for cell in cells)
            columns.append([f"{c:>{wide}}" if number else f"{c:<{wide}}" for c in (title, *cells)])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def _take_rows(result: Any, table: str) -> tuple[list[Row], list[str]]:
    """Return the rows that are shown, and a line on those that are not."""
    held = result.to_dict()[table] if table else result.records()
    rows = [held] if isinstance(held, Mapping) else list(held)  # what stands alone is one
    more = [f"... and {len(rows) - SHOWN:,} more"] if len(rows) > SHOWN else []
    return rows[:SHOWN], more


def _list_lines(result: Any) -> tuple[str, ...]:
    """Return what a result says, its notes and its signature, as far as it has them."""
    notes = tuple(getattr(result, "notes", ()))
    excluded = list_texts(getattr(result, "excluded", ()), notes)
    more = (f"note: {note}" for note in notes)
    return (*_list_says(result), *more, *excluded, getattr(result, "signature", ""))


def _list_says(result: Any) -> tuple[str, ...]:
    """Return sentences, of which some results have one and some several."""
    says = getattr(result, "says", ())
    return (says,) if isinstance(says, str) else tuple(says)
