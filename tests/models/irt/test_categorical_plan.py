"""Outputs are coloured so that none has the colour of one that it was compared with."""

import numpy as np

from categorical_truth import votes_on
from evenhand.models.irt_categorical import plan_colours
from evenhand.models.irt_outputs import pair_outputs


def campaign(seed: int, n: int, items: int, systems: int):
    rng = np.random.Generator(np.random.PCG64(seed))
    item, left = rng.integers(0, items, n), rng.integers(0, systems, n)
    right = (left + rng.integers(1, systems, n)) % systems
    rows = np.stack((item, left, right, rng.integers(0, 3, n)), axis=1)
    return pair_outputs(votes_on(rows.tolist(), systems))


def test_every_comparison_stands_once_on_each_side_and_joins_two_colours():
    pairs = campaign(1, 400, 30, 6)
    plan = plan_colours(pairs)
    found = []
    for colour in plan.colours:
        for one in colour.rounds:
            own = np.arange(colour.start, colour.start + len(one.rival))
            assert not ((one.rival >= colour.start) & (one.rival < colour.stop)).any()
            found += list(zip(own.tolist(), one.rival.tolist(), one.outcome.tolist(), strict=True))
    one, other = plan.place[pairs.one], plan.place[pairs.other]
    expected = [
        *zip(one.tolist(), other.tolist(), pairs.outcome.tolist(), strict=True),
        *zip(other.tolist(), one.tolist(), (2 - pairs.outcome).tolist(), strict=True),
    ]
    assert sorted(found) == sorted(expected)


def test_colours_are_a_partition_of_all_outputs_with_their_authors():
    pairs = campaign(2, 300, 20, 5)
    plan = plan_colours(pairs)
    ends = [(colour.start, colour.stop) for colour in plan.colours]
    assert [0, *(stop for _, stop in ends)] == [*(start for start, _ in ends), len(plan.author)]
    np.testing.assert_array_equal(plan.author[plan.place], pairs.author)


def test_a_round_robin_of_one_item_takes_a_colour_for_each_system():
    rows = [(0, i, j, 0) for i in range(5) for j in range(i)]
    assert len(plan_colours(pair_outputs(votes_on(rows, 5))).colours) == 5


def test_pairs_that_share_no_output_take_two_colours():
    rows = [(i, 0, 1, i % 3) for i in range(9)]
    assert len(plan_colours(pair_outputs(votes_on(rows, 2))).colours) == 2
