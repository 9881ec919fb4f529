"""How alike judges are, as it is drawn in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, label, pad, width

if TYPE_CHECKING:
    from evenhand.numerics.cluster_means import Estimate
    from evenhand.ratings.process_comparison import JudgeLikeness, Pair

MOST: Final = 12  # Most judges whose whole matrix is printed
CELL: Final = 5  # Columns that a correlation takes, with a gap before it
LEAST: Final = 6  # Columns that a name needs
NAME: Final = 10  # Columns that a name should have, at which it need not be cut much
KEPT: Final = 9  # Columns of a table that never go
OPEN: Final = ".."  # Where the ratings do not tell
OPENED: Final = 8  # Most open pairs that are named
# How the feature that tells each output from all others is said
WHICH: Final = "which output it is"
NONE: Final = "—"


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    title: str  # above it
    cells: Sequence[str]  # one for each row
    kept: int = KEPT  # where there is little room columns go, those first whose number is lowest


def draw_judges(found: JudgeLikeness, columns: int) -> list[str]:
    """Return the table of judges: how lenient, and how far they stray."""
    rows = list(found.records.values())
    names = Column("judge", found.judges)
    numbers = [
        Column("ratings", [f"{row['ratings']:,}" for row in rows], 2),
        Column("lenient by", [f"{row['leniency']:+.1f}" for row in rows]),
        Column(f"{100 * found.level:g} % interval", _ends(rows), 4),
        Column("own taste", [_points(row["private"]) for row in rows], 1),
        Column("noise", [_points(row["noise"]) for row in rows], 1),
        Column("both", [_points(row["private_and_noise"]) for row in rows], 3),
    ]
    table = draw_table(names, numbers, columns)
    unit = "points of the scale. lenient by: what a judge gives more than the mean of these judges"
    parts = [f"{unit}, for the same outputs"]
    if "own taste" in table[0]:
        parts.append("own taste: what no other judge shares; noise: of one rating; both together")
        if any(row["private"] is None for row in rows):
            parts.append(f"{NONE}: not told apart")
    else:
        parts.append("both: own taste and noise together")
    return [*table, label("", "; ".join(parts), columns)]


def draw_pairs(found: JudgeLikeness, columns: int) -> list[str]:
    """Return the matrix of correlations, or the nearest and farthest where there is no room."""
    room = columns - 1 - CELL * (len(found.judges) - 1) - len(str(len(found.judges))) - 1
    longest = max(map(width, found.judges))
    if len(found.judges) > MOST or room < min(longest, LEAST):
        return _draw_ends(found, columns)
    shown = tell_apart(found.judges, room)
    names = align([(str(place), shown[name]) for place, name in enumerate(found.judges, start=1)])
    lines = []
    for at, (judge, name) in enumerate(zip(found.judges, names, strict=True)):
        cells = [_show(found.both[judge, other]) for other in found.judges[:at]]
        lines.append(" " + " ".join(name) + "".join(pad(cell, CELL, right=True) for cell in cells))
    blank = " " * width(" " + " ".join(names[0]))
    places = range(1, len(found.judges))
    title = blank + "".join(pad(str(place), CELL, right=True) for place in places)
    legend = f"correlation of what they like; {OPEN} where the ratings do not tell"
    return [
        click.style(title, dim=True),
        *(one.rstrip() for one in lines),
        label("", legend, columns),
    ]


def _draw_ends(found: JudgeLikeness, columns: int) -> list[str]:
    """Return a row for each judge: the mean, the nearest and the farthest of the others."""
    ranked = [found.rank_others(judge) for judge in found.judges]
    names = tell_apart(found.judges, NAME)
    means = Column("others", [_share(found.mean(judge)) for judge in found.judges])
    ends = {"most alike": [own[0] for own in ranked], "least alike": [own[-1] for own in ranked]}
    numbers = [means]
    for title, pairs in ends.items():
        numbers.append(Column(title, _align_pairs(names, pairs)))
        numbers.append(Column("interval", [_show_ends(one) for _, one in pairs], 1))
    legend = (
        f"correlation of what judges like: mean with the others, most and least alike; {OPEN}"
        " where the ratings do not tell; all pairs with --json and --csv"
    )
    table = draw_table(Column("judge", found.judges), numbers, columns)
    return [*table, label("", legend, columns)]


def say_open(found: JudgeLikeness) -> str:
    """Name the pairs of which the ratings do not tell, with estimates, the farthest from 0 first.

    Nothing where none is open, or where there are too many judges for a matrix.
    """
    pairs = [one for one in found.pairs if not one.known]
    if not pairs or len(found.judges) > MOST:
        return ""
    pairs = sorted(pairs, key=lambda one: -abs(one.correlation))
    said = [
        f"{one.judge} and {one.other} {_share(one.correlation)} ({_show_ends(one)})"
        for one in pairs[:OPENED]
    ]
    more = f"; {len(pairs) - OPENED:,} more with --csv" if len(pairs) > OPENED else ""
    return f"{'; '.join(said)}{more}"


def draw_errors(found: JudgeLikeness, columns: int) -> list[str]:
    """Return how far each way to predict is off."""
    rows = found.table
    numbers = [
        Column("mae", [f"{row.mae:.3g}" for row in rows]),
        Column("more", [_more(row.mae_more) for row in rows]),
        Column("rmse", [f"{row.rmse:.3g}" for row in rows], 1),
        Column("more", [_more(row.rmse_more) for row in rows], 1),
    ]
    legend = (
        "points of the scale that a prediction is off, on ratings that were held out; more: beyond"
        f" multi-task, with its {100 * found.level:g} % interval"
    )
    table = draw_table(Column("method", [row.method for row in rows]), numbers, columns)
    return [*table, label("", legend, columns)]


def say_features(found: JudgeLikeness) -> str:
    """Say how much each feature moves a judge's opinion, the one that moves most first."""
    from evenhand.ratings.features import OUTPUT

    kept = sorted(found.kept.items(), key=lambda one: one[1])
    shown = [(WHICH if name == OUTPUT else name, _share(value)) for name, value in kept]
    said = ", ".join(f"{name} {value}" for name, value in shown)
    numbers = {*found.process.learned.scaling.names}
    tail = "; numbers: by one standard deviation" if numbers & {*found.kept} else ""
    return (
        "correlation of what a judge thinks of two outputs that differ in one feature alone (near"
        f" 1 it changes little{tail}): {said}"
    )


