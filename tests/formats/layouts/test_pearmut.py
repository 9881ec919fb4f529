"""Pearmut's annotations."""

import json

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.reading import read
from outside_files import PEARMUT, PEARMUT_LINE, PEARMUT_RESET
from read_tables import refusal, rows_of


def test_a_reset_voids_what_its_user_said_before_and_nothing_else(save) -> None:
    data = read(save("annotations.jsonl", PEARMUT))
    assert data.source.notes[-1] == "lines that were voided by a reset excluded: 1"
    rows = rows_of(data)
    assert [row["judge"] for row in rows] == ["other"] * 2 + ["bitter-chit-chat-530"] * 2
    assert [row["kind"] for row in rows] == ["target"] * 2 + ["control"] * 2
    assert [row["part"] for row in rows] == [None] * 2 + ["welcome"] * 2


def test_the_order_of_outputs_is_that_of_the_screen(save) -> None:
    rows = rows_of(save("a.jsonl", json.dumps(PEARMUT_LINE)))
    assert {row["system"]: row["position"] for row in rows} == {"B": "1", "A": "2"}
    assert {row["system"]: row["output"] for row in rows} == {"B": "beta", "A": "alpha"}


def test_ends_are_inclusive_there_and_exclusive_here(save) -> None:
    row = rows_of(save("a.jsonl", json.dumps(PEARMUT_LINE)))[0]
    (span,) = json.loads(row["spans"])
    assert row["output"][span["start"] : span["end"]] == "alph"


def test_a_download_holds_the_same_lines(save) -> None:
    lines = [json.loads(line) for line in PEARMUT.splitlines()]
    wrapped = rows_of(save("download.json", json.dumps({"my-campaign": lines})))
    plain = rows_of(save("lines.jsonl", PEARMUT))
    assert [{**row, "campaign": "my-campaign"} for row in plain] == wrapped


def test_errors_without_any_score_are_counted_instead(save) -> None:
    said = [
        {"A": {"score": None, "error_spans": PEARMUT_LINE["annotation"][0]["A"]["error_spans"]}}
    ]
    data = read(save("a.jsonl", json.dumps({**PEARMUT_LINE, "annotation": said})))
    assert data.rows().score.tolist() == [-1]
    assert "no scores were given" in data.source.notes[-1]


def test_what_does_not_fit_is_refused_with_its_line(save) -> None:
    said = [{"C": {"score": 1}}]
    path = save("a.jsonl", json.dumps({**PEARMUT_LINE, "annotation": said}))
    assert f"line 1 of {path}: 'C' is annotated, but is not in tgt" in refusal(path)
    path = save("b.jsonl", json.dumps({**PEARMUT_LINE, "item_i": "intro_0"}))
    assert "expected welcome | goodbye | random" in refusal(path, InvalidJudgments)
    path = save("c.jsonl", "\n".join(map(json.dumps, (PEARMUT_LINE, PEARMUT_RESET))))
    assert "holds no judgments" in refusal(path, InvalidJudgments)


def test_a_campaign_is_no_judgments(save) -> None:
    path = save("campaign.json", json.dumps({"campaign_id": "x", "info": {}, "data": []}))
    assert "a Pearmut campaign: what is to be judged" in refusal(path, UnknownFormat)


SECOND = {"src": "s2", "tgt": {"A": "alpha"}, "item_id": "i2", "skippable": True}


def _line(**changes) -> str:
    return json.dumps({**PEARMUT_LINE, **changes})


def test_skipped_segments_and_forms_are_left_out_and_counted(save) -> None:
    said, item = [*PEARMUT_LINE["annotation"], None], [*PEARMUT_LINE["item"], SECOND]
    form = _line(annotation=["30"], item=[{"text": "Age?", "form": "number"}], item_i="welcome_0")
    path = save("a.jsonl", "\n".join([form, _line(annotation=said, item=item)]))
    data = read(path)
    assert [(row["item"], row["system"]) for row in rows_of(data)] == [("i1", "A"), ("i1", "B")]
    assert data.source.notes[-2:] == (
        "answers to forms excluded: 1",
        "segments that were skipped excluded: 1",
    )


def test_outputs_under_validation_are_controls_and_others_are_not(save) -> None:
    item = [{**PEARMUT_LINE["item"][0], "validation": {"A": {"score": [0, 30], "warning": "!"}}}]
    data = read(save("a.jsonl", _line(item=item)))
    assert {row["system"]: row["kind"] for row in rows_of(data)} == {"A": "control", "B": "target"}
    assert "outputs under validation are controls: 1" in data.source.notes


def test_a_document_that_was_submitted_again_counts_once_as_it_was_last(save) -> None:
    again = [{"A": {"score": 55, "error_spans": []}}]
    data = read(save("a.jsonl", "\n".join([_line(), _line(item_i=1), _line(annotation=again)])))
    assert [(row["item_i"], row["system"], row["score"]) for row in rows_of(data)] == [
        ("1", "A", 90),
        ("1", "B", 70),
        ("0", "A", 55),
    ]
    assert data.source.notes[-1] == "lines of documents that the user submitted again excluded: 1"


def test_the_first_campaign_of_a_download_may_be_empty(save) -> None:
    path = save("download.json", json.dumps({"c 0": [], 'c"1': [], "c2": [PEARMUT_LINE]}))
    assert [row["campaign"] for row in rows_of(path)] == ["c2", "c2"]
    broken = save("broken.json", json.dumps({"c0": [PEARMUT_LINE], "c1": {"x": 1}}))
    assert "campaign 'c1' of" in refusal(broken, UnknownFormat)


def test_places_are_counted_as_on_the_page(save) -> None:
    """`split("")` makes two units of 😀, line breaks are none, behind the last is [missing]."""
    spans = [
        {"start_i": 2, "end_i": 2, "severity": "minor", "category": None},  # X
        {"start_i": 4, "end_i": 4, "severity": "major", "category": None},  # [missing]
        {"start_i": 3, "end_i": 4, "severity": "minor", "category": None},  # Y and [missing]
    ]
    item = [{"src": "s", "tgt": {"A": "😀\nXY"}}]
    (row,) = rows_of(
        save("a.jsonl", _line(annotation=[{"A": {"score": 1, "error_spans": spans}}], item=item))
    )
    found = [(span["start"], span["end"]) for span in json.loads(row["spans"])]
    assert found == [(2, 3), (0, 0), (3, 4)]
    assert row["output"][2:3] == "X"


def test_sliders_are_criteria_and_what_is_not_read_is_named(save) -> None:
    said = [{"A": {"score": None, "sliders": {"fluency": 4, "adequacy": 2}, "error_spans": []}}]
    item = [{**PEARMUT_LINE["item"][0], "ref": "r"}]
    data = read(save("a.jsonl", _line(annotation=said, item=item, comment="well")))
    found = [(row["criterion"], row["score"], row["spans"]) for row in rows_of(data)]
    assert found == [("fluency", 4, "[]"), ("adequacy", 2, None)]
    assert "not read: comment, item.ref" in data.source.notes


def test_actions_that_are_no_list_are_refused(save) -> None:
    words = refusal(save("a.jsonl", _line(actions=5)), InvalidJudgments)
    assert "actions: expected a list, not 5" in words
