"""An LLM judge in the store: a seat of its own, tickets behind the design's, answers and none."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations

import pytest

from evenhand.design.assignment import assign, assign_llm
from evenhand.design.campaign import Design
from evenhand.design.reading import make_campaign
from evenhand.web import asking
from evenhand.web.asking import LlmJudge
from evenhand.web.store import judging
from evenhand.web.store.audit import audit, check_store
from evenhand.web.store.judging import Answering, Reply
from evenhand.web.store.log import NotYours, Refused
from evenhand.web.store.store import Store
from histories import TOLD, answer_some
from policy_campaigns import make_chosen, open_campaign
from stored_campaigns import HandClock, fill, list_judgments, make_pairs, take

GPT = LlmJudge("gpt", "{{ outputs }}")
FACTS = {"prompt": GPT.digest, "tokens": [3, 4]}
SAID = {"pair": {"outcome": "left"}, "rating": {"score": 3}}


def begin(store, judge=GPT):
    name = store.do(asking.invite_llm, judge)
    store.do(asking.issue, name, assign_llm(store.campaign))
    return name


def answer_as(store, judge, most=10_000):
    """Answer, and give no answer to each seventh ticket."""
    for n in range(most):
        served = store.do(judging.serve, judge)
        if served is None:
            return
        ticket = served.ticket
        ranks = {"ranks": list(range(1, 1 + len(ticket.systems)))}
        said = SAID.get(store.campaign.task(ticket.task).kind, ranks)
        reply = Reply(judge, ticket.number, said, served.key, facts=FACTS, text="so")
        if n % 7 == 6:
            more = {**FACTS, "why": "refused"}
            store.do(judging.skip, replace(reply, answer=None, facts=more))
        else:
            store.do(Answering(reply))


@pytest.mark.parametrize("per_item", [None, 1, 2])
def test_it_is_asked_the_units_of_the_design_in_both_orders(per_item):
    systems = "ABC"
    rows = [{"item": str(n), "outputs": {s: f"{s} {n}" for s in systems}} for n in range(7)]
    told = {"name": "x", "judges": 3, "items": rows, "tasks": [{"kind": "pair", "name": "p"}]}
    campaign = make_campaign({**told, "design": {"per_item": per_item}})
    asked = {(one.item, frozenset(one.systems)) for one in assign(campaign)}
    assert len(asked) == 7 * (per_item or 3)
    shown = Counter((one.item, one.systems) for one in assign_llm(campaign))
    assert set(shown.values()) == {1}
    assert set(shown) == {(item, two) for item, pair in asked for two in permutations(pair)}


def test_controls_and_hidden_repeats_are_asked_and_training_and_errors_are_not():
    campaign = make_campaign(TOLD)
    tickets = assign_llm(campaign)
    assert [one.number for one in tickets] == list(range(len(tickets)))
    counts = Counter((one.task, one.kind) for one in tickets)
    assert counts == {
        ("better", "target"): 18, ("better", "control"): 2, ("better", "repeat"): 2,
        ("order", "target"): 6, ("order", "control"): 2, ("order", "repeat"): 2,
        ("good", "target"): 9, ("good", "control"): 1, ("good", "repeat"): 1,
    }  # fmt: skip
    for one in tickets:
        if one.again is not None:
            first = tickets[one.again]
            assert (first.item, first.systems, first.task) == (one.item, one.systems, one.task)


def test_the_log_and_the_tables_of_a_campaign_with_llms_agree(where):
    luck, clock = random.Random(7), HandClock()
    with Store.open(where, start=clock.start) as store:
        fill(store, make_campaign(TOLD))
        answer_some(store, "j0", 9, luck, clock)
        first = begin(store)
        answer_as(store, first, 20)
        answer_some(store, "j1", 30, luck, clock)
        other = begin(store, replace(GPT, template="other"))
        assert (first, other[:4]) == ("gpt", "gpt ")
        answer_as(store, other, 10)
        answer_as(store, first)
        assert check_store(store).holds
        progress = asking.read_progress(store, GPT)
        assert (progress.issued, progress.answered, progress.skipped) == (43, 38, 5)
        assert progress.tokens == (43 * 3, 43 * 4)
        store.revoke(other)
        assert check_store(store).holds
        by = Counter(one.judge for one in list_judgments(store) if one.by_llm)
        assert by == {"gpt": 38, other: 9}
        store.forget("gpt", answers=True)
        assert check_store(store).holds
        assert not [one for one in list_judgments(store) if one.judge == "gpt"]
    assert audit(where).holds


def test_an_llm_takes_no_pair_from_what_a_policy_asks_people(where, tmp_path):
    outcomes = []
    for asked in (False, True):
        with Store.open(where if asked else str(tmp_path / "people.db")) as store:
            open_campaign(store, make_chosen(items=12, judges=2, judgments=40))
            if asked:
                answer_as(store, begin(store))
            shown = []
            for judge in ("judge-1", "judge-2"):
                while (served := store.do(judging.serve, judge)) is not None:
                    shown.append((served.ticket.item, frozenset(served.ticket.systems)))
                    left, right = served.ticket.systems
                    said = {"outcome": "left" if left < right else "right"}
                    reply = Reply(judge, served.ticket.number, said, served.key)
                    store.do(Answering(reply))
            outcomes.append(len(shown))
            assert check_store(store).holds
    assert outcomes[0] == outcomes[1] > 40


def test_only_the_ticket_before_it_can_be_left_without_an_answer(where):
    with Store.open(where) as store:
        fill(store, make_pairs())
        judge = begin(store)
        served = take(store, judge)
        wrong = Reply(judge, served.ticket.number + 1, None, "k", facts=FACTS)
        with pytest.raises(NotYours):
            store.do(judging.skip, wrong)
        right = replace(wrong, ticket=served.ticket.number)
        store.do(judging.skip, right)
        with pytest.raises(NotYours):
            store.do(judging.skip, right)
        with pytest.raises(Refused):
            store.do(judging.append, replace(right, answer={"outcome": "left"}))
        assert check_store(store).holds


def test_every_design_can_be_asked_of_an_llm():
    outputs = {s: f"text of {s}" for s in "ABCD"}
    rows = [{"item": str(n), "outputs": outputs, "group": str(n // 2)} for n in range(8)]
    rows += [{"item": "shared", "outputs": outputs, "anchor": True}]
    told = {"name": "x", "judges": 60, "items": rows, "tasks": [{"kind": "pair", "name": "p"}]}
    whole = {(str(n), two) for n in [*range(8), "shared"] for two in combinations("ABCD", 2)}
    for design in (
        Design(once_per_source=True, quota=20),
        Design(policy="order", judgments=30),
        Design(judges_per_item=5, again=2, lag=3),
    ):
        campaign = replace(make_campaign(told), design=design)
        tickets = [one for one in assign_llm(campaign) if one.kind == "target"]
        assert {(one.item, tuple(sorted(one.systems))) for one in tickets} == whole
        assert len(tickets) == 2 * len(whole)
