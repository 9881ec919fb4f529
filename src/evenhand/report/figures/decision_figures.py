"""The curve of decisions against the share of ratings that are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evenhand.ratings.matrix import COMMON, SPREAD
from evenhand.ratings.reliability import DECIDERS
from evenhand.report.figures.drawing import dress
from evenhand.report.figures.marks import begin_chart, encode_colour, write_title

if TYPE_CHECKING:
    from evenhand.ratings.reliability import DecisionCurve

WIDTH: Final = 290
HEIGHT: Final = 280
NAMES: Final = {
    SPREAD: "several judges per output",
    COMMON: "one judge per output, some outputs by all",
}


def draw_decisions(found: DecisionCurve) -> Any:
    """Draw reliability of decisions, the two kinds of design side by side."""
    import altair as alt

    base = begin_chart(_rows(found)).encode(
        x=alt.X("seen:Q", title="share of the ratings seen", axis=alt.Axis(format="%")),
        color=encode_colour("method:N", DECIDERS),
    )
    scale = alt.Scale(zero=False)
    y = alt.Y("reliability:Q", title="pairs ordered as by all ratings", scale=scale)
    band = base.mark_area(opacity=0.12).encode(y=alt.Y("lower:Q", scale=scale), y2="upper:Q")
    line = base.mark_line(strokeWidth=1.4, point=True).encode(
        y=y, tooltip=["method:N", "seen:Q", "reliability:Q", "lower:Q", "upper:Q"]
    )
    below = (
        f"{found.judges} judges, {found.outputs} outputs, {found.systems} systems;"
        f" {100 * found.level:g} % intervals over items"
    )
    layers = (band + line).properties(width=WIDTH, height=HEIGHT)
    drawn = layers.facet(column=alt.Column("design:N", title=None, sort=list(NAMES.values())))
    return dress(drawn.properties(title=write_title("Decisions from fewer ratings", "", below)))


def _rows(found: DecisionCurve) -> list[dict[str, Any]]:
    """Return a row for each point and method."""
    return [
        {
            "design": NAMES[point.design.kind],
            "seen": point.design.share,
            "method": name,
            "reliability": one.value,
            "lower": one.lower,
            "upper": one.upper,
        }
        for point in found.points
        for name, one in point.reliability.items()
    ]
