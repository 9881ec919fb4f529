"""Features as they are named at the command line, and replays of what was asked."""

import narwhals as nw
import polars as pl
import pytest

from design.labelled_outputs import as_ratings, smooth_world
from evenhand import Query
from evenhand.data.ratings import Ratings
from evenhand.design.next_outputs import choose_part, name_features
from evenhand.errors import InvalidJudgments, UnknownOption

NONE = (None, None)


def told(column) -> Ratings:
    """Thirty ratings with a column beside them."""
    return as_ratings(*smooth_world(30, 1), words=column)


def test_numbers_are_numbers_and_names_are_kinds():
    found = name_features(told(["3", "4.5", "7"] * 10), ("words", "system"), NONE)
    assert (found.numbers, found.labels) == (("words",), ("system",))
    kinds = name_features(told(["3 b", "4", "x"] * 10), ("words",), NONE)
    assert (kinds.numbers, kinds.labels) == ((), ("words",))


@pytest.mark.parametrize(("bad", "said"), [("n/a", "'n/a'"), (None, "nothing"), ("NaN", "'NaN'")])
def test_a_bad_number_does_not_turn_a_column_into_kinds(bad, said):
    column = [str(i) for i in range(30)]
    column[16] = bad
    match = f"numbers in 29 of 30 rows, but holds {said} in row 17 .i00016, s."
    with pytest.raises(InvalidJudgments, match=match):
        name_features(told(column), ("words",), NONE)


def test_a_column_of_which_half_is_numbers_is_kinds():
    assert name_features(told(["1", "b"] * 15), ("words",), NONE).labels == ("words",)


def test_the_score_is_no_feature():
    with pytest.raises(UnknownOption, match="not known before anybody rates"):
        name_features(told(["1"] * 30), ("score",), NONE)


def test_savings_replay_the_batch_and_the_seed_that_were_asked_on_rated_outputs():
    x, y = smooth_world(60, 5)
    data = as_ratings(x, [*y[:40].tolist(), *[None] * 20])
    features = name_features(data, ("x0", "x1"), NONE)
    curves = choose_part(data, features, Query(), (3, 7), (2, None)).curves
    assert "batch=3 " in curves.signature
    assert "R=2 seed=7" in curves.signature
    assert not any("excluded" in note for note in curves.notes)


def test_row_order_of_a_table_is_that_of_the_message():
    column = [str(i) for i in range(29)] + ["?"]
    frame = told(column).frame.to_native()
    mixed = Ratings(nw.from_native(pl.concat([frame.tail(1), frame.head(29)])))
    with pytest.raises(InvalidJudgments, match=r"in row 1 \(i00029"):
        name_features(mixed, ("words",), NONE)
