"""What was always shown first is never advised without saying so."""

from __future__ import annotations

from itertools import combinations

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
    assert (light.state, light.says) == (FAILED, part.answer[-1][4:-1])
    assert "both orders" in light.recommendation


def test_the_answer_says_which_sides_may_make_or_hide_a_difference() -> None:
    hidden = report(always("new", "old", 150, 150)).answer
    assert " share first place: " in hidden[0]
    assert hidden[-1].endswith(": that may hide a difference.")
    (both,) = report(always("new", "old", 200, 100) + always("old", "new", 100, 200)).answer
    assert both.startswith("new is the best: better than old")
    nearly = report(always("new", "old", 360, 140) + always("old", "new", 2, 3)).answer
    assert "But new was nearly always shown first: that may be the whole difference." in nearly
    rows = always("a", "b", 90, 60) + always("b", "c", 90, 60) + always("c", "a", 90, 60)
    assert any("each pair was shown in one order only" in said for said in report(rows).answer)


def in_turn(n: int) -> list[tuple[str, str]]:
    """All pairs of so many systems, each in one order, sides in turn."""
    pairs = [(i, j) if (i + j) % 2 else (j, i) for i, j in combinations(range(n), 2)]
    return [(f"s{one}", f"s{two}") for one, two in pairs]


def test_few_votes_on_each_of_many_pairs_in_one_order_are_said_and_one_vote_each_is_not() -> None:
    """Five votes on each of 28 pairs: no pair and no system tells by itself."""
    pairs = enumerate(in_turn(8))
    rows = [row for at, (a, b) in pairs for row in always(a, b, 2 + at % 2, 3 - at % 2)]
    part = report(rows, "ranking", "order")
    assert "each pair was shown in one order only" in part.answer[-1]
    assert part.key_checks[0].state == WARNING  # nothing is decided that the place may have made
    once = [(a, b, ("left", "right")[at % 2]) for at, (a, b) in enumerate(in_turn(12))]
    assert not any(map(is_warning, report(once).answer))
