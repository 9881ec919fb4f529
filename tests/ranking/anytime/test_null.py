"""The constrained supremum: against scipy's optimiser, and in the limit."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from scipy.optimize import minimize

from evenhand.ranking.sequential.likelihood import PairCounts, bound_nulls, find_supremum


def board(systems, seed, *, tie=True, most=9):
    rng = np.random.default_rng(seed)
    low, high = np.triu_indices(systems, 1)
    counts = rng.integers(1, most, size=(len(low), 3)).astype(float)
    counts[:, 1] *= tie
    return PairCounts(systems, low, high, counts)


def loss(at, pairs, equal=None):
    """Minus the log-likelihood; the last worth is 0, γ stands in its place."""
    worth = np.append(at[:-1], 0.0)
    if equal is not None:
        worth[equal[1]] = worth[equal[0]]
    eta = worth[pairs.low] - worth[pairs.high]
    won, tied, lost = pairs.counts.T
    nu = np.exp(at[-1]) if tied.any() else 0.0
    total = np.log(np.exp(eta / 2) + np.exp(-eta / 2) + nu)
    return -float(((won - lost) * eta / 2 + tied * at[-1] - (won + tied + lost) * total).sum())


def by_scipy(pairs, equal):
    """The largest log-likelihood with two systems equal."""
    start = np.zeros(pairs.systems)
    return -minimize(loss, start, (pairs, equal), method="BFGS", options={"gtol": 1e-7}).fun


def by_scipy_below(pairs, one, other):
    """The largest log-likelihood with one system at most as good as another."""

    def room(at):
        worth = np.append(at[:-1], 0.0)
        return worth[other] - worth[one]

    rule = {"type": "ineq", "fun": room}
    start, options = np.zeros(pairs.systems), {"ftol": 1e-12, "maxiter": 500}
    found = minimize(loss, start, (pairs,), method="SLSQP", constraints=[rule], options=options)
    return -found.fun


@pytest.mark.parametrize("tie", [True, False])
@pytest.mark.parametrize("equal", [(0, 1), (1, 2), (0, 2)])
def test_two_equal_systems_are_one_player_whose_own_votes_tell_of_ties(equal, tie):
    pairs = board(4, 3, tie=tie)
    found = find_supremum(pairs, equal, np.zeros(5))
    assert found.value == pytest.approx(by_scipy(pairs, equal), abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_supremum_of_all_worths_with_the_better_one_not_above(seed):
    pairs = board(4, seed)
    for one, other in ((0, 1), (2, 1)):
        found = find_supremum(pairs, (one, other), np.zeros(5))
        below = (one, other) if found.lead > 0 else (other, one)
        assert found.value == pytest.approx(by_scipy_below(pairs, *below), abs=1e-5)


def test_systems_that_no_vote_contradicts_are_infinitely_far_apart():
    """a beat both others always; b and c have ties and votes both ways: only these count."""
    counts = np.array([[5.0, 0, 0], [7.0, 0, 0], [3.0, 2.0, 4.0]])
    pairs = PairCounts(3, np.array([0, 0, 1]), np.array([1, 2, 2]), counts)
    between = 7 * np.log(7 / 18) + 2 * np.log(2 / 9)  # b and c equal: ν/(2 + ν) = 2/9
    assert find_supremum(pairs, (1, 2), np.zeros(4)).value == pytest.approx(between, abs=1e-8)
    one_player = find_supremum(pairs, (0, 1), np.zeros(4))
    assert one_player.lead > 0
    assert one_player.value == pytest.approx(by_scipy(pairs, (0, 1)), abs=1e-6)


@pytest.mark.parametrize("off", [0.0, 1e-7, 1e-6, 2e-6, 3e-6])
def test_the_supremum_is_never_computed_too_small(off):
    """Two equal systems against a third: W log(W/n) + L log(L/n) + m log ½, to 40 digits.

    Begun so near the maximum that Newton's method stops at once, below it by up to 5e-11.
    """
    counts = np.array([[4.0, 0, 3.0], [20.0, 0, 9.0], [11.0, 0, 7.0]])
    pairs = PairCounts(3, np.array([0, 0, 1]), np.array([1, 2, 2]), counts)
    with localcontext(prec=40):
        won, lost, own = Decimal(31), Decimal(16), Decimal(7)
        n = won + lost
        exact = won * (won / n).ln() + lost * (lost / n).ln() - own * Decimal(2).ln()
    found = find_supremum(pairs, (0, 1), np.array([0, 0, -np.log(31 / 16) + off]))
    slack = Decimal(found.value) - exact
    assert Decimal("-1e-13") <= slack <= Decimal("3e-10")
    if off:
        assert slack > Decimal(off**2)


@pytest.mark.parametrize("tie", [True, False])
def test_the_screen_is_never_above_the_supremum(tie):
    pairs = board(6, 5, tie=tie, most=30)
    low, high = np.triu_indices(6, 1)
    at = np.linspace(0.3, -0.3, 6)
    _, bound, meet = bound_nulls(pairs, np.append(at, 0.1) if tie else at, low, high)
    for i, pair in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        assert bound[i] <= find_supremum(pairs, pair, np.zeros(7)).value
        assert min(at[list(pair)]) <= meet[i] <= max(at[list(pair)])
