"""One thread writes: together where it can, and each for itself where one of them cannot."""

import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import append
from evenhand.web.store.log import NotStored, NotYours
from evenhand.web.store.transaction import Entry, WriteTransaction
from stored_campaigns import fill, make_pairs, reply_to, take


def _note(tx: WriteTransaction) -> int:
    tx.paused = not tx.paused
    return tx.write(Entry("pause" if tx.paused else "resume")).number


def _hold(store: Store) -> threading.Event:
    """Keep the writer busy until the event is set, so that requests gather."""
    begun, go = threading.Event(), threading.Event()

    def wait(_: WriteTransaction) -> None:
        begun.set()
        go.wait(30)

    store.write(wait)
    begun.wait(30)
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
