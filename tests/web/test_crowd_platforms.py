"""A study of a crowd platform from the first link to the last code, with places given back."""

import csv
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from evenhand.web import Site, Store, make_app
from evenhand.web.links import make_address
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from stored_campaigns import LEFT, HandClock, list_judgments, make_pairs, name_worker

Status = Literal["ACTIVE", "AWAITING REVIEW", "RETURNED", "TIMED-OUT", "REJECTED"]


@dataclass
class Platform:
    address: str  # the link that the organiser gave, up to the first parameter
    code: str  # what a worker must bring back
    name: Literal["prolific", "mturk"] = "prolific"
    submissions: dict[str, Status] = field(default_factory=dict)  # by worker

    def reserve(self, who: str) -> tuple[str, str]:
        """Give a worker a place; return their name and the address that they are sent to."""
        session = name_worker(f"session of {who}")
        if self.name == "prolific":
            worker = name_worker(who)
            sent = {"PROLIFIC_PID": worker, "STUDY_ID": name_worker("study"), "SESSION_ID": session}
        else:
            worker = f"A{name_worker(who)[:13].upper()}"
            submit = "https://www.mturk.com"
            sent = {"workerId": worker, "assignmentId": session, "hitId": name_worker("hit")}
            sent["turkSubmitTo"] = submit
        self.submissions[worker] = "ACTIVE"
        return worker, f"{self.address}?{urlencode(sent)}"

    def submit(self, worker: str, code: str) -> None:
        self.submissions[worker] = "AWAITING REVIEW" if code == self.code else "REJECTED"

    def give_up(self, worker: str, status: Literal["RETURNED", "TIMED-OUT"]) -> None:
        self.submissions[worker] = status


pytestmark = pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
CODE = "C1A2B3C4"


class Worker:
    """Somebody in a browser of their own, sent by the platform."""

    def __init__(self, store: Store, platform: Platform, who: str) -> None:
        self.browser = TestClient(make_app(Site(store)), raise_server_exceptions=False)
        self.name, self.address = platform.reserve(who)

    def come(self) -> bool:
        """Look at the page and press its button; say whether there was a seat."""
        self.browser.get(self.address)
        sent = self.browser.post(self.address, follow_redirects=False)
        self.page = sent.headers.get("location", "")
        return sent.status_code == 303

    def work(self, most: int = 100) -> Any:
        """Answer so many questions; return what is shown then."""
        shown = self.browser.get(f"{self.page}/item").json()
        while shown.get("state") == "item" and most:
            told = {"ticket": shown["ticket"], "key": shown["key"], "answer": LEFT, "seconds": 30}
            shown = self.browser.post(f"{self.page}/answer", json=told).json()["next"]
            most -= 1
        return shown


@pytest.mark.parametrize("name", ["prolific", "mturk"])
def test_a_study_ends_with_a_code_for_each_seat_and_returned_places_go_to_others(
    store: Store, clock: HandClock, name: Literal["prolific", "mturk"]
) -> None:
    wording = replace(make_pairs().wording, consent="", completion_code=CODE)
    store.launch(replace(make_pairs(6, 3), wording=wording, platform=name))  # two questions each
    token = store.do(people.replace_link, "crowd").token
    platform = Platform(make_address("", "crowd", token, name).partition("?")[0], CODE, name)
    ann, ben, cai, dan, eve = (
        Worker(store, platform, one) for one in ["ann", "ben", "cai", "dan", "eve"]
    )

    assert (ann.come(), ben.come(), cai.come()) == (True, True, True)
    assert not dan.come()  # as many workers as seats are here
    platform.submit(ann.name, ann.work()["code"])
    # one returns the task after an answer, another one goes away and says nothing
    assert ben.work(1)["state"] == "item"
    ben.browser.post(f"{ben.page}/leave", json={})
    platform.give_up(ben.name, "RETURNED")
    assert cai.work(0)["state"] == "item"
    assert dan.come()
    assert not eve.come()
    clock.wait(61)  # a ticket is lent for a minute here
    platform.give_up(cai.name, "TIMED-OUT")
    assert dan.work(0)["place"] == 2  # what was answered in the seat stays answered
    platform.submit(dan.name, dan.work()["code"])
    assert eve.come()
    platform.submit(eve.name, eve.work()["code"])
    # neither who came back too late nor who returned the task gets a code
    assert cai.browser.get(f"{cai.page}/item").json().get("code", "") == ""
    assert ben.browser.get(f"{ben.page}/item").json()["word"] == "shut-out"

    assert len(list(list_judgments(store))) == 6
    assert check_store(store).holds
    admin = store.do(people.replace_link, "admin").token
    with TestClient(make_app(Site(store))) as organiser:
        sheet = organiser.get(f"/a/{admin}/download/pay.csv").text
    paid = {row["worker"]: row["answers"] for row in csv.DictReader(sheet.splitlines())}
    claimed = {one for one, how in platform.submissions.items() if how == "AWAITING REVIEW"}
    assert claimed == {ann.name, dan.name, eve.name}
    assert {one for one, answers in paid.items() if answers != "0"} == {*claimed, ben.name}
    assert {one: paid[one] for one in (ann.name, ben.name, dan.name, eve.name)} == {
        ann.name: "2",
        ben.name: "1",
        dan.name: "1",
        eve.name: "2",
    }
