"""The scale on which ratings are given."""

import numpy as np
import pytest

from evenhand.data.rating_rows import Scale, read_scale, require_scale, see_scale
from evenhand.errors import InvalidJudgments, UnknownOption


@pytest.mark.parametrize(
    ("text", "low", "high", "points"),
    [
        ("1-5", 1, 5, (1, 2, 3, 4, 5)),
        (" 0 - 2 ", 0, 2, (0, 1, 2)),
        ("-25-0", -25, 0, tuple(range(-25, 1))),
        ("-2--1", -2, -1, (-2, -1)),
        ("0..1", 0, 1, None),
        ("-1.5..2.5", -1.5, 2.5, None),
        ("5,1,2,3", 1, 5, (1, 2, 3, 5)),
        ("0.5,1", 0.5, 1, (0.5, 1)),
    ],
)
def test_a_scale_is_read_as_it_is_written(text, low, high, points):
    assert read_scale(text) == Scale(low, high, points, declared=True)


@pytest.mark.parametrize("text", ["", "5", "one-five", "1..", "1..2..3", "1,", "nan..1", "0..inf"])
def test_what_is_no_scale_is_refused_with_what_to_write(text):
    with pytest.raises(UnknownOption, match="is none: write 1-5 for whole steps"):
        read_scale(text)


def test_more_steps_than_anybody_tells_apart_are_refused():
    with pytest.raises(UnknownOption, match=r"1,000,000 steps, .* write 0\.\.1e\+06"):
        read_scale("0-1000000")


def test_few_scores_off_a_scale_may_be_excluded_and_many_may_not():
    with pytest.raises(InvalidJudgments, match=r"correct it, exclude it \(--missing 9, "):
        read_scale("1-5").check(np.array([9.0, *[3.0] * 20]))
    with pytest.raises(InvalidJudgments, match="correct them, or say what the scale is"):
        read_scale("1-4").check(np.array([5.0, 5.0, *[3.0] * 8]))


def test_the_scale_that_is_seen_refuses_nothing():
    scale = see_scale(np.array([4.0, 2.0, 4.0]))
    assert scale == Scale(2, 4, (2, 4), declared=False)
    scale.check(np.array([9.0]))
    with pytest.raises(InvalidJudgments, match="no scores"):
        see_scale(np.zeros(0))


@pytest.mark.parametrize("scale", [(1, 5), 5, [1, 2, 3]])
def test_what_is_no_scale_is_refused_in_words(scale):
    with pytest.raises(UnknownOption, match="write 1-5 for whole steps"):
        require_scale(scale)
