"""What is decided: exact enumeration of small boards, and boards whose truth is plain."""

import json

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import beta

from evenhand.data.votes import LEFT, RIGHT
from evenhand.ranking.sequential.likelihood import (
    DIRECT,
    MODEL,
    Budget,
    Numerator,
    OpenPairScreen,
    find_supremum,
)


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


def vote(running, pairs, outcome):
    for left, right in pairs:
        running.observe([(left, right, outcome)])
    return running


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
        vote(running, [(0, 1)], LEFT)
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
    vote(running, [(0, 1), (1, 2)] * 40, LEFT)
    vote(running, [(0, 1), (1, 2)] * 8, RIGHT)
    found = OpenPairScreen(running, ()).look(Budget(0.05, 3))
    assert ((0, 2), MODEL) in found
    assert {pair for pair, _ in found} == {(0, 1), (1, 2), (0, 2)}
