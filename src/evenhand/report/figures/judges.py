"""Judges and items drawn: figures 2 to 5 of Hamon, Mostefa & Arranz (2007), maps, bars, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from typing import Any, Final

import altair as alt

from evenhand.judges.diagnosis_result import Diagnosis
from evenhand.judges.profiles import JudgeProfile, Outliers
from evenhand.ratings.process_comparison import JudgeLikeness
from evenhand.render.document import Row
from evenhand.report.document import pick
from evenhand.report.figures.drawing import (
    ACCENT,
    BLUE,
    BROWN,
    CONTRAST,
    EVEN,
    INK,
    LETTER,
    PALETTE,
    QUIET,
    WIDTH,
    name_files,
    place_names,
)
from evenhand.report.figures.systems import (
    NAMES,
    NUMBER_ROOM,
    TURN,
    MapFrame,
    draw_removals,
    draw_systems,
    number_columns,
)
from evenhand.report.figures.view import (
    begin_chart,
    dress,
    encode_colour,
    encode_criterion,
    encode_kind,
    encode_shade,
    fit_width,
    list_tooltips,
    name_axis,
    write_light_on,
    write_title,
)

# The figures of Hamon, Mostefa & Arranz (2007) on the user's data.
#
#     systems          figure 1   scores of systems under two criteria, input types apart
#     judges-mean      2 and 3    each judge's mean beside the others' mean on the same outputs
#     judges-distance  4 and 5    each judge's mean distance from the others
#     removal          7          scores of systems by all judges and without those outside
#
# A horizontal axis that the paper fills with judges is a row of judges here, sorted alike.

PAPER_HEIGHT: Final = 320
# Most judges whose names stand under the axis; more are numbered by their order alone
MAX_NAMED_ON_AXIS: Final = 30
WHOSE: Final = ("the judge", "others, same outputs")


def draw_judges(diagnosis: Diagnosis) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    criteria = diagnosis.criteria
    if len(criteria) > 1:
        figures["systems"] = draw_systems(diagnosis)
    tails = {name: f"-{file}" for name, file in name_files(filter(None, criteria)).items()}
    for criterion in criteria:
        tail = tails.get(criterion, "")
        profiles = diagnosis.profiles.get(criterion, ())
        shared = [profile for profile in profiles if profile.others_mean is not None]
        score = diagnosis.outliers_of("mean-score", criterion)
        if diagnosis.reading == "gap" and shared:
            ordered = sorted(shared, key=lambda profile: (profile.gap or 0.0, profile.judge))
            below = f"{len(ordered)} judges; dashed: centre and limits, outside {len(score.judges)}"
            title = write_title("Gap to the others by judge", score.criterion, below)
            values = {"gap": [profile.gap for profile in ordered]}
            points = _mark(ordered, values, score, "own mean − others' on the same outputs, points")
            figures[f"judges-mean{tail}"] = _add_limits(score, title, points)
        elif diagnosis.reading == "mean" and profiles:
            figures[f"judges-mean{tail}"] = _draw_means(profiles, score)
        if shared:
            distance = diagnosis.outliers_of("mean-agreement", criterion)
            figures[f"judges-distance{tail}"] = _draw_distances(shared, distance)
        if any(removal.criterion == criterion for removal in diagnosis.removals):
            figures[f"removal{tail}"] = draw_removals(diagnosis, criterion)
    return {name: dress(chart) for name, chart in figures.items()}


def _draw_means(profiles: Sequence[JudgeProfile], limits: Outliers) -> Any:
    """Figures 2 and 3: judges sorted by their mean, beside the others on the same outputs."""
    ordered = sorted(profiles, key=lambda profile: (profile.mean, profile.judge))
    rows = [
        {"judge": profile.judge, "place": place, "who": who, "mean": value}
        for place, profile in enumerate(ordered, start=1)
        for who, value in zip(WHOSE, (profile.mean, profile.others_mean), strict=True)
        if value is not None
    ]
    base = begin_chart(rows).encode(
        x=_name_judges(ordered), y=alt.Y("mean:Q", title="mean score", scale=alt.Scale(zero=False))
    )
    colour = encode_colour("who:N", WHOSE)
    tooltip = list_tooltips(("judge:N",), ("who:N",), ("mean:Q",))
    line = base.mark_line(strokeWidth=1.2).encode(color=colour)
    points = base.mark_point(filled=True, size=20).encode(color=colour, tooltip=tooltip)
    below = f"{len(ordered)} judges; dashed: centre and limits, outside {len(limits.judges)}"
    title = write_title("Mean score by judge", limits.criterion, below)
    return _add_limits(limits, title, line, points)


def _draw_distances(profiles: Sequence[JudgeProfile], limits: Outliers) -> Any:
    """Figures 4 and 5: judges sorted by their mean distance from the others."""
    known = [profile for profile in profiles if profile.mean_agreement is not None]
    ordered = sorted(known, key=lambda profile: (profile.mean_agreement or 0.0, profile.judge))
    below = f"{len(ordered)} judges, 0 is agreement; outside {len(limits.judges)}"
    title = write_title("Mean agreement by judge", limits.criterion, below)
    values = {"distance": [profile.mean_agreement for profile in ordered]}
    points = _mark(ordered, values, limits, "mean distance |own − other|, points")
    return _add_limits(limits, title, points)


def _mark(
    ordered: Sequence[JudgeProfile],
    values: Mapping[str, Sequence[float | None]],
    limits: Outliers,
    title: str,
) -> Any:
    ((name, heights),) = values.items()
    outside = {*limits.judges}
    rows = [
        {
            "judge": profile.judge,
            "place": place,
            name: height,
            "who": "outside" if profile.judge in outside else "within",
        }
        for place, (profile, height) in enumerate(zip(ordered, heights, strict=True), start=1)
    ]
    points = begin_chart(rows).mark_point(filled=True, size=36)
    return points.encode(
        x=_name_judges(ordered),
        y=alt.Y(f"{name}:Q", title=title),
        color=encode_colour("who:N", ["within", "outside"]),
        tooltip=list_tooltips(("judge:N",), (f"{name}:Q",)),
    )


def _name_judges(ordered: Sequence[JudgeProfile]) -> Any:
    title = "judges, lowest first"
    if len(ordered) > MAX_NAMED_ON_AXIS:
        axis = alt.Axis(grid=False, tickMinStep=1)
        return alt.X("place:Q", title=title, axis=axis, scale=alt.Scale(nice=False))
    names = [profile.judge for profile in ordered]
    return alt.X("judge:N", title=title, sort=names, axis=alt.Axis(labelAngle=-60))


def _add_limits(limits: Outliers, title: Mapping[str, str], *marks: Any) -> Any:
    drawn = {"centre": limits.centre, "lower limit": limits.lower, "upper limit": limits.upper}
    rows = [
        {"at": value, "what": what, "width": 1.2 if what == "centre" else 0.8}
        for what, value in drawn.items()
        if value is not None
    ]
    rules = begin_chart(rows).mark_rule(strokeDash=[2, 3], color=INK)
    rules = rules.encode(
        y=alt.Y("at:Q"),
        strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
        tooltip=alt.Tooltip("what:N"),
    )
    return alt.layer(rules, *marks).properties(width=WIDTH, height=PAPER_HEIGHT, title=title)


# Judges as a map: how far each follows the others, and how often each prefers neither output.

MAP_HEIGHT: Final = 340
FEW_JUDGMENTS: Final = "too few judgments to tell"
FEW_JUDGES: Final = "too few judges to tell"
OPEN: Final = "open who is right"
# What a judge is drawn as: shape and colour
KINDS: Final = {
    "not flagged": ("circle", ACCENT),
    FEW_JUDGMENTS: ("circle", QUIET),
    FEW_JUDGES: ("circle", QUIET),
    OPEN: ("circle", QUIET),
    "odd habit": ("square", PALETTE[4]),
    "careless": ("triangle-up", CONTRAST),
    "reversed": ("diamond", PALETTE[3]),
}
EDGES: Final = (-2.0, 4.0)  # Slopes beyond these stand at the edge: they rest on few votes
# Most judges whose names stand on the map: flagged ones, and those of whom nothing is decided
MAX_NAMED_ON_MAP: Final = 8
# Width of the plot on a telephone, in pixels: names that would meet there are left out
PHONE_WIDTH: Final = 300


def draw_judge_map(rows: Sequence[Row], *, ties: bool = True) -> Any:
    # 0 and 1 are on the axis, wild slopes at its edge
    slopes = [row["slope"] for row in rows]
    low, high = max(min(*slopes, 0.0), EDGES[0]), min(max(*slopes, 1.0), EDGES[1])
    low, high = low - 0.06 * (high - low), high + 0.06 * (high - low)
    x = alt.X(
        "at:Q",
        title="follows the others: 1 as all together, 0 not at all",
        scale=alt.Scale(domain=[low, high], nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    if ties:
        axis = alt.Axis(format=".0%", grid=False, tickCount=5)
        y = alt.Y("ties:Q", title="prefers neither", axis=axis, scale=alt.Scale(zero=True))
    else:
        axis = alt.Axis(format="~s", grid=False, tickCount=5)
        y = alt.Y("n:Q", title="judgments", axis=axis, scale=alt.Scale(type="log"))
    placed = [{**row, "at": min(max(row["slope"], low), high)} for row in rows]
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    shapes, colours = (
        alt.Scale(domain=kinds, range=[KINDS[kind][look] for kind in kinds]) for look in (0, 1)
    )
    legend = alt.Legend(orient="top", columns=2, symbolOpacity=1)
    points = begin_chart(placed).mark_point(filled=True, opacity=0.8, strokeWidth=1)
    points = points.encode(
        x=x,
        y=y,
        shape=alt.Shape("kind:N", title=None, scale=shapes),
        color=alt.Color("kind:N", title=None, scale=colours, legend=legend),
        size=alt.Size("n:Q", legend=None, scale=alt.Scale(type="sqrt", range=[24, 260])),
        tooltip=list_tooltips(
            ("judge:N", "judge"),
            ("kind:N", "is"),
            ("flags:N", "flags"),
            ("slope:Q", "follows the others", ".2f"),
            ("ties:Q", "ties", ".0%"),
            ("n:Q", "judgments", ",d"),
            ("p_honest:Q", "P(honest)", ".3f"),
        ),
    )
    rules = begin_chart([{"at": at} for at in (0.0, 1.0) if low <= at <= high])
    rules = rules.mark_rule(color=QUIET, strokeDash=[2, 3], opacity=0.7).encode(x=x)
    layers = [rules, points]
    named = _choose_names(placed, (low, high), ties=ties)
    for side, align, shift in (("right", "left", 9), ("left", "right", -9)):
        beside = [row for row in named if row["side"] == side]
        if beside:
            text = begin_chart(beside).mark_text(
                align=align, dx=shift, fontSize=11, color=INK, limit=150
            )
            layers.append(text.encode(x=x, y=y, text=alt.Text(field="judge", type="nominal")))
    return alt.layer(*layers).properties(height=MAP_HEIGHT)


def _choose_names(rows: Sequence[Row], ends: tuple[float, float], *, ties: bool) -> list[Row]:
    low, high = ends
    flagged = [row for row in rows if row["flags"]][:MAX_NAMED_ON_MAP]
    if flagged:
        middle = (low + high) / 2
        return [{**row, "side": "right" if row["at"] <= middle else "left"} for row in flagged]
    undecided = [row for row in rows if row["kind"] in (FEW_JUDGES, OPEN)]
    undecided.sort(key=lambda row: row["p_honest"])
    across = [PHONE_WIDTH * (row["at"] - low) / (high - low) for row in undecided]
    up = [row["ties"] if ties else log(row["n"]) for row in undecided]
    most = max(up, default=0) or 1
    points = [(x, MAP_HEIGHT * y / most) for x, y in zip(across, up, strict=True)]
    placed = place_names(points, [row["judge"] for row in undecided], PHONE_WIDTH)
    return [{**undecided[name.at], "side": name.side} for name in placed[:MAX_NAMED_ON_MAP]]


def draw_scorers(rows: Sequence[Row], criteria: Sequence[str]) -> Any:
    plain = [dict(row) for row in rows]
    base = begin_chart(plain).encode(
        x=alt.X("gap:Q", title="scores higher than the others on the same outputs (points)"),
        y=alt.Y("distance:Q", title="mean distance from them (points)", scale=alt.Scale(zero=True)),
        tooltip=list_tooltips(
            ("judge:N",),
            ("criterion:N",),
            ("gap:Q", "", "+.2f"),
            ("distance:Q", "", ".2f"),
            ("shared:Q", "outputs shared", ","),
            ("flags:N", "flagged as"),
        ),
    )
    zero = begin_chart([{"at": 0}]).mark_rule(color=QUIET, strokeDash=[2, 3])
    points = base.mark_point(filled=True, size=60, opacity=0.8)
    layers = [zero.encode(x=alt.X("at:Q")), points.encode(color=encode_criterion(criteria))]
    flagged = [row for row in plain if row["flags"]]
    if flagged:
        marked = begin_chart(flagged).encode(x=alt.X("gap:Q"), y=alt.Y("distance:Q"))
        layers += [
            marked.mark_point(size=170, color=CONTRAST, strokeWidth=2),
            marked.mark_text(dy=-14, fontSize=11, color=INK).encode(text=alt.Text("judge:N")),
        ]
    return alt.layer(*layers).properties(height=PAPER_HEIGHT)


# How alike judges are: a square for each pair, judges who are alike side by side.
#
# Blue where two judges like the same outputs, brown where they like opposite ones; a blank square
# with a question mark where the ratings do not tell.

LIKENESS_TITLE: Final = "How alike judges are"
LIKENESS_SUBTITLE: Final = (
    "correlations in hundredths; blue: they like the same outputs; brown: opposite ones;"
    " ?: the ratings do not tell"
)


def draw_likeness(likeness: JudgeLikeness, *, width: int = WIDTH) -> Any:
    longest = max(len(f"{place} {name}") for place, name in enumerate(likeness.judges, start=1))
    names = min(LETTER * longest, NAMES * width)
    frame = MapFrame.of(likeness.judges, width)
    judges, width = len(likeness.judges), frame.width
    pairs = {
        (at, against): likeness.both[judge, other]
        for at, judge in enumerate(likeness.judges)
        for against, other in enumerate(likeness.judges)
        if other != judge
    }
    rows = [
        {
            "row": frame.labels[at],
            "against": against + 1,
            "judge": likeness.judges[at],
            "other": likeness.judges[against],
            **pick(pair, "correlation", "lower", "upper", "known"),
            "shown": f"{100 * pair.correlation:.0f}" if pair.known else "?",
        }
        for (at, against), pair in pairs.items()
    ]
    base = begin_chart(rows).encode(
        x=number_columns(judges, width - names, title="judge number"), y=frame.rows
    )
    colours: dict[float, str] = {-1: BROWN, 0: EVEN, 1: BLUE}
    shade = encode_shade("correlation:Q", "correlation", colours, "bottom", ".1~f")
    numbers = list_tooltips(
        *((f"{name}:Q", "", ".2f") for name in ("correlation", "lower", "upper"))
    )
    cells = base.mark_rect().encode(
        color=alt.condition("datum.known", shade, alt.value("white")),
        tooltip=["judge:N", "other:N", *numbers],
    )
    # Hundredths where they have room; elsewhere only what is not known
    written = base
    if (width - names) / judges < NUMBER_ROOM:
        written = base.transform_filter("!datum.known")
    colour = write_light_on(f"datum.known && abs(datum.correlation) > {TURN}")
    texts = written.mark_text(fontSize=10).encode(text="shown:N", color=colour)
    sized = {"height": frame.step * judges, **fit_width(LIKENESS_TITLE, LIKENESS_SUBTITLE, width)}
    return dress(alt.layer(cells, texts).properties(**sized))


CURVES_HEIGHT: Final = 260
ITEMS_HEIGHT: Final = 240
POSITION_ROW: Final = 20  # Height of a judge's row, in pixels
SOURCE_BAR: Final = 22  # Height of a bar
ITEM_ROW: Final = 26  # Height of an item's row
# What a colour says of a judge
POSITION_KINDS: Final = {"like the others": ACCENT, "stands out": CONTRAST}
SEEN: Final = "these judges"
BLIND: Final = "blind answers"
ITEM_SIDES: Final = ("wins there", "loses there")


def draw_curves(rows: Sequence[Row], criteria: Sequence[str]) -> Any:
    """Draw how often two judges are at most n points apart; rows: criterion, apart, share."""
    share = alt.Y(
        "share:Q",
        title="pairs of judges of an output",
        axis=alt.Axis(format=".0%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    base = begin_chart([dict(row) for row in rows]).encode(
        x=alt.X("apart:Q", title="at most so many points apart"),
        y=share,
        color=encode_criterion(criteria),
        tooltip=list_tooltips(
            ("criterion:N",), ("apart:Q", "at most apart"), ("share:Q", "", ".1%")
        ),
    )
    layers = (base.mark_line(strokeWidth=1.5), base.mark_point(filled=True, size=50, opacity=1))
    return alt.layer(*layers).properties(height=CURVES_HEIGHT)


def draw_positions(rows: Sequence[Row], common: float) -> Any:
    """Draw each judge's share for the first output, between equals, with its interval.

    rows: in the order in which they are drawn: judge, share, lower, upper (proportions), first,
        second, n (counts), kind of POSITION_KINDS.
    """
    spans = alt.Scale(domain=[0, 1])
    axis = alt.Axis(format=".0%", tickCount=5)
    title = "first output preferred, between equals (shrunken)"
    x, lower = (
        alt.X(f"{key}:Q", title=title, scale=spans, axis=axis) for key in ("share", "lower")
    )
    tooltip = list_tooltips(
        ("judge:N", "judge"),
        ("share:Q", "first preferred, between equals (shrunken)", ".0%"),
        ("lower:Q", "from", ".0%"),
        ("upper:Q", "to", ".0%"),
        ("first:Q", "preferred the first", ",.6~r"),
        ("second:Q", "preferred the second", ",.6~r"),
        ("n:Q", "comparisons", ",.6~r"),
        ("kind:N", "this judge"),
    )
    base = begin_chart(rows).encode(
        y=name_axis("judge:N", [row["judge"] for row in rows]),
        color=encode_kind(POSITION_KINDS),
        tooltip=tooltip,
    )
    layers = []
    for at, colour, dash, name in (
        (0.5, QUIET, [4, 3], "no bias"),
        (common, INK, [1, 0], "all judges together"),
    ):
        line = begin_chart([{"at": at, "line": name}]).mark_rule(color=colour, strokeDash=dash)
        tooltip = list_tooltips(("line:N",), ("at:Q", "", ".1%"))
        layers.append(line.encode(x=alt.X("at:Q", scale=spans, axis=axis), tooltip=tooltip))
    layers += [
        base.mark_rule(strokeWidth=2).encode(x=lower, x2=alt.X2(field="upper")),
        base.mark_point(filled=True, size=55, opacity=1).encode(x=x),
    ]
    return alt.layer(*layers).properties(height=POSITION_ROW * len(rows))


def draw_parts(rows: Sequence[Row], sources: Sequence[str], criteria: Sequence[str]) -> Any:
    """Draw shares of variance, a bar for each source; rows: criterion, source, share, sd."""
    axis = alt.Axis(labelLimit=190, labelColor=INK)
    encoded: dict[str, Any] = {
        "y": alt.Y("source:N", title=None, sort=list(sources), axis=axis),
        "x": alt.X(
            "share:Q", title="share of the variance of one score", axis=alt.Axis(format=".0%")
        ),
        "color": encode_criterion(criteria),
        "tooltip": list_tooltips(
            ("criterion:N",),
            ("source:N",),
            ("share:Q", "", ".1%"),
            ("sd:Q", "standard deviation", ".3g"),
        ),
    }
    if len(criteria) > 1:
        encoded["yOffset"] = alt.YOffset("criterion:N", sort=list(criteria))
    height = len(sources) * (SOURCE_BAR + 8 * (len(criteria) - 1))
    chart = begin_chart([dict(row) for row in rows]).mark_bar().encode(**encoded)
    return chart.properties(height=height)


def draw_shares(rows: Sequence[Row]) -> Any:
    order = list(dict.fromkeys(row["share"] for row in rows))
    base = begin_chart(rows).encode(
        x=alt.X(
            "share:N",
            title="pairs of votes that agree on which output is better",
            sort=order,
            axis=alt.Axis(labelAngle=0, labelOverlap=True),
        ),
        y=alt.Y("items:Q", title="items", axis=alt.Axis(tickCount=5)),
        color=encode_colour("who:N", (SEEN, BLIND)),
        tooltip=list_tooltips(("share:N", "agree"), ("who:N", "by"), ("items:Q", "items", ",.1f")),
    )
    bars = base.transform_filter(f"datum.who === '{SEEN}'").mark_bar(opacity=0.55)
    ticks = base.transform_filter(f"datum.who === '{BLIND}'").mark_tick(thickness=3, size=26)
    return alt.layer(bars, ticks).properties(height=ITEMS_HEIGHT)


def draw_sides(rows: Sequence[Row], systems: Sequence[str]) -> Any:
    items = list(dict.fromkeys(row["item"] for row in rows))
    across = alt.Axis(labelAngle=-60, labelLimit=130, labelColor=INK, orient="top")
    down = alt.Axis(labelLimit=150, labelColor=INK, grid=True)
    colours, shapes = (
        alt.Scale(domain=list(ITEM_SIDES), range=looks)
        for looks in ([ACCENT, CONTRAST], ["circle", "square"])
    )
    legend = alt.Legend(orient="top", symbolOpacity=1)
    points = begin_chart(rows).mark_point(filled=True, opacity=0.85)
    points = points.encode(
        x=alt.X("system:N", title=None, sort=list(systems), axis=across),
        y=alt.Y("item:N", title=None, sort=items, axis=down),
        size=alt.Size("strength:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[6, 200])),
        color=alt.Color("side:N", title=None, scale=colours, legend=legend),
        shape=alt.Shape("side:N", title=None, scale=shapes),
        tooltip=list_tooltips(
            ("item:N", "item"),
            ("system:N", "system"),
            ("net:Q", "wins less losses", "+.0%"),
            ("votes:Q", "of votes"),
        ),
    )
    return points.properties(height=ITEM_ROW * len(items))
