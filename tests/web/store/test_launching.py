"""Tickets that come later, and the tables that answers of each kind make."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from evenhand.data.coding import SEED
from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import Ticket
from evenhand.errors import CampaignError
from evenhand.web import Store
from evenhand.web.downloads import open_download
from evenhand.web.links import write_links
from evenhand.web.store import judging
from evenhand.web.store.audit import check_store
from evenhand.web.store.log import UnknownLink
from stored_campaigns import (
    fill,
    invite_all,
    issue,
    judge_next,
    list_judgments,
    make_pairs,
    reply_to,
    take,
)


def test_a_ticket_of_a_policy_comes_after_those_of_the_design(store: Store) -> None:
    fill(store)
    for _ in range(3):
        judge_next(store, "j0")
    assert store.do(judging.serve, "j0") is None
    asked = store.do(issue, Ticket(-1, "j0", "better", "i1", ("B", "A")))
    assert asked.number == 6
    served = take(store, "j0")
    assert (served.ticket, served.place, served.total) == (asked, 4, 4)
    store.do(judging.append, reply_to(served))
    assert len(list(list_judgments(store))) == 4
    assert check_store(store).holds


def test_half_a_launch_is_no_launch(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from evenhand.web.store import people as launching

    def break_off(*_: object, fields: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(launching, "Entry", break_off)
    with pytest.raises(ZeroDivisionError):
        store.launch(make_pairs())
    assert store.find_campaign() is None
    monkeypatch.undo()
    assert store.launch(make_pairs())


def test_of_two_servers_that_start_together_one_launches(where: str) -> None:
    campaign = make_pairs(items=500)
    with Store.open(where) as one, Store.open(where) as two, ThreadPoolExecutor(2) as pool:
        gate = Barrier(2)

        def launch(store: Store) -> bool:
            assert store.find_campaign() is None
            gate.wait()
            return store.launch(campaign)

        assert sorted(pool.map(launch, (one, two))) == [False, True]
        assert check_store(one).holds
        assert two.campaign == one.campaign
        assert one.campaign.has_secret_seed
        assert replace(two.campaign, seed=None) == campaign


def test_a_launch_draws_a_seed_that_the_organiser_takes_home(store: Store, where: str) -> None:
    planned = make_pairs()
    store.launch(planned)
    invite_all(store)
    seed = store.campaign.seed
    assert seed is not None
    assert seed.bit_length() == 192
    home = json.loads(b"".join(open_download(store, "campaign.json") or ()))
    assert int(home["seed"], 16) == seed
    again, log = assign(make_campaign(home)), list(store.records())
    assert log[0].facts["seed"] == home["seed"]
    assert log[0].facts["assignment"] == again.digest
    numbers = [one.number for one in again if one.judge == "j0"]
    served = take(store, "j0").ticket
    assert served == again[numbers[0]]
    assert not store.launch(replace(planned, seed=seed))
    with pytest.raises(CampaignError, match="something else"):
        store.launch(replace(planned, seed=SEED))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"title": "New"}, r"\(title\): put back the file"),
        ({"pay": {"per_hour": 8, "currency": "EUR"}}, r"\(per_hour of \[pay\]\): put back"),
        ({"pay": {}}, r"\(per_hour of \[pay\], currency of \[pay\]\): put back"),
        (
            {"tasks": [{"kind": "pair", "name": "p", "question": "Which?"}]},
            r"\(question of task 'p'\)",
        ),
        ({"design": {"judges_per_item": 2}}, r"\(judges_per_item of \[design\]\)"),
        ({"judges": ["j1"]}, r"\(judge 'j2' was taken out\): put back"),
        ({"judges": ["j2", "j1"]}, r"\(the order of judges\): put back"),
        (
            {"judges": ["j1", "j2", "j3"]},
            r"\(judge 'j3' was added\): .*invite them into free seats on the org",
        ),
        ({"judges": ["j1", "j2", "j3"], "title": "New"}, r"\(title, judge 'j3' was added\): put"),
        (
            {"items": [{"item": "1", "outputs": {"A": "x", "B": "z"}}]},
            r"\(B of outputs of item '1'\)",
        ),
        ({"items": [{"item": "1", "outputs": {"B": "y", "A": "x"}}]}, r"\(the order of systems"),
    ],
)
def test_a_campaign_that_was_changed_is_refused_by_what_was_changed(
    store: Store, change: dict[str, Any], says: str
) -> None:
    told: dict[str, Any] = {
        "name": "c",
        "title": "Old",
        "judges": ["j1", "j2"],
        "pay": {"per_hour": 9, "currency": "EUR"},
        "tasks": [{"kind": "pair", "name": "p"}],
        "items": [{"item": "1", "outputs": {"A": "x", "B": "y"}}],
    }
    store.launch(make_campaign(told))
    assert not store.launch(make_campaign(told))
    with pytest.raises(CampaignError, match=says):
        store.launch(make_campaign({**told, **change}))


def test_links_of_two_servers_on_one_database_are_all_good(where: str, tmp_path: Path) -> None:
    """Each has a file of its own; seats are given once, whoever looked first."""
    with Store.open(where) as one, Store.open(where) as two:
        one.launch(make_pairs())
        first = write_links(one, tmp_path / "one.csv", "http://one")
        second = write_links(two, tmp_path / "two.csv", "http://two")
        for (role, judge), token in [*first.items(), *second.items()]:
            assert (one.identify(token).role, one.identify(token).judge) == (role, judge)
        assert {who for who, _ in second} == {"admin"}
        (tmp_path / "one.csv").unlink()
        again = write_links(one, tmp_path / "one.csv", "http://one")
        with pytest.raises(UnknownLink):
            one.identify(first["admin", ""])
        assert two.identify(again["admin", ""]) == two.identify(second["admin", ""])


def test_tickets_that_break_a_promise_are_not_launched(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ticket shows an output beside itself."""
    campaign = make_pairs(judges_per_item=2)

    def spoil(planned: Campaign) -> Assignment:
        right = assign(planned)
        shown = right.shown.copy()
        shown[0] = shown[0][0]
        return replace(right, shown=shown)

    with monkeypatch.context() as patch:
        patch.setattr("evenhand.web.store.store.assign", spoil)
        with pytest.raises(CampaignError, match=r"does not keep what it promises.*outputs shown"):
            store.launch(campaign)
    assert store.find_campaign() is None
    assert store.launch(campaign)
