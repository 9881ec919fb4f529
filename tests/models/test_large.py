"""Thousands of systems: conjugate gradients give what matrices give."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi2

from evenhand.data.streams import add_tallies
from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption
from evenhand.models import bradley_terry, likelihood, log_linear
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import TIES
from evenhand.numerics import newton
from tallies import simulate, tally

EVERY = [(ties, order) for ties in TIES for order in (False, True)]


@pytest.fixture(scope="module")
def board():
    worths = np.random.Generator(np.random.PCG64(2)).normal(0, 0.5, 60)
    return simulate(worths, 6000, seed=4, order=0.1)


@pytest.fixture
def sparse(monkeypatch):
    """Take the way without matrices for every number of systems."""
    monkeypatch.setattr(bradley_terry, "DENSE", 1)


@pytest.mark.parametrize(("ties", "order"), EVERY)
def test_estimates_and_contrasts_are_those_of_the_dense_way(ties, order, board, monkeypatch):
    model = BradleyTerry(ties=ties, order_effect=order, reference="s0007")
    dense = model.fit(board)
    monkeypatch.setattr(bradley_terry, "DENSE", 1)
    sparse = model.fit(board)
    assert sparse.vcov is None
    assert (sparse.names, sparse.labels, sparse.df) == (dense.names, dense.labels, dense.df)
    np.testing.assert_allclose(sparse.estimate, dense.estimate, rtol=0, atol=1e-8)
    np.testing.assert_allclose(sparse.log_worth, dense.log_worth, rtol=0, atol=1e-8)
    assert sparse.loglik == pytest.approx(dense.loglik, abs=1e-8)
    pairs = [*pairwise(board.systems[:9]), ("s0007", "s0059"), ("s0059", "s0007")]
    for one, two in zip(sparse.contrasts(pairs), dense.contrasts(pairs), strict=True):
        assert one.systems == two.systems
        assert one.estimate == pytest.approx(two.estimate, rel=0, abs=1e-8)
        assert one.stderr == pytest.approx(two.stderr, rel=0, abs=1e-8)


def test_what_needs_a_matrix_over_systems_says_so(board, sparse):
    fit = BradleyTerry().fit(board)
    for attempt in (lambda: fit.worth_vcov, fit.quasi_variances):
        with pytest.raises(
            NotIdentified, match="too many for a K × K covariance: ask for contrasts"
        ):
            attempt()
    with pytest.raises(NotIdentified, match="too many for a covariance"):
        _ = fit.raw_vcov
    assert {one.stderr for one in fit.coefficients} == {None}
    with pytest.raises(InvalidJudgments, match="cannot be contrasted with itself"):
        fit.contrasts([("s0001", "s0001")])


def test_priors_and_covariates_need_fewer_systems(board, sparse):
    with pytest.raises(UnknownOption, match="60 worths are too many for covariates or a prior"):
        BradleyTerry(prior=1).fit(board)
    features = {"x": {name: float(i) for i, name in enumerate(board.systems)}}
    with pytest.raises(UnknownOption, match="too many for covariates"):
        BradleyTerry(system_covariates=features).fit(board)


def test_four_thousand_systems_are_fitted_without_a_matrix():
    worths = np.random.Generator(np.random.PCG64(1)).normal(0, 0.7, 4000)
    fit = BradleyTerry().fit(simulate(worths, 200_000, seed=9))
    assert fit.vcov is None
    pairs = [(f"s{i:04d}", f"s{i + 1:04d}") for i in range(0, 160, 2)]
    found = fit.contrasts(pairs)
    truth = 2 * (worths[0:160:2] - worths[1:160:2])
    z = [(one.estimate - gap) / one.stderr for one, gap in zip(found, truth, strict=True)]
    low, high = chi2.ppf([0.0005, 0.9995], len(pairs))
    assert low <= np.square(z).sum() <= high


def test_a_long_chain_has_the_errors_of_its_closed_form(sparse):
    """Links of a wins and b losses: log(a / b) each, with variances 1/a + 1/b that add up."""
    links = 400
    names = [f"s{i:05d}" for i in range(links + 1)]
    wins = [30 if i % 2 else 20 for i in range(links)]
    rows = [(*pair, w, 0, 50 - w) for pair, w in zip(pairwise(names), wins, strict=True)]
    fit = BradleyTerry(ties="discard").fit(tally(*rows, systems=names))
    for last in (1, 7, links):
        (across,) = fit.contrasts([(names[0], names[last])])
        exact = sum(np.log(w / (50 - w)) for w in wins[:last])
        assert across.estimate == pytest.approx(exact, rel=0, abs=1e-6)
        assert across.stderr == pytest.approx(np.sqrt(last * (1 / 20 + 1 / 30)), rel=1e-6)


@pytest.mark.parametrize("systems", [200, 1_001])
def test_a_ladder_is_climbed_in_a_few_steps_whatever_its_height(systems):
    """Each version beats the one before it 3 to 2: worths end far apart, pairs do not."""
    names = [f"v{i:04d}" for i in range(systems)]
    fit = BradleyTerry(ties="discard").fit(tally(*((b, a, 3, 0, 2) for a, b in pairwise(names))))
    assert fit.steps < 10
    apart = fit.log_worth[-1] - fit.log_worth[0]
    assert apart == pytest.approx((systems - 1) * np.log(1.5), rel=1e-9)


@pytest.mark.parametrize("systems", [3, 201])
def test_a_link_that_weighs_little_beside_the_rest_is_found_as_well(systems):
    """One link of 10⁸ to 1 among many of 10⁸ to 10⁸: log(a / b) with √(1 / a + 1 / b)."""
    names = [f"v{i:04d}" for i in range(systems)]
    rows = [(a, b, 10**8, 0, 10**8) for a, b in pairwise(names)]
    rows[-1] = (*rows[-1][:2], 10**8, 0, 1)
    fit = BradleyTerry(ties="discard").fit(tally(*rows))
    assert fit.log_worth[-2] - fit.log_worth[-1] == pytest.approx(np.log(1e8), abs=1e-4)
    (link,) = fit.contrasts([(names[-2], names[-1])])
    assert link.stderr == pytest.approx(1.0, abs=1e-4)


def test_a_system_that_cannot_be_solved_is_said_to_be_one(board, monkeypatch):
    monkeypatch.setattr(bradley_terry, "DENSE", 1)
    monkeypatch.setattr(newton, "MAX_ITERATIONS", 3)
    with pytest.raises(NotConverged, match="conjugate gradients did not settle"):
        BradleyTerry().fit(board)
    monkeypatch.setattr(newton, "MAX_ITERATIONS", 20_000)
    monkeypatch.setattr(log_linear, "MAX_STEPS", 1)
    with pytest.raises(NotConverged, match="no clear maximum"):
        BradleyTerry().fit(board)


def test_a_prior_of_201_systems_is_not_lost():
    names = [f"v{i:04d}" for i in range(201)]
    rows = [(a, b, 3, 1, 2) for a, b in pairwise(names)]
    plain, weak = BradleyTerry().fit(tally(*rows)), BradleyTerry(prior=1).fit(tally(*rows))
    assert np.ptp(weak.log_worth) < 0.5 * np.ptp(plain.log_worth)


def tabled(monkeypatch):
    """Take the way of hundreds of systems for every number of them."""
    for module in (bradley_terry, likelihood):
        monkeypatch.setattr(module, "MANY", 1)


@pytest.mark.parametrize(("ties", "order"), EVERY)
def test_all_that_a_fit_says_is_said_of_many_systems(ties, order, board, monkeypatch):
    model = BradleyTerry(ties=ties, order_effect=order, reference="s0007")
    few = model.fit(board)
    tabled(monkeypatch)
    many = model.fit(board)
    assert (many.names, many.labels, many.df) == (few.names, few.labels, few.df)
    np.testing.assert_allclose(many.estimate, few.estimate, rtol=0, atol=1e-8)
    np.testing.assert_allclose(many.vcov, few.vcov, rtol=0, atol=1e-9)
    np.testing.assert_allclose(many.raw_vcov, few.raw_vcov, rtol=0, atol=1e-9)
    np.testing.assert_allclose(many.worth_vcov, few.worth_vcov, rtol=0, atol=1e-9)
    assert many.loglik == pytest.approx(few.loglik, abs=1e-8)
    assert many.deviance == pytest.approx(few.deviance, abs=1e-8)


WORTHS = np.random.Generator(np.random.PCG64(7)).normal(0, 1.2, 25)
MONDAY = simulate(WORTHS, 30_000, seed=1, order=0.2)
TUESDAY = simulate(WORTHS, 300, seed=2, order=0.2)
BOTH = add_tallies([MONDAY, TUESDAY])


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize(
    "model",
    [
        BradleyTerry(),
        BradleyTerry(ties="rao-kupper", order_effect=True, reference="s0003"),
        BradleyTerry(ties="discard"),
    ],
)
def test_a_day_more_takes_fewer_steps_to_the_same_estimates(model, dense, monkeypatch):
    if not dense:
        monkeypatch.setattr(bradley_terry, "DENSE", 1)
    cold = model.fit(BOTH)
    warm = model.fit(BOTH, start=model.fit(MONDAY))
    assert warm.steps < cold.steps
    np.testing.assert_allclose(warm.estimate, cold.estimate, rtol=0, atol=1e-9)
    assert warm.loglik == pytest.approx(cold.loglik, rel=1e-12)


def test_what_is_no_fit_is_refused():
    with pytest.raises(UnknownOption, match="start cannot be of type list"):
        BradleyTerry().fit(MONDAY, start=[0.0])
    with pytest.raises(UnknownOption, match="leave out start"):
        BradleyTerry(controls=("length",)).fit(MONDAY, start=BradleyTerry().fit(MONDAY))
