"""Direct votes: against quadrature, exact enumeration and an exact count of crossings."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta

from evenhand.ranking.sides import log_direct


def one(wins, losses):
    return float(log_direct(np.array([float(wins)]), np.array([float(losses)]))[0])


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (7, 3), (40, 12), (3, 3)])
def test_it_is_the_mixture_that_its_docstring_says(wins, losses):
    def integrand(p):
        return p ** (wins + 4) * (1 - p) ** (losses + 4) * 2.0 ** (wins + losses)

    mixed = quad(integrand, 0.5, 1, epsabs=0, epsrel=1e-12)[0] / (beta(5, 5) / 2)
    assert one(wins, losses) == pytest.approx(np.log(mixed), rel=1e-9, abs=1e-9)


def test_five_wins_and_no_loss_by_hand():
    """2^6 B(10, 5) / B(5, 5) · P(Beta(10, 5) > ½), the last P(Bin(14) < 10) = 1 − 1471/2^14."""
    above = 1 - 1471 / 2**14
    by_hand = 64 * (1 / 10010) / (1 / 630) * above
    assert np.exp(one(5, 0)) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("chance", [0.5, 0.4])
def test_its_mean_never_exceeds_one_where_the_other_system_is_at_least_as_good(chance):
    for n in range(1, 9):
        mean = 0.0
        for said in product([0, 1], repeat=n):
            wins = sum(said)
            mean += chance**wins * (1 - chance) ** (n - wins) * np.exp(one(wins, n - wins))
        assert mean <= 1 + 1e-12
        if chance == 0.5:
            assert mean == pytest.approx(1, rel=1e-12)


def crossing(threshold, votes):
    """The chance that either of two equal systems is ever decided to be better, by recursion."""
    alive, crossed = np.zeros(votes + 1), 0.0
    alive[0] = 1.0
    for n in range(1, votes + 1):
        alive[1 : n + 1] = (alive[1 : n + 1] + alive[:n]) / 2
        alive[0] /= 2
        wins = np.arange(n + 1.0)
        most, least = np.maximum(wins, n - wins), np.minimum(wins, n - wins)
        over = log_direct(most, least) >= np.log(threshold)
        crossed += alive[: n + 1][over].sum()
        alive[: n + 1][over] = 0.0
    return crossed


def test_both_directions_of_a_pair_must_share_the_level():
    """At 1/α for each direction two equal systems are separated too often, at 2/α not."""
    assert crossing(50, 3000) == pytest.approx(0.0315, abs=5e-4)
    assert crossing(100, 1500) <= 0.02
