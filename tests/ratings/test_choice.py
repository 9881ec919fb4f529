"""The choice of τ: what is enough, when the path is left, and where the last fit begins."""

import numpy as np
import pytest

from evenhand.numerics.completion import SoftImpute
from evenhand.ratings.completion import PathPoint, choose_tau, decide
from evenhand.ratings.matrix import make_matrix
from ratings.rated_matrices import simulate

PATH = (0.9, 0.7, 0.5, 0.35, 0.25)


def points(*errors):
    return [PathPoint(0.9 - 0.1 * i, 1.0, i, mae) for i, mae in enumerate(errors)]


def parts(seed=1, **how):
    matrix = make_matrix(simulate(seed, **how).rows())
    held = np.random.default_rng(seed).random(len(matrix.value)) < 0.15
    return matrix.take(~held), matrix.take(held)


@pytest.mark.parametrize(("gain", "used"), [(1.6, False), (1.7, True)])
def test_a_gain_is_used_from_1_645_standard_errors_on(gain, used):
    """Differences of ±√(n − 1)/√n around their mean have a standard error of 1/√n."""
    n = 100
    spread = np.tile([1.0, -1.0], n // 2) * np.sqrt((n - 1) / n)
    better = spread + gain / np.sqrt(n)
    choice = decide(points(0.9), better, 1.0)
    assert choice.gain == pytest.approx((gain / np.sqrt(n), 1 / np.sqrt(n)))
    assert choice.used is used


def test_without_tastes_the_end_of_the_path_is_not_looked_at():
    """Weaker τ learn noise: the error rises, and the costly part of the path is spared."""
    path = choose_tau(*parts(3, taste=0.0), PATH).path
    assert len(path) < len(PATH)
    assert path[-3].mae < path[-2].mae < path[-1].mae


def test_the_last_fit_begins_where_the_best_of_the_path_ended():
    seen, held = parts()
    choice = choose_tau(seen, held, PATH)
    assert choice.start.rank == choice.best.rank
    problem = SoftImpute(seen.cells, seen.value)
    (cold,) = problem.path([choice.best.tau], 1e-3)
    (warm,) = problem.path([choice.best.tau], 1e-3, start=choice.start)
    assert warm.steps < cold.steps
