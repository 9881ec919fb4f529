"""Label Studio's export."""

import json

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from outside_files import LABEL_STUDIO
from read_tables import cells_of, refusal, rows_of, tally_of


def _task(kind, value, data) -> str:
    annotation = {"completed_by": {"id": 3}, "result": [{"type": kind, "value": value}]}
    return json.dumps([{"id": 5, "data": data, "annotations": [annotation]}])


def test_a_ranker_is_a_ranking_in_the_order_of_the_list_that_was_shown(save) -> None:
    data = read(save("export.json", LABEL_STUDIO))
    found = {row["system"]: (row["rank"], row["position"]) for row in rows_of(data)}
    assert found == {"mdn": (1, 2), "wiki": (2, 1), "blog": (3, 3)}
    assert {(row["judge"], row["ranking"], row["seconds"]) for row in rows_of(data)} == {
        ("3", "9", "9.5")
    }


def test_what_was_cancelled_and_other_results_are_counted(save) -> None:
    notes = read(save("export.json", LABEL_STUDIO)).source.notes
    assert "annotations that were cancelled excluded: 1" in notes
    assert "results of type choices excluded: 1" in notes


def test_a_list_without_a_bucket_is_a_ranking_too(save) -> None:
    path = save("e.json", _task("ranker", {"ranker": ["a", "b"]}, {}))
    assert [(row["system"], row["rank"]) for row in rows_of(path)] == [("a", 1), ("b", 2)]


def test_buckets_are_no_ranking(save) -> None:
    value = {"ranker": {"good": ["a"], "bad": ["b"]}}
    words = refusal(save("e.json", _task("ranker", value, {})), InvalidJudgments)
    assert "one list of what was ranked" in words


def test_a_choice_is_a_comparison_and_a_number_a_rating(save) -> None:
    sides = {"left_system": "A", "right_system": "B"}
    chosen = read(save("c.json", _task("pairwise", {"selected": "right"}, sides)))
    assert isinstance(chosen, Comparisons)
    (row,) = rows_of(chosen)
    assert (row["left"], row["outcome"], row["judge"], row["item"]) == ("A", "right", "3", "5")
    rated = read(save("r.json", _task("rating", {"rating": 4}, {"system": "A", "item": "i"})))
    assert isinstance(rated, Ratings)
    assert (rows_of(rated)[0]["score"], rows_of(rated)[0]["item"]) == (4, "i")


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("pairwise", {"selected": "left"}, "nobody knows who stood where"),
        ("pairwise", {"selected": "both"}, "selected is 'both': expected left | right"),
        ("rating", {"rating": 4}, "nobody knows whose output"),
    ],
)
def test_what_nobody_could_read_is_refused(kind, value, words, save) -> None:
    assert words in refusal(save("e.json", _task(kind, value, {})), InvalidJudgments)


def _two(kind, values, data, number=5) -> dict:
    results = [
        {"from_name": name, "to_name": "t", "type": kind, "value": {kind: value}}
        for name, value in values.items()
    ]
    annotation = {"id": 9, "completed_by": 3, "result": results, "ground_truth": True}
    return {"id": number, "data": data, "annotations": [annotation]}


def test_controls_of_one_annotation_are_criteria(save) -> None:
    task = _two("rating", {"fluency": 5, "adequacy": 1}, {"system": "A", "item": 0, "prompt": "p"})
    data = read(save("r.json", json.dumps([task])))
    found = [(row["item"], row["criterion"], row["score"]) for row in rows_of(data)]
    assert found == [("0", "fluency", 5), ("0", "adequacy", 1)]
    assert "not read: annotations.ground_truth, data.prompt" in data.source.notes


def test_two_rankers_are_two_rankings_and_compare_nothing_across(save) -> None:
    lists = {name: {"rank": list(systems)} for name, systems in (("r1", "ab"), ("r2", "cd"))}
    path = save("r.json", json.dumps([_two("ranker", lists, {})]))
    assert cells_of(tally_of(path)) == {("a", "b"): (1, 0, 0), ("c", "d"): (1, 0, 0)}
    assert {(row["ranking"], row["question"]) for row in rows_of(path)} == {
        ("9:r1", "r1"),
        ("9:r2", "r2"),
    }


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ({"result": ["x"]}, "a result: expected an object with names, not x"),
        ({"result": 5}, "the results of an annotation: expected a list, not 5"),
        ({"result": [{"type": "number", "value": [3]}]}, "the value of a result: expected an"),
        ({"result": [], "completed_by": ["a"]}, "completed_by is a name or a number, not ['a']"),
        ("x", "an annotation: expected an object with names, not x"),
    ],
)
def test_what_is_no_export_is_refused_with_its_row(annotation, words, save) -> None:
    path = save(
        "e.json", json.dumps([{"id": 5, "data": {"system": "A"}, "annotations": [annotation]}])
    )
    said = refusal(path, InvalidJudgments)
    assert f"row 1 of {path}: " in said
    assert words in said
