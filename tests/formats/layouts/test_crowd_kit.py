"""Crowd-kit's pairwise table."""

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.formats.reading import read
from read_tables import cells_of, refusal, tally_of

HEADER = "worker,left,right,label\n"
FINE = HEADER + "w1,Pizza,Sushi,Pizza\nw2,Pizza,Sushi,Sushi\nw2,Sushi,Pizza,tie\nw3,A,B,right\n"


def test_the_name_of_the_winner_becomes_its_side(save) -> None:
    path = save("t.csv", FINE)
    assert read(path).source.format == "crowd_kit"
    tally = tally_of(path, ("judge",))
    assert tally.factor("judge").labels == ("w1", "w2", "w3")
    assert cells_of(tally.pool()) == {
        ("A", "B"): (0, 0, 1),
        ("Pizza", "Sushi"): (1, 0, 1),
        ("Sushi", "Pizza"): (0, 1, 0),
    }


@pytest.mark.parametrize("label", ["Taco", "a", "model_a", "pizza"])
def test_a_label_that_names_neither_is_refused_and_never_guessed(label: str, save) -> None:
    words = refusal(save("t.csv", f"{FINE}w4,Pizza,Sushi,{label}\n"), InvalidJudgments)
    assert f"unknown outcome '{label}' in column 'label' of " in words
    assert "t.csv (line 6)" in words


def test_systems_called_a_and_b_are_names_and_not_sides(save) -> None:
    path = save("t.csv", HEADER + "w,b,a,a\n")
    assert cells_of(tally_of(path)) == {("b", "a"): (0, 0, 1)}


def test_other_tables_with_the_winners_name_can_be_forced(save) -> None:
    path = save("t.csv", "system_a,system_b,winner,judge\nx,y,y,j\n")
    assert cells_of(tally_of(path, format="crowd-kit")) == {("x", "y"): (0, 0, 1)}
    own = tally_of(path, format="crowd-kit", outcomes={"nobody": "tie"})
    assert own.n_comparisons == 1
