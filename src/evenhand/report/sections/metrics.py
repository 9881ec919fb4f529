"""How well do automatic metrics agree with people? What `evenhand metrics` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.metrics.evaluation import MIN_DISTANT
from evenhand.metrics.result import MetaEvaluation
from evenhand.metrics.statistics import order_by_distance
from evenhand.render.document import join_names
from evenhand.report.analysis import Analysis
from evenhand.report.document import (
    PASSED,
    UNDECIDED,
    WARNING,
    Check,
    Figure,
    Section,
    join_documents,
    make_section,
)
from evenhand.report.figures import style
from evenhand.report.figures.style import choose_named, name_files, take_chart
from evenhand.report.figures.systems import draw_map

MetricsCheck: Final = partial(Check, "metrics", "Which metric agrees best with people?")
# Metrics that order systems against people, or do no better than random scores
DOUBTS: Final = ("against", "negated-against", "gold-against", "below-chance")
FIGURES: Final = 3  # Of one criterion
MAX_DRAWN: Final = 3  # Criteria whose figures are drawn
MAX_ON_MAP: Final = 30  # Metrics of which all pairs are drawn


def write_section_metrics(analysis: Analysis) -> Section:
    settings = analysis.settings
    command = analysis.write_command("metrics", *settings.metrics, *settings.exclude_metrics)
    try:
        found = analysis.metrics
    except InvalidJudgments as refusal:
        return Section("metrics", not_run=str(refusal), command=command)
    if isinstance(found, MetaEvaluation):
        groups: Mapping[str, MetaEvaluation] = {"": found}
        refused: Mapping[str, str] = {}
    else:
        groups, refused = found.groups, found.refused
    files = name_files(filter(None, groups))
    documents = {name: one.document() for name, one in groups.items()}
    document = join_documents(documents, refused, files)
    doubts, figures = list[str](), list[Figure]()
    for name, one in groups.items():
        about, end = (f"{name}: ", f"-{files[name]}") if name else ("", "")
        doubts += [f"{about}{note}" for note in documents[name].findings if note.code in DOUBTS]
        if len(figures) < FIGURES * MAX_DRAWN:
            figures += _draw(one, about, end)
    several = (one for one in groups.values() if len(one.metrics) > 1)
    decided = all(any(pair.decided for pair in one.pairs) for one in several)
    state = WARNING if doubts else PASSED if decided else UNDECIDED
    answers = document.answer[: -len(groups)]  # what each rests on stands behind them
    check = MetricsCheck(state, " ".join(doubts or answers))
    section = make_section("metrics", document, checks=[check], figures=figures, command=command)
    return replace(section, signature=" ; ".join(one.signature for one in groups.values()))


def _draw(found: MetaEvaluation, about: str, end: str) -> list[Figure]:
    best, systems = found.metrics[0], len(found.systems)
    title = f"{about}Systems by people and by {best}"
    alt = f"{systems} systems as points: their score by people across, by {best} upwards."
    charts = [take_chart(draw_systems(found), f"systems{end}", title, alt)]
    if found.pairs and len(found.metrics) <= MAX_ON_MAP:
        decided = [f"{one.first} over {one.second}" for one in found.pairs if one.decided]
        what = f"Decided: {join_names(decided)}." if decided else "No pair is decided."
        alt = f"Each pair of {len(found.metrics)} metrics as a cell. {what}"
        name, title = f"pairs{end}", f"{about}Pairs of metrics by adjusted p"
        charts.append(take_chart(draw_pairs(found), name, title, alt, table=name, wide=True))
    if systems * (systems - 1) // 2 >= MIN_DISTANT:
        title = f"{about}Pairs of systems in people's order, by difference in {best}"
        alt = (
            "The share of pairs of systems in people's order, among those that differ by at least"
            f" so much in {best}; a line at 95 %."
        )
        charts.append(take_chart(draw_distance(found), f"distance{end}", title, alt))
    return charts


# The figures of metrics against people.


def draw_systems(found: MetaEvaluation) -> style.Chart:
    metric, values = found.metrics[0], found.metric_means[0]
    means = zip(found.systems, found.people_means.tolist(), values.tolist(), strict=True)
    rows = [{"system": name, "people": x, "metric": y, "kind": metric} for name, x, y in means]
    x = style.Axis.around(found.people_means.tolist(), f"people: {found.gold}", room=0.08)
    y = style.Axis.around(values.tolist(), metric, room=0.08)
    sides = choose_named(rows, (x, y), ("people", "metric"), (500, style.HEIGHT))
    marks = style.series(rows, ("people", "metric"), style.look_up([metric]))
    marks += style.name_points(sides, ("people", "metric"), "system")
    below = "a point is a system: its score by people, and by the metric that agrees best"
    chart = style.Chart((rows,), x, y, marks, named=(sum(map(len, sides)), len(rows), "systems"))
    return chart.name("Systems by people and by a metric", below)


def draw_pairs(found: MetaEvaluation) -> style.Chart:
    if not found.pairs:
        raise NotIdentified("metrics were not compared: there are no pairs to draw")
    place = {name: at for at, name in enumerate(found.metrics)}
    rows = [
        {
            "row": f"{place[one.first] + 1} {one.first}",
            "against": place[one.second] + 1,
            "p": one.p_adjusted,
            "far": 1.0 - min(one.p_adjusted / 0.1, 1.0),
            "shown": f"{one.p_adjusted:.2f}",
            "decided": one.decided,
        }
        for one in found.pairs
    ]
    shades = ({0.0: "≥ 0.1", 1.0: "0"}, "adjusted p")
    below = "the row's metric agrees better than the column's; a dot: decided"
    text = ("Pairs of metrics", below)
    tested = found.metrics[: max(place[one.second] for one in found.pairs) + 1]  # others are last
    return draw_map(tested, rows, "far", shades, text=text, across="against metric number")


def draw_distance(found: MetaEvaluation) -> style.Chart:
    metric = found.metrics[0]
    apart, share, n = order_by_distance(found.people_means, found.metric_means[0])
    shown = n >= min(5, int(n[-1]))  # of fewer pairs a share says little
    points = zip(apart[shown].tolist(), share[shown].tolist(), strict=True)
    rows = [{"points": x, "share": y, "kind": metric} for x, y in points]
    keys, looks = ("points", "share"), style.look_up([metric])
    marks = [style.rule(0.95, style.QUIET, across=True)]
    marks += style.series(rows, keys, looks, size=4.0, joined=1.4)
    x = style.Axis.around([row["points"] for row in rows], f"difference in {metric}")
    low = min(0.5, float(share[shown].min()))
    y = style.Axis(low - 0.02, 1.02, "pairs of systems in people's order", style.write_share)
    below = "of pairs of systems at least so far apart; dotted: 95 %"
    return style.Chart((rows,), x, y, marks).name("Pairs in people's order, by difference", below)
