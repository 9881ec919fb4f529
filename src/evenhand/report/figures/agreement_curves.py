"""How often two judges are at most n points apart, by n and criterion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import PALETTE
from evenhand.report.figures.marks import begin_chart

HEIGHT: Final = 260


def draw_curves(rows: Sequence[Row], criteria: Sequence[str]) -> Any:
    """Draw the n-agreement of each criterion.

    rows: criterion, apart (points), share (proportion).
    """
    import altair as alt

    colour = alt.Color(
        "criterion:N",
        title=None,
        scale=alt.Scale(
            domain=list(criteria),
            range=[PALETTE[place % len(PALETTE)] for place in range(len(criteria))],
        ),
        legend=alt.Legend(orient="top") if len(criteria) > 1 else None,
    )
    base = begin_chart([dict(row) for row in rows]).encode(
        x=alt.X("apart:Q", title="at most so many points apart"),
        y=alt.Y(
            "share:Q",
            title="pairs of judges of an output",
            axis=alt.Axis(format=".0%"),
            scale=alt.Scale(domain=[0, 1]),
        ),
        color=colour,
        tooltip=[
            alt.Tooltip("criterion:N"),
            alt.Tooltip("apart:Q", title="at most apart"),
            alt.Tooltip("share:Q", format=".1%"),
        ],
    )
    layers = (base.mark_line(strokeWidth=1.5), base.mark_point(filled=True, size=50, opacity=1))
    return alt.layer(*layers).properties(height=HEIGHT)
