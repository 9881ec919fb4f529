"""The organiser's page: what it shows, what it does, what can be taken home."""

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import evenhand
from evenhand.web import Store
from evenhand.web.dashboard import read_pace, say_pace, summarize_progress
from evenhand.web.store import judging, people
from evenhand.web.store.audit import audit
from stored_campaigns import RIGHT, HandClock, fill, judge_next, make_pairs

pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def admin(store: Store) -> str:
    fill(store)
    return f"/a/{store.do(people.replace_link, 'admin').token}"


def order(client: TestClient, admin: str, what: str, **told: str) -> Any:
    return client.post(f"{admin}/do", json={"what": what, **told})


def test_the_page_counts_what_is_judged_and_what_remains(
    client: TestClient, store: Store, admin: str
) -> None:
    judge_next(store, "j0")
    judge_next(store, "j0")
    page = client.get(admin).text
    assert "<strong>2</strong><span>judged</span>" in page
    assert "<strong>4</strong><span>remaining</span>" in page


def test_pause_and_resume(client: TestClient, store: Store, admin: str) -> None:
    assert order(client, admin, "pause").status_code == 200
    assert store.paused
    assert "paused</span>" in client.get(admin).text
    assert order(client, admin, "resume").status_code == 200
    assert not store.paused


def test_a_revoked_seat_goes_to_the_next_judge(
    client: TestClient, store: Store, admin: str
) -> None:
    assert order(client, admin, "revoke", judge="j0").status_code == 200
    told = order(client, admin, "invite", judge="new", seat="j0", note="Ann & <b>Ben</b>")
    assert told.status_code == 200
    assert "Ann &amp; &lt;b&gt;Ben&lt;/b&gt;" in client.get(admin).text
    assert judge_next(store, "new").judge == "new"


def test_to_forget_and_to_join_are_said_in_the_log(
    client: TestClient, store: Store, admin: str
) -> None:
    assert order(client, admin, "join", judge="j1", person="j0").status_code == 200
    assert order(client, admin, "forget", judge="j1").json()["message"].endswith("j0, j1.")
    assert [one.kind for one in store.records()][-2:] == ["join", "forget"]
    assert order(client, admin, "join", judge="j1", person="nobody").status_code == 404


def test_downloads_are_read_by_evenhand_and_verify(
    client: TestClient, store: Store, admin: str, tmp_path: Path
) -> None:
    for answer in ({"outcome": "left", "comment": 'says "a, b"'}, RIGHT):
        judge_next(store, "j0", answer)
    for name in ("comparisons.csv", "log.jsonl"):
        (tmp_path / name).write_bytes(client.get(f"{admin}/download/{name}").content)
    data: Any = evenhand.read(tmp_path / "comparisons.csv")
    assert data.count_judgments() == 2
    assert audit(str(tmp_path / "log.jsonl")).holds
    assert client.get(f"{admin}/download/campaign.json").json()["name"] == "pairs"


@pytest.mark.parametrize("name", ["ratings.csv", "log.csv", "comparisons", "..%2Fcampaign.db"])
def test_there_are_no_other_downloads(client: TestClient, admin: str, name: str) -> None:
    assert client.get(f"{admin}/download/{name}").status_code == 404


def test_the_pace_is_of_those_who_have_something_left(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    fill(store, make_pairs(items=48))
    admin = f"/a/{store.do(people.replace_link, 'admin').token}"
    for _ in range(12):
        clock.wait(100)
        judge_next(store, "j1")
    while store.do(judging.serve, "j0") is not None:  # fast, and then done
        clock.wait(1)
        judge_next(store, "j0")
    told = summarize_progress(store)
    left = told["total"] - told["done"]
    assert left > 0
    stretch = 11 * 100 + (told["done"] - 12)
    assert told["pace"] == say_pace(left, 11 / stretch)
    assert read_pace(store, ["j1"]) == pytest.approx(11 / stretch)
    assert "at the current pace" in client.get(admin).text
