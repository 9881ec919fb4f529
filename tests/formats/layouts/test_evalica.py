"""Evalica's CSV."""

from evenhand.formats.reading import read
from read_tables import cells_of, tally_of


def test_left_right_and_winner_are_comparisons(save) -> None:
    path = save(
        "t.csv", "left,right,winner\nPizza,Sushi,left\nPizza,Sushi,tie\nPizza,Sushi,right\n"
    )
    assert read(path).source.format == "evalica"
    assert cells_of(tally_of(path)) == {("Pizza", "Sushi"): (1, 1, 1)}


def test_a_table_with_an_outcome_beside_the_winner_is_our_own(save) -> None:
    path = save("t.csv", "left,right,outcome,winner\nA,B,left,A\n")
    assert read(path).source.format == "comparisons"
    assert cells_of(tally_of(path)) == {("A", "B"): (1, 0, 0)}
