"""Answers that wait together: what they ask ahead is what each would have been told alone."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import EvenhandError
from evenhand.web import Store
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import Answered, Answering, Reply
from evenhand.web.store.log import ShutOut
from evenhand.web.store.transaction import WriteTransaction
from stored_campaigns import fill, make_pairs, release

Work = Callable[[WriteTransaction], Any]
JUDGES = [f"j{n}" for n in range(6)]


def write_together(store: Store, works: list[Work]) -> list[Future[Any]]:
    """Let pieces of work wait, so that they are one batch."""
    begun, go = threading.Event(), threading.Event()

    def wait(_: WriteTransaction) -> None:
        begun.set()
        go.wait(30)

    store.write(wait)
    begun.wait(30)
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
