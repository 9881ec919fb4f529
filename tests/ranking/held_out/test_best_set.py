"""The set of models that cannot be told from the best."""

import numpy as np
import pytest

from evenhand.numerics.distributions import t_tail
from evenhand.ranking.cross_validation import find_clusters, find_leavers, step_down
from held_out_votes import World

VOTES = World(n=2000, judges=40, items=60).simulate(np.random.default_rng(2))
CLUSTERS = find_clusters(VOTES, 1)
RNG = np.random.default_rng(7)
BASE = RNG.normal(1, 0.5, 2000)


def test_a_model_that_is_clearly_worse_leaves() -> None:
    losses = np.stack(
        [BASE, BASE + 0.05 + RNG.normal(0, 0.2, 2000), BASE + RNG.normal(0, 0.2, 2000)]
    )
    p = find_leavers(losses, CLUSTERS, 1)[0]
    assert p[1] <= 0.002
    assert p[0] > 0.05
    assert p[2] > 0.05
    assert p.max() == 1


def test_two_models_have_about_the_p_of_students_t() -> None:
    bare = find_clusters(World(n=2000, judges=1, items=1).simulate(np.random.default_rng(2)), 1)
    noise = RNG.normal(0, 1, 2000)
    noise += 2.0 / np.sqrt(2000) - noise.mean()  # t = 2 of 400 clusters or so
    p = find_leavers(np.stack([BASE, BASE + noise]), bare, 1)[0]
    t = noise.mean() / (noise.std(ddof=1) / np.sqrt(2000))
    assert p[0] == 1
    assert p[1] == pytest.approx(t_tail(t, 399), abs=0.03)


PAIRS = (np.array([0, 0, 1]), np.array([1, 2, 2]))


def test_the_way_in_which_more_draws_are_as_large_counts() -> None:
    t = np.array([-1.0, -10.0, -9.0])
    one, other = np.array([[0.0, 5.0, 5.0]] * 4), np.array([[2.0, 2.0, 2.0]] * 4)
    for ways in ([one, other], [other, one]):
        assert step_down(t, ways, PAIRS, 3)[0] == pytest.approx([1, 1, 1 / 5])


def test_p_values_do_not_fall_as_models_leave() -> None:
    """Model 2 leaves first, as far behind as by chance; then 1, farther than by chance."""
    t, chance = np.array([-3.0, -4.0, -0.5]), np.array([[0.0, 0.0, 9.0]] * 4)
    assert step_down(t, [chance], PAIRS, 3)[0].tolist() == [1, 1, 1]
