"""Which systems have an interval: parts by hand, errors by hand, and boards with a thin system."""

import numpy as np
import polars as pl
import pytest

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank, rank_sets
from evenhand.ranking.rank_sets import find_members
from ranking.panels import comparisons, panel

NONE = np.zeros((5, 5), dtype=bool)


def thin(*pairs: tuple[int, int]) -> np.ndarray:
    """Effective clusters of five systems: two of these pairs, twelve of all others."""
    effective = np.full((5, 5), 12.0)
    for i, j in pairs:
        effective[i, j] = effective[j, i] = 2.0
    np.fill_diagonal(effective, 0.0)
    return effective


def across(near: list[int]) -> np.ndarray:
    inside = np.isin(np.arange(5), near)
    return inside[:, None] != inside


@pytest.mark.parametrize(
    ("effective", "resting", "members"),
    [
        (thin(), NONE, [0, 1, 2, 3, 4]),
        (thin((4, 0), (4, 1), (4, 2), (4, 3)), NONE, [0, 1, 2, 3]),
        (thin((0, 1), (2, 3)), NONE, [0, 1, 2, 3, 4]),
        (thin(*((i, j) for i in range(5) for j in range(i))), NONE, [0]),
        (thin(), across([3, 4]), [0, 1, 2]),
        (thin(), across([0, 1, 2]) | across([2]), [0, 1]),
        (thin((0, 1), (0, 2)), across([3]), [1, 2, 4]),
        (thin((3, 4)), across([3, 4]), [0, 1, 2]),
    ],
    ids=["all", "a thin one", "a few thin pairs", "none", "a cut", "two cuts", "both", "outside"],
)
def test_the_linked_part_by_hand(effective, resting, members):
    assert np.flatnonzero(find_members(effective, resting)).tolist() == members


def test_intervals_go_as_far_as_the_worlds_of_those_that_have_one():
    """Nineteen worlds at level .95: the largest, 19 and 38; those of the third are endless."""
    own = np.stack([np.arange(1.0, 20), np.ones(19), np.full(19, np.inf)], axis=1)
    three = np.ones(3, dtype=bool)
    two = np.array([True, True, False])
    assert rank_sets.limit_worths([own, 2 * own], two, 0.95) == 38
    assert rank_sets.limit_worths([own], two, 0.9) == 18
    assert rank_sets.limit_worths([own], ~three, 0.9) == np.inf


@pytest.fixture(scope="module")
def board():
    """Twelve judges; the fifth system came late, and two of them saw it."""
    frame = panel(n=1200, judges=12, systems=5)
    late = (pl.col("left") == "s4") | (pl.col("right") == "s4")
    frame = frame.filter(~late | pl.col("judge").is_in(["j003", "j004"]))
    return frame, rank(comparisons(frame), cluster="judge")


def test_one_thin_system_costs_nobody_else_an_interval(board):
    """Before, with its t* among those of all others, their critical value was 40 and more."""
    frame, found = board
    late = np.array(found.systems) == "s4"
    np.testing.assert_array_equal(found.bounded, ~late)
    critical = (found.upper - found.lower)[~late] / found.stderr[~late] / 2
    before = frame.filter((pl.col("left") != "s4") & (pl.col("right") != "s4"))
    alone = rank(comparisons(before), cluster="judge")
    expected = ((alone.upper - alone.lower) / alone.stderr)[0] / 2
    np.testing.assert_allclose(critical, expected, rtol=0.1)
    assert any("No interval for s4, which too few judges link" in note for note in found.notes)


def test_a_system_on_which_answers_balance_to_the_last_has_no_interval():
    """Every judge is for a as often as against, of b and of c: its distance to them is always 0."""
    rng = np.random.default_rng(5)
    rows = []
    for judge in range(8):
        for other in "bc":
            rows += [("a", other, side, f"j{judge}") for side in ("left", "right") * 5]
        rows += [("b", "c", "left", f"j{judge}")] * 6
        rows += [("b", "c", side, f"j{judge}") for side in rng.choice(["left", "right"], 8)]
    rows += [("c", "b", "left", f"j{judge}") for judge in range(8) for _ in range(10)]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome", "judge"], orient="row")
    found = rank(comparisons(frame), model=BradleyTerry(ties="discard"), cluster="judge")
    np.testing.assert_array_equal(found.bounded, np.array(found.systems) != "a")
    assert any(note.startswith("No interval for a: clusters by judge") for note in found.notes)
