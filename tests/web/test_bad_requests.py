"""Answers and orders of any kind: no row is written that its task would not take.

Every route of the application is tried in test_every_route.py.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from evenhand.design.reading import make_campaign
from evenhand.web import Limits, Site, Store, make_app
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from odd_requests import ANSWERS, EVERY_KIND, VALUES, nest, write
from stored_campaigns import fill

OFTEN = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("bad")
    with Store.open(str(folder / "campaign.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def tokens(store: Store) -> dict[str, str]:
    found = fill(store, make_campaign(EVERY_KIND))
    return {
        **found,
        "admin": store.do(people.replace_link, "admin").token,
        "crowd": store.do(people.replace_link, "crowd").token,
    }


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[TestClient]:
    limits = Limits(per_second=1e6, burst=10**6, misses=10**6)
    app = make_app(Site(store, limits=limits))
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


def check_rows(store: Store) -> None:
    """Every row that stands is one that its task takes; `rows` validates each again."""
    for table in ("comparisons", "rankings", "ratings"):
        list(store.rows(table))
    assert check_store(store).holds


@OFTEN
@given(answer=ANSWERS, seconds=VALUES, key=st.one_of(st.none(), VALUES), judge=st.integers(0, 3))
def test_any_answer_is_stored_or_refused(
    client: TestClient,
    tokens: dict[str, str],
    *,
    answer: Any,
    seconds: Any,
    key: Any,
    judge: int,
) -> None:
    token = tokens[f"j{judge}"]
    item = client.get(f"/j/{token}/item").json()
    told = {"ticket": item.get("ticket", 0), "key": item.get("key") if key is None else key}
    told |= {"answer": answer, "seconds": seconds}
    headers = {"content-type": "application/json"}
    found = client.post(f"/j/{token}/answer", content=write(told), headers=headers)
    assert found.status_code in (200, 400, 409, 422)
    assert found.status_code == 200 or found.json()["error"]


@OFTEN
@given(
    what=st.one_of(st.sampled_from(["invite", "join", "pause", "resume", "forget"]), st.text()),
    judge=st.one_of(st.sampled_from(["j9", "new"]), VALUES),
    other=VALUES,
)
def test_any_order_of_the_organiser_is_answered(
    client: TestClient, tokens: dict[str, str], what: str, judge: Any, other: Any
) -> None:
    told = {"what": what, "judge": judge, "seat": other, "note": other, "person": other}
    headers = {"content-type": "application/json"}
    found = client.post(f"/a/{tokens['admin']}/do", content=write(told), headers=headers)
    assert found.status_code in (200, 400, 404, 409)


@pytest.mark.parametrize("depth", [10, 1_000, 100_000])
def test_deep_json_is_refused(client: TestClient, tokens: dict[str, str], depth: int) -> None:
    headers = {"content-type": "application/json"}
    found = client.post(f"/j/{tokens['j0']}/answer", content=nest(depth), headers=headers)
    assert found.status_code in (400, 409, 413, 422)


def test_after_all_that_every_row_is_sound(store: Store, client: TestClient) -> None:
    assert client.get("/health").status_code == 200
    check_rows(store)
