"""JSON Lines, and JSON lists of objects."""

import json

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

RECORDS = [
    {"left": "A", "right": "B", "winner": "left", "item": 1, "judge": "001"},
    {"left": "B", "right": "C", "winner": "tie", "item": 2, "judge": None},
    {"left": "A", "right": "C", "winner": "right", "judge": "x"},
]
CELLS = {("A", "B"): (1, 0, 0), ("B", "C"): (0, 1, 0), ("A", "C"): (0, 0, 1)}


def _lines(records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    "text",
    [_lines(RECORDS), _lines(RECORDS).strip(), json.dumps(RECORDS), json.dumps(RECORDS, indent=2)],
    ids=["lines", "no last line end", "list", "indented"],
)
def test_objects_are_rows(text: str, save) -> None:
    assert cells_of(tally_of(save("t.json", text))) == CELLS


def test_values_are_text_and_keys_may_be_absent(save) -> None:
    data = read(save("t.jsonl", _lines([*RECORDS, {**RECORDS[0], "late": 1.50, "n": [1, {}]}])))
    assert isinstance(data, Comparisons)
    columns = fetch_columns(data.frame)
    assert columns["judge"].tolist() == ["001", None, "x", "001"]
    assert columns["item"].tolist() == ["1", "2", None, "1"]
    assert columns["late"].tolist() == [None, None, None, "1.5"]
    assert columns["n"].tolist()[-1] == "[1,{}]"


def test_several_files_may_have_different_keys(save) -> None:
    paths = [save("a.jsonl", _lines(RECORDS[:2])), save("b.jsonl", _lines(RECORDS[2:]))]
    assert cells_of(tally_of(paths)) == CELLS


@pytest.mark.parametrize(
    ("value", "words"),
    [(1.5, "fractions"), (True, "true or false"), ([1], "nested values"), ({"a": 1}, "nested")],
)
def test_what_cannot_name_anything_is_refused(value, words, save) -> None:
    path = save("t.jsonl", _lines([{**record, "judge": value} for record in RECORDS]))
    said = refusal(path, InvalidJudgments)
    assert "column 'judge'" in said
    assert words in said


NESTED = [
    {
        "annotator": {"id": judge, "lang": "de"},
        "item": {"id": item},
        "pair": [{"model": "A"}, {"model": "B"}],
        "said": {"choice": choice, "why/so": None},
    }
    for judge, item, choice in (("ann", 1, "A"), ("ben", 2, "B"), ("ben", 1, "A"))
]
ASKED = {"left": "pair.0.model", "right": "pair.1.model", "outcome": "said.choice"}


def test_values_within_objects_are_columns(save) -> None:
    path = save("t.jsonl", _lines(NESTED))
    data = read(path, columns=ASKED)
    assert cells_of(data.tally()) == {("A", "B"): (2, 0, 1)}
    assert data.source.columns["judge"] == "annotator_id"
    assert data.source.columns["item"] == "item_id"
    underlined = {role: name.replace(".", "_") for role, name in ASKED.items()}
    assert cells_of(tally_of(path, columns=underlined)) == {("A", "B"): (2, 0, 1)}
    assert "columns annotator_id, annotator_lang, item_id" in refusal(path, UnknownFormat)


def test_a_value_within_an_object_is_a_role_where_the_layout_is_known(save) -> None:
    path = save("t.jsonl", _lines([{**one, "judge": {"id": "ann"}} for one in RECORDS]))
    assert "nested values" in refusal(path, InvalidJudgments)
    factor = tally_of(path, ("judge",), columns={"judge": "judge.id"}).factor("judge")
    assert factor.labels == ("ann",)


def test_criteria_within_an_object_are_read_unasked(save) -> None:
    rated = [
        {"judge": {"id": judge}, "system": {"name": system}, "scores": {"fluency": 4, "style": 2}}
        for judge in ("ann", "ben")
        for system in "AB"
    ]
    rows = read(save("t.jsonl", _lines(rated))).rows()
    assert (rows.judges, rows.systems, rows.criteria) == (
        ("ann", "ben"),
        ("A", "B"),
        ("fluency", "style"),
    )


def test_whole_numbers_and_text_may_stand_in_one_column(save) -> None:
    path = save("t.jsonl", _lines([{**RECORDS[0], "judge": 7}, {**RECORDS[1], "judge": "b"}]))
    assert tally_of(path, ("judge",)).factor("judge").labels == ("7", "b")


