"""Systems drawn: forest plots with rank sets, maps of pairs, outcomes, places, two criteria."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import numpy as np
from numpy.typing import NDArray

from evenhand.judges.diagnosis_result import Diagnosis
from evenhand.render.document import Row
from evenhand.report.figures.drawing import (
    ACCENT,
    BAND,
    BLUE,
    BROWN,
    CONTRAST,
    EVEN,
    INK,
    LETTER,
    QUIET,
    WIDTH,
    place_names,
)
from evenhand.report.figures.view import (
    begin_chart,
    dress,
    encode_colour,
    encode_shade,
    fit_width,
    list_tooltips,
    name_axis,
    write_light_on,
    write_title,
)

Array = NDArray[np.float64]

# Forest plots: systems best first, with intervals, rank sets and bands.

HEIGHTS: Final = ((25, 24), (60, 19))  # Up to so many systems a row is so many pixels high
LEAST_HEIGHT: Final = 16  # Height of a row of more systems: its name must be readable
MARGIN: Final = 0.04  # Room at the left, as a share of what the intervals take
# Room at the right for the places of systems, which no grid line goes through, as a share of what
# the intervals take: for each letter, enough on a telephone; at least; and at most, since more
# would be taken from the intervals
PLACE_LETTER_ROOM: Final = 0.06
LEAST_PLACE_ROOM: Final = 0.22
MOST_PLACE_ROOM: Final = 0.5
# Counts that are told of a system, where its row has them
COUNTS: Final = {
    "better_than": "better than",
    "wins": "wins",
    "ties": "ties",
    "losses": "losses",
    "opponents": "opponents",
}
KINDS: Final = ("system", "human reference")


def draw_forest(rows: Sequence[Row], scale: str = "log-worth") -> Any:
    fixed: Any = alt  # the channels of fixed values have no annotations
    high = find_height(len(rows))
    domain, axis = _frame_forest(rows, ("lower", "estimate", "upper"))
    spans = alt.Scale(domain=domain, nice=False, zero=False)
    tooltip = list_tooltips(
        ("system:N", "system"),
        ("places:N", "rank set"),
        ("estimate:Q", scale, ".2f"),
        *((f"{key}:Q", title) for key, title in COUNTS.items() if key in rows[0]),
    )
    base = begin_chart([dict(row) for row in rows]).encode(y=_name_systems(rows), tooltip=tooltip)
    x, lower = (
        alt.X(f"{key}:Q", title=scale, scale=spans, axis=axis) for key in ("estimate", "lower")
    )
    layers = [
        *_draw_bands(rows, high),
        base.mark_rule(strokeWidth=2, color=ACCENT).encode(x=lower, x2=alt.X2(field="upper")),
        base.mark_point(filled=True, size=70, opacity=1, color=ACCENT).encode(x=x),
        base.mark_text(align="right", color=QUIET, fontSize=11).encode(
            x=fixed.XValue("width"), text=alt.Text(field="places", type="nominal")
        ),
        base.mark_rect(opacity=0).encode(  # to point at
            x=fixed.XValue(0), x2=fixed.X2Value("width")
        ),
    ]
    return alt.layer(*layers).properties(height=high * len(rows))


def draw_scores(rows: Sequence[Row], *, lower_is_better: bool = False) -> Any:
    domain, axis = _frame_forest(rows, ("lower", "mean", "upper"), turned=lower_is_better)
    scale = alt.Scale(domain=domain, nice=False, zero=False)
    title = "mean score (lower is better)" if lower_is_better else "mean score"
    several = len({row["kind"] for row in rows}) > 1
    legend = alt.Legend(orient="top", title=None) if several else None
    colours = alt.Scale(domain=list(KINDS), range=[ACCENT, CONTRAST])
    shapes = alt.Scale(domain=list(KINDS), range=["circle", "diamond"])
    colour = alt.Color("kind:N", scale=colours, legend=legend)
    tooltip = list_tooltips(
        ("system:N",),
        ("kind:N",),
        ("places:N", "rank set"),
        ("mean:Q", "mean score", ".2f"),
        ("scores:Q", "", ","),
    )
    base = begin_chart([dict(row) for row in rows]).encode(y=_name_systems(rows), tooltip=tooltip)
    x, lower = (alt.X(f"{key}:Q", title=title, scale=scale, axis=axis) for key in ("mean", "lower"))
    high = HEIGHTS[0][1]
    layers = [
        *(_draw_bands(rows, high) if all(row["cluster"] is not None for row in rows) else []),
        base.mark_rule(strokeWidth=2).encode(x=lower, x2=alt.X2("upper:Q"), color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=x, color=colour, shape=alt.Shape("kind:N", scale=shapes, legend=legend)
        ),
        base.mark_text(align="right", color=QUIET, fontSize=11).encode(
            x=alt.value("width"), text=alt.Text("places:N")
        ),
    ]
    return alt.layer(*layers).properties(height=high * len(rows))


def find_height(systems: int) -> int:
    """Return how many pixels a row is high.

    >>> find_height(15), find_height(59), find_height(100)
    (24, 19, 16)
    """
    return next((high for most, high in HEIGHTS if systems <= most), LEAST_HEIGHT)


def _name_systems(rows: Sequence[Row]) -> Any:
    names = [row["system"] for row in rows]
    return name_axis("system:N", names, {"type": "band", "paddingInner": 0, "paddingOuter": 0})


def _frame_forest(
    rows: Sequence[Row], keys: tuple[str, ...], *, turned: bool = False
) -> tuple[list[float], Any]:
    values = [row[key] for row in rows for key in keys if row[key] is not None]
    low, high = min(values), max(values)
    extent = (high - low) or 1.0
    letters = max(len(row["places"]) for row in rows)
    room = min(max(LEAST_PLACE_ROOM, PLACE_LETTER_ROOM * letters), MOST_PLACE_ROOM) * extent
    inside = f"datum.value >= {low!r}" if turned else f"datum.value <= {high!r}"
    axis = alt.Axis(gridOpacity=alt.condition(inside, alt.value(1), alt.value(0)))
    if turned:
        return [high + MARGIN * extent, low - room], axis
    return [low - MARGIN * extent, high + room], axis


def _draw_bands(rows: Sequence[Row], high: int) -> list[Any]:
    numbers = [row["cluster"] for row in rows]
    bands = [
        {
            "from": high * numbers.index(number),
            "to": high * (len(numbers) - numbers[::-1].index(number)),
            "cluster": number,
        }
        for number in sorted({number for number in numbers if number is not None})
        if number % 2 == 0
    ]
    if not bands:
        return []
    rects = begin_chart(bands).mark_rect(color=BAND, opacity=1)
    return [rects.encode(y=alt.Y("from:Q", scale=None, axis=None), y2=alt.Y2(field="to"))]


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
# Part of the way from even to an end at which white is as easy to read on it as black
TURN: Final = 0.645


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

    @property
    def rows(self) -> Any:
        axis = alt.Axis(labelLimit=round(NAMES * self.width), labelColor=INK, grid=False)
        return alt.Y("row:N", title=None, sort=self.labels, axis=axis)


def draw_heat_map(
    systems: Sequence[str],
    chances: Array,
    *,
    title: str = "Who is preferred to whom",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Any:
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
    colours = {0.5 - reach: BROWN, 0.5: EVEN, 0.5 + reach: BLUE}
    words = (title, below, "preferred, ties half")
    dark = f"abs(datum.value - 0.5) > {TURN * reach}"
    cells = (chances, preferred)
    return _draw_map(systems, cells, words, colours, borders, dark=dark, width=width)


def draw_tie_map(
    systems: Sequence[str],
    chances: Array,
    *,
    title: str = "How often neither is preferred",
    borders: Sequence[int] = (),
    width: int = WIDTH,
) -> Any:
    ties = chances[:, :, 1]
    apart = ~np.eye(len(systems), dtype=bool)
    most = max(float(np.max(ties[apart], initial=0.0)), 0.05)
    words = (title, "the darker, the more often", "neither preferred")
    colours = {0.0: EVEN, most: BLUE}
    dark = f"abs(datum.value - 0.0) > {TURN * most}"
    return _draw_map(systems, (chances, ties), words, colours, borders, dark=dark, width=width)


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
    colours: dict[float, str],
    borders: Sequence[int],
    *,
    dark: str,
    width: int,
) -> Any:
    """Draw a cell for each pair off the diagonal.

    shares: chances, and the value of each cell.
    words: title, what stands below it, title of the legend.
    colours: value → colour.
    dark: whether a cell is dark, as Vega asks it.
    """
    chances, cells = shares
    frame = MapFrame.of(systems, width)
    k, width = len(systems), frame.width
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
        for i in range(k)
        for j in range(k)
        if i != j
    ]
    base = begin_chart(rows).encode(x=number_columns(k, (1 - NAMES) * width), y=frame.rows)
    fields = [("first", "N"), ("second", "N"), *((name, "Q") for name in OUTCOMES)]
    tooltip = [
        alt.Tooltip(f"{name}:{kind}", format=".2f" if kind == "Q" else "") for name, kind in fields
    ]
    shade = encode_shade("value:Q", words[2], colours, "bottom", ".0%")
    layers = [base.mark_rect().encode(color=shade, tooltip=tooltip)]
    if (1 - NAMES) * width / k >= NUMBER_ROOM:
        numbers = base.mark_text(fontSize=10)
        layers.append(numbers.encode(text="shown:N", color=write_light_on(dark)))
    inside = [border for border in borders if 0 < border < k]
    if inside:
        rule = begin_chart([{"y": frame.step * border} for border in inside])
        line = rule.mark_rule(color=QUIET, strokeWidth=1.2, strokeDash=[4, 2])
        layers.append(line.encode(y=alt.Y("y:Q", scale=None, axis=None)))
    drawn = alt.layer(*layers).properties(height=frame.step * k, **fit_width(*words[:2], width))
    return dress(drawn)


def number_columns(number: int, room: float, *, title: str = "against system number") -> Any:
    step = next((step for step in STEPS if room / number * step >= COLUMN_ROOM), number)
    places = list(range(1, number + 1))
    shown = [place for place in places if place == 1 or place % step == 0]
    axis = alt.Axis(orient="top", labelAngle=0, values=shown, grid=False, titlePadding=8)
    return alt.X("against:O", title=title, sort=places, axis=axis)


# Who was preferred to whom: a square for each system against each, from counts.
#
# Unlike the heat map, which draws what a model says of all pairs, a pair that never met has no
# square, and a decided pair has a dot.

MAX_NUMBERED_SQUARES: Final = 20  # Most systems whose squares have room for a number
LARGE: Final = 32
SMALL: Final = 16  # Side of a square with room for a number, and without, in pixels
SQUARE_TURN: Final = 0.3  # How far from one half a share is drawn so dark that white is read on it


def draw_heads(systems: Sequence[str], rows: Sequence[Row], *, wide: bool) -> Any:
    """Draw the share of comparisons that the row's system won of those with the column's."""
    side = LARGE if len(systems) <= MAX_NUMBERED_SQUARES else SMALL
    labels = [f"{place} {name}" for place, name in enumerate(systems, start=1)]
    named = [{**row, "row": labels[row["row"] - 1]} for row in rows]
    tooltip = list_tooltips(
        ("first:N", "system"),
        ("second:N", "against"),
        *((f"{key}:Q", key, ",.6~r") for key in ("wins", "ties", "losses")),
        ("share:Q", "share, ties half", ".0%"),
        ("expected:Q", "expected by the ranking", ".0%"),
        ("decided:N", "decided"),
    )
    base = begin_chart(named).encode(
        x=number_columns(len(systems), side * len(systems)),
        y=alt.Y(
            "row:N",
            title=None,
            scale=alt.Scale(domain=labels),
            axis=alt.Axis(labelLimit=190, labelColor=INK, grid=False),
        ),
        tooltip=tooltip,
    )
    colours = {0: BROWN, 0.5: EVEN, 1: BLUE}
    shade = encode_shade("share:Q", "row preferred, ties half", colours, "top", ".0%")
    colour = write_light_on(f"abs(datum.share - 0.5) > {SQUARE_TURN}")
    decided = base.transform_filter("datum.decided === true")
    layers = [base.mark_rect().encode(color=shade)]
    if side == SMALL:
        dots = decided.mark_point(filled=True, size=7, opacity=1)
    else:
        numbers = base.transform_calculate(shown="round(100 * datum.share)")
        text = alt.Text(field="shown", type="quantitative")
        layers.append(numbers.mark_text(fontSize=10).encode(text=text, color=colour))
        dots = decided.mark_point(filled=True, size=9, opacity=1, xOffset=10, yOffset=-10)
    chart = alt.layer(*layers, dots.encode(color=colour)).properties(height=side * len(systems))
    return chart.properties(width=side * len(systems)) if wide else chart


# The places of systems under each choice: how far each moves.

PLACES_ROW: Final = 26  # Height of a system's row, in pixels


def draw_places(rows: Sequence[Row]) -> Any:
    """Draw a row for each system: its place here filled, its places by other choices beside it."""
    places: dict[str, list[int]] = {}
    for row in rows:
        places.setdefault(row["system"], []).append(row["place"])
    last = max(row["place"] for row in rows)
    y = name_axis("system:N", list(places))
    scale = alt.Scale(domain=[0.5, last + 0.5], nice=False)
    ticks = alt.Axis(tickMinStep=1, format="d", grid=True)
    x = alt.X("place:Q", title="place, 1 is best", scale=scale, axis=ticks)
    tooltip = list_tooltips(("system:N", "system"), ("place:Q", "place"), ("choices:N", "under"))
    spans = [
        {"system": system, "first": min(taken), "last": max(taken)}
        for system, taken in places.items()
    ]
    line = begin_chart(spans).mark_rule(strokeWidth=1.5, color=QUIET, opacity=0.6)
    line = line.encode(y=y, x=alt.X("first:Q", scale=scale, axis=ticks), x2=alt.X2(field="last"))
    others = begin_chart([row for row in rows if not row["usual"]])
    dots = others.mark_point(filled=False, size=60, strokeWidth=1.6, color=QUIET, opacity=1)
    usual = begin_chart([row for row in rows if row["usual"]])
    point = usual.mark_point(filled=True, size=90, opacity=1, color=ACCENT)
    marks = [mark.encode(x=x, y=y, tooltip=tooltip) for mark in (dots, point)]
    return alt.layer(line, *marks).properties(height=PLACES_ROW * len(places))


# Bars of wins, ties and losses, a row for each system.

OUTCOME_ROW: Final = 22  # Height of a system's row, in pixels
# From left to right: colour and opacity, ever paler, so that grey prints tell them apart too
OUTCOME_LOOKS: Final = {"won": (ACCENT, 1.0), "tied": (QUIET, 0.7), "lost": (CONTRAST, 0.4)}


def draw_outcomes(rows: Sequence[Row]) -> Any:
    x = alt.X(
        "from:Q",
        title="share of its comparisons",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=5),
    )
    names = [*OUTCOME_LOOKS]
    colours, opacities = zip(*OUTCOME_LOOKS.values(), strict=True)
    legend = alt.Legend(orient="top", title=None)
    painted = {
        "color": alt.Color(
            "outcome:N", sort=names, scale=alt.Scale(domain=names, range=[*colours]), legend=legend
        ),
        "opacity": alt.Opacity(
            "outcome:N",
            sort=names,
            scale=alt.Scale(domain=names, range=[*opacities]),
            legend=legend,
        ),
    }
    tooltip = list_tooltips(
        ("system:N", "system"),
        ("outcome:N", "outcome"),
        ("count:Q", "comparisons", ",.6~r"),
        ("n:Q", "of", ",.6~r"),
        ("share:Q", "share", ".1%"),
    )
    bars = begin_chart([bar for row in rows for bar in _list_bars(row)])
    return (
        bars.mark_bar(height={"band": 0.76})
        .encode(
            y=name_axis("system:N", [row["system"] for row in rows]),
            x=x,
            x2=alt.X2(field="to"),
            tooltip=tooltip,
            **painted,
        )
        .properties(height=OUTCOME_ROW * len(rows))
    )


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


def draw_systems(diagnosis: Diagnosis) -> Any:
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
    scales = {name: alt.Scale(domain=list(span), nice=False) for name, span in ends.items()}
    x, y = alt.X("x:Q", title=across, scale=scales["x"]), alt.Y("y:Q", title=up, scale=scales["y"])
    kinds = sorted({row["kind"] for row in rows})
    points = (
        begin_chart(rows)
        .mark_point(filled=True, size=64, opacity=0.85)
        .encode(
            x=x,
            y=y,
            color=encode_colour("kind:N", kinds),
            shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds)),
            tooltip=list_tooltips(("system:N",), ("x:Q", across), ("y:Q", up)),
        )
    )
    (left, right), (low, high) = ends["x"], ends["y"]
    places = [
        (
            WIDTH * (row["x"] - left) / (right - left),
            CRITERIA_HEIGHT * (high - row["y"]) / (high - low),
        )
        for row in rows
    ]
    placed = place_names(places, [row["system"] for row in rows], WIDTH)
    names = []
    for side, align, shift in (("right", "left", 8), ("left", "right", -8)):
        named = [rows[name.at] for name in placed if name.side == side]
        if named:
            text = begin_chart(named).mark_text(
                align=align, dx=shift, dy=1, fontSize=10, color=QUIET
            )
            names.append(text.encode(text=alt.Text("system:N"), x=x, y=y))
    hidden = len(rows) - len(placed)
    room = f"; {hidden} not named for want of room" if hidden else ""
    title = {"text": "Systems under two criteria", "subtitle": f"mean scores by all judges{room}"}
    return alt.layer(points, *names).properties(width=WIDTH, height=CRITERIA_HEIGHT, title=title)


def draw_removals(diagnosis: Diagnosis, criterion: str) -> Any:
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
    names = [score.system for score in scores]
    kinds = list(dict.fromkeys(str(row["by"]) for row in rows))
    chart = (
        begin_chart(rows)
        .mark_point(filled=True, size=44, opacity=0.85)
        .encode(
            x=alt.X("score:Q", title="mean score", scale=alt.Scale(zero=False)),
            y=alt.Y("system:N", title=None, sort=names, axis=alt.Axis(labelLimit=220)),
            color=encode_colour("by:N", kinds, columns=1),
            shape=alt.Shape("by:N", title=None, scale=alt.Scale(domain=kinds)),
            tooltip=list_tooltips(("system:N",), ("by:N",), ("score:Q",)),
        )
    )
    below = "by all judges, and without those outside by each method"
    return chart.properties(
        width=WIDTH - 160,
        height=REMOVALS_ROW * len(names),
        title=write_title("Systems scored again", criterion, below),
    )
