"""Functions of numbers on examples whose answers are known."""

import numpy as np
import pytest

from evenhand.numerics import distributions
from evenhand.numerics.cluster_means import root_slopes


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("two_sided_p", (1.959964,), 0.05),
        ("normal_quantile", (0.975,), 1.959964),
        ("t_tail", (2.228139, 10), 0.05),
        ("t_quantile", (0.975, 10), 2.228139),
        ("chi2_tail", (3.841459, 1), 0.05),
        ("f_tail", (4.964603, 1, 10), 0.05),
        ("f_quantile", (0.95, 1, 10), 4.964603),
        ("clopper_pearson", (61, 96, 0.95), (0.530936, 0.731298)),
        ("trinomial_tail", (6, 12, 4), 0.024782),
    ],
)
def test_distributions_have_the_values_of_tables(name, arguments, answer):
    assert getattr(distributions, name)(*arguments) == pytest.approx(answer, abs=5e-7)


def test_rules_integrate_moments_of_the_normal_exactly():
    x, logs = distributions.hermite_rule(15)
    assert np.exp(logs - x**2 / 2).sum() == pytest.approx(np.sqrt(2 * np.pi), rel=1e-12)
    x, weights = distributions.normal_rule(15)
    assert (weights @ x**2, weights @ x**4) == pytest.approx((1, 3), rel=1e-12)


def test_slopes_of_a_root_have_it_as_their_mean():
    assert root_slopes(np.array([0.0, 2.0])).tolist() == [0.5, 1.5]
