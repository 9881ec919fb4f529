"""Who is let in, how often, from where, and with how much."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from evenhand.web import Limits, Site, Store, make_app
from evenhand.web.limits import HEADERS
from evenhand.web.links import Tokens
from evenhand.web.store import people
from http_judges import Line, fetch
from postgres_server import Server
from started_servers import run_servers, write_campaign
from stored_campaigns import LEFT, fill, judge_next, make_pairs, name_worker


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


PASSWORD = "hunter2-of-the-database"
WORKER = name_worker("who")


def visit(port: int, tokens: Tokens) -> Iterator[str]:
    """What a server says to everybody who comes, to whom it knows and to whom it does not."""
    judge, admin = (f"/j/{tokens['judge', 'judge-1']}", f"/a/{tokens['admin', '']}")
    line = Line(port)
    item = line.ask(f"{judge}/item").json
    sent = {"ticket": item["ticket"], "key": item["key"], "answer": LEFT}
    yield line.ask(f"{judge}/answer", sent).body
    yield line.ask(f"{judge}/answer", {**sent, "answer": {"outcome": "x"}}).body
    yield line.ask(f"{judge}/undo", {"at": "x"}).body
    yield line.ask(f"{admin}/do", {"what": "revoke", "judge": "nobody"}).body
    yield fetch(port, f"{admin}/findings").body
    for accept in ("text/html", "application/json"):
        for path in ("/", "/j/unknown", f"/a{judge[2:]}", f"/j{admin[2:]}", "/static/x/none.js"):
            yield line.ask(path, accept=accept).body
        yield line.ask(f"/crowd/{tokens['crowd', '']}", accept=accept).body
    crowd = f"/crowd/{tokens['crowd', '']}?"
    for query in (f"PROLIFIC_PID={WORKER}", "worker=none", "assignmentId=7"):
        yield fetch(port, crowd + query, {}).body
    for name in ("comparisons.csv", "log.jsonl", "campaign.json", "none.csv"):
        yield line.ask(f"{admin}/download/{name}").body
    line.close()


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_a_server_prints_and_says_no_secret(
    where: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    database, campaign = str(tmp_path / "campaign.db"), write_campaign(tmp_path, items=20)
    if where == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        database = server.make_database("secrets").replace("judge@", f"judge:{PASSWORD}@")
    with run_servers(tmp_path, campaign, EVENHAND_DATABASE=database) as servers:
        servers.start()  # judges have their links; the crowd's is made when it is asked for
        servers.end()
    with run_servers(tmp_path, campaign, "--crowd", EVENHAND_DATABASE=database) as servers:
        servers.start()
        tokens = servers.tokens()
        said = "".join(visit(servers.port, tokens))
        command = Path(f"/proc/{servers.pid}/cmdline").read_text()
        servers.end()
        printed = servers.printed.read_text()
    assert "serves" in printed
    assert "Traceback" not in printed
    assert str(tmp_path) not in said
    for secret in (PASSWORD, WORKER, *tokens.values()):
        for told in (said, printed, command):
            assert secret not in told


def test_a_password_that_is_wrong_is_not_repeated(tmp_path: Path) -> None:
    campaign = write_campaign(tmp_path, items=20)
    where = f"postgresql://judge:{PASSWORD}@127.0.0.1:1/none"
    with run_servers(tmp_path, campaign, EVENHAND_DATABASE=where) as servers:
        with pytest.raises(AssertionError, match="did not start"):
            servers.start()
        assert "127.0.0.1" in servers.printed.read_text()
        assert PASSWORD not in servers.printed.read_text()


def test_exports_name_nobody_and_hold_no_link(client: TestClient, store: Store) -> None:
    store.launch(make_pairs(judges=2))
    crowd, admin = (
        store.do(people.replace_link, "crowd").token,
        store.do(people.replace_link, "admin").token,
    )
    links = [store.invite("j1", note="Ann Example").token, crowd, admin]
    found = client.post(f"/crowd/{crowd}?PROLIFIC_PID={WORKER}", follow_redirects=False)
    links.append(found.headers["location"].rpartition("/")[2])
    for judge in ("j0", "j1"):
        judge_next(store, judge)
    for name in ("comparisons.csv", "log.jsonl", "campaign.json"):
        told = client.get(f"/a/{admin}/download/{name}").text
        assert told
        for secret in (WORKER, "Ann Example", *links, *(one[8:] for one in links)):
            assert secret not in told


def test_pages_pass_no_link_on(client: TestClient, store: Store) -> None:
    """No Referer to other sites, no cookie, nothing kept by a cache, no frame, no other origin."""
    token = fill(store)["j0"]
    found: Any = client.get(f"/j/{token}").headers
    assert found["referrer-policy"] in ("same-origin", "no-referrer")
    assert found["cache-control"] == "no-store"
    assert "set-cookie" not in found
    assert "access-control-allow-origin" not in found
    assert found["content-security-policy"].startswith("default-src 'none'")


def test_a_link_that_is_not_known_is_not_repeated(client: TestClient, store: Store) -> None:
    fill(store)
    for path in ("/j/{}", "/j/{}/item", "/a/{}", "/a/{}/download/log.jsonl", "/crowd/{}?worker=w"):
        for accept in ("text/html", "application/json"):
            told = client.get(path.format("<b>guess</b>" + "x" * 29), headers={"accept": accept})
            assert told.status_code in (404, 405)
            assert "guess" not in told.text


def test_secrets_open_the_routes_of_their_own_role_alone(store: Store) -> None:
    """Every route that has a secret in its path, with the secrets of the other roles."""
    app = make_app(Site(store, limits=Limits(misses=1_000)))
    client, routes = TestClient(app), [one for one in app.routes if isinstance(one, Route)]
    secrets = {"j": fill(store)["j0"], "a": store.do(people.replace_link, "admin").token}
    secrets["crowd"] = store.do(people.replace_link, "crowd").token
    tried, before = 0, store.head()
    assert client.get(f"/j/{secrets['j']}").status_code == 200  # it was seen a moment ago
    for route in routes:
        if "{token}" not in route.path:
            continue
        ours = route.path.split("/")[1]
        for role, secret in secrets.items():
            if role != ours:
                path = route.path.replace("{token}", secret).replace("{name}", "log.jsonl")
                for method in sorted(set(route.methods or ()) - {"HEAD"}):
                    body = {"what": "pause"} if ours == "a" else {}
                    told = client.request(method, path, json=body, follow_redirects=False)
                    assert told.status_code == 404
                    assert secret not in told.text
                    tried += 1
    assert tried >= 20
    assert store.head() == before
