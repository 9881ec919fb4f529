"""The posterior of a judge's share: closed forms, and that its intervals hold."""

import numpy as np
import pytest
from scipy import integrate, stats

from evenhand.models.labels import count_skills, integrate_skills


@pytest.mark.parametrize(("right", "wrong"), [(1, 0), (0, 1), (6, 3), (900, 100), (99_990, 10)])
def test_certain_answers_give_the_beta_posterior(right, wrong):
    judge = np.zeros(right + wrong, dtype=np.int64)
    known = np.repeat([1.0, 0.0], [right, wrong])
    mean, stderr, lower, upper = (one[0] for one in integrate_skills(judge, known, 1 - known))
    beta = stats.beta(right + 0.5, wrong + 0.5)
    assert mean == pytest.approx(beta.mean(), abs=2e-3 * beta.std() + 1e-4)
    assert stderr == pytest.approx(beta.std(), rel=2e-2)
    assert (lower, upper) == pytest.approx(beta.interval(0.95), abs=0.08 * beta.std())


def test_counted_answers_give_the_same():
    found = count_skills(np.array([6.0]), np.array([3.0]))
    beta = stats.beta(6.5, 3.5)
    ends = beta.interval(0.95)
    assert [one[0] for one in found] == pytest.approx([beta.mean(), beta.std(), *ends])


def test_uncertain_answers_agree_with_scipys_quadrature():
    rng = np.random.default_rng(1)
    right, wrong = rng.random(12), rng.random(12)
    judge = np.zeros(12, dtype=np.int64)
    mean, stderr, _, _ = integrate_skills(judge, right, wrong, (2.0, 1.5))

    def density(q: float, power: int) -> float:
        return q**power * q * (1 - q) ** 0.5 * float(np.prod(q * right + (1 - q) * wrong))

    whole, first, second = (integrate.quad(density, 0, 1, args=(k,))[0] for k in range(3))
    assert mean[0] == pytest.approx(first / whole, abs=1e-4)
    assert stderr[0] == pytest.approx(np.sqrt(second / whole - (first / whole) ** 2), rel=2e-3)


def test_answers_that_say_nothing_leave_the_prior():
    judge = np.zeros(20, dtype=np.int64)
    half = np.full(20, 0.5)
    mean, stderr, lower, upper = integrate_skills(judge, half, half)
    prior = stats.beta(0.5, 0.5)
    assert (mean[0], stderr[0]) == pytest.approx((0.5, prior.std()), abs=1e-3)
    assert (lower[0], upper[0]) == pytest.approx(prior.interval(0.95), abs=2e-3)


def test_each_judge_has_a_grid_of_its_own():
    judge = np.repeat([0, 1], [10, 4_000])
    known = np.concatenate([np.ones(10), np.tile([1.0, 0.0], 2_000)])
    mean, stderr, _, _ = integrate_skills(judge, known, 1 - known)
    apart = [
        integrate_skills(judge[judge == j] * 0, known[judge == j], 1 - known[judge == j])
        for j in (0, 1)
    ]
    assert mean == pytest.approx([one[0][0] for one in apart], abs=1e-12)
    assert stderr == pytest.approx([one[1][0] for one in apart], abs=1e-12)
