"""What a judge does with tickets: nothing is lost, nothing is stored twice or for another one."""

import pytest

from evenhand.errors import InvalidJudgments
from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import Answering, Reply, append
from evenhand.web.store.log import AnsweredBefore, NoSuchJudge, NotYours, Paused, ShutOut
from stored_campaigns import (
    LEFT,
    RIGHT,
    HandClock,
    fill,
    judge_next,
    list_judgments,
    make_pairs,
    release,
    reply_to,
    take,
)


def test_a_reload_serves_the_same_ticket_with_the_same_key(store: Store) -> None:
    fill(store)
    assert take(store, "j0") == take(store, "j0")


def test_a_ticket_keeps_the_order_in_which_its_outputs_are_shown(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    record = store.do(judging.append, reply_to(served, seconds=2.5))
    assert record.ticket == served.ticket
    [row] = store.rows("comparisons")
    assert (row["left"], row["right"]) == served.ticket.systems
    assert (row["outcome"], row["seconds"]) == ("left", 2.5)


def test_a_judge_answers_everything_once_and_is_done(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    places = [served.place]
    while (following := store.write(Answering(reply_to(served))).result().next) is not None:
        served = following
        places.append(served.place)
    assert places == [1, 2, 3]
    assert store.do(judging.serve, "j0") is None
    assert len({one.ticket.number for one in list_judgments(store) if one.ticket}) == 3


def test_the_same_answer_sent_twice_is_one_record(store: Store) -> None:
    fill(store)
    reply = reply_to(take(store, "j0"))
    assert store.do(judging.append, reply) == store.do(judging.append, reply)
    assert len(list(list_judgments(store))) == 1


def test_one_key_with_two_answers_is_refused_and_the_first_one_stands(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    first = store.do(judging.append, reply_to(served, LEFT))
    with pytest.raises(AnsweredBefore, match="same page") as refused:
        store.do(judging.append, reply_to(served, RIGHT))
    assert refused.value.record == first
    assert [one.answer for one in list_judgments(store)] == [LEFT]


def test_a_second_tab_that_answers_later_is_shown_what_stands(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    first = store.do(judging.append, reply_to(served, LEFT, key="tab one"))
    with pytest.raises(AnsweredBefore, match="another tab") as refused:
        store.do(judging.append, reply_to(served, RIGHT, key="tab two"))
    assert refused.value.record == first


def test_two_submits_at_once_are_stored_once(store: Store) -> None:
    fill(store)
    reply = reply_to(take(store, "j0"))
    both = [store.write(lambda tx: append(tx, reply)) for _ in range(20)]
    assert len({one.result().number for one in both}) == 1


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


def test_undo_serves_the_ticket_again_and_both_answers_stay_in_the_log(store: Store) -> None:
    fill(store)
    first = take(store, "j0")
    store.write(Answering(reply_to(first))).result()
    back = store.do(judging.undo, "j0")
    assert back.ticket == first.ticket
    assert take(store, "j0") == back
    assert list(list_judgments(store)) == []
    second = store.do(judging.append, reply_to(back, RIGHT))
    assert [one.number for one in list_judgments(store)] == [second.number]
    kinds = [one.kind for one in store.records() if one.ticket]
    assert kinds == ["judgment", "undo", "judgment"]
    assert check_store(store).holds


def test_undo_goes_back_answer_by_answer(store: Store) -> None:
    fill(store)
    numbers = [judge_next(store, "j0").ticket for _ in range(3)]
    assert [store.do(judging.undo, "j0").ticket for _ in range(3)] == numbers[::-1]
    with pytest.raises(NotYours, match="no answer"):
        store.do(judging.undo, "j0")
    assert take(store, "j0").ticket == numbers[0]


def test_a_late_copy_of_an_answer_that_was_taken_back_is_not_taken_for_stored(store: Store) -> None:
    fill(store)
    reply = reply_to(take(store, "j0"))
    store.do(judging.append, reply)
    store.do(judging.undo, "j0")
    with pytest.raises(AnsweredBefore, match="undone"):
        store.do(judging.append, reply)
    assert list(list_judgments(store)) == []


def test_a_judge_is_active_from_the_first_answer_on(store: Store) -> None:
    fill(store)
    take(store, "j0")
    assert {one.name: one.state for one in store.judges()} == {"j0": "invited", "j1": "invited"}
    judge_next(store, "j0")
    assert {one.name: one.state for one in store.judges()} == {"j0": "active", "j1": "invited"}


def test_nobody_answers_the_ticket_of_another_judge(store: Store) -> None:
    fill(store)
    theirs = take(store, "j1")
    take(store, "j0")
    with pytest.raises(NotYours):
        store.do(judging.append, Reply("j0", theirs.ticket.number, LEFT, theirs.key))
    store.do(judging.append, reply_to(theirs))
    with pytest.raises(NotYours):
        store.do(judging.append, Reply("j0", theirs.ticket.number, LEFT, theirs.key))
    with pytest.raises(NotYours):
        store.do(judging.append, Reply("j0", theirs.ticket.number, RIGHT, "mine", replaces=4))


def test_nobody_answers_what_was_not_asked_yet(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    for number in (served.ticket.number + 1, 10_000, 2**40):
        with pytest.raises(NotYours):
            store.do(judging.append, Reply("j0", number, LEFT, "ahead"))


@pytest.mark.parametrize("number", [-1, 2**70, "1", None, True, 1.5])
def test_numbers_that_no_ticket_has_are_refused(store: Store, number: int) -> None:
    fill(store)
    take(store, "j0")
    with pytest.raises(InvalidJudgments, match="ticket is a whole number"):
        store.do(judging.append, Reply("j0", number, LEFT, "key"))


def test_nobody_unknown_is_served(store: Store) -> None:
    fill(store)
    with pytest.raises(NoSuchJudge, match="'j9'"):
        store.do(judging.serve, "j9")


@pytest.mark.parametrize(
    "answer",
    [{"outcome": "both"}, {"outcome": 1}, {}, [], None, "left", {"outcome": "left", "x": 1}],
)
def test_an_answer_off_the_task_is_refused_and_the_ticket_stays(
    store: Store, answer: object
) -> None:
    fill(store)
    served = take(store, "j0")
    with pytest.raises(InvalidJudgments):
        store.do(judging.append, reply_to(served, answer))
    assert take(store, "j0") == served


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1, 1e9, True, "2"])
def test_times_that_cannot_be_are_refused(store: Store, seconds: float) -> None:
    fill(store)
    with pytest.raises(InvalidJudgments, match="seconds"):
        store.do(judging.append, reply_to(take(store, "j0"), seconds=seconds))


@pytest.mark.parametrize("key", ["x" * 101, "a\0b", "a\nb", "\ud800"])
def test_keys_that_cannot_be_stored_are_refused(store: Store, key: str) -> None:
    fill(store)
    with pytest.raises(InvalidJudgments, match="key"):
        store.do(judging.append, reply_to(take(store, "j0"), key=key))


def test_a_pause_serves_nothing_and_takes_what_was_asked(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    store.pause()
    store.pause()
    assert store.paused
    with pytest.raises(Paused):
        store.do(judging.serve, "j0")
    answered = store.write(Answering(reply_to(served))).result()
    assert answered.next is None
    assert isinstance(answered.halt, Paused)
    store.resume()
    assert take(store, "j0").place == 2
    assert [one.kind for one in store.records()].count("pause") == 1


def test_a_revoked_judge_is_neither_served_nor_heard(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    store.revoke("j0")
    with pytest.raises(ShutOut):
        store.do(judging.serve, "j0")
    with pytest.raises(ShutOut):
        store.do(judging.append, reply_to(served))
    assert list(list_judgments(store)) == []


def test_a_ticket_handed_back_is_served_again(store: Store) -> None:
    fill(store)
    served = take(store, "j0")
    store.do(release, "j0")
    with pytest.raises(NotYours, match="not asked yet"):
        store.do(judging.append, reply_to(served))
    assert take(store, "j0").ticket == served.ticket


def test_a_lease_that_ran_out_takes_a_late_answer_as_long_as_nobody_else_has_the_seat(
    store: Store, clock: HandClock
) -> None:
    fill(store)
    served = take(store, "j0")
    clock.wait(61)
    store.do(judging.append, reply_to(served))
    assert len(list(list_judgments(store))) == 1


def test_a_lease_that_ran_out_is_given_again_with_the_same_key(
    store: Store, clock: HandClock
) -> None:
    fill(store)
    served = take(store, "j0")
    clock.wait(61)
    again = take(store, "j0")
    assert (again.ticket, again.key, again.since) == (served.ticket, served.key, served.since)
    assert again.until > served.until


def test_a_wall_clock_that_goes_back_changes_nothing(
    where: str, store: Store, clock: HandClock
) -> None:
    fill(store)
    first = judge_next(store, "j0")
    clock.wall -= 86_400
    clock.steady += 1
    assert judge_next(store, "j0").at == first.at + 1000
    served = take(store, "j0")
    with Store.open(where, lease=60, start=clock.start) as later:
        assert take(later, "j0") == served
        clock.steady += 61
        assert take(later, "j0").key == served.key
    times = [one.at for one in store.records()]
    assert times == sorted(times)
    assert check_store(store).holds


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
