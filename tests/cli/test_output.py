from __future__ import annotations

import json
from pathlib import Path

import pytest

from evenhand.cli.running import choose_output, write_json
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


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.json", "json"), ("x.CSV", "csv"), ("x.tex", "latex"), ("x.txt", "text"), ("x", "text")],
)
def test_the_ending_says_the_format(name, form):
    assert choose_output(FORMS, name).form == form


def test_an_input_by_another_name_is_still_an_input(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("votes.csv").touch()
    with pytest.raises(UnknownOption, match="would overwrite"):
        choose_output(FORMS, str(tmp_path / "votes.csv"), ["votes.csv"])
