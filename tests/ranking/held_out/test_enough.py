"""How many comparisons are enough, from curves whose course is known."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from evenhand.data.votes import Votes
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.ranking.learning_curves import Protocol, find_enough
from held_out_votes import Davidson, Refusing, World
from ranking.held_out.test_learning_result import curves_of

WORLD = World(n=6000, items=100, judges=12, worth=(0.6, 0.2, -0.2, -0.6))
VOTES = WORLD.simulate(np.random.default_rng(5))
PROTOCOL = Protocol(sizes=(100, 200, 400, 800, 1600), trials=2, least=1500, seed=11)


@dataclass(frozen=True)
class Nearing:
    """A model whose log-worths come near to the truth as n grows, like n^-power."""

    power: float
    systems: tuple[str, ...] = WORLD.systems

    def fit(self, data: Votes) -> Davidson:
        wrong = 30 * data.size**-self.power
        worth = np.array(WORLD.worth) + np.array([wrong, -wrong, wrong, -wrong])
        return Davidson(worth.tolist(), WORLD.systems)


def test_a_model_that_knows_the_truth_needs_the_smallest_set() -> None:
    curves = curves_of(VOTES, {"truth": Davidson(WORLD.worth, WORLD.systems)}, PROTOCOL)
    found = find_enough(curves, "truth")
    assert (found.size, found.sure, found.largest, found.gain) == (100, 100, 1600, 0)
    assert found.says[-1] == "That is no gain: what more comparisons would bring is not known."
    assert repr(found).split() == " ".join(found.says).split()
    assert found.says[-1] in found._repr_html_()


def test_the_smallest_size_within_the_margin_is_read_off_the_curve() -> None:
    curves = curves_of(VOTES, {"near": Nearing(0.5)}, PROTOCOL)
    at = {point.size: point.perplexity for point in curves.curve("near")}
    for margin in (0.5, 0.1, 0.02):
        found = find_enough(curves, "near", margin)
        within = [size for size in at if at[size] - at[1600] <= margin]
        assert found.size == min(within)
        assert found.sure is None or found.sure >= found.size


def test_what_is_left_is_between_fast_and_slow() -> None:
    # errors of log-worths like n^-.5 leave losses that fall like 1/n: the fast end, nearly
    curves = curves_of(VOTES, {"near": Nearing(0.5)}, PROTOCOL)
    truth = curves_of(VOTES, {"truth": Davidson(WORLD.worth, WORLD.systems)}, PROTOCOL)
    left = curves.estimate("near", 1600).value - truth.estimate("truth", 1600).value
    found = find_enough(curves, "near")
    assert found.left_if_fast == pytest.approx(found.gain)
    assert found.left_if_slow == pytest.approx(found.gain * 2**-0.5 / (1 - 2**-0.5))
    assert 0.8 * found.left_if_fast < left < found.left_if_slow


def test_a_gain_that_may_be_none_leaves_nothing_to_tell() -> None:
    curves = curves_of(VOTES, {"near": Nearing(0.5)}, PROTOCOL)
    moved = np.random.default_rng(1).normal(0, 0.2, curves.losses.shape)
    found = find_enough(replace(curves, losses=curves.losses + moved), "near")
    assert found.gain_lower < 0 < found.gain_upper
    assert (found.left_if_fast, found.left_lower, found.left_upper) == (None, None, None)
    assert found.says[-1].code == "perhaps-no-gain"


def test_a_model_that_is_refused_where_votes_are_few_starts_later() -> None:
    curves = curves_of(VOTES, {"shy": Refusing(300)}, PROTOCOL)
    assert find_enough(curves, "shy").size == 400
    with pytest.raises(NotIdentified, match="shy has no mean at 1,600"):
        find_enough(curves_of(VOTES, {"shy": Refusing(9999)}, PROTOCOL), "shy")


def test_a_margin_is_above_0() -> None:
    curves = curves_of(VOTES, {"shy": Refusing(10)}, PROTOCOL)
    with pytest.raises(UnknownOption, match="margin cannot be 0"):
        find_enough(curves, "shy", 0.0)
    tiny = Protocol(sizes=(10_000,), trials=1, least=1500, seed=11)
    with pytest.raises(NotIdentified, match="no task has 10,000 comparisons to train on"):
        find_enough(curves_of(VOTES, {"shy": Refusing(10)}, tiny), "shy")
