"""`evenhand fit --model NAME`: one shape for all models, and options only where they apply."""

from pathlib import Path

import pytest


def test_judges_are_not_joined_to_whole_rankings(evenhand, rankings):
    Path("judges.csv").write_text("judge,native\nj1,yes\nj2,no\n", encoding="utf-8")
    words = ["--model", "pattern", "--judges", "judges.csv"]
    said = evenhand("fit", rankings, *words, code=2).err
    assert "--judges cannot be joined for --model pattern" in said


@pytest.fixture
def blanks(folder: Path) -> str:
    """A blank ranking, a blank rank, and a ranking of one output."""
    rows = ["1,A,1", "1,B,2", "1,C,", "2,B,1", "2,A,2", "3,A,", "3,B,", "4,B,1", "4,C,2"]
    rows += ["5,C,1", "5,A,2", "6,A,1"]
    Path("blank.csv").write_text("\n".join(["ranking,system,rank", *rows]) + "\n", encoding="utf-8")
    return "blank.csv"


LEFT_OUT = [
    "1 of 6 rankings are blank and excluded",
    "1 of 10 ranks of the others are blank and not compared",
    "1 ranking of one output only: nothing to compare",
]


def test_what_was_left_out_of_rankings_is_said_once_whatever_the_model(evenhand, blanks):
    plain, found = (
        [one["text"] for one in evenhand("fit", blanks, *words, "--json").json["findings"]]
        for words in ((), ("--model", "plackett-luce"))
    )
    text = evenhand("fit", blanks, "--model", "plackett-luce").out
    for note in LEFT_OUT:
        assert plain.count(note) == found.count(note) == text.count(note) == 1
