"""Judges as a map: how far each follows the others, and how often each prefers neither output."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any, Final

from evenhand.report.document import Row
from evenhand.report.figures.drawing import ACCENT, CONTRAST, INK, PALETTE, QUIET
from evenhand.report.figures.marks import begin_chart
from evenhand.report.figures.naming import place_names

HEIGHT: Final = 340
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
NAMED: Final = 8
# Width of the plot on a telephone, in pixels: names that would meet there are left out
WIDTH: Final = 300
SIDES: Final = {"left": -9, "right": 9}


def draw_judge_map(rows: Sequence[Row], *, ties: bool = True) -> Any:
    """Draw judges, agreement across and severity upwards."""
    import altair as alt

    low, high = _find_edges(rows)
    x = alt.X(
        "at:Q",
        title="follows the others: 1 as all together, 0 not at all",
        scale=alt.Scale(domain=[low, high], nice=False, zero=False),
        axis=alt.Axis(grid=False, tickCount=6),
    )
    y = _encode_height(ties=ties)
    placed = [{**row, "at": min(max(row["slope"], low), high)} for row in rows]
    kinds = [kind for kind in KINDS if any(row["kind"] == kind for row in rows)]
    points = begin_chart(placed).mark_point(filled=True, opacity=0.8, strokeWidth=1)
    points = points.encode(
        x=x,
        y=y,
        shape=alt.Shape("kind:N", title=None, scale=_list_scale(kinds, 0)),
        color=alt.Color("kind:N", title=None, scale=_list_scale(kinds, 1), legend=_legend()),
        size=alt.Size("n:Q", legend=None, scale=alt.Scale(type="sqrt", range=[24, 260])),
        tooltip=_tell(),
    )
    marks = [{"at": 0.0}, {"at": 1.0}]
    rules = begin_chart([one for one in marks if low <= one["at"] <= high])
    rules = rules.mark_rule(color=QUIET, strokeDash=[2, 3], opacity=0.7).encode(x=x)
    names = _write_names(_choose_names(placed, (low, high), ties=ties), (x, y))
    return alt.layer(rules, points, *names).properties(height=HEIGHT)


def _tell() -> list[Any]:
    """Return what is told of a judge."""
    import altair as alt

    return [
        alt.Tooltip("judge:N", title="judge"),
        alt.Tooltip("kind:N", title="is"),
        alt.Tooltip("flags:N", title="flags"),
        alt.Tooltip("slope:Q", title="follows the others", format=".2f"),
        alt.Tooltip("ties:Q", title="ties", format=".0%"),
        alt.Tooltip("n:Q", title="judgments", format=",d"),
        alt.Tooltip("p_honest:Q", title="P(honest)", format=".3f"),
    ]


def _encode_height(*, ties: bool) -> Any:
    import altair as alt

    if ties:
        axis = alt.Axis(format=".0%", grid=False, tickCount=5)
        return alt.Y("ties:Q", title="prefers neither", axis=axis, scale=alt.Scale(zero=True))
    axis = alt.Axis(format="~s", grid=False, tickCount=5)
    return alt.Y("n:Q", title="judgments", axis=axis, scale=alt.Scale(type="log"))


def _find_edges(rows: Sequence[Row]) -> tuple[float, float]:
    """Return where the axis begins and ends: 0 and 1 are on it, wild slopes at its edge."""
    values = [row["slope"] for row in rows]
    low, high = max(min(*values, 0.0), EDGES[0]), min(max(*values, 1.0), EDGES[1])
    return low - 0.06 * (high - low), high + 0.06 * (high - low)


def _list_scale(kinds: Sequence[str], at: int) -> Any:
    import altair as alt

    return alt.Scale(domain=list(kinds), range=[KINDS[kind][at] for kind in kinds])


def _legend() -> Any:
    import altair as alt

    return alt.Legend(orient="top", columns=2, symbolOpacity=1)


def _choose_names(rows: Sequence[Row], ends: tuple[float, float], *, ties: bool) -> list[Row]:
    """Choose whose names stand on which side of their points.

    Flagged judges are named towards the middle of the map. Where nothing is decided of anybody, the
    most doubtful are named first, if there is room.
    """
    low, high = ends
    flagged = [row for row in rows if row["flags"]][:NAMED]
    if flagged:
        middle = (low + high) / 2
        return [{**row, "side": "right" if row["at"] <= middle else "left"} for row in flagged]
    open_ = sorted(
        (row for row in rows if row["kind"] in (FEW_JUDGES, OPEN)), key=lambda row: row["p_honest"]
    )
    across = [WIDTH * (row["at"] - low) / (high - low) for row in open_]
    up = [row["ties"] if ties else log(row["n"]) for row in open_]
    most = max(up, default=0) or 1
    points = [(x, HEIGHT * y / most) for x, y in zip(across, up, strict=True)]
    placed = place_names(points, [row["judge"] for row in open_], WIDTH)[:NAMED]
    return [{**open_[one.at], "side": one.side} for one in placed]


def _write_names(rows: Sequence[Row], axes: tuple[Any, Any]) -> list[Any]:
    """Write names beside their points."""
    import altair as alt

    layers = []
    for align, side in (("left", "right"), ("right", "left")):
        own = [row for row in rows if row["side"] == side]
        if own:
            text = begin_chart(own).mark_text(
                align=align, dx=SIDES[side], fontSize=11, color=INK, limit=150
            )
            layers.append(
                text.encode(x=axes[0], y=axes[1], text=alt.Text(field="judge", type="nominal"))
            )
    return layers
