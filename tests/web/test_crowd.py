"""The link of a crowd: who is let in, who gets no seat, and who is not kept waiting."""

from dataclasses import replace
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.web import Limits, Site, Store, make_app
from evenhand.web.links import make_address
from evenhand.web.store import judging, people
from stored_campaigns import LEFT, judge_next, make_pairs, name_worker

ANN, BEN, CAI = (name_worker(one) for one in ("ann", "ben", "cai"))


def launch(store: Store, **settings: Any) -> str:
    """Launch a campaign; return the address of the crowd's link, up to the name of a worker."""
    store.launch(replace(make_pairs(), **settings))
    platform = store.campaign.platform
    link = make_address("", "crowd", store.do(people.replace_link, "crowd").token, platform)
    return link.partition("=")[0] + "="


def browse(store: Store, **settings: Any) -> TestClient:
    """A browser of its own."""
    return TestClient(make_app(Site(store, **settings)), raise_server_exceptions=False)


def come(client: TestClient, address: str) -> str:
    """Look at the page and press its button; return where that leads, "" for nowhere."""
    client.get(address)
    told = client.post(address, follow_redirects=False)
    return told.headers["location"] if told.status_code == 303 else ""


def test_each_worker_gets_a_page_and_comes_back_to_it(store: Store) -> None:
    link = launch(store)
    with browse(store) as one, browse(store) as two:
        pages = [come(one, link + ANN), come(two, link + BEN), come(one, link + ANN)]
        assert pages[0] == pages[2] != pages[1]
        names = [store.identify(page.removeprefix("/j/")).judge for page in pages]
        assert names == ["j0", "j1", "j0"]
        told = one.post(link + CAI)
        assert (told.status_code, "places" in told.json()["error"]) == (409, True)


def test_whoever_says_the_name_of_another_worker_gets_nothing_of_theirs(store: Store) -> None:
    """The attack of a worker who knows another one's name, by the page and without it."""
    link = launch(store)
    with browse(store) as victim, browse(store) as thief:
        page = come(victim, link + ANN)
        victim.post(f"{page}/consent", json={})
        item = victim.get(f"{page}/item").json()
        sent = {"ticket": item["ticket"], "key": item["key"], "answer": LEFT}
        assert victim.post(f"{page}/answer", json=sent).status_code == 200
        own = come(thief, link + BEN)
        before = store.head()
        for _ in range(8):
            assert come(thief, link + ANN) == ""
        told = thief.post(link + ANN)
        assert (told.status_code, "another browser" in told.json()["error"]) == (409, True)
        assert store.head() == before
        assert own not in ("", page)
        assert come(victim, link + ANN) == page
        assert victim.get(f"{page}/item").status_code == 200
    assert [one.kind for one in store.records()][-1] == "enter"


