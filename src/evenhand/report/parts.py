"""One part of a report: all sections on one task, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from evenhand.errors import NotConverged, NotIdentified, UnknownColumn, UnknownOption
from evenhand.judgments.ratings import Ratings
from evenhand.report import agreement_light, judge_fault
from evenhand.report.answer import say_answer
from evenhand.report.answer_of_ratings import find_answer_of_ratings
from evenhand.report.caveat import BUT
from evenhand.report.charts import draw_unchecked
from evenhand.report.contents import find_writer
from evenhand.report.document import NOT_RUN, REFUSED, Check, Part, Section
from evenhand.report.one_sided import say_one_sided
from evenhand.report.refused import say_refused
from evenhand.report.study import Study

# What keeps a section empty, which then says so
REFUSALS: Final = (NotIdentified, NotConverged, UnknownOption, UnknownColumn)
# Sections on judges → the check that each makes, which is not run where the section is empty
LIT: Final = {
    "judges": ("judges", judge_fault.ASKS),
    "scorers": ("judges", judge_fault.ASKS),
    "agreement": ("agreement", agreement_light.ASKS),
    "scoring": ("agreement", agreement_light.ASKS),
}


def write_part(
    study: Study,
    wanted: Mapping[str, str],
    step: Callable[[str], Any] = lambda _: None,
    *,
    answers: bool = True,
) -> Part:
    """Write sections of one task."""
    written = []
    for name, title in wanted.items():
        step(f"{study.task} {title}".strip())
        written.append(_write(study, name, title))
    answer, signature = find_answer(study) if answers else ((), "")
    return Part(study.task, answer, tuple(written), signature)


def _write(study: Study, name: str, title: str) -> Section:
    """Write a section; what refuses it stands in its place."""
    try:
        with draw_unchecked():
            return find_writer(name)(study)
    except REFUSALS as refusal:
        return refuse_section(name, title, say_refused(refusal))


def refuse_section(name: str, title: str, why: str) -> Section:
    """Return the section that stands in the place of one that is refused."""
    if name not in LIT:
        return Section(name, title, not_run=why)
    says = (f"Nothing can be said here: {why}.",)
    return Section(name, title, says, (Check(*LIT[name], NOT_RUN, why),))


def find_answer(study: Study) -> tuple[tuple[str, ...], str]:
    """Return the decisions, or why there are none, and the line that reproduces them."""
    if isinstance(study.data, Ratings):
        return find_answer_of_ratings(study)
    try:
        return _answer(study), study.ranking.signature
    except REFUSALS as refusal:
        return (f"{REFUSED}{say_refused(refusal)}",), ""


def _answer(study: Study) -> tuple[str, ...]:
    """Return the decisions; none is advised to be acted on that the place alone may have made."""
    place = say_one_sided(study)
    said = say_answer(study.ranking, advise=not place)
    return (*said, f"{BUT}{place}.") if place else said
