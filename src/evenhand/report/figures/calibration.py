"""What a model expects beside what came of it: points on the diagonal are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, CONTRAST, QUIET
from evenhand.report.figures.marks import begin_chart

HEIGHT: Final = 300
KINDS: Final = {"as expected": ACCENT, "off": CONTRAST}  # What a colour says of a part


def draw_calibration(rows: Sequence[Row]) -> Any:
    """Draw the share observed against the share expected, with intervals.

    rows: one for each part: expected, observed, lower, upper (proportions), n, kind of KINDS.
    """
    import altair as alt

    ends = _find_ends(rows)
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    axis = alt.Axis(format=".0%", tickCount=5)
    x = alt.X("expected:Q", title="expected share", scale=scale, axis=axis)
    y, lower = (
        alt.Y(f"{key}:Q", title="observed share", scale=scale, axis=axis)
        for key in ("observed", "lower")
    )
    told = [
        *(alt.Tooltip(f"{key}:Q", format=".1%") for key in ("expected", "observed")),
        *(alt.Tooltip(f"{key}:Q", format=".1%") for key in ("lower", "upper")),
        alt.Tooltip("n:Q", title="comparisons", format=",.6~r"),
    ]
    colour = alt.Color(
        "kind:N",
        sort=[*KINDS],
        scale=alt.Scale(domain=[*KINDS], range=[*KINDS.values()]),
        legend=alt.Legend(orient="top", title=None),
    )
    base = begin_chart(rows).encode(x=x, color=colour, tooltip=told)
    line = begin_chart([{"expected": end, "observed": end} for end in ends])
    layers = [
        line.mark_line(color=QUIET, strokeDash=[4, 3], strokeWidth=1.2).encode(x=x, y=y),
        base.mark_rule(strokeWidth=2).encode(y=lower, y2=alt.Y2(field="upper")),
        base.mark_point(filled=True, size=70, opacity=1).encode(y=y),
    ]
    return alt.layer(*layers).properties(height=HEIGHT)


def _find_ends(rows: Sequence[Row]) -> list[float]:
    """Return where both axes begin and end: the same, so that the diagonal is one."""
    keys = ("expected", "observed", "lower", "upper")
    values = [row[key] for row in rows for key in keys if row[key] is not None]
    return [max(min(*values, 0.5) - 0.02, 0.0), min(max(values) + 0.02, 1.0)]
