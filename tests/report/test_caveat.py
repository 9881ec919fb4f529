"""An answer whose checks failed says so itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.report.answer import ISSUES, MINDS, SIDES, add_warnings
from evenhand.report.document import FAILED, NOT_RUN, PASSED, UNDECIDED, Check, Part, Section


def part(**states: str) -> Part:
    checks = tuple(Check(name, "?", state, "") for name, state in states.items())
    return Part("", ("A is better than B: take A.",), (Section("s", "", checks=checks),))


def test_what_failed_is_said_behind_the_answer() -> None:
    answer = add_warnings(part(order=FAILED, judges=FAILED, agreement=PASSED, model=NOT_RUN)).answer
    assert answer == (
        "A is better than B: take A.",
        "But some judges are doubtful and there is a position bias: see the checks before"
        " acting on it.",
    )


@pytest.mark.parametrize("state", [PASSED, NOT_RUN, UNDECIDED])
def test_an_answer_without_failed_checks_stays(state: str) -> None:
    given = part(**dict.fromkeys(ISSUES, state))
    assert add_warnings(given) == given


def test_a_place_that_the_answer_names_is_not_said_twice() -> None:
    given = part(order=FAILED, judges=FAILED)
    placed = replace(given, answer=(*given.answer, "But A was always shown first: so it is."))
    assert add_warnings(placed).answer[2:] == (
        "And some judges are doubtful: see the checks before acting on it.",
    )
    alone = replace(placed, sections=part(order=FAILED).sections)
    assert add_warnings(alone) == alone


def test_a_refusal_needs_no_caveat() -> None:
    refused = Part("", ("No ranking: worths are not identified",), part(judges=FAILED).sections)
    assert add_warnings(refused) == refused


def test_circles_are_said_where_the_light_on_the_model_does_not_say_them() -> None:
    assert "are intransitive" in add_warnings(part(circles=FAILED)).answer[-1]
    assert "are intransitive" not in add_warnings(part(circles=FAILED, model=FAILED)).answer[-1]


def test_a_system_may_be_called_but_something() -> None:
    given = replace(part(judges=FAILED), answer=("But One is the best of 3 systems.",))
    assert add_warnings(given).answer[1].startswith("But some judges are doubtful")


def test_each_reason_of_a_failed_check_has_its_own_words_and_is_said_once() -> None:
    """Judges who lean to different sides are no place that matters, and no broken ladder."""
    order = Check("order", "?", FAILED, "", issues=(SIDES,))
    model = Check("model", "?", FAILED, "", issues=(SIDES, MINDS))
    given = replace(part(), sections=(Section("s", "", checks=(order, model)),))
    assert add_warnings(given).answer[-1] == (
        "But some judges favour a side and judges differ in what they prefer: see the checks"
        " before acting on it."
    )


def test_circles_are_said_beside_a_ladder_that_only_judges_break() -> None:
    model = Check("model", "?", FAILED, "", issues=(MINDS,))
    circles = Check("circles", "?", FAILED, "")
    given = replace(part(), sections=(Section("s", "", checks=(model, circles)),))
    assert "prefer and preferences are intransitive" in add_warnings(given).answer[-1]
