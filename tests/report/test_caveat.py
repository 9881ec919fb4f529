"""An answer whose checks failed says so itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.report.answer import FAULTS, MINDS, SIDES, add_warnings, say
from evenhand.report.document import (
    FAILED,
    NOT_RUN,
    PASSED,
    REFUSED,
    UNDECIDED,
    Check,
    Part,
    Section,
)


def part(**states: str) -> Part:
    checks = tuple(Check(name, "?", state, "") for name, state in states.items())
    return Part("", ("A is better than B: take A.",), (Section("s", "", checks=checks),))


def test_what_failed_is_said_behind_the_answer() -> None:
    answer = add_warnings(part(order=FAILED, judges=FAILED, agreement=PASSED, model=NOT_RUN)).answer
    assert answer == (
        "A is better than B: take A.",
        "But some judges are flagged and there is a position bias: see the checks before acting on"
        " it.",
    )


@pytest.mark.parametrize("state", [PASSED, NOT_RUN, UNDECIDED])
def test_an_answer_without_failed_checks_stays(state: str) -> None:
    given = part(**dict.fromkeys(FAULTS, state))
    assert add_warnings(given) == given


def test_a_place_that_the_answer_names_is_not_said_twice() -> None:
    given = part(order=FAILED, judges=FAILED)
    placed = replace(
        given, answer=(*given.answer, say("one-sided", "warning", issue="A was always shown first"))
    )
    assert add_warnings(placed).answer[2:] == (
        "And some judges are flagged: see the checks before acting on it.",
    )
    alone = replace(placed, sections=part(order=FAILED).sections)
    assert add_warnings(alone) == alone


def test_a_refusal_needs_no_caveat() -> None:
    refused = Part(
        "", (say(REFUSED, why="worths are not identified"),), part(judges=FAILED).sections
    )
    assert add_warnings(refused) == refused


def test_each_reason_of_a_failed_check_has_its_own_words_and_is_said_once() -> None:
    """Judges who lean to different sides are no place that matters, and no broken ladder."""
    order = Check("order", "?", FAILED, "", issues=(SIDES,))
    model = Check("model", "?", FAILED, "", issues=(SIDES, MINDS))
    given = replace(part(), sections=(Section("s", "", checks=(order, model)),))
    assert add_warnings(given).answer[-1] == (
        "But judges differ in position bias and judges differ in what they prefer: see the checks"
        " before acting on it."
    )


def test_circles_are_said_beside_a_ladder_that_only_judges_break() -> None:
    model = Check("model", "?", FAILED, "", issues=(MINDS,))
    circles = Check("circles", "?", FAILED, "")
    given = replace(part(), sections=(Section("s", "", checks=(model, circles)),))
    assert "prefer and preferences are intransitive" in add_warnings(given).answer[-1]
