"""Models and plans drawn: perplexities, abilities, curves, calibration, power, decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np

from evenhand.design.plan import CampaignPlan, Point
from evenhand.design.query_replay import QueryCurves
from evenhand.models.base import FittedModel, Posterior
from evenhand.ranking.by_model import estimate_abilities, tabulate_chances
from evenhand.ranking.cross_validation import ModelComparison
from evenhand.ranking.learning_curves import LearningCurves
from evenhand.ratings.reliability import COMMON, DECIDERS, SPREAD, DecisionCurve
from evenhand.render.document import Row
from evenhand.report.document import pick
from evenhand.report.figures import style
from evenhand.report.figures.style import LINE, spread
from evenhand.report.figures.systems import draw_heat_map

# Names with a point and an interval: perplexities of models, differences, abilities of systems.
# The ability plot is the left half of figure 6 of Hopkins & May (2013).


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
) -> style.Chart:
    rows = [asdict(bar) for bar in bars]
    lines = [] if reference is None else [{"at": reference}]
    drawn = [{**row, "at": at} for at, row in enumerate(rows)]
    looks: dict[Any, style.Look] = {True: (style.ACCENT, "o"), False: (style.QUIET, "o")}
    marks = [style.rule(one["at"], style.INK) for one in lines]
    ends = ("lower", "upper")
    marks += style.series(drawn, ("value", "at"), looks, "strong", ends=ends, width=1.4)
    values = [row[key] for row in rows for key in ("lower", "value", "upper")]
    x = style.Axis.around([*values, *(one["at"] for one in lines)], axis)
    y = style.Axis.of_rows([bar.name for bar in bars])
    layers = (rows, lines) if lines else (rows,)
    return style.Chart(layers, x, y, marks, style.ROW).name(title, below)


# Perplexity by training size: figures 2 to 5 of Hopkins & May (2013).

UNIFORM: Final = 3.0  # Perplexity of a model that knows nothing: three outcomes, equally likely
UNIFORM_NAME: Final = "uniform"
# Strokes of lines, where there are more lines than colours
DASHES: Final = ("-", "--", "-.")
# How far above uniform the plot reaches, as a part of how far the best is below it
HEADROOM: Final = 0.5
# Most lines whose intervals are drawn: those of several say little of the differences
MAX_LINES_WITH_INTERVALS: Final = 1


def draw_learning_curves(rows: Sequence[Row], below: str = "lower is better") -> style.Chart:
    """Draw perplexity on held-out judgments by the number of training comparisons.

    rows: name (what stands at the end of the line), size, perplexity, lower, upper (or None).
    """
    names = list(dict.fromkeys(row["name"] for row in rows))
    bounded = len(names) <= MAX_LINES_WITH_INTERVALS
    known = [row for row in rows if bounded and None not in (row["lower"], row["upper"])]
    values = [row["perplexity"] for row in rows] or [UNIFORM - 1]
    # A model worse than guessing does not squeeze all
    low = min(*values, UNIFORM, *(row["lower"] for row in known))
    beyond = 0.04 * (UNIFORM - low) or 0.02
    top = UNIFORM + max(HEADROOM * (UNIFORM - low), 0.02)
    high = max(min(max(values), top), UNIFORM) + beyond
    height = max(style.HEIGHT, round(len(names) * (LINE + 1)))
    sizes = sorted({row["size"] for row in rows}) or [1]
    least, most = sizes[0] / 1.06, sizes[-1] * 1.06
    title = "training comparisons"
    x = style.Axis(least, most, title, style.write_count, sizes, log=True, grid=False)
    y = style.Axis(low - beyond, high, "perplexity", count=7)
    # Names stand at the ends of the lines, where they do not meet
    last = {row["name"]: row["perplexity"] for row in rows}
    places = [height * (1 - y.place(max(min(value, high), y.low))) for value in last.values()]
    unit = (high - y.low) / height
    ends = [
        {"name": name, "size": sizes[-1], "perplexity": high - unit * place}
        for name, place in zip(last, spread(places, LINE, (0.0, float(height))), strict=True)
    ]
    marks: list[style.Mark] = []
    layers: list[Sequence[Row]] = []
    if UNIFORM_NAME not in names:
        guesses = [{"size": size, "perplexity": UNIFORM} for size in sizes]
        layers = [guesses, guesses[:1]]
        look: Any = {"align": "left baseline", "size": 10}
        marks = [style.rule(UNIFORM, dash="--", across=True)]
        marks += [style.words((least, UNIFORM), UNIFORM_NAME, shift=(2, 4), **look)]
    inside = [row for row in rows if row["perplexity"] <= high]
    layers += [rows, inside, *([known] if known else []), ends]
    lines = [name for name in names if name != UNIFORM_NAME]
    for name, end in zip(names, ends, strict=True):
        number = lines.index(name) if name in lines else 0
        colour = style.PALETTE[number % len(style.PALETTE)]
        dash = DASHES[number // len(style.PALETTE) % len(DASHES)]
        if name == UNIFORM_NAME:
            colour, dash = style.QUIET, ":"
        own = [(row["size"], row["perplexity"]) for row in rows if row["name"] == name]
        marks += [
            style.plot(own, colour, width=1.8, dash=dash),
            style.plot([at for at in own if at[1] <= high], colour, 5.5),
            *(
                style.plot([(r["size"], r["lower"]), (r["size"], r["upper"])], width=1)
                for r in known
            ),
        ]
        marks.append(style.words((most, end["perplexity"]), name, colour, (4, 0)))
    above = len({row["name"] for row in rows if row["perplexity"] > high})
    below = f"{below}; {above} with points above the plot" if above else below
    chart = style.Chart(tuple(layers), x, y, marks, height, beside=names)
    return chart.name("Perplexity by training size", below)


# The figures of models compared on held-out judgments, and of the fit of one of them.
#
# perplexity    each model's perplexity, with its interval
# differences   how much worse than the best it is (bits), by paired differences; of several models
# curves        perplexity by training size (figures 2 to 5 of Hopkins & May 2013)
# abilities     the systems by one model, with intervals (figure 6, left)
# heat-map      who is preferred to whom by that model (figure 6, right)
# ties          how often neither is


def draw_comparison(comparison: ModelComparison) -> dict[str, style.Chart]:
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
    bars = [
        Bar(one.model, one.perplexity, one.lower, one.upper, strong=one.among_best)
        for one in scores
    ]
    below = f"{level}; lower is better; dashed: guessing{grey}"
    drawn = {"perplexity": draw_intervals(bars, below=below, reference=float(comparison.guessing))}
    if len(scores) > 1:
        ends = [(one.difference, one.difference_lower, one.difference_upper) for one in scores]
        drawn["differences"] = draw_intervals(
            [Bar(bar.name, *end, strong=bar.strong) for bar, end in zip(bars, ends, strict=True)],
            axis="bits above the best",
            title=f"How much worse than {comparison.best}",
            below=f"{level} of paired differences{grey}",
            reference=0.0,
        )
    return drawn


def draw_curves(curves: LearningCurves) -> style.Chart:
    tasks = len(curves.test_sets)
    below = f"lower is better; mean over {tasks} tasks" if tasks > 1 else "lower is better"
    keys = ("size", "perplexity", "lower", "upper")
    rows = [
        {"name": model, **pick(point, *keys)}
        for model in curves.order
        for point in curves.curve(model)
        if point.perplexity is not None
    ]
    return draw_learning_curves(rows, below)


def draw_abilities(
    curves: LearningCurves, labels: Mapping[str, str] | None = None
) -> dict[str, style.Chart]:
    fits, best = curves.best_fits, curves.order[0]
    order = [one.system for one in curves.abilities]
    shown = [system if labels is None else labels[system] for system in order]
    bars = [
        Bar(label, one.ability, one.ability - (one.spread or 0), one.ability + (one.spread or 0))
        for label, one in zip(shown, curves.abilities, strict=True)
    ]
    chances = np.mean([tabulate_chances(fit, order) for fit in fits], axis=0)
    many = f"{len(fits)} training{'s' * (len(fits) > 1)} on {curves.largest:,} comparisons"
    axis = getattr(fits[0], "order_scale", "log-worth")
    below = f"means over {many}; bars: one standard deviation between trainings"
    return {
        "abilities": draw_intervals(bars, axis=axis, title=f"Systems by {best}", below=below),
        "heat-map": draw_heat_map(shown, chances, f"Who is preferred to whom, by {best}"),
    }


def draw_fit(
    fit: FittedModel, *, name: str, labels: Mapping[str, str] | None = None, level: float = 0.95
) -> dict[str, style.Chart]:
    systems = fit.systems
    order = sorted(systems, key=lambda system: (-fit.log_worth[systems.index(system)], system))
    shown = [system if labels is None else labels[system] for system in order]
    chances = tabulate_chances(fit, order)
    estimates, below = estimate_abilities(fit, level)
    places = [systems.index(system) for system in order]
    bars = [Bar(label, *estimates[at]) for label, at in zip(shown, places, strict=True)]
    axis = fit.order_scale if isinstance(fit, Posterior) else "log-worth"
    maps = f"Who is preferred to whom, by {name}", f"How often neither is preferred, by {name}"
    return {
        "abilities": draw_intervals(bars, axis=axis, title=f"Systems by {name}", below=below),
        "heat-map": draw_heat_map(shown, chances, maps[0]),
        "ties": draw_heat_map(shown, chances, maps[1], ties=True),
    }


# What a model expects beside what came of it, and what more judgments would decide.


def draw_prospect(rows: Sequence[Row], pairs: int) -> style.Chart:
    """Draw decided pairs by the number of judgments, today's first, with what may come."""
    first, last = rows[0], rows[-1]
    marked = [row["judgments"] for row in rows if float(row["times"]).is_integer()]
    ends = (first["judgments"] / 1.04, last["judgments"] * 1.04)
    x = style.Axis(*ends, "judgments", style.write_count, marked, log=True, grid=False)
    y = style.Axis(0, 1.04 * pairs, "decided pairs", style.write_count, whole=True)
    drawn = [{**row, "kind": ""} for row in rows]
    keys, bounds, today = ("judgments", "decided"), ("lower", "upper"), (9, -4)
    look = {"": (style.ACCENT, "o")}
    top, begun = (last["judgments"], pairs), (first["judgments"], first["decided"])
    marks = [
        style.rule(pairs, across=True, dash="--"),
        style.words(top, "all pairs", shift=(0, -13), align="right baseline"),
        *style.series(drawn, keys, look, size=7.5, joined=2, ends=bounds, form="band"),
        style.words(begun, "today", style.INK, today, align="left top"),
    ]
    return style.Chart((rows, [{"pairs": pairs}]), x, y, marks, right=30)


