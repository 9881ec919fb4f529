"""Workers of a platform: one seat each, behind the secret of the first visit."""

from dataclasses import replace

import pytest

from evenhand.design.assignment import assign
from evenhand.design.campaign import Judge
from evenhand.web import Store
from evenhand.web.store import people
from evenhand.web.store.log import NoPlace, ShutOut, UnknownLink, Unproven
from stored_campaigns import invite_all, judge_next, make_pairs, take


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


def test_a_worker_who_left_is_told_so_whatever_the_browser_brings(store: Store) -> None:
    store.launch(make_pairs())
    mine = store.do(people.enrol, "prolific", "w1")
    store.do(people.leave, mine.judge)
    with pytest.raises(ShutOut, match="has withdrawn"):
        store.do(people.enrol, "prolific", "w1", mine.token)


@pytest.mark.parametrize("answered", [0, 2, 4, 6])
def test_a_seat_goes_to_the_next_worker_only_if_something_will_be_asked(
    store: Store, answered: int
) -> None:
    campaign = make_pairs(items=4, judges=1, repeats=2, lag=1)
    tickets = assign(campaign)
    store.launch(campaign, tickets)
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


def test_no_pseudonym_is_the_name_of_another_seat(store: Store) -> None:
    store.launch(replace(make_pairs(), judges=(Judge("1"), Judge("1.2"))))
    store.do(people.leave, store.do(people.enrol, "prolific", "w1").judge)
    second = store.do(people.enrol, "prolific", "w2")
    assert second.judge == "1.3"
    made = [one.judge for one in invite_all(store)]
    assert made == ["1.2"]
    assert {one.name: one.seat for one in store.judges()} == {"1": "1", "1.3": "1", "1.2": "1.2"}
    assert store.identify(second.token).judge == "1.3"
