"""Pairs that a policy chooses while judgments come in: every promise holds, nothing is lost."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from scipy.stats import chisquare

from evenhand.design.guarantees import verify_collected
from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.audit import check_store
from evenhand.web.store.judging import Reply
from evenhand.web.store.log import NotYours
from policy_campaigns import Truth, list_judged, make_chosen, open_campaign
from stored_campaigns import LEFT, HandClock, reply_to, take

DESIGNS: list[dict[str, Any]] = [
    {"judgments": 120},
    {"judgments": 120, "judges_per_item": 2, "controls": 2, "repeats": 2, "lag": 3},
    {"judgments": 80, "judges_per_item": 2, "once_per_source": True, "controls": 1},
    {"quota": 30, "again": 2, "lag": 5, "policy": "random"},
    {"judgments": 60, "policy": "top-k", "top": 2, "random_share": 0.5},
]
JUDGES = ["judge-1", "judge-2", "judge-3", "judge-4"]


@pytest.mark.parametrize("design", DESIGNS)
def test_a_campaign_ends_when_its_judgments_are_there_and_keeps_its_promises(
    store: Store, design: dict[str, Any]
) -> None:
    assignment = open_campaign(store, make_chosen(**design))
    done = Truth(1).judge_all(store, JUDGES)
    assert done == len(assignment)
    assert [store.do(judging.serve, one) for one in JUDGES] == [None] * 4
    check = verify_collected(assignment, list_judged(store))
    assert check.broken == ()
    assert check_store(store).holds
    kinds = Counter(one.kind for one in list_judged(store))
    assert kinds["target"] == design.get("judgments", 4 * (30 - 2 - 2))


def test_pairs_at_random_are_a_sample_of_all_pairs_that_no_answer_has_chosen(store: Store) -> None:
    """Level .001; judges at once, pairs chosen ahead, and a rule that wants three pairs alone."""
    worths = {"A": 3.0, "B": 2.0, "C": 1.0, "D": 0.0}
    design = {"policy": "closest", "judgments": 500, "random_share": 0.5}
    open_campaign(store, make_chosen(items=110, systems="ABCD", **design))
    Truth(4, worths).judge_all(store, JUDGES)
    judged = [one for one in list_judged(store) if one.kind == "target"]
    asked = {how: Counter(frozenset(one.systems) for one in judged if one.chosen == how)
             for how in ("policy", "random")}  # fmt: skip
    neighbours = sum(asked["policy"][frozenset(one)] for one in ("AB", "BC", "CD"))
    assert neighbours > 0.8 * asked["policy"].total()
    found = [asked["random"][frozenset(one)] for one in ("AB", "AC", "AD", "BC", "BD", "CD")]
    assert sum(found) > 150
    assert chisquare(found).pvalue > 0.001


def test_a_draw_is_called_random_only_while_the_judge_could_have_been_asked_any_pair(
    store: Store,
) -> None:
    design = {"policy": "closest", "judgments": 110, "random_share": 0.5}
    open_campaign(store, make_chosen(items=20, systems="ABCD", judges=1, **design))
    Truth(5).judge_all(store, ["judge-1"])
    left, kinds = Counter(dict.fromkeys(map(frozenset, combinations("ABCD", 2)), 20)), Counter()
    for one in (one for one in list_judged(store) if one.kind == "target"):
        if one.chosen in {"random", "narrowed"}:
            assert one.chosen == ("random" if min(left.values()) else "narrowed")
            kinds[one.chosen] += 1
        left[frozenset(one.systems)] -= 1
    assert min(kinds["random"], kinds["narrowed"]) >= 5


def test_a_revoked_judge_gives_the_pair_back(store: Store) -> None:
    assignment = open_campaign(store, make_chosen(judgments=40, judges=2))
    first = _take_target(store, "judge-1")
    store.revoke("judge-1")
    store.invite("late", seat="judge-1")
    with pytest.raises(NotYours):
        store.do(judging.append, Reply("late", first.ticket.number, LEFT, first.key))
    Truth(9).judge_all(store, ["judge-2", "late"])
    judged = list_judged(store)
    assert len(judged) == len(assignment)
    assert Counter(one.number for one in judged).most_common(1)[0][1] == 1
    emptied = [one.facts.get("emptied") for one in store.records() if one.kind == "revoke"]
    assert emptied == [[first.ticket.number]]
    assert check_store(store).holds


def _take_target(store: Store, judge: str) -> Any:
    """Answer what the design fixed until a pair of the policy is served."""
    while (served := take(store, judge)).ticket.kind != "target":
        store.do(judging.append, reply_to(served))
    return served


def make_narrow(**design: Any) -> Any:
    """A campaign with one pair of each of 3 items: whoever comes second needs what is left."""
    return make_chosen(items=3, judges=2, systems="AB", judgments=3, **design)


def test_a_pair_whose_time_ran_out_goes_to_who_needs_it(store: Store, clock: HandClock) -> None:
    """Three pairs in all, of which two judges may be asked 2 and 1: one of them lets one lie."""
    open_campaign(store, make_narrow())
    slow, quick = sorted(["judge-1", "judge-2"], key=lambda one: _count_left(store, one))
    late = _take_target(store, slow)
    clock.wait(61)
    asked = []
    while (served := store.do(judging.serve, quick)) is not None:
        asked.append(served.ticket)
        store.do(judging.append, reply_to(served))
    fresh = {one.item for one in asked if one.kind == "target"}
    assert len(fresh) == 2
    if late.ticket.item in fresh:
        with pytest.raises(NotYours, match=r"not asked yet|went to somebody"):
            store.do(judging.append, reply_to(late))
    Truth(10).judge_all(store, [slow])
    items = [one.item for one in list_judged(store) if one.kind == "target"]
    assert sorted(items) == ["i0", "i1", "i2"]
    assert check_store(store).holds


def _count_left(store: Store, judge: str) -> int:
    return next(one.total for one in store.judges() if one.name == judge)


def test_an_old_page_cannot_answer_for_what_the_ticket_asks_now(
    store: Store, clock: HandClock
) -> None:
    """All three pairs are with two judges; the one who comes back is asked another one."""
    open_campaign(store, make_narrow(judges_per_item=1))
    slow, quick = sorted(["judge-1", "judge-2"], key=lambda one: _count_left(store, one))
    old = _take_target(store, slow)
    store.revoke(slow)
    store.invite(slow)
    new = _take_target(store, slow)
    assert (new.ticket.number, new.key != old.key) == (old.ticket.number, True)
    with pytest.raises(NotYours):
        store.do(judging.append, reply_to(old))
    store.do(judging.append, reply_to(new))
    Truth(13).judge_all(store, [slow, quick])
    assert check_store(store).holds


def test_logins_of_one_person_are_not_asked_the_same(store: Store) -> None:
    open_campaign(store, make_chosen(judgments=40, judges=2, judges_per_item=2))
    Truth(14).judge_all(store, ["judge-1"], most=11)
    store.join("judge-2", "judge-1")
    Truth(15).judge_all(store, ["judge-1", "judge-2"])
    asked = Counter(
        (one.item, frozenset(one.systems)) for one in list_judged(store) if one.kind == "target"
    )
    assert set(asked.values()) == {1}


def test_what_a_person_takes_away_is_asked_anew(store: Store) -> None:
    assignment = open_campaign(store, make_chosen(judgments=40, controls=1))
    Truth(16).judge_all(store, JUDGES, most=20)
    store.forget("judge-1", answers=True)
    store.invite("heir", seat="judge-1")
    Truth(17).judge_all(store, ["heir", *JUDGES[1:]])
    assert len(list_judged(store)) == len(assignment)
    assert check_store(store).holds


def test_an_answer_that_comes_late_is_taken_if_nobody_else_was_asked(
    store: Store, clock: HandClock
) -> None:
    open_campaign(store, make_chosen(judgments=60))
    late = _take_target(store, "judge-1")
    clock.wait(61)
    Truth(11).judge_all(store, ["judge-2", "judge-3"], most=10)
    assert store.do(judging.append, reply_to(late)).ticket == late.ticket
    Truth(12).judge_all(store, JUDGES)
    assert check_store(store).holds
