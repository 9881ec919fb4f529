"""Models and plans drawn: perplexities, abilities, curves, calibration, power, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

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
from evenhand.report.document import Row
from evenhand.report.figures.drawing import LINE, spread
from evenhand.report.figures.style import (
    ACCENT,
    CONTRAST,
    INK,
    PALETTE,
    QUIET,
    WIDTH,
    Axis,
    Canvas,
    Chart,
    draw_points,
    measure,
    write,
    write_share,
)
from evenhand.report.figures.systems import draw_heat_map, draw_tie_map, tabulate_chances

# Names with a point and an interval: perplexities of models, differences, abilities of systems.
# The ability plot is the left half of figure 6 of Hopkins & May (2013).

BAR_ROW: Final = 20  # Height of a name's row, in pixels


@dataclass(frozen=True)
class Bar:
    name: str  # what is estimated
    value: float  # the estimate
    lower: float | None = None  # lower end of the interval, or None
    upper: float | None = None  # upper end, or None
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
) -> Chart:
    """Draw an estimate for each name in the order given; a band ends after each of `borders`."""
    rows = [
        {
            "name": bar.name,
            "place": place,
            "value": bar.value,
            "lower": bar.value if bar.lower is None else bar.lower,
            "upper": bar.value if bar.upper is None else bar.upper,
            "looks": "strong" if bar.strong else "weak",
        }
        for place, bar in enumerate(bars, start=1)
    ]
    line = [] if reference is None else [{"at": reference}]
    ends = [{"y": BAR_ROW * border} for border in borders if 0 < border < len(bars)]
    paint = partial(_paint_intervals, rows, line, ends, axis)
    layers = [layer for layer in (rows, line, ends) if layer]
    return Chart(paint, tuple(layers), title, below, width)


def _paint_intervals(
    rows: Sequence[Row], line: Sequence[Row], borders: Sequence[Row], title: str, canvas: Canvas
) -> None:
    values = [row[key] for row in rows for key in ("lower", "value", "upper")]
    x = Axis.around([*values, *(one["at"] for one in line)], title)
    ax = canvas.axes(BAR_ROW * len(rows), x, Axis.of_names([row["name"] for row in rows]))
    for one in line:
        ax.axvline(one["at"], color=INK, linewidth=1, linestyle=(0, (2, 3)))
    for border in borders:
        ax.axhline(border["y"] / BAR_ROW - 0.5, color=QUIET, linewidth=0.8)
    for at, row in enumerate(rows):
        colour = ACCENT if row["looks"] == "strong" else QUIET
        ax.plot((row["lower"], row["upper"]), (at, at), color=colour, linewidth=1.4)
        draw_points(ax, [(row["value"], at)], colour)


def draw_abilities(
    bars: Sequence[Bar],
    *,
    axis: str = "ability",
    title: str = "Abilities of the systems",
    below: str = "posterior means with 95 % intervals",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Chart:
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
) -> Chart:
    """Draw perplexity on held-out judgments by the number of training comparisons."""
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
    layers = []
    if UNIFORM_NAME not in looks:
        guesses = [{"size": size, "perplexity": UNIFORM} for size in sizes or (1,)]
        layers += [guesses, guesses[:1]]
    layers += [rows, [row for row in rows if row["perplexity"] <= high]]
    if bounded:
        known = (row for row in rows if row["lower"] is not None and row["upper"] is not None)
        layers.append([*known])
    ends = _place_ends(rows, (low, high, height))
    above = {row["name"] for row in rows if row["perplexity"] > high}
    below = f"{below}; {len(above)} with points above the plot" if above else below
    frame = (low, high, height)
    paint = partial(_paint_learning, rows, ends, looks, frame, bounded=bounded)
    return Chart(paint, (*layers, ends), title, below, width)


def _paint_learning(
    rows: Sequence[Row],
    ends: Sequence[Row],
    looks: Mapping[str, tuple[str, tuple[int, ...]]],
    frame: tuple[float, float, float],
    canvas: Canvas,
    *,
    bounded: bool,
) -> None:
    low, high, height = frame
    sizes = sorted({row["size"] for row in rows}) or [1]
    room = max((measure(end["name"], canvas.size) for end in ends), default=0.0) + 14
    least, most = sizes[0] / 1.06, sizes[-1] * 1.06
    x = Axis(least, most, "training comparisons", "{:,.0f}".format, sizes, log=True, grid=False)
    ax = canvas.axes(
        height, x, Axis(low, high, "perplexity", count=7), right=min(room, 0.45 * canvas.width)
    )
    if UNIFORM_NAME not in looks:
        ax.axhline(UNIFORM, color=QUIET, linewidth=1, linestyle=(0, UNIFORM_DASH))
        write(ax, (least, UNIFORM), UNIFORM_NAME, (2, 4), size=10)
    for name, (colour, dash) in looks.items():
        line = [row for row in rows if row["name"] == name]
        points = [(row["size"], row["perplexity"]) for row in line]
        stroke = (0, dash) if dash[1] else "-"
        ax.plot(*zip(*points, strict=True), color=colour, linewidth=1.8, linestyle=stroke)
        draw_points(ax, [point for point in points if point[1] <= high], colour, size=5.5)
        for row in line:
            if bounded and row["lower"] is not None and row["upper"] is not None:
                span = (row["lower"], row["upper"])
                ax.plot((row["size"],) * 2, span, color=colour, alpha=0.4, linewidth=1)
    for end in ends:
        at, colour = (most, end["perplexity"]), looks[end["name"]][0]
        write(ax, at, end["name"], (4, 0), colour=colour, size=canvas.size, va="center")


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


def draw_comparison(comparison: ModelComparison, *, width: int = WIDTH) -> dict[str, Chart]:
    """Draw perplexities, and differences to the best."""
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


def draw_curves(curves: LearningCurves, *, width: int = WIDTH) -> Chart:
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
) -> dict[str, Chart]:
    """Draw the systems by one model: abilities, who is preferred to whom, ties."""
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


def draw_calibration(rows: Sequence[Row]) -> Chart:
    """Draw the share observed against the share expected; points on the diagonal are right.

    rows: one for each part: expected, observed, lower, upper (proportions), n, kind of
        CALIBRATION_KINDS.
    """
    # Both axes begin and end alike, so that the diagonal is one
    shares = ("expected", "observed", "lower", "upper")
    values = [row[key] for row in rows for key in shares if row[key] is not None]
    ends = [max(min(*values, 0.5) - 0.02, 0.0), min(max(values) + 0.02, 1.0)]
    line = [{"expected": end, "observed": end} for end in ends]
    return Chart(partial(_paint_calibration, rows, ends), (line, rows))


def _paint_calibration(rows: Sequence[Row], ends: Sequence[float], canvas: Canvas) -> None:
    seen = [kind for kind in CALIBRATION_KINDS if any(row["kind"] == kind for row in rows)]
    canvas.legend([(kind, CALIBRATION_KINDS[kind], "o") for kind in seen])
    x = Axis(ends[0], ends[1], "expected share", write_share)
    y = Axis(ends[0], ends[1], "observed share", write_share)
    ax = canvas.axes(CALIBRATION_HEIGHT, x, y, right=24)
    ax.plot(ends, ends, color=QUIET, linewidth=1.2, linestyle=(0, (4, 3)))
    for row in rows:
        colour = CALIBRATION_KINDS[row["kind"]]
        if row["lower"] is not None and row["upper"] is not None:
            ax.plot((row["expected"],) * 2, (row["lower"], row["upper"]), color=colour, linewidth=2)
        draw_points(ax, [(row["expected"], row["observed"])], colour, size=8)


def draw_prospect(rows: Sequence[Row], pairs: int) -> Chart:
    """Draw decided pairs by the number of judgments, today's first, with what may come."""
    return Chart(partial(_paint_prospect, rows, pairs), (rows, [{"pairs": pairs}]))


