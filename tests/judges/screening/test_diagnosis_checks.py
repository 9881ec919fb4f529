"""Numbers that no diagnosis can work with."""

import pytest

from evenhand import diagnose_judges
from evenhand.errors import InvalidJudgments
from rating_tables import lines_of, ratings

FOUR = ("judge", "item", "system", "score")
SMALL = lines_of("x 1 a 1; y 1 a 3; x 1 b 2; y 1 b 2; z 1 b 5; z 2 a 4")


@pytest.mark.parametrize(
    ("expected", "words"), [(7.0, "off the scale 1 to 5: 7"), (float("inf"), "infinite")]
)
def test_expected_scores_that_nobody_can_give_are_refused(expected, words):
    lines = [(*one, "target", None) for one in SMALL] + [("x", "9", "a", 5.0, "control", expected)]
    data = ratings(lines, (*FOUR, "kind", "expected"))
    with pytest.raises(InvalidJudgments, match=words):
        diagnose_judges(data, scale="1-5")


def test_scores_too_large_to_be_added_up_are_refused():
    with pytest.raises(InvalidJudgments, match=r"1e\+200 cannot be added up"):
        diagnose_judges(ratings([*SMALL, ("z", "3", "a", 1e200)]))
