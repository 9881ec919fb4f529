"""What was always shown first is never advised without saying so."""

from __future__ import annotations

import pandas as pd

import evenhand
from evenhand.report.answer import is_warning
from evenhand.report.assemble import make_report
from evenhand.report.document import FAILED, WARNING, Part

Row = tuple[str, str, str]


def report(rows: list[Row], *sections: str) -> Part:
    """The report on votes of 15 judges, each on items of one's own round."""
    frame = pd.DataFrame(rows, columns=["left", "right", "outcome"])
    frame["judge"] = [f"j{at % 15}" for at in range(len(frame))]
    frame["item"] = [f"i{at // 15}" for at in range(len(frame))]
    (part,) = make_report(evenhand.read(frame), sections=sections or ("ranking",)).parts
    return part


def always(first: str, second: str, won: int, lost: int) -> list[Row]:
    """Votes of which the output shown first won some, spread evenly."""
    n = won + lost
    marks = [at * won // n < (at + 1) * won // n for at in range(n)]
    return [(first, second, "left" if mark else "right") for mark in marks]


def test_of_what_was_always_shown_first_none_is_advised_and_the_light_says_so() -> None:
    """300 of 510 for the left one: that may be worth, and may be a liking for the left."""
    part = report(always("new", "old", 300, 210), "ranking", "order")
    assert part.answer[0].startswith("new is the best: better than old")
    assert part.answer[-1] == "But new was always shown first: that may be the whole difference."
    (light,) = part.key_checks
    assert light.state == FAILED
    assert light.says == "new was always shown first: that may be the whole difference"
    assert "both orders" in light.recommendation


def test_an_open_answer_says_that_the_place_may_hide_a_difference() -> None:
    answer = report(always("new", "old", 150, 150)).answer
    assert " share first place: " in answer[0]
    assert answer[-1].endswith(": that may hide a difference.")


def test_both_orders_leave_the_advice() -> None:
    rows = always("new", "old", 200, 100) + always("old", "new", 100, 200)
    (said,) = report(rows).answer
    assert said.startswith("new is the best: better than old")


def test_nearly_always_is_said_where_the_few_others_cannot_tell() -> None:
    said = report(always("new", "old", 360, 140) + always("old", "new", 2, 3)).answer
    assert "But new was nearly always shown first: that may be the whole difference." in said


def test_pairs_in_one_order_each_are_said_where_no_system_stood_on_one_side() -> None:
    rows = always("a", "b", 90, 60) + always("b", "c", 90, 60) + always("c", "a", 90, 60)
    assert any("each pair was shown in one order only" in said for said in report(rows).answer)


def test_few_votes_on_each_of_many_pairs_in_one_order_are_said_too() -> None:
    """Five votes on each of 28 pairs, sides in turn: no pair and no system tells by itself."""
    names = [f"s{at}" for at in range(8)]
    pairs = [
        (a, b) if (i + j) % 2 else (b, a)
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i < j
    ]
    rows = [row for at, (a, b) in enumerate(pairs) for row in always(a, b, 2 + at % 2, 3 - at % 2)]
    part = report(rows, "ranking", "order")
    assert "each pair was shown in one order only" in part.answer[-1]
    assert part.key_checks[0].state == WARNING  # nothing is decided that the place may have made


def test_one_vote_on_each_pair_is_in_one_order_by_itself_and_nothing_is_said() -> None:
    names = [f"s{at}" for at in range(12)]
    rows = [
        (*((a, b) if (i + j) % 2 else (b, a)), "left" if (i * j) % 3 else "right")
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i < j
    ]
    assert not any(map(is_warning, report(rows).answer))
