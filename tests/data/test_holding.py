"""Held judgments are the judgments of the file, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand
from evenhand.data import held_tables as holding
from evenhand.data.held_tables import hold_rows
from evenhand.errors import InvalidJudgments

ROWS = "left,right,outcome\nA,B,left\nB,C,tie\nA,C,right\nA,B,left\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "votes.csv").write_text(ROWS)
    return tmp_path / "votes.csv"


def test_held_judgments_outlive_their_file(path: Path) -> None:
    held = hold_rows(evenhand.read(path))
    path.unlink()
    tally = held.tally()
    assert (tally.systems, tally.wins.sum() + tally.losses.sum(), tally.ties.sum()) == (
        ("A", "B", "C"),
        3,
        1,
    )


def test_rows_keep_their_numbers(path: Path) -> None:
    path.write_text(ROWS + "B,C,sideways\n")
    with pytest.raises(InvalidJudgments) as unheld:
        evenhand.read(path).tally()
    with pytest.raises(InvalidJudgments) as held:
        hold_rows(evenhand.read(path)).tally()
    # held rows stand in no file
    assert str(held.value) == str(unheld.value).replace("(line 6)", "(row 5)")


def test_very_many_rows_stay_in_their_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "MAX_ROWS_HELD", 3)
    data = evenhand.read(path)
    assert hold_rows(data) is data