def test_the_organiser_is_told_by_pseudonym_that_somebody_was_not_let_in(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    link = launch(store)
    with browse(store) as victim, browse(store) as thief:
        come(victim, link + ANN)
        come(thief, link + ANN)
        come(thief, link + ANN)
    [said] = caplog.messages
    assert "j0" in said
    assert ANN not in said


def test_the_secret_is_kept_from_scripts_and_other_sites(store: Store) -> None:
    link = launch(store)
    for address in ("", "https://example.org"):
        with browse(store, prefix="/study", address=address) as client:
            kept = client.get(link + ANN).headers["set-cookie"]
            words = {one.strip().lower() for one in kept.split(";")[1:]}
            assert {"httponly", "samesite=lax", "path=/study/crowd/"} <= words
            assert ("secure" in words) == bool(address)
            assert ANN not in kept


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_to_look_at_the_link_takes_no_seat(store: Store, method: str) -> None:
    link = launch(store)
    with browse(store) as client:
        assert client.request(method, link + ANN).status_code == 200
    assert {one.state for one in store.judges()} == {"vacant"}


def test_another_sites_page_takes_no_seat_for_who_looks_at_it(store: Store) -> None:
    link = launch(store)
    with browse(store) as client:
        for headers in ({"sec-fetch-site": "cross-site"}, {"origin": "https://elsewhere.example"}):
            assert client.post(link + ANN, headers=headers).status_code == 403
    assert {one.state for one in store.judges()} == {"vacant"}


def test_one_visitor_keeps_nobody_else_out(store: Store) -> None:
    """The link is one for all: whoever asks too fast waits alone."""
    link = launch(store)
    app = make_app(Site(store, limits=Limits(per_second=0.001, burst=3)))
    with (
        TestClient(app, client=("10.0.0.1", 1)) as fast,
        TestClient(app, client=("10.0.0.2", 1)) as ann,
    ):
        assert [fast.get(link + BEN).status_code for _ in range(5)][-2:] == [429, 429]
        assert ann.get(link + ANN).status_code == 200


def test_whoever_answered_nothing_gets_no_completion_code(store: Store) -> None:
    wording = replace(make_pairs().wording, consent="", completion_code="C7")
    link = launch(store, wording=wording)
    guest = store.invite("guest").token
    with browse(store) as client:
        told = client.get(f"/j/{guest}/item").json()
        assert (told["state"], told["code"]) == ("done", "")
        page = come(client, link + ANN)
        while store.do(judging.serve, "j0") is not None:
            judge_next(store, "j0")
        assert client.get(f"{page}/item").json()["code"] == "C7"


def test_a_preview_of_mechanical_turk_takes_no_seat(store: Store) -> None:
    link = launch(store, platform="mturk")
    with browse(store) as client:
        told = client.post(f"{link}A2SUAM1FHJ7AB3&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
        assert (told.status_code, "preview" in told.json()["error"]) == (409, True)


def test_two_workers_share_a_browser(store: Store) -> None:
    link = launch(store)
    with browse(store) as client:
        first, second = come(client, link + ANN), come(client, link + BEN)
        assert first != second
        assert (come(client, link + ANN), come(client, link + BEN)) == (first, second)


@pytest.mark.parametrize("platform", ["prolific", "mturk", "other"])
def test_the_link_as_the_organiser_has_it_takes_no_seat(store: Store, platform: str) -> None:
    launch(store, platform=platform)
    link = make_address("", "crowd", store.do(people.replace_link, "crowd").token, platform)
    with browse(store) as client:
        for told in (client.get(link), client.post(link)):
            assert told.status_code == 409
            wanted = "placeholder" if platform == "prolific" else "names no worker"
            assert wanted in told.json()["error"]
    assert {one.state for one in store.judges()} == {"vacant"}


@pytest.mark.parametrize(
    ("platform", "right", "wrong"),
    [
        ("prolific", [ANN], ["ann", ANN.upper(), ANN + "0", ANN[:-1], ANN[:-1] + "g", "\n" + ANN]),
        (
            "mturk",
            ["A2SUAM1FHJ7AB3"],
            ["a2suam1fhj7ab3", "AB12", "B2SUAM1FHJ7AB3", "A2SUAM1FHJ7AB-"],
        ),
        ("other", ["lab-7", "ann@example.org"], ["a b", "{{id}}", "x" * 201, "<id>", "a%b", "a\0"]),
    ],
)
def test_names_that_no_worker_of_the_platform_has_are_refused(
    store: Store, platform: str, right: list[str], wrong: list[str]
) -> None:
    link = launch(store, platform=platform)
    path, name = link.removesuffix("=").split("?")
    with browse(store) as client:
        for worker in wrong:
            told = client.post(path, params={name: worker})
            assert (told.status_code, told.json()["word"]) == (409, "refused")
        assert {one.state for one in store.judges()} == {"vacant"}
        for worker in right:
            told = client.post(path, params={name: worker}, follow_redirects=False)
            assert told.status_code == 303
