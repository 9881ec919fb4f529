"""Tables that say something of systems, judges and persons."""

import json
from pathlib import Path

import polars as pl
import pytest

from evenhand.data.engine import fetch_columns
from evenhand.errors import InvalidJudgments, MissingFile, UnknownColumn, UnknownFormat
from evenhand.formats.covariates import (
    name_persons,
    open_covariates,
    read_persons,
    read_system_covariates,
)
from evenhand.formats.reading import read
from outside_files import APPRAISE_ERRORS
from read_tables import rows_of

# Tables of judges, items and systems: what is read from them, and what is refused.


@pytest.fixture
def save_table(tmp_path):
    def write(text: str, name: str = "systems.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_covariates_are_numbers_or_levels_in_any_file(save_table) -> None:
    path = save_table("system,size,site,note\nA,7,north,x\nB,1e1,south,y\nC,-.5,north,z\n")
    found = read_system_covariates(path, ("size", "site"))
    assert found == {
        "size": {"A": 7.0, "B": 10.0, "C": -0.5},
        "site": {"A": "north", "B": "south", "C": "north"},
    }
    assert list(read_system_covariates(save_table("a,system,b\n1,A,2\n"))) == ["a", "b"]
    path = save_table('{"system": "A", "size": 7}\n{"system": "B", "size": 8.5}\n', "systems.jsonl")
    assert read_system_covariates(path) == {"size": {"A": 7.0, "B": 8.5}}
    path = save_table("system,size\nA,7\nB,\n")
    assert read_system_covariates(path) == {"size": {"A": 7.0}}
    with pytest.raises(UnknownColumn, match=r"'sizes' not found in .* Did you mean 'size'"):
        read_system_covariates(save_table("system,size\nA,1\n"), ("sizes",))


@pytest.mark.parametrize("word", ["large", "nan", "inf", "1_000", "0x10"])
def test_a_column_of_numbers_and_words_is_refused(save_table, word):
    path = save_table(f"system,size\nA,7\nB,{word}\n")
    with pytest.raises(InvalidJudgments, match=rf"holds numbers and words \(7, {word}"):
        read_system_covariates(path)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("system,size\nA,1\nA,2\n", InvalidJudgments, "A stands more than once"),
        ("system,size\nA,1\n,2\n", InvalidJudgments, "names no system"),
        ("name,size\nA,1\n", UnknownColumn, "needs a column 'system'"),
        ("system\nA\n", UnknownColumn, "no column but 'system'"),
    ],
)
def test_a_table_that_does_not_say_one_thing_of_each_system_is_refused(
    save_table, text, error, words
):
    with pytest.raises(error, match=words):
        read_system_covariates(save_table(text))


def test_tables_of_judges_and_systems_are_read_as_judgments_are(save_table, tmp_path) -> None:
    for name in ("judge", "annotator"):
        path = save_table(f"{name},native\nj1,yes\nj2,no\n", "judges.csv")
        found = fetch_columns(open_covariates(path, on="judge", named="annotator"))
        assert sorted(found["judge"].tolist()) == ["j1", "j2"]
    with pytest.raises(UnknownColumn, match="needs a column 'judge' or 'annotator'"):
        open_covariates(save_table("who,native\nj1,yes\n", "w.csv"), on="judge", named="annotator")
    path = save_table("judge;hours\nann ;1,5\n ben;12\n", "judges.csv")
    columns = fetch_columns(open_covariates(path, on="judge"))
    assert columns["judge"].tolist() == ["ann", "ben"]
    assert columns["hours"].tolist() == ["1.5", "12"]
    path = save_table("system;size\nA;1,5\nB ;12\n")
    assert read_system_covariates(path) == {"size": {"A": 1.5, "B": 12.0}}
    import polars as pl

    path = tmp_path / "systems.parquet"
    pl.DataFrame({"system": ["A", "B"], "size": [7, 8]}).write_parquet(path)
    assert read_system_covariates(path) == {"size": {"A": 7.0, "B": 8.0}}
    with pytest.raises(MissingFile):
        read_system_covariates(tmp_path / "none.csv")


# Who stands behind a login.


MAP = {"Annotator01": ["engdeu6e10", "u2"], "Annotator02": ["other"]}


def test_logins_of_one_person_are_one_judge(save) -> None:
    persons = read_persons(save("annotator_mapping.json", json.dumps(MAP)))
    data = name_persons(read(save("esa.csv", APPRAISE_ERRORS)), persons)
    rows = rows_of(data)
    assert {row["judge"] for row in rows} == {"Annotator01"}
    assert {row["login"] for row in rows} == {"engdeu6e10", "u2"}
    assert data.source.notes[-1].startswith("2 logins are 1 person")
    path = save("persons.csv", "account,person\nengdeu6e10,Annotator01\nu2,Annotator01\n")
    assert read_persons(path) == {"engdeu6e10": "Annotator01", "u2": "Annotator01"}
    compared = pl.DataFrame({"left": ["A"], "right": ["B"], "outcome": ["tie"], "judge": ["e1"]})
    for frame in (compared, compared.lazy(), compared.to_pandas()):
        assert rows_of(name_persons(read(frame), {"e1": "ann"}))[0]["judge"] == "ann"
    data = read(save("esa.csv", APPRAISE_ERRORS))
    with pytest.raises(InvalidJudgments, match="nobody is behind u2"):
        name_persons(data, {"engdeu6e10": "ann"})
    path = save("map.json", b"\xef\xbb\xbf" + b'{"P1": ["a", 7]}')
    assert read_persons(path) == {"a": "P1", "7": "P1"}


def test_a_map_that_says_two_things_or_nothing_is_refused(save) -> None:
    twice = save("two.json", json.dumps({"a": ["x"], "b": ["x"]}))
    with pytest.raises(InvalidJudgments, match=r"login 'x' stands in .* for a and for b"):
        read_persons(twice)
    with pytest.raises(UnknownFormat, match="no map of persons"):
        read_persons(save("list.json", "[1]"))
    with pytest.raises(UnknownColumn, match="needs a column 'person'"):
        read_persons(save("t.csv", "login,group\nx,g\n"))
    with pytest.raises(MissingFile):
        read_persons("nowhere.json")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("login,person\nann,P1\nbob,\n", "row 2 of .* names no person for login 'bob'"),
        ("login,person\nann,P1\nbob,  \n", "row 2 of .* names no person for login 'bob'"),
        ("login,person\n,P1\nbob,P2\n", "row 1 of .* has no login"),
    ],
)
def test_a_blank_is_nobody(table, words, save) -> None:
    with pytest.raises(InvalidJudgments, match=words):
        read_persons(save("persons.csv", table))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"P1": ["a"], "P1": ["b"]}', "'P1' appears twice in"),
        ('{"P1": ["a", null]}', "a login of 'P1' in .* is None"),
        ('{"P1": [" "]}', "a login of 'P1' in .* is ' '"),
        ('{" ": ["a"]}', "login 'a' in .* has a person without a name"),
    ],
)
def test_a_map_that_would_lose_somebody_is_refused(text, words, save) -> None:
    with pytest.raises(InvalidJudgments, match=words):
        read_persons(save("map.json", text))
