"""Systems under two criteria, and systems scored again: figures 1 and 7 of Hamon et al. (2007)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from evenhand.report.figures.drawing import QUIET
from evenhand.report.figures.marks import WIDTH, begin_chart, encode_colour, write_title
from evenhand.report.figures.naming import place_names

if TYPE_CHECKING:
    from evenhand.judges.diagnosis_result import Diagnosis

TALL: Final = 420  # Height of the plot of systems
ROW: Final = 17  # Height of a system's row, in pixels

# Systems that are named on one side, with the alignment of names and their distance
Named = tuple[list[dict[str, Any]], str, int]


def draw_systems(found: Diagnosis) -> Any:
    """Figure 1: the first two criteria against each other."""
    import altair as alt

    across, up = found.criteria[:2]
    scores = {name: _mean_scores(found, name) for name in (across, up)}
    rows = [
        {**scores[across][system], "x": scores[across][system]["score"], "y": other["score"]}
        for system, other in scores[up].items()
        if system in scores[across]
    ]
    ends = {name: _span([row[name] for row in rows]) for name in "xy"}
    spans = {name: alt.Scale(domain=own, nice=False) for name, own in ends.items()}
    x, y = alt.X("x:Q", title=across, scale=spans["x"]), alt.Y("y:Q", title=up, scale=spans["y"])
    named, kinds = _name(rows, ends), sorted({row["kind"] for row in rows})
    points = (
        begin_chart(rows)
        .mark_point(filled=True, size=64, opacity=0.85)
        .encode(
            x=x,
            y=y,
            color=encode_colour("kind:N", kinds),
            shape=alt.Shape("kind:N", title=None, scale=alt.Scale(domain=kinds)),
            tooltip=[alt.Tooltip("system:N"), *_tell(across, up)],
        )
    )
    return alt.layer(points, *_write_names(named, {"x": x, "y": y})).properties(
        width=WIDTH,
        height=TALL,
        title={"text": "Systems under two criteria", "subtitle": _say_named(len(rows), named)},
    )


def _tell(across: str, up: str) -> list[Any]:
    """Return what is told of both scores."""
    import altair as alt

    return [alt.Tooltip("x:Q", title=across), alt.Tooltip("y:Q", title=up)]


def _write_names(named: Sequence[Named], axes: dict[str, Any]) -> list[Any]:
    """Write the names of systems beside their points, where there is room."""
    import altair as alt

    return [
        begin_chart(own)
        .mark_text(align=align, dx=shift, dy=1, fontSize=10, color=QUIET)
        .encode(text=alt.Text("system:N"), **axes)
        for own, align, shift in named
    ]


def _say_named(systems: int, named: Sequence[Named]) -> str:
    """Say what stands in figure 1, and of how many systems the name does not."""
    hidden = systems - sum(len(own) for own, *_ in named)
    room = f"; {hidden} not named for want of room" if hidden else ""
    return f"mean scores by all judges{room}"


def _span(values: Sequence[float]) -> list[float]:
    """Return where an axis begins and ends: a little beyond the values."""
    low, high = min(values), max(values)
    beyond = 0.08 * (high - low) or 0.5
    return [low - beyond, high + beyond]


def _name(rows: Sequence[dict[str, Any]], ends: dict[str, list[float]]) -> list[Named]:
    """Return the systems that are named on either side, with alignment and distance."""
    (left, right), (low, high) = ends["x"], ends["y"]
    places = [
        (WIDTH * (row["x"] - left) / (right - left), TALL * (high - row["y"]) / (high - low))
        for row in rows
    ]
    placed = place_names(places, [row["system"] for row in rows], WIDTH)
    sides = {"right": ("left", 8), "left": ("right", -8)}
    return [
        ([rows[one.at] for one in placed if one.side == side], *how)
        for side, how in sides.items()
        if any(one.side == side for one in placed)
    ]


def _mean_scores(found: Diagnosis, criterion: str) -> dict[str, dict[str, Any]]:
    """Return each system with its mean score by all judges."""
    return {
        one.system: {
            "system": one.system,
            "score": one.full,
            "kind": "human reference" if one.reference else one.input or "systems",
        }
        for one in found.scores_of(criterion)
    }


def draw_removals(found: Diagnosis, criterion: str) -> Any:
    """Figure 7: systems by all judges, and without the judges whom each method puts outside."""
    import altair as alt

    rows = _score_again(found, criterion)
    names = [one.system for one in found.scores_of(criterion)]
    kinds = list(dict.fromkeys(str(row["by"]) for row in rows))
    chart = (
        begin_chart(rows)
        .mark_point(filled=True, size=44, opacity=0.85)
        .encode(
            x=alt.X("score:Q", title="mean score", scale=alt.Scale(zero=False)),
            y=alt.Y("system:N", title=None, sort=names, axis=alt.Axis(labelLimit=220)),
            color=encode_colour("by:N", kinds, columns=1),
            shape=alt.Shape("by:N", title=None, scale=alt.Scale(domain=kinds)),
            tooltip=[alt.Tooltip(one) for one in ("system:N", "by:N", "score:Q")],
        )
    )
    below = "by all judges, and without those outside by each method"
    return chart.properties(
        width=WIDTH - 160,
        height=ROW * len(names),
        title=write_title("Systems scored again", criterion, below),
    )


def _score_again(found: Diagnosis, criterion: str) -> list[dict[str, Any]]:
    """Return the scores of systems by all judges, and without those outside by each method."""
    base = list(found.scores_of(criterion))
    rows = [{"system": one.system, "by": "all judges", "score": one.full} for one in base]
    for removal in found.removals:
        if removal.criterion == criterion:
            by = f"without those outside by {removal.method.replace('-', ' ')}"
            rows += [
                {"system": one.system, "by": by, "score": one.kept}
                for one in removal.systems
                if one.kept is not None
            ]
    return rows
