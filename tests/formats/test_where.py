"""A condition on the file's own columns, before they play roles."""

import narwhals as nw
import pytest

from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

CSV = "model_a,model_b,winner,turn,language\nx,y,model_a,1,en\nx,y,tie,2,de\ny,x,model_b,10,en\n"


@pytest.mark.parametrize(
    "condition",
    [
        "language = 'en'",
        "language = 'en' -- of the text",
        "turn in ('1', '10')",
        "turn::int <> 2",
        "not (model_a = 'x' and winner = 'tie')",
        "(language) = ('en')",
    ],
)
def test_a_condition_keeps_the_rows_that_meet_it(condition: str, save) -> None:
    cells = cells_of(tally_of(save("t.csv", CSV), where=condition))
    assert cells == {("x", "y"): (1, 0, 0), ("y", "x"): (0, 0, 1)}


def test_an_expression_filters_a_file_too(save) -> None:
    assert tally_of(save("t.csv", CSV), where=nw.col("turn") == "2").n_comparisons == 1


def test_the_condition_is_part_of_the_name_since_rows_are_numbered_behind_it(save) -> None:
    path = save("t.csv", CSV + "x,x,tie,3,en\n")
    words = refusal(path, InvalidJudgments, where="language = 'en'")
    assert "where language = 'en' (row 3)" in words
    assert read(path, where="language = 'en'").source.name == f"{path} where language = 'en'"


@pytest.mark.parametrize(
    "condition",
    [
        "language =",
        "language = 'en",
        "language = 'en'; drop table votes",
        "language = 'en' from votes",
        "language = 'en' order by turn",
        "language = 'en', turn = '1'",
        "true) or (true",
        "true) union select (true",
        "select true",
    ],
)
def test_what_is_not_one_condition_is_refused(condition: str, save) -> None:
    words = refusal(save("t.csv", CSV), UnknownOption, where=condition)
    assert words.startswith(f"where '{condition}' is not one SQL condition")


def test_a_condition_must_be_true_or_false(save) -> None:
    words = refusal(save("t.csv", CSV), UnknownOption, where="language")
    assert "is varchar, not true or false" in words


def test_aggregates_and_windows_are_no_conditions_on_rows(save) -> None:
    for condition in ("count(*) > 1", "row_number() over () = 1"):
        assert "not" in refusal(save("t.csv", CSV), UnknownOption, where=condition)


def test_a_column_that_is_not_there_is_suggested(save) -> None:
    words = refusal(save("t.csv", CSV), UnknownColumn, where="langage = 'en'")
    assert "Did you mean 'language'?" in words
    words = refusal(save("t.csv", CSV), UnknownColumn, where="zzz = 'en'")
    assert "It has model_a, model_b, winner, turn, language" in words


def test_text_compared_with_a_number_says_how_to_cast(save) -> None:
    path = save("t.csv", CSV)
    assert "cast(turn as double) > 1" in refusal(path, UnknownOption, where="turn > 1")
    words = refusal(path, InvalidJudgments, where="language::int > 1")
    assert "does not fit the values" in words
    assert "'en'" in words


def test_columns_that_are_words_of_sql_are_explained(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    words = refusal(path, UnknownOption, where="left = 'A'")
    assert 'write the column as "left", in double quotes' in words
    assert tally_of(path, where="\"left\" = 'A'").n_comparisons == 1


def test_a_condition_that_nothing_meets_leaves_nothing_to_count(save) -> None:
    assert "nothing to count" in refusal(save("t.csv", CSV), where="language = 'fr'")


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("n > 10", "columns of a CSV or JSON file are text here, write cast(n as double) > 10"),
        ('"n"<=-.5', 'write cast("n" as double) <= -.5'),
        ("count(*) > 1", "not a condition on one row"),
        ("sum(n) > 1", "not a condition on one row"),
        ("", "where is empty"),
        ("  ", "where is empty"),
    ],
)
def test_what_is_no_condition_on_text_is_refused_in_words(condition, said, save) -> None:
    path = save("t.csv", "left,right,winner,n\nA,B,left,12\n")
    assert said in refusal(path, UnknownOption, where=condition)


def test_json_that_a_condition_makes_of_a_value_is_no_fault_of_the_file(save) -> None:
    path = save("t.csv", "left,right,winner\nA,B,left\n")
    said = refusal(path, InvalidJudgments, where="json_extract(\"left\", '$') is null")
    assert "a condition or a cast does not fit the values" in said
