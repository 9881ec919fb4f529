"""Points of a scale merged."""

import pytest

from evenhand.data.rating_rows import read_scale
from evenhand.errors import UnknownOption
from evenhand.judges.removal import merge_points, read_merging
from rating_tables import lines_of, ratings

FIVE = read_scale("1-5")
ROWS = ratings(lines_of("x 1 a 1; x 2 a 2; x 3 a 3; x 4 a 4; x 5 a 5")).rows()


def test_one_with_two_and_four_with_five_leave_three_points():
    rows, scale = merge_points(ROWS, read_merging("1+2,4+5"), FIVE)
    assert rows.score.tolist() == [1, 1, 2, 3, 3]
    assert scale.points == (1, 2, 3)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1+6", "6 is not on the scale"),
        ("1+2,2+3", "a point is named twice"),
        ("1+3", r"1\+3 are not neighbours"),
    ],
)
def test_what_cannot_be_merged_is_refused(text, fault):
    with pytest.raises(UnknownOption, match=fault):
        merge_points(ROWS, read_merging(text), FIVE)


def test_a_scale_without_steps_has_no_points_to_merge():
    with pytest.raises(UnknownOption, match="on a scale with steps"):
        merge_points(ROWS, [(1, 2)], read_scale("0..10"))


def test_other_words_are_refused():
    with pytest.raises(UnknownOption, match="write 1\\+2,4\\+5"):
        read_merging("low+high")


def test_an_expected_score_between_points_goes_with_the_nearest():
    lines = [("p", str(score), "a", score, "control", expected) for score, expected in EXPECTED]
    rows = ratings(lines, ("judge", "item", "system", "score", "kind", "expected")).rows()
    merged, _ = merge_points(rows, [[1, 2], [4, 5]], read_scale("1-5"))
    assert merged.expected.tolist() == [1, 1, 2, 3, 3]


EXPECTED = [(1, 1.4), (2, 2.2), (3, 3.4), (4, 3.7), (5, 4.9)]
