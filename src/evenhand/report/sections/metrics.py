"""How well do automatic metrics agree with people? What `evenhand metrics` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from evenhand.errors import InvalidJudgments
from evenhand.metrics.evaluation import MIN_DISTANT
from evenhand.metrics.result import MetaEvaluation
from evenhand.render.values import join_names
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
from evenhand.report.figures.drawing import name_files
from evenhand.report.figures.metrics import draw_distance, draw_pairs, draw_systems
from evenhand.report.figures.style import take_chart

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
    decided = all(
        len(one.metrics) == 1 or any(pair.decided for pair in one.pairs) for one in groups.values()
    )
    state = WARNING if doubts else PASSED if decided else UNDECIDED
    answers = document.answer[: -len(groups)]  # what each rests on stands behind them
    section = make_section(
        "metrics",
        document,
        checks=(MetricsCheck(state, " ".join(doubts or answers)),),
        figures=tuple(figures),
        command=command,
    )
    return replace(section, signature=" ; ".join(one.signature for one in groups.values()))


def _draw(found: MetaEvaluation, about: str, end: str) -> list[Figure]:
    best, systems = found.metrics[0], len(found.systems)
    charts = [
        take_chart(
            draw_systems(found),
            f"systems{end}",
            f"{about}Systems by people and by {best}",
            f"{systems} systems as points: their mean by people across, by {best} upwards.",
        )
    ]
    if found.pairs and len(found.metrics) <= MAX_ON_MAP:
        decided = [f"{one.first} over {one.second}" for one in found.pairs if one.decided]
        what = f"Decided: {join_names(decided)}." if decided else "No pair is decided."
        charts.append(
            take_chart(
                draw_pairs(found),
                f"pairs{end}",
                f"{about}Pairs of metrics by adjusted p",
                f"Each pair of {len(found.metrics)} metrics as a cell. {what}",
                table=f"pairs{end}",
                wide=True,
            )
        )
    if systems * (systems - 1) // 2 >= MIN_DISTANT:
        charts.append(
            take_chart(
                draw_distance(found),
                f"distance{end}",
                f"{about}Pairs of systems in people's order, by difference in {best}",
                f"The share of pairs of systems in people's order, among those that differ by at"
                f" least so much in {best}; a line at 95 %.",
            )
        )
    return charts
