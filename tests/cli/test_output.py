from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.cli.running import choose_output, write_csv, write_json
from evenhand.errors import UnknownOption

FORMS = {"json": False, "csv": False, "latex": False}


def test_numbers_that_json_cannot_hold_become_null_with_a_note():
    contract = {"a": [1.0, float("nan")], "b": {"c": float("inf")}, "notes": ["first"]}
    found = json.loads(write_json(contract))
    assert (found["a"], found["b"]) == ([1.0, None], {"c": None})
    assert found["notes"] == [
        "first",
        "a[1]: not finite, so null here",
        "b.c: not finite, so null here",
    ]


def test_finite_numbers_keep_every_digit_and_add_no_note():
    assert json.loads(write_json({"x": 0.1 + 0.2})) == {"x": 0.1 + 0.2}


def test_names_stay_readable_in_json():
    assert "系统" in write_json({"system": "系统"})


def test_what_is_not_known_is_an_empty_cell():
    assert write_csv([{"a": 1, "b": None}, {"a": None, "b": "x"}]) == "a,b\n1,\n,x\n"


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.json", "json"), ("x.CSV", "csv"), ("x.tex", "latex"), ("x.txt", "text"), ("x", "text")],
)
def test_the_ending_says_the_format(name, form):
    assert choose_output(FORMS, name).form == form


def test_an_option_overrules_the_ending():
    assert choose_output({**FORMS, "json": True}, "x.txt").form == "json"


def test_the_terminal_is_text_unless_asked():
    assert choose_output(FORMS, None).form == "text"
    assert choose_output({**FORMS, "csv": True}, None).form == "csv"


def test_an_input_by_another_name_is_still_an_input(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("votes.csv").touch()
    with pytest.raises(UnknownOption, match="would overwrite"):
        choose_output(FORMS, str(tmp_path / "votes.csv"), ["votes.csv"])