def _paint_prospect(rows: Sequence[Row], pairs: int, canvas: Canvas) -> None:
    at = [row["judgments"] for row in rows]
    marked = [row["judgments"] for row in rows if float(row["times"]).is_integer()]
    x = Axis(
        at[0] / 1.04, at[-1] * 1.04, "judgments", "{:,.0f}".format, marked, log=True, grid=False
    )
    y = Axis(0, 1.04 * pairs, "decided pairs", "{:,.0f}".format, whole=True)
    ax = canvas.axes(PROSPECT_HEIGHT, x, y, right=30)
    lower, upper = ([row[key] for row in rows] for key in ("lower", "upper"))
    ax.fill_between(at, lower, upper, color=ACCENT, alpha=0.15, linewidth=0)
    ax.axhline(pairs, color=QUIET, linewidth=1, linestyle=(0, (4, 3)))
    write(ax, (at[-1], pairs), "all pairs", (0, -13), ha="right")
    decided = [row["decided"] for row in rows]
    ax.plot(at, decided, color=ACCENT, linewidth=2)
    draw_points(ax, [*zip(at, decided, strict=True)], size=7.5)
    write(ax, (at[0], decided[0]), "today", (9, -4), colour=INK, va="top")


# Fewer ratings: decisions against the share that is seen, and errors against labels used.

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


