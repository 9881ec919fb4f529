"""A ranking says that lot did not decide the sides, unless something else allows for them."""

from dataclasses import replace

import numpy as np
import pytest

import evenhand
from evenhand.judgments.tally import Tally
from evenhand.ranking.one_sided import LIMIT, OneSided, find_one_sided

CODES = np.array([[0, 1], [1, 2], [0, 2], [1, 0], [2, 1], [2, 0]], dtype=np.int32)


def votes(turned: float) -> Tally:
    """Three systems, 120 votes for each pair, of which a share stands the other way round."""
    n = np.repeat([120 * (1 - turned), 120 * turned], 3)
    return Tally(("a", "b", "c"), *CODES.T, n / 2, n / 6, n / 3, n_judgments=360.0)


def test_sides_that_go_by_name_are_noted_and_limit_every_sentence():
    ranking = evenhand.rank(votes(turned=0.0))
    assert ranking.one_sided
    assert ranking.notes[0].startswith("sides were not drawn by lot: a stood first in 240 of 240")
    assert LIMIT in ranking.says
    assert all(LIMIT in ranking.says_of(name) for name in "abc")
    assert LIMIT in str(ranking)


def test_a_small_share_beyond_lot_is_noted_and_limits_no_sentence():
    few = votes(turned=0.45)  # 66 of 120: lot explains it, of 100 times as many it does not
    many = replace(
        few, wins=100 * few.wins, ties=100 * few.ties, losses=100 * few.losses, n_judgments=36_000.0
    )
    ranking = evenhand.rank(many)
    assert ranking.notes[0].startswith("sides were not drawn by lot: ")
    assert not ranking.one_sided
    assert LIMIT not in ranking.says
    assert evenhand.rank(few).notes[:1] != ranking.notes[:1]


def test_sides_that_fall_evenly_are_not_spoken_of():
    ranking = evenhand.rank(votes(turned=0.5))
    assert not ranking.one_sided
    assert "sides" not in f"{ranking.says} {' '.join(ranking.notes)}"


def test_a_model_of_sides_unknown_sides_and_rankings_have_no_such_note():
    tally = votes(turned=0.1)
    assert find_one_sided(tally, evenhand.BradleyTerry(), of_pairs=True).notes
    assert (
        find_one_sided(tally, evenhand.BradleyTerry(order_effect=True), of_pairs=True) == OneSided()
    )
    assert find_one_sided(replace(tally, positions_known=False), None, of_pairs=True) == OneSided()
    assert find_one_sided(tally, None, of_pairs=False) == OneSided()
    assert not evenhand.rank(tally, model=evenhand.BradleyTerry(order_effect=True)).one_sided


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_importance_weights_count_as_the_votes_that_they_are_worth(share):
    """n votes of weight w are n votes: (n w)² / (n w²)."""
    tally = votes(turned=0.0)
    w = share
    weighed = replace(
        tally,
        wins=tally.wins * w,
        ties=tally.ties * w,
        losses=tally.losses * w,
        squares=tally.counts * w * w,
    )
    assert find_one_sided(weighed, None, of_pairs=True) == find_one_sided(
        tally, None, of_pairs=True
    )
