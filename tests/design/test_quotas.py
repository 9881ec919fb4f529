"""Quotas are divided among passes of different widths so that all is judged where that can be."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import TASKS, make_items
from evenhand.design.assignment import assign
from evenhand.design.dealing import Columns, divide_quotas
from evenhand.design.guarantees import verify_design
from evenhand.design.reading import make_campaign


def can_be(rooms, sizes, most):
    """Whether the sizes can be reached, by trying every division of every quota."""
    reached = {(0,) * len(sizes)}
    for room in rooms:
        shares = [
            one
            for one in product(*[range(top + 1) for top in most])
            if room < 0 or sum(one) <= room
        ]
        reached = {
            tuple(min(a + b, size) for a, b, size in zip(old, share, sizes, strict=True))
            for old in reached
            for share in shares
        }
    return tuple(sizes) in reached


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(-1, 7), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=3),
)
def test_a_division_is_found_wherever_there_is_one(rooms, widths):
    sizes = np.array([size for size, _ in widths])
    most = np.array([min(size, top) for size, top in widths])
    caps = divide_quotas(np.array(rooms), Columns(np.ones_like(sizes), sizes, most))
    assert ((caps >= 0) & (caps <= most)).all()
    assert all(room < 0 or sum(one) <= room for room, one in zip(rooms, caps.tolist(), strict=True))
    assert (caps.sum(axis=0) >= sizes).all() == can_be(rooms, sizes.tolist(), most.tolist())


@pytest.mark.parametrize(
    ("items", "quotas"),
    [(10, [10, 10, 10]), (10, [11, 11, 11]), (1, [2, 1]), (100, [43] * 6 + [42]), (3, [1, 8])],
)
def test_ratings_and_pairs_share_quotas_that_just_suffice(items, quotas):
    campaign = make_campaign(
        {
            "name": "both",
            "items": make_items(items, 2),
            "judges": [{"name": f"j{at}", "quota": one} for at, one in enumerate(quotas)],
            "tasks": [TASKS[1], TASKS[2]],
        }
    )
    assignment = assign(campaign)
    assert len(assignment) == 3 * items
    assert verify_design(assignment).broken == ()
