"""A sort as JSON: what was written is read, and nothing else."""

import json

import pytest

from evenhand.design.sorting import Sorting, digest, read_sort, write_sort
from evenhand.errors import InvalidJudgments, UnknownFormat, UnknownOption


def sealed(whole):
    """A file as whoever knows the digest may have made it."""
    return json.dumps({**whole, "digest": digest(whole)})


@pytest.fixture
def whole():
    sort = Sorting(("a", "b", "c", "d"), votes=3)
    return json.loads(write_sort(sort.answer(("a", "b"), (1, 2), "ann")))


def test_a_file_with_an_answer_that_was_not_asked_names_it(whole):
    whole["answers"][0]["shown"] = ["a", "d"]
    with pytest.raises(InvalidJudgments, match=r"answer 1: a or d: nobody asked"):
        read_sort(sealed(whole))


def test_a_file_that_was_changed_is_refused(whole):
    whole["answers"][0]["places"] = [2, 1]
    with pytest.raises(UnknownFormat, match="not as it was written: its digest is another"):
        read_sort(json.dumps(whole))
    del whole["digest"]
    with pytest.raises(UnknownFormat, match="not as it was written"):
        read_sort(json.dumps(whole))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("systems", "abcd"), ("systems", ["a", "b", None]), ("systems", ["a", ["b"]]),
        ("systems", ["a", "a"]), ("shown", 2.5), ("shown", "2"), ("shown", True), ("shown", 1),
        ("votes", 1.9), ("votes", None), ("votes", 0), ("answers", {}), ("answers", None),
        ("answers", [1]), ("answers", [{"shown": ["a", "b"]}]), ("added", 1.5), ("added", 4),
    ],
)  # fmt: skip
def test_settings_of_another_kind_are_refused(whole, key, value):
    with pytest.raises((UnknownFormat, UnknownOption, InvalidJudgments)):
        read_sort(sealed({**whole, key: value}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("places", [1.7, 2]), ("places", ["1", "2"]), ("places", "12"), ("places", [True, 2]),
        ("places", [None, 1]), ("places", [float("inf"), 1]), ("places", [float("nan"), 1]),
        ("shown", "ab"), ("shown", [["a"], "b"]), ("shown", {"a": 1}),
        ("judge", None), ("judge", 5), ("judge", ["ann"]),
    ],
)  # fmt: skip
def test_answers_of_another_kind_are_refused(whole, key, value):
    whole["answers"][0][key] = value
    with pytest.raises((UnknownFormat, InvalidJudgments), match="answer 1"):
        read_sort(sealed(whole))


def test_votes_that_no_question_can_have_are_refused_as_such(whole):
    with pytest.raises(UnknownOption, match="votes cannot be 0"):
        read_sort(sealed({**whole, "votes": 0}))
