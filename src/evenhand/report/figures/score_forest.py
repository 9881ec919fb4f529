"""Mean scores of systems with simultaneous intervals and rank sets; human references apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, CONTRAST, INK, QUIET
from evenhand.report.figures.marks import begin_chart

ROW: Final = 24
"""Height of a system's row, in pixels."""
PLACES: Final = 0.2
"""Room for rank sets, as a share of what the intervals take."""
KINDS: Final = ("system", "human reference")


def draw_scores(rows: Sequence[Row], *, lower_is_better: bool = False) -> Any:
    """Draw systems by mean score.

    Args:
        rows: best first: system, kind, mean, lower, upper, places, scores; ends are None where
            there is no interval.
        lower_is_better: whether the axis is turned, so that better is at the right.

    Returns:
        An Altair chart.

    """
    import altair as alt

    axis = alt.Axis(labelLimit=190, labelColor=INK, grid=False)
    y = alt.Y("system:N", title=None, sort=[row["system"] for row in rows], axis=axis)
    span = _find_span(rows, lower_is_better=lower_is_better)
    scale = alt.Scale(domain=span, nice=False, zero=False)
    title = "mean score (lower is better)" if lower_is_better else "mean score"
    colour, shape = _tell_apart({row["kind"] for row in rows})
    base = begin_chart([dict(row) for row in rows]).encode(y=y, tooltip=_tell())
    lower = alt.X("lower:Q", title=title, scale=scale)
    layers = [
        base.mark_rule(strokeWidth=2).encode(x=lower, x2=alt.X2("upper:Q"), color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("mean:Q", title=title, scale=scale),
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


def _find_span(rows: Sequence[Row], *, lower_is_better: bool) -> list[float]:
    """Return where the axis begins and ends, with room for rank sets at its right."""
    keys = ("lower", "mean", "upper")
    values = [row[key] for row in rows for key in keys if row[key] is not None]
    low, high = min(values), max(values)
    wide = (high - low) or 1.0
    if lower_is_better:
        return [high + 0.04 * wide, low - PLACES * wide]
    return [low - 0.04 * wide, high + PLACES * wide]
