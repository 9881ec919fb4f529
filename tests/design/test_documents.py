"""Documents are kept together: whole, in order, and what is promised is promised of documents."""

from itertools import groupby
from typing import Any

import pytest

from campaigns import list_mine, make_items, small
from evenhand.design.assignment import assign, assign_llm, find_doubts
from evenhand.design.campaign import Campaign
from evenhand.design.guarantees import verify_collected, verify_design
from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError

SIZES = (4, 1, 2, 3, 2, 4)


def make_documents(sizes: tuple[int, ...] = SIZES, systems: int = 3) -> list[dict[str, Any]]:
    """Items in an order in which documents alternate."""
    made = make_items(sum(sizes), systems)
    named = [(f"d{d}", at) for d, size in enumerate(sizes) for at in range(size)]
    items = [
        {**one, "item": f"{document}-{at}", "document": document}
        for one, (document, at) in zip(made, named, strict=True)
    ]
    return sorted(items, key=lambda one: one["item"][::-1])


def list_blocks(campaign: Campaign, judge: str) -> list[tuple[Any, list[str]]]:
    """Return what a judge sees one after the other: document, systems and kind, and the items."""
    tickets = list_mine(assign(campaign), judge)
    key = lambda one: (campaign.item(one.item).document, one.systems, one.kind)  # noqa: E731
    return [(what, [one.item for one in group]) for what, group in groupby(tickets, key)]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_judges_see_documents_whole_in_order_and_of_the_same_systems(width: int) -> None:
    campaign = small(width, make_documents(), 3, documents=True, judges_per_item=2)
    assert verify_design(assign(campaign)).holds
    blocks = [one for judge in campaign.judges for one in list_blocks(campaign, judge.name)]
    for (document, _, _), items in blocks:
        size = SIZES[int(document[1])]
        assert items == [f"{document}-{at}" for at in range(size)] * (len(items) // size)
    units = {1: 3, 2: 3, 3: 1}[width]
    assert sum(len(items) for _, items in blocks) == 2 * units * sum(SIZES)


def test_loads_controls_repeats_and_quotas_count_documents() -> None:
    bad = [
        {"item": f"c{d}-{at}", "document": f"c{d}", "outputs": {"x": "s"}, "control": kind}
        for d in range(2)
        for at, kind in enumerate(("good", "bad", "good"))
    ]
    design = {"documents": True, "controls": 1, "repeats": 1, "lag": 2, "quota": 11}
    campaign = small(1, [*make_documents(), *bad], 2, **design)
    check = verify_design(assign(campaign))
    assert check.holds
    found = {one.name: one.found for one in check.guarantees}
    assert found["quality: loads"].startswith("9 for each of 2 judges;")  # 6 documents of 3
    assert found["quotas"] == "0 judges above theirs; 11 tickets each"
    tickets = list_mine(assign(campaign), "judge-1")
    control = [one for one in tickets if one.kind == "control"]
    assert [(one.item[2:], one.expected) for one in control] == [
        ("-0", "good"),
        ("-1", "bad"),
        ("-2", "good"),
    ]
    again = [one for one in tickets if one.kind == "repeat"]
    first = [assign(campaign)[one.again or 0] for one in again]
    assert [one.item for one in again] == [one.item for one in first]
    assert again[0].item.endswith("-0")


def test_no_judge_sees_a_document_of_two_systems_where_sources_come_once() -> None:
    design = {"documents": True, "once_per_source": True}
    campaign = small(1, make_documents(), 3, **design)
    for judge in campaign.judges:
        named = [what[0] for what, _ in list_blocks(campaign, judge.name)]
        assert sorted(named) == [f"d{at}" for at in range(len(SIZES))]


def test_promises_are_counted_on_a_part_of_what_was_collected() -> None:
    campaign = small(1, make_documents(), 2, documents=True)
    assignment = assign(campaign)
    part = [one for one in assignment if one.number < 7]
    check = verify_collected(assignment, part)
    assert (check.broken, check.tickets) == ((), 7)
    assert verify_collected(assignment, list(assignment)).holds


def test_an_llm_judge_is_asked_segments_in_order_and_nothing_of_documents() -> None:
    campaign = small(1, make_documents((3, 2), 1), 1, documents=True)
    items = [one.item for one in assign_llm(campaign)]
    first, second = ["d0-0", "d0-1", "d0-2"], ["d1-0", "d1-1"]
    assert items in ([*first, *second], [*second, *first])
    task = {"kind": "rating", "name": "q", "document_question": "And the whole?"}
    told = {"name": "n", "judges": 1, "tasks": [task], "design": {"documents": True}}
    campaign = make_campaign({**told, "items": make_documents((3,), 1)})
    answers = [campaign.read_answer(one, {"score": 7}) for one in assign_llm(campaign)]
    assert [(one.score, one.document) for one in answers] == [(7, None)] * 3


def test_a_campaign_without_the_setting_keeps_its_digest_and_is_told_of_it() -> None:
    items = make_documents((2, 2), 2)
    plain, kept = small(1, items, 2), small(1, items, 2, documents=True)
    assert b'"documents"' not in plain.canonical
    assert b"document_question" not in plain.canonical
    assert make_campaign(kept.to_dict()) == kept
    assert [one.code for one in find_doubts(plain)] == ["documents-apart"]
    assert find_doubts(kept) == ()


ITEM = {"document": "d", "outputs": {"A": "a", "B": "b"}}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"outputs": {"A": "a"}}, "item 'x' has an output of B, and item 'y' has none"),
        ({"anchor": True}, "items 'x' and 'y' differ in being control items or anchors"),
        ({"group": "g"}, "item 'y' is of group 'g', and with documents a document is one source"),
    ],
)
def test_documents_that_cannot_be_kept_together_are_refused(
    changed: dict[str, Any], says: str
) -> None:
    items = [{**ITEM, "item": "x"}, {**ITEM, "item": "y", **changed}, {**ITEM, "item": "z"}]
    with pytest.raises(CampaignError, match=says):
        assign(small(1, items, 1, documents=True))


def test_what_does_not_go_with_documents_is_refused() -> None:
    design = {"documents": True, "repeats": 1, "lag": 10}
    says = r"has 3 tickets in pass .* lower lag \(a document counts as one item and one ticket\)$"
    with pytest.raises(CampaignError, match=says):
        assign(small(1, make_documents((4, 4, 4), 1), 1, **design))
    items = [{**ITEM, "item": "x"}]
    with pytest.raises(CampaignError, match="leave one of the two out"):
        small(2, items, 1, documents=True, policy="order")
    task = {"kind": "rating", "name": "q", "document_question": "And the whole?"}
    with pytest.raises(CampaignError, match="no document is kept together"):
        make_campaign({"name": "n", "tasks": [task], "items": items})
