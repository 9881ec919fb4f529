"""An answer whose checks failed says so itself."""

from __future__ import annotations

from dataclasses import replace

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


def part(*checks: Check, **states: str) -> Part:
    every = (*checks, *(Check(name, "?", state, "") for name, state in states.items()))
    return Part("", ("A is better than B: take A.",), (Section("s", "", checks=every),))


def test_what_failed_is_said_behind_the_answer() -> None:
    answer = add_warnings(part(order=FAILED, judges=FAILED, agreement=PASSED, model=NOT_RUN)).answer
    assert answer == (
        "A is better than B: take A.",
        "But some judges are flagged and there is a position bias: see the checks before acting on"
        " it.",
    )


def test_an_answer_without_failed_checks_and_a_refusal_stay() -> None:
    for state in (PASSED, NOT_RUN, UNDECIDED):
        given = part(**dict.fromkeys(FAULTS, state))
        assert add_warnings(given) == given
    refused = replace(part(judges=FAILED), answer=(say(REFUSED, why="worths are not identified"),))
    assert add_warnings(refused) == refused


def test_a_place_that_the_answer_names_is_not_said_twice() -> None:
    given, place = part(order=FAILED, judges=FAILED), "A was always shown first"
    placed = replace(given, answer=(*given.answer, say("one-sided", "warning", issue=place)))
    assert add_warnings(placed).answer[2:] == (
        "And some judges are flagged: see the checks before acting on it.",
    )
    alone = replace(placed, sections=part(order=FAILED).sections)
    assert add_warnings(alone) == alone


def test_each_reason_of_a_failed_check_has_its_own_words_and_is_said_once() -> None:
    """Judges who lean to different sides are no place that matters, and no broken ladder."""
    order = Check("order", "?", FAILED, "", issues=(SIDES,))
    model = Check("model", "?", FAILED, "", issues=(SIDES, MINDS))
    assert add_warnings(part(order, model)).answer[-1] == (
        "But judges differ in position bias and judges differ in what they prefer: see the checks"
        " before acting on it."
    )
    beside = part(Check("model", "?", FAILED, "", issues=(MINDS,)), circles=FAILED)
    assert "prefer and preferences are intransitive" in add_warnings(beside).answer[-1]
