"""What was recorded beside a judgment."""

import numpy as np
import pytest

from evenhand.data.annotations import (
    Unread,
    read_expected_outcomes,
    read_expected_scores,
    read_kinds,
    read_seconds,
)


def test_a_misspelt_kind_is_answered_with_the_nearest():
    with pytest.raises(Unread, match=r"holds contrl: expected .*\. Did you mean 'control'"):
        read_kinds(["target", "contrl"], np.zeros(1, dtype=np.int32))


def test_expected_scores_are_numbers_or_directions():
    given = np.array(["Good", "4.5", None, "bad"], dtype=object)
    scores, _, direction = read_expected_scores(given)
    assert np.array_equal(scores, [np.nan, 4.5, np.nan, np.nan], equal_nan=True)
    assert direction.tolist() == [1, 0, 0, -1]
    with pytest.raises(Unread, match="holds fine: expected are a score, good or bad"):
        read_expected_scores(np.array(["fine", "3"], dtype=object))


def test_expected_outcomes_are_those_that_are_understood():
    codes = np.array([1, 0, 1], dtype=np.int32)
    expected, given, _ = read_expected_outcomes((["", "a"], codes))
    assert (expected.tolist(), given.tolist()) == ([0, -1, 0], [True, False, True])
    with pytest.raises(Unread, match="holds a1, no outcomes"):
        read_expected_outcomes((["a1"], codes))


def test_times_that_cannot_be_are_unknown_and_counted():
    seconds, notes = read_seconds(np.array([1.0, -2.0, np.inf, np.nan]))
    assert np.array_equal(seconds, [1, np.nan, np.nan, np.nan], equal_nan=True)
    assert notes == ("times that are negative or endless are unknown: 2 of 4",)
    assert read_seconds(np.array(["3", None], dtype=object))[0][0] == 3
    assert read_seconds(np.array([1_500_000], dtype="timedelta64[us]"))[0].tolist() == [1.5]
    with pytest.raises(Unread, match="holds 3 min: seconds are numbers"):
        read_seconds(np.array(["3 min"], dtype=object))
