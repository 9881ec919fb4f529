"""Simulated tables follow the model that they state."""

import csv
import io
from collections import Counter

import pytest

from evenhand.datasets.simulated import SIMULATED, draw_table


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(draw_table(name))))


@pytest.mark.parametrize("name", SIMULATED)
def test_sides_are_drawn_by_lot_and_titles_say_simulated(name):
    """Of n pairs the first name of the two stands left in n/2, within 4 sd of the binomial."""
    assert name.endswith("_simulated")
    assert SIMULATED[name].title.endswith("(simulated)")
    table = rows(name)
    first = sum(row["left"] < row["right"] for row in table)
    assert abs(first - len(table) / 2) < 2 * len(table) ** 0.5


def test_one_tie_in_five_is_said_in_the_arena():
    """600 judgments, each a tie with chance 0.2: sd 9.8."""
    ties = Counter(row["outcome"] for row in rows("arena_simulated"))["tie"]
    assert abs(ties - 120) < 40


def test_three_judges_see_the_same_outputs_in_the_study():
    pairs = Counter(
        (row["item"], *sorted((row["left"], row["right"]))) for row in rows("study_simulated")
    )
    assert set(pairs.values()) == {3}
    assert len(pairs) == 100
