"""A person is forgotten on request, and the log can still be verified."""

from pathlib import Path

import pytest
from sqlalchemy import text

from evenhand.web import Store
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import Reply
from evenhand.web.store.log import ShutOut, UnknownLink
from stored_campaigns import LEFT, fill, judge_next, list_judgments, make_pairs, take
from waiting import wait_for

SECRET = "my name is Zephyrine"


def _say(store: Store, judge: str) -> None:
    served = take(store, judge)
    store.do(
        judging.append, Reply(judge, served.ticket.number, {**LEFT, "comment": SECRET}, served.key)
    )


def test_what_is_known_of_a_person_goes_and_the_answers_stay(store: Store) -> None:
    store.launch(make_pairs())
    came = store.do(people.enrol, "prolific", "worker-4711")
    _say(store, came.judge)
    assert store.forget(came.judge) == (came.judge,)
    [record] = list_judgments(store)
    assert (record.answer, record.comment, record.erased) == (LEFT, "", True)
    check = check_store(store)
    assert check.holds
    assert check.erased == 1
    with pytest.raises(UnknownLink):
        store.identify(came.token)
    with pytest.raises(ShutOut, match="forgotten"):
        store.do(judging.serve, came.judge)
    with store.engine.connect() as connection:
        everything = [
            str(connection.execute(text(f"SELECT * FROM {name}")).all())
            for name in ("people", "log", "judges", "tokens", "leases")
        ]
    assert "worker-4711" not in "".join(everything)
    assert SECRET not in "".join(everything)


def test_answers_go_too_if_asked_for_and_their_tickets_are_asked_again(store: Store) -> None:
    fill(store)
    judge_next(store, "j1")
    first = judge_next(store, "j0")
    judge_next(store, "j0")
    store.forget("j0", answers=True)
    assert [one.judge for one in list_judgments(store)] == ["j1"]
    assert check_store(store).holds
    store.invite("new", seat="j0")
    assert first.ticket is not None
    assert take(store, "new").ticket.number == first.ticket.number
    judge_next(store, "new")
    assert check_store(store).holds


def test_all_logins_of_a_person_are_forgotten(store: Store) -> None:
    fill(store)
    _say(store, "j0")
    _say(store, "j1")
    store.join("j1", "j0")
    assert store.forget("j0") == ("j0", "j1")
    assert SECRET not in str(list(store.lines()))
    assert check_store(store).holds


def test_a_deletion_that_nobody_asked_for_is_found(store: Store) -> None:
    fill(store)
    _say(store, "j0")
    number = store.head().number
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE log SET note = NULL"))
    check = check_store(store)
    assert check.bad == number
    assert "no request" in check.reason


def test_nothing_of_it_stays_in_the_files_of_sqlite(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "campaign.db")) as store:
        store.launch(make_pairs())
        judge = store.do(people.enrol, "prolific", "worker-4711").judge
        _say(store, judge)
        assert any(SECRET.encode() in one.read_bytes() for one in tmp_path.iterdir())
        store.forget(judge)
        for one in tmp_path.iterdir():
            assert SECRET.encode() not in one.read_bytes(), one.name
            assert b"worker-4711" not in one.read_bytes(), one.name


def _holds(folder: Path, word: str) -> bool:
    return any(word.encode() in one.read_bytes() for one in folder.iterdir())


def test_while_somebody_reads_nobody_waits_and_it_goes_when_they_end(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "campaign.db")) as store:
        fill(store)
        _say(store, "j0")
        with store.reading() as reader:
            assert reader.execute(text("SELECT count(*) FROM log")).scalar()
            store.forget("j0")
            assert not store.emptied
            assert _holds(tmp_path, SECRET)
            judge_next(store, "j1")
            with store.engine.connect() as connection:  # only for that was a lock not waited for
                assert connection.execute(text("PRAGMA busy_timeout")).scalar() == 10_000
        wait_for(lambda: store.emptied)
        assert not _holds(tmp_path, SECRET)


def test_a_log_that_is_being_sent_keeps_nothing_that_was_forgotten(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "campaign.db")) as store:
        fill(store)
        _say(store, "j0")
        lines = store.lines()
        next(lines)
        store.forget("j0")
        assert store.emptied
        assert not _holds(tmp_path, SECRET)
