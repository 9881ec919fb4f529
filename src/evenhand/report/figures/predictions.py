"""Models and plans drawn: perplexities, abilities, curves, calibration, power, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import numpy as np
from numpy.typing import NDArray

from evenhand.design.plan import CampaignPlan, Point
from evenhand.design.query_replay import QueryCurves
from evenhand.models.registry import FittedModel, Posterior
from evenhand.numerics.distributions import normal_quantile
from evenhand.ranking.cross_validation import HeldOutScore, ModelComparison
from evenhand.ranking.learning_curves import LearningCurves
from evenhand.ratings.matrix import COMMON, SPREAD
from evenhand.ratings.reliability import DECIDERS, DecisionCurve
from evenhand.render.document import Row
from evenhand.report.figures.drawing import (
    ACCENT,
    CONTRAST,
    INK,
    LETTER,
    LINE,
    PALETTE,
    QUIET,
    WIDTH,
    spread,
)
from evenhand.report.figures.systems import draw_heat_map, draw_tie_map, tabulate_chances
from evenhand.report.figures.view import (
    begin_chart,
    dress,
    encode_colour,
    encode_kind,
    fit_width,
    list_tooltips,
    write_title,
)

# Names with a point and an interval: perplexities of models, differences, abilities of systems.
# The ability plot is the left half of figure 6 of Hopkins & May (2013).

BAR_ROW: Final = 20  # Height of a name's row, in pixels
NAMES: Final = 0.42  # Most of the width that names may take


@dataclass(frozen=True)
class Bar:
    name: str  # what is estimated
    value: float  # the estimate
    lower: float | None = None  # lower end of the interval, or None
    upper: float | None = None  # upper end, or None
    inner: tuple[float, float] | None = None  # ends of a shorter interval, drawn thicker, or None
    strong: bool = True  # whether it is to be seen first


def draw_intervals(
    bars: Sequence[Bar],
    *,
    axis: str = "perplexity",
    title: str = "Perplexity on held-out judgments",
    below: str = "lower is better",
    reference: float | None = None,
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Any:
    """Draw an estimate for each name in the order given; a band ends after each of `borders`."""
    rows = [
        {
            "name": bar.name,
            "place": place,
            "value": bar.value,
            "lower": bar.value if bar.lower is None else bar.lower,
            "upper": bar.value if bar.upper is None else bar.upper,
            "inner_lower": bar.inner[0] if bar.inner else None,
            "inner_upper": bar.inner[1] if bar.inner else None,
            "looks": "strong" if bar.strong else "weak",
        }
        for place, bar in enumerate(bars, start=1)
    ]
    names = alt.Axis(labelLimit=round(NAMES * width), labelColor=INK, grid=False)
    looks = alt.Scale(domain=["strong", "weak"], range=[ACCENT, QUIET])
    base = begin_chart(rows).encode(
        y=alt.Y("name:N", title=None, sort=[bar.name for bar in bars], axis=names),
        color=alt.Color("looks:N", legend=None, scale=looks),
    )
    scale = alt.Scale(zero=False, nice=False, padding=8)
    value, lower = (
        alt.X(f"{key}:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=5))
        for key in ("value", "lower")
    )
    tooltip = ["name:N", alt.Tooltip("value:Q", title=axis), "lower:Q", "upper:Q"]
    layers = [
        base.mark_point(filled=True, size=44, opacity=1).encode(x=value, tooltip=tooltip),
        base.mark_rule(strokeWidth=1.4).encode(x=lower, x2="upper:Q"),
    ]
    if any(bar.inner for bar in bars):
        inner = base.mark_rule(strokeWidth=4)
        layers.append(inner.encode(x=alt.X("inner_lower:Q"), x2="inner_upper:Q"))
    if reference is not None:
        rule = begin_chart([{"at": reference}]).mark_rule(color=INK, strokeDash=[2, 3])
        layers.append(rule.encode(x=alt.X("at:Q")))
    if borders:
        ends = [{"y": BAR_ROW * border} for border in borders if 0 < border < len(bars)]
        rule = begin_chart(ends).mark_rule(color=QUIET, strokeWidth=0.8)
        layers.append(rule.encode(y=alt.Y("y:Q", scale=None, axis=None)))
    sized = {"height": BAR_ROW * len(bars), **fit_width(title, below, width)}
    return dress(alt.layer(*layers).properties(**sized))


def draw_abilities(
    bars: Sequence[Bar],
    *,
    axis: str = "ability",
    title: str = "Abilities of the systems",
    below: str = "posterior means with 95 % intervals",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Any:
    """Draw the ability of each system, best first; a band ends after each of `borders`."""
    ordered = sorted(bars, key=lambda bar: (-bar.value, bar.name))
    return draw_intervals(
        ordered, axis=axis, title=title, below=below, borders=borders, width=width
    )


# Perplexity by training size: figures 2 to 5 of Hopkins & May (2013).
#
# Names stand at the ends of the lines, where they do not meet; there is no legend to look up.

# Height of the plot, in pixels; more where there are more names than fit beside it
CURVES_HEIGHT: Final = 340
UNIFORM: Final = 3.0  # Perplexity of a model that knows nothing: three outcomes, equally likely
UNIFORM_NAME: Final = "uniform"
# Strokes of lines, where there are more lines than colours
DASHES: Final = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2))
UNIFORM_DASH: Final = (2, 3)  # Stroke of the line of that model
# How far above uniform the plot reaches, as a part of how far the best is below it
HEADROOM: Final = 0.5
# Most lines whose intervals are drawn: those of several say little of the differences
MAX_LINES_WITH_INTERVALS: Final = 1


@dataclass(frozen=True)
class Curve:
    name: str  # what stands at its end
    sizes: Sequence[int]  # training sizes (comparisons), ascending
    perplexity: Sequence[float | None]  # at each size; None where the model refused
    lower: Sequence[float | None] = ()  # lower ends of intervals, or none
    upper: Sequence[float | None] = ()  # upper ends
    # name of another line whose colour it takes, dashed; such as the same model trained on other
    # judges
    like: str = ""


def draw_learning_curves(
    curves: Sequence[Curve],
    *,
    title: str = "Perplexity by training size",
    below: str = "lower is better",
    width: int = WIDTH,
) -> Any:
    bounded = len(curves) <= MAX_LINES_WITH_INTERVALS and any(curve.lower for curve in curves)
    rows: list[dict[str, Any]] = [
        {
            "name": curve.name,
            "size": size,
            "perplexity": value,
            "lower": curve.lower[i] if curve.lower else None,
            "upper": curve.upper[i] if curve.upper else None,
        }
        for curve in curves
        for i, (size, value) in enumerate(zip(curve.sizes, curve.perplexity, strict=True))
        if value is not None
    ]
    low, high = _find_span(curves, bounded=bounded)
    height = max(CURVES_HEIGHT, round(len(curves) * (LINE + 1)))
    sizes = sorted({row["size"] for row in rows})
    names = {row["name"] for row in rows}
    looks = _choose_looks({curve.name: curve for curve in curves if curve.name in names})
    colours = alt.Scale(domain=[*looks], range=[colour for colour, _ in looks.values()])
    strokes = alt.Scale(domain=[*looks], range=[list(dash) for _, dash in looks.values()])
    colour = alt.Color("name:N", scale=colours, legend=None)
    levels = alt.Axis(title="perplexity", tickCount=7)
    ticks = alt.Axis(
        title="training comparisons",
        values=sizes,
        format=",d",
        grid=False,
        labelOverlap="greedy",
        labelFlush=False,
    )
    doubling = alt.Scale(type="log", base=2, nice=False, padding=5)
    x = alt.X("size:Q", scale=doubling, axis=ticks)
    y = alt.Y("perplexity:Q", scale=alt.Scale(domain=[low, high]), axis=levels)
    layers = []
    if UNIFORM_NAME not in looks:
        guesses = [{"size": size, "perplexity": UNIFORM} for size in sizes or (1,)]
        line = begin_chart(guesses).mark_line(
            color=QUIET, strokeWidth=1, strokeDash=list(UNIFORM_DASH)
        )
        text = begin_chart(guesses[:1]).mark_text(align="left", dy=-7, fontSize=10, color=QUIET)
        layers += [line.encode(x=x, y=y), text.encode(text=alt.TextValue(UNIFORM_NAME), x=x, y=y)]
    line = begin_chart(rows).mark_line(strokeWidth=1.8, clip=True)
    dash = alt.StrokeDash("name:N", scale=strokes, legend=None)
    layers.append(line.encode(color=colour, strokeDash=dash, x=x, y=y))
    inside = begin_chart([row for row in rows if row["perplexity"] <= high])
    tooltip = ["name:N", "size:Q", "perplexity:Q", "lower:Q", "upper:Q"]
    points = inside.mark_point(filled=True, size=30, opacity=1)
    layers.append(points.encode(color=colour, tooltip=tooltip, x=x, y=y))
    if bounded:
        known = [row for row in rows if row["lower"] is not None and row["upper"] is not None]
        rule = begin_chart(known).mark_rule(opacity=0.4, clip=True)
        lower = alt.Y("lower:Q", axis=levels)
        layers.append(rule.encode(color=colour, x=x, y=lower, y2="upper:Q"))
    ends = _place_ends(rows, (low, high, height))
    text = begin_chart(ends).mark_text(align="left", dx=8, fontSize=11, limit=LETTER * 26)
    layers.append(text.encode(text="name:N", color=colour, x=x, y=y))
    above = {row["name"] for row in rows if row["perplexity"] > high}
    subtitle = f"{below}; {len(above)} with points above the plot" if above else below
    sized = {"height": height, **fit_width(title, subtitle, width)}
    return dress(alt.layer(*layers).properties(**sized))


def _find_span(curves: Sequence[Curve], *, bounded: bool) -> tuple[float, float]:
    """Return where the axis begins and ends: a model worse than guessing does not squeeze all."""
    values = [value for curve in curves for value in curve.perplexity if value is not None]
    if not values:
        return UNIFORM - 1, UNIFORM + 0.1
    ends = [end for curve in curves for end in curve.lower if bounded and end is not None]
    low = min(*values, UNIFORM, *ends)
    top = UNIFORM + max(HEADROOM * (UNIFORM - low), 0.02)
    beyond = 0.04 * (UNIFORM - low) or 0.02
    return low - beyond, max(min(max(values), top), UNIFORM) + beyond


def _choose_looks(curves: Mapping[str, Curve]) -> dict[str, tuple[str, tuple[int, ...]]]:
    alone = [name for name in curves if curves[name].like not in curves and name != UNIFORM_NAME]
    looks: dict[str, tuple[str, tuple[int, ...]]] = {
        name: (PALETTE[i % len(PALETTE)], DASHES[i // len(PALETTE) % len(DASHES)])
        for i, name in enumerate(alone)
    }
    if UNIFORM_NAME in curves:
        looks[UNIFORM_NAME] = (QUIET, UNIFORM_DASH)
    for name, curve in curves.items():
        if name not in looks:
            looks[name] = (looks.get(curve.like, (QUIET, ()))[0], DASHES[2])
    return looks


def _place_ends(
    rows: Sequence[dict[str, Any]], plot: tuple[float, float, float]
) -> list[dict[str, Any]]:
    low, high, height = plot
    last = {row["name"]: row for row in rows}
    right = max((row["size"] for row in rows), default=1)
    unit = height / (high - low)
    places = [unit * (high - max(min(row["perplexity"], high), low)) for row in last.values()]
    moved = spread(places, LINE, (0.0, float(height)))
    return [
        {"name": name, "size": right, "perplexity": high - place / unit}
        for name, place in zip(last, moved, strict=True)
    ]


# The figures of models compared on held-out judgments, and of the fit of one of them.
#
# perplexity    each model's perplexity, with its interval
# differences   how much worse than the best it is (bits), by paired differences; of several models
# curves        perplexity by training size (figures 2 to 5 of Hopkins & May 2013)
# abilities     the systems by one model, with intervals (figure 6, left)
# heat-map      who is preferred to whom by that model (figure 6, right)
# ties          how often neither is


def draw_comparison(comparison: ModelComparison, *, width: int = WIDTH) -> dict[str, Any]:
    scores = comparison.scores
    if not scores:
        return {}
    # What grey rows are, if there are any, and whom they are surely worse than
    others = {str(score.beaten_by) for score in scores if not score.among_best}
    grey = ""
    if others:
        whom = others.pop() if len(others) == 1 else "some other model"
        grey = f"; grey: not among the best, being surely worse than {whom}"
    level = f"{100 * comparison.level:g} % intervals"
    drawn = {
        "perplexity": draw_intervals(
            [_make_bar(score, (score.perplexity, score.lower, score.upper)) for score in scores],
            below=f"{level}; lower is better; dashed: guessing{grey}",
            reference=UNIFORM,
            width=width,
        )
    }
    if len(scores) > 1:
        drawn["differences"] = draw_intervals(
            [
                _make_bar(score, (score.difference, score.difference_lower, score.difference_upper))
                for score in scores
            ],
            axis="bits above the best",
            title=f"How much worse than {comparison.best}",
            below=f"{level} of paired differences{grey}",
            reference=0.0,
            width=width,
        )
    return drawn


def _make_bar(score: HeldOutScore, ends: tuple[float, float, float]) -> Bar:
    return Bar(score.model, *ends, strong=score.among_best)


def draw_curves(curves: LearningCurves, *, width: int = WIDTH) -> Any:
    tasks = len(curves.test_sets)
    below = f"lower is better; mean over {tasks} tasks" if tasks > 1 else "lower is better"
    return draw_learning_curves(make_curves(curves), below=below, width=width)


def make_curves(curves: LearningCurves, names: Mapping[str, str] | None = None) -> list[Curve]:
    """Return the lines of learning curves, best first."""
    shown = dict(zip(curves.models, curves.models, strict=True)) if names is None else names
    lines = []
    for model in curves.order:
        if model in shown:
            points = curves.curve(model)
            sizes, values = [point.size for point in points], [point.perplexity for point in points]
            lower, upper = [point.lower for point in points], [point.upper for point in points]
            lines.append(Curve(shown[model], sizes, values, lower, upper))
    return lines


def draw_fit(
    fit: FittedModel,
    *,
    name: str,
    labels: Mapping[str, str] | None = None,
    level: float = 0.95,
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> dict[str, Any]:
    systems = fit.systems
    order = sorted(systems, key=lambda system: (-fit.log_worth[systems.index(system)], system))
    shown = [system if labels is None else labels[system] for system in order]
    chances = tabulate_chances(fit, order)
    estimates, below = _estimate_abilities(fit, level)
    bars = [
        Bar(label, *estimates[systems.index(system)])
        for label, system in zip(shown, order, strict=True)
    ]
    return {
        "abilities": draw_abilities(
            bars,
            axis=fit.order_scale if isinstance(fit, Posterior) else "log-worth",
            title=f"Systems by {name}",
            below=below,
            borders=borders,
            width=width,
        ),
        "heat-map": draw_heat_map(
            shown,
            chances,
            title=f"Who is preferred to whom, by {name}",
            borders=borders,
            width=width,
        ),
        "ties": draw_tie_map(
            shown, chances, title=f"How often neither is preferred, by {name}", width=width
        ),
    }


Estimate = tuple[float, float | None, float | None]  # With the ends of its interval


def _estimate_abilities(fit: FittedModel, level: float) -> tuple[list[Estimate], str]:
    """Return each system's value and interval about the average system, and what they are.

    Draws are centred one by one: where the scale begins is not known from comparisons.
    """

    def join(*columns: NDArray[np.float64]) -> list[Estimate]:
        return list(zip(*(column.tolist() for column in columns), strict=True))

    worth = fit.log_worth - fit.log_worth.mean()
    if isinstance(fit, Posterior):
        draws = fit.order_draws - fit.order_draws.mean(axis=1, keepdims=True)
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
        return join(draws.mean(axis=0), low, high), (
            f"posterior means with {100 * level:g} % intervals, 0 the average system; answers taken"
            " for independent given the outputs, as if judges were alike"
        )
    if fit.worth_vcov is None:
        below = "log-odds against the average system; the model has no intervals of its own"
        return [(float(value), None, None) for value in worth], below
    centred = np.eye(len(worth)) - 1 / len(worth)
    variance = np.einsum("ij,jk,ik->i", centred, fit.worth_vcov, centred)
    margin = normal_quantile((1 + level) / 2) * np.sqrt(np.maximum(variance, 0))
    below = f"log-worths with {100 * level:g} % intervals of the model, judgments independent"
    return join(worth, worth - margin, worth + margin), below


# What a model expects beside what came of it, and what more judgments would decide.

CALIBRATION_HEIGHT: Final = 300
PROSPECT_HEIGHT: Final = 240
CALIBRATION_KINDS: Final = {"as expected": ACCENT, "off": CONTRAST}  # Part → its colour


def draw_calibration(rows: Sequence[Row]) -> Any:
    """Draw the share observed against the share expected; points on the diagonal are right.

    rows: one for each part: expected, observed, lower, upper (proportions), n, kind of
        CALIBRATION_KINDS.
    """
    # Both axes begin and end alike, so that the diagonal is one
    shares = ("expected", "observed", "lower", "upper")
    values = [row[key] for row in rows for key in shares if row[key] is not None]
    ends = [max(min(*values, 0.5) - 0.02, 0.0), min(max(values) + 0.02, 1.0)]
    scale = alt.Scale(domain=ends, nice=False, zero=False)
    axis = alt.Axis(format=".0%", tickCount=5)
    x = alt.X("expected:Q", title="expected share", scale=scale, axis=axis)
    y, lower = (
        alt.Y(f"{key}:Q", title="observed share", scale=scale, axis=axis)
        for key in ("observed", "lower")
    )
    tooltip = list_tooltips(
        *((f"{key}:Q", "", ".1%") for key in shares), ("n:Q", "comparisons", ",.6~r")
    )
    base = begin_chart(rows).encode(x=x, color=encode_kind(CALIBRATION_KINDS), tooltip=tooltip)
    line = begin_chart([{"expected": end, "observed": end} for end in ends])
    layers = [
        line.mark_line(color=QUIET, strokeDash=[4, 3], strokeWidth=1.2).encode(x=x, y=y),
        base.mark_rule(strokeWidth=2).encode(y=lower, y2=alt.Y2(field="upper")),
        base.mark_point(filled=True, size=70, opacity=1).encode(y=y),
    ]
    return alt.layer(*layers).properties(height=CALIBRATION_HEIGHT)


def draw_prospect(rows: Sequence[Row], pairs: int) -> Any:
    low, high = rows[0]["judgments"], rows[-1]["judgments"]
    across = alt.Scale(type="log", base=2, domain=[low, high], nice=False, padding=8)
    axis = alt.Axis(
        values=[row["judgments"] for row in rows if float(row["times"]).is_integer()],
        format=",.0f",
        grid=False,
        labelOverlap="greedy",
        labelExpr=f"datum.value === {float(low)} ? [datum.label, 'today'] : datum.label",
    )
    x = alt.X("judgments:Q", title="judgments", scale=across, axis=axis)
    up = alt.Scale(domain=[0, pairs], nice=False)
    ticks = alt.Axis(tickMinStep=1, tickCount=5, format=",d")
    y = alt.Y("decided:Q", title="decided pairs", scale=up, axis=ticks)
    tooltip = list_tooltips(
        ("judgments:Q", "judgments", ",.0f"),
        ("decided:Q", "decided pairs", ",.1f"),
        ("lower:Q", "at least", ",d"),
        ("upper:Q", "at most", ",d"),
        ("candidates:Q", "may be the best", ",.1f"),
    )
    base = begin_chart(rows)
    lower = alt.Y("lower:Q", scale=up, axis=ticks)
    every = begin_chart([{"pairs": pairs}]).mark_rule(color=QUIET, strokeDash=[4, 3])
    dots = base.mark_point(filled=True, size=60, opacity=1, color=ACCENT)
    layers = [
        base.mark_area(opacity=0.15, color=ACCENT).encode(x=x, y=lower, y2=alt.Y2(field="upper")),
        every.encode(y=alt.Y("pairs:Q", scale=up, axis=ticks)),
        base.mark_line(strokeWidth=2, color=ACCENT).encode(x=x, y=y),
        dots.encode(x=x, y=y, tooltip=tooltip),
    ]
    return alt.layer(*layers).properties(height=PROSPECT_HEIGHT)


# Fewer ratings: decisions against the share that is seen, and errors against labels used.

DECISIONS_WIDTH: Final = 290
DECISIONS_HEIGHT: Final = 280
QUERIES_HEIGHT: Final = 320
DESIGN_NAMES: Final = {
    SPREAD: "several judges per output",
    COMMON: "one judge per output, some outputs by all",
}
ERROR_NAMES: Final = {
    "mae": "mean absolute error, points",
    "rmse": "root mean squared error, points",
}


def draw_decisions(curve: DecisionCurve) -> Any:
    rows = [
        {
            "design": DESIGN_NAMES[point.design.kind],
            "seen": point.design.share,
            "method": name,
            "reliability": reliability.value,
            "lower": reliability.lower,
            "upper": reliability.upper,
        }
        for point in curve.points
        for name, reliability in point.reliability.items()
    ]
    base = begin_chart(rows).encode(
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
        f"{curve.judges} judges, {curve.outputs} outputs, {curve.systems} systems;"
        f" {100 * curve.level:g} % intervals over items"
    )
    layers = (band + line).properties(width=DECISIONS_WIDTH, height=DECISIONS_HEIGHT)
    drawn = layers.facet(
        column=alt.Column("design:N", title=None, sort=list(DESIGN_NAMES.values()))
    )
    return dress(drawn.properties(title=write_title("Decisions from fewer ratings", "", below)))


def draw_queries(curves: QueryCurves, measure: str = "mae", *, width: int = WIDTH) -> Any:
    """Draw the error on test outputs by the number of labels; the full pool is the dashed line."""
    rows = [row for row in curves.records() if row["labels"] < curves.pool]
    whole = next(row for row in curves.records() if row["labels"] == curves.pool)
    scale = alt.Scale(zero=False)
    base = begin_chart(rows).encode(
        x=alt.X("labels:Q", title="outputs with a label", scale=alt.Scale(type="log", nice=False)),
        color=encode_colour("query:N", curves.queries),
    )
    y = alt.Y(f"{measure}:Q", title=ERROR_NAMES[measure], scale=scale)
    band = base.mark_area(opacity=0.1).encode(
        y=alt.Y(f"{measure}_lower:Q", scale=scale), y2=f"{measure}_upper:Q"
    )
    line = base.mark_line(strokeWidth=1.4, point=True).encode(
        y=y, tooltip=["query:N", "labels:Q", f"{measure}:Q"]
    )
    rule = begin_chart([whole]).mark_rule(strokeDash=[4, 3], color=INK).encode(y=y)
    below = (
        f"{curves.repeats} repeats, {curves.errors.shape[-1]:,} test outputs; bands are 95 %"
        f" intervals over repeats; dashed: all {curves.pool:,} labels"
    )
    sized = {"height": QUERIES_HEIGHT, **fit_width("Error by labels used", below, width)}
    return dress((band + rule + line).properties(**sized))


# Power against judgments and against judges, for a planned campaign.

PLAN_WIDTH: Final = 300
PLAN_HEIGHT: Final = 260
NEAR: Final = 1.5  # Numbers of an axis nearer than this many times would be written into each other
HARDEST: Final = "hardest pair"
MEAN: Final = "mean of the pairs to decide"


def draw_plan(plan: CampaignPlan) -> dict[str, Any]:
    return {
        "power-by-judgments": _draw_power(plan, plan.by_judgments, "judgments"),
        "power-by-judges": _draw_power(plan, plan.by_judges, "judges"),
    }


def _draw_power(plan: CampaignPlan, points: tuple[Point, ...], by: str) -> Any:
    design, weakest = plan.design, plan.weakest
    planned = getattr(design, by)
    numbers = [getattr(point, by) for point in points]
    axis = mark_numbers(min(numbers), max(numbers), planned)
    x = alt.X(f"{by}:Q", title=by, scale=alt.Scale(type="log", nice=False), axis=axis)
    y = alt.Y("power:Q", title="power", scale=alt.Scale(domain=[0, 1]))
    kinds = (HARDEST, MEAN) if len(plan.asked) > 1 else (weakest.pair,)
    rows = [
        {by: number, "power": power, "pairs": name}
        for point, number in zip(points, numbers, strict=True)
        for name, power in zip(kinds, (point.weakest, point.mean), strict=False)
    ]
    line = begin_chart(rows).mark_line(strokeWidth=1.6, point=True)
    wish = begin_chart([{"power": plan.spec.power}]).mark_rule(color=QUIET, strokeDash=[3, 3])
    upright = begin_chart([{by: planned}]).mark_rule(color=QUIET, opacity=0.5)
    layers = [
        wish.encode(y=y),
        upright.encode(x=x),
        line.encode(x=x, y=y, color=encode_colour("pairs:N", kinds)),
    ]
    if weakest.power is not None:
        ends = {"lower": weakest.lower, "upper": weakest.upper}
        base = begin_chart([{by: planned, "power": weakest.power, **ends}])
        bars = base.mark_rule(color=INK, strokeWidth=1.6).encode(x=x, y="lower:Q", y2="upper:Q")
        point = base.mark_point(color=INK, filled=True, shape="diamond", size=80, opacity=1)
        layers += [bars, point.encode(x=x, y=y)]
    # Below: what is held, what the upright line is, and what was simulated
    fixed = "each judge with the planned load" if by == "judges" else f"{design.judges:,} judges"
    below = [f"{fixed}, {design.items:,} items; line: as planned"]
    if plan.simulated is None:
        below.append("in closed form")
    else:
        simulated = f"{plan.simulated.campaigns:,} simulated campaigns"
        below.append(f"curves in closed form; diamond: {simulated}")
    title = {"text": f"Power by {by}", "subtitle": below}
    drawn = alt.layer(*layers).properties(title=title, width=PLAN_WIDTH, height=PLAN_HEIGHT)
    return dress(drawn)


def mark_numbers(least: int, most: int, planned: int) -> Any:
    """Return an axis that marks the planned number, and round ones that are not too near it."""
    tens = (10**power for power in range(len(str(most)) + 1))
    rounds = [step * ten for ten in tens for step in (1, 2, 5)]
    marked = [
        number
        for number in rounds
        if least <= number <= most and max(number, planned) >= NEAR * min(number, planned)
    ]
    return alt.Axis(values=sorted([*marked, planned]), format=",d", grid=False)
