"""Judges and items drawn: figures 2 to 5 of Hamon, Mostefa & Arranz (2007), maps, bars, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import log
from typing import Any, Final

from evenhand.judges.diagnosis_result import Diagnosis
from evenhand.judges.profiles import JudgeProfile, Outliers
from evenhand.ratings.process_comparison import JudgeLikeness
from evenhand.report.document import Row
from evenhand.report.figures.drawing import name_files, place_names
from evenhand.report.figures.style import (
    ACCENT,
    CONTRAST,
    GRID,
    INK,
    PALETTE,
    QUIET,
    WIDTH,
    Axis,
    Canvas,
    Chart,
    draw_points,
    draw_sized,
    write,
    write_share,
)
from evenhand.report.figures.systems import (
    Cell,
    MapFrame,
    draw_removals,
    draw_systems,
    look_up,
    paint_map,
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
WITHIN: Final = {"within": ACCENT, "outside": CONTRAST}


def draw_judges(diagnosis: Diagnosis) -> dict[str, Chart]:
    figures: dict[str, Chart] = {}
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
            values = {"gap": [profile.gap for profile in ordered]}
            title = "own mean − others' on the same outputs, points"
            rows = _tell_outside(ordered, values, score)
            figures[f"judges-mean{tail}"] = _draw_ordered(
                rows, score, ("gap", title), ("Gap to the others by judge", below), WITHIN
            )
        elif diagnosis.reading == "mean" and profiles:
            figures[f"judges-mean{tail}"] = _draw_means(profiles, score)
        if shared:
            distance = diagnosis.outliers_of("mean-agreement", criterion)
            figures[f"judges-distance{tail}"] = _draw_distances(shared, distance)
        if any(removal.criterion == criterion for removal in diagnosis.removals):
            figures[f"removal{tail}"] = draw_removals(diagnosis, criterion)
    return figures


def _draw_means(profiles: Sequence[JudgeProfile], limits: Outliers) -> Chart:
    """Figures 2 and 3: judges sorted by their mean, beside the others on the same outputs."""
    ordered = sorted(profiles, key=lambda profile: (profile.mean, profile.judge))
    rows = [
        {"judge": profile.judge, "place": place, "who": who, "mean": value}
        for place, profile in enumerate(ordered, start=1)
        for who, value in zip(WHOSE, (profile.mean, profile.others_mean), strict=True)
        if value is not None
    ]
    below = f"{len(ordered)} judges; dashed: centre and limits, outside {len(limits.judges)}"
    looks = dict(zip(WHOSE, PALETTE, strict=False))
    words = ("Mean score by judge", below)
    return _draw_ordered(rows, limits, ("mean", "mean score"), words, looks, joined=True)


def _draw_distances(profiles: Sequence[JudgeProfile], limits: Outliers) -> Chart:
    """Figures 4 and 5: judges sorted by their mean distance from the others."""
    known = [profile for profile in profiles if profile.mean_agreement is not None]
    ordered = sorted(known, key=lambda profile: (profile.mean_agreement or 0.0, profile.judge))
    below = f"{len(ordered)} judges, 0 is agreement; outside {len(limits.judges)}"
    values = {"distance": [profile.mean_agreement for profile in ordered]}
    rows = _tell_outside(ordered, values, limits)
    key = ("distance", "mean distance |own − other|, points")
    return _draw_ordered(rows, limits, key, ("Mean agreement by judge", below), WITHIN, zero=True)


def _tell_outside(
    ordered: Sequence[JudgeProfile], values: Mapping[str, Sequence[float | None]], limits: Outliers
) -> list[dict[str, Any]]:
    """Return a row for each judge, with whether it is outside."""
    ((name, heights),) = values.items()
    outside = {*limits.judges}
    return [
        {
            "judge": profile.judge,
            "place": place,
            name: height,
            "who": "outside" if profile.judge in outside else "within",
        }
        for place, (profile, height) in enumerate(zip(ordered, heights, strict=True), start=1)
    ]


def _draw_ordered(
    rows: Sequence[Row],
    limits: Outliers,
    key: tuple[str, str],
    words: tuple[str, str],
    looks: Mapping[str, str],
    *,
    joined: bool = False,
    zero: bool = False,
) -> Chart:
    """Draw judges side by side over the centre and the limits that the method has.

    key: of the rows, and the title of its axis.
    words: title, and what stands below it.
    looks: who → colour.
    """
    drawn = {"centre": limits.centre, "lower limit": limits.lower, "upper limit": limits.upper}
    rules = [
        {"at": value, "what": what, "width": 1.2 if what == "centre" else 0.8}
        for what, value in drawn.items()
        if value is not None
    ]
    title = f"{words[0]}, {limits.criterion}" if limits.criterion else words[0]
    paint = partial(_paint_ordered, rows, rules, key, looks, joined=joined, zero=zero)
    return Chart(paint, (rules, rows), title, words[1])


def _paint_ordered(
    rows: Sequence[Row],
    rules: Sequence[Row],
    key: tuple[str, str],
    looks: Mapping[str, str],
    canvas: Canvas,
    *,
    joined: bool,
    zero: bool,
) -> None:
    name, title = key
    judges = {row["place"]: row["judge"] for row in rows}
    values = [row[name] for row in rows] + [rule["at"] for rule in rules]
    seen = [who for who in looks if any(row["who"] == who for row in rows)]
    canvas.legend([(who, looks[who], "o") for who in seen])
    if len(judges) > MAX_NAMED_ON_AXIS:
        x = Axis(0.5, len(judges) + 0.5, "judges, lowest first", whole=True, grid=False)
    else:
        names = [*judges.values()]
        x = Axis(0.4, len(names) + 0.6, "judges, lowest first", ticks=[*judges], names=names)
    y = Axis.around([*values, 0.0] if zero else values, title)
    ax = canvas.axes(PAPER_HEIGHT, x, y)
    for rule in rules:
        look = {"color": INK, "linewidth": rule["width"], "linestyle": (0, (2, 3))}
        ax.axhline(rule["at"], **look)
    for who in seen:
        points = [(row["place"], row[name]) for row in rows if row["who"] == who]
        if joined:
            ax.plot(*zip(*points, strict=True), color=looks[who], linewidth=1.2)
        draw_points(ax, points, looks[who], size=5 if joined else 6)


# Judges as a map: how far each follows the others, and how often each prefers neither output.

MAP_HEIGHT: Final = 340
FEW_JUDGMENTS: Final = "too few judgments to tell"
FEW_JUDGES: Final = "too few judges to tell"
OPEN: Final = "open who is right"
# What a judge is drawn as: mark and colour
KINDS: Final = {
    "not flagged": ("o", ACCENT),
    FEW_JUDGMENTS: ("o", QUIET),
    FEW_JUDGES: ("o", QUIET),
    OPEN: ("o", QUIET),
    "odd habit": ("s", PALETTE[4]),
    "careless": ("^", CONTRAST),
    "reversed": ("D", PALETTE[3]),
}
EDGES: Final = (-2.0, 4.0)  # Slopes beyond these stand at the edge: they rest on few votes
# Most judges whose names stand on the map: flagged ones, and those of whom nothing is decided
MAX_NAMED_ON_MAP: Final = 8
# Width of the plot on a telephone, in pixels: names that would meet there are left out
PHONE_WIDTH: Final = 300


def draw_judge_map(rows: Sequence[Row], *, ties: bool = True) -> Chart:
    """Draw judges, agreement across and severity upwards."""
    # 0 and 1 are on the axis, wild slopes at its edge
    slopes = [row["slope"] for row in rows]
    low, high = max(min(*slopes, 0.0), EDGES[0]), min(max(*slopes, 1.0), EDGES[1])
    low, high = low - 0.06 * (high - low), high + 0.06 * (high - low)
    placed = [{**row, "at": min(max(row["slope"], low), high)} for row in rows]
    rules = [{"at": at} for at in (0.0, 1.0) if low <= at <= high]
    named = _choose_names(placed, (low, high), ties=ties)
    beside = [[row for row in named if row["side"] == side] for side in ("right", "left")]
    paint = partial(_paint_judge_map, placed, rules, beside, (low, high), ties=ties)
    return Chart(paint, (rules, placed, *filter(None, beside)))


def _paint_judge_map(
    rows: Sequence[Row],
    rules: Sequence[Row],
    named: Sequence[Sequence[Row]],
    ends: tuple[float, float],
    canvas: Canvas,
    *,
    ties: bool,
) -> None:
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    canvas.legend([(kind, KINDS[kind][1], KINDS[kind][0]) for kind in kinds])
    x = Axis(*ends, "follows the others: 1 as all together, 0 not at all", grid=False)
    if ties:
        most = max(row["ties"] for row in rows) or 1.0
        y = Axis(-0.03 * most, 1.06 * most, "prefers neither", write_share, grid=False)
    else:
        n = [row["n"] for row in rows]
        y = Axis(min(n) / 1.3, max(n) * 1.3, "judgments", log=True, grid=False)
    ax = canvas.axes(MAP_HEIGHT, x, y)
    for rule in rules:
        ax.axvline(rule["at"], color=QUIET, linewidth=1, linestyle=(0, (2, 3)), alpha=0.7)
    up = "ties" if ties else "n"
    busiest = max(row["n"] for row in rows) or 1
    for kind in kinds:
        of_kind = [row for row in rows if row["kind"] == kind]
        sizes = [24 + 236 * (row["n"] / busiest) ** 0.5 for row in of_kind]
        points = [(row["at"], row[up]) for row in of_kind]
        draw_sized(ax, points, sizes, KINDS[kind], alpha=0.8)
    for side, shift, ha in zip(named, (10, -10), ("left", "right"), strict=True):
        for row in side:
            write(
                ax,
                (row["at"], row[up]),
                row["judge"],
                (1.3 * shift, 0),
                colour=INK,
                ha=ha,
                va="center",
            )


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


def draw_scorers(rows: Sequence[Row], criteria: Sequence[str]) -> Chart:
    """Draw judges of ratings: how high each scores, against how far from the others."""
    plain = [dict(row) for row in rows]
    flagged = [row for row in plain if row["flags"]]
    zero = [{"at": 0}]
    layers = (zero, plain, flagged) if flagged else (zero, plain)
    return Chart(partial(_paint_scorers, plain, flagged, criteria), layers)


def _paint_scorers(
    rows: Sequence[Row], flagged: Sequence[Row], criteria: Sequence[str], canvas: Canvas
) -> None:
    colours = _colour_criteria(criteria, canvas)
    far = max(row["distance"] for row in rows) or 1.0
    x = Axis.around(
        [0.0, *(row["gap"] for row in rows)], "scores higher than the others on the same outputs"
    )
    y = Axis(-0.03 * far, 1.1 * far, "mean distance from them (points)")
    ax = canvas.axes(PAPER_HEIGHT, x, y, right=24)
    ax.axvline(0, color=QUIET, linewidth=1, linestyle=(0, (2, 3)))
    for name, colour in colours.items():
        points = [(row["gap"], row["distance"]) for row in rows if row["criterion"] == name]
        draw_points(ax, points, colour, size=8, alpha=0.8)
    for row in flagged:
        at = (row["gap"], row["distance"])
        ax.plot(*at, marker="o", markersize=14, color=CONTRAST, fillstyle="none", linewidth=0)
        left = row["gap"] > (x.low + x.high) / 2
        shift, ha = ((-11, 0), "right") if left else ((11, 0), "left")
        write(ax, at, row["judge"], shift, colour=INK, ha=ha, va="center")


def _colour_criteria(criteria: Sequence[str], canvas: Canvas, mark: str = "o") -> dict[str, str]:
    """Return a colour for each criterion, with a legend where there are several."""
    colours = {name: PALETTE[at % len(PALETTE)] for at, name in enumerate(criteria)}
    if len(criteria) > 1:
        canvas.legend([(name, colour, mark) for name, colour in colours.items()])
    return colours


# How alike judges are: a square for each pair, judges who are alike side by side.
#
# Blue where two judges like the same outputs, brown where they like opposite ones; a blank square
# with a question mark where the ratings do not tell.

LIKENESS_TITLE: Final = "How alike judges are"
LIKENESS_SUBTITLE: Final = (
    "correlations in hundredths; blue: they like the same outputs; brown: opposite ones;"
    " ?: the ratings do not tell"
)


def draw_likeness(likeness: JudgeLikeness, *, width: int = WIDTH) -> Chart:
    frame = MapFrame.of(likeness.judges, width)
    rows, cells = [], []
    for at, judge in enumerate(likeness.judges):
        for against, other in enumerate(likeness.judges):
            if other == judge:
                continue
            pair = likeness.both[judge, other]
            shown = f"{100 * pair.correlation:.0f}" if pair.known else "?"
            cells.append(Cell(at, against, pair.correlation if pair.known else None, shown))
            rows.append(
                {
                    "row": frame.labels[at],
                    "against": against + 1,
                    "judge": judge,
                    "other": other,
                    "correlation": pair.correlation,
                    "lower": pair.lower,
                    "upper": pair.upper,
                    "known": pair.known,
                    "shown": shown,
                }
            )
    scale = {-1.0: "−1", 0.0: "0", 1.0: "1"}
    paint = partial(paint_map, frame, cells, (scale, "correlation"), ())
    paint = partial(paint, across="judge number")
    return Chart(paint, (rows,), LIKENESS_TITLE, LIKENESS_SUBTITLE, frame.width)


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


def draw_curves(rows: Sequence[Row], criteria: Sequence[str]) -> Chart:
    """Draw how often two judges are at most n points apart; rows: criterion, apart, share."""
    drawn = [dict(row) for row in rows]
    return Chart(partial(_paint_curves, drawn, criteria), (drawn,))


def _paint_curves(rows: Sequence[Row], criteria: Sequence[str], canvas: Canvas) -> None:
    colours = _colour_criteria(criteria, canvas)
    last = max(row["apart"] for row in rows)
    x = Axis(-0.03 * last, 1.03 * last or 1, "at most so many points apart", grid=False)
    y = Axis(0, 1.02, "pairs of judges of an output", write_share)
    ax = canvas.axes(CURVES_HEIGHT, x, y)
    for name, colour in colours.items():
        points = [(row["apart"], row["share"]) for row in rows if row["criterion"] == name]
        if points:
            ax.plot(*zip(*points, strict=True), color=colour, linewidth=1.5)
        draw_points(ax, points, colour)


def draw_positions(rows: Sequence[Row], common: float) -> Chart:
    """Draw each judge's share for the first output, between equals, with its interval.

    rows: in the order in which they are drawn: judge, share, lower, upper (proportions), first,
        second, n (counts), kind of POSITION_KINDS.
    """
    lines = [
        [{"at": at, "line": name}]
        for at, name in ((0.5, "no bias"), (common, "all judges together"))
    ]
    return Chart(partial(_paint_positions, rows, common), (*lines, rows))


def _paint_positions(rows: Sequence[Row], common: float, canvas: Canvas) -> None:
    seen = [kind for kind in POSITION_KINDS if any(row["kind"] == kind for row in rows)]
    lines = [("all judges together", INK, "|")]
    canvas.legend([*((kind, POSITION_KINDS[kind], "o") for kind in seen), *lines])
    title = "first output preferred, between equals (shrunken)"
    x = Axis(0, 1, title, write_share)
    ax = canvas.axes(
        POSITION_ROW * len(rows), x, Axis.of_names([row["judge"] for row in rows]), right=22
    )
    ax.axvline(0.5, color=QUIET, linewidth=1, linestyle=(0, (4, 3)))
    ax.axvline(common, color=INK, linewidth=1)
    for kind in seen:
        held = [(at, row) for at, row in enumerate(rows) if row["kind"] == kind]
        ends = [(row["lower"], row["upper"]) for _, row in held]
        ax.hlines(
            [at for at, _ in held],
            *zip(*ends, strict=True),
            color=POSITION_KINDS[kind],
            linewidth=2,
        )
        draw_points(ax, [(row["share"], at) for at, row in held], POSITION_KINDS[kind], size=7.5)


def draw_parts(rows: Sequence[Row], sources: Sequence[str], criteria: Sequence[str]) -> Chart:
    """Draw shares of variance, a bar for each source; rows: criterion, source, share, sd."""
    drawn = [dict(row) for row in rows]
    return Chart(partial(_paint_parts, drawn, sources, criteria), (drawn,))


def _paint_parts(
    rows: Sequence[Row], sources: Sequence[str], criteria: Sequence[str], canvas: Canvas
) -> None:
    colours = _colour_criteria(criteria, canvas, "s")
    shares = [row["share"] for row in rows]
    x = Axis(
        min(*shares, 0.0), 1.02 * max(shares), "share of the variance of one score", write_share
    )
    height = len(sources) * (SOURCE_BAR + 8 * (len(criteria) - 1))
    ax = canvas.axes(height, x, Axis.of_names(sources), right=22)
    thick = 0.8 / len(criteria)
    for place, (name, colour) in enumerate(colours.items()):
        bars = [
            (sources.index(row["source"]), row["share"]) for row in rows if row["criterion"] == name
        ]
        shift = (place - (len(criteria) - 1) / 2) * thick
        if bars:
            at, sizes = zip(*bars, strict=True)
            ax.barh([row + shift for row in at], sizes, 0.94 * thick, color=colour, linewidth=0)


def draw_shares(rows: Sequence[Row]) -> Chart:
    """Draw how many items are how one-sided, seen and where answers are blind."""
    return Chart(partial(_paint_shares, rows), (rows,))


def _paint_shares(rows: Sequence[Row], canvas: Canvas) -> None:
    order = list(dict.fromkeys(row["share"] for row in rows))
    canvas.legend([(SEEN, (ACCENT, 0.55), "s"), (BLIND, CONTRAST, "")])
    most = max(row["items"] for row in rows) or 1.0
    title = "pairs of votes that agree on which output is better"
    x = Axis.of_names(order, down=False, title=title)
    ax = canvas.axes(ITEMS_HEIGHT, x, Axis(0, 1.05 * most, "items"))
    for who in (SEEN, BLIND):
        held = [(order.index(row["share"]), row["items"]) for row in rows if row["who"] == who]
        if held and who == SEEN:
            at, items = zip(*held, strict=True)
            ax.bar(at, items, 0.84, color=ACCENT, alpha=0.55, linewidth=0)
        for place, height in held if who == BLIND else ():
            ax.plot((place - 0.4, place + 0.4), (height, height), color=CONTRAST, linewidth=3)


def draw_sides(rows: Sequence[Row], systems: Sequence[str]) -> Chart:
    """Draw which systems win and lose on the most one-sided items."""
    return Chart(partial(_paint_sides, rows, systems), (rows,))


def _paint_sides(rows: Sequence[Row], systems: Sequence[str], canvas: Canvas) -> None:
    looks = look_up(ITEM_SIDES)
    canvas.legend([(side, *look) for side, look in looks.items()])
    items = list(dict.fromkeys(row["item"] for row in rows))
    x = Axis.of_names(systems, down=False, top=True)
    y = Axis.of_names(items)
    right = 10.0 + 6 * max(map(len, systems)) * (len(systems) > 4) * 0.5
    ax = canvas.axes(ITEM_ROW * len(items), x, y, right=min(right, 70))
    ax.hlines(range(len(items)), -0.5, len(systems) - 0.5, color=GRID, linewidth=1, zorder=0)
    for side, (colour, mark) in looks.items():
        held = [row for row in rows if row["side"] == side]
        sizes = [6 + 194 * row["strength"] for row in held]
        points = [(systems.index(row["system"]), items.index(row["item"])) for row in held]
        draw_sized(ax, points, sizes, (mark, colour), alpha=0.85)
