"""How much of a score is due to what: a bar for each source, under each criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import INK, PALETTE
from evenhand.report.figures.marks import begin_chart

BAR: Final = 22  # Height of a bar, in pixels


def draw_parts(rows: Sequence[Row], sources: Sequence[str], criteria: Sequence[str]) -> Any:
    """Draw shares of the variance of one score.

    rows: criterion, source, share (proportion), sd.
    """
    import altair as alt

    several, colours = len(criteria) > 1, list(PALETTE[: len(criteria)])
    encoded: dict[str, Any] = {
        "y": alt.Y(
            "source:N",
            title=None,
            sort=list(sources),
            axis=alt.Axis(labelLimit=190, labelColor=INK),
        ),
        "x": alt.X(
            "share:Q", title="share of the variance of one score", axis=alt.Axis(format=".0%")
        ),
        "color": alt.Color(
            "criterion:N",
            title=None,
            scale=alt.Scale(domain=list(criteria), range=colours),
            legend=alt.Legend(orient="top") if several else None,
        ),
        "tooltip": _tell(),
    }
    if several:
        encoded["yOffset"] = alt.YOffset("criterion:N", sort=list(criteria))
    height = len(sources) * (BAR + 8 * (len(criteria) - 1))
    chart = begin_chart([dict(row) for row in rows]).mark_bar().encode(**encoded)
    return chart.properties(height=height)


def _tell() -> list[Any]:
    """Return what is told of a bar that is pointed at."""
    import altair as alt

    return [
        alt.Tooltip("criterion:N"),
        alt.Tooltip("source:N"),
        alt.Tooltip("share:Q", format=".1%"),
        alt.Tooltip("sd:Q", title="standard deviation", format=".3g"),
    ]