# Fewer ratings: decisions against the share that is seen, and errors against labels used.

DESIGN_NAMES: Final = {
    SPREAD: "several judges per output",
    COMMON: "one judge per output, some outputs by all",
}
ERROR_NAMES: Final = {
    "mae": "mean absolute error, points",
    "rmse": "root mean squared error, points",
}


def draw_decisions(curve: DecisionCurve) -> style.Chart:
    """Draw reliability of decisions, the two kinds of design side by side."""
    rows: list[dict[str, Any]] = [
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
    looks = style.look_up(DECIDERS, "o")
    names = [*DESIGN_NAMES.values()]
    keys = ("seen", "reliability")
    look: Any = {"size": 5.5, "joined": 1.4, "form": "band"}
    own = [[row for row in rows if row["design"] == design] for design in names]
    marks = [
        replace(mark, panel=panel)
        for panel, drawn in enumerate(own)
        for mark in style.series(drawn, keys, looks, "method", ends=("lower", "upper"), **look)
    ]
    seen = [row["seen"] for row in rows]
    x = style.Axis.around(seen, "share of the ratings seen", style.write_share)
    values = (row[key] for row in rows for key in ("lower", "reliability", "upper"))
    y = style.Axis.around(values, "pairs ordered as by all ratings")
    below = (
        f"{curve.judges} judges, {curve.outputs} outputs, {curve.systems} systems;"
        f" {100 * curve.level:g} % intervals over items"
    )
    title = "Decisions from fewer ratings"
    return style.Chart((rows,), x, y, marks, panels=names).name(title, below, 680)


def draw_queries(curves: QueryCurves, measure: str = "mae") -> style.Chart:
    """Draw the error on test outputs by the number of labels; the full pool is the dashed line."""
    rows = [row for row in curves.records() if row["labels"] < curves.pool]
    whole = next(row for row in curves.records() if row["labels"] == curves.pool)
    ends = (f"{measure}_lower", f"{measure}_upper")
    looks, labels = style.look_up(curves.queries, "o"), [row["labels"] for row in rows]
    look: Any = {"size": 5.5, "joined": 1.4, "ends": ends, "form": "band"}
    marks = [
        style.rule(whole[measure], style.INK, across=True, dash="--"),
        *style.series(rows, ("labels", measure), looks, "query", **look),
    ]
    least, most = min(labels) / 1.05, max(labels) * 1.05
    x = style.Axis(least, most, "outputs with a label", style.write_count, log=True)
    errors = [row[one] for row in (*rows, whole) for one in (measure, *ends)]
    y = style.Axis.around(errors, ERROR_NAMES[measure])
    below = (
        f"{curves.repeats} repeats, {curves.errors.shape[-1]:,} test outputs; bands are 95 %"
        f" intervals over repeats; dashed: all {curves.pool:,} labels"
    )
    return style.Chart((rows, [whole]), x, y, marks).name("Error by labels used", below)


# Power against judgments and against judges, for a planned campaign.

PLAN_WIDTH: Final = 380
NEAR: Final = 1.5  # Numbers of an axis nearer than this many times would be written into each other
HARDEST: Final = "hardest pair"
MEAN: Final = "mean of the pairs to decide"


def draw_plan(plan: CampaignPlan) -> dict[str, style.Chart]:
    powers = {"judgments": plan.by_judgments, "judges": plan.by_judges}
    return {f"power-by-{by}": _draw_power(plan, some, by) for by, some in powers.items()}


def _draw_power(plan: CampaignPlan, points: tuple[Point, ...], by: str) -> style.Chart:
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
    made = "in closed form"
    if plan.simulated is not None:
        made = f"curves {made}; diamond: {plan.simulated.campaigns:,} simulated campaigns"
    below = f"{fixed}, {design.items:,} items; line: as planned; {made}"
    looks = style.look_up(list(dict.fromkeys(row["pairs"] for row in rows)), "o")
    drawn = [{**row, "kind": ""} for row in simulated]
    bounds: Any = {"ends": ("lower", "upper"), "form": "upright", "width": 1.6}
    marks = [
        style.rule(plan.spec.power, across=True, dash="--"),
        style.rule(planned, dash="-"),
        *style.series(rows, (by, "power"), looks, "pairs", size=5, joined=1.6),
        *style.series(drawn, (by, "power"), {"": (style.INK, "D")}, **bounds),
    ]
    least, most = min(*numbers, planned) / 1.03, max(*numbers, planned) * 1.03
    marked = mark_numbers(min(numbers), max(numbers), planned)
    x = style.Axis(least, most, by, style.write_count, marked, log=True, grid=False)
    layers = ([{"power": plan.spec.power}], [{by: planned}], rows, *filter(None, [simulated]))
    chart = style.Chart(layers, x, style.Axis(0, 1, "power"), marks)
    return chart.name(f"Power by {by}", below, PLAN_WIDTH)


def mark_numbers(least: int, most: int, planned: int) -> list[int]:
    """Return the planned number, and round ones that are not too near it."""
    rounds = [step * 10**power for power in range(len(str(most)) + 1) for step in (1, 2, 5)]
    inside = (number for number in rounds if least <= number <= most)
    far = (one for one in inside if max(one, planned) >= NEAR * min(one, planned))
    return sorted([*far, planned])
