"""The wall clock of the machine is set while judges answer: times, order and turns stay right."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.web import Site, Store, make_app
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from stored_campaigns import LEFT, HandClock, fill, list_judgments, make_pairs

HOUR = 3_600
JUMPS = (-6 * HOUR, 9 * HOUR, -48 * HOUR, 400 * 24 * HOUR, -900 * 24 * HOUR)
"""Seconds by which the clock is set, one after the other."""


def make_judge(store: Store, token: str) -> Callable[[], tuple[Any, Any]]:
    """Return what asks for an item and then answers it."""
    client = TestClient(make_app(Site(store)))

    def judge() -> tuple[Any, Any]:
        item = client.get(f"/j/{token}/item").json()
        sent = {"ticket": item["ticket"], "key": item["key"], "answer": LEFT, "seconds": 2.5}
        told = client.post(f"/j/{token}/answer", json=sent)
        assert told.status_code == 200, told.text
        return item, told.json()

    return judge


@pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
def test_a_clock_that_is_set_by_hours_changes_no_time_and_no_turn(
    store: Store, clock: HandClock, where: str
) -> None:
    token = fill(store, make_pairs(items=24, judges=2))["j0"]
    store.do(people.consent, "j0")
    judge = make_judge(store, token)
    for seconds in JUMPS:
        _, told = judge()
        clock.wall += seconds
        clock.steady += 2
        with TestClient(make_app(Site(store))) as client:  # the item that was begun is asked still
            assert client.get(f"/j/{token}/item").json()["ticket"] == told["next"]["ticket"]
            admin = store.do(people.replace_link, "admin").token
            assert client.get(f"/a/{admin}").status_code == 200
    times = [one.at for one in list_judgments(store)]
    assert [later - one for one, later in pairwise(times)] == [2_000] * 4
    head = store.head()
    store.close()
    with Store.open(where, start=clock.start) as later:  # the clock stands before what is stored
        make_judge(later, token)()
        clock.wall += 5 * HOUR
        make_judge(later, token)()
        times = [one.at for one in list_judgments(later)]
        assert times == sorted(times)
        assert times[-1] - times[0] < 60_000
        assert check_store(later, head).holds
