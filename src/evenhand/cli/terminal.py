"""Text for a terminal: labelled lines, aligned columns, names cut in the middle, interval bars."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from typing import Final
from unicodedata import combining, east_asian_width

import click

from evenhand.cli.refusals import WIDTH
from evenhand.report.signs import visible

PLAIN: Final = 80  # Columns where there is no terminal to ask
NARROW: Final = 60
WIDE: Final = 120
SOME: Final = 20  # Numbers of effective judges below this are told to a tenth


def columns_of_terminal() -> int:
    """Return how many columns to fill: 80 in a pipe, else the terminal's within reason."""
    if not sys.stdout.isatty():
        return PLAIN
    return min(max(shutil.get_terminal_size((PLAIN, 24)).columns, NARROW), WIDE)


def width(text: str) -> int:
    """Return the columns that a text takes; Chinese signs take two, combining accents none.

    >>> width("abc"), width("系统"), width("é"), width("e" + chr(0x301))
    (3, 4, 1, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Fill a text with blanks, behind it or (right) before it."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if right else text + blanks


def cut(text: str, columns: int) -> str:
    """Take the middle out of a text that is too long; control characters are written out.

    >>> cut("newstest2012.fr-en.system-k", 15)
    'newstes…ystem-k'
    """
    text = visible(text)
    if width(text) <= columns:
        return text
    head, tail = text[: len(text) // 2], text[len(text) // 2 :]
    while width(head) + 1 + width(tail) > columns and (head or tail):
        if width(head) >= width(tail):
            head = head[:-1]
        else:
            tail = tail[1:]
    return f"{head}…{tail}"


def wrap(text: str, columns: int) -> list[str]:
    """Break a text between words, by the columns that it takes; words are never broken.

    >>> wrap("系统 系统 is best", 9), wrap("", 9)
    (['系统 系统', 'is best'], [''])
    """
    lines = [""]
    for word in re.findall(r"[ ]*[^ ]+", text):
        if lines[-1] and width(lines[-1] + word) > columns:
            lines.append(word.lstrip(" "))
        else:
            lines[-1] += word
    return lines


def label(name: str, text: str, columns: int, *, colour: str | None = None) -> str:
    """Return a labelled line, `read   ...`, wrapped below its text."""
    lines = wrap(visible(text), columns - WIDTH)
    first = click.style(pad(name, WIDTH), dim=colour is None, fg=colour)
    return ("\n" + " " * WIDTH).join([first + lines[0], *lines[1:]])


def align(rows: Sequence[Sequence[str]], left: Sequence[int] = (1,)) -> list[list[str]]:
    """Pad the cells of a table to common widths; all columns but those in `left` stand right."""
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        [pad(cell, widths[i], right=i not in left) for i, cell in enumerate(row)] for row in rows
    ]


def bar(ends: tuple[float, float, float], scale: tuple[float, float], cells: int) -> str:
    """Draw an interval."""
    low, high = scale
    span = high - low or 1.0
    start, middle, end = (
        min(max(round((value - low) / span * (cells - 1)), 0), cells - 1) for value in ends
    )
    drawn = [" "] * cells
    drawn[start : end + 1] = "─" * (end - start + 1)
    drawn[middle] = "●"
    return "".join(drawn)


def plural(number: float, one: str, many: str | None = None) -> str:
    """Write a count with its noun.

    >>> plural(1, "judge"), plural(13822, "comparison"), plural(2, "tally", "tallies")
    ('1 judge', '13,822 comparisons', '2 tallies')
    """
    noun = one if number == 1 else many or f"{one}s"
    return f"{number:,.0f} {noun}" if float(number).is_integer() else f"{number:,.1f} {noun}"


def share(part: float, whole: float) -> str:
    """Write a proportion in per cent.

    >>> share(1, 6), share(1, 1000), share(0, 10)
    ('17 %', '0.1 %', '0 %')
    """
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.1f} %" if 0 < percent < 1 else f"{percent:.0f} %"


def effective(levels: int, number: float | None) -> str:
    """Say how many effective levels there are, where they are fewer than levels.

    >>> effective(40, 4.25), effective(2500, 2000.0), effective(4, 3.98), effective(4, None)
    (' (4.2 effective)', ' (2,000 effective)', '', '')
    """
    if number is None or number >= levels - 0.05:
        return ""
    return f" ({number:,.1f} effective)" if number < SOME else f" ({number:,.0f} effective)"


def whole(number: float) -> float:
    """Return a count as an int where it is one; importance weights may add up to fractions.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else number
