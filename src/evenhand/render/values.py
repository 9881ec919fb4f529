"""How numbers, intervals and names are written wherever people read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

NO_VALUE: Final = "–"  # What stands where there is no value; "--" in LaTeX
MAX_NAMES: Final = 5  # Most systems that are named in a sentence
SMALLEST_P: Final = 0.001  # p-values below this are written as being below it


def write_p(p: float) -> str:
    return f"< {SMALLEST_P}" if p < SMALLEST_P else f"{p:.3f}"


def write_percent(value: float) -> str:
    """Write a proportion that may be very small, with two digits that mean something."""
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


def write_count(value: float) -> str:
    return f"{value:,.{0 if float(value).is_integer() else 1}f}"


def write_figures(value: float) -> str:
    """Write a number with three significant figures.

    >>> write_figures(0.01234), write_figures(123456), write_figures(float("inf"))
    ('0.0123', '123,456', '∞')
    """
    if math.isinf(value):
        return "-∞" if value < 0 else "∞"
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


def _write_ends(digits: int) -> Callable[[Sequence[float]], str]:
    return lambda ends: " to ".join(f"{one:z.{digits}f}" for one in ends)


# Kind of value → how it is written. Intervals and bars have several keys. A bar is drawn in a
# terminal, from the lower end over the estimate to the upper end.
KINDS: Final[dict[str, Callable[[Any], str]]] = {
    "text": str,
    "name": str,  # cut where there is little room, so that all names still differ
    "prose": str,  # wrapped into the room that is left in a terminal
    "names": lambda names: names if isinstance(names, str) else ", ".join(map(str, names)),
    "count": write_count,
    "general": lambda value: f"{value:g}",
    "figures": write_figures,
    "integer": lambda value: f"{value:,.0f}",
    "one": lambda value: f"{value:z,.1f}",
    "two": lambda value: f"{value:z,.2f}",
    "three": lambda value: f"{value:z,.3f}",
    "four": lambda value: f"{value:z,.4f}",
    "signed": lambda value: f"{value:+z.2f}",
    "share": lambda value: f"{100 * value:z.0f} %",
    "percent": write_percent,
    "tenths": lambda value: f"{100 * value:z.1f} %",
    "p": write_p,
    "interval": _write_ends(2),
    "interval three": _write_ends(3),
    "interval four": _write_ends(4),
    "interval share": lambda ends: f"{100 * ends[0]:z.0f} to {100 * ends[1]:z.0f} %",
    "interval tenths": lambda ends: f"{100 * ends[0]:z.1f} to {100 * ends[1]:z.1f} %",
    "interval figures": lambda ends: " to ".join(map(write_figures, ends)),
    "interval general": lambda ends: " to ".join(f"{one:g}" for one in ends),
    "state": str,  # of a check
    "range": lambda ends: str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}-{ends[1]}",
    "bar": lambda _ends: "",
    "yes": lambda value: "yes" if value else "no",
}
LEFT: Final = frozenset({"text", "name", "prose", "names", "state", "range", "bar", "yes"})


def write_value(value: Any, kind: str) -> str:
    """Write a value for people, as a kind of KINDS or a format.

    >>> write_value(12345, "count"), write_value(-0.0012, "two"), write_value(None, "two")
    ('12,345', '0.00', '–')
    >>> write_value(0.9512, "share"), write_value(0.00001, "p"), write_value((0.1, 2), "interval")
    ('95 %', '< 0.001', '0.10 to 2.00')
    """
    if value is None:
        return NO_VALUE
    if isinstance(value, str):
        return value
    return KINDS[kind](value) if kind in KINDS else format(value, kind)


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Write names as a list; of many the first, and how many more.

    >>> join_names(["A"]), join_names(["A", "B", "C"])
    ('A', 'A, B and C')
    """
    if len(names) > MAX_NAMES:
        return f"{', '.join(names[: MAX_NAMES - 1])} {word} {len(names) - MAX_NAMES + 1} more"
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]


def begin_sentence(text: str) -> str:
    """Write the first letter large.

    >>> begin_sentence("nothing changes"), begin_sentence("")
    ('Nothing changes', '')
    """
    return f"{text[:1].upper()}{text[1:]}"
