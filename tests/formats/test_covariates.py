"""Tables of judges, items and systems: what is read from them, and what is refused."""

from pathlib import Path

import pytest

from evenhand.data.engine import fetch_columns
from evenhand.errors import InvalidJudgments, MissingFile, UnknownColumn
from evenhand.formats.covariates import open_covariates, read_system_covariates


@pytest.fixture
def save(tmp_path):
    def write(text: str, name: str = "systems.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_numbers_are_numbers_and_words_are_levels(save):
    path = save("system,size,site,note\nA,7,north,x\nB,1e1,south,y\nC,-.5,north,z\n")
    found = read_system_covariates(path, ("size", "site"))
    assert found == {
        "size": {"A": 7.0, "B": 10.0, "C": -0.5},
        "site": {"A": "north", "B": "south", "C": "north"},
    }


def test_all_columns_are_taken_where_none_is_named(save):
    assert list(read_system_covariates(save("a,system,b\n1,A,2\n"))) == ["a", "b"]


def test_json_lines_serve_as_well(save):
    path = save('{"system": "A", "size": 7}\n{"system": "B", "size": 8.5}\n', "systems.jsonl")
    assert read_system_covariates(path) == {"size": {"A": 7.0, "B": 8.5}}


def test_parquet_keeps_its_numbers(tmp_path):
    import polars as pl

    path = tmp_path / "systems.parquet"
    pl.DataFrame({"system": ["A", "B"], "size": [7, 8]}).write_parquet(path)
    assert read_system_covariates(path) == {"size": {"A": 7.0, "B": 8.0}}


@pytest.mark.parametrize("word", ["large", "nan", "inf", "1_000", "0x10"])
def test_a_column_of_numbers_and_words_is_refused(save, word):
    path = save(f"system,size\nA,7\nB,{word}\n")
    with pytest.raises(InvalidJudgments, match=rf"holds numbers and words \(7, {word}"):
        read_system_covariates(path)


def test_a_missing_value_is_left_to_the_model_to_name(save):
    path = save("system,size\nA,7\nB,\n")
    assert read_system_covariates(path) == {"size": {"A": 7.0}}


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("system,size\nA,1\nA,2\n", InvalidJudgments, "A stands more than once"),
        ("system,size\nA,1\n,2\n", InvalidJudgments, "names no system"),
        ("name,size\nA,1\n", UnknownColumn, "needs a column 'system'"),
        ("system\nA\n", UnknownColumn, "no column but 'system'"),
    ],
)
def test_a_table_that_does_not_say_one_thing_of_each_system_is_refused(save, text, error, words):
    with pytest.raises(error, match=words):
        read_system_covariates(save(text))


def test_a_misspelt_column_is_refused_with_the_nearest(save):
    with pytest.raises(UnknownColumn, match=r"'sizes' not found in .* Did you mean 'size'"):
        read_system_covariates(save("system,size\nA,1\n"), ("sizes",))


def test_judges_are_found_by_either_name(save):
    for name in ("judge", "annotator"):
        path = save(f"{name},native\nj1,yes\nj2,no\n", "judges.csv")
        found = fetch_columns(open_covariates(path, on="judge", named="annotator"))
        assert sorted(found["judge"].tolist()) == ["j1", "j2"]
    with pytest.raises(UnknownColumn, match="needs a column 'judge' or 'annotator'"):
        open_covariates(save("who,native\nj1,yes\n", "w.csv"), on="judge", named="annotator")


def test_a_table_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(MissingFile):
        read_system_covariates(tmp_path / "none.csv")


def test_names_are_stripped_and_commas_read_as_in_judgments(save):
    path = save("judge;hours\nann ;1,5\n ben;12\n", "judges.csv")
    columns = fetch_columns(open_covariates(path, on="judge"))
    assert columns["judge"].tolist() == ["ann", "ben"]
    assert columns["hours"].tolist() == ["1.5", "12"]
    path = save("system;size\nA;1,5\nB ;12\n")
    assert read_system_covariates(path) == {"size": {"A": 1.5, "B": 12.0}}
