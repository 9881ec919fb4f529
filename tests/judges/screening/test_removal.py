"""Whom to remove, and which of a judge's scores count."""

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.data.rating_rows import read_scale
from evenhand.errors import UnknownOption
from evenhand.judges.outliers import (
    Choice,
    EasyCount,
    EasyRule,
    JudgeProfile,
    Limits,
    Outliers,
    ScoreTable,
    choose_removed,
    choose_version,
    count_missed,
    describe_changes,
    find_by_easy_items,
    find_by_mean,
    merge_points,
    outside_limits,
    profile_judges,
    read_merging,
    rescore,
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


# Systems scored again without some judges, worked out by hand.

LINES = lines_of("x 1 a 5; y 1 a 3; x 1 b 1; y 1 b 4; x 1 c 3; y 1 c 2; z 2 d 5")


def table():
    return ScoreTable.of(ratings(LINES).rows())


def test_scores_kept_removed_and_lost_are_as_worked_out_by_hand():
    found = rescore(table(), ["x"], "mean-score")
    assert {one.system: (one.full, one.kept, one.removed) for one in found.systems} == {
        "a": (4.0, 3.0, 5.0),
        "b": (2.5, 4.0, 1.0),
        "c": (2.5, 2.0, 3.0),
        "d": (5.0, 5.0, None),
    }
    assert (found.n, found.n_removed, found.share_lost) == (7, 3, pytest.approx(3 / 7))
    assert (found.kept_mean, found.removed_mean) == (14 / 4, 9 / 3)
    assert [one.system for one in found.systems] == ["d", "a", "b", "c"]


def test_the_change_of_order_is_said_with_the_scores():
    """Without y: a 5, b 1, c 3, d 5; b and c were level, so that only a draws level with d."""
    rows = ratings(LINES).rows()
    assert describe_changes(rows, [["y"], ["x"], ["z"]]) == [
        "the order of systems by mean score stays as it is",
        "1 of 6 pairs of systems change order: b passes a (2.5 to 4; 4 to 3)",
        "nobody else scored d",
    ]


# Points of a scale merged.

FIVE = read_scale("1-5")
ROWS = ratings(lines_of("x 1 a 1; x 2 a 2; x 3 a 3; x 4 a 4; x 5 a 5")).rows()


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


def test_an_expected_score_between_points_goes_with_the_nearest():
    lines = [("p", str(score), "a", score, "control", expected) for score, expected in EXPECTED]
    rows = ratings(lines, ("judge", "item", "system", "score", "kind", "expected")).rows()
    merged, _ = merge_points(rows, [[1, 2], [4, 5]], FIVE)
    assert merged.expected.tolist() == [1, 1, 2, 3, 3]


EXPECTED = [(1, 1.4), (2, 2.2), (3, 3.4), (4, 3.7), (5, 4.9)]

# Limits around the mean of the judges' values.


def profile(judge, mean, gap, far):
    return JudgeProfile(judge, "", 10, 10, mean, mean - gap, gap, far)


def test_a_judge_on_the_limit_is_within():
    """Of two judges both are exactly one sd (of the divisor J) from their mean."""
    found = outside_limits("m", "", {"a": 0.1, "b": 0.7}, Limits(1, 0), two_sided=True)
    assert found.judges == ()


@pytest.mark.parametrize("value", [0.1 + 0.2, 3.3, 71.0])
def test_judges_who_are_all_alike_are_all_within(value):
    found = outside_limits("m", "", dict.fromkeys("abcdefg", value), Limits(), two_sided=True)
    assert found.judges == ()


def test_the_two_readings_of_the_mean_score_differ_for_who_saw_worse_outputs():
    """a saw bad outputs and scores them as the others do; d is two points above the others."""
    judges = [
        profile("a", 1.0, 0.0, 1),
        profile("b", 3.0, 0.0, 1),
        profile("c", 3.0, 0.0, 1),
        profile("d", 3.0, 2.0, 1),
    ]
    assert find_by_mean("mean-score", judges, Limits()).judges == ("a",)
    assert find_by_mean("mean-score", judges, Limits(), reading="gap").judges == ("d",)


# Judges beside the others: a table worked out by hand, and pandas on many scores.


def test_many_scores_are_what_joining_the_table_to_itself_gives():
    rng = np.random.default_rng(7)
    n = 3000
    table = pd.DataFrame(
        {
            "judge": rng.integers(0, 12, n).astype(str),
            "item": rng.integers(0, 60, n).astype(str),
            "system": rng.integers(0, 5, n).astype(str),
            "criterion": rng.choice(["adequacy", "fluency"], n),
            "score": rng.integers(1, 6, n),
        }
    ).drop_duplicates(["judge", "item", "system", "criterion"])
    found = profile_judges(evenhand.read(table).rows())
    both = table.merge(table, on=["item", "system", "criterion"], suffixes=("", "_other"))
    both = both[both.judge != both.judge_other]
    both["far"] = (both.score - both.score_other).abs()
    each = both.groupby(["criterion", "judge", "item", "system", "score"], as_index=False).agg(
        theirs=("score_other", "mean"), far=("far", "mean")
    )
    each["gap"] = each.score - each.theirs
    expected = each.groupby(["criterion", "judge"])[["theirs", "gap", "far"]].mean()
    assert sum(map(len, found.values())) == len(expected) == 24
    for criterion, profiles in found.items():
        for one in profiles:
            row = expected.loc[(criterion, one.judge)]
            assert (one.others_mean, one.gap, one.mean_agreement) == pytest.approx(tuple(row))


# Outputs whose worth is known: who misses it.

KINDS = ("judge", "item", "system", "score", "kind")


def counted(data, easy=()):
    found = count_missed(data.rows(), easy, {"": FIVE}, 0.5)
    return {one.judge: (one.n, one.missed) for one in found.get("", ())}


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


def test_a_judge_is_outside_who_misses_more_than_a_third_of_two_or_more():
    counts = [
        EasyCount("third", "", 3, 1),
        EasyCount("half", "", 4, 2),
        EasyCount("all", "", 2, 2),
        EasyCount("one", "", 1, 1),
    ]
    found = find_by_easy_items("", counts, EasyRule())
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
