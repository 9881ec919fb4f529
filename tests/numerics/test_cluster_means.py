"""Cluster variances against refits that leave clusters out, and against statsmodels."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.numerics.cluster_means import (
    Changes,
    Strata,
    cell_variance,
    leave_clusters_out,
    number_groups,
    pairs_within,
    pearson,
    rank_within,
    see_others,
    spearman,
    sum_above,
)
from evenhand.numerics.sampling import RunningSum

RNG = np.random.default_rng(4)
N = 300
VALUES = RNG.normal(size=(3, N)) + RNG.normal(size=12)[RNG.integers(12, size=N)]
CLUSTERS = RNG.choice(12, N, p=np.arange(1, 13) / 78)
STRATA = Strata(RNG.integers(3, size=N), np.full(3, 1 / 3))


def changes(strata: Strata) -> Changes:
    return leave_clusters_out(strata.deviations(VALUES), CLUSTERS, strata)


def mean_without(values: np.ndarray, strata: Strata, cluster: int) -> float:
    kept = cluster != CLUSTERS
    own = [values[kept & (strata.code == t)].mean() for t in range(len(strata.share))]
    return float(np.dot(own, strata.share))


@pytest.mark.parametrize("strata", [Strata.one(N), STRATA])
def test_changes_are_those_of_leaving_clusters_out(strata: Strata) -> None:
    found, whole = changes(strata), strata.means(VALUES)
    expected = [
        [mean_without(row, strata, g) - mean for g in range(12)]
        for row, mean in zip(VALUES, whole, strict=True)
    ]
    assert found.change == pytest.approx(np.array(expected), abs=1e-12)


def test_the_variance_is_the_jackknife() -> None:
    found = changes(Strata.one(N))
    left_out = np.array([mean_without(VALUES[0], Strata.one(N), g) for g in range(12)])
    assert found.variance[0] == pytest.approx(11 / 12 * ((left_out - left_out.mean()) ** 2).sum())


def test_cells_are_the_clusters_of_statsmodels() -> None:
    regression = pytest.importorskip("statsmodels.regression.linear_model")
    fit = regression.OLS(VALUES[0], np.ones(N)).fit(
        cov_type="cluster", cov_kwds={"groups": CLUSTERS, "use_correction": False}
    )
    strata = Strata.one(N)
    found = cell_variance(strata.deviations(VALUES), CLUSTERS, strata)
    assert found[0] == pytest.approx(float(fit.cov_params()[0, 0]), rel=1e-10)


def test_clusters_turned_round_are_a_fit_to_turned_scores() -> None:
    strata = Strata.one(N)
    found = changes(strata)
    signs = RNG.choice([-1.0, 1.0], size=(5, 12))
    moved, variance = found.redraw(signs)
    loads = np.bincount(CLUSTERS).astype(float)
    sums = np.bincount(CLUSTERS, strata.deviations(VALUES)[0])
    for b in range(5):
        # scores s n / (n − n_g), turned round, are those of a sample whose mean is fitted anew
        own = signs[b] * sums * N / (N - loads)
        mean = own.sum() / N
        left_out = -(own - loads * mean) / (N - loads)
        spread = 11 / 12 * ((left_out - left_out.mean()) ** 2).sum()
        assert moved[b, 0] == pytest.approx(mean)
        assert variance[b, 0] == pytest.approx(spread)


def test_differences_of_means_are_means_of_differences() -> None:
    strata, one, other = STRATA, np.array([0, 0]), np.array([1, 2])
    direct = leave_clusters_out(
        strata.deviations(VALUES[one] - VALUES[other]), CLUSTERS, strata
    ).variance
    assert changes(strata).between(one, other).variance == pytest.approx(direct)


CODES = st.lists(st.integers(0, 5), min_size=1, max_size=12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 10**12)), min_size=1, max_size=12))
def test_combinations_are_numbered_in_ascending_order(rows):
    first, second = np.array(rows, dtype=np.int64).T
    expected = np.unique(np.array(rows), axis=0, return_inverse=True)[1].reshape(-1)
    assert number_groups(first, second).tolist() == expected.tolist()


@given(CODES)
def test_pairs_are_all_pairs_of_rows_of_one_group(codes):
    groups = np.array(codes)
    expected = [(i, j) for i, j in combinations(range(len(codes)), 2) if codes[i] == codes[j]]
    first, second = pairs_within(groups)
    assert sorted(zip(first.tolist(), second.tolist(), strict=True)) == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=15))
def test_ranks_within_groups_are_those_of_scipy(rows):
    groups, values = np.array(rows).T
    found = rank_within(groups, values.astype(float))
    for group in np.unique(groups):
        own = groups == group
        assert found[own].tolist() == pytest.approx(stats.rankdata(values[own]).tolist())


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(-3, 3)), min_size=1, max_size=15
    )
)
def test_sums_above_are_those_of_going_through_all_pairs(rows):
    groups, values, weights = np.array(rows).T
    found = sum_above(groups, values.astype(float), weights.astype(float))
    for i, (group, value, _) in enumerate(rows):
        higher = sum(w for g, v, w in rows if g == group and v > value)
        equal = sum(w for g, v, w in rows if g == group and v == value)
        assert found[i] == pytest.approx(higher + equal / 2)


def by_hand(unit, judge, score):
    rows = []
    for u, j, s in zip(unit, judge, score, strict=True):
        theirs = score[(unit == u) & (judge != j)]
        far = np.abs(theirs - s).mean() if len(theirs) else np.nan
        rows.append((len(theirs), theirs.mean() if len(theirs) else np.nan, far))
    return np.array(rows).T


@pytest.mark.parametrize("seed", range(5))
def test_others_are_what_counting_every_pair_gives(seed):
    rng = np.random.default_rng(seed)
    unit, judge = rng.integers(0, 40, 200) * 1000, rng.integers(0, 6, 200)
    score = rng.normal(50, 20, 200)
    count, mean, distance = by_hand(unit, judge, score)
    found = see_others(unit, judge, score)
    np.testing.assert_array_equal(found.count, count)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.distance, distance, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_both_are_scipys_with_ties_too(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 6, 30).astype(float), rng.normal(size=30)
    assert pearson(one, other) == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-12)
    assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-12)


def test_a_column_that_does_not_vary_has_none():
    flat = np.full(5, 0.1) * 3
    assert pearson(flat, np.arange(5.0)) is None
    assert spearman(np.arange(5.0), flat) is None


def test_many_small_terms_beside_a_large_one_are_not_lost():
    terms = np.random.Generator(np.random.PCG64(1)).random(20_000) * 1e-9
    total = RunningSum.of_shape((2,))
    total = total.plus(np.array([1e9, 0.0]))
    for term in terms:
        total = total.plus(np.array([term, -term]))
    exact = sum(map(Fraction, terms.tolist()))
    assert Fraction(float(total.total[0])) - 10**9 == pytest.approx(exact, abs=1e-7)
    assert total.total[1] == -float(exact)


def test_a_term_larger_than_the_sum_keeps_the_sum():
    total = RunningSum.of_shape(())
    for term in (1.0, 1e100, 1.0, -1e100):
        total = total.plus(term)
    assert total.total == 2.0
