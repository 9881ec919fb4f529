"""Campaigns whose pairs a policy chooses: what is refused at reading, and what is kept free."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from evenhand.design.assignment import Assignment, assign
from evenhand.design.guarantees import verify_collected, verify_design
from evenhand.design.policy import make_policy
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import Ticket
from evenhand.errors import CampaignError
from policy_campaigns import make_chosen

ITEMS = [{"item": str(n), "outputs": {"A": f"eins {n}", "B": f"zwei {n}"}} for n in range(6)]


def refuse(match: str, **told: Any) -> None:
    with pytest.raises(CampaignError, match=match):
        assign(make_campaign({"name": "small", "items": ITEMS, **told}))


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ({"kind": "rating"}, "rates outputs one by one"),
        ({"kind": "rank", "n": 2}, "puts several outputs in order"),
        ({"kind": "spans", "severities": {"minor": 1}}, "marks errors in outputs one by one"),
    ],
)
def test_tasks_that_show_no_pairs_cannot_have_a_policy(task: dict[str, Any], words: str) -> None:
    told = f"task 'one' {words}, and policy 'order' chooses pairs: make it a campaign of its own"
    refuse(told, tasks=[{"name": "one", **task}], design={"policy": "order"})


def test_two_passes_of_pairs_cannot_have_one_policy() -> None:
    tasks = [{"kind": "pair", "name": name} for name in ("clear", "true")]
    refuse("one question, and there are 2 passes", tasks=tasks, design={"policy": "order"})


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ({"judgments": 10}, "judgments is for a policy"),
        ({"top": 1}, "top is for a policy"),
        ({"policy": "order", "per_item": 1}, "which a policy chooses: say judgments"),
        ({"policy": "order", "judgments": 0}, "judgments cannot be 0"),
        ({"policy": "order", "judgments": True}, "judgments cannot be True"),
    ],
)
def test_settings_that_do_not_fit_are_refused(design: dict[str, Any], words: str) -> None:
    refuse(words, design=design)


@pytest.mark.parametrize(
    ("design", "able"),
    [
        ({"judgments": 7}, 6),  # each of 6 pairs by one judge
        ({"judgments": 13, "judges_per_item": 2}, 12),
        ({"judgments": 7, "judges_per_item": 2, "quota": 2}, 6),  # 3 judges
        ({"judgments": 19, "judges_per_item": 3, "once_per_source": True}, 18),
    ],
)
def test_more_judgments_than_there_can_be_are_refused(design: dict[str, Any], able: int) -> None:
    refuse(f"3 judges can give {able} ", design={"policy": "order", **design})
    whole = {"policy": "order", **design, "judgments": able}
    assert len(assign(make_campaign({"name": "s", "items": ITEMS, "design": whole}))) == able


def test_quotas_say_how_many_are_asked_and_more_judges_than_there_are_is_refused() -> None:
    told = {"name": "s", "items": ITEMS, "judges": [{"name": "ann", "quota": 1}, "ben"]}
    both = assign(make_campaign({**told, "design": {"policy": "order", "quota": 3}}))
    assert Counter(one.judge for one in both) == {"ann": 1, "ben": 3}
    refuse("4 different judges", design={"policy": "order", "judges_per_item": 4})


@pytest.fixture
def assignment() -> Assignment:
    settings = {"judgments": 50, "judges_per_item": 2, "controls": 2, "repeats": 2, "lag": 3}
    return assign(make_chosen(**settings))


def test_what_the_policy_chooses_is_kept_free_among_what_the_design_fixes(
    assignment: Assignment,
) -> None:
    assert verify_design(assignment).holds
    kinds = Counter((one.kind, one.settled) for one in assignment)
    assert kinds == {
        ("target", False): 50,
        ("repeat", False): 8,
        ("anchor", True): 8,
        ("control", True): 8,
    }
    loads = Counter(one.judge for one in assignment if one.kind == "target")
    assert set(loads.values()) == {12, 13}


def answer_by_hand(assignment: Assignment) -> list[Ticket]:
    """Fill what is kept free: every target another item, repeats as they were."""
    shown: dict[int, Ticket] = {}
    targets = [one.name for one in assignment.campaign.items if one.name.startswith("i")]
    order = iter(targets * 2)
    for one in assignment:
        filled = one
        if one.kind == "target":
            filled = replace(one, item=next(order), systems=("A", "B"), chosen="random")
        elif one.kind == "repeat":
            origin = shown[one.again or 0]
            filled = replace(one, item=origin.item, systems=origin.systems)
        shown[one.number] = filled
    return list(shown.values())


def test_what_a_policy_made_of_it_is_accepted_and_what_it_could_not_is_found(
    assignment: Assignment,
) -> None:
    found = {
        one.name: one for one in verify_collected(assignment, answer_by_hand(assignment)).guarantees
    }
    assert found["tickets"].holds
    assert found["better: judges"].holds
    assert found["no doubles"].holds
    assert found["repeats: lag"].holds
    same = [
        replace(one, item="i0") if one.kind == "target" else one
        for one in answer_by_hand(assignment)
    ]
    broken = {one.name for one in verify_collected(assignment, same).broken}
    assert {"better: judges", "no doubles"} <= broken
    # All of `answer_by_hand` have A on the left.
    check = verify_collected(assignment, answer_by_hand(assignment))
    assert "better: sides" in {one.name for one in check.broken}


@pytest.mark.parametrize(
    "wrong",
    [
        {"item": "c0", "systems": ("g", "h")},
        {"item": "a0"},
        {"systems": ("A", "A")},
        {"systems": ("A", "B", "C")},
        {"systems": ("A", "Z")},
        {"judge": "judge-4"},
        {"chosen": ""},
        {"expected": "left"},
    ],
)
def test_what_a_policy_could_not_have_made_is_found(
    assignment: Assignment, wrong: dict[str, Any]
) -> None:
    answered = answer_by_hand(assignment)
    first = next(at for at, one in enumerate(answered) if one.kind == "target")
    answered[first] = replace(answered[first], **wrong)
    assert "tickets" in {one.name for one in verify_collected(assignment, answered).broken}


@pytest.mark.parametrize(
    ("design", "words"),
    [
        ({"policy": "ordr"}, "there is no policy 'ordr'. Did you mean 'order'?"),
        ({"policy": "best"}, "no policy 'best': choose order | closest"),
        ({"policy": "top-k"}, "add top = 3"),
        ({"policy": "top-k", "top": 6}, "names all 6 systems: choose fewer"),
        ({"policy": "order", "top": 2}, "for the policy top-k, not for order"),
    ],
)
def test_policies_that_cannot_be_are_refused(design: dict[str, Any], words: str) -> None:
    with pytest.raises(CampaignError) as refused:
        make_policy(make_chosen(**design))
    assert words in str(refused.value)
