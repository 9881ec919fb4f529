"""Items: how one-sided they are beside blind answers, and who wins on the most one-sided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, CONTRAST, INK
from evenhand.report.figures.marks import begin_chart, encode_colour

HEIGHT: Final = 240
ROW: Final = 26  # Height of an item's row, in pixels
SEEN: Final = "these judges"
BLIND: Final = "blind answers"
SIDES: Final = ("wins there", "loses there")


def draw_shares(rows: Sequence[Row]) -> Any:
    """Draw how many items are how one-sided, seen and where answers are blind."""
    import altair as alt

    order = list(dict.fromkeys(row["share"] for row in rows))
    base = begin_chart(rows).encode(
        x=alt.X(
            "share:N",
            title="pairs of votes that agree on which output is better",
            sort=order,
            axis=alt.Axis(labelAngle=0, labelOverlap=True),
        ),
        y=alt.Y("items:Q", title="items", axis=alt.Axis(tickCount=5)),
        color=encode_colour("who:N", (SEEN, BLIND)),
        tooltip=[
            alt.Tooltip("share:N", title="agree"),
            alt.Tooltip("who:N", title="by"),
            alt.Tooltip("items:Q", title="items", format=",.1f"),
        ],
    )
    bars = base.transform_filter(f"datum.who === '{SEEN}'").mark_bar(opacity=0.55)
    ticks = base.transform_filter(f"datum.who === '{BLIND}'").mark_tick(thickness=3, size=26)
    return alt.layer(bars, ticks).properties(height=HEIGHT)


def draw_sides(rows: Sequence[Row], systems: Sequence[str]) -> Any:
    """Draw which systems win and lose on some items."""
    import altair as alt

    items = list(dict.fromkeys(row["item"] for row in rows))
    across = alt.Axis(labelAngle=-60, labelLimit=130, labelColor=INK, orient="top")
    down = alt.Axis(labelLimit=150, labelColor=INK, grid=True)
    told = [
        alt.Tooltip("item:N", title="item"),
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("net:Q", title="wins less losses", format="+.0%"),
        alt.Tooltip("votes:Q", title="of votes"),
    ]
    points = begin_chart(rows).mark_point(filled=True, opacity=0.85)
    points = points.encode(
        x=alt.X("system:N", title=None, sort=list(systems), axis=across),
        y=alt.Y("item:N", title=None, sort=items, axis=down),
        size=alt.Size("strength:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[6, 200])),
        color=alt.Color(
            "side:N",
            title=None,
            scale=_list_sides(ACCENT, CONTRAST),
            legend=alt.Legend(orient="top", symbolOpacity=1),
        ),
        shape=alt.Shape("side:N", title=None, scale=_list_sides("circle", "square")),
        tooltip=told,
    )
    return points.properties(height=ROW * len(items))


def _list_sides(*looks: str) -> Any:
    import altair as alt

    return alt.Scale(domain=list(SIDES), range=list(looks))
