"""The organiser's page: what it shows, what it does, what can be taken home."""

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import evenhand
from documents import make_documents
from evenhand.design.campaign import Pay
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store, make_app
from evenhand.web.dashboard import say_pace, summarize_progress
from evenhand.web.downloads import Activity, AnswerTables, list_files, list_pass
from evenhand.web.findings import find
from evenhand.web.links import KeptLinks, write_links
from evenhand.web.store import judging, people
from evenhand.web.store.audit import audit, check_collected, check_store
from evenhand.web.store.judging import Reply
from stored_campaigns import (
    LEFT,
    RIGHT,
    HandClock,
    fill,
    judge_next,
    list_judgments,
    make_pairs,
    reply_to,
    take,
)


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


def read_pay(client: TestClient, store: Store) -> list[dict[str, str]]:
    admin = store.do(people.replace_link, "admin").token
    text = client.get(f"/a/{admin}/download/pay.csv").text
    return list(csv.DictReader(text.splitlines()))


def take_time(store: Store, clock: HandClock, judge: str, seconds: float) -> None:
    """Let a judge see a question for so long, and answer it."""
    served = take(store, judge)
    clock.wait(seconds)
    store.do(judging.append, reply_to(served, seconds=seconds))


def test_the_pay_sheet_counts_answers_and_active_time_and_cuts_pauses(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    pay = Pay(per_hour=12, per_answer=0.05, currency="EUR")
    fill(store, replace(make_pairs(), pay=pay))
    for seconds in (90, 30_000):  # the second has a pause, of which five minutes count
        take_time(store, clock, "j0", seconds)
    judge_next(store, "j1", seconds=None)
    one, other = read_pay(client, store)
    assert (one["judge"], one["answers"], one["active_minutes"]) == ("j0", "2", "6.50")
    assert (one["amount"], one["currency"]) == ("1.40", "EUR")  # 12 * 6.5 / 60 + 2 * 0.05
    assert (other["answers"], other["active_minutes"], other["amount"]) == ("1", "", "")
    assert {one["completed"], other["completed"]} == {"no"}
    while store.do(judging.serve, "j0") is not None:
        judge_next(store, "j0", seconds=1)
    assert read_pay(client, store)[0]["completed"] == "yes"
    page = client.get(f"/a/{store.do(people.replace_link, 'admin').token}").text
    states = re.findall(r'data-label="state">(\w+)<', page)
    assert states[:2] == ["finished", "active"]


def test_no_more_time_is_paid_than_has_passed_on_the_server(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    fill(store, replace(make_pairs(items=36, judges=3), pay=Pay(per_hour=12, currency="EUR")))
    for seconds in (40, 500, 40):  # more than 300 are a pause
        take_time(store, clock, "j1", seconds)
    for _ in range(12):  # in 24 seconds
        served = take(store, "j0")
        clock.wait(2)
        store.do(judging.append, reply_to(served, seconds=1e6))
    rows = {row["judge"]: row for row in read_pay(client, store)}
    assert (rows["j0"]["answers"], rows["j0"]["active_minutes"]) == ("12", "0.40")
    assert rows["j0"]["amount"] == "0.08"  # 12 * 24 / 3600
    assert rows["j1"]["active_minutes"] == "6.33"  # 380 seconds
    page = client.get(f"/a/{store.do(people.replace_link, 'admin').token}/findings").text
    shown = {name: page.partition(f'<tr data-judge="{name}">')[2] for name in ("j0", "j1")}
    assert "time overstated</summary>" in shown["j0"].partition("</tr>")[0]
    assert "12 of 12 answers claim more time than had passed" in shown["j0"].partition("</tr>")[0]
    assert "time overstated" not in shown["j1"].partition("</tr>")[0]


def test_time_before_an_answer_was_undone_or_mended_is_paid(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    """The page adds the time of a question that was left for the one before, and comes again."""
    fill(store)
    first = take(store, "j0")
    clock.wait(10)
    store.do(judging.append, reply_to(first, seconds=10))
    take(store, "j0")
    clock.wait(20)  # over the second one, before the first is taken back
    again = store.do(judging.undo, "j0")
    clock.wait(5)
    store.do(judging.append, reply_to(again, seconds=5))
    second = take(store, "j0")
    clock.wait(10)
    store.do(judging.append, reply_to(second, seconds=30))
    assert read_pay(client, store)[0]["active_minutes"] == "0.58"  # 35 seconds
    (did,) = [one for one in read_activity(store) if one.judge == "j0"]
    assert (did.active, did.overstated) == (35, 0)


def test_answers_of_documents_that_are_mended_are_paid_and_no_more_than_has_passed(
    store: Store, clock: HandClock
) -> None:
    fill(store, make_documents())
    records = []
    for _ in range(3):  # a minute for each segment, and half a minute more after all
        served = take(store, "ann")
        clock.wait(60)
        records.append(store.do(judging.append, reply_to(served, {"score": 50}, seconds=60)))
    for n, record in enumerate(records):
        clock.wait(30)
        number = record.ticket.number if record.ticket else -1
        told = Reply("ann", number, {"score": 60}, f"again-{n}", 30, record.number)
        records[n] = store.do(judging.append, told)
    (did,) = read_activity(store)
    assert (did.n, did.active, did.overstated) == (3, 270, 0)
    for n, record in enumerate(records):
        number = record.ticket.number if record.ticket else -1
        told = Reply("ann", number, {"score": 70}, f"more-{n}", 9_000, record.number)
        store.do(judging.append, told)
    (did,) = read_activity(store)
    assert did.active == 270
    rows = list_pass(store, store.campaign.tasks[0])
    start = 1_000_000.0  # of the clock; no segment was shown before it was served
    assert [float(row["shown_at"]) - start for row in rows] == [0, 60, 120]
    assert check_store(store).holds


def read_activity(store: Store) -> tuple[Activity, ...]:
    tables = AnswerTables(store)
    tables.open_tables()
    return tables.list_activity()


@pytest.fixture
def kept(store: Store, tmp_path: Path) -> Iterator[tuple[TestClient, str]]:
    """A server that keeps links in a file, as `evenhand serve` does, and the organiser's path."""
    store.launch(make_pairs())
    tokens = write_links(store, tmp_path / "links.csv", "http://testserver")
    site = Site(store, links=KeptLinks(store, tmp_path / "links.csv", "http://testserver"))
    with TestClient(make_app(site)) as client:
        yield client, f"/a/{tokens['admin', '']}"


def read_invitations(client: TestClient, admin: str) -> dict[str, dict[str, str]]:
    text = client.get(f"{admin}/invitations.csv").text
    return {row["judge"]: row for row in csv.DictReader(text.splitlines())}


def test_invitations_hold_name_address_and_a_link_that_works(
    kept: tuple[TestClient, str],
) -> None:
    client, admin = kept
    order(client, admin, "note", judge="j0", note="Ann Lee <ann@example.org>, later")
    rows = read_invitations(client, admin)
    assert [(one["name"], one["email"], one["questions"]) for one in rows.values()] == [
        ("Ann Lee", "ann@example.org", "3"),
        ("j1", "", "3"),
    ]
    assert client.get(f"{rows['j0']['link']}/item").json()["state"] == "consent"
    order(client, admin, "note", judge="j0", note="=1+1 ann@example.org")
    assert read_invitations(client, admin)["j0"]["name"] == "'=1+1"
    order(client, admin, "note", judge="j0", note="Ann\r\nLee <ann@example.org>")
    assert read_invitations(client, admin)["j0"]["name"] == "Ann Lee"


def test_a_link_is_copied_and_replaced_and_is_gone_with_its_judge(
    kept: tuple[TestClient, str],
) -> None:
    client, admin = kept
    first = order(client, admin, "link", judge="j0").json()["link"]
    assert first == read_invitations(client, admin)["j0"]["link"]
    made = order(client, admin, "invite", judge="j0", note="Ann").json()["link"]
    assert made == order(client, admin, "link", judge="j0").json()["link"] != first
    assert read_invitations(client, admin)["j0"]["name"] == "Ann"
    assert client.get(f"{first}/item").status_code == 404
    order(client, admin, "forget", judge="j0")
    assert [*read_invitations(client, admin)] == ["j1"]
    refused = order(client, admin, "link", judge="j0")
    assert refused.status_code == 409
    assert "make a new link" in refused.json()["error"]
    assert order(client, admin, "note", judge="j0", note="Ann").status_code == 403


def test_who_answers_faster_than_anybody_reads_is_named_with_the_count(
    client: TestClient, store: Store, clock: HandClock
) -> None:
    words = "word " * 20
    items = [{"item": str(n), "outputs": {s: f"{words}{s}" for s in "AB"}} for n in range(20)]
    told = {"name": "c", "judges": ["ann", "ben"], "design": {"judges_per_item": 2}}
    fill(store, make_campaign({**told, "tasks": [{"kind": "pair", "name": "t"}], "items": items}))
    for n in range(20):  # 42 words at 600 a minute take 4.2 seconds
        take_time(store, clock, "ann", 4.1 if n < 5 else 4.3)
        take_time(store, clock, "ben", 4.3)
    page = client.get(f"/a/{store.do(people.replace_link, 'admin').token}/findings").text
    rows = {
        name: page.partition(f'<tr data-judge="{name}">')[2].partition("</tr>")[0]
        for name in ("ann", "ben")
    }
    assert "<summary>too fast</summary>" in rows["ann"]  # in bold type who is left out
    assert "marked too fast, time overstated or undecided are for you to look at, and count" in page
    assert "5 of 20 answers came in less time than reading the outputs takes" in rows["ann"]
    assert 'data-label="at least">4.2</td>' in rows["ben"]
    assert 'data-label="active minutes">1.4</td>' in rows["ben"]  # 20 of 4.3 seconds
    assert "too fast" not in rows["ben"]


ITEMS = [{"item": str(n), "outputs": {s: f"{s}{n}" for s in "ABC"}} for n in range(6)]
SHOWN = {"pair": ("g", "b"), "rank": ("g", "b", "w"), "rank of two": ("g", "b")}


def make(kind: str) -> dict[str, Any]:
    sizes = {"rank": {"n": 3}, "rank of two": {"n": 2}}
    task = {"kind": kind.partition(" ")[0], "name": "t", "comment": True} | sizes.get(kind, {})
    design = {"judges_per_item": 2, "controls": 2}
    told = {"name": "c", "judges": ["ann", "ben"], "tasks": [task], "design": design}
    known = [
        {"item": f"c{n}", "outputs": {s: f"{s} says" for s in SHOWN[kind]}, "expected": "g"}
        for n in range(4)
    ]
    return {**told, "items": [*ITEMS, *known]}


def say(systems: tuple[str, ...], kind: str, *, right: bool) -> dict[str, Any]:
    """Prefer the good one of a control, or the other one."""
    if kind == "pair":
        return {"outcome": "left" if (systems[0] == "g") == right else "right"}
    places = sorted(systems, key=lambda one: (one == "g") != right)
    return {"ranks": [places.index(one) + 1 for one in systems]}


@pytest.mark.parametrize("kind", ["pair", "rank", "rank of two"])
def test_controls_right_and_wrong_are_counted_by_judge(store: Store, kind: str) -> None:
    fill(store, make_campaign(make(kind)))
    for judge in ("ann", "ben"):
        while (served := store.do(judging.serve, judge)) is not None:
            judge_next(store, judge, say(served.ticket.systems, kind, right=judge == "ann"))
    found = {one.judge: one for one in find(AnswerTables(store)).activity}
    asked = sum(1 for one in list_judgments(store) if one.ticket and one.ticket.kind == "control")
    assert asked == 4
    assert [(found[one].right, found[one].controls) for one in ("ann", "ben")] == [(2, 2), (0, 2)]


def test_comments_stand_on_the_page_until_they_are_taken_back(
    client: TestClient, store: Store
) -> None:
    fill(store, make_campaign(make("pair")))
    page = f"/a/{store.do(people.replace_link, 'admin').token}/comments"
    assert "There are no comments yet" in client.get(page).text
    judge_next(store, "ann", {**LEFT, "comment": "<b>neither</b> is good"})
    judge_next(store, "ben", LEFT)
    told = client.get(page).text
    assert "&lt;b&gt;neither&lt;/b&gt; is good" in told
    assert told.count("<li>") == 1
    store.forget("ann")
    assert "neither" not in client.get(page).text


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
    left = told["remaining"]
    assert left > 0
    stretch = 11 * 100 + (told["judged"] - 12)
    assert told["pace"] == say_pace(left, 11 / stretch)
    assert "at the current pace" in client.get(admin).text


def test_links_are_in_the_invitations_alone(kept: tuple[TestClient, str], store: Store) -> None:
    client, admin = kept
    tokens = [one["link"].rpartition("/")[2] for one in read_invitations(client, admin).values()]
    judge_next(store, "j0")
    pages = [admin, f"{admin}/findings", f"{admin}/board.json", f"{admin}/comments"]
    pages += [f"{admin}/download/{one}" for one in list_files(store)]
    for page in pages:
        reply = client.get(page)
        assert reply.status_code == 200
        assert not any(one in reply.text for one in tokens)


def test_a_server_that_keeps_no_links_offers_none(client: TestClient, admin: str) -> None:
    assert client.get(f"{admin}/invitations.csv").status_code == 404
    assert order(client, admin, "link", judge="j0").status_code == 409
    assert "invitations.csv" not in client.get(admin).text


def test_without_rates_the_pay_sheet_has_no_amounts_and_notes_run_nothing(
    client: TestClient, store: Store, admin: str
) -> None:
    order(client, admin, "revoke", judge="j0")
    order(client, admin, "invite", judge="new", seat="j0", note="=HYPERLINK(1)")
    rows = {one["judge"]: one for one in read_pay(client, store)}
    assert rows["new"]["note"] == "'=HYPERLINK(1)"
    assert "amount" not in rows["new"]


def test_rates_are_of_the_campaign_and_shown_before_it_begins(
    client: TestClient, store: Store
) -> None:
    rates = {"per_hour": 12, "per_answer": 0.05, "currency": "EUR"}
    planned = make_pairs()
    assert "pay" not in planned.to_dict()
    told = make_campaign({**planned.to_dict(), "pay": rates})
    assert told.to_dict()["pay"] == rates
    assert told.digest != planned.digest
    page = client.get(f"/j/{fill(store, told)['j0']}/item").json()
    assert page["pay"] == "12 EUR per hour and 0.05 EUR per answer"
    assert page["questions"] == 3


@pytest.mark.parametrize("name", ["ratings.csv", "log.csv", "comparisons", "..%2Fcampaign.db"])
def test_there_are_no_other_downloads(client: TestClient, admin: str, name: str) -> None:
    assert client.get(f"{admin}/download/{name}").status_code == 404


def test_promises_on_the_page_are_those_of_plan_check(
    client: TestClient, store: Store, tmp_path: Path
) -> None:
    campaign = make_campaign(make("pair"))
    fill(store, campaign)
    page = f"/a/{store.do(people.replace_link, 'admin').token}/promises"
    client.app.state.analysis.promises.rest = 0  # type: ignore[attr-defined]
    assert "There are no answers yet" in client.get(page).text
    for judge in ("ann", "ben"):
        while store.do(judging.serve, judge) is not None:
            judge_next(store, judge, LEFT)
    told = client.get(page).text
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{one.write()}\n" for one in store.lines()), encoding="utf-8")
    _, check = check_collected(str(log), campaign)
    assert check.holds
    assert f"<p>{len(check.kept)} promises are kept so far" in told
    assert [one.name in told for one in check.guarantees] == [True] * len(check.guarantees)
    assert told.count("<dt>") == len(check.guarantees)
