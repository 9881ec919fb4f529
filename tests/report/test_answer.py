"""The answer says what the rank sets say, in words that may be quoted."""

from __future__ import annotations

import polars as pl
import pytest

import evenhand
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
