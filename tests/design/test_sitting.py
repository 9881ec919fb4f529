"""Repeats find their place wherever there is one, and controls come first in no fixed order."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import make_items, small
from evenhand.design.assignment import assign
from evenhand.design.dealing import NoPlaceForRepeat, PassTickets, order_tickets
from evenhand.design.reading import make_campaign
from evenhand.numerics.sampling import Draws


def can_be(own, anchors, repeats, lag):
    """Whether some order holds so many repeats so late, by trying all."""
    marks = "o" * own + "a" * anchors + "r" * repeats
    for order in set(permutations(marks)):
        free = []
        for place, one in enumerate(order):
            if one == "r":
                early = [at for at in free if at < place - lag]
                if not early:
                    break
                free.remove(early[0])
            elif one == "o":
                free.append(place)
        else:
            return True
    return False


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 4), st.integers(0, 3), st.integers(1, 2), st.integers(0, 6), st.integers(0, 9)
)
def test_repeats_are_refused_exactly_where_no_order_holds_them(own, anchors, repeats, lag, seed):
    hand = PassTickets(tuple(range(own)), tuple(range(own, own + anchors)))
    try:
        order, origin = order_tickets(hand, repeats, 0, lag, Draws(seed))
    except NoPlaceForRepeat:
        assert not can_be(own, anchors, repeats, lag)
        return
    assert sorted(order) == sorted(
        [*range(own + anchors), *(order[at] for at in origin if at >= 0)]
    )
    backs = [(place, at) for place, at in enumerate(origin) if at >= 0]
    assert len({at for _, at in backs}) == len(backs) == repeats
    assert all(order[place] == order[at] < own and place - at > lag for place, at in backs)


@pytest.mark.parametrize("seed", range(20))
def test_anchors_do_not_keep_repeats_from_their_place(seed):
    anchors = [{**one, "anchor": True} for one in make_items(3, 1, prefix="a")]
    told = small(1, [*make_items(3, 1), *anchors], 1, repeats=1, lag=4).to_dict()
    assert len(assign(make_campaign({**told, "seed": seed}))) == 7


def test_which_direction_comes_first_is_drawn_and_shared_evenly():
    controls = [
        {"item": f"{kind}{at}", "outputs": {"x": "sample"}, "control": kind}
        for kind in ("good", "bad")
        for at in range(4)
    ]
    first = Counter()
    for seed in range(30):
        told = small(1, [*make_items(12, 1), *controls], 4, controls=2).to_dict()
        found = {}
        for one in assign(make_campaign({**told, "seed": seed})):
            if one.kind == "control":
                found.setdefault(one.judge, one.expected)
        assert Counter(found.values()) == {"good": 2, "bad": 2}
        first[found["judge-1"]] += 1
    assert min(first["good"], first["bad"]) >= 5  # chance of fewer by a fair coin: 6 in 100,000
