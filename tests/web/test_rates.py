"""Requests per second."""

import pytest

from evenhand.web import site as rates
from evenhand.web.site import Rates


def test_a_bucket_fills_again_at_its_rate_and_not_above_its_brim() -> None:
    now = 0.0
    found = Rates(2, 3, clock=lambda: now)
    assert [found.take("ann") for _ in range(4)] == [True, True, True, False]
    now = 0.4
    assert not found.take("ann")
    now = 0.5
    assert [found.take("ann") for _ in range(2)] == [True, False]
    now = 100.0
    assert [found.take("ann") for _ in range(4)] == [True, True, True, False]


def test_of_too_many_names_the_one_that_came_longest_ago_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rates, "MAX_NAMES", 2)
    found = Rates(0.001, 1, clock=lambda: 0.0)
    assert [found.take(one) for one in ("ann", "ben", "ann", "cai", "ann", "ben")] == [
        True,
        True,
        False,
        True,
        False,
        True,
    ]
