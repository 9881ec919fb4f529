"""One thread writes: together where it can, and each for itself where one of them cannot."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text, update

from documents import make_documents
from evenhand.design.campaign import Campaign, Judge
from evenhand.errors import EvenhandError
from evenhand.web import Store
from evenhand.web.store import boards, judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.database import Entry, WriteTransaction
from evenhand.web.store.judging import Answered, Answering, Reply, Served, append
from evenhand.web.store.log import NotStored, NotYours, ShutOut
from evenhand.web.store.schema import leases, tickets
from policy_campaigns import make_chosen
from stored_campaigns import HandClock, fill, list_judgments, make_pairs, release, reply_to, take
from waiting import LONG


def _note(tx: WriteTransaction) -> int:
    tx.paused = not tx.paused
    return tx.write(Entry("pause" if tx.paused else "resume")).number


def _hold(store: Store) -> threading.Event:
    """Keep the writer busy until the event is set, so that requests gather."""
    begun, go = threading.Event(), threading.Event()

    def wait(_: WriteTransaction) -> None:
        begun.set()
        go.wait(LONG)

    store.write(wait)
    begun.wait(LONG)
    return go


def test_what_waits_is_committed_together(store: Store) -> None:
    fill(store)
    batches = []
    transact = store._writer.transact

    def count(work):
        batches.append(1)
        transact(work)

    store._writer.transact = count
    go = _hold(store)
    waiting = [store.write(_note) for _ in range(100)]
    go.set()
    numbers = [one.result() for one in waiting]
    assert numbers == list(range(numbers[0], numbers[0] + 100))
    assert len(batches) == 2
    assert check_store(store).holds


def test_a_request_that_breaks_takes_no_other_with_it(store: Store) -> None:
    fill(store)

    def break_off(tx: WriteTransaction) -> None:
        tx.write(Entry("resume"))
        raise ZeroDivisionError

    def break_sql(tx: WriteTransaction) -> None:
        tx.write(Entry("resume"))
        tx.connection.execute(text("SELECT 1 FROM nowhere"))

    def refuse(tx: WriteTransaction) -> None:
        with tx.keep_prefetched():
            tx.write(Entry("resume"))
        raise NotYours("half done")

    go = _hold(store)
    before = store.head().number
    waiting = [store.write(one) for one in (_note, break_off, _note, break_sql, refuse, _note)]
    go.set()
    assert [waiting[at].result() for at in (0, 2, 5)] == [before + n for n in (1, 2, 3)]
    for at, fault in ((1, ZeroDivisionError), (3, NotStored), (4, NotYours)):
        with pytest.raises(fault):
            waiting[at].result()
    assert store.head().number == before + 3
    assert check_store(store).holds


def test_what_is_kept_back_is_sent_before_anything_else(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    lease = {"who": "j0", "new_ticket": 0, "new_key": "k", "new_since": served.since}

    def keep(tx: WriteTransaction, until: int) -> None:
        with tx.keep_prefetched():
            tx.change(judging.UPDATE_LEASE, {**lease, "new_until": until})

    def work(tx: WriteTransaction) -> None:
        keep(tx, 1)
        assert [one.until for one in tx.pick(select(leases))] == [1]
        keep(tx, 2)
        assert [one.until for one in boards._ask(tx.connection, select(leases))] == [2]
        keep(tx, 3)
        if tx.is_remote:
            tx.prefetch(judging.BEFORE, [{"judge": "j0"}])
        tx.run(update(leases).values(until=leases.c.until + 10))
        assert judging.look_up(tx, "j0").until == 13
        keep(tx, 4)  # nothing of it is in the log

    store.do(work)
    with store.reading() as connection:
        assert connection.scalar(select(leases.c.until)) == 4


def test_nothing_is_acknowledged_before_it_can_be_read(where: str, store: Store) -> None:
    fill(store, make_pairs(items=20))
    with Store.open(where) as reader:
        for _ in range(10):
            record = store.do(judging.append, reply_to(take(store, "j0")))
            assert reader.head().number == record.number


def test_what_waits_is_written_before_the_store_closes(where: str) -> None:
    store = Store.open(where)
    fill(store)
    reply = reply_to(take(store, "j0"))
    go = _hold(store)
    told = store.write(lambda tx: append(tx, reply))
    go.set()
    store.close()
    assert told.result().kind == "judgment"
    with pytest.raises(NotStored, match="closed"):
        store.do(judging.serve, "j0")


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "campaign.db")) as store, store.engine.connect() as connection:
        found = [
            connection.execute(text(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
        assert found == ["wal", 2, 1]
    assert (tmp_path / "campaign.db").stat().st_mode & 0o777 == 0o600


def test_a_commit_waits_for_the_disk_whatever_the_server_does_of_itself(store: Store) -> None:
    if store.engine.dialect.name == "sqlite":
        pytest.skip("PostgreSQL's setting")
    with store.engine.connect() as connection:
        connection.execute(text("ALTER ROLE CURRENT_USER SET synchronous_commit = off"))
        connection.commit()
    store.engine.dispose()
    with store.engine.connect() as connection:
        found = connection.execute(text("SHOW synchronous_commit")).scalar()
        connection.execute(text("ALTER ROLE CURRENT_USER RESET synchronous_commit"))
        connection.commit()
    assert found == "on"


Work = Callable[[WriteTransaction], Any]
JUDGES = [f"j{n}" for n in range(6)]


def write_together(store: Store, works: list[Work]) -> list[Future[Any]]:
    """Let pieces of work wait, so that they are one batch."""
    go = _hold(store)
    waiting = [store.write(one) for one in works]
    go.set()
    return waiting


def tell(waiting: Future[Any]) -> object:
    """What came of a piece of work, without what differs from store to store."""
    fault = waiting.exception(30)
    if isinstance(fault, NotStored):
        return "not stored"
    if fault is not None:
        assert isinstance(fault, EvenhandError), fault
        return type(fault).__name__, str(fault)
    found = waiting.result()
    if not isinstance(found, Answered):
        return found if isinstance(found, int) else None
    following = found.next and (found.next.ticket, found.next.place, found.next.total)
    halt, before = found.halt and str(found.halt), len(found.sitting.before)
    return found.record.number, found.record.answer, found.record.ticket, following, halt, before


def draw_batch(luck: random.Random, store: Store, judges: list[str]) -> list[Work]:
    """Answers, good and bad, and what else may come between; as it is named in this store."""
    served = {one: serve_if_any(store, one) for one in judges}
    standing = {one.judge: one for one in list_judgments(store)}
    works: list[Work] = []
    once = luck.random() < 0.5  # each judge, and nothing between
    between = BETWEEN[: -1 if store.campaign.design.policy else None]
    between += BETWEEN[:1] * (4 if store.campaign.segments else 0)
    n = luck.randrange(1, 7)
    for judge in luck.sample(judges, n) if once else luck.choices(judges, k=2 * n):
        before = [served[judge], served[luck.choice(judges)]]
        mine, others = (one.ticket.number if one else -1 for one in before)
        (ticket,) = luck.choices((mine, others, -1, 10**9), (20, 2, 1, 1))
        said: object = {"outcome": luck.choice(("left", "right", "tie") * 3 + ("neither",))}
        if store.campaign.segments:
            said = {"score": luck.choice((*range(9), 1000))}
        given = before[0].key if before[0] else "k0"
        (key,) = luck.choices((given, f"k{luck.randrange(3)}", "a\nb"), (9, 5, 1))
        answering = Answering(Reply(judge, ticket, said, key))
        if luck.random() < 0.3 and (last := standing.get(judge)) and last.ticket:
            again = replace(answering.reply, ticket=last.ticket.number)
            answering = luck.choice(
                (
                    Answering(replace(again, answer=last.answer, key=last.key)),
                    Answering(replace(again, key=f"c{ticket}"), last.hash),
                    Answering(replace(again, key=f"c{ticket}", replaces=last.number)),
                )
            )
        works += [answering] * (1 if once else luck.choice((1, 1, 1, 2)))
        if not once and luck.random() < 0.6:
            works.append(luck.choice(between)(luck.choice(judges)))
    luck.shuffle(works)
    return works


def write_twice(tx: WriteTransaction, judge: str) -> None:
    """Write what the database refuses, later than it is written."""
    login = judging.look_up(tx, judge)
    if login.number is not None:
        ticket = judging.read_ticket(login, judge)
        with tx.keep_prefetched():
            for _ in range(2):
                tx.write(Entry("judgment", judge, ticket, {"key": "twice"}, {"answer": {}}))


def submit(tx: WriteTransaction, judge: str) -> None:
    before = judging.find_sitting(tx, judge).before
    judging.submit(tx, judge, [one.record.hash for one in before if one.record])


BETWEEN: tuple[Callable[[str], Work], ...] = (
    lambda judge: lambda tx: submit(tx, judge),
    lambda judge: lambda tx: judging.serve(tx, judge),
    lambda judge: lambda tx: judging.undo(tx, judge),
    lambda judge: lambda tx: release(tx, judge),
    lambda _: _note,
    lambda _: lambda tx: tx.run(update(leases).values(until=leases.c.since)),
    lambda _: lambda tx: sum(one.ticket for one in tx.pick(select(leases))),
    lambda _: lambda tx: sum(one.ticket for one in boards._ask(tx.connection, select(leases))),
    # not under a policy: what it draws is drawn anew after a fault
    lambda judge: lambda tx: write_twice(tx, judge),
)


def serve_if_any(store: Store, judge: str) -> Served | None:
    try:
        return store.do(judging.serve, judge)
    except ShutOut:
        return None


def list_all(store: Store) -> list[Any]:
    """Everything stored, without keys and hashes that each store draws for itself."""
    held = select(leases.c.judge, leases.c.ticket, leases.c.since, leases.c.until)
    found: list[Any] = [
        (one.kind, one.judge, one.at, one.ticket, one.answer, one.replaces, one.served)
        for one in store.records()
    ]
    with store.reading() as connection:
        for wanted in (held.order_by(leases.c.judge), select(tickets).order_by(tickets.c.number)):
            found += [tuple(row) for row in connection.execute(wanted)]
    return found


CAMPAIGNS: dict[str, Campaign] = {
    "pairs": make_pairs(items=16, judges=6, judges_per_item=3),
    "documents": replace(
        documents := make_documents(),
        judges=tuple(map(Judge, JUDGES)),
        design=replace(documents.design, judges_per_item=6),
    ),
    "sort": make_chosen(judges=6, policy="sort"),
}


@pytest.mark.parametrize("kind", CAMPAIGNS)
def test_a_batch_does_what_its_requests_do_one_by_one(
    store: Store, clock: HandClock, tmp_path: Path, kind: str
) -> None:
    """The other store is SQLite, and gets one request at a time."""
    campaign = replace(CAMPAIGNS[kind], seed=1)
    judges, ends = [one.name for one in campaign.judges], []
    leaving: dict[int, list[Work]] = {
        8: [lambda tx: boards.forget(tx, judges[2], answers=True)],
        12: [lambda tx: people.revoke(tx, judges[3])],
    }
    with Store.open(str(tmp_path / "other.db"), lease=60, start=clock.start) as other:
        for one in (store, other):
            fill(one, campaign)
        store.note_end = lambda *end: ends.append(end)
        for turn in range(20):
            works = [draw_batch(random.Random(turn), one, judges) for one in (store, other)]
            for some in works:
                some[len(some) // 2 : 0] = leaving.get(turn, [])
            ends.clear()
            together = [tell(one) for one in write_together(store, works[0])]
            assert len(ends) == 2 or "not stored" in together  # what held it up, and the batch
            assert together == [tell(other.write(one)) for one in works[1]]
            assert list_all(store) == list_all(other)
            clock.wait(turn * 7)
            for one in (store, other):
                one.resume()
        assert check_store(store).holds
