"""Tests of one pair of systems: printed examples, scipy, and all flips and divisions by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from evenhand.numerics.pair_tests import (
    flip_tests,
    rank_sum_tests,
    signed_rank_tests,
    t_tests,
)
from golden_numbers import golden

SIDES = [(False, "two-sided"), (True, "greater")]
FEW = arrays(float, st.integers(2, 9), elements=st.integers(-3, 3).map(float))
PAIR = st.tuples(FEW, FEW)


def flip(d, draws=9, *, one_sided=False, seed=1):
    return float(flip_tests(np.array([d], float), draws=draws, seed=seed, one_sided=one_sided)[0])


def sum_ranks(x, y, *, one_sided=False):
    system = np.repeat([0, 1], [len(x), len(y)])
    found = rank_sum_tests(system, np.concatenate([x, y]), 2, one_sided=one_sided)
    return float(found[0, 1])


def test_flips_of_darwins_maize_are_those_that_fisher_counted():
    one = golden("rating_tests", "darwin_maize")
    d, expected = one.input["d"], one.expected
    for one_sided, key in ((True, "flips_greater"), (False, "flips_two_sided")):
        assert flip(d, one_sided=one_sided) * expected["flips"] == expected[key]
    t = t_tests(np.array([d], float), np.array([15.0]), one_sided=False)[0]
    assert t == pytest.approx(expected["t_p"], abs=one.tolerance["t_p"])


def test_t_of_students_sleep_and_ranks_of_hollander_and_wolfe_are_those_of_r():
    one = golden("rating_tests", "sleep")
    d = np.subtract(one.input["x"], one.input["y"])[None]
    p = t_tests(d, np.array([10.0]), one_sided=False)[0]
    assert p == pytest.approx(one.expected["p"], abs=one.tolerance["p"])
    one = golden("rating_tests", "depression")
    d = np.subtract(one.input["x"], one.input["y"])[None]
    p = signed_rank_tests(d, one_sided=True)[0]
    assert p == pytest.approx(one.expected["p_greater"], abs=one.tolerance["p"])
    one = golden("rating_tests", "permeability")
    p = sum_ranks(one.input["x"], one.input["y"], one_sided=True)
    assert p == pytest.approx(one.expected["p_greater"], abs=one.tolerance["p"])


@pytest.mark.parametrize(("one_sided", "alternative"), SIDES)
@pytest.mark.parametrize("n", [20, 50, 70, 300])
def test_large_samples_are_as_in_scipy(n, one_sided, alternative):
    rng = np.random.default_rng(n)
    d = np.round(rng.normal(0.2, 1, (5, n)), 1 if n > 50 else 6)  # ties and zeros beyond 50
    found = t_tests(d, np.full(5, float(n)), one_sided=one_sided)
    expected = stats.ttest_1samp(d, 0, axis=1, alternative=alternative).pvalue
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    found = signed_rank_tests(d, one_sided=one_sided)
    method = "exact" if n <= 50 else "asymptotic"
    expected = [stats.wilcoxon(row, alternative=alternative, method=method).pvalue for row in d]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize(("one_sided", "alternative"), SIDES)
def test_rank_sums_of_many_systems_are_as_in_scipy(one_sided, alternative):
    rng = np.random.default_rng(3)
    groups = [np.round(rng.normal(at / 4, 1, 20 + 9 * at), 1) for at in range(5)]
    system, value = np.repeat(range(5), [len(one) for one in groups]), np.concatenate(groups)
    mixed = rng.permutation(len(value))
    found = rank_sum_tests(system[mixed], value[mixed], 5, one_sided=one_sided)
    for one, other in combinations(range(5), 2):
        expected = stats.mannwhitneyu(
            groups[one], groups[other], alternative=alternative, method="asymptotic"
        )
        assert found[one, other] == pytest.approx(expected.pvalue, rel=1e-10)


@given(FEW)
@pytest.mark.parametrize(("one_sided", "alternative"), SIDES)
def test_signed_ranks_and_flips_with_ties_are_counted_over_all_signs(one_sided, alternative, d):
    own = d[d != 0]
    assume(len(own))
    every = np.array(np.meshgrid(*[[-1, 1]] * len(own))).reshape(len(own), -1).T
    ranks = stats.rankdata(np.abs(own))
    found = signed_rank_tests(d[None], one_sided=one_sided)[0]
    for size, p in ((ranks, found), (np.abs(own), flip(d, one_sided=one_sided))):
        sums, total = every @ size, np.sign(own) @ size
        upper, lower = (sums >= total - 1e-9).mean(), (sums <= total + 1e-9).mean()
        expected = upper if alternative == "greater" else min(1, 2 * min(upper, lower))
        assert p == pytest.approx(expected, rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(PAIR)
def test_small_rank_sums_with_ties_are_counted_over_all_divisions(pair):
    x, y = pair
    ranks = stats.rankdata(np.concatenate([x, y]))
    assume(len(ranks) <= 12)
    sums = [ranks[list(some)].sum() for some in combinations(range(len(ranks)), len(x))]
    own = ranks[: len(x)].sum()
    upper, lower = (np.mean([sign * (one - own) >= 0 for one in sums]) for sign in (1, -1))
    assert sum_ranks(x, y, one_sided=True) == pytest.approx(upper, rel=1e-12)
    assert sum_ranks(x, y) == pytest.approx(min(1, 2 * min(upper, lower)), rel=1e-12)


@pytest.mark.parametrize("one_sided", [False, True])
def test_drawn_flips_are_near_all_flips_and_the_same_for_every_pair(one_sided):
    d = np.round(np.random.default_rng(2).normal(0.4, 1, (4, 17)), 1)
    d[0, 3:] = 0  # this one is counted in full
    draws = 40_000
    found = flip_tests(d, draws=draws, seed=3, one_sided=one_sided)
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 17)).reshape(17, -1)
    sums, total = d @ signs, d.sum(axis=1)[:, None]
    far = sums >= total - 1e-9 if one_sided else np.abs(sums) >= np.abs(total) - 1e-9
    expected = far.mean(axis=1)
    error = np.sqrt(expected * (1 - expected) / draws)
    assert (np.abs(found - expected) <= 4 * error + 1 / draws).all()
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    alone = flip_tests(d[1:2], draws=draws, seed=3, one_sided=one_sided)
    assert alone[0] == found[1]


def test_a_saddlepoint_is_within_two_per_cent_of_all_flips():
    # the distribution of whole numbers with signs, by convolution
    rng = np.random.default_rng(4)
    for shift in (0, 6, 12, 20, 40):
        d = np.rint(rng.gamma(2, 10, 200) + 1) * np.where(
            rng.random(200) < 0.5 + shift / 200, 1, -1
        )
        size = np.abs(d).astype(int)
        chance = np.ones(1)
        for one in size.tolist():
            wider = np.zeros(len(chance) + 2 * one)
            wider[: len(chance)] += chance / 2
            wider[2 * one :] += chance / 2
            chance = wider
        sums = np.arange(len(chance)) - size.sum()
        far = np.abs(sums) >= abs(d.sum())
        # half of the chance of the sum itself: the approximation is of continuous numbers
        expected = chance[far].sum() - chance[np.abs(sums) == abs(d.sum())].sum() / 2
        assert flip(d, None) == pytest.approx(expected, rel=0.02)
        upper = chance[sums >= d.sum()].sum() - chance[sums == d.sum()].sum() / 2
        assert flip(d, None, one_sided=True) == pytest.approx(upper, rel=0.02)


def test_what_cannot_be_tested_has_no_p_value_and_level_systems_have_one():
    zeros = np.zeros((1, 5))
    assert np.isnan(t_tests(zeros, np.array([5.0]), one_sided=False)[0])
    assert np.isnan(t_tests(zeros + 0.1, np.array([5.0]), one_sided=False)[0])
    assert np.isnan(t_tests(np.ones((1, 1)), np.array([1.0]), one_sided=False)[0])
    assert signed_rank_tests(zeros, one_sided=False)[0] == flip(zeros[0]) == 1
    assert sum_ranks(np.zeros(30), np.zeros(30)) == sum_ranks(np.zeros(3), np.zeros(3)) == 1
    found = rank_sum_tests(np.array([0, 2]), np.array([1.0, 2.0]), 3, one_sided=False)
    assert np.isnan(found[1]).all()
    assert found[0, 2] == 1