def draw_decisions(curve: DecisionCurve) -> Chart:
    """Draw reliability of decisions, the two kinds of design side by side."""
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
    below = (
        f"{curve.judges} judges, {curve.outputs} outputs, {curve.systems} systems;"
        f" {100 * curve.level:g} % intervals over items"
    )
    return Chart(
        partial(_paint_decisions, rows), (rows,), "Decisions from fewer ratings", below, 680
    )


def _paint_decisions(rows: Sequence[Row], canvas: Canvas) -> None:
    colours = dict(zip(DECIDERS, PALETTE, strict=False))
    canvas.legend([(name, colour, "o") for name, colour in colours.items()])
    values = [row[key] for row in rows for key in ("lower", "reliability", "upper")]
    x = Axis.around([row["seen"] for row in rows], "share of the ratings seen", form=write_share)
    y = Axis.around(
        [value for value in values if value is not None], "pairs ordered as by all ratings"
    )
    names = [*DESIGN_NAMES.values()]
    for ax, design in zip(canvas.axes(DECISIONS_HEIGHT, x, y, panels=names), names, strict=True):
        for method, colour in colours.items():
            held = [row for row in rows if row["design"] == design and row["method"] == method]
            _draw_band(ax, held, ("seen", "reliability", "lower", "upper"), colour)


def _draw_band(ax: Any, rows: Sequence[Row], keys: Sequence[str], colour: str) -> None:
    """Draw a line with its interval: rows hold where, what, and its lower and upper ends."""
    at, values, lower, upper = ([row[key] for row in rows] for key in keys)
    ax.fill_between(at, lower, upper, color=colour, alpha=0.12, linewidth=0)
    ax.plot(at, values, color=colour, linewidth=1.4)
    draw_points(ax, [*zip(at, values, strict=True)], colour, size=5.5)


def draw_queries(curves: QueryCurves, measure: str = "mae", *, width: int = WIDTH) -> Chart:
    """Draw the error on test outputs by the number of labels; the full pool is the dashed line."""
    rows = [row for row in curves.records() if row["labels"] < curves.pool]
    whole = next(row for row in curves.records() if row["labels"] == curves.pool)
    below = (
        f"{curves.repeats} repeats, {curves.errors.shape[-1]:,} test outputs; bands are 95 %"
        f" intervals over repeats; dashed: all {curves.pool:,} labels"
    )
    paint = partial(_paint_queries, rows, whole, curves.queries, measure)
    return Chart(paint, (rows, [whole]), "Error by labels used", below, width)


def _paint_queries(
    rows: Sequence[Row], whole: Row, queries: Sequence[str], key: str, canvas: Canvas
) -> None:
    colours = {name: PALETTE[at % len(PALETTE)] for at, name in enumerate(queries)}
    canvas.legend([(name, colour, "o") for name, colour in colours.items()])
    keys = (key, f"{key}_lower", f"{key}_upper")
    labels = [row["labels"] for row in rows]
    x = Axis(
        min(labels) / 1.05, max(labels) * 1.05, "outputs with a label", "{:,.0f}".format, log=True
    )
    y = Axis.around([row[one] for row in (*rows, whole) for one in keys], ERROR_NAMES[key])
    ax = canvas.axes(QUERIES_HEIGHT, x, y)
    ax.axhline(whole[key], color=INK, linewidth=1, linestyle=(0, (4, 3)))
    for name, colour in colours.items():
        _draw_band(ax, [row for row in rows if row["query"] == name], ("labels", *keys), colour)


