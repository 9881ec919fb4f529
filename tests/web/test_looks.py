"""When boards count and findings are computed: nothing is lost, nothing is computed too often."""

from typing import Any

import pytest

from evenhand.web import Store
from evenhand.web.dashboard import DashboardCache
from evenhand.web.findings import Findings, Order
from followed_campaigns import FREE, judge_some, make
from stored_campaigns import HandClock, fill


def count(looks: DashboardCache) -> int:
    return looks.boards.look("t", FREE).board.n_votes


def test_boards_count_what_is_new_although_nobody_looks(store: Store) -> None:
    fill(store, make())
    looks = DashboardCache(store)
    for counted in (30, 60):
        judge_some(store, 30)
        looks.follow()
        assert count(looks) == counted


def test_findings_are_computed_again_for_something_new_and_not_before_the_rest_is_over(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, make())
    clock, computed = HandClock(), []
    monkeypatch.setattr("evenhand.web.dashboard.time.monotonic", lambda: clock.steady)

    def compute(*_: Any) -> Findings:
        computed.append(clock.steady)
        clock.wait(0.5)  # what it costs
        return Findings(orders={"t": Order("comparisons")})

    monkeypatch.setattr("evenhand.web.dashboard.find", compute)
    looks = DashboardCache(store, rest=4)
    for second in range(12):  # a look each second, an answer in each of the first six
        clock.steady = float(second)
        if second < 6:
            judge_some(store, 1, seed=second)
        looks.look()
    assert computed == [0, 3, 6]  # 0.5 s of work, 2 s of rest, then the next look
