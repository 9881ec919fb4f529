"""What a judge does with tickets: nothing is lost, nothing is stored twice or for another one."""

from dataclasses import replace
from typing import Any

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import Reply, append
from evenhand.web.store.log import AnsweredBefore, NoSuchJudge, NotYours
from stored_campaigns import (
    LEFT,
    RIGHT,
    fill,
    judge_next,
    list_judgments,
    make_pairs,
    reply_to,
    take,
)


def test_a_ticket_keeps_the_order_in_which_its_outputs_are_shown(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    record = store.do(judging.append, reply_to(served, seconds=2.5))
    assert record.ticket == served.ticket
    [row] = store.rows("comparisons")
    assert (row["left"], row["right"]) == served.ticket.systems
    assert (row["outcome"], row["seconds"]) == ("left", 2.5)


def test_a_revision_is_a_new_record_that_names_the_old_one(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    first = store.do(judging.append, reply_to(served))
    again = store.do(judging.append, reply_to(served, RIGHT, key="revision", replaces=first.number))
    assert (again.kind, again.replaces) == ("revision", first.number)
    assert [one.number for one in list_judgments(store)] == [again.number]
    with pytest.raises(AnsweredBefore):
        store.do(judging.append, reply_to(served, LEFT, key="late tab", replaces=first.number))
    assert [one.kind for one in store.records() if one.ticket] == ["judgment", "revision"]
    assert check_store(store).holds


def test_undo_goes_back_answer_by_answer(store: Store) -> None:
    fill(store)
    numbers = [judge_next(store, "j0").ticket for _ in range(3)]
    assert [store.do(judging.undo, "j0").ticket for _ in range(3)] == numbers[::-1]
    with pytest.raises(NotYours, match="no answer"):
        store.do(judging.undo, "j0")
    assert take(store, "j0").ticket == numbers[0]


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("ticket", [-1, 2**70, "1", None, True, 1.5]),
        ("seconds", [float("nan"), float("inf"), -1, 1e9, True, "2"]),
        ("key", ["", "x" * 101, "a\0b", "a\nb", "\ud800"]),
    ],
)
def test_numbers_times_and_keys_that_cannot_be_are_refused(
    store: Store, name: str, wrong: list[Any]
) -> None:
    fill(store)
    right = reply_to(take(store, "j0"))
    for one in wrong:
        with pytest.raises(InvalidJudgments, match=name):
            store.do(judging.append, replace(right, **{name: one}))


def test_a_late_copy_is_not_taken_for_stored_when_another_answer_stands_since(
    store: Store,
) -> None:
    fill(store)
    first = take(store, "j0")
    old = reply_to(first)
    store.do(judging.append, old)
    store.do(judging.append, reply_to(store.do(judging.undo, "j0"), RIGHT))
    with pytest.raises(AnsweredBefore, match="took the place of this one"):
        store.do(judging.append, old)
    assert [one.answer for one in list_judgments(store)] == [RIGHT]


def test_a_late_copy_of_an_answer_that_was_revised_is_refused(store: Store) -> None:
    fill(store)
    old = reply_to(take(store, "j0"))
    first = store.do(judging.append, old)
    store.do(judging.append, Reply("j0", old.ticket, RIGHT, "again", replaces=first.number))
    with pytest.raises(AnsweredBefore, match="took the place of this one"):
        store.do(judging.append, old)


def test_nobody_revises_what_the_one_before_them_in_the_seat_answered(store: Store) -> None:
    fill(store)
    first = judge_next(store, "j0")
    store.revoke("j0")
    store.invite("new", seat="j0")
    assert first.ticket is not None
    with pytest.raises(NotYours, match="another judge's"):
        store.do(
            judging.append, Reply("new", first.ticket.number, RIGHT, "k", replaces=first.number)
        )
    assert [(one.judge, one.answer) for one in list_judgments(store)] == [("j0", LEFT)]


def test_two_servers_on_one_database_write_one_chain(where: str, store: Store) -> None:
    fill(store, make_pairs(items=40))
    with Store.open(where) as other:
        for n in range(20):
            waiting = []
            for one, judge in ((store, "j0"), (other, "j1")):
                reply = reply_to(take(one, judge), key=f"{judge} {n}")
                waiting.append(one.write(lambda tx, reply=reply: append(tx, reply)))
            for one in waiting:
                one.result()
        assert len(list(list_judgments(other))) == 40
        assert store.head() == other.head()
    assert check_store(store).holds


def test_nobody_unknown_is_served(store: Store) -> None:
    fill(store)
    with pytest.raises(NoSuchJudge, match="'j9'"):
        store.do(judging.serve, "j9")
