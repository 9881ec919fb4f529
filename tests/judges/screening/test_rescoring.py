"""Systems scored again without some judges, worked out by hand."""

import pytest

from evenhand.errors import UnknownOption
from evenhand.judges.removal import (
    ScoreTable,
    SystemFacts,
    describe_change,
    rescore,
)
from rating_tables import lines_of, ratings

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


def test_correlations_are_those_of_the_columns():
    found = rescore(table(), ["x"], "mean-score")
    # (4, 2.5, 2.5, 5) with (3, 4, 2, 5): deviations (.5, -1, -1, 1.5), (-.5, .5, -1.5, 1.5)
    assert found.kept.pearson == pytest.approx(3 / (4.5 * 5) ** 0.5)
    # ranks (3, 1.5, 1.5, 4) with (2, 3, 1, 4)
    assert found.kept.spearman == pytest.approx(3 / (4.5 * 5) ** 0.5)
    assert found.removed.systems == 3


def test_references_and_inputs_are_looked_at_apart():
    facts = SystemFacts(frozenset({"d"}), {"a": "text", "b": "text", "c": "speech", "d": "speech"})
    found = rescore(table(), ["x"], "mean-score", facts)
    assert found.without_references.systems == 3
    assert found.by_input["text"].pearson == pytest.approx(-1)
    assert {one.system for one in found.systems if one.reference} == {"d"}


def test_a_judge_who_is_not_there_is_refused_with_the_nearest_name():
    with pytest.raises(UnknownOption, match="no judge 'X' to leave out"):
        rescore(table(), ["X"], "mean-score")


def test_the_change_of_order_is_said_with_the_scores():
    """Without y: a 5, b 1, c 3, d 5; b and c were level, so that only a draws level with d."""
    rows = ratings(LINES).rows()
    assert describe_change(rows, ["y"]) == "the order of systems by mean score stays as it is"
    assert describe_change(rows, ["x"]) == (
        "1 of 6 pairs of systems change order: b passes a (2.5 to 4; 4 to 3)"
    )
    assert describe_change(rows, ["z"]) == "nobody else scored d"


def test_criteria_are_ordered_apart():
    lines = [(*one, "fluency") for one in LINES] + [(*one, "adequacy") for one in LINES[2:]]
    rows = ratings(lines, ("judge", "item", "system", "score", "criterion")).rows()
    assert describe_change(rows, ["x"]).startswith("fluency: 1 of 6 pairs of systems")
