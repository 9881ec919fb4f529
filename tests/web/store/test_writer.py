"""One thread writes: together where it can, and each for itself where one of them cannot."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from evenhand.errors import EvenhandError
from evenhand.web import Store
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.database import Entry, WriteTransaction
from evenhand.web.store.judging import Answered, Answering, Reply, append
from evenhand.web.store.log import NotStored, NotYours, ShutOut
from stored_campaigns import fill, make_pairs, release, reply_to, take
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
    if fault is not None:
        assert isinstance(fault, EvenhandError), fault
        return type(fault).__name__, str(fault)
    found = waiting.result()
    if not isinstance(found, Answered):
        return None
    following = found.next and (found.next.ticket, found.next.place, found.next.total)
    halt = found.halt and str(found.halt)
    return found.record.number, found.record.answer, found.record.ticket, following, halt


def draw_batch(luck: random.Random, asked: dict[str, int]) -> list[Work]:
    """Answers, good and bad, and what else may come between."""
    works: list[Work] = []
    for _ in range(luck.randrange(2, 12)):
        judge = luck.choice(JUDGES)
        tickets = (asked[judge], luck.choice(list(asked.values())), -1, 10**9)
        (ticket,) = luck.choices(tickets, (8, 2, 1, 1))
        said = {"outcome": luck.choice(("left", "right", "tie", "neither"))}
        key = f"k{luck.randrange(3)}" if luck.random() < 0.9 else "a\nb"
        answering = Answering(Reply(judge, ticket, said, key))
        works += [answering] * luck.choice((1, 1, 1, 2))
        if luck.random() < 0.25:
            works.append(luck.choice(BETWEEN)(luck.choice(JUDGES)))
    luck.shuffle(works)
    return works


BETWEEN: tuple[Callable[[str], Work], ...] = (
    lambda judge: lambda tx: judging.serve(tx, judge),
    lambda judge: lambda tx: judging.undo(tx, judge),
    lambda judge: lambda tx: release(tx, judge),
)


def ask_all(store: Store) -> dict[str, int]:
    """Judge → the ticket that they are served; -1 for none."""
    found = {}
    for judge in JUDGES:
        try:
            served = store.do(judging.serve, judge)
        except ShutOut:
            served = None
        found[judge] = served.ticket.number if served else -1
    return found


def list_records(store: Store) -> list[Any]:
    return [(one.kind, one.judge, one.ticket, one.answer, one.key) for one in store.records()]


@pytest.mark.parametrize("seed", range(2))
def test_a_batch_does_what_its_requests_do_one_by_one(
    store: Store, tmp_path: Path, seed: int
) -> None:
    """The other store is SQLite, and gets one request at a time."""
    campaign = replace(make_pairs(items=16, judges=6, judges_per_item=3), seed=seed)
    luck = random.Random(seed)
    with Store.open(str(tmp_path / "other.db"), lease=60) as other:
        for one in (store, other):
            fill(one, campaign)
        for turn in range(12):
            asked = ask_all(store)
            assert asked == ask_all(other)
            works = draw_batch(luck, asked)
            if turn == 8:
                works.insert(len(works) // 2, lambda tx: people.revoke(tx, "j5"))
            together = [tell(one) for one in write_together(store, works)]
            assert together == [tell(other.write(one)) for one in works]
        assert list_records(store) == list_records(other)
        assert check_store(store).holds
