"""Moments: equal to the analysis of variance where the design is balanced, unbiased elsewhere."""

import numpy as np

from evenhand.models.components import make_terms
from evenhand.models.rating_components import estimate_moments
from models.scored import rows_of, simulate


def test_a_balanced_design_gives_the_expected_mean_squares():
    rng = np.random.Generator(np.random.PCG64(1))
    y = rng.normal(0, 1, (5, 6)) + rng.normal(0, 2, (5, 1)) + rng.normal(0, 3, (1, 6))
    judge, system = np.indices(y.shape)
    rows = rows_of(judge, np.zeros_like(judge), system, y)
    terms = [one for one in make_terms(rows) if one.name in ("system", "judge")]
    left = y - y.mean(0) - y.mean(1, keepdims=True) + y.mean()
    error = (left**2).sum() / 20
    expected = [y.mean(0).var(ddof=1) - error / 5, y.mean(1).var(ddof=1) - error / 6, error]
    np.testing.assert_allclose(estimate_moments(rows.score, terms), expected)


def test_estimates_are_unbiased_in_an_unbalanced_design():
    sds = {"system": 1.0, "judge": 2.0, "item x system": 1.5, "judge x system": 1.0}
    found = [
        estimate_moments(rows.score, make_terms(rows))
        for rows in (simulate(seed, sds, n=150, sizes=(12, 20, 8)) for seed in range(150))
    ]
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(150)
    truth = np.array([1.0, 4.0, 0.0, 2.25, 1.0, 0.0, 1.0])
    free = truth > 0  # those at 0 are cut there, so that their mean is above
    assert (np.abs(mean - truth)[free] < 4 * error[free] + 0.05).all()