def draw_table(names: Column, numbers: Sequence[Column], columns: int) -> list[str]:
    """Return a table with its title; where room is short columns go, then names."""
    shown = list(numbers)
    longest = max(map(width, [names.title, *names.cells]))
    while _room(shown, columns) < min(longest, NAME) and any(one.kept < KEPT for one in shown):
        least = min(one.kept for one in shown)
        shown = [one for one in shown if one.kept > least]
    short = tell_apart(names.cells, max(_room(shown, columns), LEAST))
    first = align([(names.title,), *((short[name],) for name in names.cells)], left=(0,))
    cells = [[one.title, *one.cells] for one in shown]
    rest = align(list(zip(*cells, strict=True)), left=())
    lines = [" " + "  ".join([*one, *more]) for one, more in zip(first, rest, strict=True)]
    return [click.style(lines[0], dim=True), *lines[1:]]


def _room(numbers: Sequence[Column], columns: int) -> int:
    """Return how many columns are left for names."""
    return columns - 1 - sum(2 + max(map(width, [one.title, *one.cells])) for one in numbers)


def _ends(rows: Sequence[dict[str, Any]]) -> list[str]:
    ends = [(f"{row['leniency_lower']:+.1f}", f"{row['leniency_upper']:+.1f}") for row in rows]
    return [f"{low} to {high}" for low, high in align(ends, left=())]


def _align_pairs(names: dict[str, str], pairs: Sequence[tuple[str, Pair]]) -> list[str]:
    cells = align([(names[other], _show(one)) for other, one in pairs], left=(0,))
    return [" ".join(cell) for cell in cells]


def _show(one: Pair) -> str:
    return _share(one.correlation) if one.known else OPEN


def _show_ends(one: Pair) -> str:
    if one.lower is None or one.upper is None:
        return NONE
    return f"{_share(one.lower)} to {_share(one.upper)}"


def _share(value: float) -> str:
    """Write a correlation without the zero before its point."""
    return f"{value:z.2f}".replace("0.", ".", 1)


def _points(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"


def _more(one: Estimate | None) -> str:
    if one is None:
        return NONE
    return f"{one.value:+.2g} ({one.lower:+.2g} to {one.upper:+.2g})"
