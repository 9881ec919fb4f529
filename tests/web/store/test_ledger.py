"""What a policy knows: followed from the log, counted from the tables, or counted by hand."""

from pathlib import Path
from typing import Any

import pytest

from evenhand.web import Store
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.database import WriteTransaction
from evenhand.web.store.judging import Answering
from evenhand.web.store.policy import AssignmentLedger, build_ledger, find_expired
from policy_campaigns import Truth, list_judged, make_chosen, open_campaign
from stored_campaigns import HandClock, list_judgments, reply_to, take

JUDGES = ["judge-1", "judge-2", "judge-3", "judge-4"]


def list_all(ledger: AssignmentLedger) -> dict[str, Any]:
    """Everything that a ledger holds, to be compared."""
    pairs = ledger.pairs
    people = {name: vars(one) for name, one in ledger._known.items()}
    return {
        "asked": ledger.asked,
        "begun": ledger.begun,
        "held": {unit: sorted(held) for unit, held in ledger._held.items() if held},
        "full": {pair: mask.tolist() for pair, mask in ledger._full.items() if mask.any()},
        "load": ledger._load.tolist(),
        "used": ledger._used.tolist(),
        "answers": pairs.answers,
        **{name: getattr(pairs, name).tolist() for name in ("counts", "waiting", "sides")},
        "items": {name: one["items"].tolist() for name, one in people.items()},
        "groups": {name: one["groups"].tolist() for name, one in people.items()},
        "seen": {
            name: {pair: items for pair, items in one["units"].items() if items}
            for name, one in people.items()
        },
        "own": {
            name: {pair: n for pair, n in one["sides"].items() if n} for name, one in people.items()
        },
    }


def look(store: Store) -> tuple[AssignmentLedger, AssignmentLedger]:
    """The ledger that was followed, and the one that is counted anew."""

    def work(tx: WriteTransaction) -> tuple[AssignmentLedger, AssignmentLedger]:
        assert store._assigner is not None
        followed = store._assigner._catch_up(tx)
        anew = build_ledger(tx, store.campaign)
        for ticket in find_expired(tx):
            anew.give_up(ticket)
        return followed, anew

    return store.do(work)


@pytest.fixture
def ran(store: Store, clock: HandClock) -> Store:
    """A campaign in which everything happened that can, half of it done."""
    settings = {"judgments": 90, "judges_per_item": 2, "controls": 1, "repeats": 1, "lag": 2}
    open_campaign(store, make_chosen(items=30, **settings))
    truth = Truth(1)
    truth.judge_all(store, JUDGES, most=24)
    store.do(judging.undo, "judge-1")
    first = list_judged(store)[-1]
    store.do(judging.append, truth.reply(take(store, "judge-1")))
    last = [one for one in list_judgments(store) if one.judge == first.judge][-1]
    assert last.ticket is not None
    told = {"outcome": "tie"}
    again = {"judge": first.judge, "ticket": last.ticket.number, "answer": told, "key": "again"}
    from evenhand.web.store.judging import Reply

    store.do(judging.append, Reply(**again, replaces=last.number))
    store.revoke("judge-2")
    store.invite("heir", seat="judge-2")
    truth.judge_all(store, ["heir", "judge-3"], most=8)
    clock.wait(61)
    truth.judge_all(store, ["judge-4"], most=6)
    store.do(people.leave, "judge-3")
    truth.judge_all(store, ["judge-1"], most=3)
    return store


def test_following_the_log_comes_to_what_the_tables_hold(ran: Store) -> None:
    followed, anew = look(ran)
    assert list_all(followed) == list_all(anew)
    assert followed.late == anew.late


def test_after_a_restart_nothing_is_lost(tmp_path: Path, clock: HandClock) -> None:
    where, truth = str(tmp_path / "campaign.db"), Truth(2)
    campaign = make_chosen(judgments=60, judges_per_item=2)
    with Store.open(where, lease=60, start=clock.start) as store:
        assignment = open_campaign(store, campaign)
        truth.judge_all(store, JUDGES, most=30)
        before, shown = list_all(look(store)[0]), [take(store, one) for one in JUDGES]
    with Store.open(where, lease=60, start=clock.start) as store:
        assert list_all(look(store)[0]) == before
        assert [take(store, one) for one in JUDGES] == shown
        truth.judge_all(store, JUDGES)
        assert len(list_judged(store)) == len(assignment)
        assert check_store(store).holds


def test_two_servers_on_one_database_know_of_each_other(where: str, clock: HandClock) -> None:
    with (
        Store.open(where, lease=60, start=clock.start) as one,
        Store.open(where, lease=60, start=clock.start) as other,
    ):
        open_campaign(one, make_chosen(judgments=80))
        truth = Truth(3)
        while truth.judge_all(one, JUDGES, most=5) + truth.judge_all(other, JUDGES, most=5):
            assert list_all(look(one)[0]) == list_all(look(other)[0])
        units = [
            (each.item, frozenset(each.systems))
            for each in list_judged(one)
            if each.kind == "target"
        ]
        assert len(units) == len(set(units)) == 80
        assert check_store(one).holds


def test_what_could_not_be_stored_was_not_chosen(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_campaign(store, make_chosen(judgments=60))
    Truth(4).judge_all(store, JUDGES, most=20)
    before = list_all(look(store)[1])

    def break_off(_: WriteTransaction) -> None:
        raise ZeroDivisionError

    served = [take(store, one) for one in JUDGES]
    monkeypatch.setattr(WriteTransaction, "close", break_off)
    for one in served:
        with pytest.raises(ZeroDivisionError):
            store.write(Answering(reply_to(one))).result()
    monkeypatch.undo()
    followed, anew = look(store)
    assert list_all(followed) == list_all(anew) == before
    Truth(5).judge_all(store, JUDGES)
    assert check_store(store).holds
