"""Counts in words, the same wherever they stand."""

from __future__ import annotations

from math import isclose


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
