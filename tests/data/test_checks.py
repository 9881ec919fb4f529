"""What a table of comparisons may not hold: what is said, and of which rows."""

import re

import narwhals
import pandas as pd
import polars
import pytest

import evenhand
from evenhand.data import count as counting
from evenhand.data.comparisons import Comparisons
from evenhand.errors import InvalidJudgments
from frames_of_engines import ORDERED, every_engine, handle

GOOD = {
    "left": ["A", "B", "A", "C", "B", "A"],
    "right": ["B", "C", "C", "A", "A", "B"],
    "outcome": ["left", "tie", "right", "left", "left", "tie"],
    "judge": ["j1", "j2", "j1", "j2", "j1", "j2"],
}


def spoilt(column, **cells):
    """The table with some cells replaced; keys are row numbers from 1, as in `r3`."""
    values = list(GOOD[column])
    for row, value in cells.items():
        values[int(row[1:]) - 1] = value
    return GOOD | {column: values}


def refused(columns, engine, by=("judge",), **settings):
    with pytest.raises(InvalidJudgments) as caught:
        handle(Comparisons, columns, engine, **settings).tally(by)
    message = str(caught.value)
    assert "\n" not in message
    assert "votes.csv" in message or "column 'outcome'" in message
    return message


def says_rows(message, engine, *rows):
    """Engines that keep no order of rows name none."""
    if engine not in (*ORDERED, "duckdb without connection"):
        return " (row" not in message
    plural = "s" if len(rows) > 1 else ""
    return f" (row{plural} {', '.join(map(str, rows))})" in message


WAYS = pytest.mark.parametrize("way", ["group-by", "integer keys"])


@pytest.fixture(autouse=True)
def _way(request, monkeypatch):
    """Where a test runs both ways of counting, take the one it asks for."""
    if "way" in request.fixturenames and request.node.callspec.params["way"] == "integer keys":
        monkeypatch.setattr(counting, "SAMPLE", 6)


@every_engine
@WAYS
@pytest.mark.parametrize("column", ["left", "right", "outcome", "judge"])
@pytest.mark.parametrize("nothing", [None, ""], ids=["null", "empty"])
def test_a_missing_value_is_named_by_column_and_row(column, nothing, engine, way):
    message = refused(spoilt(column, r2=nothing, r5=nothing), engine)
    assert f"a value is missing in column '{column}'" in message
    assert says_rows(message, engine, 2, 5)
    assert "fill it, or leave such rows out" in message


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_labels_of_blanks_alone_are_left_out_by_the_remedy(frame):
    data = frame(spoilt("judge", r2=" ", r5="\t"))
    with pytest.raises(InvalidJudgments) as caught:
        evenhand.read(data).tally(("judge",))
    (remedy,) = re.findall(r"leave such rows out \((.*)\)$", str(caught.value))
    kept = eval(
        f"evenhand.read(data, {remedy})", {"evenhand": evenhand, "narwhals": narwhals, "data": data}
    )
    assert kept.tally(("judge",)).factor("judge").loads.tolist() == [2, 2]


@every_engine
@WAYS
@pytest.mark.parametrize(("label", "column"), [(" A", "left"), ("B\t", "right"), ("j1 ", "judge")])
def test_an_outer_blank_is_refused_and_not_stripped(label, column, engine, way):
    message = refused(spoilt(column, r3=label), engine)
    assert f"label '{label}' in column '{column}'" in message
    assert says_rows(message, engine, 3)
    assert "has a blank before or after it" in message


@every_engine
@WAYS
def test_all_outer_blanks_are_refused_at_once_with_their_rows(engine, way):
    spoiled = spoilt("left", r1=" A", r3=" A", r5="B ") | {"judge": [*GOOD["judge"][:5], "j2 "]}
    message = refused(spoiled, engine)
    assert "have a blank before or after them" in message
    assert "' A' (2 rows), 'B ' (1 row) in column 'left'" in message
    assert "'j2 ' (1 row) in column 'judge'" in message
    assert "take the blanks out, with TRIM() in a spreadsheet or .str.strip() in pandas" in message


