"""Power against judgments and against judges, for a planned campaign."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evenhand.report.figures.drawing import INK, QUIET, dress
from evenhand.report.figures.marks import begin_chart, encode_colour, write_title

if TYPE_CHECKING:
    from evenhand.design.plan import CampaignPlan, Point

WIDTH: Final = 300
HEIGHT: Final = 260
NEAR: Final = 1.5  # Numbers of an axis nearer than this many times would be written into each other
HARDEST: Final = "hardest pair"
MEAN: Final = "mean of the pairs to decide"


def draw_plan(plan: CampaignPlan) -> dict[str, Any]:
    """Draw the curves of a plan, by name of the file."""
    return {
        "power-by-judgments": _draw(plan, plan.by_judgments, "judgments"),
        "power-by-judges": _draw(plan, plan.by_judges, "judges"),
    }


def _draw(plan: CampaignPlan, points: tuple[Point, ...], by: str) -> Any:
    """Draw power in closed form, and the design itself as it was simulated."""
    import altair as alt

    numbers = [getattr(point, by) for point in points]
    axis = _mark_numbers(min(numbers), max(numbers), getattr(plan.design, by))
    x = alt.X(f"{by}:Q", title=by, scale=alt.Scale(type="log", nice=False), axis=axis)
    y = alt.Y("power:Q", title="power", scale=alt.Scale(domain=[0, 1]))
    kinds = (HARDEST, MEAN) if len(plan.asked) > 1 else (plan.weakest.pair,)
    rows = [
        {by: getattr(point, by), "power": power, "pairs": name}
        for point in points
        for name, power in zip(kinds, (point.weakest, point.mean), strict=False)
    ]
    line = begin_chart(rows).mark_line(strokeWidth=1.6, point=True)
    layers = [line.encode(x=x, y=y, color=encode_colour("pairs:N", kinds))]
    wish = begin_chart([{"power": plan.spec.power}]).mark_rule(color=QUIET, strokeDash=[3, 3])
    planned = begin_chart([{by: getattr(plan.design, by)}]).mark_rule(color=QUIET, opacity=0.5)
    layers = [wish.encode(y=y), planned.encode(x=x), *layers, *_draw_simulated(plan, by, x, y)]
    title = write_title(f"Power by {by}", "", "") | {"subtitle": _say_below(plan, by)}
    return dress(alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT))


def _draw_simulated(plan: CampaignPlan, by: str, x: Any, y: Any) -> list[Any]:
    """Draw the hardest pair of the design as simulated, with the interval of its power."""
    low = plan.weakest
    if low.power is None:
        return []
    row = {by: getattr(plan.design, by), "power": low.power, "lower": low.lower}
    base = begin_chart([{**row, "upper": low.upper}])
    bars = base.mark_rule(color=INK, strokeWidth=1.6).encode(x=x, y="lower:Q", y2="upper:Q")
    point = base.mark_point(color=INK, filled=True, shape="diamond", size=80, opacity=1)
    return [bars, point.encode(x=x, y=y)]


def _say_below(plan: CampaignPlan, by: str) -> list[str]:
    """Say what is held, what the upright line is, and what was simulated."""
    design = plan.design
    fixed = "each judge with the planned load" if by == "judges" else f"{design.judges:,} judges"
    lines = [f"{fixed}, {design.items:,} items; line: as planned"]
    if plan.simulated is None:
        return [*lines, "in closed form"]
    simulated = f"{plan.simulated.campaigns:,} simulated campaigns"
    return [*lines, f"curves in closed form; diamond: {simulated}"]


def _mark_numbers(least: int, most: int, planned: int) -> Any:
    """Return an axis that marks the planned number, and round ones that are not too near it."""
    import altair as alt

    tens = (10**power for power in range(len(str(most)) + 1))
    rounds = [step * ten for ten in tens for step in (1, 2, 5)]
    marked = [one for one in rounds if least <= one <= most and not _is_near(one, planned)]
    return alt.Axis(values=sorted([*marked, planned]), format=",d", grid=False)


def _is_near(one: int, other: int) -> bool:
    return max(one, other) < NEAR * min(one, other)
