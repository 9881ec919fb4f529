"""What votes decide: numerator, supremum, direct votes, against scipy and exact enumeration."""

import json
from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import beta

from evenhand.data.votes import LEFT, RIGHT
from evenhand.ranking.sequential.likelihood import (
    DIRECT,
    MODEL,
    Budget,
    Numerator,
    OpenPairScreen,
    PairCounts,
    bound_nulls,
    find_supremum,
)
from evenhand.ranking.sides import log_direct


def draw(systems, n, seed, tie=0.7):
    """Votes as codes; worths fall by .5."""
    rng = np.random.default_rng(seed)
    votes = []
    for _ in range(n):
        left, right = rng.choice(systems, 2, replace=False).tolist()
        chances = density(-0.5 * (left - right), np.log(tie) if tie else None)
        votes.append((left, right, int(rng.choice(3, p=chances))))
    return votes


def density(eta, gamma):
    """Chances of a win, a tie and a loss (Davidson 1970, equation 2.2)."""
    parts = np.array([np.exp(eta / 2), 0.0 if gamma is None else np.exp(gamma), np.exp(-eta / 2)])
    return parts / parts.sum()


def predict(votes, systems, *, ties):
    """Worths, and γ, that maximise likelihood and prior."""

    def loss(at):
        worth, gamma = at[:systems], at[systems] if ties else None
        value = np.sum(np.log(2 * np.cosh(worth / 2)))
        if ties:  # one tie, and one preference each way, between equals
            value -= np.log(density(0.0, gamma)).sum()
        return value - sum(np.log(density(worth[s] - worth[t], gamma)[y]) for s, t, y in votes)

    found = minimize(loss, np.zeros(systems + ties), method="BFGS", options={"gtol": 1e-8})
    return found.x


@pytest.mark.parametrize("ties", [True, False])
def test_it_is_the_product_of_what_each_vote_was_predicted_from_the_batches_before(ties):
    systems = 3
    votes = draw(systems, 45, seed=2, tie=0.7 if ties else 0.0)
    running, expected = Numerator(systems, ties=ties), 0.0
    for start in range(0, 45, 9):  # nine votes on three systems: all worths are fitted each time
        at = predict(votes[:start], systems, ties=ties)
        gamma = at[systems] if ties else None
        batch = votes[start : start + 9]
        expected += sum(np.log(density(at[s] - at[t], gamma)[y]) for s, t, y in batch)
        running.observe(batch)
        assert running.log_value == pytest.approx(expected, abs=1e-5)


def test_votes_one_by_one_keep_predictions_near_the_fit():
    votes = draw(6, 220, seed=4)
    running = Numerator(6, ties=True)
    for vote in votes:
        running.observe([vote])
    at = predict(votes, 6, ties=True)
    assert running.since_fit > 0
    assert np.abs(np.array([*running.worth, running.gamma]) - at).max() < 0.1
    assert running.settle() == pytest.approx(at, abs=1e-4)


# The constrained supremum: against scipy's optimiser, and in the limit.


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


