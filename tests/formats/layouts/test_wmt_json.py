"""WMT's judgments since 2024."""

import json

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from outside_files import WMT_JSON, WMT_SEGMENT
from read_tables import refusal, rows_of


def test_the_line_by_which_leaks_are_found_is_no_item(save) -> None:
    data = read(save("wmt24.jsonl", WMT_JSON))
    assert data.source.notes[-1] == "lines without scores excluded, no item is made of them: 1"
    first, second = rows_of(data)
    assert (first["item"], first["line"]) == ("12", "2")
    assert (first["judge"], first["system"], first["score"]) == ("Annotator01isl", "SYS", 98)
    assert (second["system"], second["score"], second["spans"]) == ("REF", None, None)


def test_errors_times_and_texts_are_kept(save) -> None:
    first, _ = rows_of(save("wmt24.jsonl", WMT_JSON))
    minor, missing = json.loads(first["spans"])
    assert (minor["start"], minor["end"]) == (0, 4)
    assert first["output"][0:4] == "Eitt"
    assert (missing["start"], missing["end"], missing["severity"]) == (0, 0, "major")
    assert (first["criterion"], first["seconds"]) == ("ESA", 178.469)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"SYS": {"score": 1}}, "the scores of SYS: expected a list"),
        ({"SYS": [{"score": "good"}]}, "a score is a number, not 'good'"),
        ({"SYS": [{"score": 1, "times": [1]}]}, "times are a start and an end"),
        ({"SYS": [{"score": 1, "times": "12"}]}, "times are a start and an end"),
        ({"SYS": [{"score": 1, "times": [1, None]}]}, "times are numbers of seconds, not None"),
        ({"SYS": [{"score": 1, "annotator": ["a"]}]}, "an annotator is a name or a number"),
        ({"SYS": ["x"]}, "a score: expected an object with names, not x"),
        ({"SYS": [{"score": 1, "errors": [{}]}]}, "an error has start_i, end_i and severity"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(scores, words, save) -> None:
    path = save("w.jsonl", json.dumps({**WMT_SEGMENT, "scores": scores}))
    said = refusal(path, InvalidJudgments)
    assert f"line 1 of {path}: " in said
    assert words in said


def _lines(*ends, **changes) -> str:
    segments = [{**WMT_SEGMENT, "doc_id": f"news_#_doc{end}", **changes} for end in ends]
    return "\n".join(map(json.dumps, segments))


def test_an_item_is_the_number_that_the_name_of_the_document_ends_with(save) -> None:
    """Lines are sorted by doc_id as text, in which 12 comes before 2."""
    data = read(save("w.jsonl", _lines("_#_12", "_#_2")))
    assert [(row["item"], row["line"]) for row in rows_of(data)][::2] == [("12", "1"), ("2", "2")]
    assert any("the numbers behind _#_ in doc_id" in note for note in data.source.notes)


@pytest.mark.parametrize("ends", [("_#_12", ""), ("_#_12", "x_#_12")])
def test_lines_without_a_number_of_their_own_are_numbered_as_they_come(ends, save) -> None:
    rows = rows_of(save("w.jsonl", _lines(*ends)))
    assert [row["item"] for row in rows] == ["1", "1", "2", "2"]


def test_numbers_may_be_text_and_what_is_not_read_is_named(save) -> None:
    score = {"score": "98", "annotator": 7, "times": ["1.5", "4"], "mood": "good"}
    data = read(save("w.jsonl", _lines("", scores={"SYS": [score]}, domain="news")))
    (row,) = rows_of(data)
    assert (row["score"], row["judge"], row["shown_at"], row["seconds"]) == (98, "7", "1.5", 2.5)
    assert "not read: domain, scores.mood" in data.source.notes


def test_places_are_put_in_characters_by_the_text(save) -> None:
    """The page trims the output and counts UTF-16 units: unit 2 of `😀XY` is its X."""
    error = {"start_i": 2, "end_i": 2, "severity": "minor"}
    score = {"score": 1, "annotator": "a", "errors": [error]}
    text = _lines("", scores={"S": [score]}, tgt_text={"S": " 😀XY"}, src_text=" s")
    (row,) = rows_of(save("w.jsonl", text))
    (span,) = json.loads(row["spans"])
    assert row["output"][span["start"] : span["end"]] == "X"
    assert (row["output"], row["source"]) == (" 😀XY", " s")
