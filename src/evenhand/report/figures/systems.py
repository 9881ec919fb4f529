"""Systems drawn: forest plots with rank sets, maps of pairs, outcomes, places, two criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from evenhand.judges.diagnosis import Diagnosis
from evenhand.numerics import Array
from evenhand.render.document import Row
from evenhand.report.figures import style
from evenhand.report.figures.style import LETTER, choose_named

# Forest plots: systems best first, with intervals, rank sets and bands.

HEIGHTS: Final = ((25, 24), (60, 19))  # Up to so many systems a row is so many pixels high
LEAST_HEIGHT: Final = 16  # Height of a row of more systems: its name must be readable
KINDS: Final = {"system": (style.ACCENT, "o"), "human reference": (style.CONTRAST, "D")}


def draw_forest(
    rows: Sequence[Row], title: str = "log-worth", *, reverse: bool = False
) -> style.Chart:
    """Draw systems with intervals, rank sets at the right, clusters as bands; references apart."""
    high = next((high for most, high in HEIGHTS if len(rows) <= most), LEAST_HEIGHT)
    numbers = [row["cluster"] for row in rows]
    even = sorted({n for n in numbers if n is not None and n % 2 == 0}) if all(numbers) else []
    starts = [(numbers.index(number), numbers.count(number), number) for number in even]
    bands = [{"from": high * at, "to": high * (at + n), "cluster": one} for at, n, one in starts]
    ends = ("lower", "estimate", "upper")
    x = style.Axis.around((row[end] for row in rows for end in ends), title)
    if reverse:
        x = replace(x, low=x.high, high=x.low, title=f"{title} (lower is better)")
    drawn = [{"kind": "system", **row, "at": at} for at, row in enumerate(rows)]
    marks = [
        style.boxes([(x.low, at - 0.5, x.high, at + n - 0.5) for at, n, _ in starts], style.BAND),
        *style.series(drawn, ("estimate", "at"), KINDS, size=8, ends=("lower", "upper")),
        *(style.words((x.high, row["at"]), row["places"], shift=(14, 0)) for row in drawn),
    ]
    layers = (bands, rows) if bands else (rows,)
    y, places = style.Axis.of_rows([row["system"] for row in rows]), [row["places"] for row in rows]
    return style.Chart(layers, x, y, marks, high, beside=places)


# Who is preferred to whom, by a model: the right half of figure 6 of Hopkins & May (2013).
#
# Row s1, column s2: blue where the model favours s1, brown where it favours s2, pale where neither.
# Columns bear the places of the systems, so that sixty of them fit.

CELL: Final = 30  # Most pixels that a row is high
LEAST_CELL: Final = 13  # Least pixels that a row is high: its name must be readable
TALL: Final = 480  # Height of a map whose rows fit
OUTCOMES: Final = ("row preferred", "neither", "column preferred")
NUMBER_ROOM: Final = 26  # Pixels that a number in a cell needs
SLIM: Final = 340  # Least width of a picture, if there is room: its title must fit
BROAD: Final = 76  # Most pixels that a column is wide


def draw_map(
    names: Sequence[str],
    rows: Sequence[Row],
    key: str,
    shades: tuple[Mapping[float, str], str],
    *,
    text: tuple[str, str] = ("", ""),
    across: str = "against system number",
    side: int = 0,
    widest: float = BROAD,
) -> style.Chart:
    """Draw a square for each pair, with its number where there is room.

    rows: row (a name with its place), against (number of the column), `key`; perhaps shown (for
        the number), known (else there is no square), decided (a dot).
    shades: values of the legend, of which the middle one of three or the first is even; its title.
    text: title, and what stands below it.
    side: height of a row, in pixels; 0 for what fits.
    """
    labels = name_rows(names)
    k = len(labels)
    step = side or min(CELL, max(LEAST_CELL, TALL // k))
    low, *middle, high = sorted(shades[0])
    even = middle[0] if middle else low
    squares, numbers = dict[str, list[tuple[float, ...]]](), list[style.Mark]()
    dots: dict[str, list[tuple[float, float]]] = {}
    for row in style.count_off(rows, "row", labels):
        x, y, known = row["against"] - 1, row["at"], row.get("known", True)
        part = (row[key] - even) / (high - even) if known else 0.0
        colour = style.write_on(part) if known else style.QUIET
        if known:
            box = (x - 0.48, y - 0.48, x + 0.48, y + 0.48)
            squares.setdefault(style.shade(part), []).append(box)
        shown = row.get("shown") or f"{100 * row[key]:.0f}"
        look: Any = {"align": "center center", "size": 10, "least": NUMBER_ROOM if known else 0}
        numbers.append(style.words((x, y), shown, colour, **look))
        if row.get("decided") is True:
            dots.setdefault(colour, []).append((x + 0.34, y - 0.32))
    marks = [
        *(style.boxes(corners, colour) for colour, corners in squares.items()),
        *numbers,
        *(style.plot(places, colour, 3) for colour, places in dots.items()),
    ]
    x = style.Axis.of_columns([str(at + 1) for at in range(k)], across, top=True)
    x = replace(x, places=True, widest=widest)
    return style.Chart((rows,), x, style.Axis.of_rows(labels), marks, step, shades).name(*text)


def name_rows(names: Sequence[str]) -> list[str]:
    return [f"{place} {name}" for place, name in enumerate(names, start=1)]


def draw_heat_map(
    systems: Sequence[str],
    chances: Array,
    title: str = "Who is preferred to whom",
    *,
    ties: bool = False,
) -> style.Chart:
    """Draw (K, K, 3) chances that the row's system is preferred, neither, the column's.

    A cell is the first, ties being half a preference for each, or with `ties` the second.
    """
    apart = ~np.eye(len(systems), dtype=bool)
    if ties:
        cells = chances[:, :, 1]
        ends = [0.0, max(float(np.max(cells[apart], initial=0.0)), 0.05)]
        said, scale = "the darker, the more often", "neither preferred"
    else:
        cells = chances[:, :, 0] + chances[:, :, 1] / 2
        reach = max(float(np.max(np.abs(cells[apart] - 0.5), initial=0.0)), 0.05)
        ends = [0.5 - reach, 0.5, 0.5 + reach]
        said = "blue: the row's system is preferred to the column's; brown: the column's is"
        scale = "preferred, ties half"
    labels = name_rows(systems)
    rows = [
        {
            "row": labels[i],
            "against": j + 1,
            "first": systems[i],
            "second": systems[j],
            "value": float(cells[i, j]),
            "shown": f"{100 * cells[i, j]:.0f}",
            **dict(zip(OUTCOMES, chances[i, j].tolist(), strict=True)),
        }
        for i, j in np.argwhere(apart).tolist()
    ]
    shades = ({value: style.write_share(value) for value in ends}, scale)
    return draw_map(systems, rows, "value", shades, text=(title, said))


# Who was preferred to whom: a square for each system against each, from counts.
#
# Unlike the heat map, which draws what a model says of all pairs, a pair that never met has no
# square, and a decided pair has a dot.

MAX_NUMBERED_SQUARES: Final = 20  # Most systems whose squares have room for a number
LARGE: Final = 32
SMALL: Final = 16  # Side of a square with room for a number, and without, in pixels


def draw_heads(systems: Sequence[str], rows: Sequence[Row], *, wide: bool) -> style.Chart:
    side = LARGE if len(systems) <= MAX_NUMBERED_SQUARES else SMALL
    labels = name_rows(systems)
    named = [{**row, "row": labels[row["row"] - 1]} for row in rows]
    width = side * len(systems) + min(1.2 * LETTER * max(map(len, labels)), 190) + 20
    shades = {value: style.write_share(value) for value in (0.0, 0.5, 1.0)}
    scale, widest = (shades, "row preferred, ties half"), BROAD if wide else 56
    chart = draw_map(systems, named, "share", scale, side=side, widest=widest)
    return replace(chart, width=max(width, SLIM)) if wide else chart


# The places of systems under each choice: how far each moves.

PLACES: Final = {
    "as ranked here": (style.ACCENT, "o"),
    "by other choices": (style.QUIET, style.HOLLOW),
}


def draw_places(rows: Sequence[Row]) -> style.Chart:
    """Draw a row for each system: its place here filled, its places by other choices beside it."""
    systems = list(dict.fromkeys(row["system"] for row in rows))
    taken = [[row["place"] for row in rows if row["system"] == system] for system in systems]
    spans = [
        {"system": system, "first": min(places), "last": max(places)}
        for system, places in zip(systems, taken, strict=True)
    ]
    usual, other = ([row for row in rows if row["usual"] is here] for here in (True, False))
    drawn = [
        {**row, "kind": kind}
        for kind, own in zip(PLACES, (usual, other), strict=True)
        for row in style.count_off(own, "system", systems)
    ]
    lines = [[(span["first"], at), (span["last"], at)] for at, span in enumerate(spans)]
    marks = [style.plot(ends, style.QUIET, width=1.6) for ends in lines]
    marks += style.series(drawn, ("place", "at"), PLACES, size=8)[::-1]
    x = style.Axis(0.5, max(map(max, taken)) + 0.5, "place, 1 is best", whole=True, count=10)
    y = style.Axis.of_rows(systems)
    return style.Chart((spans, other, usual), x, y, marks, 1.2 * style.ROW)


# Bars of wins, ties and losses, a row for each system.

# From left to right: colour and opacity, ever paler, so that grey prints tell them apart too
OUTCOME_LOOKS: Final = {
    "won": (style.ACCENT, 1.0),
    "tied": (style.QUIET, 0.7),
    "lost": (style.CONTRAST, 0.4),
}


def draw_outcomes(rows: Sequence[Row]) -> style.Chart:
    bars: list[dict[str, Any]] = []
    for row in rows:
        start = 0.0
        for outcome, count in zip(OUTCOME_LOOKS, ("wins", "ties", "losses"), strict=True):
            share = row[count] / row["n"]
            bar = {"outcome": outcome, "count": row[count], "n": row["n"], "share": share}
            ends = {"from": start, "to": min(start + share, 1.0)}
            bars += [{"system": row["system"], **bar, **ends}] if row[count] else []
            start += share
    systems = [row["system"] for row in rows]
    corners: dict[str, list[tuple[float, ...]]] = {outcome: [] for outcome in OUTCOME_LOOKS}
    for bar in style.count_off(bars, "system", systems):
        box = (bar["from"], bar["at"] - 0.38, bar["to"], bar["at"] + 0.38)
        corners[bar["outcome"]].append(box)
    marks = [style.boxes(corners[name], *look, name) for name, look in OUTCOME_LOOKS.items()]
    x = style.Axis(0, 1, "share of its comparisons", style.write_share)
    return style.Chart((bars,), x, style.Axis.of_rows(systems), marks, style.ROW, right=22)


# Systems under two criteria, and systems scored again: figures 1 and 7 of Hamon et al. (2007).

CRITERIA_HEIGHT: Final = 420  # Height of the plot of systems


def draw_systems(diagnosis: Diagnosis) -> style.Chart:
    """Figure 1: the first two criteria against each other."""
    across, up = diagnosis.criteria[:2]
    heights = {score.system: score.full for score in diagnosis.scores_of(up)}
    seen = {score.system: score for score in diagnosis.scores_of(across)}
    rows: list[dict[str, Any]] = [
        {
            "system": system,
            "score": seen[system].full,
            "kind": "human reference"
            if seen[system].reference
            else seen[system].input or "systems",
            "x": seen[system].full,
            "y": height,
        }
        for system, height in heights.items()
        if system in seen
    ]
    x = style.Axis.around([row["x"] for row in rows], across, room=0.08)
    y = style.Axis.around([row["y"] for row in rows], up, room=0.08)
    named = choose_named(rows, (x, y), ("x", "y"), (style.WIDTH, CRITERIA_HEIGHT))
    looks = style.look_up(sorted({row["kind"] for row in rows}))
    marks = style.series(rows, ("x", "y"), looks, alpha=0.85)
    marks += style.name_points(named, ("x", "y"), "system", size=9.5)
    layers, told = (rows, *filter(None, named)), (sum(map(len, named)), len(rows), "systems")
    chart = style.Chart(layers, x, y, marks, CRITERIA_HEIGHT, named=told)
    below = "mean scores by all judges"
    return chart.name("Systems under two criteria", below, style.WIDTH + 50)


def draw_removals(diagnosis: Diagnosis, criterion: str) -> style.Chart:
    """Figure 7: systems by all judges, and without the judges whom each method puts outside."""
    scores = list(diagnosis.scores_of(criterion))
    rows = [{"system": score.system, "by": "all judges", "score": score.full} for score in scores]
    for removal in diagnosis.removals:
        if removal.criterion == criterion:
            by = f"without those outside by {removal.method.replace('-', ' ')}"
            known = (one for one in removal.systems if one.kept is not None)
            rows += [{"system": one.system, "by": by, "score": one.kept} for one in known]
    systems = [score.system for score in scores]
    looks = style.look_up(list(dict.fromkeys(str(row["by"]) for row in rows)))
    drawn = style.count_off(rows, "system", systems)
    marks = style.series(drawn, ("score", "at"), looks, "by", size=6.5, alpha=0.85)
    x = style.Axis.around((score.full for score in scores), "mean score", room=0.1)
    title = f"Systems scored again, {criterion}" if criterion else "Systems scored again"
    below = "highest first, by all judges, and without those outside by each method"
    return style.Chart((rows,), x, style.Axis.of_rows(systems), marks, style.ROW).name(title, below)
