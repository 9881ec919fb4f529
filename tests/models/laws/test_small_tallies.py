"""The same laws on small random tallies of which an estimate exists, and on all others."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from statsmodels.api import GLM, families
from statsmodels.tools.sm_exceptions import PerfectSeparationWarning

from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import TIES
from tallies import connected_tallies, doubled, mirrored, renamed, shuffled

HARD = settings(
    max_examples=12, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
EVERY = [(ties, order) for ties in TIES for order in (False, True)]
MODELS = pytest.mark.parametrize(("ties", "order"), EVERY)


def close(found, expected, tolerance=1e-6):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def drawn(data, ties, order):
    return data.draw(connected_tallies(ties=ties, order=order))


@MODELS
@HARD
@given(data=st.data())
def test_at_the_maximum_the_model_expects_what_was_seen(ties, order, data):
    """Log-linear: expected wins (and ties) are those observed; all: the gradient is zero."""
    counted = drawn(data, ties, order)
    fit = BradleyTerry(ties=ties, order_effect=order).fit(counted)
    here = fit.likelihood.expand(fit.beta)
    assert np.abs(here.gradient).max() <= 1e-5 * max(1.0, fit.n_comparisons)
    assert (np.linalg.eigvalsh(here.information) > 0).all()
    if ties in {"rao-kupper", "glenn-david"} and fit.likelihood.law.free:
        return
    net = fit.observed[:, 0] - fit.observed[:, -1] - fit.expected[:, 0] + fit.expected[:, -1]
    k = len(fit.systems)
    left, right = fit.design.left, fit.design.right
    if ties != "glenn-david":
        by_system = np.bincount(left, net, minlength=k) - np.bincount(right, net, minlength=k)
        close(by_system, 0, 1e-4)
    if fit.likelihood.law.free:
        assert fit.observed[:, 1].sum() == pytest.approx(fit.expected[:, 1].sum(), abs=1e-4)


@MODELS
@HARD
@given(data=st.data(), seed=st.integers(0, 99))
def test_order_sides_and_names_do_not_matter(ties, order, data, seed):
    counted = drawn(data, ties, order)
    model = BradleyTerry(ties=ties, order_effect=order, reference="A")
    one = model.fit(counted)
    np.testing.assert_array_equal(model.fit(shuffled(counted, seed)).estimate, one.estimate)
    sign = np.where(np.array(one.names) == "order", -1.0, 1.0)
    close(model.fit(mirrored(counted)).estimate, sign * one.estimate)
    place = np.random.Generator(np.random.PCG64(seed)).permutation(len(one.systems))
    other = BradleyTerry(ties=ties, order_effect=order, reference=one.systems[place[0]])
    two = other.fit(renamed(counted, place))
    close(two.log_worth[place], one.log_worth)
    close(two.worth_vcov[np.ix_(place, place)], one.worth_vcov, 1e-4)


@MODELS
@HARD
@given(data=st.data())
def test_counting_twice_halves_variances(ties, order, data):
    counted = drawn(data, ties, order)
    model = BradleyTerry(ties=ties, order_effect=order)
    one, two = model.fit(counted), model.fit(doubled(counted))
    close(two.estimate, one.estimate)
    close(2 * two.vcov, one.vcov, 1e-4)


@HARD
@given(data=st.data(), order=st.booleans(), ties=st.sampled_from(["davidson", "none", "discard"]))
def test_estimates_and_errors_are_those_of_a_poisson_regression(data, order, ties):
    """statsmodels 0.15, GLM(Poisson) with one nuisance parameter for each entry of the tally."""
    fit = BradleyTerry(ties=ties, order_effect=order).fit(drawn(data, ties, order))
    y, x = written_out(fit)
    with np.errstate(divide="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", PerfectSeparationWarning)  # a table without residual df
        oracle = GLM(y, x, family=families.Poisson()).fit(tol=1e-12, maxiter=200)
    own = slice(len(fit.observed), None)
    close(oracle.params[own], fit.estimate, 1e-5)
    close(oracle.cov_params()[own, own], fit.vcov, 1e-3)


def written_out(fit):
    """Counts and design of the log-linear model, cell by cell, from the definition."""
    rows, counts, k = [], [], len(fit.systems)
    signs = (1, 0, -1) if fit.observed.shape[1] == 3 else (1, -1)
    for at, row in enumerate(fit.observed):
        worths = np.eye(k)[fit.design.left[at]] - np.eye(k)[fit.design.right[at]]
        for sign, count in zip(signs, row, strict=True):
            extra = [float(sign == 0)] * ("g1" in fit.names) + [sign] * ("order" in fit.names)
            rows.append([*np.eye(len(fit.observed))[at], *(sign * worths)[:-1], *extra])
            counts.append(count)
    return np.array(counts), np.array(rows, dtype=float)


@MODELS
@HARD
@given(data=st.data())
def test_a_fit_is_finite_or_refused_in_words(ties, order, data):
    """Whatever the counts, lopsided ones too: no warning, no infinity, no giving up."""
    k = data.draw(st.integers(2, 4))
    cell = st.tuples(*[st.sampled_from([0, 0, 1, 2, 40, 100_000])] * 3)
    rows = data.draw(st.lists(cell, min_size=k * (k - 1), max_size=k * (k - 1)))
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
    sides = np.array(pairs, dtype=np.int32).T
    counted = Tally(tuple("ABCD"[:k]), *sides, *np.array(rows, dtype=float).T.copy())
    try:
        fit = BradleyTerry(ties=ties, order_effect=order).fit(counted)
    except NotIdentified as refusal:
        words = str(refusal)
    else:
        assert np.isfinite(fit.estimate).all()
        assert (np.diag(fit.vcov) > 0).all()
        assert np.abs(fit.log_worth).max() < 200
        return
    assert "\n" not in words
    assert ";" in words or "there is no comparison" in words  # what is wrong; what to do
