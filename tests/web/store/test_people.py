"""Who may judge: links, seats that change hands, workers of platforms, logins of one person."""

from dataclasses import replace

import pytest

from evenhand.design.assignment import assign
from evenhand.design.campaign import Judge
from evenhand.errors import CampaignError
from evenhand.web import Store
from evenhand.web.dashboard import summarize_progress
from evenhand.web.downloads import list_pay
from evenhand.web.store import judging, people
from evenhand.web.store.audit import check_store
from evenhand.web.store.log import NoPlace, NotYours, Refused, ShutOut, UnknownLink, Unproven
from evenhand.web.store.people import draw_token, read_token
from evenhand.web.store.queries import Bearer, read_persons
from stored_campaigns import (
    HandClock,
    fill,
    invite_all,
    judge_next,
    list_judgments,
    make_pairs,
    reply_to,
    take,
)


def test_a_link_names_its_judge_and_no_other_link_is_good(store: Store) -> None:
    links = fill(store)
    assert store.identify(links["j0"]) == Bearer("judge", "j0")
    for wrong in ("", "x", links["j0"][:-1], links["j0"] + "x", links["j0"][:8] + links["j1"][8:]):
        with pytest.raises(UnknownLink):
            store.identify(wrong)
    turned = links["j0"][:-1] + ("a" if links["j0"][-1] != "a" else "b")
    with pytest.raises(UnknownLink):
        store.identify(turned)


def test_links_have_192_random_bits_and_are_not_stored(store: Store, where: str) -> None:
    links = fill(store)
    token = read_token(links["j0"])
    assert token is not None
    assert len(token.secret) == 32  # of 64 letters each
    assert len({one[8:] for one in links.values()}) == len(links)
    letters = "".join(draw_token().secret for _ in range(200))
    assert len(set(letters)) == 64
    for size in (4, 8, 16):  # nothing repeats within a secret
        drawn = [draw_token().secret for _ in range(50)]
        assert not any(one[:size] == one[size : 2 * size] for one in drawn)
    with store.engine.connect() as connection:
        from sqlalchemy import text

        rows = connection.execute(text("SELECT * FROM tokens")).all()
    assert token.secret not in str(rows)
    assert token.digest in str(rows)
    assert token.secret not in repr(store.invite("j0"))


def test_a_seat_goes_to_somebody_else_with_what_is_left_of_it(store: Store) -> None:
    fill(store)
    done = judge_next(store, "j0")
    served = take(store, "j0")
    with pytest.raises(NoPlace, match="held by 'j0'"):
        store.invite("new", seat="j0")
    store.revoke("j0")
    store.invite("new", seat="j0")
    assert take(store, "new").ticket.number == served.ticket.number
    assert take(store, "new").ticket.judge == "new"
    with pytest.raises(ShutOut):
        store.do(judging.append, reply_to(served))
    judge_next(store, "new")
    assert [one.judge for one in list_judgments(store)] == ["j0", "new"]
    with pytest.raises(NotYours, match="no answer to undo"):
        store.do(judging.undo, "new"), store.do(judging.undo, "new")
    assert [one.number for one in list_judgments(store)] == [done.number]
    assert check_store(store).holds


def test_answers_are_counted_for_the_login_that_gave_them(store: Store) -> None:
    fill(store, make_pairs(items=12, judges=2))

    def count() -> dict[str, tuple[int, int, int]]:
        return {one.name: (one.done, one.total, one.left) for one in store.judges()}

    judge_next(store, "j0"), judge_next(store, "j0")
    store.revoke("j0")
    store.invite("new", seat="j0")
    store.invite("spare", seat="")
    assert count() == {"j0": (2, 6, 4), "j1": (0, 6, 6), "new": (0, 4, 4), "spare": (0, 0, 0)}
    judge_next(store, "new")
    store.revoke("new")
    store.invite("third", seat="j0")
    while store.do(judging.serve, "third") is not None:
        judge_next(store, "third")
    late = {name: count()[name] for name in ("j0", "new", "third")}
    assert late == {"j0": (2, 6, 0), "new": (1, 4, 0), "third": (3, 3, 0)}
    progress = summarize_progress(store)  # 6 items are judged in either seat
    assert (progress["judged"], progress["remaining"]) == (6, 6)
    completed = {row["judge"]: row["completed"] for row in list_pay(store)}
    assert completed == {"j0": "no", "j1": "no", "new": "no", "spare": "no", "third": "yes"}
    store.revoke("third")
    store.invite("j0")  # nothing is left
    assert count()["j0"] == (2, 2, 0)


def test_repeats_of_what_somebody_else_answered_are_not_asked(store: Store) -> None:
    fill(store, make_pairs(items=8, judges=1, repeats=2, lag=3))
    seen = []
    while (served := store.do(judging.serve, "j0")) is not None and served.ticket.kind != "repeat":
        seen.append(served.ticket.number)
        store.do(judging.append, reply_to(served))
    assert served is not None
    store.do(people.leave, "j0")
    store.invite("j0b", seat="j0")
    kinds = []
    while (served := store.do(judging.serve, "j0b")) is not None:
        kinds.append((served.ticket.kind, served.ticket.again in seen))
        store.do(judging.append, reply_to(served))
    assert ("repeat", True) not in kinds
    assert store.judges()[-1].done == store.judges()[-1].total


def test_repeats_of_ones_own_answers_are_asked_after_a_new_link(store: Store) -> None:
    fill(store, make_pairs(items=8, judges=1, repeats=2, lag=3))
    judge_next(store, "j0")
    store.revoke("j0")
    store.invite("j0")
    kinds = []
    while (served := store.do(judging.serve, "j0")) is not None:
        kinds.append(served.ticket.kind)
        store.do(judging.append, reply_to(served))
    assert kinds.count("repeat") == 2


