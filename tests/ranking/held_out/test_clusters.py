"""Clusters of held-out votes: by judge and item, with what cannot be said."""

import numpy as np
import pytest

from evenhand.numerics.cluster_means import leave_out
from evenhand.ranking.cross_validation import find_clusters
from held_out_votes import World

VOTES = World(n=1500, judges=20, items=70).simulate(np.random.default_rng(2))


def test_judges_and_items_are_both_clusters() -> None:
    found = find_clusters(VOTES, 1)
    assert (found.name, found.notes) == ("judge+item", ())
    assert found.cells is not None
    assert len(np.unique(found.cells)) == len(np.unique(VOTES.judge * 70 + VOTES.item))


def test_fewer_than_five_effective_judges_are_spoken_of_alone() -> None:
    votes = World(n=1500, judges=4, items=70).simulate(np.random.default_rng(2))
    found = find_clusters(votes, 1)
    assert found.name == "item"
    assert found.notes[0].startswith("for these 4 judges only")


def test_judges_and_items_add_up_less_what_they_share() -> None:
    found = find_clusters(VOTES, 1)
    rng = np.random.default_rng(1)
    values = rng.normal(size=20)[VOTES.judge] + rng.normal(size=70)[VOTES.item]
    values += rng.normal(size=1500)

    def leave(codes: np.ndarray) -> float:  # the jackknife by hand
        means = np.array([values[codes != code].mean() for code in np.unique(codes)])
        return float((len(means) - 1) / len(means) * ((means - means.mean()) ** 2).sum())

    cells, moved = VOTES.judge * 70 + VOTES.item, values - values.mean()
    shared = sum(moved[cells == cell].sum() ** 2 for cell in np.unique(cells)) / 1500**2
    expected = leave(VOTES.judge) + leave(VOTES.item) - shared
    assert expected > 1.1 * max(leave(VOTES.judge), leave(VOTES.item))
    left = leave_out(found, found.strata.deviations(values[None, :]))
    assert float(left.variance[0]) == pytest.approx(expected)
