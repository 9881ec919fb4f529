"""Records of any shape on their way to rows of a table."""

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.formats.records import Record, lay_out, read_records, read_score
from evenhand.formats.table import Table

HERE = Record(3, {}, "t")
TEXTS = ['a "quoted" one', "a\nline", "a,b\tc", "é 🎉 \\", None]


def test_text_comes_back_as_it_was_laid_out() -> None:
    table = lay_out(Table(None, "t"), [{"text": text, "n": 1.0} for text in TEXTS])
    found = [record.values for record in read_records(table)]
    assert found == [{"text": text, "n": "1"} for text in TEXTS]


def test_columns_without_a_value_are_left_out_unless_they_are_needed() -> None:
    rows = [{"a": "x", "b": None, "score": ""}]
    assert lay_out(Table(None, "t"), rows).columns == ("a", "score")


def test_no_rows_are_no_judgments() -> None:
    with pytest.raises(InvalidJudgments, match="t holds no judgments"):
        lay_out(Table(None, "t"), [])


def test_json_may_be_what_python_writes_and_nothing_else() -> None:
    assert Record(1, {"x": "{'a': None}"}, "t").data("x") == {"a": None}
    assert Record(1, {"x": None}, "t").data("x") is None
    with pytest.raises(InvalidJudgments, match="row 3 of t: 'x' is not JSON: __import__"):
        Record(3, {"x": "__import__('os')"}, "t").data("x")


@pytest.mark.parametrize("text", ["{[1]: 2}", "[" * 3000, "[" + "9" * 5000 + "]", "{'a': }"])
def test_what_python_chokes_on_is_no_value_either(text) -> None:
    with pytest.raises(InvalidJudgments, match="row 3 of t: 'x' is not JSON"):
        Record(3, {"x": text}, "t").data("x")


def test_parts_of_json_are_what_they_should_be() -> None:
    record = Record(3, {}, "t")
    assert (record.label(None, "x"), record.label(7, "x"), record.label(1.0, "x")) == ("", "7", "1")
    for wrong in ([1], {"a": 1}, 1.5, True):
        with pytest.raises(InvalidJudgments, match="row 3 of t: x is a name or a number, not"):
            record.label(wrong, "x")
    with pytest.raises(InvalidJudgments, match="row 3 of t: x: expected an object with names"):
        record.mapping([1], "x")
    with pytest.raises(InvalidJudgments, match="row 3 of t: x: expected a list, not abc"):
        record.sequence("abc", "x")


@pytest.mark.parametrize(("value", "score"), [(98, 98), ("98.5", 98.5), (" -1e2 ", -100)])
def test_a_score_may_be_text(value, score) -> None:
    assert read_score(HERE, value) == score


@pytest.mark.parametrize(
    "value", ["", "good", "1_000", "nan", float("nan"), float("inf"), True, [1]]
)
def test_a_score_is_a_number(value) -> None:
    with pytest.raises(InvalidJudgments, match="row 3 of t: a score is a number"):
        read_score(HERE, value)
