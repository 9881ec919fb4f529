"""How many pairs more judgments would decide, with the band of what may come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, QUIET
from evenhand.report.figures.marks import begin_chart

HEIGHT: Final = 240


def draw_prospect(rows: Sequence[Row], pairs: int) -> Any:
    """Draw decided pairs by the number of judgments; today's is first, and is called so below."""
    import altair as alt

    low, high = rows[0]["judgments"], rows[-1]["judgments"]
    across = alt.Scale(type="log", base=2, domain=[low, high], nice=False, padding=8)
    marked = [row["judgments"] for row in rows if float(row["times"]).is_integer()]
    named = f"datum.value === {float(low)} ? [datum.label, 'today'] : datum.label"
    axis = alt.Axis(
        values=marked, format=",.0f", grid=False, labelOverlap="greedy", labelExpr=named
    )
    x = alt.X("judgments:Q", title="judgments", scale=across, axis=axis)
    up = alt.Scale(domain=[0, pairs], nice=False)
    ticks = alt.Axis(tickMinStep=1, tickCount=5, format=",d")
    y = alt.Y("decided:Q", title="decided pairs", scale=up, axis=ticks)
    told = [
        alt.Tooltip("judgments:Q", title="judgments", format=",.0f"),
        alt.Tooltip("decided:Q", title="decided pairs", format=",.1f"),
        alt.Tooltip("lower:Q", title="at least", format=",d"),
        alt.Tooltip("upper:Q", title="at most", format=",d"),
        alt.Tooltip("candidates:Q", title="may be the best", format=",.1f"),
    ]
    base = begin_chart(rows)
    band = base.mark_area(opacity=0.15, color=ACCENT)
    band = band.encode(x=x, y=alt.Y("lower:Q", scale=up, axis=ticks), y2=alt.Y2(field="upper"))
    line = base.mark_line(strokeWidth=2, color=ACCENT).encode(x=x, y=y)
    dots = base.mark_point(filled=True, size=60, opacity=1, color=ACCENT)
    every = begin_chart([{"pairs": pairs}]).mark_rule(color=QUIET, strokeDash=[4, 3])
    every = every.encode(y=alt.Y("pairs:Q", scale=up, axis=ticks))
    layers = [band, every, line, dots.encode(x=x, y=y, tooltip=told)]
    return alt.layer(*layers).properties(height=HEIGHT)
