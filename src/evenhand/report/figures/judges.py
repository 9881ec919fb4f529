"""Judges and items drawn: figures 2 to 5 of Hamon, Mostefa & Arranz (2007), maps, bars, curves."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any, Final

from evenhand.judges.diagnosis import Diagnosis
from evenhand.judges.outliers import JudgeProfile, Outliers
from evenhand.ratings.process_comparison import JudgeLikeness
from evenhand.render.document import Row
from evenhand.report.document import pick
from evenhand.report.figures import style
from evenhand.report.figures.style import name_files, place_names
from evenhand.report.figures.systems import draw_map, draw_removals, draw_systems, name_rows

# The figures of Hamon, Mostefa & Arranz (2007) on the user's data.
#
#     systems          figure 1   scores of systems under two criteria, input types apart
#     judges-mean      2 and 3    each judge's mean beside the others' mean on the same outputs
#     judges-distance  4 and 5    each judge's mean distance from the others
#     removal          7          scores of systems by all judges and without those outside

# Most judges whose names stand under the axis; more are numbered by their order alone
MAX_NAMED_ON_AXIS: Final = 30
WHOSE: Final = {"the judge": (style.ACCENT, "o"), "others, same outputs": (style.CONTRAST, "o")}
WITHIN: Final = {"within": (style.ACCENT, "o"), "outside": (style.CONTRAST, "o")}

# Attribute of a judge's profile → method of outliers, file, key of rows, title of the axis, title
ORDERED: Final = {
    "gap": (
        *("mean-score", "judges-mean", "gap"),
        *("own mean − others' on the same outputs, points", "Gap to the others by judge"),
    ),
    "mean": ("mean-score", "judges-mean", "mean", "mean score", "Mean score by judge"),
    "mean_agreement": (
        *("mean-agreement", "judges-distance", "distance"),
        *("mean distance |own − other|, points", "Mean agreement by judge"),
    ),
}


def draw_judges(diagnosis: Diagnosis) -> dict[str, style.Chart]:
    figures: dict[str, style.Chart] = {}
    criteria = diagnosis.criteria
    tails = {name: f"-{file}" for name, file in name_files(filter(None, criteria)).items()}
    for criterion in criteria:
        tail = tails.get(criterion, "")
        profiles = diagnosis.profiles.get(criterion, ())
        for attribute in (diagnosis.reading, "mean_agreement"):
            if any(getattr(profile, attribute) is not None for profile in profiles):
                method, file, *_ = ORDERED[attribute]
                limits = diagnosis.outliers_of(method, criterion)
                figures[f"{file}{tail}"] = _draw_ordered(profiles, limits, attribute)
        if any(removal.criterion == criterion for removal in diagnosis.removals):
            figures[f"removal{tail}"] = draw_removals(diagnosis, criterion)
    return figures if len(criteria) < 2 else {**figures, "systems": draw_systems(diagnosis)}


def _draw_ordered(
    profiles: Sequence[JudgeProfile], limits: Outliers, attribute: str
) -> style.Chart:
    name, title, head = ORDERED[attribute][2:]
    valued = ((getattr(profile, attribute), profile) for profile in profiles)
    known = [(value, profile) for value, profile in valued if value is not None]
    known.sort(key=lambda pair: (pair[0], pair[1].judge))
    looks = WHOSE if name == "mean" else WITHIN
    rows: list[dict[str, Any]] = []
    for place, (value, profile) in enumerate(known, start=1):
        row = {"judge": profile.judge, "place": place}
        if name == "mean":
            both = zip(WHOSE, (value, profile.others_mean), strict=True)
            rows += [{**row, "who": who, name: one} for who, one in both if one is not None]
        else:
            who = "outside" if profile.judge in limits.judges else "within"
            rows.append({**row, name: value, "who": who})
    ends = {"centre": limits.centre, "lower limit": limits.lower, "upper limit": limits.upper}
    rules: list[dict[str, Any]] = [
        {"at": at, "what": what, "width": 1.2 if what == "centre" else 0.8}
        for what, at in ends.items()
        if at is not None
    ]
    judges = [profile.judge for _, profile in known]
    count, axis = len(judges), "judges, lowest first"
    x, across = style.Axis.of_columns(judges, axis), "at"
    if count > MAX_NAMED_ON_AXIS:
        x, across = style.Axis(0.5, count + 0.5, axis, whole=True, grid=False), "place"
    zero = [0.0] if name == "distance" else []
    y = style.Axis.around([row[name] for row in rows] + [one["at"] for one in rules] + zero, title)
    drawn = [{**row, "at": row["place"] - 1} for row in rows]
    joined = 1.2 if name == "mean" else 0.0
    marks = [style.rule(one["at"], style.INK, across=True) for one in rules]
    marks += style.series(drawn, (across, name), looks, "who", size=5.5, joined=joined)
    head = f"{head}, {limits.criterion}" if limits.criterion else head
    below = f"{count} judges; dashed: centre and limits, outside {len(limits.judges)}"
    if name == "distance":
        below = f"{count} judges, 0 is agreement; outside {len(limits.judges)}"
    return style.Chart((rules, rows), x, y, marks).name(head, below)


# Judges as a map: how far each follows the others, and how often each prefers neither output.

MAP_HEIGHT: Final = 340
FEW_JUDGMENTS: Final = "too few judgments to tell"
FEW_JUDGES: Final = "too few judges to tell"
OPEN: Final = "open who is right"
KINDS: Final = {
    "not flagged": (style.ACCENT, "o"),
    FEW_JUDGMENTS: (style.QUIET, "o"),
    FEW_JUDGES: (style.QUIET, "o"),
    OPEN: (style.QUIET, "o"),
    "odd habit": (style.PALETTE[4], "s"),
    "careless": (style.CONTRAST, "^"),
    "reversed": (style.PALETTE[3], "D"),
}
EDGES: Final = (-2.0, 4.0)  # Slopes beyond these stand at the edge: they rest on few votes
# Most judges whose names stand on the map: flagged ones, and those of whom nothing is decided
MAX_NAMED_ON_MAP: Final = 8
# Width of the plot on a telephone, in pixels: names that would meet there are left out
PHONE_WIDTH: Final = 300


def draw_judge_map(rows: Sequence[Row], *, ties: bool = True) -> style.Chart:
    # 0 and 1 are on the axis, wild slopes at its edge
    slopes = [row["slope"] for row in rows]
    low, high = max(min(*slopes, 0.0), EDGES[0]), min(max(*slopes, 1.0), EDGES[1])
    low, high = low - 0.06 * (high - low), high + 0.06 * (high - low)
    drawn = [{**row, "at": min(max(row["slope"], low), high)} for row in rows]
    rules: list[Row] = [{"at": at} for at in (0.0, 1.0) if low <= at <= high]
    flagged = [row for row in drawn if row["flags"]]
    undecided = [row for row in drawn if row["kind"] in (FEW_JUDGES, OPEN)]
    named = _choose_names(flagged, undecided, (low, high), ties=ties)
    told = (len(named), len(flagged), "flagged judges")
    told = told if flagged else (len(named), len(undecided), "undecided judges")
    beside = [[row for row in named if row["side"] == side] for side in ("right", "left")]
    x = style.Axis(low, high, "follows the others: 1 as all together, 0 not at all", grid=False)
    n = [row["n"] for row in rows]
    y = style.Axis(min(n) / 1.3, max(n) * 1.3, "judgments", log=True, grid=False)
    if ties:
        most = max(row["ties"] for row in rows) or 1.0
        y = style.Axis(-0.03 * most, 1.06 * most, "prefers neither", style.write_share, grid=False)
    up = "ties" if ties else "n"
    sizes = [round((24 + 236 * (count / (max(n) or 1)) ** 0.5) ** 0.5) for count in n]
    large = [{**row, "size": size} for row, size in zip(drawn, sizes, strict=True)]
    marks = [
        *(style.rule(one["at"]) for one in rules),
        *style.series(large, ("at", up), KINDS, size="size", alpha=0.8),
        *style.name_points(beside, ("at", up), "judge"),
    ]
    return style.Chart((rules, drawn, *filter(None, beside)), x, y, marks, MAP_HEIGHT, named=told)


def _choose_names(
    flagged: Sequence[Row], others: Sequence[Row], ends: tuple[float, float], *, ties: bool
) -> list[Row]:
    low, high = ends
    if flagged:
        middle, first = (low + high) / 2, flagged[:MAX_NAMED_ON_MAP]
        return [{**row, "side": "right" if row["at"] <= middle else "left"} for row in first]
    undecided = sorted(others, key=lambda row: row["p_honest"])
    across = [PHONE_WIDTH * (row["at"] - low) / (high - low) for row in undecided]
    up = [row["ties"] if ties else log(row["n"]) for row in undecided]
    most = max(up, default=0) or 1
    points = [(x, MAP_HEIGHT * y / most) for x, y in zip(across, up, strict=True)]
    placed = place_names(points, [row["judge"] for row in undecided], PHONE_WIDTH)
    return [{**undecided[name.at], "side": name.side} for name in placed[:MAX_NAMED_ON_MAP]]


def draw_scorers(rows: Sequence[Row], criteria: Sequence[str]) -> style.Chart:
    """Draw judges of ratings: how high each scores, against how far from the others."""
    plain = [dict(row) for row in rows]
    flagged = [row for row in plain if row["flags"]]
    far = max(row["distance"] for row in rows) or 1.0
    title = "scores higher than the others on the same outputs"
    x = style.Axis.around([0.0, *(row["gap"] for row in rows)], title)
    y = style.Axis(-0.03 * far, 1.1 * far, "mean distance from them (points)")
    looks, keys = style.look_up(criteria, "o"), ("gap", "distance")
    beside = [
        [row for row in flagged if (x.place(row["gap"]) > 0.5) is left] for left in (False, True)
    ]
    rings = [(row["gap"], row["distance"]) for row in flagged]
    marks = [
        style.rule(0),
        style.plot(rings, style.CONTRAST, 14, mark=style.HOLLOW),
        *style.series(plain, keys, looks, "criterion", size=8, alpha=0.8),
        *style.name_points(beside, keys, "judge"),
    ]
    layers = ([{"at": 0}], plain, *filter(None, [flagged]))
    return style.Chart(layers, x, y, marks, right=24)


# How alike judges are: a square for each pair, judges who are alike side by side.
#
# Blue where two judges like the same outputs, brown where they like opposite ones; a blank square
# with a question mark where the ratings do not tell.

LIKENESS: Final = (
    "How alike judges are",
    "correlations in hundredths; blue: they like the same outputs; brown: opposite ones;"
    " ?: the ratings do not tell",
)


def draw_likeness(likeness: JudgeLikeness) -> style.Chart:
    judges = likeness.judges
    labels = name_rows(judges)
    pairs = [(i, j) for i in range(len(judges)) for j in range(len(judges)) if i != j]
    both = [likeness.both[judges[i], judges[j]] for i, j in pairs]
    rows = [
        {
            "row": labels[i],
            "against": j + 1,
            "judge": judges[i],
            "other": judges[j],
            **pick(pair, "correlation", "lower", "upper", "known"),
            "shown": f"{100 * pair.correlation:.0f}" if pair.known else "?",
        }
        for (i, j), pair in zip(pairs, both, strict=True)
    ]
    shades = ({-1.0: "−1", 0.0: "0", 1.0: "1"}, "correlation")
    return draw_map(judges, rows, "correlation", shades, text=LIKENESS, across="judge number")


# What a colour says of a judge
POSITION_KINDS: Final = {
    "like the others": (style.ACCENT, "o"),
    "stands out": (style.CONTRAST, "o"),
}
ITEM_SIDES: Final = ("wins there", "loses there")


def draw_curves(rows: Sequence[Row], criteria: Sequence[str]) -> style.Chart:
    """Draw how often two judges are at most n points apart; rows: criterion, apart, share."""
    last = max(row["apart"] for row in rows)
    x = style.Axis(-0.03 * last, 1.03 * last or 1, "at most so many points apart", grid=False)
    y = style.Axis(0, 1.02, "pairs of judges of an output", style.write_share)
    looks = style.look_up(criteria, "o")
    marks = style.series(rows, ("apart", "share"), looks, "criterion", joined=1.5)
    return style.Chart((rows,), x, y, marks)


def draw_positions(rows: Sequence[Row], common: float) -> style.Chart:
    """Draw each judge's share for the first output, between equals, with its interval.

    rows: in the order in which they are drawn: judge, share, lower, upper (proportions), first,
        second, n (counts), kind of POSITION_KINDS.
    """
    drawn = [{**row, "at": at} for at, row in enumerate(rows)]
    everyone = "all judges together"
    marks = [
        style.rule(0.5, dash="--"),
        *style.series(drawn, ("share", "at"), POSITION_KINDS, ends=("lower", "upper")),
        style.rule(common, style.INK, dash="-", label=everyone),
    ]
    x = style.Axis(0, 1, "first output preferred, between equals (shrunken)", style.write_share)
    lines = ([{"at": 0.5, "line": "no bias"}], [{"at": common, "line": everyone}])
    y = style.Axis.of_rows([row["judge"] for row in rows])
    return style.Chart((*lines, rows), x, y, marks, style.ROW, right=22)


def draw_sides(rows: Sequence[Row], systems: Sequence[str]) -> style.Chart:
    items = list(dict.fromkeys(row["item"] for row in rows))
    drawn = style.count_off(style.count_off(rows, "item", items), "system", systems, "column")
    large = [{**row, "size": round((6 + 194 * row["strength"]) ** 0.5)} for row in drawn]
    wide = len(systems) - 0.5
    marks = [style.plot([(-0.5, at), (wide, at)], style.GRID, width=1) for at in range(len(items))]
    looks = style.look_up(ITEM_SIDES)
    marks += style.series(large, ("column", "at"), looks, "side", size="size", alpha=0.85)
    x = style.Axis.of_columns(systems, top=True)
    right = 10.0 + min(60, 3 * max(map(len, systems))) * (len(systems) > 4)
    return style.Chart((rows,), x, style.Axis.of_rows(items), marks, 1.2 * style.ROW, right=right)
