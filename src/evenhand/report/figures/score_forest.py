"""Mean scores of systems with simultaneous intervals and rank sets; human references apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, CONTRAST, INK, QUIET
from evenhand.report.figures.forest import MARGIN, draw_bands, find_ends
from evenhand.report.figures.marks import begin_chart
from evenhand.report.figures.place_room import end_grid, find_room

ROW: Final = 24  # Height of a system's row, in pixels
KEYS: Final = ("lower", "mean", "upper")  # What is drawn of a row
KINDS: Final = ("system", "human reference")


def draw_scores(rows: Sequence[Row], *, lower_is_better: bool = False) -> Any:
    """Draw systems by mean score."""
    import altair as alt

    axis = alt.Axis(labelLimit=190, labelColor=INK, grid=False)
    names = alt.Scale(type="band", paddingInner=0, paddingOuter=0)
    order = [row["system"] for row in rows]
    y = alt.Y("system:N", title=None, sort=order, axis=axis, scale=names)
    span, grid = _find_span(rows, lower_is_better=lower_is_better)
    scale = alt.Scale(domain=span, nice=False, zero=False)
    title = "mean score (lower is better)" if lower_is_better else "mean score"
    colour, shape = _tell_apart({row["kind"] for row in rows})
    base = begin_chart([dict(row) for row in rows]).encode(y=y, tooltip=_tell())
    lower = alt.X("lower:Q", title=title, scale=scale, axis=grid)
    ranked = all(row["cluster"] is not None for row in rows)
    layers = [
        *(draw_bands(rows, ROW) if ranked else []),
        base.mark_rule(strokeWidth=2).encode(x=lower, x2=alt.X2("upper:Q"), color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("mean:Q", title=title, scale=scale, axis=grid),
            color=colour,
            shape=shape,
        ),
        base.mark_text(align="right", color=QUIET, fontSize=11).encode(
            x=alt.value("width"), text=alt.Text("places:N")
        ),
    ]
    return alt.layer(*layers).properties(height=ROW * len(rows))


def _tell() -> list[Any]:
    """Return what is told of a system that is pointed at."""
    import altair as alt

    return [
        alt.Tooltip("system:N"),
        alt.Tooltip("kind:N"),
        alt.Tooltip("places:N", title="rank set"),
        alt.Tooltip("mean:Q", title="mean score", format=".2f"),
        alt.Tooltip("scores:Q", format=","),
    ]


def _tell_apart(some: set[str]) -> tuple[Any, Any]:
    """Return colour and shape of systems and references, with a legend where there are both."""
    import altair as alt

    legend = alt.Legend(orient="top", title=None) if len(some) > 1 else None
    ranges = {alt.Color: [ACCENT, CONTRAST], alt.Shape: ["circle", "diamond"]}
    colour, shape = (
        channel("kind:N", scale=alt.Scale(domain=list(KINDS), range=own), legend=legend)
        for channel, own in ranges.items()
    )
    return colour, shape


def _find_span(rows: Sequence[Row], *, lower_is_better: bool) -> tuple[list[float], Any]:
    """Return where the axis begins and ends, with room for rank sets at its right, and the axis."""
    low, high = find_ends(rows, KEYS)
    wide = (high - low) or 1.0
    room = find_room(rows) * wide
    if lower_is_better:
        return [high + MARGIN * wide, low - room], end_grid(low, turned=True)
    return [low - MARGIN * wide, high + room], end_grid(high)
