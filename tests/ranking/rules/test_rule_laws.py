"""What holds for every rule that only counts: who stood left, names and order do not matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.ranking.methods import RULES
from tallies import doubled, mirrored, renamed, shuffled, tally

DRAWN = {"playoffs", "trueskill", "trueskill-wmt15"}
"""Scores of a simulation: held to these laws, as far as chance allows, in tests of their own."""
ORDERS = {name for name in RULES if name.startswith("feedback-arc-set")} | {
    "most-probable",
    "vilar-sort",
}
"""Of orders that are equally good the first by name is shown."""
POSTERIOR = {"most-probable"}
"""Twice the judgments are more certain, so that their best order may be another."""
COUNTED = sorted(set(RULES) - DRAWN)
VALUED = sorted(set(RULES) - DRAWN - ORDERS)


@st.composite
def boards(draw):
    """Complete boards of 3 to 5 systems in both directions, all pairs decided."""
    names = "ABCDE"[: draw(st.integers(3, 5))]
    cell = st.tuples(st.integers(1, 40), st.integers(0, 20), st.integers(1, 40))
    return tally(*((a, b, *draw(cell)) for a in names for b in names if a != b))


@st.composite
def small_boards(draw):
    """Boards of 3 to 6 systems with up to three of each outcome a pair: many scores are equal."""
    names = "ABCDEF"[: draw(st.integers(3, 6))]
    cell = st.tuples(*[st.integers(0, 3)] * 3).filter(lambda n: n[0] + n[2])
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return tally(*((*pair, *draw(cell)) for pair in pairs))


def values(name, one):
    return RULES[name].score(one).values


@pytest.mark.parametrize("name", COUNTED)
@settings(max_examples=30)
@given(one=boards(), seed=st.integers(0, 99))
def test_neither_sides_nor_the_order_of_rows_nor_counting_twice_change_a_rule(name, one, seed):
    expected = values(name, one)
    same = (mirrored(one), shuffled(one, seed), one.fold(), one.pool())
    for other in (*same, *[doubled(one)] * (name not in POSTERIOR)):
        np.testing.assert_allclose(values(name, other), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", VALUED)
@given(one=small_boards(), data=st.data())
def test_renaming_systems_permutes_places(name, one, data):
    order = np.array(data.draw(st.permutations(range(len(one.systems)))))
    score = RULES[name].score
    assert score(renamed(one, order)).places[order].tolist() == score(one).places.tolist()


@given(one=small_boards())
def test_soccer_gives_the_places_of_expected_net_wins(one):
    points, net = (RULES[name].score(one) for name in ("soccer", "expected-net-wins"))
    assert points.places.tolist() == net.places.tolist()


@given(one=boards())
def test_soccer_is_half_of_one_plus_expected_net_wins(one):
    points, net = values("soccer", one), values("expected-net-wins", one)
    np.testing.assert_allclose(points, (1 + net) / 2, rtol=1e-12, atol=1e-12)


@given(one=boards())
def test_both_rules_of_expected_wins_are_one_where_all_pairs_are_decided(one):
    np.testing.assert_allclose(
        values("expected-wins", one), values("expected-wins-zero", one), rtol=1e-12
    )
