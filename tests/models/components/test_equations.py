"""The mixed-model equations against the likelihood of the whole covariance matrix."""

import numpy as np
import pytest

from evenhand.models.components import Problem, Term, arrange, make_terms, solve_equations
from models.scored import dense_loglik, indicator, simulate

SDS = {"judge": 2.0, "item": 1.0, "system": 1.5, "judge x system": 0.8, "item x system": 0.9}
VARIANCES = np.array([0.7, 0.5, 0.9, 0.3, 0.2, 0.4, 1.1])


def problem(seed=3, *, fixed_systems=False, sizes=(6, 15, 4)):
    rows = simulate(seed, SDS, n=200, sizes=sizes)
    terms = list(make_terms(rows))
    fixed = Term("mean", np.zeros(rows.size, dtype=np.int64), 1)
    if fixed_systems:
        fixed, *terms = terms
    score = (rows.score - rows.score.mean()) / rows.score.std()
    return Problem(score, terms, fixed, arrange(terms, fixed))


@pytest.mark.parametrize("fixed_systems", [False, True])
@pytest.mark.parametrize("sizes", [(6, 15, 4), (30, 5, 3), (1, 20, 4)])
def test_the_restricted_likelihood_is_that_of_the_dense_matrix(fixed_systems, sizes):
    made = problem(fixed_systems=fixed_systems, sizes=sizes)
    variances = VARIANCES[-len(made.terms) - 1 :]
    expected = dense_loglik(made.score, made.fixed, made.terms, variances)
    assert solve_equations(made, variances).value == pytest.approx(expected, abs=1e-8)


def test_gradients_numerically():
    made = problem()
    found = solve_equations(made, VARIANCES).gradient
    for k in range(len(VARIANCES)):
        step = np.zeros(len(VARIANCES))
        step[k] = 1e-5
        ahead, behind = (
            dense_loglik(made.score, made.fixed, made.terms, VARIANCES + sign * step)
            for sign in (1, -1)
        )
        assert found[k] == pytest.approx((ahead - behind) / 2e-5, rel=1e-5, abs=1e-6)


def test_the_average_information_is_the_quadratic_form_that_it_is_defined_as():
    made = problem()
    x = indicator(made.fixed)
    products = [indicator(term) @ indicator(term).T for term in made.terms]
    products.append(np.eye(len(made.score)))
    v = sum(variance * one for variance, one in zip(VARIANCES, products, strict=True))
    inverse = np.linalg.inv(v)
    p = inverse - inverse @ x @ np.linalg.solve(x.T @ inverse @ x, x.T @ inverse)
    py = p @ made.score
    expected = [[0.5 * py @ a @ p @ b @ py for b in products] for a in products]
    found = solve_equations(made, VARIANCES).information
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_means_of_fixed_systems_and_their_covariance_are_those_of_generalised_least_squares():
    made = problem(fixed_systems=True)
    variances = VARIANCES[1:]
    x = indicator(made.fixed)
    v = variances[-1] * np.eye(len(made.score))
    for term, variance in zip(made.terms, variances[:-1], strict=True):
        v += variance * indicator(term) @ indicator(term).T
    vcov = np.linalg.inv(x.T @ np.linalg.inv(v) @ x)
    found = solve_equations(made, variances)
    np.testing.assert_allclose(found.means_vcov, vcov, rtol=1e-8)
    beta = vcov @ x.T @ np.linalg.inv(v) @ made.score
    np.testing.assert_allclose(found.effects[: x.shape[1]], beta, rtol=1e-8)
