"""Bars of wins, ties and losses, a row for each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, CONTRAST, INK, QUIET
from evenhand.report.figures.marks import begin_chart

ROW: Final = 22  # Height of a system's row, in pixels
# From left to right: colour and opacity, ever paler, so that grey prints tell them apart too
OUTCOMES: Final = {"won": (ACCENT, 1.0), "tied": (QUIET, 0.7), "lost": (CONTRAST, 0.4)}


def draw_outcomes(rows: Sequence[Row]) -> Any:
    """Draw how often each system won, tied and lost, as shares that sum to one."""
    import altair as alt

    axis = alt.Axis(labelLimit=190, labelColor=INK, grid=False)
    x = alt.X(
        "from:Q",
        title="share of its comparisons",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=5),
    )
    bars = begin_chart([bar for row in rows for bar in _bars(row)]).mark_bar(height={"band": 0.76})
    return bars.encode(
        y=alt.Y("system:N", title=None, sort=[row["system"] for row in rows], axis=axis),
        x=x,
        x2=alt.X2(field="to"),
        tooltip=_tell(),
        **_paint(),
    ).properties(height=ROW * len(rows))


def _paint() -> dict[str, Any]:
    """Tell outcomes apart by colour and by how dense it is, with one legend for both."""
    import altair as alt

    colours, opacities = zip(*OUTCOMES.values(), strict=True)
    legend, names = alt.Legend(orient="top", title=None), [*OUTCOMES]
    return {
        "color": alt.Color(
            "outcome:N",
            sort=names,
            scale=alt.Scale(domain=names, range=[*colours]),
            legend=legend,
        ),
        "opacity": alt.Opacity(
            "outcome:N",
            sort=names,
            scale=alt.Scale(domain=names, range=[*opacities]),
            legend=legend,
        ),
    }


def _tell() -> list[Any]:
    import altair as alt

    return [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("outcome:N", title="outcome"),
        alt.Tooltip("count:Q", title="comparisons", format=",.6~r"),
        alt.Tooltip("n:Q", title="of", format=",.6~r"),
        alt.Tooltip("share:Q", title="share", format=".1%"),
    ]


def _bars(row: Row) -> list[dict[str, Any]]:
    """Return the pieces of a system's bar, from where to where; of what never was there is none."""
    counts = (row["wins"], row["ties"], row["losses"])
    bars, start = [], 0.0
    for outcome, count in zip(OUTCOMES, counts, strict=True):
        if count:
            share = count / row["n"]
            bars.append(
                {
                    "system": row["system"],
                    "outcome": outcome,
                    "count": count,
                    "n": row["n"],
                    "share": share,
                    "from": start,
                    "to": min(start + share, 1.0),
                }
            )
            start += share
    return bars
