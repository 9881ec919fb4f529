"""Judgments of language models: AlpacaEval's annotations, PandaLM's test set."""

import json

import pytest

from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, rows_of


def alpaca(*preferences: float | None) -> str:
    given = {"generator_1": "base", "generator_2": "new", "annotator": "a judge"}
    return json.dumps(
        [
            {"instruction": f"task {at}", **given, "preference": preference, "raw": {"index": 0}}
            for at, preference in enumerate(preferences)
        ]
    )


@pytest.mark.parametrize(
    ("preference", "outcome"),
    [
        (1, "left"),
        (1.0, "left"),
        (1.49, "left"),
        (1.5, "tie"),
        (0, "tie"),
        (1.51, "right"),
        (2, "right"),
    ],
)
def test_a_preference_counts_for_the_nearer_output(preference, outcome, save) -> None:
    (row,) = rows_of(save("annotations.json", alpaca(preference)))
    assert (row["left"], row["right"], row["outcome"]) == ("base", "new", outcome)
    assert (row["judge"], row["item"]) == ("a judge", "task 0")


def test_graded_preferences_are_counted_and_kept(save) -> None:
    """Published by tatsu-lab for weighted annotators: the probability of the second output."""
    data = read(save("annotations.json", alpaca(1.9900139974, 1.4593660117, 2, None)))
    assert cells_of(data.tally()) == {("base", "new"): (1, 0, 2)}
    assert [row["preference"] for row in rows_of(data)] == ["1.9900139974", "1.4593660117", "2"]
    assert "2 of 4 preferences are graded" in data.source.notes[-1]
    assert not data.positions_known


@pytest.mark.parametrize("preference", [3, 0.5, -1])
def test_another_preference_is_refused_with_its_row(preference, save) -> None:
    path = save("annotations.json", alpaca(1, preference))
    said = refusal(path, InvalidJudgments)
    assert said.startswith(f"row 2 of {path}: a preference is 0 or from 1 to 2, not {preference:g}")


PANDA = {"idx": 0, "instruction": "Say", "input": "it", "response1": "a", "response2": "b"}


def test_each_annotator_is_a_judge(save) -> None:
    """1 and 2 are for the first and second response, 0 is a tie (Wang et al. 2024)."""
    answers = {"annotator1": 1, "annotator2": 2, "annotator3": 0}
    one = {**PANDA, "cmp_key": "cerebras-gpt-6.7B_pythia-6.9b", **answers}
    rows = rows_of(save("testset-v1.json", json.dumps([one])))
    said = [(row["judge"], row["left"], row["right"], row["outcome"]) for row in rows]
    sides = ("cerebras-gpt-6.7B", "pythia-6.9b")
    assert said == [
        ("annotator1", *sides, "left"),
        ("annotator2", *sides, "right"),
        ("annotator3", *sides, "tie"),
    ]
    assert {row["item"] for row in rows} == {"Say it"}


def test_models_may_stand_in_columns_of_their_own(save) -> None:
    one = {**PANDA, "first": "x_1", "second": "y_1", "annotator1": 2}
    path = save("testset.json", json.dumps([one]))
    assert "names no two models" in refusal(path, InvalidJudgments)
    (row,) = rows_of(path, columns={"left": "first", "right": "second"})
    assert (row["left"], row["right"], row["outcome"]) == ("x_1", "y_1", "right")
    assert "'third'" in refusal(path, UnknownColumn, columns={"left": "third"})


def test_columns_that_hold_no_one_value_are_named_as_not_read(save) -> None:
    panda = {**PANDA, "cmp_key": "x_y", "annotator1": 1, "cost": 2, "raw": {"index": 0}}
    for name, text in (("annotations.json", alpaca(1)), ("testset.json", json.dumps([panda]))):
        assert "not read: raw" in read(save(name, text)).source.notes
