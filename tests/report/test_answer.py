"""The answer says what the rank sets say, in words that may be quoted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.design.more_judgments import separate_pairs
from evenhand.render.values import join_names
from evenhand.report.answer import say_answer

Cells = dict[tuple[str, str], tuple[int, int, int]]


def rank(cells: Cells) -> evenhand.Ranking:
    rows = [
        (left, right, outcome)
        for (left, right), counts in cells.items()
        for outcome, n in zip(("left", "tie", "right"), counts, strict=True)
        for _ in range(n)
    ]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    ranking = evenhand.rank(evenhand.read(frame))
    assert isinstance(ranking, evenhand.Ranking)
    return ranking


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({("A", "B"): (80, 5, 20)}, ["A is better than B: take A."]),
        ({("A", "B"): (50, 5, 48)}, ["A and B cannot be told apart: they share first place."]),
        (
            {("A", "B"): (80, 5, 20), ("A", "C"): (80, 5, 20), ("B", "C"): (50, 2, 50)},
            ["A is the best of 3 systems.", "The others cannot be told apart."],
        ),
        (
            {("A", "B"): (80, 5, 20), ("A", "C"): (90, 5, 10), ("B", "C"): (80, 2, 20)},
            ["A is the best of 3 systems.", "B comes second."],
        ),
        (
            {("A", "B"): (50, 5, 50), ("A", "C"): (80, 5, 20), ("B", "C"): (80, 5, 20)},
            ["A and B lead and cannot be told apart: they share first place."],
        ),
        (
            {("A", "B"): (12, 0, 10), ("A", "C"): (10, 0, 10), ("B", "C"): (12, 2, 10)},
            ["Nothing is decided: any of the 3 systems may be the best. They share first place."],
        ),
    ],
)
def test_a_clear_lead_is_named_and_an_open_one_is_left_open(cells: Cells, said: list[str]) -> None:
    assert list(say_answer(rank(cells))) == said


def test_judging_more_is_advised_with_the_number_of_the_section_on_what_to_judge_next() -> None:
    ranking = rank({("A", "B"): (60, 0, 44), ("A", "C"): (60, 0, 42), ("B", "C"): (52, 0, 50)})
    (said,) = say_answer(ranking)
    (one,) = separate_pairs(ranking, [(0, 1)])
    assert one.times is not None
    assert said.endswith(
        " They share first place; to tell A and B apart would take about"
        f" {one.times:,.1f} times as many judgments."
    )


@pytest.mark.parametrize(
    "cells",
    [
        {("A", "B"): (40, 0, 28)},
        {("A", "B"): (52, 5, 50), ("A", "C"): (90, 5, 10), ("B", "C"): (80, 2, 20)},
        {("A", "B"): (30, 5, 22), ("A", "C"): (40, 5, 20), ("B", "C"): (26, 2, 26)},
    ],
)
def test_every_open_answer_says_what_judging_more_would_take(cells: Cells) -> None:
    """Not shown to differ is not alike: 40 to 28 is no reason to call them alike for good."""
    ranking = rank(cells)
    (one,) = separate_pairs(ranking, [(0, 1)])
    assert one.times is not None
    told = f"to tell {one.better} and {one.worse} apart would take about {one.times:,.1f} times"
    assert told in say_answer(ranking)[0]
    assert "would take" not in say_answer(ranking, advise=False)[0]


@pytest.mark.parametrize(
    "cells",
    [
        {("A", "B"): (1, 0, 1), ("B", "C"): (1, 0, 0), ("C", "A"): (1, 0, 0)},
        {("A", "B"): (2, 0, 2)},
    ],
)
def test_of_few_judgments_none_is_told_to_act_on(cells: Cells) -> None:
    *_, said = say_answer(rank(cells))
    assert said == "4 judgments are too few to act on: collect more."
    assert not any("share first place" in one for one in say_answer(rank(cells)))


def test_of_many_that_may_be_the_best_the_number_is_said() -> None:
    ranking = rank({("A", "B"): (52, 5, 50), ("A", "C"): (90, 5, 10), ("B", "C"): (80, 2, 20)})
    systems = tuple("ABCDEFGHI")
    many = replace(
        ranking,
        systems=systems,
        rank_lower=np.array([1] * 7 + [8, 8]),
        rank_upper=np.array([7] * 7 + [9, 9]),
        rank_sets=None,
    )
    (said,) = say_answer(many)
    assert said.startswith("7 of 9 systems may each be the best, A by its estimate; the other 2")
    assert "the other 2 are not, at 95 % confidence" in said


def test_decided_pairs_among_those_that_may_be_the_best_are_not_called_alike() -> None:
    ranking = rank({("A", "B"): (52, 5, 50), ("A", "C"): (90, 5, 10), ("B", "C"): (80, 2, 20)})
    assert ranking.rank_sets is not None
    decided = ranking.rank_sets.decided.copy()
    decided[0, 1], decided[1, 0] = 1, -1
    sets = replace(ranking.rank_sets, decided=decided)
    (said,) = say_answer(replace(ranking, rank_sets=sets))
    assert said == (
        "A and B may each be the best; no other can be, at 95 % confidence. They share first place."
    )


def test_pairs_that_are_open_for_want_of_judges_are_counted_where_the_answer_is_open() -> None:
    ranking = rank({("A", "B"): (52, 5, 50), ("A", "C"): (90, 5, 10), ("B", "C"): (80, 2, 20)})
    assert ranking.rank_sets is not None
    few = np.full((3, 3), 9.0)
    few[0, 1] = few[1, 0] = 2.0
    sets = replace(ranking.rank_sets, effective=few, clusterings=("judge", "item"), limits=None)
    said = say_answer(replace(ranking, rank_sets=sets))
    assert said[1] == "1 of 3 pairs is open for want of judges or items."
    enough = replace(sets, effective=np.full((3, 3), 9.0))
    assert len(say_answer(replace(ranking, rank_sets=enough))) == 1


@pytest.mark.parametrize(
    ("ways", "collect"),
    [
        (("judge",), "of more judges"),
        (("item",), "on more items"),
        (("judge", "item"), "of more judges and on more items"),
    ],
)
def test_what_no_answers_could_have_told_apart_is_no_reason_to_drop_a_system(
    ways: tuple[str, ...], collect: str
) -> None:
    ranking = rank({("A", "B"): (52, 5, 50), ("A", "C"): (52, 5, 50), ("B", "C"): (50, 2, 50)})
    assert ranking.rank_sets is not None
    few = np.full((3, 3), 2.0)
    sets = replace(ranking.rank_sets, effective=few, clusterings=ways, limits=None)
    said, *_ = say_answer(replace(ranking, rank_sets=sets))
    assert said.startswith(
        f"Nothing is decided: any of the 3 systems may be the best. Collect judgments {collect}"
    )
    assert "share first place" not in said
    (left, *_) = say_answer(replace(ranking, rank_sets=sets), advise=False)
    assert left.endswith("may be the best.")


@pytest.mark.parametrize(
    ("judges", "advice"), [(6, "Collect judgments of more"), (16, "They share")]
)
def test_six_judges_who_decide_nothing_are_too_few_and_sixteen_are_not(
    judges: int, advice: str
) -> None:
    """Critical values of five to seven judges are five to eight."""
    rng = np.random.default_rng(2)
    rows = [
        (left, right, ("left", "right")[rng.integers(2)], f"j{judge}", f"i{at}")
        for judge in range(judges)
        for at, (left, right) in enumerate([("A", "B"), ("B", "C"), ("C", "A")] * 4)
    ]
    columns = ["left", "right", "outcome", "judge", "item"]
    ranking = evenhand.rank(evenhand.read(pl.DataFrame(rows, schema=columns, orient="row")))
    assert isinstance(ranking, evenhand.Ranking)
    assert ranking.rank_sets is not None
    assert not ranking.rank_sets.decided.any()
    assert f" {advice}" in say_answer(ranking)[0]


def test_whom_a_statement_is_about_stands_in_the_answer() -> None:
    ranking = replace(rank({("A", "B"): (80, 5, 20)}), headline="about these 3 judges only")
    assert say_answer(ranking)[-1] == "This is about these 3 judges only."


def test_names_are_listed_up_to_five() -> None:
    assert join_names(list("ABCDE")) == "A, B, C, D and E"
    assert join_names(list("ABCDEF")) == "A, B, C, D and 2 more"
