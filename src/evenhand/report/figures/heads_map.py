"""Who was preferred to whom: a square for each system against each, from counts.

Unlike `heat_map`, which draws what a model says of all pairs, a pair that never met has no square,
and a decided pair has a dot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import INK
from evenhand.report.figures.heat_map import BLUE, BROWN, EVEN, number_columns
from evenhand.report.figures.marks import begin_chart

ROOMY: Final = 20  # Most systems whose squares have room for a number
LARGE: Final = 32
SMALL: Final = 16  # Side of a square with room for a number, and without, in pixels
NAMES: Final = 190  # Most pixels for names
TURN: Final = 0.3  # How far from one half a share is drawn so dark that white is read on it


def draw_heads(systems: Sequence[str], rows: Sequence[Row], *, wide: bool) -> Any:
    """Draw the share of comparisons that the row's system won of those with the column's."""
    import altair as alt

    side = LARGE if len(systems) <= ROOMY else SMALL
    labels = [f"{place} {name}" for place, name in enumerate(systems, start=1)]
    named = [{**row, "row": labels[row["row"] - 1]} for row in rows]
    base = begin_chart(named).encode(
        x=number_columns(len(systems), side * len(systems), title="against system number"),
        y=alt.Y(
            "row:N",
            title=None,
            scale=alt.Scale(domain=labels),
            axis=alt.Axis(labelLimit=NAMES, labelColor=INK, grid=False),
        ),
        tooltip=_tell(),
    )
    shade = alt.Color(
        "share:Q",
        title="row preferred, ties half",
        scale=alt.Scale(domain=[0, 0.5, 1], range=[BROWN, EVEN, BLUE], interpolate="lab"),
        legend=alt.Legend(
            orient="top", format=".0%", gradientLength=160, gradientThickness=10, values=[0, 0.5, 1]
        ),
    )
    layers = [base.mark_rect().encode(color=shade), *_mark(base, with_numbers=side == LARGE)]
    chart = alt.layer(*layers).properties(height=side * len(systems))
    return chart.properties(width=side * len(systems)) if wide else chart


def _tell() -> list[Any]:
    import altair as alt

    return [
        alt.Tooltip("first:N", title="system"),
        alt.Tooltip("second:N", title="against"),
        *(alt.Tooltip(f"{key}:Q", title=key, format=",.6~r") for key in ("wins", "ties", "losses")),
        alt.Tooltip("share:Q", title="share, ties half", format=".0%"),
        alt.Tooltip("expected:Q", title="expected by the ranking", format=".0%"),
        alt.Tooltip("decided:N", title="decided"),
    ]


def _mark(base: Any, *, with_numbers: bool) -> list[Any]:
    """Mark decided pairs by a dot; write per cents where there is room."""
    import altair as alt

    dark = f"abs(datum.share - 0.5) > {TURN}"
    colour = alt.condition(dark, alt.value("white"), alt.value("black"))
    dots = base.transform_filter("datum.decided === true")
    if not with_numbers:
        return [dots.mark_point(filled=True, size=7, opacity=1).encode(color=colour)]
    corner = {"filled": True, "size": 9, "opacity": 1, "xOffset": 10, "yOffset": -10}
    numbers = base.transform_calculate(shown="round(100 * datum.share)")
    return [
        numbers.mark_text(fontSize=10).encode(
            text=alt.Text(field="shown", type="quantitative"), color=colour
        ),
        dots.mark_point(**corner).encode(color=colour),
    ]