def test_more_than_ten_labels_with_blanks_are_counted():
    names = [f"s{i:02d} " for i in range(12)]
    columns = {"left": names, "right": ["A"] * 12, "outcome": ["left"] * 12}
    message = refused(columns, "polars", by=())
    assert "'s09 ' (1 row) and 2 more in column 'left'" in message
    assert "s10" not in message


@every_engine
@WAYS
def test_an_unknown_outcome_is_named_and_never_a_tie(engine, way):
    message = refused(spoilt("outcome", r1="lefft", r4="mabye"), engine)
    assert "unknown outcome 'lefft', 'mabye' in column 'outcome'" in message
    assert says_rows(message, engine, 1, 4)
    assert "expected left, tie or right" in message
    assert "--outcome 'lefft=left'" in message


@every_engine
@WAYS
def test_a_system_against_itself_is_refused_by_name(engine, way):
    message = refused(spoilt("right", r6="A"), engine)
    assert "'A' is compared with itself" in message
    assert says_rows(message, engine, 6)


@pytest.mark.parametrize("frame", [pd.DataFrame, polars.DataFrame])
def test_a_system_against_itself_is_left_out_by_the_remedy(frame):
    data = frame(spoilt("right", r6="A"))
    with pytest.raises(InvalidJudgments) as caught:
        evenhand.read(data).tally()
    (remedy,) = re.findall(r"or leave such rows out \((.*)\)$", str(caught.value))
    kept = eval(
        f"evenhand.read(data, {remedy})", {"evenhand": evenhand, "narwhals": narwhals, "data": data}
    )
    assert kept.tally().n_comparisons == 5


def test_a_missing_judge_does_not_matter_where_judges_are_not_told_apart():
    data = handle(Comparisons, spoilt("judge", r1=None), "polars")
    assert data.tally().n_comparisons == 6


# weights


@every_engine
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, None, 1, 1, 1, 1], "is missing"),
        ([1.0, -2.0, 1, 1, 1, 1], "weight '-2' in column 'weight'"),
        ([1.0, 0.5, 1, 1, 1, 1], "is a fraction, but weights are frequencies"),
        ([1.0, float("inf"), 1, 1, 1, 1], "is not a finite number"),
    ],
)
def test_a_weight_that_cannot_be_is_named_by_row(weights, words, engine):
    message = refused(GOOD | {"weight": weights}, engine)
    assert words in message
    assert says_rows(message, engine, 2)


def test_weights_of_pandas_with_arrow_types_are_read_and_checked():
    frame = pd.DataFrame(GOOD | {"weight": [1.0, 2, 1, 1, 1, 1]})
    whole = evenhand.read(frame.astype({"weight": "double[pyarrow]"}))
    assert whole.tally().n_comparisons == 7
    frame.loc[1, "weight"] = 0.5
    with pytest.raises(InvalidJudgments, match="is a fraction, but weights are frequencies"):
        evenhand.read(frame.astype({"weight": "double[pyarrow]"})).tally()


@every_engine
def test_fractions_are_fine_as_importance_weights(engine):
    weighted = GOOD | {"weight": [0.5] * 6}
    assert handle(Comparisons, weighted, engine, weights="importance").tally().n_comparisons == 3
    message = refused(GOOD | {"weight": [0.5, 1, -0.5, 1, 1, 1]}, engine, weights="importance")
    assert "is negative" in message


@every_engine
def test_rows_are_numbered_as_in_the_table_although_some_have_weight_zero(engine):
    """Rows 1 and 2 are excluded; the bad outcome is still in row 5."""
    columns = spoilt("outcome", r5="mabye") | {"weight": [0, 0, 1, 1, 1, 1]}
    assert says_rows(refused(columns, engine), engine, 5)


@every_engine
def test_nothing_but_zero_weights_is_nothing(engine):
    assert "the weight of all 6 rows" in refused(GOOD | {"weight": [0] * 6}, engine)


@every_engine
def test_weights_beyond_whole_floats_are_too_large(engine):
    weights = [1.0, 1e300, 1.0, 1.0, 1.0, 1.0]
    message = refused(GOOD | {"weight": weights}, engine)
    assert "weight '1e+300'" in message
    assert "is too large" in message
    assert says_rows(message, engine, 2)
