"""The answer, in the words of `evenhand rank`, and what speaks against acting on it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from evenhand.design.power import separate_pairs
from evenhand.errors import ActionableError, EvenhandError, NotIdentified
from evenhand.ranking.ranking import Ranking
from evenhand.render.document import Finding, Templates, join_names, take_findings
from evenhand.report.document import FAILED, REFUSED, Part

# Judgments below which an open answer is no advice; the models are not held against each other on
# fewer either
MIN_JUDGMENTS: Final = 30
MAX_TIMES: Final = 100.0  # So many times as many judgments are more than anybody collects

say: Final = Templates(
    {
        REFUSED: "No ranking: {why}",
        "second": "{system} comes second.",
        "second-open": "{systems} may each be second.",
        "others-open": "The others cannot be separated.",
        "too-few": "{judgments:#judgment} are too few to act on: collect more.",
        "more": "{times:,.1f} times as many judgments of all systems would probably separate {one}"
        " and {other}.",
        "but": "But {issues}: see the checks before acting on it.",
        "alone": "By people alone: {answer}",
        "adds-nothing": "Verdicts of LLM judges add nothing.",
        "may-replace": "Whether {judges:list} may replace a human judge, where two people or more"
        " judged an output: {command}",
        "unused": "The {what} that were given were not used: {why}.",
        "also": "And {issues}: see the checks before acting on it.",
        "one-sided": "But {issue}.",
        "no-criterion": "No ranking for {criterion}: {why}.",
        "criteria-below": "{criteria:#more criterion/more criteria} below.",
    }
)


def say_answer(ranking: Ranking) -> tuple[Finding, ...]:
    """Return what `rank` answers, who comes second, and what would decide an open first place."""
    answer = take_findings(ranking.document().answer)
    if ranking.rank_lower is None or ranking.rank_upper is None:
        return answer
    lower = np.asarray(ranking.rank_lower)
    if ranking.rank_upper[0] == 1:
        names = [ranking.systems[i] for i in np.flatnonzero(lower == 2)]
        if len(names) == 1 < len(ranking.systems) - 1:
            answer += (say("second", system=names[0]),)
        elif 1 < len(names) == len(ranking.systems) - 1:
            answer += (say("others-open"),)
        elif len(names) > 1:
            answer += (say("second-open", systems=join_names(names)),)
        return answer
    if ranking.n_judgments < MIN_JUDGMENTS:
        return (*answer, say("too-few", judgments=round(ranking.n_judgments)))
    if int((lower == 1).sum()) < 3 or ranking.fused is not None:  # of a pair `rank` says it
        return answer
    try:  # how many judgments would separate the first two open systems
        separations = separate_pairs(ranking, find_open(ranking)[:1])
    except NotIdentified:
        return answer
    return answer + tuple(
        say("more", times=one.times, one=one.better, other=one.worse)
        for one in separations
        if not one.barred and one.times is not None and one.times <= MAX_TIMES
    )


def find_open(ranking: Ranking) -> list[tuple[int, int]]:
    """Return the open pairs of the first system with those that may be the best, nearest first.

    Where the first alone may be the best, those of the second place, and so on down to the first
    pair that is open: none where every pair is decided.
    """
    sets = ranking.rank_sets
    if sets is None:
        return []
    for place in range(len(ranking.systems) - 1):
        others = range(place + 1, len(ranking.systems))
        if pairs := [(place, other) for other in others if sets.decided[place, other] == 0]:
            return pairs
    return []


# What speaks against acting on the answer: said behind it, in a sentence.

PLACE: Final = "position-bias"
SIDES: Final = "sides"
LADDER: Final = "one-ranking"
CIRCLES: Final = "intransitive"
MINDS: Final = "preferences"
# Code → what is said
ISSUES: Final = {
    "judges": "some judges are flagged",
    "agreement": "judges hardly agree",
    PLACE: "there is a position bias",
    SIDES: "judges differ in position bias",
    LADDER: "one ranking does not fit all judgments",
    CIRCLES: "preferences are intransitive",
    MINDS: "judges differ in what they prefer",
    "choices": "other reasonable choices change it",
}
# Failed check → code of what is said of it, where it has no issues
FAULTS: Final = {
    "judges": "judges",
    "agreement": "agreement",
    "order": PLACE,
    "model": LADDER,
    "circles": CIRCLES,
    "choices": "choices",
}


def is_warning(sentence: str) -> bool:
    """Tell whether a sentence of the answer speaks against acting on it."""
    return isinstance(sentence, Finding) and sentence.severity == "warning"


def add_warnings(part: Part) -> Part:
    checks = [check for section in part.sections for check in section.checks]
    failed = {check.name: check for check in checks if check.state == FAILED}
    warned = any(map(is_warning, part.answer))
    issues: dict[str, None] = {}
    for name, usual in FAULTS.items():
        if name in failed:
            issues |= dict.fromkeys(failed[name].issues or (usual,))
    known = ({PLACE} if warned else set()) | ({CIRCLES} if LADDER in issues else set())
    wrong = [ISSUES[issue] for issue in issues if issue not in known]
    if not wrong or not part.answer or part.refused:
        return part
    warning = say("also" if warned else "but", "warning", issues=join_names(wrong))
    return replace(part, answer=(*part.answer, warning))


# Options of other verbs, which their refusals name and a report does not have
ABSENT_OPTIONS: Final = ("--interval", "--cluster")


def say_refused(refusal: EvenhandError) -> str:
    """Return why there is nothing, without remedies that a report has no options for."""
    if isinstance(refusal, ActionableError):
        refusal = refusal.without_options(*ABSENT_OPTIONS)
    return str(refusal)
