"""The most probable ranking: every order tried, with exact fractions."""

from fractions import Fraction
from itertools import permutations
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.numerics.linear_order import BestOrders
from evenhand.ranking.rules import log_chances, score_most_probable
from tallies import tally


def chance(won, lost):
    """P(p > ½) of Beta(w + 1, l + 1), as a sum of binomial chances: P(X ≤ w) of w + l + 1 coins."""
    n = won + lost + 1
    return Fraction(sum(comb(n, x) for x in range(won + 1)), 2**n)


def best_orders(wins):
    """All orders of the greatest product, and it."""
    k = len(wins)
    found = {
        order: prod(
            chance(wins[i][j], wins[j][i])
            for place, i in enumerate(order)
            for j in order[place + 1 :]
        )
        for order in permutations(range(k))
    }
    most = max(found.values())
    return {order for order, value in found.items() if value == most}, most


def table(wins):
    names = "abcdef"
    return tally(
        *[
            (names[i], names[j], wins[i][j], 1, wins[j][i])
            for i in range(len(wins))
            for j in range(i + 1, len(wins))
        ]
    )


SQUARE = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)
)


@given(SQUARE)
def test_no_order_is_more_probable(wins):
    best, most = best_orders(wins)
    scores = score_most_probable(table(wins))
    order = tuple("abcdef".index(name) for name in scores.order)
    assert order in best
    assert sorted(-scores.values) == list(range(1, len(wins) + 1))
    said = scores.notes[0].values["probability"]
    if most >= Fraction(1, 1000):
        assert float(said.removeprefix("above ")) == pytest.approx(float(most), abs=0.00051)
    else:
        exponent = float(said.removeprefix("10^"))
        assert exponent == pytest.approx(np.log10(float(most)), abs=0.0051)
    if len(best) == 1:
        assert len(scores.notes) == 1
    else:
        places = {i: {order.index(i) for order in best} for i in range(len(wins))}
        moving = ", ".join("abcdef"[i] for i, seen in places.items() if len(seen) > 1)
        said = f"places of {moving} differ between them"
        assert scores.notes[1] == f"{len(best)} orders are equally probable: {said}."


@pytest.mark.parametrize("pair", [(0, 0), (3, 1), (40, 25), (7, 300), (1000, 0), (2, 1500)])
def test_chances_of_pairs_are_binomial_sums(pair):
    won, lost = pair
    found = log_chances(np.array([[0.0, won], [lost, 0.0]]))
    exact = chance(won, lost), chance(lost, won)
    for value, expected in zip((found[0, 1], found[1, 0]), exact, strict=True):
        assert value == pytest.approx(_log(expected), rel=1e-10, abs=1e-15)


def _log(fraction):
    """Logarithm of a fraction of numbers too large for floats."""
    bits = fraction.numerator.bit_length() - fraction.denominator.bit_length()
    scaled = fraction / 2**bits if bits >= 0 else fraction * 2**-bits
    return float(np.log(float(scaled))) + bits * float(np.log(2))


def test_the_seed_is_the_search_s_and_is_said_where_no_order_is_proven(monkeypatch):
    drawn = []

    def search(weights, prefer, **settings):
        drawn.append(settings)
        orders = (tuple(range(len(weights))),)
        return BestOrders(30.0, 20.0, orders, None, None, None)

    data = table([[0, 5, 9], [1, 0, 7], [3, 2, 0]])
    assert score_most_probable(data).settings == ()
    monkeypatch.setattr("evenhand.ranking.rules.find_best_orders", search)
    scores = score_most_probable(data, seed=4)
    assert drawn == [{"limit": 1, "seed": 4}]
    assert scores.settings == ("seed=4",)
    # 10 nats are 10 / ln 10 = 4.34 powers of ten
    assert scores.notes[1].code == "not-proven-probable"
    assert "up to 10^4.34 times as likely" in scores.notes[1]
