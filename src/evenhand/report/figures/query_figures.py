"""Error against labels used, a line for each query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evenhand.report.figures.drawing import INK, dress
from evenhand.report.figures.marks import begin_chart, encode_colour, fit_width

if TYPE_CHECKING:
    from evenhand.design.query_replay import QueryCurves

WIDTH: Final = 620
HEIGHT: Final = 320
TITLES: Final = {"mae": "mean absolute error, points", "rmse": "root mean squared error, points"}


def draw_queries(found: QueryCurves, measure: str = "mae", *, width: int = WIDTH) -> Any:
    """Draw the error on test outputs by the number of labels; the full pool is the dashed line."""
    import altair as alt

    rows = [row for row in found.records() if row["labels"] < found.pool]
    whole = next(row for row in found.records() if row["labels"] == found.pool)
    scale = alt.Scale(zero=False)
    base = begin_chart(rows).encode(
        x=alt.X("labels:Q", title="outputs with a label", scale=alt.Scale(type="log", nice=False)),
        color=encode_colour("query:N", found.queries),
    )
    y = alt.Y(f"{measure}:Q", title=TITLES[measure], scale=scale)
    band = base.mark_area(opacity=0.1).encode(
        y=alt.Y(f"{measure}_lower:Q", scale=scale), y2=f"{measure}_upper:Q"
    )
    line = base.mark_line(strokeWidth=1.4, point=True).encode(
        y=y, tooltip=["query:N", "labels:Q", f"{measure}:Q"]
    )
    rule = begin_chart([whole]).mark_rule(strokeDash=[4, 3], color=INK).encode(y=y)
    below = (
        f"{found.repeats} repeats, {found.errors.shape[-1]:,} test outputs; bands are 95 %"
        f" intervals over repeats; dashed: all {found.pool:,} labels"
    )
    title = "Error by labels used"
    drawn = (band + rule + line).properties(height=HEIGHT, **fit_width(title, below, width))
    return dress(drawn)
