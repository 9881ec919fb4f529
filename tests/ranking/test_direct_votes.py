"""Bounds of shares of votes, held against sums over all counts."""

from itertools import product
from math import lgamma, log

import numpy as np
import pytest
from scipy import optimize, stats

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.ranking.direct_votes import Votes, count_votes, find_half_ties
from evenhand.ranking.plans import SHARES


def write_log_chance(counts, half, share):
    chances = np.array([share - half, 2 * half, 1 - share - half])
    return sum(n * log(max(p, 1e-300)) for n, p in zip(counts, chances, strict=True))


@pytest.mark.parametrize("counts", [(3, 12, 5), (0, 17, 3), (9, 1, 10), (2, 18, 0), (1, 0, 7)])
@pytest.mark.parametrize("share", [0.3, 0.45, 0.5, 0.6])
def test_p_is_the_sum_over_all_counts_at_the_likeliest_chances(counts, share):
    n, most = sum(counts), min(share, 1 - share)
    votes = Votes(*(one / n for one in counts), n)
    found = optimize.minimize_scalar(
        lambda half: -write_log_chance(counts, half, share),
        bounds=(0, most),
        method="bounded",
        options={"xatol": 1e-12},
    )
    half = find_half_ties(votes, share)
    assert half == pytest.approx(found.x, abs=1e-6)
    total = 0.0
    for won, tied in product(range(n + 1), repeat=2):
        lost = n - won - tied
        if lost >= 0 and won - lost >= counts[0] - counts[2]:
            logs = lgamma(n + 1) - sum(lgamma(1 + one) for one in (won, tied, lost))
            total += np.exp(logs + write_log_chance((won, tied, lost), half, share))
    assert votes.find_p(share) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize(("wins", "n"), [(0, 20), (7, 20), (20, 20), (61, 150)])
def test_without_ties_it_is_the_exact_binomial_bound(wins, n):
    votes = Votes(wins / n, 0.0, 1 - wins / n, n)
    exact = stats.binomtest(wins, n).proportion_ci(0.9, "exact")
    assert votes.find_lower(0.05) == pytest.approx(exact.low, abs=1e-6)
    assert 1 - votes.turn().find_lower(0.05) == pytest.approx(exact.high, abs=1e-6)


def test_t_is_that_of_p():
    votes = Votes(0.2, 0.5, 0.3, 40)
    assert stats.t.sf(votes.find_t(0.4, 9), 9) == pytest.approx(votes.find_p(0.4))
    assert Votes(1.0, 0.0, 0.0, 400).find_t(0.4, 9) == np.inf


@pytest.mark.parametrize("weights", [[0.5] * 40, [0.5, 1.5] * 20])
def test_weighted_votes_are_as_many_as_have_their_error(weights):
    """(Σ w)² / Σ w² of them at most, and fewer where the error is that of fewer."""
    votes = {"left": ["B"] * 40, "right": ["A"] * 40, "judge": [f"j{at}" for at in range(40)]}
    votes |= {"winner": ["left", "right", "tie", "left", "right"] * 8, "weight": weights}
    data = evenhand.read(votes, weights="importance")
    ranking = evenhand.rank(data, model=SHARES)
    most = sum(weights) ** 2 / sum(one**2 for one in weights)
    assert count_votes(ranking, ("B", "A"), 1e-9).units == int(most)
    variance = 0.2  # of scores 1, 0, ½, 1, 0, with equal weights
    found = count_votes(ranking, ("B", "A"), (variance / 10) ** 0.5)
    assert found.units == pytest.approx(10, abs=1)


@pytest.mark.parametrize(("n", "decision"), [(60, "undecided"), (80, "passed")])
def test_ties_alone_of_unknown_judges_have_the_error_of_as_many_independent_votes(n, decision):
    """That of shares of a half: (.6/.4) log-odds are 1.81 of √(4/80), and 1.57 of √(4/60)."""
    votes = {"left": ["B"] * n, "right": ["A"] * n, "winner": ["tie"] * n}
    found = evenhand.gate(votes, new="B", old="A", margin=0.1)
    (one,) = found.comparisons
    t = log(1.5) / np.sqrt(4 / n)
    assert one.p == pytest.approx(stats.t.sf(t, n - 1))
    assert found.decision == decision


def test_refusals_offer_only_what_a_gate_has():
    one = {"left": ["B"], "right": ["A"], "winner": ["tie"]}
    with pytest.raises(NotIdentified, match=r"their own spread; collect more$"):
        evenhand.gate(one, new="B", old="A", margin=0.1)
    scores = {"system": ["A", "B"] * 8, "item": [f"i{at // 2}" for at in range(16)]}
    scores |= {"judge": ["j"] * 16, "score": [*range(16)]}
    with pytest.raises(InvalidJudgments, match="both must be of one kind"):
        evenhand.gate({**one, "winner": ["left"]}, new="B", old="A", margin=0.1, llm=scores)


@pytest.mark.parametrize(("n", "decision"), [(30, "undecided"), (45, "undecided"), (46, "passed")])
def test_a_loss_among_ties_is_bounded_by_chances_of_counts(n, decision):
    """One loss among ties: as likely as at most one of n votes where a tenth is lost.

    Student's t of thirty judges passes it from 30 votes on.
    """
    votes = {"left": ["B"] * n, "right": ["A"] * n, "judge": [f"j{at}" for at in range(n)]}
    votes |= {"winner": ["right", *["tie"] * (n - 1)]}
    found = evenhand.gate(votes, new="B", old="A", margin=0.05)
    (one,) = found.comparisons
    assert found.decision == decision
    assert one.p == pytest.approx(stats.binom.cdf(1, n, 0.1), abs=1e-9)
    assert stats.t.sf((one.difference + one.delta) / one.stderr, one.df) < 0.05
    exact = stats.binomtest(1, n).proportion_ci(0.9, "exact")
    assert one.lower == pytest.approx((1 - exact.high) / 2, abs=1e-6)
