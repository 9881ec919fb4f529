"""A hundred requests for each route that the application has: no fault, and no unsound row.

The routes are asked of the application itself, so that a new one is tried as soon as it is there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_from_bytes, urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route
from starlette.testclient import TestClient

from evenhand.design.reading import make_campaign
from evenhand.web import Limits, Site, Store, make_app
from evenhand.web.limits import HEADERS as GUARDED
from evenhand.web.links import KeptLinks
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from odd_requests import (
    ANSWERS,
    BODIES,
    EVERY_KIND,
    HEADERS,
    METHODS,
    QUERIES,
    TYPES,
    VALUES,
    nest,
    write,
)
from stored_campaigns import fill
from text_forms import make_media

NEVER = Site(None)  # type: ignore[arg-type] - routes need no store to be named
ROUTES: list[Route] = [one for one in make_app(NEVER).routes if isinstance(one, Route)]
(ANSWER,) = (one for one in ROUTES if one.path == "/j/{token}/answer")
NEEDY = [ANSWER, *(one for one in ROUTES if one.path.endswith("/export/{kind}"))]
"""Routes that need real tickets or answers: see above and test_admin_routes.py."""
ROLES = {"j": "judge", "a": "admin", "crowd": "crowd"}
NAMES = ("comparisons.csv", "rankings.csv", "ratings.csv", "log.jsonl", "campaign.json", "judge.js")
REFUSED = {400, 403, 404, 405, 409, 413, 416, 422}
"""Everything that a request may be refused with; a redirection is 303, or 307 to a shorter path."""
Case = tuple[str, str, bytes, dict[str, bytes]]
OFTEN = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("odd")
    with Store.open(str(folder / "campaign.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def tokens(store: Store) -> dict[str, str]:
    """Secrets of each role; one judge's page is left by whoever tries it."""
    judges = fill(store, make_campaign(EVERY_KIND))
    roles = {role: store.do(people.replace_link, role).token for role in ("admin", "crowd")}
    return {**judges, "judge": judges["j0"], "leaves": judges["j3"], **roles}


@pytest.fixture(scope="module")
def clients(
    store: Store, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TestClient, TestClient]]:
    """The site, and the site under a prefix."""
    limits = Limits(per_second=1e6, burst=10**6, misses=10**6)
    links = KeptLinks(store, tmp_path_factory.mktemp("links") / "links.csv", "http://here")
    files = make_media(tmp_path_factory.mktemp("files")).files
    sites = [
        Site(store, prefix, limits=limits, links=links, files=files) for prefix in ("", "/study")
    ]
    apps = [make_app(one) for one in sites]
    with (
        TestClient(apps[0], raise_server_exceptions=False, follow_redirects=False) as plain,
        TestClient(apps[1], raise_server_exceptions=False, follow_redirects=False) as under,
    ):
        yield plain, under


def draw_words(known: list[str]) -> st.SearchStrategy[str]:
    """A part of a path: mostly one that is known, else anything, broken UTF-8 too."""
    return st.one_of(
        st.sampled_from(known),
        st.sampled_from(known),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=60).map(
            lambda one: quote(one, safe="")
        ),
        st.binary(max_size=20).map(lambda one: quote_from_bytes(one, safe="")),
        st.sampled_from(["..%2F..%2Fcampaign.db", "%00", "%ff", ".", "x" * 3_000]),
    )


@st.composite
def draw_case(draw: st.DrawFn, route: Route, tokens: dict[str, str]) -> Case:
    """A request to a route: method, address, body, headers."""
    kind = ROLES.get(route.path.split("/")[1], "")
    ours = tokens["leaves" if route.path.endswith("/leave") else kind] if kind else ""
    others = [one for name, one in tokens.items() if name not in (kind, "leaves")]
    path = route.path
    for name, known in (("token", [ours] * 9 + others), ("name", [*NAMES]), ("version", ["x"])):
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", draw(draw_words(known)))
    path += draw(st.sampled_from(["", "", "", "", "/", "//", "?"]))
    asked = draw(QUERIES)
    if asked and not path.endswith("?"):
        path += f"?{urlencode(asked)}"
    usual = sorted(route.methods or {"GET"})
    method = draw(st.one_of(st.sampled_from(usual), st.sampled_from(usual + list(METHODS))))
    body = draw(BODIES) if method not in ("GET", "HEAD") or draw(st.booleans()) else b""
    return method, path, body, {"content-type": draw(TYPES), **draw(HEADERS)}


