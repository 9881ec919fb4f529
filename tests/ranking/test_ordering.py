"""The order of the board, and who shares a place."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from evenhand.ranking import rank
from evenhand.ranking.inference import number_places
from ranking.panels import comparisons, panel


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.1 + 0.2, 0.3, 1.0]), min_size=1, max_size=9))
def test_equal_estimates_share_a_place_and_stand_by_name(values):
    order, places = number_places(np.array(values))
    rounded = [round(value, 6) for value in values]
    assert order.tolist() == sorted(range(len(values)), key=lambda i: (-rounded[i], i))
    assert places.tolist() == [
        1 + sum(other > rounded[i] for other in rounded) for i in order.tolist()
    ]


def test_systems_that_did_alike_share_a_rank_ordered_by_name():
    """Everybody beats the next of a ring as often: estimates are equal but for rounding."""
    ring = ["b", "d", "a", "c", "e"]
    rows = [
        (one, ring[i - 1], outcome) for i, one in enumerate(ring) for outcome in ("left", "tie")
    ]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    found = rank(comparisons(frame))
    assert found.systems == ("a", "b", "c", "d", "e")
    assert found.rank.tolist() == [1, 1, 1, 1, 1]
    np.testing.assert_allclose(found.log_worth, 0, atol=1e-9)


def test_wins_ties_and_losses_are_counted_from_either_side():
    frame = panel()
    found = rank(comparisons(frame))
    for row in found.rows():
        left = frame.filter(pl.col("left") == row["system"])["outcome"].to_list()
        right = frame.filter(pl.col("right") == row["system"])["outcome"].to_list()
        assert row["wins"] == left.count("left") + right.count("right")
        assert row["ties"] == left.count("tie") + right.count("tie")
        assert row["losses"] == left.count("right") + right.count("left")
    assert found.wins.sum() + found.ties.sum() / 2 == found.n_comparisons
