"""How numbers, counts, intervals and names are written wherever people read them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from math import isclose
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


def plural(number: float, one: str, many: str | None = None) -> str:
    """Write a count with its noun.

    >>> plural(1, "judge"), plural(13822, "comparison"), plural(2, "tally", "tallies")
    ('1 judge', '13,822 comparisons', '2 tallies')
    """
    noun = one if number == 1 else many or f"{one}s"
    return f"{number:,.0f} {noun}" if isclose(number, round(number)) else f"{number:,.1f} {noun}"


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
    return f" ({number:,.{1 if number < 20 else 0}f} effective)"


def whole(number: float) -> float:
    """Return a count as an int where it is one; importance weights may add up to fractions.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else number


def say_tally(judgments: float, comparisons: float, systems: int, ties: float) -> str:
    counts = say_systems(systems, ties, comparisons)
    return ", ".join([say_answers(judgments, comparisons), *counts])


def say_answers(judgments: float, comparisons: float, one: str = "ranking") -> str:
    """Say how many answers there are; a ranking, or one on a merged output, holds several."""
    if isclose(judgments, comparisons):  # weights add up but for rounding
        return plural(judgments, "judgment")
    return f"{plural(judgments, one)} → {plural(comparisons, 'comparison')}"


def say_systems(systems: int, ties: float, comparisons: float) -> list[str]:
    return [plural(systems, "system"), f"{share(ties, comparisons)} ties"]