def _find_sound(
    route: Route, tokens: dict[str, str], file: str
) -> tuple[str, str, dict[str, Any] | None] | None:
    """A request that is granted, of routes that drawn ones seldom get right; None of others."""
    admin = f"/a/{tokens['admin']}"
    sound: dict[str, tuple[str, str, dict[str, Any] | None]] = {
        "/a/{token}/do": ("POST", f"{admin}/do", {"what": "resume"}),
        "/j/{token}/submit": ("POST", f"/j/{tokens['judge']}/submit", {"receipts": []}),
        "/j/{token}/file/{name}": ("GET", f"/j/{tokens['judge']}/file/{file}", None),
        "/j/{token}/undo": ("POST", f"/j/{tokens['judge']}/undo", {"at": "x"}),
        "/crowd/{token}": ("GET", f"/crowd/{tokens['crowd']}?PROLIFIC_PID={'5f' * 12}", None),
    }
    return sound.get(route.path)


@OFTEN
@given(answer=ANSWERS, seconds=VALUES, key=st.one_of(st.none(), VALUES), judge=st.integers(1, 2))
def test_any_answer_is_stored_or_refused(
    clients: tuple[TestClient, TestClient],
    tokens: dict[str, str],
    *,
    answer: Any,
    seconds: Any,
    key: Any,
    judge: int,
) -> None:
    token = tokens[f"j{judge}"]
    item = clients[0].get(f"/j/{token}/item").json()
    told = {"ticket": item.get("ticket", ""), "key": item.get("key") if key is None else key}
    told |= {"answer": answer, "seconds": seconds}
    headers = {"content-type": "application/json"}
    found = clients[0].post(f"/j/{token}/answer", content=write(told), headers=headers)
    assert found.status_code in (200, 400, 409, 422)
    assert found.status_code == 200 or found.json()["error"]


@OFTEN
@given(
    what=st.one_of(st.sampled_from(["invite", "join", "pause", "resume", "forget"]), st.text()),
    judge=st.one_of(st.sampled_from(["j9", "new"]), VALUES),
    other=VALUES,
)
def test_any_order_of_the_organiser_is_answered(
    clients: tuple[TestClient, TestClient],
    tokens: dict[str, str],
    what: str,
    judge: Any,
    other: Any,
) -> None:
    told = {"what": what, "judge": judge, "seat": other, "note": other, "person": other}
    headers = {"content-type": "application/json"}
    found = clients[0].post(f"/a/{tokens['admin']}/do", content=write(told), headers=headers)
    assert found.status_code in (200, 400, 404, 409)


@pytest.mark.parametrize("depth", [10, 1_000, 100_000])
def test_deep_json_is_refused(
    clients: tuple[TestClient, TestClient], tokens: dict[str, str], depth: int
) -> None:
    headers = {"content-type": "application/json"}
    found = clients[0].post(f"/j/{tokens['j0']}/answer", content=nest(depth), headers=headers)
    assert found.status_code in (400, 409, 413, 422)


@pytest.mark.parametrize("route", ROUTES, ids=lambda one: one.path)
def test_any_request_is_answered_and_writes_nothing_unsound(
    store: Store, clients: tuple[TestClient, TestClient], tokens: dict[str, str], route: Route
) -> None:
    store.resume()
    seen: set[int] = set()

    @OFTEN
    @given(case=draw_case(route, tokens), prefix=st.sampled_from(["", "", "/study", "cut"]))
    def ask(case: Case, prefix: str) -> None:
        method, path, body, headers = case
        client = clients[bool(prefix)]
        address = path if prefix in ("", "cut") else prefix + path
        told: Any = client.request(method, address, content=body, headers=headers)
        seen.add(told.status_code)
        assert told.status_code in {200, 206, 303, 304, 307, *REFUSED}, told.text
        assert {name: told.headers[name] for name in GUARDED} == GUARDED
        for word in ("Traceback", "sqlalchemy", "sqlite3", str(store.engine.url.database)):
            assert word not in told.text

    ask()
    files = clients[0].app.state.site.files  # type: ignore[attr-defined]
    sound = _find_sound(route, tokens, next(iter(files)))
    if sound is not None:
        method, path, body = sound
        seen.add(clients[0].request(method, path, json=body).status_code)
    if route not in NEEDY:
        assert seen & {200, 303}, f"{route.path} was never granted: {sorted(seen)}"
    check_rows(store)


def check_rows(store: Store) -> None:
    """Every row that stands is one that its task takes; `rows` validates each again."""
    for table in ("comparisons", "rankings", "ratings"):
        list(store.rows(table))
    assert check_store(store).holds


def test_every_route_is_tried() -> None:
    """A mount or a socket would need tests of its own."""
    assert len(ROUTES) == len(make_app(NEVER).routes)
    assert len(ROUTES) >= 13
