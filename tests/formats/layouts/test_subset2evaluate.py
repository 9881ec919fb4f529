"""Items of subset2evaluate."""

import json

from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from outside_files import SUBSET2EVALUATE
from read_tables import refusal, rows_of


def test_metrics_and_human_scores_are_criteria(save) -> None:
    rows = rows_of(save("items.jsonl", SUBSET2EVALUATE))
    assert {row["criterion"]: row["score"] for row in rows} == {"human": 80, "COMET": 0.7}
    assert {row["item"] for row in rows} == {"0"}


def test_times_and_costs_are_kept_and_nested_keys_named(save) -> None:
    line = {**json.loads(SUBSET2EVALUATE), "subset2evaluate_utility": 2.5, "more": {"a": 1}}
    data = read(save("items.jsonl", json.dumps(line)))
    row = rows_of(data)[0]
    assert (row["time"], row["cost"], row["ref"]) == ("1", "1", "r")
    assert row["subset2evaluate_utility"] == "2.5"
    assert "not read: more" in data.source.notes


def test_scores_without_names_are_refused_with_their_row(save) -> None:
    line = {**json.loads(SUBSET2EVALUATE), "scores": {"S": 80}}
    words = refusal(save("items.jsonl", json.dumps(line)), InvalidJudgments)
    assert "line 1 of" in words
    assert "the scores of S: expected an object with names, not 80" in words
