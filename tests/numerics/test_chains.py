"""Chains: R̂ and effective numbers of draws against closed forms and sums written out."""

from itertools import combinations
from statistics import NormalDist, mean, variance

import numpy as np
import pytest

from evenhand.errors import NotConverged
from evenhand.numerics.sampling import bulk_size, split_r_hat, sum_subsets


def _score(rank, total):
    return NormalDist().inv_cdf((rank - 0.375) / (total + 0.25))


def _autoregressive(phi, chains, length, seed):
    """x_t = φ x_(t−1) + ε: autocorrelation φ^t, so that n draws are worth n (1 − φ)/(1 + φ)."""
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(chains, length))
    draws = np.empty((chains, length))
    draws[:, 0] = noise[:, 0] / np.sqrt(1 - phi**2)
    for t in range(1, length):
        draws[:, t] = phi * draws[:, t - 1] + noise[:, t]
    return draws[:, :, None]


def _size_by_sums(chains):
    """Vehtari et al. (2021), equations 10 to 14, in loops over chains that are split already."""
    m, n = len(chains), len(chains[0])
    within = mean(variance(chain) for chain in chains)
    whole = within * (n - 1) / n + variance([mean(chain) for chain in chains])

    def rho(lag):
        if lag == 0:
            return 1.0
        covered = [
            sum((chain[i] - mean(chain)) * (chain[i + lag] - mean(chain)) for i in range(n - lag))
            for chain in chains
        ]
        return 1 - (within - mean(covered) / n) / whole

    total, last = 0.0, float("inf")
    for k in range(n // 2):
        pair = rho(2 * k) + rho(2 * k + 1)
        if pair <= 0:
            break
        last = min(last, pair)
        total += last
    return m * n / (2 * total - 1)


def test_r_hat_of_four_draws_is_what_comes_out_by_hand():
    a, b, c, d = (_score(rank, 4) for rank in (1, 2, 3, 4))
    within = ((b - a) ** 2 / 2 + (d - c) ** 2 / 2) / 2
    between = variance([(a + b) / 2, (c + d) / 2])
    expected = ((within / 2 + between) / within) ** 0.5
    draws = np.array([[10.0, 20.0, 30.0, 1000.0]])[:, :, None]
    assert split_r_hat(draws)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("phi", [0.0, 0.3, 0.6, 0.9])
def test_autoregressive_draws_are_worth_what_the_closed_form_says(phi):
    draws = _autoregressive(phi, 4, 20_000, seed=11)
    expected = 80_000 * (1 - phi) / (1 + phi)
    assert bulk_size(draws)[0] == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("seed", range(5))
def test_size_equals_the_sums_of_the_paper_written_out(seed):
    draws = _autoregressive(0.5, 2, 20, seed)
    halves = [half.tolist() for chain in draws[:, :, 0] for half in np.split(chain, 2)]
    every = sorted(x for half in halves for x in half)
    scores = [[_score(every.index(x) + 1, len(every)) for x in half] for half in halves]
    assert bulk_size(draws)[0] == pytest.approx(_size_by_sums(scores), rel=1e-10)


def test_chains_that_stand_at_one_value_agree_and_have_all_their_draws():
    draws = np.full((4, 100, 1), 0.1)
    assert split_r_hat(draws).tolist() == [1.0]
    assert bulk_size(draws).tolist() == [400.0]


def test_chains_that_stand_at_different_values_never_met():
    draws = np.broadcast_to(np.array([0.1, 0.7])[:, None, None], (2, 100, 1))
    assert split_r_hat(draws).tolist() == [np.inf]
    assert bulk_size(draws)[0] < 5


def test_three_draws_of_a_chain_are_refused():
    for measure in (split_r_hat, bulk_size):
        with pytest.raises(NotConverged, match=r"3 draws of a chain .*; take more sweeps"):
            measure(np.zeros((4, 3, 1)))


@pytest.mark.parametrize("m", [1, 2, 3, 6, 9])
def test_sums_are_those_over_all_subsets(m):
    v = np.random.default_rng(m).gamma(1.0, size=(4, m))
    for size in range(1, m + 1):
        found = sum_subsets(v, size)
        every, one, two = np.zeros(4), np.zeros((4, m)), np.zeros((4, m, m))
        for subset in map(list, combinations(range(m), size)):
            product = v[:, subset].prod(axis=1)
            every += product
            one[:, subset] += product[:, None]
            two[np.ix_(range(4), subset, subset)] += product[:, None, None]
        for sums, expected in zip(
            (found.every, found.one, found.two), (every, one, two), strict=True
        ):
            np.testing.assert_allclose(sums, expected, rtol=1e-12)