def test_an_invited_judge_keeps_the_seat_however_late(store: Store, clock: HandClock) -> None:
    store.launch(make_pairs(judges=1))
    store.invite("j0", note="Ann, who comes on Fridays")
    take(store, "j0")
    clock.wait(10_000)
    with pytest.raises(NoPlace):
        store.do(people.enrol, "mturk", "w2")


def test_logins_of_one_person_are_one_judge_in_exports(store: Store) -> None:
    fill(store, make_pairs(judges=3))
    for name in ("j0", "j1", "j2"):
        judge_next(store, name)
    store.join("j1", "j0")
    store.join("j2", "j1")
    with store.reading() as connection:
        assert dict(read_persons(connection)) == {"j0": "j0", "j1": "j0", "j2": "j0"}
    rows = list(store.rows("comparisons"))
    assert [(one["judge"], one["login"]) for one in rows] == [
        ("j0", "j0"),
        ("j0", "j1"),
        ("j0", "j2"),
    ]
    with pytest.raises(Refused, match="one person already"):
        store.join("j0", "j2")
    assert check_store(store).holds


def test_consent_is_noted_with_the_text_that_was_agreed_to(store: Store) -> None:
    fill(store)
    store.do(people.consent, "j0")
    [record] = [one for one in store.records() if one.kind == "consent"]
    from hashlib import sha256

    assert record.facts["text"] == sha256(b"I agree.").hexdigest()
    states = {one.name: one for one in store.judges()}
    assert (states["j0"].consented, states["j1"].consented) == (record.at, None)


def test_a_workers_name_alone_opens_nothing_and_changes_nothing(store: Store) -> None:
    store.launch(make_pairs())
    mine = store.do(people.enrol, "prolific", "w1")
    theirs = store.do(people.enrol, "prolific", "w2")
    judge_next(store, mine.judge)
    before = store.head()
    turned = theirs.token[:8] + mine.token[8:]
    for secret in ("", "x", theirs.token, turned, mine.token[:8] + theirs.token[8:]):
        with pytest.raises(Unproven, match="another browser"):
            store.do(people.enrol, "prolific", "w1", secret)
    assert store.head() == before
    assert store.identify(mine.token).judge == mine.judge


def test_nobody_gets_a_link_of_another_one_as_their_own(store: Store) -> None:
    store.launch(make_pairs())
    admin = store.do(people.replace_link, "admin").token
    for secret in (admin, admin[:8] + "x" * 32):
        made = store.do(people.enrol, "prolific", f"w{len(list(store.records()))}", secret)
        assert made.token != secret
    assert store.identify(admin).role == "admin"


def test_a_new_link_of_the_organiser_ends_the_secret(store: Store) -> None:
    store.launch(make_pairs())
    old = store.do(people.enrol, "prolific", "w1").token
    new = store.invite("j0").token
    with pytest.raises(Unproven):
        store.do(people.enrol, "prolific", "w1", old)
    with pytest.raises(UnknownLink):
        store.identify(old)
    assert store.do(people.enrol, "prolific", "w1", new).judge == "j0"


@pytest.mark.parametrize("answered", [0, 2, 4, 6])
def test_a_seat_goes_to_the_next_worker_only_if_something_will_be_asked(
    store: Store, answered: int
) -> None:
    store.launch(make_pairs(items=4, judges=1, repeats=2, lag=1))
    tickets = assign(store.campaign)
    judge = store.do(people.enrol, "prolific", "w1").judge
    for _ in range(answered):
        judge_next(store, judge)
    store.do(people.leave, judge)
    done = set(range(answered))
    left = [one for one in tickets if one.number >= answered and one.again not in done]
    if not left:
        with pytest.raises(NoPlace):
            store.do(people.enrol, "prolific", "w2")
        return
    assert (
        take(store, store.do(people.enrol, "prolific", "w2").judge).ticket.number == left[0].number
    )


@pytest.mark.parametrize(
    "name",
    ["", " a", "a\0", "\ud800", "x" * 300, "a\tb", "j\u2028x", "ann\u202egnp.exe", "\u200fann"],
)
def test_names_that_are_none_or_turn_the_line_are_refused(store: Store, name: str) -> None:
    fill(store)
    with pytest.raises(CampaignError, match=r"not a name of a judge|take it out|shorten it"):
        store.invite(name)
    assert store.invite("محرك").judge == "محرك"


def test_a_worker_who_left_is_told_so_whatever_the_browser_brings(store: Store) -> None:
    store.launch(make_pairs())
    mine = store.do(people.enrol, "prolific", "w1")
    store.do(people.leave, mine.judge)
    with pytest.raises(ShutOut, match="has withdrawn"):
        store.do(people.enrol, "prolific", "w1", mine.token)


def test_no_pseudonym_is_the_name_of_another_seat(store: Store) -> None:
    store.launch(replace(make_pairs(), judges=(Judge("1"), Judge("1.2"))))
    store.do(people.leave, store.do(people.enrol, "prolific", "w1").judge)
    second = store.do(people.enrol, "prolific", "w2")
    assert second.judge == "1.3"
    made = [one.judge for one in invite_all(store)]
    assert made == ["1.2"]
    assert {one.name: one.seat for one in store.judges()} == {"1": "1", "1.3": "1", "1.2": "1.2"}
    assert store.identify(second.token).judge == "1.3"