# Power against judgments and against judges, for a planned campaign.

PLAN_WIDTH: Final = 380
PLAN_HEIGHT: Final = 260
NEAR: Final = 1.5  # Numbers of an axis nearer than this many times would be written into each other
HARDEST: Final = "hardest pair"
MEAN: Final = "mean of the pairs to decide"


def draw_plan(plan: CampaignPlan) -> dict[str, Chart]:
    return {
        "power-by-judgments": _draw_power(plan, plan.by_judgments, "judgments"),
        "power-by-judges": _draw_power(plan, plan.by_judges, "judges"),
    }


def _draw_power(plan: CampaignPlan, points: tuple[Point, ...], by: str) -> Chart:
    """Draw power in closed form, and the hardest pair of the design as it was simulated."""
    design, weakest = plan.design, plan.weakest
    planned = getattr(design, by)
    numbers = [getattr(point, by) for point in points]
    kinds = (HARDEST, MEAN) if len(plan.asked) > 1 else (weakest.pair,)
    rows = [
        {by: number, "power": power, "pairs": name}
        for point, number in zip(points, numbers, strict=True)
        for name, power in zip(kinds, (point.weakest, point.mean), strict=False)
    ]
    simulated = []
    if weakest.power is not None:
        ends = {"lower": weakest.lower, "upper": weakest.upper}
        simulated.append({by: planned, "power": weakest.power, **ends})
    # Below: what is held, what the upright line is, and what was simulated
    fixed = "each judge with the planned load" if by == "judges" else f"{design.judges:,} judges"
    below = [f"{fixed}, {design.items:,} items; line: as planned"]
    if plan.simulated is None:
        below.append("in closed form")
    else:
        campaigns = f"{plan.simulated.campaigns:,} simulated campaigns"
        below.append(f"curves in closed form; diamond: {campaigns}")
    paint = partial(_paint_power, rows, simulated, (by, planned, plan.spec.power))
    lines = ([{"power": plan.spec.power}], [{by: planned}])
    layers = (*lines, rows, *filter(None, [simulated]))
    return Chart(paint, layers, f"Power by {by}", "; ".join(below), PLAN_WIDTH)


def _paint_power(
    rows: Sequence[Row], simulated: Sequence[Row], asked: tuple[str, int, float], canvas: Canvas
) -> None:
    by, planned, wish = asked
    kinds = list(dict.fromkeys(row["pairs"] for row in rows))
    colours = dict(zip(kinds, PALETTE, strict=False))
    canvas.legend([(kind, colour, "o") for kind, colour in colours.items()])
    numbers = [row[by] for row in rows]
    marked = mark_numbers(min(numbers), max(numbers), planned)
    ends = (min(*numbers, planned) / 1.03, max(*numbers, planned) * 1.03)
    x = Axis(*ends, by, "{:,.0f}".format, marked, log=True, grid=False)
    ax = canvas.axes(PLAN_HEIGHT, x, Axis(0, 1, "power"), right=18)
    ax.axhline(wish, color=QUIET, linewidth=1, linestyle=(0, (3, 3)))
    ax.axvline(planned, color=QUIET, linewidth=1, alpha=0.5)
    for kind, colour in colours.items():
        points = [(row[by], row["power"]) for row in rows if row["pairs"] == kind]
        ax.plot(*zip(*points, strict=True), color=colour, linewidth=1.6)
        draw_points(ax, points, colour, size=5)
    for row in simulated:
        ax.plot((planned, planned), (row["lower"], row["upper"]), color=INK, linewidth=1.6)
        draw_points(ax, [(planned, row["power"])], INK, mark="D")


def mark_numbers(least: int, most: int, planned: int) -> list[int]:
    """Return the planned number, and round ones that are not too near it."""
    tens = (10**power for power in range(len(str(most)) + 1))
    rounds = [step * ten for ten in tens for step in (1, 2, 5)]
    marked = [
        number
        for number in rounds
        if least <= number <= most and max(number, planned) >= NEAR * min(number, planned)
    ]
    return sorted([*marked, planned])
