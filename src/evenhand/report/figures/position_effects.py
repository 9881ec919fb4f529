"""How often each judge prefers the output shown first, between equals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, CONTRAST, INK, QUIET
from evenhand.report.figures.marks import begin_chart

ROW: Final = 20  # Height of a judge's row, in pixels
KINDS: Final = {"like the others": ACCENT, "stands out": CONTRAST}  # What a colour says of a judge


def draw_positions(rows: Sequence[Row], common: float) -> Any:
    """Draw each judge's share for the first output with its interval.

    rows: in the order in which they are drawn: judge, share, lower, upper (proportions), first,
        second, n (counts), kind of KINDS.
    """
    import altair as alt

    axis = alt.Axis(labelLimit=190, labelColor=INK, grid=False)
    y = alt.Y("judge:N", title=None, sort=[row["judge"] for row in rows], axis=axis)
    spans = alt.Scale(domain=[0, 1])
    below = alt.Axis(format=".0%", tickCount=5)
    title = "first output preferred, between equals (shrunken)"
    x, lower = (
        alt.X(f"{key}:Q", title=title, scale=spans, axis=below) for key in ("share", "lower")
    )
    colour = alt.Color(
        "kind:N",
        sort=[*KINDS],
        scale=alt.Scale(domain=[*KINDS], range=[*KINDS.values()]),
        legend=alt.Legend(orient="top", title=None),
    )
    base = begin_chart(rows).encode(y=y, color=colour, tooltip=_tell())
    layers = [
        _rule(0.5, QUIET, [4, 3], "no bias"),
        _rule(common, INK, [1, 0], "all judges together"),
        base.mark_rule(strokeWidth=2).encode(x=lower, x2=alt.X2(field="upper")),
        base.mark_point(filled=True, size=55, opacity=1).encode(x=x),
    ]
    return alt.layer(*layers).properties(height=ROW * len(rows))


def _tell() -> list[Any]:
    import altair as alt

    return [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("share:Q", title="first preferred, between equals (shrunken)", format=".0%"),
        alt.Tooltip("lower:Q", title="from", format=".0%"),
        alt.Tooltip("upper:Q", title="to", format=".0%"),
        alt.Tooltip("first:Q", title="preferred the first", format=",.6~r"),
        alt.Tooltip("second:Q", title="preferred the second", format=",.6~r"),
        alt.Tooltip("n:Q", title="comparisons", format=",.6~r"),
        alt.Tooltip("kind:N", title="this judge"),
    ]


def _rule(at: float, colour: str, dash: list[int], says: str) -> Any:
    import altair as alt

    line = begin_chart([{"at": at, "line": says}]).mark_rule(color=colour, strokeDash=dash)
    x = alt.X("at:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5))
    return line.encode(x=x, tooltip=[alt.Tooltip("line:N"), alt.Tooltip("at:Q", format=".1%")])
