import numpy as np
import pytest

from evenhand.judges.rating_evidence import normal_spread


def test_the_spread_of_many_normal_judges_is_found():
    rng = np.random.default_rng(0)
    variances = rng.uniform(0.01, 0.2, 4000)
    values = 2 + rng.normal(0, np.sqrt(0.3**2 + variances))
    found = normal_spread(values, variances)
    assert found.centre == pytest.approx(2, abs=0.03)
    assert found.spread == pytest.approx(0.3, abs=0.03)


def test_p_values_of_thirty_normal_judges_are_small_no_oftener_than_they_say():
    rng = np.random.default_rng(2)
    small = []
    for _ in range(400):
        values = rng.normal(0, 1, 30)
        found = normal_spread(values, np.zeros(30))
        small.append(
            [found.above(values, np.zeros(30)) <= 0.01, found.beside(values, np.zeros(30)) <= 0.01]
        )
    assert (np.mean(small, axis=(0, 2)) <= 0.013).all()
