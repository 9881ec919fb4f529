"""Who is let in, how often, from where, and with how much."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.web import Limits, Site, Store, make_app
from evenhand.web.limits import HEADERS
from evenhand.web.store import people
from stored_campaigns import fill, judge_next

pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def links(store: Store) -> dict[str, str]:
    return fill(store)


def test_every_response_has_the_security_headers(client: TestClient, links: dict[str, str]) -> None:
    for path in (f"/j/{links['j0']}", "/", "/j/none", "/health", "/static/x/judge.js"):
        found = client.get(path).headers
        assert {name: found[name] for name in HEADERS} == HEADERS


def test_a_page_of_a_fault_has_them_too_and_stays_in_no_store(
    client: TestClient, links: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(Store, "soon", fail)
    told = client.get(f"/j/{links['j0']}/item")
    assert told.status_code == 500
    assert {name: told.headers[name] for name in HEADERS} == HEADERS
    assert told.headers["cache-control"] == "no-store"


def test_browsers_are_told_to_stay_with_encryption_where_there_is_some(store: Store) -> None:
    fill(store)
    for scheme, there in (("https", True), ("http", False)):
        with TestClient(make_app(Site(store)), base_url=f"{scheme}://host") as client:
            found = client.get("/health").headers
            assert found.get("strict-transport-security", "").startswith("max-age=") is there


def test_no_address_leads_to_another_one(store: Store) -> None:
    """A slash too many was once sent on to a path without the prefix: to another site's server."""
    token = fill(store)["j0"]
    with TestClient(make_app(Site(store, prefix="/study"))) as client:
        for path in (f"/j/{token}/", f"/study/j/{token}/", "/study/health/"):
            told = client.get(path, follow_redirects=False)
            assert (told.status_code, "location" in told.headers) == (404, False)


def test_our_own_page_behind_a_proxy_that_names_itself_to_us_is_let_in(store: Store) -> None:
    token = fill(store)["j0"]
    store.do(people.consent, "j0")
    with TestClient(make_app(Site(store, address="https://example.org"))) as client:
        for origin, status in (("https://example.org", 200), ("https://elsewhere.example", 403)):
            headers = {"origin": origin, "host": "127.0.0.1:8000"}
            assert (
                client.post(f"/j/{token}/consent", json={}, headers=headers).status_code == status
            )


def test_pages_name_no_address_but_their_own(client: TestClient, links: dict[str, str]) -> None:
    page = client.get(f"/j/{links['j0']}").text
    for word in ("http://", "https://", "//cdn", "<style", "onclick"):
        assert word not in page


@pytest.mark.parametrize(
    "headers",
    [
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"content-type": "application/json", "sec-fetch-site": "cross-site"},
        {"content-type": "application/json", "sec-fetch-site": "same-site"},
        {"content-type": "application/json", "origin": "https://elsewhere.example"},
        {"content-type": "application/json", "origin": "null"},
        {"content-type": "application/json", "origin": "http://[broken"},
    ],
)
def test_what_another_site_sends_is_refused(
    client: TestClient, store: Store, links: dict[str, str], headers: dict[str, str]
) -> None:
    judge_next(store, "j0")
    told = client.post(f"/j/{links['j0']}/undo", content=b"{}", headers=headers)
    assert (told.status_code, told.json()["word"]) == (403, "forged")


def test_long_bodies_are_refused_whether_they_say_so_or_not(
    client: TestClient, links: dict[str, str]
) -> None:
    headers = {"content-type": "application/json"}
    long = b"[" * 300_000

    def stream() -> Any:
        yield from (long[:1000] for _ in range(300))

    path = f"/j/{links['j0']}/answer"
    assert client.post(path, content=long, headers=headers).status_code == 413
    assert client.post(path, content=stream(), headers=headers).status_code == 413


def test_a_link_that_asks_too_fast_has_to_wait(store: Store, links: dict[str, str]) -> None:
    with TestClient(make_app(Site(store, limits=Limits(per_second=0.001, burst=3)))) as client:
        codes = [client.get(f"/j/{links['j0']}/item").status_code for _ in range(4)]
        assert codes == [200, 200, 200, 429]
        assert client.get(f"/j/{links['j1']}/item").status_code == 200


def test_whoever_tries_links_has_to_wait_and_nobody_else(
    store: Store, links: dict[str, str]
) -> None:
    with TestClient(make_app(Site(store, limits=Limits(misses=3)))) as client:
        codes = [client.get(f"/j/{'x' * 40}/item").status_code for _ in range(4)]
        assert codes == [404, 404, 404, 429]
        assert client.get(f"/j/{links['j0']}/item").status_code == 200


def test_a_judges_link_that_was_seen_a_moment_ago_opens_no_page_of_the_organiser(
    client: TestClient, links: dict[str, str]
) -> None:
    assert client.get(f"/j/{links['j0']}").status_code == 200
    for path in ("", "/findings", "/download/log.jsonl"):
        assert client.get(f"/a/{links['j0']}{path}").status_code == 404
    assert client.post(f"/a/{links['j0']}/do", json={"what": "pause"}).status_code == 404
