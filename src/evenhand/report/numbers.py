"""How numbers are written wherever a report shows them: on the page, in LaTeX, in Markdown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

NONE: Final = "–"  # What stands where there is no number

SMALL: Final = 0.001  # Chances below this are written as being below it


def _count(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _chance(value: float) -> str:
    return f"< {SMALL}" if value < SMALL else f"{value:.3f}"


def _percent(value: float) -> str:
    """Write a share that may be very small, with two digits that mean something."""
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


# Kind of number → how it is written. A share is a proportion, a percent one that may be very
# small, a chance a p-value.
KINDS: Final[dict[str, Callable[[Any], str]]] = {
    "text": str,
    "count": _count,
    "general": lambda value: f"{value:g}",
    "one": lambda value: f"{value:z,.1f}",
    "two": lambda value: f"{value:z,.2f}",
    "three": lambda value: f"{value:z,.3f}",
    "share": lambda value: f"{100 * value:z.0f} %",
    "percent": _percent,
    "chance": _chance,
}


def write_value(value: Any, kind: str) -> str:
    """Write a value for people.

    kind: of KINDS. >>> write_value(12345, "count"), write_value(-0.0012, "two"), write_value(None,
        "two") ('12,345', '0.00', '–') >>> write_value(0.9512, "share"), write_value(0.00001,
        "chance") ('95 %', '< 0.001')
    """
    return NONE if value is None else KINDS[kind](value)
