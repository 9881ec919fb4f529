"""What was recorded beside a judgment."""

import numpy as np
import pytest

from evenhand.data.annotations import (
    KINDS,
    Kinds,
    Unread,
    mark_controls,
    read_expected_outcomes,
    read_expected_scores,
    read_kinds,
    read_seconds,
)
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET


def test_the_labels_of_appraise_mean_what_its_authors_say():
    """Appraise's item types: TGT target, CHK check (a repeat), REF reference, BAD degraded."""
    found = read_kinds(["TGT", "CHK", "REF", "BAD"], np.arange(4, dtype=np.int32))
    assert found.kind.tolist() == [TARGET, REPEAT, CONTROL, CONTROL]
    assert found.direction.tolist() == [0, 0, 1, -1]


def test_a_misspelt_kind_is_answered_with_the_nearest():
    with pytest.raises(Unread, match=r"holds contrl: expected .*\. Did you mean 'control'"):
        read_kinds(["target", "contrl"], np.zeros(1, dtype=np.int32))


def test_every_kind_is_known_in_any_case():
    for label in KINDS:
        assert read_kinds([label.upper()], np.zeros(1, np.int32)).kind is not None


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


def test_the_direction_of_a_control_may_stand_in_what_is_expected():
    kinds = Kinds(np.array([CONTROL, TARGET], np.int8), np.zeros(2, np.int8))
    both = np.array([-1, -1], np.int8)
    marked = mark_controls(kinds, np.array([True, True]), both)
    assert marked.direction.tolist() == [-1, 0]
    assert marked.notes == ("what is expected of judgments that are no controls is not used: 1",)
