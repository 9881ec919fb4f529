"""Perplexity by training size: figures 2 to 5 of Hopkins & May (2013).

Names stand at the ends of the lines, where they do not meet; there is no legend to look up.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evenhand.report.figures.drawing import PALETTE, QUIET, dress
from evenhand.report.figures.marks import WIDTH, begin_chart, fit_width
from evenhand.report.figures.naming import LETTER, LINE, spread

# Height of the plot, in pixels; more where there are more names than fit beside it
HEIGHT: Final = 340
UNIFORM: Final = 3.0  # Perplexity of a model that knows nothing: three outcomes, equally likely
UNIFORM_NAME: Final = "uniform"
# Strokes of lines, where there are more lines than colours
DASHES: Final = ((1, 0), (6, 3), (2, 2), (8, 2, 2, 2))
GUESSING: Final = (2, 3)  # Stroke of the line of that model
# How far above uniform the plot reaches, as a part of how far the best is below it
HEADROOM: Final = 0.5
# Most lines whose intervals are drawn: those of several say little of the differences
FEW: Final = 1

Looks = Mapping[str, tuple[str, tuple[int, ...]]]  # Colour and stroke of each line, by name


@dataclass(frozen=True)
class Curve:
    """One line."""

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
    """Draw perplexity on held-out judgments by the number of training comparisons."""
    import altair as alt

    height = max(HEIGHT, round(len(curves) * (LINE + 1)))
    low, high = _span(curves)
    rows = _rows(curves)
    sizes = sorted({row["size"] for row in rows})
    known = [row["name"] for row in rows]
    looks = _look({one.name: one for one in curves if one.name in known})
    axes = {
        "x": alt.X("size:Q", scale=_doubling(), axis=_ticks(sizes)),
        "y": alt.Y("perplexity:Q", scale=alt.Scale(domain=[low, high]), axis=_levels()),
    }
    above = {row["name"] for row in rows if row["perplexity"] > high}
    inside = [row for row in rows if row["perplexity"] <= high]
    layers = [*_rule(sizes, looks, axes), _lines(rows, looks, axes)]
    layers.append(_points(inside, looks, axes))
    layers += [_bars(rows, looks, axes)] if _few(curves) else []
    layers.append(_names(rows, looks, axes, (low, high, height)))
    said = f"{below}; {len(above)} with points above the plot" if above else below
    return dress(alt.layer(*layers).properties(height=height, **fit_width(title, said, width)))


def _rows(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """Return a row for each point that there is."""
    return [
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


def _span(curves: Sequence[Curve]) -> tuple[float, float]:
    """Return where the axis begins and ends: a model worse than guessing does not squeeze all."""
    ends = [curve.lower if _few(curves) else () for curve in curves]
    values = [value for curve in curves for value in curve.perplexity if value is not None]
    if not values:
        return UNIFORM - 1, UNIFORM + 0.1
    low = min(*values, UNIFORM, *(value for own in ends for value in own if value is not None))
    top = UNIFORM + max(HEADROOM * (UNIFORM - low), 0.02)
    beyond = 0.04 * (UNIFORM - low) or 0.02
    return low - beyond, max(min(max(values), top), UNIFORM) + beyond


def _look(curves: Mapping[str, Curve]) -> Looks:
    """Return the colour and the stroke of each line."""
    own = [name for name in curves if curves[name].like not in curves and name != UNIFORM_NAME]
    looks = {
        name: (PALETTE[i % len(PALETTE)], DASHES[i // len(PALETTE) % len(DASHES)])
        for i, name in enumerate(own)
    }
    if UNIFORM_NAME in curves:
        looks[UNIFORM_NAME] = (QUIET, GUESSING)
    for name, curve in curves.items():
        if name not in looks:
            looks[name] = (looks.get(curve.like, (QUIET, ()))[0], DASHES[2])
    return looks


def _few(curves: Sequence[Curve]) -> bool:
    """Return whether intervals are drawn: there are some, and few lines."""
    return len(curves) <= FEW and any(curve.lower for curve in curves)


def _doubling() -> Any:
    import altair as alt

    return alt.Scale(type="log", base=2, nice=False, padding=5)


def _ticks(sizes: Sequence[int]) -> Any:
    import altair as alt

    return alt.Axis(
        title="training comparisons",
        values=list(sizes),
        format=",d",
        grid=False,
        labelOverlap="greedy",
        labelFlush=False,
    )


def _levels() -> Any:
    import altair as alt

    return alt.Axis(title="perplexity", tickCount=7)


def _rule(sizes: Sequence[int], names: Collection[str], axes: Mapping[str, Any]) -> list[Any]:
    """Draw the line of the uniform model, unless it is one of the lines."""
    import altair as alt

    if UNIFORM_NAME in names:
        return []
    rows = [{"size": size, "perplexity": UNIFORM} for size in sizes or (1,)]
    line = begin_chart(rows).mark_line(color=QUIET, strokeWidth=1, strokeDash=list(GUESSING))
    text = begin_chart(rows[:1]).mark_text(align="left", dy=-7, fontSize=10, color=QUIET)
    return [line.encode(**axes), text.encode(text=alt.TextValue(UNIFORM_NAME), **axes)]


def _lines(rows: Sequence[dict[str, Any]], looks: Looks, axes: Mapping[str, Any]) -> Any:
    import altair as alt

    strokes = [list(dash) for _, dash in looks.values()]
    dash = alt.StrokeDash("name:N", scale=alt.Scale(domain=[*looks], range=strokes), legend=None)
    line = begin_chart(rows).mark_line(strokeWidth=1.8, clip=True)
    return line.encode(color=_colours(looks), strokeDash=dash, **axes)


def _points(rows: Sequence[dict[str, Any]], looks: Looks, axes: Mapping[str, Any]) -> Any:
    told = ["name:N", "size:Q", "perplexity:Q", "lower:Q", "upper:Q"]
    point = begin_chart(rows).mark_point(filled=True, size=30, opacity=1)
    return point.encode(color=_colours(looks), tooltip=told, **axes)


def _bars(rows: Sequence[dict[str, Any]], looks: Looks, axes: Mapping[str, Any]) -> Any:
    """Draw intervals."""
    import altair as alt

    known = [row for row in rows if row["lower"] is not None and row["upper"] is not None]
    rule = begin_chart(known).mark_rule(opacity=0.4, clip=True)
    ends = {"x": axes["x"], "y": alt.Y("lower:Q", axis=_levels()), "y2": "upper:Q"}
    return rule.encode(color=_colours(looks), **ends)


def _colours(looks: Looks) -> Any:
    import altair as alt

    colours = alt.Scale(domain=[*looks], range=[colour for colour, _ in looks.values()])
    return alt.Color("name:N", scale=colours, legend=None)


def _names(
    rows: Sequence[dict[str, Any]],
    looks: Looks,
    axes: Mapping[str, Any],
    plot: tuple[float, float, float],
) -> Any:
    """Write each name at the end of its line, moved up or down where names would meet."""
    low, high, height = plot
    last = {row["name"]: row for row in rows}
    right = max((row["size"] for row in rows), default=1)
    unit = height / (high - low)
    places = [unit * (high - max(min(row["perplexity"], high), low)) for row in last.values()]
    moved = spread(places, LINE, (0.0, float(height)))
    ends = [
        {"name": name, "size": right, "perplexity": high - place / unit}
        for name, place in zip(last, moved, strict=True)
    ]
    text = begin_chart(ends).mark_text(align="left", dx=8, fontSize=11, limit=LETTER * 26)
    return text.encode(text="name:N", color=_colours(looks), **axes)
