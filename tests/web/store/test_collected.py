"""What was promised is counted on what was collected, from a database and from a log alone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from campaigns import make_items, small
from evenhand.data.coding import SEED
from evenhand.design.assignment import assign
from evenhand.design.campaign import Campaign
from evenhand.design.guarantees import DesignCheck
from evenhand.design.tasks import Ticket
from evenhand.errors import CampaignError, MissingFile, UnknownFormat
from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.audit import check_collected
from policy_campaigns import Truth, make_chosen, open_campaign
from stored_campaigns import invite_all, reply_to, take

SCORE = {"score": 50}


@pytest.fixture
def ratings(where: str) -> Iterator[Store]:
    """Twelve outputs by two judges each, with two hidden repeats for everybody."""
    with Store.open(where) as opened:
        opened.launch(replace(make_ratings(), seed=SEED))
        invite_all(opened)
        yield opened


def make_ratings() -> Campaign:
    return small(1, make_items(12, 2), ["a", "b"], repeats=2, lag=2)


def play(store: Store, judge: str, most: int = 10**6) -> int:
    done = 0
    while done < most and (served := store.do(judging.serve, judge)) is not None:
        store.do(judging.append, reply_to(served, SCORE))
        done += 1
    return done


def check(where: str, campaign: Campaign | None = None) -> DesignCheck:
    return check_collected(where, campaign or make_ratings())[1]


def tell(found: DesignCheck) -> dict[str, Any]:
    return {one.name: (one.holds, one.found) for one in found.guarantees}


def test_of_a_whole_campaign_every_promise_is_counted(ratings: Store, where: str) -> None:
    assert play(ratings, "a") + play(ratings, "b") == 28
    found = check(where)
    assert (found.holds, found.broken, found.later, found.tickets) == (True, (), (), 28)
    assert tell(found)["tickets"] == (True, "28 of 28 tickets answered")


def test_what_can_only_be_said_at_the_end_is_left_open(ratings: Store, where: str) -> None:
    play(ratings, "a", 9)
    found = check(where)
    assert found.broken == ()
    later = {one.name for one in found.later}
    assert {"quality: items", "quality: judges", "quality: loads", "repeats"} <= later
    kept = {one.name for one in found.kept}
    assert {"tickets", "order", "outputs shown", "no doubles", "passes"} <= kept
    assert "still missing" in tell(found)["quality: items"][1]


def test_a_judge_who_was_replaced_breaks_nothing(ratings: Store, where: str) -> None:
    """Repeats of what the first one answered are void: nobody can repeat it."""
    mine = [one.number for one in ratings_of("a")]
    play(ratings, "a", 5)
    play(ratings, "b")
    ratings.revoke("a")
    ratings.invite("late", seat="a")
    left = play(ratings, "late")
    found = check(where)
    void = len(mine) - 5 - left
    assert void > 0
    assert found.broken == ()
    assert found.later == ()
    assert tell(found)["tickets"][1] == f"{28 - void} of 28 tickets answered"
    assert f"{void} are void" in tell(found)["repeats"][1]


def ratings_of(judge: str) -> tuple[Ticket, ...]:
    return tuple(one for one in assign(make_ratings()) if one.judge == judge)


def test_two_logins_of_one_person_are_one_judge(where: str) -> None:
    campaign = small(1, make_items(12, 2), ["a", "b"], judges_per_item=2)
    with Store.open(where) as store:
        store.launch(campaign)
        invite_all(store)
        play(store, "a")
        play(store, "b")
        assert check(where, campaign).holds
        store.join("b", "a")
        broken = {one.name for one in check(where, campaign).broken}
    assert broken == {"no doubles", "quality: judges"}


def test_what_was_changed_or_taken_back_stands_once_and_in_its_place(
    ratings: Store, where: str
) -> None:
    first = take(ratings, "a")
    record = ratings.do(judging.append, reply_to(first, SCORE))
    play(ratings, "a", 3)
    ratings.do(judging.append, reply_to(first, {"score": 7}, "again", replaces=record.number))
    play(ratings, "a", 2)
    ratings.do(judging.undo, "a")
    found = check(where)
    assert found.broken == ()
    assert tell(found)["tickets"] == (True, "5 of 28 tickets answered")
    play(ratings, "a")
    play(ratings, "b")
    assert check(where).later == ()


def test_pairs_that_a_policy_chose_keep_what_was_promised(where: str) -> None:
    campaign = make_chosen(judgments=60, judges_per_item=2, controls=2, repeats=2, lag=3)
    with Store.open(where) as store:
        open_campaign(store, campaign)
        Truth(1).judge_all(store, ["judge-1", "judge-2"], most=20)
        found = check(where, campaign)
        assert (found.broken, len(found.later) > 3) == ((), True)
        Truth(2).judge_all(store, [f"judge-{n}" for n in range(1, 5)])
        found = check(where, campaign)
    assert (found.holds, found.broken, found.later) == (True, (), ())


def test_an_answer_that_was_changed_afterwards_says_nothing(
    ratings: Store, where: str, tmp_path: Path
) -> None:
    play(ratings, "a", 3)
    text = "".join(f"{one.write()}\n" for one in ratings.lines())
    log = tmp_path / "log.jsonl"
    log.write_text(text.replace('"score":50', '"score":51', 1), encoding="utf-8")
    with pytest.raises(CampaignError, match="is not what was written"):
        check(str(log))


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        check(str(tmp_path / "none.db"))
    table = tmp_path / "ratings.csv"
    table.write_text("judge,item,score\n", encoding="utf-8")
    with pytest.raises(UnknownFormat, match="neither a database of evenhand serve nor JSON Lines"):
        check(str(table))


def test_answers_that_were_deleted_are_to_come_again(ratings: Store, where: str) -> None:
    play(ratings, "a", 6)
    play(ratings, "b", 4)
    ratings.forget("a", answers=True)
    assert tell(check(where))["tickets"] == (True, "4 of 28 tickets answered")
