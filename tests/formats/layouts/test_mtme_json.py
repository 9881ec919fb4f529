"""Ratings of mt-metrics-eval that stand alone."""

import json

from evenhand.formats.reading import read
from outside_files import MTME_JSON
from read_tables import rows_of


def test_segments_keep_their_numbers_from_0_and_ends_are_exclusive(save) -> None:
    (row,) = rows_of(save("ratings.jsonl", MTME_JSON))
    assert (row["judge"], row["item"], row["system"], row["score"]) == ("r", "d:0", "S", -1)
    assert row["task"] == "en-de"
    (span,) = json.loads(row["spans"])
    assert row["output"][span["start"] : span["end"]] == "hhhh"


def test_texts_that_errors_lie_in_keep_their_blanks(save) -> None:
    line = {**json.loads(MTME_JSON), "source": " s ", "hypothesis": " Hello"}
    line["errors"] = [{"start": 1, "end": 6, "severity": "Minor"}]
    (row,) = rows_of(save("ratings.jsonl", json.dumps(line)))
    (span,) = json.loads(row["spans"])
    assert row["output"][span["start"] : span["end"]] == "Hello"
    assert row["source"] == " s "


def test_items_of_two_documents_are_two_and_other_keys_are_kept_or_named(save) -> None:
    lines = [{**json.loads(MTME_JSON), "document_id": name, "domain": "news"} for name in "de"]
    lines[0]["more"] = {"a": [1]}
    data = read(save("ratings.jsonl", "\n".join(map(json.dumps, lines))))
    assert [(row["item"], row["domain"]) for row in rows_of(data)] == [
        ("d:0", "news"),
        ("e:0", "news"),
    ]
    assert "not read: more" in data.source.notes
