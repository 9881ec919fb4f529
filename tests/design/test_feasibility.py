"""Designs that cannot be are refused with the count that shows it; others are not refused."""

import re
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import make_items, small
from evenhand.design.assignment import assign, find_doubts
from evenhand.design.guarantees import verify_design
from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError

CONTROL = {"item": "c", "outputs": {"x": "sample"}, "control": "bad"}
SHARED = [*make_items(3, 3), *({**one, "anchor": True} for one in make_items(1, 3, prefix="a"))]
KNOWN = [
    {"item": name, "group": "g", "outputs": {"x": name}, "expected": {task: 5}}
    for name, task in (("c1", "fluency"), ("c2", "adequacy"))
]
ONE_GROUP = {
    "name": "one source",
    "judges": 4,
    "items": [*KNOWN, *make_items(3, 2)],
    "design": {"controls": 1, "once_per_source": True},
    "tasks": [{"kind": "rating", "name": name} for name in ("fluency", "adequacy")],
}
"""Two controls of one source, one known in each pass: nobody may see both."""


@pytest.mark.parametrize(
    ("campaign", "said"),
    [
        (small(1, make_items(3, 2), 2, judges_per_item=3), "3 different judges for each item"),
        (
            small(1, make_items(3, 4), 7, judges_per_item=2, once_per_source=True),
            "source '0' has 4 outputs, which with 2 judges each need 8 different judges",
        ),
        (small(2, make_items(30, 3), 4, quota=20), "90 pairs × 1 judge = 90 judgments in each"),
        (
            small(1, make_items(2, 2), 5, per_item=3),
            "per_item asks for 3 outputs of each item; of 2 outputs there are 2",
        ),
        (
            small(3, make_items(8, 7), 5, balanced_blocks=True),
            "8 sets of 3 out of 7 systems cannot hold every pair equally often: b·k = v·r",
        ),
        (
            small(2, make_items(7, 4), 3, per_item=1, balanced_blocks=True),
            "7 pairs out of 4 systems cannot hold each of the 6 equally often; judge 6 or 12 pairs",
        ),
        (
            small(1, make_items(7, 4), 3, balanced_blocks=True),
            "balanced_blocks cannot be: every pass shows one output",
        ),
        (
            small(2, make_items(6, 2), 3, policy="order", balanced_blocks=True),
            "balanced_blocks cannot be: policy 'order' chooses the pairs",
        ),
        (
            small(2, SHARED, 9, once_per_source=True, balanced_blocks=True),
            "balanced_blocks cannot be: with once_per_source one pair or set of each anchor",
        ),
        (
            make_campaign(ONE_GROUP),
            "sees the sources of too many control items to be shown 1 more in pass 'adequacy'",
        ),
        (small(2, make_items(3, 1), 2), "compares 2 outputs, and item '0' has one"),
        (
            small(2, make_items(3, 2), 1, repeats=1, lag=10),
            "1 repeats at least 10 tickets later find no place",
        ),
        (small(1, [*make_items(3, 2), CONTROL], 2), "nobody is shown one"),
        (
            small(1, [*make_items(3, 2), CONTROL], 2, controls=2),
            "is to see 2 different control items in pass 'quality': there are 1",
        ),
        (small(2, [*make_items(3, 2), CONTROL], 2, controls=1), "control 'c' fits no pass"),
        (small(1, [CONTROL], 2, controls=1), "there is nothing to judge: all items are controls"),
        (small(1, make_items(3, 2), 2, quota=2, repeats=3, lag=0), "a quota of 2: anchors"),
    ],
)
def test_the_reason_is_named(campaign, said):
    with pytest.raises(CampaignError, match=re.escape(said)):
        assign(campaign)


