"""Systems drawn: forest plots with rank sets, maps of pairs, outcomes, places, two criteria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judges.diagnosis_result import Diagnosis
from evenhand.report.document import Row
from evenhand.report.figures.drawing import LETTER, place_names
from evenhand.report.figures.style import (
    ACCENT,
    BAND,
    CONTRAST,
    HOLLOW,
    PALETTE,
    QUIET,
    WIDTH,
    Axis,
    Canvas,
    Chart,
    draw_points,
    measure,
    shade,
    write,
    write_on,
    write_share,
)

Array = NDArray[np.float64]

# Forest plots: systems best first, with intervals, rank sets and bands.

HEIGHTS: Final = ((25, 24), (60, 19))  # Up to so many systems a row is so many pixels high
LEAST_HEIGHT: Final = 16  # Height of a row of more systems: its name must be readable
KINDS: Final = ("system", "human reference")


def draw_forest(rows: Sequence[Row], scale: str = "log-worth") -> Chart:
    """Draw systems with intervals, rank sets at the right, clusters as bands."""
    high = find_height(len(rows))
    bands = _list_bands(rows, high)
    drawn = [dict(row) for row in rows]
    paint = partial(_paint_forest, drawn, bands, high=high, key="estimate", title=scale)
    return Chart(paint, (bands, drawn) if bands else (drawn,))


def draw_scores(rows: Sequence[Row], *, lower_is_better: bool = False) -> Chart:
    """Draw systems by mean score, with simultaneous intervals and rank sets; references apart."""
    high = HEIGHTS[0][1]
    known = all(row["cluster"] is not None for row in rows)
    bands = _list_bands(rows, high) if known else []
    drawn = [dict(row) for row in rows]
    title = "mean score (lower is better)" if lower_is_better else "mean score"
    paint = partial(_paint_forest, drawn, bands, high=high, key="mean", title=title)
    paint = partial(paint, turned=lower_is_better)
    return Chart(paint, (bands, drawn) if bands else (drawn,))


def find_height(systems: int) -> int:
    """Return how many pixels a row is high.

    >>> find_height(15), find_height(59), find_height(100)
    (24, 19, 16)
    """
    return next((high for most, high in HEIGHTS if systems <= most), LEAST_HEIGHT)


def _list_bands(rows: Sequence[Row], high: int) -> list[dict[str, Any]]:
    numbers = [row["cluster"] for row in rows]
    return [
        {
            "from": high * numbers.index(number),
            "to": high * (len(numbers) - numbers[::-1].index(number)),
            "cluster": number,
        }
        for number in sorted({number for number in numbers if number is not None})
        if number % 2 == 0
    ]


def _paint_forest(
    rows: Sequence[Row],
    bands: Sequence[Row],
    canvas: Canvas,
    *,
    high: int,
    key: str,
    title: str,
    turned: bool = False,
) -> None:
    values = [
        row[name] for row in rows for name in ("lower", key, "upper") if row[name] is not None
    ]
    kinds = [row.get("kind", KINDS[0]) for row in rows]
    if len({*kinds}) > 1:
        canvas.legend([(KINDS[0], ACCENT, "o"), (KINDS[1], CONTRAST, "D")])
    x = Axis.around(values, title)
    if turned:
        x = Axis(x.high, x.low, title)
    right = max(measure(row["places"], canvas.size) for row in rows) + 22
    y = Axis.of_names([row["system"] for row in rows])
    ax = canvas.axes(high * len(rows), x, y, right=right)
    for band in bands:
        ends = (band["from"] / high - 0.5, band["to"] / high - 0.5)
        ax.axhspan(*ends, color=BAND, linewidth=0, zorder=0, clip_on=False)
    for kind, colour, mark in zip(KINDS, (ACCENT, CONTRAST), "oD", strict=True):
        of_kind = [(at, row) for at, row in enumerate(rows) if kinds[at] == kind]
        bounded = [(at, row) for at, row in of_kind if row["lower"] is not None]
        if bounded:
            places, held = zip(*bounded, strict=True)
            lower, upper = ([row[name] for row in held] for name in ("lower", "upper"))
            ax.hlines(places, lower, upper, color=colour, linewidth=2, capstyle="round")
        draw_points(ax, [(row[key], at) for at, row in of_kind], colour, mark=mark, size=8)
    for at, row in enumerate(rows):
        look: dict[str, Any] = {"ha": "right", "va": "center", "size": canvas.size}
        write(ax, (1, at), row["places"], (right - 4, 0), coords="rows", **look)


# Who is preferred to whom, by a model: the right half of figure 6 of Hopkins & May (2013).
#
# Row s1, column s2: blue where the model favours s1, brown where it favours s2, pale where neither.
# Columns bear the places of the systems, so that sixty of them fit.

CELL: Final = 30  # Most pixels that a row is high
LEAST_CELL: Final = 13  # Least pixels that a row is high: its name must be readable
TALL: Final = 480  # Height of a map whose rows fit
NAMES: Final = 0.38  # Most of the width that names may take
OUTCOMES: Final = ("row preferred", "neither", "column preferred")
NUMBER_ROOM: Final = 26  # Pixels that a number in a cell needs
COLUMN_ROOM: Final = 20  # Pixels that the number of a column needs
STEPS: Final = (1, 2, 5, 10, 20, 50, 100)  # One column of so many is numbered
SLIM: Final = 340  # Least width of a picture, if there is room: its title must fit
BROAD: Final = 76  # Most pixels that a column is wide


@dataclass(frozen=True)
class Cell:
    row: int
    column: int
    part: float | None  # of the way from even to an end; None where nothing is known
    text: str
    dot: bool = False


@dataclass(frozen=True)
class MapFrame:
    labels: list[str]  # of rows: place and name
    width: int  # of the picture, in pixels
    step: int  # height of a row

    @classmethod
    def of(cls, names: Sequence[str], width: int) -> MapFrame:
        labels = [f"{place} {name}" for place, name in enumerate(names, start=1)]
        room = min(LETTER * max(map(len, labels), default=0), NAMES * width)
        enough = max(round(room + BROAD * len(labels)), SLIM)
        step = min(CELL, max(LEAST_CELL, TALL // len(labels)))
        return cls(labels, min(width, enough), step)


def draw_heat_map(
    systems: Sequence[str],
    chances: Array,
    *,
    title: str = "Who is preferred to whom",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Chart:
    """Draw how far a model favours the system of each row over that of each column.

    A cell is the chance that the row's system is preferred, ties being half a preference for each.

    chances: (K, K, 3) chances that the row's system is preferred, that neither is, that the
        column's is; the diagonal is not looked at.
    borders: after how many systems a band ends, such as (1, 7, 10).
    """
    preferred = chances[:, :, 0] + chances[:, :, 1] / 2
    apart = ~np.eye(len(systems), dtype=bool)
    reach = max(float(np.max(np.abs(preferred[apart] - 0.5), initial=0.0)), 0.05)
    below = "blue: the row's system is preferred to the column's; brown: the column's is"
    ends = {value: write_share(value) for value in (0.5 - reach, 0.5, 0.5 + reach)}
    words = (title, below, "preferred, ties half")
    return _draw_map(systems, (chances, preferred), words, (ends, 0.5, reach), borders, width=width)


def draw_tie_map(
    systems: Sequence[str],
    chances: Array,
    *,
    title: str = "How often neither is preferred",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Chart:
    ties = chances[:, :, 1]
    apart = ~np.eye(len(systems), dtype=bool)
    most = max(float(np.max(ties[apart], initial=0.0)), 0.05)
    ends = {value: write_share(value) for value in (0.0, most)}
    words = (title, "the darker, the more often", "neither preferred")
    return _draw_map(systems, (chances, ties), words, (ends, 0.0, most), borders, width=width)


def tabulate_chances(predictor: Any, systems: Sequence[str]) -> Array:
    """Return (K, K, 3) chances of row preferred, neither, column preferred; 0 on the diagonal."""
    k = len(systems)
    at = [(i, j) for i in range(k) for j in range(k) if i != j]
    chances = np.zeros((k, k, 3))
    if at:
        first, second = np.transpose(at)
        chances[first, second] = predictor.predict([(systems[i], systems[j]) for i, j in at])
    return chances


def _draw_map(
    systems: Sequence[str],
    shares: tuple[Array, Array],
    words: tuple[str, str, str],
    shades: tuple[Mapping[float, str], float, float],
    borders: Sequence[int],
    *,
    width: int,
) -> Chart:
    """Draw a cell for each pair off the diagonal.

    shares: chances, and the value of each cell.
    words: title, what stands below it, title of the legend.
    shades: values of the legend, the value that is even, and how far the ends are from it.
    """
    chances, cells = shares
    ends, even, reach = shades
    frame = MapFrame.of(systems, width)
    pairs = [(i, j) for i in range(len(systems)) for j in range(len(systems)) if i != j]
    rows = [
        {
            "row": frame.labels[i],
            "against": j + 1,
            "first": systems[i],
            "second": systems[j],
            "value": float(cells[i, j]),
            "shown": f"{100 * cells[i, j]:.0f}",
            **dict(zip(OUTCOMES, chances[i, j].tolist(), strict=True)),
        }
        for i, j in pairs
    ]
    squares = [
        Cell(i, j, (row["value"] - even) / reach, row["shown"])
        for (i, j), row in zip(pairs, rows, strict=True)
    ]
    inside = [{"y": frame.step * border} for border in borders if 0 < border < len(systems)]
    paint = partial(paint_map, frame, squares, (ends, words[2]), [row["y"] for row in inside])
    return Chart(paint, (rows, inside) if inside else (rows,), *words[:2], frame.width)


def paint_map(
    frame: MapFrame,
    cells: Sequence[Cell],
    scale: tuple[Mapping[float, str], str],
    borders: Sequence[float],
    canvas: Canvas,
    *,
    across: str = "against system number",
    widest: float = BROAD,
) -> None:
    """Paint a map of pairs, with numbers in its cells where they have room.

    scale: values of the legend with how they are written, and its title.
    borders: where a line goes through, in pixels from the top.
    """
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    canvas.gradient(*scale)
    k = len(frame.labels)
    left = min(max(measure(name, canvas.size) for name in frame.labels), 0.4 * canvas.width) + 9
    wide = min((canvas.width - left - 10) / k, widest)
    step = next((step for step in STEPS if wide * step >= COLUMN_ROOM), k)
    shown = [at for at in range(k) if at == 0 or (at + 1) % step == 0]
    columns = [str(at + 1) for at in range(k)]
    x = Axis.of_names(columns, down=False, ticks=shown, top=True, title=across)
    right = canvas.width - left - wide * k
    ax = canvas.axes(frame.step * k, x, Axis.of_names(frame.labels), right=right)
    squares: dict[str, list[tuple[float, float]]] = {}
    for cell in cells:
        if cell.part is not None:
            squares.setdefault(shade(cell.part), []).append((cell.column, cell.row))
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)]) / 2.08
    for colour, places in squares.items():
        path = Path(
            np.concatenate([corners + place for place in places]),
            [1, 2, 2, 2, 79] * len(places),
        )
        ax.add_patch(PathPatch(path, facecolor=colour, linewidth=0))
    dots: dict[str, list[tuple[float, float]]] = {}
    room = wide >= NUMBER_ROOM and frame.step >= LEAST_CELL
    for cell in cells:
        known = cell.part is not None
        colour = write_on(cell.part or 0.0) if known else QUIET
        at = (cell.column, cell.row)
        if cell.text and (room or not known):
            write(ax, at, cell.text, size=10, colour=colour, ha="center", va="center")
        if cell.dot:
            shift = (0.34, 0.32) if room else (0.0, 0.0)
            dots.setdefault(colour, []).append((cell.column + shift[0], cell.row - shift[1]))
    for colour, places in dots.items():
        draw_points(ax, places, colour, size=3)
    for border in borders:
        ax.axhline(border / frame.step - 0.5, color=QUIET, linewidth=1.2, linestyle=(0, (4, 2)))


# Who was preferred to whom: a square for each system against each, from counts.
#
# Unlike the heat map, which draws what a model says of all pairs, a pair that never met has no
# square, and a decided pair has a dot.

MAX_NUMBERED_SQUARES: Final = 20  # Most systems whose squares have room for a number
LARGE: Final = 32
SMALL: Final = 16  # Side of a square with room for a number, and without, in pixels


def draw_heads(systems: Sequence[str], rows: Sequence[Row], *, wide: bool) -> Chart:
    """Draw the share of comparisons that the row's system won of those with the column's."""
    side = LARGE if len(systems) <= MAX_NUMBERED_SQUARES else SMALL
    labels = [f"{place} {name}" for place, name in enumerate(systems, start=1)]
    named = [{**row, "row": labels[row["row"] - 1]} for row in rows]
    cells = [
        Cell(
            row["row"] - 1,
            row["against"] - 1,
            2 * row["share"] - 1,
            f"{100 * row['share']:.0f}" if side == LARGE else "",
            row["decided"] is True,
        )
        for row in rows
    ]
    names = min(1.2 * LETTER * max(map(len, labels)), 190)
    width = side * len(systems) + names + 20
    frame = MapFrame(labels, round(width), side)
    scale = {value: write_share(value) for value in (0.0, 0.5, 1.0)}
    paint = partial(paint_map, frame, cells, (scale, "row preferred, ties half"), ())
    if not wide:
        return Chart(partial(paint, widest=56), (named,))
    return Chart(paint, (named,), width=max(width, SLIM))


# The places of systems under each choice: how far each moves.

PLACES_ROW: Final = 26  # Height of a system's row, in pixels


def draw_places(rows: Sequence[Row]) -> Chart:
    """Draw a row for each system: its place here filled, its places by other choices beside it."""
    places: dict[str, list[int]] = {}
    for row in rows:
        places.setdefault(row["system"], []).append(row["place"])
    spans = [
        {"system": system, "first": min(taken), "last": max(taken)}
        for system, taken in places.items()
    ]
    others = [row for row in rows if not row["usual"]]
    usual = [row for row in rows if row["usual"]]
    return Chart(partial(_paint_places, spans, others, usual), (spans, others, usual))


def _paint_places(
    spans: Sequence[Row], others: Sequence[Row], usual: Sequence[Row], canvas: Canvas
) -> None:
    at = {span["system"]: row for row, span in enumerate(spans)}
    last = max(row["place"] for row in (*others, *usual))
    canvas.legend([("as ranked here", ACCENT, "o"), ("by other choices", QUIET, HOLLOW)])
    x = Axis(0.5, last + 0.5, "place, 1 is best", whole=True, count=10)
    ax = canvas.axes(PLACES_ROW * len(spans), x, Axis.of_names([*at]))
    for row, span in enumerate(spans):
        ax.plot((span["first"], span["last"]), (row, row), color=QUIET, alpha=0.6, linewidth=1.5)
    draw_points(ax, [(row["place"], at[row["system"]]) for row in others], QUIET, mark=HOLLOW)
    draw_points(ax, [(row["place"], at[row["system"]]) for row in usual], size=9)


# Bars of wins, ties and losses, a row for each system.

OUTCOME_ROW: Final = 22  # Height of a system's row, in pixels
# From left to right: colour and opacity, ever paler, so that grey prints tell them apart too
OUTCOME_LOOKS: Final = {"won": (ACCENT, 1.0), "tied": (QUIET, 0.7), "lost": (CONTRAST, 0.4)}


def draw_outcomes(rows: Sequence[Row]) -> Chart:
    """Draw how often each system won, tied and lost, as shares that sum to one."""
    bars = [bar for row in rows for bar in _list_bars(row)]
    return Chart(partial(_paint_outcomes, [row["system"] for row in rows], bars), (bars,))


def _paint_outcomes(systems: Sequence[str], bars: Sequence[Row], canvas: Canvas) -> None:
    canvas.legend([(name, look, "s") for name, look in OUTCOME_LOOKS.items()])
    x = Axis(0, 1, "share of its comparisons", write_share)
    ax = canvas.axes(OUTCOME_ROW * len(systems), x, Axis.of_names(systems), right=22)
    at = {system: row for row, system in enumerate(systems)}
    for outcome, (colour, opacity) in OUTCOME_LOOKS.items():
        shown = [bar for bar in bars if bar["outcome"] == outcome]
        rows = [at[bar["system"]] for bar in shown]
        sizes = [bar["to"] - bar["from"] for bar in shown]
        look = {"height": 0.76, "color": colour, "alpha": opacity, "linewidth": 0}
        ax.barh(rows, sizes, left=[bar["from"] for bar in shown], **look)


def _list_bars(row: Row) -> list[dict[str, Any]]:
    counts = (row["wins"], row["ties"], row["losses"])
    bars, start = [], 0.0
    for outcome, count in zip(OUTCOME_LOOKS, counts, strict=True):
        if count:
            share = count / row["n"]
            bars.append(
                {
                    "system": row["system"],
                    "outcome": outcome,
                    "count": count,
                    "n": row["n"],
                    "share": share,
                    "from": start,
                    "to": min(start + share, 1.0),
                }
            )
            start += share
    return bars


# Systems under two criteria, and systems scored again: figures 1 and 7 of Hamon et al. (2007).

CRITERIA_HEIGHT: Final = 420  # Height of the plot of systems
REMOVALS_ROW: Final = 17  # Height of a system's row, in pixels
SHAPES: Final = "osD^vPX"  # Of kinds, beside their colours


def look_up(kinds: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return a colour and a mark for each kind."""
    return {
        kind: (PALETTE[at % len(PALETTE)], SHAPES[at % len(SHAPES)])
        for at, kind in enumerate(kinds)
    }


