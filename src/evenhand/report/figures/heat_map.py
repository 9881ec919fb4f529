"""Who is preferred to whom, by a model: the right half of figure 6 of Hopkins & May (2013).

Row s1, column s2: blue where the model favours s1, brown where it favours s2, pale where neither.
Columns bear the places of the systems, so that sixty of them fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.report.figures.drawing import INK, QUIET, dress
from evenhand.report.figures.marks import WIDTH, begin_chart, fit_width
from evenhand.report.figures.naming import LETTER

Array = NDArray[np.float64]

CELL: Final = 30  # Most pixels that a row is high
LEAST: Final = 13  # Least pixels that a row is high: its name must be readable
TALL: Final = 480  # Height of a map whose rows fit
NAMES: Final = 0.38  # Most of the width that names may take
OUTCOMES: Final = ("row preferred", "neither", "column preferred")
ROOM: Final = 26  # Pixels that a number in a cell needs
NUMBER: Final = 20  # Pixels that the number of a column needs
STEPS: Final = (1, 2, 5, 10, 20, 50, 100)  # One column of so many is numbered
SLIM: Final = 340  # Least width of a picture, if there is room: its title must fit
BROAD: Final = 76  # Most pixels that a column is wide
EVEN: Final = "#f3f3f1"
BLUE: Final = "#0a3d57"
# Even, and both ends: as dark as each other, and of hues that all eyes tell apart
BROWN: Final = "#5f2603"
# Part of the way from even to an end at which white is as easy to read on it as black
TURN: Final = 0.645


@dataclass(frozen=True)
class _Shades:
    """What shades stand for."""

    even: float  # value of the palest
    reach: float  # how far from it the darkest is
    sides: bool  # whether there is another hue below it

    @property
    def scale(self) -> tuple[list[float], list[str]]:
        """Values, and their colours."""
        above = [self.even, self.even + self.reach], [EVEN, BLUE]
        if not self.sides:
            return above
        return [self.even - self.reach, *above[0]], [BROWN, *above[1]]

    @property
    def is_dark(self) -> str:
        """Whether a cell is dark, as Vega asks it."""
        return f"abs(datum.value - {self.even}) > {TURN * self.reach}"


def draw_heat_map(
    systems: Sequence[str],
    chances: Array,
    *,
    title: str = "Who is preferred to whom",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Any:
    """Draw how far a model favours the system of each row over that of each column.

    A cell is the chance that the row's system is preferred, ties being half a preference for each.

    chances: (K, K, 3) chances that the row's system is preferred, that neither is, that the
        column's is; the diagonal is not looked at.
    borders: after how many systems a band ends, such as (1, 7, 10).
    """
    preferred = chances[:, :, 0] + chances[:, :, 1] / 2
    apart = ~np.eye(len(systems), dtype=bool)
    reach = max(float(np.max(np.abs(preferred[apart] - 0.5), initial=0.0)), 0.05)
    below = "blue: the row's system is preferred to the column's; brown: the column's is"
    words = (title, below, "preferred, ties half")
    rows = _cells(systems, chances, preferred)
    return _draw(rows, words, _Shades(0.5, reach, sides=True), _frame(systems, borders, width))


def draw_tie_map(
    systems: Sequence[str],
    chances: Array,
    *,
    title: str = "How often neither is preferred",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Any:
    """Draw the chance of a tie between the system of each row and that of each column."""
    ties = chances[:, :, 1]
    apart = ~np.eye(len(systems), dtype=bool)
    most = max(float(np.max(ties[apart], initial=0.0)), 0.05)
    words = (title, "the darker, the more often", "neither preferred")
    rows = _cells(systems, chances, ties)
    return _draw(rows, words, _Shades(0.0, most, sides=False), _frame(systems, borders, width))


def tabulate_chances(predictor: Any, systems: Sequence[str]) -> Array:
    """Ask a fit for its chances on every pair.

    Returns: (K, K, 3) chances of row preferred, neither, column preferred; 0 on the diagonal.
    """
    k = len(systems)
    at = [(i, j) for i in range(k) for j in range(k) if i != j]
    found = np.zeros((k, k, 3))
    if at:
        first, second = np.transpose(at)
        found[first, second] = predictor.predict([(systems[i], systems[j]) for i, j in at])
    return found


def _cells(systems: Sequence[str], chances: Array, values: Array) -> list[dict[str, Any]]:
    """Return a row for each cell off the diagonal."""
    labels = _label(systems)
    return [
        {
            "row": labels[i],
            "against": j + 1,
            "first": systems[i],
            "second": systems[j],
            "value": float(values[i, j]),
            "shown": f"{100 * values[i, j]:.0f}",
            "row preferred": float(chances[i, j, 0]),
            "neither": float(chances[i, j, 1]),
            "column preferred": float(chances[i, j, 2]),
        }
        for i in range(len(systems))
        for j in range(len(systems))
        if i != j
    ]


def _label(systems: Sequence[str]) -> list[str]:
    return [f"{place} {name}" for place, name in enumerate(systems, start=1)]


def _frame(
    systems: Sequence[str], borders: Sequence[int], width: int
) -> tuple[Sequence[str], Sequence[int], int]:
    labels = _label(systems)
    names = min(LETTER * max(map(len, labels), default=0), NAMES * width)
    enough = max(round(names + BROAD * len(labels)), SLIM)
    return labels, [one for one in borders if 0 < one < len(labels)], min(width, enough)


def _draw(
    rows: Sequence[dict[str, Any]],
    words: tuple[str, str, str],
    shades: _Shades,
    frame: tuple[Sequence[str], Sequence[int], int],
) -> Any:
    """Draw the cells."""
    import altair as alt

    labels, borders, width = frame
    step = min(CELL, max(LEAST, TALL // len(labels)))
    base = begin_chart(rows).encode(
        x=number_columns(len(labels), (1 - NAMES) * width),
        y=alt.Y(
            "row:N",
            title=None,
            sort=list(labels),
            axis=alt.Axis(labelLimit=round(NAMES * width), labelColor=INK, grid=False),
        ),
    )
    told = [("first", "N"), ("second", "N"), *((name, "Q") for name in OUTCOMES)]
    cells = base.mark_rect().encode(
        color=_shade(words[2], shades),
        tooltip=[
            alt.Tooltip(f"{name}:{kind}", format=".2f" if kind == "Q" else "")
            for name, kind in told
        ],
    )
    layers = [cells, *_numbers(base, shades, len(labels), width), *_bands(borders, step)]
    drawn = alt.layer(*layers)
    return dress(drawn.properties(height=step * len(labels), **fit_width(*words[:2], width)))


def number_columns(number: int, room: float, *, title: str = "against system number") -> Any:
    """Number the columns on top, as many of them as there is room for."""
    import altair as alt

    step = next((one for one in STEPS if room / number * one >= NUMBER), number)
    places = list(range(1, number + 1))
    shown = [place for place in places if place == 1 or place % step == 0]
    axis = alt.Axis(orient="top", labelAngle=0, values=shown, grid=False, titlePadding=8)
    return alt.X("against:O", title=title, sort=places, axis=axis)


def _shade(title: str, shades: _Shades) -> Any:
    import altair as alt

    values, colours = shades.scale
    return alt.Color(
        "value:Q",
        title=title,
        scale=alt.Scale(domain=values, range=colours, interpolate="lab"),
        legend=alt.Legend(
            orient="bottom", format=".0%", gradientLength=160, gradientThickness=10, values=values
        ),
    )


def _numbers(base: Any, shades: _Shades, systems: int, width: int) -> list[Any]:
    """Write per cents into cells that have room for them, light on dark."""
    import altair as alt

    if (1 - NAMES) * width / systems < ROOM:
        return []
    colour = alt.condition(shades.is_dark, alt.value("white"), alt.value("black"))
    return [base.mark_text(fontSize=10).encode(text="shown:N", color=colour)]


def _bands(borders: Sequence[int], step: int) -> list[Any]:
    """Draw a line below each band."""
    import altair as alt

    if not borders:
        return []
    rule = begin_chart([{"y": step * border} for border in borders])
    line = rule.mark_rule(color=QUIET, strokeWidth=1.2, strokeDash=[4, 2])
    return [line.encode(y=alt.Y("y:Q", scale=None, axis=None))]
