"""Campaigns are drawn as they were planned."""

from collections import Counter

import numpy as np
import pytest

from evenhand.design.power import Design, Truth, draw_campaign


def draw(truth, design, seed=1):
    return draw_campaign(truth, design, np.random.default_rng(seed))


def test_shares_of_answers_are_those_of_the_model():
    tally = draw(Truth.spaced(2, 0.8, ties=0.2), Design(50, 100, 40_000))
    first = tally.left == 0
    wins = tally.wins[first].sum() + tally.losses[~first].sum()
    won, lost, tie = np.exp(0.4), np.exp(-0.4), 0.5
    assert wins / 40_000 == pytest.approx(won / (won + lost + tie), abs=4 * 0.0025)
    assert tally.ties.sum() / 40_000 == pytest.approx(tie / (won + lost + tie), abs=4 * 0.0025)


@pytest.mark.parametrize("loads", ["equal", "zipf"])
def test_each_output_pair_is_seen_by_so_many_different_judges_so_often(loads):
    design = Design(7, 500, 500 * 6, overlap=3, repeats=2, loads=loads)
    tally = draw(Truth.spaced(4, 0.3), design)
    item, judge = tally.factor("item").codes, tally.factor("judge").codes
    seen = Counter(zip(item.tolist(), judge.tolist(), strict=True))
    assert set(seen.values()) == {2}
    assert set(Counter(one for one, _ in seen).values()) == {3}


def test_only_pairs_that_are_to_be_compared_are():
    tally = draw(Truth.spaced(3, 0.3), Design(5, 10, 300, pairs=((0, 1), (1, 2))))
    pairs = {
        tuple(sorted(one)) for one in zip(tally.left.tolist(), tally.right.tolist(), strict=True)
    }
    assert pairs == {(0, 1), (1, 2)}


def test_one_seed_gives_one_campaign():
    truth, design = Truth.spaced(3, 0.3, judge_sd=0.5), Design(5, 10, 100)
    assert draw(truth, design).digest == draw(truth, design).digest
    assert draw(truth, design).digest != draw(truth, design, 2).digest