def draw_systems(diagnosis: Diagnosis) -> Chart:
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
    ends = {}
    for name in "xy":
        values = [row[name] for row in rows]
        low, high = min(values), max(values)
        beyond = 0.08 * (high - low) or 0.5
        ends[name] = (low - beyond, high + beyond)
    (left, right), (low, high) = ends["x"], ends["y"]
    places = [
        (
            WIDTH * (row["x"] - left) / (right - left),
            CRITERIA_HEIGHT * (high - row["y"]) / (high - low),
        )
        for row in rows
    ]
    placed = place_names(places, [row["system"] for row in rows], WIDTH)
    named = [[rows[name.at] for name in placed if name.side == side] for side in ("right", "left")]
    hidden = len(rows) - len(placed)
    room = f"; {hidden} not named for want of room" if hidden else ""
    x, y = Axis(left, right, across), Axis(low, high, up)
    paint = partial(_paint_systems, rows, named, (x, y))
    title, below = "Systems under two criteria", f"mean scores by all judges{room}"
    return Chart(paint, (rows, *filter(None, named)), title, below, WIDTH + 50)


def _paint_systems(
    rows: Sequence[Row], named: Sequence[Sequence[Row]], axes: tuple[Axis, Axis], canvas: Canvas
) -> None:
    looks = look_up(sorted({row["kind"] for row in rows}))
    if len(looks) > 1:
        canvas.legend([(kind, *look) for kind, look in looks.items()])
    ax = canvas.axes(CRITERIA_HEIGHT, *axes)
    for kind, (colour, mark) in looks.items():
        points = [(row["x"], row["y"]) for row in rows if row["kind"] == kind]
        draw_points(ax, points, colour, mark=mark, alpha=0.85)
    for side, shift, ha in zip(named, (8, -8), ("left", "right"), strict=True):
        for row in side:
            at = (row["x"], row["y"])
            write(ax, at, row["system"], (shift, 0), size=9.5, ha=ha, va="center")