@pytest.mark.parametrize(("equal", "tie"), [((0, 1), True), ((1, 2), True), ((0, 2), False)])
def test_two_equal_systems_are_one_player_whose_own_votes_tell_of_ties(equal, tie):
    pairs = board(4, 3, tie=tie)
    found = find_supremum(pairs, equal, np.zeros(5))
    assert found.value == pytest.approx(by_scipy(pairs, equal), abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
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


# What is decided: exact enumeration of small boards, and boards whose truth is plain.


def copy(running):
    return Numerator.from_dict(json.loads(json.dumps(running.to_dict())))


def chances(gamma):
    """Of a win, a tie and a loss between equals."""
    nu = 0.0 if gamma is None else np.exp(gamma)
    return np.array([1.0, nu, 1.0]) / (2 + nu)


def evidence(running, pair):
    """E of the first system being better; 0 where nothing can be claimed."""
    null = find_supremum(running.pairs(), pair, running.settle())
    if null is None or null.lead <= 0:
        return 0.0
    return float(np.exp(running.log_value - null.value))


def choose(running):
    """The pair that is nearest by what is predicted now: pairs chosen by answers."""
    pairs = [(0, 1), (1, 2), (0, 2)]
    return min(pairs, key=lambda pair: abs(running.worth[pair[0]] - running.worth[pair[1]]))


def best_stop(running, left, law, pair):
    """The largest mean of E over all rules when to stop, by backward induction."""
    now = evidence(running, pair)
    if not left:
        return now
    later = 0.0
    for outcome in np.flatnonzero(law).tolist():
        after = copy(running)
        after.observe([(*choose(running), outcome)])
        later += law[outcome] * best_stop(after, left - 1, law, pair)
    return max(now, later)


@pytest.mark.parametrize(("gamma", "votes"), [(None, 6), (-0.2, 4)])
def test_no_rule_when_to_stop_makes_the_mean_evidence_for_a_false_claim_exceed_one(gamma, votes):
    """Three equal systems, pairs chosen by the answers so far."""
    running = Numerator(3, ties=gamma is not None)
    assert best_stop(running, votes, chances(gamma), (0, 1)) <= 1


@pytest.mark.parametrize("gamma", [None, 0.3])
def test_the_ratio_to_the_truth_is_a_martingale(gamma):
    """Its mean over all answers is 1 at every length, for equal systems and any ν."""
    law = chances(gamma)
    level = [(1.0, 0.0, Numerator(3, ties=gamma is not None))]
    for _ in range(4):
        following = []
        for weight, truth, running in level:
            for outcome in np.flatnonzero(law).tolist():
                after = copy(running)
                after.observe([(*choose(running), outcome)])
                chance = weight * law[outcome]
                following.append((chance, truth + np.log(law[outcome]), after))
        level = following
        mean = sum(weight * np.exp(one.log_value - truth) for weight, truth, one in level)
        assert mean == pytest.approx(1, rel=1e-12)


def test_the_thresholds_share_the_level():
    budget = Budget(0.05, 6)
    assert np.exp(budget.universal) == pytest.approx(1 / 0.03)
    assert np.exp(budget.direct) == pytest.approx(30 / 0.02)
    assert np.exp(budget.judges) == pytest.approx(30 / 0.05)
    assert np.exp(Budget(0.05, 0).universal) == pytest.approx(1 / 0.05)


def test_two_systems_are_decided_by_their_own_votes_when_the_formula_says():
    """B_S0 = 2^(S+1) ∫_½^1 p^(S+4) (1 − p)^4 dp / B(5, 5) ≥ 2 / .02."""
    running, said = Numerator(2, ties=False), []
    for _ in range(16):
        running.observe([(0, 1, LEFT)])
        found = OpenPairScreen(running, ()).look(Budget(0.05, 2))
        said.append(found[0][1] if found else "")
    mixed = [
        2.0 ** (n + 1) * quad(lambda p, n=n: p ** (n + 4) * (1 - p) ** 4, 0.5, 1)[0] / beta(5, 5)
        for n in range(1, 17)
    ]
    assert [by == DIRECT for by in said] == [one >= 100 for one in mixed]
    assert said.index(DIRECT) == 13
    assert said[6:13] == [MODEL] * 7


def test_a_chain_decides_systems_that_never_met():
    running = Numerator(3, ties=False)
    for outcome, times in ((LEFT, 40), (RIGHT, 8)):
        for pair in [(0, 1), (1, 2)] * times:
            running.observe([(*pair, outcome)])
    found = OpenPairScreen(running, ()).look(Budget(0.05, 3))
    assert ((0, 2), MODEL) in found
    assert {pair for pair, _ in found} == {(0, 1), (1, 2), (0, 2)}


# Direct votes: against quadrature, exact enumeration and an exact count of crossings.


def one(wins, losses):
    return float(log_direct(np.array([float(wins)]), np.array([float(losses)]))[0])


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (7, 3), (40, 12), (3, 3)])
def test_it_is_the_mixture_that_its_docstring_says(wins, losses):
    def integrand(p):
        return p ** (wins + 4) * (1 - p) ** (losses + 4) * 2.0 ** (wins + losses)

    mixed = quad(integrand, 0.5, 1, epsabs=0, epsrel=1e-12)[0] / (beta(5, 5) / 2)
    assert one(wins, losses) == pytest.approx(np.log(mixed), rel=1e-9, abs=1e-9)


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


def test_five_wins_and_no_loss_by_hand():
    """2^6 B(10, 5) / B(5, 5) · P(Beta(10, 5) > ½), the last P(Bin(14) < 10) = 1 − 1471/2^14."""
    above = 1 - 1471 / 2**14
    by_hand = 64 * (1 / 10010) / (1 / 630) * above
    assert np.exp(one(5, 0)) == pytest.approx(by_hand, rel=1e-12)
