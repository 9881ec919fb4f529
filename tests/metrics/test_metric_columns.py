"""A column of a metric beside scores of people is named, and is no judge and no criterion."""

import pytest

import evenhand
from evenhand.errors import UnknownFormat

CELLS = {"item": [1, 1, 2, 2, 3, 3], "system": list("ababab")}
METRICS = {"bleu": [20.1, 30.1, 22.1, 31.1, 20.3, 30.4], "COMET-22": [0.8, 0.9, 0.7, 0.8, 0.8, 0.9]}


def note(data):
    return next(one for one in data.source.notes if getattr(one, "code", "") == "metric-columns")


def test_beside_a_column_for_each_judge():
    scores = {"score_anna": [3, 4, 2, 3, 3, 4], "score_ben": [4, 5, 2, 4, 4, 5]}
    data = evenhand.read({**CELLS, **scores, **METRICS})
    assert data.rows().judges == ("anna", "ben")
    assert sorted(note(data).values["columns"]) == ["COMET-22", "bleu"]


def test_beside_a_column_for_each_criterion_on_the_same_scale():
    scores = {"fluency": [3, 4, 2, 3, 3, 4], "adequacy": [4, 5, 2, 4, 4, 5]}
    low = {"bleu": [4, 5, 3, 3, 2, 4]}
    data = evenhand.read({"judge": list("jjkkkj"), **CELLS, **scores, **low})
    assert data.rows().criteria == ("adequacy", "fluency")
    assert note(data).values["columns"] == ["bleu"]


@pytest.mark.parametrize("name", ["Fluency (1-5)", "DA", "ESA", "mqm", "da_score", "DA+SQM"])
def test_a_protocol_is_a_criterion(name):
    data = evenhand.read({"annotator": list("jjkkkj"), **CELLS, name: [3, 4, 2, 3, 3, 4]})
    assert data.rows().criteria == (name.removesuffix("_score"),)


def test_metrics_alone_are_not_scores_of_people():
    with pytest.raises(UnknownFormat, match=r"of metrics \(bleu, COMET-22\) but none by people"):
        evenhand.read({**CELLS, **METRICS})
    one = {**CELLS, "metric": list("xyxyxy"), "score": [3, 4, 2, 3, 3, 4]}
    assert evenhand.read(one).rows().criteria == ("x", "y")  # each by itself


def test_beside_a_criterion_and_a_protocol():
    people = {**CELLS, "criterion": ["mqm"] * 6, "protocol": ["x"] * 6, "score": [3, 4, 2, 3, 3, 4]}
    assert evenhand.meta_evaluate({**people, "bleu": METRICS["bleu"]}).metrics == ("bleu",)


def test_beside_a_column_of_scores():
    data = evenhand.read({**CELLS, "score": [3, 4, 2, 3, 3, 4], **METRICS})
    assert sorted(note(data).values["columns"]) == ["COMET-22", "bleu"]
    assert "evenhand metrics" in note(data)


def test_asked_for_a_metric_is_a_criterion():
    columns = {"criterion": ["da", "bleu"]}
    data = evenhand.read({**CELLS, "da": [3, 4, 2, 3, 3, 4], **METRICS}, columns=columns)
    assert data.rows().criteria == ("bleu", "da")
