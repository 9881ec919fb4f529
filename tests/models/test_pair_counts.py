"""Counts of pairs, as they are asked for."""

import numpy as np

from evenhand.models.baselines import IndependentPairs, IndependentStudents
from tallies import mirrored, tally

DATA = tally(("a", "b", 3, 1, 0), ("b", "a", 2, 0, 1), ("c", "b", 0, 2, 4), systems="abcd")


def test_counts_are_turned_to_the_side_that_is_asked_for():
    counts = IndependentPairs().fit(DATA)
    left, right = np.array([0, 1, 1, 0, 3]), np.array([1, 0, 2, 3, 2])
    expected = [[4, 1, 2], [2, 1, 4], [4, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert counts.between(left, right).tolist() == expected
    assert IndependentPairs().fit(mirrored(DATA)).between(left, right).tolist() == expected


def test_each_system_has_the_outcomes_of_all_its_pairs():
    fit = IndependentPairs().fit(DATA)
    assert fit.by_system().tolist() == [[4, 1, 2], [6, 3, 4], [0, 2, 4], [0, 0, 0]]
    assert fit.shown.counts.sum(axis=0).tolist() == [5, 3, 5]


def test_systems_without_judgments_are_named():
    assert IndependentStudents().fit(DATA).notes == (
        "No judgment is on d: all outcomes are equally likely for it.",
    )
