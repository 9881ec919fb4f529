"""The forest plot of a ranking: systems best first, with intervals, rank sets and bands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, INK, QUIET
from evenhand.report.figures.marks import begin_chart
from evenhand.report.figures.place_room import end_grid, find_room

HEIGHTS: Final = ((25, 24), (60, 19))  # Up to so many systems a row is so many pixels high
LEAST: Final = 16  # Height of a row of more systems: its name must be readable
# Behind every other cluster
BAND: Final = "#eef3f6"
KEYS: Final = ("lower", "estimate", "upper")  # What is drawn of a row
MARGIN: Final = 0.04  # Room at the left, as a share of what the intervals take
# Counts that are told of a system, where its row has them
TOLD: Final = {
    "better_than": "better than",
    "wins": "wins",
    "ties": "ties",
    "losses": "losses",
    "opponents": "opponents",
}


def draw_forest(rows: Sequence[Row], scale: str = "log-worth") -> Any:
    """Draw systems with intervals, rank sets at the right, clusters as bands."""
    import altair as alt

    fixed: Any = alt  # the channels of fixed values have no annotations
    high = find_height(len(rows))
    axis = alt.Axis(labelLimit=190, labelColor=INK, grid=False)
    names = alt.Scale(type="band", paddingInner=0, paddingOuter=0)
    order = [row["system"] for row in rows]
    y = alt.Y("system:N", title=None, sort=order, axis=axis, scale=names)
    least, most = find_ends(rows)
    wide = (most - least) or 1.0
    domain = [least - MARGIN * wide, most + find_room(rows) * wide]
    spans, grid = alt.Scale(domain=domain, nice=False, zero=False), end_grid(most)
    base = begin_chart([dict(row) for row in rows]).encode(y=y, tooltip=_tell(rows[0], scale))
    x, lower = (
        alt.X(f"{key}:Q", title=scale, scale=spans, axis=grid) for key in ("estimate", "lower")
    )
    layers = [
        *draw_bands(rows, high),
        base.mark_rule(strokeWidth=2, color=ACCENT).encode(x=lower, x2=alt.X2(field="upper")),
        base.mark_point(filled=True, size=70, opacity=1, color=ACCENT).encode(x=x),
        base.mark_text(align="right", color=QUIET, fontSize=11).encode(
            x=fixed.XValue("width"), text=alt.Text(field="places", type="nominal")
        ),
        base.mark_rect(opacity=0).encode(
            x=fixed.XValue(0), x2=fixed.X2Value("width")
        ),  # to point at
    ]
    return alt.layer(*layers).properties(height=high * len(rows))


def find_height(systems: int) -> int:
    """Return how many pixels a row is high.

    >>> find_height(15), find_height(59), find_height(100)
    (24, 19, 16)
    """
    return next((high for most, high in HEIGHTS if systems <= most), LEAST)


def _tell(row: Row, scale: str) -> list[Any]:
    """Return what is told of a system that is pointed at."""
    import altair as alt

    return [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("places:N", title="rank set"),
        alt.Tooltip("estimate:Q", title=scale, format=".2f"),
        *(alt.Tooltip(f"{key}:Q", title=title) for key, title in TOLD.items() if key in row),
    ]


def find_ends(rows: Sequence[Row], keys: Sequence[str] = KEYS) -> tuple[float, float]:
    """Return the least and the largest value that is drawn."""
    values = [row[key] for row in rows for key in keys if row[key] is not None]
    return min(values), max(values)


def draw_bands(rows: Sequence[Row], high: int) -> list[Any]:
    """Draw a band behind every other cluster."""
    import altair as alt

    bands = [
        {"from": high * first, "to": high * last, "cluster": number}
        for number, first, last in _find_bands(rows)
        if number % 2 == 0
    ]
    if not bands:
        return []
    return [
        begin_chart(bands)
        .mark_rect(color=BAND, opacity=1)
        .encode(y=alt.Y("from:Q", scale=None, axis=None), y2=alt.Y2(field="to"))
    ]


def _find_bands(rows: Sequence[Row]) -> list[tuple[int, int, int]]:
    """Return the number of each cluster, and where it begins and ends."""
    numbers = [row["cluster"] for row in rows]
    found = sorted({number for number in numbers if number is not None})
    return [
        (number, numbers.index(number), len(numbers) - numbers[::-1].index(number))
        for number in found
    ]
