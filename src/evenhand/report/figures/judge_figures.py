"""The figures of Hamon, Mostefa & Arranz (2007) on the user's data.

    systems          figure 1   scores of systems under two criteria, input types apart
    judges-mean      2 and 3    each judge's mean beside the others' mean on the same outputs
    judges-distance  4 and 5    each judge's mean distance from the others
    removal          7          scores of systems by all judges and without those outside

A horizontal axis that the paper fills with judges is a row of judges here, sorted alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from evenhand.report.figures.drawing import INK, dress
from evenhand.report.figures.file_names import name_files
from evenhand.report.figures.marks import WIDTH, begin_chart, encode_colour, write_title
from evenhand.report.figures.system_figures import draw_removals, draw_systems

if TYPE_CHECKING:
    from evenhand.judges.diagnosis_result import Diagnosis
    from evenhand.judges.profiles import JudgeProfile, Outliers

HEIGHT: Final = 320
# Most judges whose names stand under the axis; more are numbered by their order alone
NAMED: Final = 30
WHOSE: Final = ("the judge", "others, same outputs")


def draw_judges(found: Diagnosis) -> dict[str, Any]:
    """Draw every figure that a diagnosis has the numbers for."""
    figures: dict[str, Any] = {}
    if len(found.criteria) > 1:
        figures["systems"] = draw_systems(found)
    tails = {name: f"-{file}" for name, file in name_files(filter(None, found.criteria)).items()}
    for criterion in found.criteria:
        tail = tails.get(criterion, "")
        profiles = found.profiles.get(criterion, ())
        shared = [one for one in profiles if one.others_mean is not None]
        score = found.outliers_of("mean-score", criterion)
        if found.reading == "gap" and shared:
            figures[f"judges-mean{tail}"] = _draw_gaps(shared, score)
        elif found.reading == "mean" and profiles:
            figures[f"judges-mean{tail}"] = _draw_means(profiles, score)
        if shared:
            distance = found.outliers_of("mean-agreement", criterion)
            figures[f"judges-distance{tail}"] = _draw_distances(shared, distance)
        removals = [one for one in found.removals if one.criterion == criterion]
        if removals:
            figures[f"removal{tail}"] = draw_removals(found, criterion)
    return {name: dress(chart) for name, chart in figures.items()}


def _draw_means(profiles: Sequence[JudgeProfile], limits: Outliers) -> Any:
    """Figures 2 and 3: judges sorted by their mean, beside the others on the same outputs.

    A judge who shared no output has a mean, which the limits count, and no others to stand beside.
    """
    import altair as alt

    ordered = sorted(profiles, key=lambda one: (one.mean, one.judge))
    rows = [
        {"judge": one.judge, "place": place, "who": who, "mean": value}
        for place, one in enumerate(ordered, start=1)
        for who, value in zip(WHOSE, (one.mean, one.others_mean), strict=True)
        if value is not None
    ]
    base = begin_chart(rows).encode(
        x=_axis(ordered), y=alt.Y("mean:Q", title="mean score", scale=alt.Scale(zero=False))
    )
    colour = encode_colour("who:N", WHOSE)
    line = base.mark_line(strokeWidth=1.2).encode(color=colour)
    points = base.mark_point(filled=True, size=20).encode(
        color=colour, tooltip=[alt.Tooltip(one) for one in ("judge:N", "who:N", "mean:Q")]
    )
    below = f"{len(ordered)} judges; dashed: centre and limits, outside {len(limits.judges)}"
    title = write_title("Mean score by judge", limits.criterion, below)
    return (_limits(limits) + line + points).properties(
        width=WIDTH,
        height=HEIGHT,
        title=title,
    )


def _draw_gaps(profiles: Sequence[JudgeProfile], limits: Outliers) -> Any:
    """Draw the other reading of figures 2 and 3: own mean minus the others' on the same outputs."""
    ordered = sorted(profiles, key=lambda one: (one.gap or 0.0, one.judge))
    below = f"{len(ordered)} judges; dashed: centre and limits, outside {len(limits.judges)}"
    title = write_title("Gap to the others by judge", limits.criterion, below)
    values = {"gap": [one.gap for one in ordered]}
    points = _mark(ordered, values, limits, "own mean − others' on the same outputs, points")
    return (_limits(limits) + points).properties(width=WIDTH, height=HEIGHT, title=title)


def _mark(
    ordered: Sequence[JudgeProfile],
    values: Mapping[str, Sequence[float | None]],
    limits: Outliers,
    title: str,
) -> Any:
    """Draw a point for each judge, those outside in another colour."""
    import altair as alt

    ((name, heights),) = values.items()
    outside = {*limits.judges}
    rows = [
        {
            "judge": one.judge,
            "place": place,
            name: height,
            "who": "outside" if one.judge in outside else "within",
        }
        for place, (one, height) in enumerate(zip(ordered, heights, strict=True), start=1)
    ]
    return (
        begin_chart(rows)
        .mark_point(filled=True, size=36)
        .encode(
            x=_axis(ordered),
            y=alt.Y(f"{name}:Q", title=title),
            color=encode_colour("who:N", ["within", "outside"]),
            tooltip=[alt.Tooltip("judge:N"), alt.Tooltip(f"{name}:Q")],
        )
    )


def _axis(ordered: Sequence[JudgeProfile]) -> Any:
    """Name the judges where there is room, else number them."""
    import altair as alt

    title = "judges, lowest first"
    if len(ordered) > NAMED:
        return alt.X(
            "place:Q",
            title=title,
            axis=alt.Axis(grid=False, tickMinStep=1),
            scale=alt.Scale(nice=False),
        )
    names = [one.judge for one in ordered]
    return alt.X("judge:N", title=title, sort=names, axis=alt.Axis(labelAngle=-60))


def _limits(limits: Outliers) -> Any:
    """Draw the centre and the limits that the method has."""
    import altair as alt

    drawn = {"centre": limits.centre, "lower limit": limits.lower, "upper limit": limits.upper}
    rows = [
        {"at": value, "what": what, "width": 1.2 if what == "centre" else 0.8}
        for what, value in drawn.items()
        if value is not None
    ]
    return (
        begin_chart(rows)
        .mark_rule(strokeDash=[2, 3], color=INK)
        .encode(
            y=alt.Y("at:Q"),
            strokeWidth=alt.StrokeWidth("width:Q", scale=None, legend=None),
            tooltip=alt.Tooltip("what:N"),
        )
    )


def _draw_distances(profiles: Sequence[JudgeProfile], limits: Outliers) -> Any:
    """Figures 4 and 5: judges sorted by their mean distance from the others."""
    known = [one for one in profiles if one.mean_agreement is not None]
    ordered = sorted(known, key=lambda one: (one.mean_agreement or 0.0, one.judge))
    below = f"{len(ordered)} judges, 0 is agreement; outside {len(limits.judges)}"
    title = write_title("Mean agreement by judge", limits.criterion, below)
    values = {"distance": [one.mean_agreement for one in ordered]}
    points = _mark(ordered, values, limits, "mean distance |own − other|, points")
    return (_limits(limits) + points).properties(width=WIDTH, height=HEIGHT, title=title)
