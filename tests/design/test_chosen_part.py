"""Features as they are named at the command line, and replays of what was asked."""

import pytest

from design.labelled_outputs import as_ratings, smooth_world
from evenhand import Query
from evenhand.data.ratings import Ratings
from evenhand.design.next_outputs import choose_part, name_features
from evenhand.errors import InvalidJudgments

NONE = (None, None)


def told(column) -> Ratings:
    """Thirty ratings with a column beside them."""
    return as_ratings(*smooth_world(30, 1), words=column)


@pytest.mark.parametrize(("bad", "said"), [("n/a", "'n/a'"), (None, "nothing"), ("NaN", "'NaN'")])
def test_a_bad_number_does_not_turn_a_column_into_kinds(bad, said):
    column = [str(i) for i in range(30)]
    column[16] = bad
    match = f"numbers in 29 of 30 rows, but holds {said} in row 17 .i00016, s."
    with pytest.raises(InvalidJudgments, match=match):
        name_features(told(column), ("words",), NONE)


def test_savings_replay_the_batch_and_the_seed_that_were_asked_on_rated_outputs():
    x, y = smooth_world(60, 5)
    data = as_ratings(x, [*y[:40].tolist(), *[None] * 20])
    features = name_features(data, ("x0", "x1"), NONE)
    curves = choose_part(data, features, Query(), (3, 7), (2, None)).curves
    assert "batch=3 " in curves.signature
    assert "R=2 seed=7" in curves.signature
    assert not any("excluded" in note for note in curves.notes)
