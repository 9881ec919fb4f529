"""Labels by judge and unit, from each kind of judgments."""

import numpy as np
import polars as pl
import pytest
from narwhals import from_native

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.models.answers import code_answers, code_groups
from label_crowds import as_ratings, as_votes

VOTES = [
    ("j1", "i1", "b", "a", "left"),
    ("j2", "i1", "a", "b", "left"),
    ("j3", "i1", "a", "b", "tie"),
    ("j1", "i2", "a", "c", "right"),
]
RATINGS = [("j1", "i1", "x", 1.0), ("j2", "i1", "x", 3.0), ("j1", "i2", "x", 3.0)]


def test_a_unit_of_comparisons_is_a_pair_of_outputs_whoever_stood_left():
    answers = code_answers(as_votes(VOTES))
    assert answers.units == 2
    assert answers.labels == ("first", "tie", "second")
    assert answers.describe_unit(0) == {"item": "i1", "first": "a", "second": "b"}
    found = [answers.name_label(0, c) for c in answers.label[answers.unit == 0].tolist()]
    assert found == ["b", "a", "tie"]  # j1, j2, j3
    assert answers.swapped.tolist() == [True, False, False, False]
    assert [answers.spoken[c] for c in answers.shown.tolist()] == ["left", "left", "tie", "right"]


def test_a_unit_of_ratings_is_an_output_under_a_criterion():
    answers = code_answers(as_ratings(RATINGS * 2, criterion=["A"] * 3 + ["B"] * 3))
    assert answers.units == 4
    assert answers.labels == ("1", "3")
    assert answers.describe_unit(1) == {"item": "i1", "system": "x", "criterion": "B"}


def test_rankings_are_read_pair_by_pair_and_the_dependence_is_noted():
    frame = pl.DataFrame(
        {
            "judge": ["j1"] * 3 + ["j2"] * 3,
            "item": ["i1"] * 6,
            "ranking": ["r1"] * 3 + ["r2"] * 3,
            "system": ["a", "b", "c"] * 2,
            "rank": [1, 2, 2, 2, 1, 3],
        }
    )
    answers = code_answers(Rankings(from_native(frame)))
    assert (answers.units, answers.size) == (3, 6)
    assert answers.spoken == ("first", "tie", "second")  # positions are not known
    turned = {int(unit): set() for unit in answers.unit}
    for unit, own in zip(answers.unit, answers.swapped, strict=True):
        turned[int(unit)].add(bool(own))
    assert all(len(own) == 1 for own in turned.values())  # all judges saw a pair alike
    assert any("of one ranking" in note for note in answers.notes)


def test_controls_are_left_out_and_counted():
    kinds = ["target", "control", "target"]
    answers = code_answers(as_ratings(RATINGS, kind=kinds))
    assert answers.size == 2
    assert any("1 judgment of controls excluded" in note for note in answers.notes)


@pytest.mark.parametrize("role", ["judge", "item"])
def test_votes_without_judges_or_items_are_refused(role):
    data = as_votes(VOTES)
    with pytest.raises(UnknownColumn, match=f"names no {role}s.*--column {role}=NAME"):
        code_answers(Comparisons(data.frame.drop(role)))


def test_a_fine_scale_has_no_labels():
    rows = [("j1", f"i{i}", "x", float(i)) for i in range(101)]
    with pytest.raises(InvalidJudgments, match=r"101 different scores \(0, 1, 2, 3 and 97 more\)"):
        code_answers(as_ratings(rows))


def test_only_known_ways_to_treat_ties():
    with pytest.raises(UnknownOption, match=r"ties cannot be 'half-win': choose keep \| discard"):
        code_answers(as_votes(VOTES), ties="half-win")


def test_only_ties_leave_nothing_when_ties_are_dropped():
    with pytest.raises(InvalidJudgments, match="no votes are left"):
        code_answers(as_votes([VOTES[2]]), ties="discard")


def test_tasks_are_apart_unless_they_are_taken_together():
    tasks = {"task": ["t1", "t1", "t2", "t2"]}
    data = as_votes(VOTES, **tasks)
    groups = code_groups(data, None)
    assert list(groups) == ["t1", "t2"]
    assert groups["t1"].judges == ("j1", "j2")
    assert groups["t2"].describe_unit(0)["item"] == "i1"
    assert list(code_groups(data, None, together=True)) == [""]
    assert sum(one.size for one in groups.values()) == 4


def test_scores_that_a_group_does_not_have_are_no_labels_of_it():
    groups = code_groups(as_ratings(RATINGS, task=["t1", "t1", "t2"]), None)
    assert [one.labels for one in groups.values()] == [("1", "3"), ("3",)]
    assert groups["t2"].label.tolist() == [0]


@pytest.mark.parametrize("column", ["place", "criterion"])
def test_groups_are_the_values_of_any_column(column):
    data = as_ratings(RATINGS, **{column: ["here", "there", "here"]})
    groups = code_groups(data, column)
    assert {name: one.size for name, one in groups.items()} == {"here": 2, "there": 1}
    votes = as_votes(VOTES, **{column: ["here", "there", "here", "here"]})
    assert [one.size for one in code_groups(votes, column).values()] == [3, 1]


def test_units_cannot_be_grouped_by_who_answered():
    with pytest.raises(UnknownOption, match="units cannot be grouped by judge"):
        code_groups(as_ratings(RATINGS), "judge")


def test_names_in_the_order_of_quality_do_not_pass_for_spamming():
    """Systems are named in the order of their quality; the last judge ranks at random."""
    rng = np.random.default_rng(3)
    rows = []
    for item in range(40):
        worth = -np.arange(5) + rng.normal(0, 0.6, 5)
        for j in range(8):
            score = worth + rng.normal(0, 0.6, 5) if j < 7 else rng.normal(0, 1, 5)
            rank = (-score).argsort().argsort() + 1
            rows += [
                (f"j{j}", str(item), f"{j}-{item}", "abcde"[k], int(rank[k])) for k in range(5)
            ]
    columns = ["judge", "item", "ranking", "system", "rank"]
    data = evenhand.read(pl.DataFrame(rows, schema=columns, orient="row"))
    competence = {one.judge: one.value for one in evenhand.MACE().fit(data).skills}
    assert min(competence[f"j{j}"] for j in range(7)) > 0.4 > competence["j7"]
