"""Outputs whose worth is known: who misses it."""

import pytest

from evenhand.data.rating_rows import read_scale
from evenhand.errors import UnknownOption
from evenhand.judges.outliers import EasyCount, EasyRule, count_missed, find_by_easy_items
from rating_tables import lines_of, ratings

FIVE = {"": read_scale("1-5")}
KINDS = ("judge", "item", "system", "score", "kind")


def counted(data, easy=(), scales=FIVE, miss=0.5):
    found = count_missed(data.rows(), easy, scales, miss)
    return {one.judge: (one.n, one.missed) for one in found.get("", ())}


def test_a_good_output_is_missed_in_the_lower_half_and_in_the_middle():
    data = ratings(lines_of("p 1 a 1; q 1 a 2; r 1 a 3; s 1 a 4; t 1 a 5; t 2 a 1"))
    assert counted(data, ["1"]) == {"p": (1, 1), "q": (1, 1), "r": (1, 1), "s": (1, 0), "t": (1, 0)}


def test_a_single_output_can_be_listed():
    data = ratings(lines_of("p 1 a 1; p 1 b 1; q 1 b 5"))
    assert counted(data, [("1", "b")]) == {"p": (1, 1), "q": (1, 0)}


@pytest.mark.parametrize(("easy", "fault"), [("9", "easy item '9'"), (("1", "z"), "'z'")])
def test_an_output_that_is_not_there_is_refused(easy, fault):
    with pytest.raises(UnknownOption, match=fault):
        counted(ratings(lines_of("p 1 a 1")), [easy])


def test_a_damaged_output_is_missed_unless_it_scores_lower_than_undamaged():
    lines = [
        ("p", "1", "a", 4, "target"),
        ("p", "1", "a", 3, "bad"),
        ("q", "1", "a", 2, "target"),
        ("q", "1", "a", 2, "bad"),
    ]
    assert counted(ratings(lines, KINDS)) == {"p": (1, 0), "q": (1, 1)}


def test_a_bad_output_without_its_undamaged_self_is_missed_in_the_upper_half():
    lines = [("p", "1", "a", 2, "bad"), ("q", "1", "a", 3, "bad"), ("q", "2", "a", 3, "target")]
    assert counted(ratings(lines, KINDS)) == {"p": (1, 0), "q": (1, 1)}


def test_a_judge_is_outside_who_misses_more_than_a_third_of_two_or_more():
    counts = [
        EasyCount("third", "", 3, 1),
        EasyCount("half", "", 4, 2),
        EasyCount("all", "", 2, 2),
        EasyCount("one", "", 1, 1),
    ]
    found = find_by_easy_items("", counts)
    assert found.high == ("all", "half")
    assert "one" not in found.values
    assert find_by_easy_items("", counts, EasyRule(share=0.2, least=1)).high == (
        "all",
        "one",
        "half",
        "third",
    )


def test_the_expected_score_of_a_control_is_what_it_is_measured_by():
    lines = [("p", "1", "a", 3, "control", 3), ("p", "2", "a", 5, "control", 3)]
    data = ratings(lines, (*KINDS, "expected"))
    assert counted(data) == {"p": (2, 1)}


@pytest.mark.parametrize("bounds", [{"miss": 0}, {"miss": 1.1}, {"share": 1}, {"least": 0}])
def test_a_rule_without_sense_is_refused(bounds):
    with pytest.raises(UnknownOption, match=next(iter(bounds))):
        EasyRule(**bounds)
