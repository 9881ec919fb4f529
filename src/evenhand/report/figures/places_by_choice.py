"""The places of systems under each choice: how far each moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, INK, QUIET
from evenhand.report.figures.marks import begin_chart

ROW: Final = 26  # Height of a system's row, in pixels


def draw_places(rows: Sequence[Row]) -> Any:
    """Draw a row for each system: its place here filled, its places by other choices beside it."""
    import altair as alt

    systems = list(dict.fromkeys(row["system"] for row in rows))
    last = max(row["place"] for row in rows)
    axis = alt.Axis(labelLimit=190, labelColor=INK, grid=False)
    y = alt.Y("system:N", title=None, sort=systems, axis=axis)
    scale = alt.Scale(domain=[0.5, last + 0.5], nice=False)
    ticks = alt.Axis(tickMinStep=1, format="d", grid=True)
    x = alt.X("place:Q", title="place, 1 is best", scale=scale, axis=ticks)
    told = [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("place:Q", title="place"),
        alt.Tooltip("choices:N", title="under"),
    ]
    spans = [_span(rows, system) for system in systems]
    line = begin_chart(spans).mark_rule(strokeWidth=1.5, color=QUIET, opacity=0.6)
    line = line.encode(y=y, x=alt.X("first:Q", scale=scale, axis=ticks), x2=alt.X2(field="last"))
    others = begin_chart([row for row in rows if not row["usual"]])
    dots = others.mark_point(filled=False, size=60, strokeWidth=1.6, color=QUIET, opacity=1)
    own = begin_chart([row for row in rows if row["usual"]])
    point = own.mark_point(filled=True, size=90, opacity=1, color=ACCENT)
    layers = [line, dots.encode(x=x, y=y, tooltip=told), point.encode(x=x, y=y, tooltip=told)]
    return alt.layer(*layers).properties(height=ROW * len(systems))


def _span(rows: Sequence[Row], system: str) -> dict[str, Any]:
    """Return where the line of a system begins and ends."""
    places = [row["place"] for row in rows if row["system"] == system]
    return {"system": system, "first": min(places), "last": max(places)}
