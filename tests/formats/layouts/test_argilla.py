"""Argilla's records."""

import json

from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from outside_files import ARGILLA, ARGILLA_VALUE
from read_tables import refusal, rows_of


def test_what_was_submitted_is_a_ranking_with_ties(save) -> None:
    data = read(save("records.json", ARGILLA))
    assert [(row["judge"], row["system"], row["rank"]) for row in rows_of(data)] == [
        ("u2", "r1", 1),
        ("u2", "r2", 1),
        ("u2", "r3", 2),
    ]
    assert not data.has("position")


def test_drafts_and_other_questions_are_counted(save) -> None:
    notes = read(save("records.json", ARGILLA)).source.notes
    assert "responses that are draft excluded: 1" in notes
    assert "answers to 'note', which is no ranking, excluded: 1" in notes


def test_responses_by_question_are_the_same(save) -> None:
    said = {"pref": [{"user_id": "u2", "value": ARGILLA_VALUE}]}
    path = save("r.json", json.dumps([{"id": "7", "fields": {}, "responses": said}]))
    drop = {"ranking", "question"}
    first, second = (
        [{name: row[name] for name in row if name not in drop} for row in rows_of(one)]
        for one in (path, save("records.json", ARGILLA))
    )
    assert first == second


def test_another_status_is_refused(save) -> None:
    words = refusal(save("r.json", ARGILLA.replace('"draft"', '"lost"')), InvalidJudgments)
    assert "status is 'lost': expected submitted | draft | discarded" in words


def test_rankings_of_nothing_are_counted_and_nobody_has_no_name(save) -> None:
    said = {"pref": [{"user_id": "u", "value": []}, {"value": ARGILLA_VALUE}]}
    record = {"id": "7", "fields": {}, "responses": said, "metadata": {"a": 1}}
    data = read(save("r.json", json.dumps([record])))
    assert not data.has("judge")
    assert "rankings of nothing excluded: 1" in data.source.notes
    assert "not read: metadata" in data.source.notes


def test_what_was_discarded_is_left_out(save) -> None:
    path = save("r.json", ARGILLA.replace('"status": "draft"', '"status": "discarded"'))
    assert {row["judge"] for row in rows_of(path)} == {"u2"}
    assert "responses that are discarded excluded: 1" in read(path).source.notes
    full = {"user_id": "u3", "status": "discarded", "values": {"pref": {"value": ARGILLA_VALUE}}}
    records = json.loads(ARGILLA)
    records[0]["responses"].append(full)
    assert {row["judge"] for row in rows_of(save("s.json", json.dumps(records)))} == {"u2"}


def test_what_is_no_response_is_refused_with_its_row(save) -> None:
    for said, words in (
        ({"q": 5}, "expected a list, not 5"),
        ({"q": ["x"]}, "not x"),
        (["x"], "not x"),
    ):
        path = save("r.json", json.dumps([{"id": "1", "fields": {}, "responses": said}]))
        assert words in refusal(path, InvalidJudgments)
