"""Counts of pairs, as they are asked for."""

import numpy as np

from evenhand.models.large import pair_up
from tallies import mirrored, tally

DATA = tally(("a", "b", 3, 1, 0), ("b", "a", 2, 0, 1), ("c", "b", 0, 2, 4), systems="abcd")


def test_counts_are_turned_to_the_side_that_is_asked_for():
    counts = pair_up(DATA)
    left, right = np.array([0, 1, 1, 0, 3]), np.array([1, 0, 2, 3, 2])
    expected = [[4, 1, 2], [2, 1, 4], [4, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert counts.between(left, right).tolist() == expected
    assert pair_up(mirrored(DATA)).between(left, right).tolist() == expected


def test_each_system_has_the_outcomes_of_all_its_pairs():
    assert pair_up(DATA).by_system().tolist() == [[4, 1, 2], [6, 3, 4], [0, 2, 4], [0, 0, 0]]
    assert pair_up(DATA).totals.tolist() == [5, 3, 5]


def test_systems_without_judgments_are_named():
    assert pair_up(DATA).unseen() == ["d"]
    assert pair_up(DATA).note_unseen("unseen-systems") == (
        "No judgment is on d: all outcomes are equally likely for it.",
    )
