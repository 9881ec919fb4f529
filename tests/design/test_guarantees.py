"""Every promise can be broken, and is found broken: each alone, by an assignment made by hand."""

from collections.abc import Iterator

import pytest

from broken_assignments import WAYS
from campaigns import make_items, small
from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign
from evenhand.design.guarantees import verify_design
from rebuilt_assignments import Break, rebuild


def list_broken(assignment: Assignment) -> set[str]:
    return {one.name for one in verify_design(assignment).broken}


def name_ways() -> list[str]:
    return [f"{at}-{name}" for at, (name, _, _) in enumerate(WAYS)]


@pytest.mark.parametrize(("name", "campaign", "way"), WAYS, ids=name_ways())
def test_what_is_broken_by_hand_is_found_and_nothing_else(
    name: str, campaign: Campaign, way: Break
) -> None:
    assignment = assign(campaign)
    assert list_broken(rebuild(campaign, assignment)) == set()
    assert list_broken(rebuild(campaign, way(list(assignment)))) == {name}


def list_promised(campaign: Campaign) -> Iterator[str]:
    """What is promised, whatever the pass is called."""
    for one in verify_design(assign(campaign)).guarantees:
        if one.promised:
            task, _, what = one.name.partition(": ")
            yield what if task in [task.name for task in campaign.tasks] else one.name


def test_there_is_a_way_to_break_every_promise() -> None:
    promised = {one for _, campaign, _ in WAYS for one in list_promised(campaign)}
    broken = set()
    for name, campaign, _ in WAYS:
        task, _, what = name.partition(": ")
        broken.add(what if task in [one.name for one in campaign.tasks] else name)
    assert promised == broken


def test_a_pair_of_an_output_with_itself_and_half_a_pair_are_found() -> None:
    campaign = small(2, make_items(12, 3), 3)
    for systems in (("S0", "S0"), ("S0",), ()):
        rows = list(assign(campaign))
        rows[5] = rows[5].__class__(**{**vars(rows[5]), "systems": systems})
        assert {"outputs shown", "preference: items"} <= list_broken(rebuild(campaign, rows))


def test_each_kind_of_item_is_balanced_by_itself() -> None:
    """Seven sets of each of two kinds: within each every two systems meet once."""
    items = [*make_items(7, 7), *make_items(7, 7, prefix="t", first="T")]
    check = verify_design(assign(small(3, items, 7, balanced_blocks=True)))
    assert check.holds
    found = {one.name: one.found for one in check.guarantees}
    assert found["order: sets"] == "two systems meet in 1 of 14 sets"
