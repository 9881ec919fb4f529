"""Answers that come late, or from the wrong hands, when another answer stands."""

import pytest

from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.judging import Reply
from evenhand.web.store.log import AnsweredBefore, NotYours
from stored_campaigns import LEFT, RIGHT, fill, judge_next, list_judgments, reply_to, take


def test_a_late_copy_is_not_taken_for_stored_when_another_answer_stands_since(
    store: Store,
) -> None:
    fill(store)
    first = take(store, "j0")
    old = reply_to(first)
    store.do(judging.append, old)
    new = store.do(judging.append, reply_to(store.do(judging.undo, "j0"), RIGHT))
    with pytest.raises(AnsweredBefore) as refusal:
        store.do(judging.append, old)
    assert refusal.value.record == new
    assert [one.answer for one in list_judgments(store)] == [RIGHT]


def test_a_late_copy_of_an_answer_that_was_revised_is_shown_the_revision(store: Store) -> None:
    fill(store)
    old = reply_to(take(store, "j0"))
    first = store.do(judging.append, old)
    revised = store.do(
        judging.append, Reply("j0", old.ticket, RIGHT, "again", replaces=first.number)
    )
    with pytest.raises(AnsweredBefore) as refusal:
        store.do(judging.append, old)
    assert refusal.value.record == revised


def test_nobody_revises_what_the_one_before_them_in_the_seat_answered(store: Store) -> None:
    fill(store)
    first = judge_next(store, "j0")
    store.revoke("j0")
    store.invite("new", seat="j0")
    assert first.ticket is not None
    with pytest.raises(NotYours, match="somebody else gave"):
        store.do(
            judging.append, Reply("new", first.ticket.number, RIGHT, "k", replaces=first.number)
        )
    assert [(one.judge, one.answer) for one in list_judgments(store)] == [("j0", LEFT)]