def draw_removals(diagnosis: Diagnosis, criterion: str) -> Chart:
    """Figure 7: systems by all judges, and without the judges whom each method puts outside."""
    scores = list(diagnosis.scores_of(criterion))
    rows = [{"system": score.system, "by": "all judges", "score": score.full} for score in scores]
    for removal in diagnosis.removals:
        if removal.criterion == criterion:
            by = f"without those outside by {removal.method.replace('-', ' ')}"
            rows += [
                {"system": score.system, "by": by, "score": score.kept}
                for score in removal.systems
                if score.kept is not None
            ]
    title = f"Systems scored again, {criterion}" if criterion else "Systems scored again"
    below = "by all judges, and without those outside by each method"
    paint = partial(_paint_removals, [score.system for score in scores], rows)
    return Chart(paint, (rows,), title, below)


def _paint_removals(systems: Sequence[str], rows: Sequence[Row], canvas: Canvas) -> None:
    looks = look_up(list(dict.fromkeys(str(row["by"]) for row in rows)))
    canvas.legend([(kind, *look) for kind, look in looks.items()])
    at = {system: place for place, system in enumerate(systems)}
    x = Axis.around([row["score"] for row in rows], "mean score")
    ax = canvas.axes(REMOVALS_ROW * len(systems), x, Axis.of_names(systems))
    for kind, (colour, mark) in looks.items():
        points = [(row["score"], at[row["system"]]) for row in rows if row["by"] == kind]
        draw_points(ax, points, colour, mark=mark, size=6.5, alpha=0.85)
