"""The mixed-model equations against the likelihood of the whole covariance matrix."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import chi2

from evenhand.models.rating_components import (
    Problem,
    Term,
    arrange,
    estimate_moments,
    identify,
    make_terms,
    maximise,
    profile,
    share_levels,
    solve_equations,
)
from models.scored import dense_loglik, indicator, rows_of, simulate

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
@pytest.mark.parametrize("sizes", [(6, 15, 4), (30, 5, 3)])
def test_the_restricted_likelihood_is_that_of_the_dense_matrix(fixed_systems, sizes):
    made = problem(fixed_systems=fixed_systems, sizes=sizes)
    variances = VARIANCES[-len(made.terms) - 1 :]
    expected = dense_loglik(made.score, made.fixed, made.terms, variances)
    assert solve_equations(made, variances).value == pytest.approx(expected, abs=1e-8)


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


def known(judge, item, system):
    return identify(make_terms(rows_of(judge, item, system, np.zeros(np.asarray(judge).size))))


def names(found):
    return [term.name for term in found.terms]


def test_a_crossed_design_with_several_scores_tells_all_apart():
    judge, item, system = np.indices((3, 4, 3))
    found = known(judge, item, system)
    assert names(found) == [
        *("system", "judge", "item"),
        *("item x system", "judge x system", "judge x item"),
    ]
    assert found.reasons == ()


DESIGNS = [  # judge, item, system; what carries which effect, and the reason
    ((5, 1, 4), lambda g: (g[0], g[1], g[2]), "residual", "judge x system", "saw each system once"),
    ((1, 12, 4), lambda g: (g[2], g[1], g[1] % 3), "item", "item x system", "output of one system"),
    ((1, 20, 3), lambda g: (g[1] % 4, g[1], g[2]), "residual", "item x system", "was scored once"),
    ((6, 10, 1), lambda g: (g[0], g[1], g[0] % 3), "judge", "judge x system", "scored one system"),
    ((12, 1, 10), lambda g: (g[0], g[0] // 4, g[2]), "judge", "judge x item", "scored one item"),
    # two judges, two systems, all outputs by both: judge x system is told by items alone
    ((2, 1, 2), lambda g: (g[0], g[1], g[2]), "residual", "judge x system", "saw each system once"),
]


@pytest.mark.parametrize(("shape", "place", "carrier", "carried", "why"), DESIGNS)
def test_what_a_design_does_not_tell_apart_is_one(shape, place, carrier, carried, why):
    found = known(*place(np.indices(shape)))
    assert carried in found.carries[carrier]
    assert carried not in names(found)
    assert why in " ".join(found.reasons)


@pytest.mark.parametrize("single", ["judge", "item", "system"])
def test_one_level_is_said_and_left_out(single):
    shape = {"judge": (1, 6, 4), "item": (6, 1, 4), "system": (6, 4, 1)}[single]
    found = known(*np.indices(shape))
    assert f"there is one {single}: nothing can be said of how {single}s differ" in found.reasons
    assert single not in names(found)


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


def test_it_is_the_squared_distance_of_the_systems_shares():
    rows = simulate(6, {}, n=90)
    terms = make_terms(rows)
    system = terms[0]
    found = share_levels(terms, system)
    for term in terms:
        share = indicator(term).T @ indicator(system) / system.counts
        pairs = [
            ((share[:, s] - share[:, t]) ** 2).sum() for s in range(system.size) for t in range(s)
        ]
        assert found[term.name] == pytest.approx(np.mean(pairs))


@pytest.fixture(scope="module")
def made():
    sds = {"judge": 1.2, "item": 0.8, "residual": 1.0}
    rows = simulate(8, sds, n=70, sizes=(8, 10, 2))
    terms = [one for one in make_terms(rows) if one.name in ("judge", "item")]
    fixed = Term("mean", np.zeros(rows.size, dtype=np.int64), 1)
    score = (rows.score - rows.score.mean()) / rows.score.std()
    problem = Problem(score, terms, fixed, arrange(terms, fixed))
    return problem, maximise(problem, np.full(3, 0.3))


def brute(problem, held=None, value=None):
    """The highest likelihood, one log variance held."""
    free = [k for k in range(3) if k != held]

    def loss(logs):
        variances = np.empty(3)
        variances[free] = np.exp(logs)
        if held is not None:
            variances[held] = value
        return -dense_loglik(problem.score, problem.fixed, problem.terms, variances)

    options = {"xatol": 1e-6, "fatol": 1e-10, "maxiter": 4000}
    found = minimize(loss, np.full(len(free), -1.0), method="Nelder-Mead", options=options)
    return -found.fun, np.exp(found.x)


def test_the_maximum_is_that_of_a_general_optimiser(made):
    problem, peak = made
    value, variances = brute(problem)
    assert peak.solved.value == pytest.approx(value, abs=1e-6)
    np.testing.assert_allclose(peak.variances, variances, rtol=1e-3)


@pytest.mark.parametrize("at", [0, 2])
def test_the_ends_are_where_the_profile_has_fallen_by_half_a_chi_square(made, at):
    problem, peak = made
    found = profile(problem, peak, at, 0.95)
    top, most = brute(problem)[0], chi2.ppf(0.95, 1) / 2

    def fall(log):
        return top - brute(problem, at, np.exp(log))[0] - most

    inside = np.log(peak.variances[at])
    lower, upper = (
        brentq(fall, inside - 4, inside, xtol=1e-3),
        brentq(fall, inside, inside + 4, xtol=1e-3),
    )
    assert found.lower == pytest.approx(np.exp(lower), rel=0.02)
    assert found.upper == pytest.approx(np.exp(upper), rel=0.02)


def test_the_test_of_zero_is_half_a_chi_square(made):
    problem, peak = made
    fall = 2 * (brute(problem)[0] - brute(problem, 1, 1e-9)[0])
    assert profile(problem, peak, 1, 0.95).p == pytest.approx(chi2.sf(fall, 1) / 2, rel=1e-3)
    assert profile(problem, peak, 2, 0.95).p is None
