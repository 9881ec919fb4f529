"""The answer says what the rank sets say, in words that may be quoted."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import evenhand
from evenhand.design.power import separate_pairs
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
    ("cells", "codes"),
    [
        ({("A", "B"): (80, 5, 20)}, []),
        ({("A", "B"): (50, 5, 48)}, []),
        (
            {("A", "B"): (80, 5, 20), ("A", "C"): (80, 5, 20), ("B", "C"): (50, 2, 50)},
            ["others-open"],
        ),
        (
            {("A", "B"): (80, 5, 20), ("A", "C"): (90, 5, 10), ("B", "C"): (80, 2, 20)},
            ["second"],
        ),
        ({("A", "B"): (50, 5, 50), ("A", "C"): (80, 5, 20), ("B", "C"): (80, 5, 20)}, []),
        ({("A", "B"): (60, 0, 44), ("A", "C"): (60, 0, 42), ("B", "C"): (52, 0, 50)}, ["more"]),
    ],
)
def test_the_answer_is_that_of_rank_and_who_comes_second(cells: Cells, codes: list[str]) -> None:
    ranking = rank(cells)
    first, *others = say_answer(ranking)
    assert (first,) == ranking.document().answer
    assert [one.code for one in others] == codes


def test_systems_that_cannot_be_separated_share_first_place() -> None:
    """Nobody is told to take the cheaper one: organisers of shared tasks have no use for it."""
    ranking = rank({("A", "B"): (50, 5, 50), ("A", "C"): (80, 5, 20), ("B", "C"): (80, 5, 20)})
    (said,) = say_answer(ranking)
    assert said.startswith("A and B share first place: ")
    assert "cannot separate them" in said


def test_judging_more_is_said_with_the_number_of_the_section_on_what_to_judge_next() -> None:
    ranking = rank({("A", "B"): (60, 0, 44), ("A", "C"): (60, 0, 42), ("B", "C"): (52, 0, 50)})
    (one,) = separate_pairs(ranking, [(0, 1)])
    assert one.times is not None
    assert say_answer(ranking)[-1] == (
        f"{one.times:,.1f} times as many judgments would probably separate A and B."
    )


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


def test_whom_a_statement_is_about_stands_in_the_answer() -> None:
    ranking = replace(rank({("A", "B"): (80, 5, 20)}), headline="for these 3 judges only")
    assert say_answer(ranking)[0].endswith(" (for these 3 judges only).")
