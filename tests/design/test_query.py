"""Queries beside choices by hand and by trial of everything."""

import numpy as np
import pytest

from evenhand.design.next_outputs import Query, QueryState
from evenhand.errors import UnknownOption
from evenhand.numerics.gaussian_process import Points
from evenhand.ratings.process_search import condition


def line(*at):
    """Points on a line."""
    return Points(np.array(at, float)[:, None], np.zeros((len(at), 0), np.int64))


VECTOR = np.array([0.0, 0.0, np.log(0.5)])


@pytest.fixture
def four():
    """Four outputs without a label, three near each other and one far off; one has a label.

    Strength, length scale 1 and noise: s² = 1, ℓ = 1, σ² = 0.5.
    """
    points = line(0.0, 0.2, 0.4, 5.0, 0.1)
    process = condition(points.take(np.array([4])), np.array([60.0]), VECTOR)
    return QueryState(process, points, np.arange(4))


def rng():
    return np.random.default_rng(1)


def scores_by_hand():
    """Variance left and mean similarity of the four, written out."""
    at, known = (0.0, 0.2, 0.4, 5.0), 0.1
    variance, similar = [], []
    for x in at:
        cross = 1.0 + np.exp(-0.5 * (x - known) ** 2)
        variance.append(2.0 - cross**2 / (2.0 + 0.5 + 1e-6))
        similar.append(sum(np.exp(-0.5 * (x - z) ** 2) for z in at) / 4)
    return np.array(variance), np.array(similar)


def test_uncertainty_is_variance_and_density_variance_times_mean_similarity(four):
    variance, _ = scores_by_hand()
    assert Query("uncertainty").choose(four, 1, rng()).tolist() == [int(variance.argmax())] == [3]
    variance, similar = scores_by_hand()
    first = Query("density").choose(four, 1, rng()).tolist()
    assert first == [int(np.argmax(variance * similar))]


def test_a_spread_batch_is_what_single_choices_would_have_been(four):
    """The label itself does not matter for variances while parameters stay."""
    batch = Query("uncertainty").choose(four, 3, rng()).tolist()
    known, taken = [4], []
    for _ in range(3):
        points = four.points.take(np.array(known))
        labels = np.arange(len(known), dtype=float)
        process = condition(points, labels, VECTOR)
        waiting = np.array([i for i in range(4) if i not in taken])
        at = int(
            Query("uncertainty").choose(QueryState(process, four.points, waiting), 1, rng())[0]
        )
        taken.append(at)
        known.append(at)
    assert batch == taken


def test_an_oracle_takes_the_label_that_is_foreseen_worst_of_outputs_apart():
    """Far apart each label tells of itself alone: the greatest error falls the most."""
    points = line(0.0, 100.0, 200.0, 300.0)
    truth = np.array([50.0, 52.0, 70.0, 49.0])
    known = points.take(np.array([0]))
    process = condition(known, truth[:1], np.array([0.0, 0.0, np.log(0.1)]))
    chosen = Query("oracle").choose(QueryState(process, points, np.arange(1, 4), truth), 1, rng())
    assert chosen.tolist() == [2]


def test_an_oracle_without_labels_is_refused(four):
    with pytest.raises(UnknownOption, match="nobody has"):
        Query("oracle").choose(four, 1, rng())
