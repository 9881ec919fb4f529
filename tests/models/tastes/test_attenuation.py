"""Tastes look smaller through pooled worths: by how much, against averages over draws."""

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.variance_components import restore


def slope(x, tie):
    """Half the slope of P(left) − P(right), by differences."""

    def score(at):
        left, right = np.exp(at / 2), np.exp(-at / 2)
        return (left - right) / (left + right + tie) / 2

    return (score(x + 1e-5) - score(x - 1e-5)) / 2e-5


@pytest.mark.parametrize("own", [0.0, 0.5, 2.0])
@pytest.mark.parametrize(("judge", "item"), [(0.09, 0.0), (0.36, 0.25), (0.0, 1.0)])
def test_what_answers_show_on_average_is_turned_back(own, judge, item):
    rng = np.random.Generator(np.random.PCG64(1))
    x = np.sqrt(2 * (judge + item)) * rng.normal(size=400_000)
    shared = np.mean(own / (np.exp(x / 2) + np.exp(-x / 2) + own))  # ties between equals
    fitted = 2 * shared / (1 - shared)
    looks = (slope(x, own).mean() / slope(np.zeros(1), fitted)[0]) ** 2
    assert looks * restore((judge + item) * looks, fitted) == pytest.approx(1, rel=0.02)


def test_small_tastes_grow_as_zeger_liang_and_albert_have_it():
    c_squared = (16 * np.sqrt(3) / (15 * np.pi)) ** 2
    growth = restore(0.02, 0.0)
    assert growth - 1 == pytest.approx(2 * c_squared * 0.02, rel=0.5)
    assert growth > 1 + 2 * c_squared * 0.02  # their curve is less steep between equals


def test_tastes_beyond_any_bound_are_refused_without_a_warning():
    with pytest.raises(NotIdentified, match="--method likelihood"):
        restore(2e6, 0.5)