def test_items_that_leave_nothing_to_judge_or_are_anchors_in_part_are_refused():
    equal = {"name": "n", "items": [{"item": "1", "outputs": {"A": "x", "B": "x"}}]}
    said = 'of each item all outputs are equal; .* or say equal_outputs = "ask" in \\[design\\]$'
    with pytest.raises(CampaignError, match=said):
        assign(make_campaign(equal))
    assert len(assign(make_campaign({**equal, "design": {"equal_outputs": "ask"}}))) == 1
    items = [{**one, "group": "same"} for one in make_items(2, 1)]
    items[0]["anchor"] = True
    with pytest.raises(CampaignError, match="source 'same' is an anchor"):
        assign(small(1, items, 3, once_per_source=True))


def can_be(needs, loads):
    """Whether groups can be dealt out, by trying everybody for everything."""
    if not needs:
        return True
    return any(
        can_be(needs[1:], [load - (at in chosen) for at, load in enumerate(loads)])
        for chosen in subsets(len(loads), needs[0])
        if all(loads[at] for at in chosen)
    )


def subsets(n, k):
    return combinations(range(n), k)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_quotas_are_refused_exactly_where_no_deal_exists(items, each, quotas):
    judges = [{"name": f"j{at}", "quota": quota} for at, quota in enumerate(quotas)]
    campaign = small(1, make_items(items, 2), judges, judges_per_item=each, once_per_source=True)
    try:
        assign(campaign)
        refused = False
    except CampaignError:
        refused = True
    assert refused is not can_be([2 * each] * items, quotas)


def test_a_source_of_which_controls_were_shown_is_shown_with_the_same_one_again():
    """Two passes, two controls of each of two sources: whoever saw one of them sees no other."""
    both = {"fluency": 5, "adequacy": 4}
    known = [
        {"item": f"c{n}", "group": f"g{n % 2}", "outputs": {"x": f"{n}"}, "expected": both}
        for n in range(4)
    ]
    design = {"controls": 2, "once_per_source": True}
    told = {**ONE_GROUP, "items": [*known, *make_items(6, 2)], "design": design}
    assignment = assign(make_campaign(told))
    seen = {(one.judge, one.item) for one in assignment if one.kind == "control"}
    assert len(seen) == 2 * 4
    assert verify_design(assignment).holds


def doubt(items, width=1, *, shows=("source",), **design):
    told = small(width, items, 4, **design).to_dict()
    told["tasks"][0]["shows"] = list(shows)
    return find_doubts(make_campaign(told))


def test_what_is_worth_a_doubt_is_said_and_nothing_else():
    assert doubt(make_items(4, 2), 2, once_per_source=False) == ()
    assert doubt(make_items(4, 2), once_per_source=True) == ()
    (said,) = doubt(make_items(4, 2), shows=["reference"])
    assert said == "Pass 'quality' shows the reference, and no item has one."
    items = [{**one, "reference": "r"} for one in make_items(3, 2)] + make_items(1, 2, prefix="x")
    (said,) = doubt(items, shows=["reference"])
    assert "1 of 4 items have none (x0)" in said
    items = [*make_items(3, 2), {"item": "same", "source": "s", "outputs": {"S0": "x", "S1": "x"}}]
    assert doubt(items, equal_outputs="ask") == ()
    (said,) = doubt(items, 2, equal_outputs="ask")
    same = "On 1 of 4 items several systems gave the same text (same)"
    assert said.startswith(same)
    (said,) = doubt(items)
    assert said.startswith(same)
    assert doubt(items, 2)[1].startswith("1 of 4 items have one text as the output of all systems")
    items = [
        {"item": f"{at}{system}", "source": f"sentence {at}", "outputs": {system: f"{system}{at}"}}
        for at in range(3)
        for system in "AB"
    ]
    assert doubt(items) == ()
    (said,) = doubt(items, once_per_source=True)
    assert said.startswith("3 sources are the same text under several items, such as '0A' and '0B'")
    grouped = [{**one, "group": one["source"]} for one in items]
    assert doubt(grouped, once_per_source=True) == ()
