"""Who stands behind a login."""

import json

import polars as pl
import pytest

from evenhand.errors import InvalidJudgments, MissingFile, UnknownColumn, UnknownFormat
from evenhand.formats.covariates import name_persons, read_persons
from evenhand.formats.reading import read
from outside_files import APPRAISE_ERRORS
from read_tables import rows_of

MAP = {"Annotator01": ["engdeu6e10", "u2"], "Annotator02": ["other"]}


def test_two_logins_of_one_person_are_one_judge(save) -> None:
    persons = read_persons(save("annotator_mapping.json", json.dumps(MAP)))
    data = name_persons(read(save("esa.csv", APPRAISE_ERRORS)), persons)
    rows = rows_of(data)
    assert {row["judge"] for row in rows} == {"Annotator01"}
    assert {row["login"] for row in rows} == {"engdeu6e10", "u2"}
    assert data.source.notes[-1].startswith("2 logins are 1 person")


def test_a_table_of_logins_says_the_same(save) -> None:
    path = save("persons.csv", "account,person\nengdeu6e10,Annotator01\nu2,Annotator01\n")
    assert read_persons(path) == {"engdeu6e10": "Annotator01", "u2": "Annotator01"}


def test_every_kind_of_table_and_engine_can_be_named() -> None:
    compared = pl.DataFrame({"left": ["A"], "right": ["B"], "outcome": ["tie"], "judge": ["e1"]})
    for frame in (compared, compared.lazy(), compared.to_pandas()):
        assert rows_of(name_persons(read(frame), {"e1": "ann"}))[0]["judge"] == "ann"


def test_a_login_of_nobody_is_refused_by_name(save) -> None:
    data = read(save("esa.csv", APPRAISE_ERRORS))
    with pytest.raises(InvalidJudgments, match="nobody is behind u2"):
        name_persons(data, {"engdeu6e10": "ann"})


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
        ('{"P1": ["a"], "P1": ["b"]}', "'P1' stands twice in"),
        ('{"P1": ["a", null]}', "a login of 'P1' in .* is None"),
        ('{"P1": [" "]}', "a login of 'P1' in .* is ' '"),
        ('{" ": ["a"]}', "login 'a' in .* has a person without a name"),
    ],
)
def test_a_map_that_would_lose_somebody_is_refused(text, words, save) -> None:
    with pytest.raises(InvalidJudgments, match=words):
        read_persons(save("map.json", text))


def test_a_map_may_begin_with_a_byte_order_mark_and_name_logins_by_number(save) -> None:
    path = save("map.json", b"\xef\xbb\xbf" + b'{"P1": ["a", 7]}')
    assert read_persons(path) == {"a": "P1", "7": "P1"}