@pytest.mark.parametrize("cut", [3, 10, 40])
def test_a_file_that_is_cut_off_is_refused(cut: int, save) -> None:
    for text in (_lines(RECORDS), json.dumps(RECORDS)):
        words = refusal(save("t.json", text[:-cut]), UnknownFormat)
        assert "is not whole JSON" in words


def test_values_that_are_no_objects_are_refused(save) -> None:
    assert "an empty list" in refusal(save("t.json", "[]"), InvalidJudgments)
    assert "a list, but not of objects" in refusal(save("t.json", "[1, 2]"), UnknownFormat)
    assert "begins with '3'" in refusal(save("t.json", "3"), UnknownFormat)
    assert "no known layout" in refusal(save("t.jsonl", _lines(RECORDS) + "3\n"), UnknownFormat)


def test_keys_that_differ_in_capitals_only_are_refused(save) -> None:
    path = save("t.jsonl", '{"left":"A","Left":"C","right":"B","winner":"tie"}\n')
    assert "keys 'left' and 'Left'" in refusal(path, UnknownFormat)
    fine = save("u.jsonl", '{"left":"A","left_1":"C","right":"B","winner":"tie"}\n')
    assert tally_of(fine).systems == ("A", "B")


def test_a_doubled_key_is_refused(save) -> None:
    path = save("t.jsonl", '{"left":"A","left":"C","right":"B","winner":"tie"}\n')
    assert 'duplicate key "left"' in refusal(path, UnknownFormat)


def _voted(judges) -> str:
    return _lines([RECORDS[0] | {"judge": judge} for judge in judges])


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([5.0, 6.0], ["5", "6"], r"text in .*b\.jsonl and fractions in .*a\.jsonl"),
        ([True, False], ["5", "6"], r"text in .*b\.jsonl and true or false in .*a\.jsonl"),
        ([5.0, "6"], [None, None], r"text in .*a\.jsonl and fractions in .*a\.jsonl"),
    ],
)
def test_labels_of_two_kinds_are_refused_by_their_files(first, second, said, save) -> None:
    paths = [save("a.jsonl", _voted(first)), save("b.jsonl", _voted(second))]
    for one in (paths, paths[::-1]):
        with pytest.raises(InvalidJudgments, match=said):
            read(one)


def test_whole_numbers_and_their_digits_are_one_label(save) -> None:
    paths = [save("a.jsonl", _voted([5, 7])), save("b.jsonl", _voted(["5", "6"]))]
    assert read(paths).tally(by=["judge"]).factor("judge").labels == ("5", "6", "7")


def test_scores_may_be_written_as_numbers_and_as_text(save) -> None:
    rows = [{"system": "A", "item": "1", "judge": "u", "score": one} for one in (4, 3.5, "5")]
    data = read(save("scores.jsonl", _lines(rows)))
    assert sorted(fetch_columns(data.frame.select("score"))["score"]) == [3.5, 4.0, 5.0]


def test_the_list_in_the_object_of_each_file_is_read(save) -> None:
    rows = [
        {"left": "A", "right": "B", "winner": "left"},
        {"left": "B", "right": "A", "winner": "tie"},
    ]
    one = save("a.json", json.dumps({"data": rows, "made": 2024}))
    two = save("b.json", json.dumps({"data": rows[:1], "made": 2025}, indent=1))
    data = read([one, two])
    assert data.tally().n_comparisons == 3
    assert data.source.notes[-1] == f"the list 'data' of {one} and 1 more was read; not read: made"


def test_a_file_whose_objects_hold_lists_is_no_wrapped_list(save) -> None:
    line = json.dumps({"votes": [{"left": "A", "right": "B", "winner": "left"}]})
    assert "has the columns votes" in refusal(save("a.jsonl", f"{line}\n{line}\n"), UnknownFormat)


def test_a_list_of_many_megabytes_in_an_object_is_read(save) -> None:
    row = {"left": "A", "right": "B", "winner": "left", "text": "x" * 1000}
    path = save("a.json", json.dumps({"data": [row] * 20_000}))
    assert path.stat().st_size > 20_000_000
    assert read(path).tally().n_comparisons == 20_000
