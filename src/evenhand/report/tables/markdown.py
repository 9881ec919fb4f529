"""A table of a report for Markdown: pipes, numbers to the right, names as they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from evenhand.report.document import Column, Table
from evenhand.report.numbers import write_value
from evenhand.report.signs import visible

# Signs that mean something somewhere in a cell
MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#~|$&!])")
END: Final = re.compile("--(!?)>")  # What ends a comment
LEFT, RIGHT = ":--", "--:"


def write_markdown(table: Table, comments: Sequence[str] = ()) -> str:
    """Write a table."""
    shown = table.columns
    body = [[write_value(row[one.key], one.kind) for one in shown] for row in table.rows]
    rows = [
        [escape(one.title) for one in shown],
        [_align(one) for one in shown],
        *([escape(cell) for cell in cells] for cells in body),
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    return "\n".join([*_comment(comments), *lines, ""])


def _align(column: Column) -> str:
    return LEFT if column.kind == "text" else RIGHT


def escape(text: str) -> str:
    r"""Write text so that Markdown shows it as it stands.

    >>> escape("a|b_c")
    'a\\|b\\_c'
    """
    return MARKUP.sub(r"\\\1", visible(text))


def _comment(said: Sequence[str]) -> list[str]:
    """Write lines as comments; what would end one is parted."""
    lines = [END.sub(r"-- \1>", visible(line)) for line in said]
    return [*(f"<!-- {line} -->" for line in lines), *([""] if said else [])]
