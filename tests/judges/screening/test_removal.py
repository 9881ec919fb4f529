"""Whom to remove, and which of a judge's scores count."""

import pytest

from evenhand.errors import UnknownOption
from evenhand.judges.outliers import Outliers
from evenhand.judges.removal import (
    Choice,
    choose_removed,
    choose_version,
    find_common,
    number_versions,
)
from rating_tables import lines_of, ratings

FOUND = [
    Outliers("mean-score", "adequacy", {}, high=("a",), low=("b", "c")),
    Outliers("mean-agreement", "adequacy", {}, high=("b", "d")),
    Outliers("mean-score", "fluency", {}, high=("b", "e")),
    Outliers("mean-agreement", "fluency", {}, why="no output was judged by two judges"),
]
METHODS = ("mean-score", "mean-agreement")


@pytest.mark.parametrize(
    ("match", "across", "adequacy", "fluency"),
    [
        ("any", "each", "abcd", "be"),
        ("all", "each", "b", "be"),
        ("any", "any", "abcde", "abcde"),
        ("any", "all", "b", "b"),
        ("all", "any", "be", "be"),
        ("all", "all", "b", "b"),
    ],
)
def test_every_choice_is_the_union_or_intersection_that_it_names(match, across, adequacy, fluency):
    found = choose_removed(FOUND, Choice(METHODS, match, across))
    assert found == {"adequacy": tuple(adequacy), "fluency": tuple(fluency)}


def test_a_choice_that_does_not_exist_is_refused():
    with pytest.raises(UnknownOption, match="across cannot be 'both': choose each"):
        Choice(METHODS, across="both")


def test_judges_common_to_two_methods_are_too_high_or_too_low():
    (common,) = find_common(FOUND)
    assert (common.judges, common.high, common.low) == (("b",), 0, 1)


def test_the_first_the_last_or_both_scores_of_one_output_count():
    rows = ratings(lines_of("x 1 a 1; y 1 a 3; x 1 a 5; x 1 b 2")).rows()
    kept = {
        version: sorted(choose_version(rows, version).score.tolist())
        for version in ("first", "last", "both")
    }
    assert kept == {"first": [1, 2, 3], "last": [2, 3, 5], "both": [1, 2, 3, 5]}


def test_a_repeat_is_the_later_version_wherever_it_stands():
    lines = [("x", "1", "a", 5, "repeat"), ("x", "1", "a", 1, "target"), ("x", "1", "a", 4, "bad")]
    rows = ratings(lines, ("judge", "item", "system", "score", "kind")).rows()
    assert choose_version(rows, "first").score.tolist() == [1]
    assert choose_version(rows, "last").score.tolist() == [5]


def test_the_clock_says_what_came_last_where_there_is_one():
    lines = [("x", "1", "a", 5, 200), ("x", "1", "a", 1, 100)]
    rows = ratings(lines, ("judge", "item", "system", "score", "shown_at")).rows()
    assert choose_version(rows, "last").score.tolist() == [5]
    assert choose_version(rows, "first").score.tolist() == [1]


def test_a_version_that_does_not_exist_is_refused():
    with pytest.raises(UnknownOption, match="version cannot be 'mean'"):
        choose_version(ratings(lines_of("x 1 a 1")).rows(), "mean")


def test_a_repeat_that_was_given_before_its_target_is_the_first():
    lines = [("x", "1", "a", 5, "repeat", 100), ("x", "1", "a", 1, "target", 200)]
    rows = ratings(lines, ("judge", "item", "system", "score", "kind", "shown_at")).rows()
    assert choose_version(rows, "first").score.tolist() == [5]
    assert choose_version(rows, "last").score.tolist() == [1]


def test_scores_are_numbered_by_when_their_judge_gave_them():
    rows = ratings(lines_of("x 1 a 1; y 1 a 3; x 1 a 5; x 1 b 2; x 1 a 4")).rows()
    assert number_versions(rows).tolist() == [0, 0, 1, 0, 2]
