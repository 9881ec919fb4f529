"""Every promise can be broken, and is found broken: each alone, by an assignment made by hand."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from broken_assignments import WAYS
from campaigns import list_mine, make_items, small
from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign
from evenhand.design.guarantees import verify_collected, verify_design
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


@pytest.fixture
def assignment():
    items = [*make_items(24, 2), *({**one, "anchor": True} for one in make_items(2, 2, prefix="a"))]
    items += [
        {"item": f"c{at}", "outputs": {"x": "sample"}, "control": ("good", "bad")[at % 2]}
        for at in range(4)
    ]
    design = {"judges_per_item": 2, "once_per_source": True, "controls": 2, "repeats": 2, "lag": 3}
    return assign(small(1, items, 6, **design))


def broken(assignment: Assignment) -> set[str]:
    return {one.name for one in verify_design(assignment).broken}


def test_a_part_of_the_answers_holds_as_far_as_it_goes(assignment):
    some = [one for name in ("judge-1", "judge-2") for one in list_mine(assignment, name)[:9]]
    check = verify_collected(assignment, some)
    assert check.holds
    assert {"quality: items", "anchors", "controls"} <= {one.name for one in check.later}
    assert check.guarantees[0].found == f"{len(some)} of {len(assignment)} tickets answered"


def test_an_answer_to_what_was_not_asked_is_found(assignment):
    tickets = list(assignment)
    other = replace(tickets[3], systems=("S9",))
    assert not verify_collected(assignment, [*tickets[:3], other]).holds
    assert not verify_collected(assignment, [*tickets[:3], tickets[2]]).holds


def test_two_names_of_one_person_are_found(assignment):
    joined = {one.name: "person" for one in assignment.campaign.judges[:4]}
    assert verify_collected(assignment, assignment).holds
    names = {one.name for one in verify_collected(assignment, assignment, joined).broken}
    assert {"no doubles", "sources"} & names


def test_of_no_answers_nothing_is_said(assignment):
    check = verify_collected(assignment, [])
    assert (check.holds, check.kept, check.broken) == (False, (), ())
    assert len(check.later) > 10


@pytest.mark.parametrize("strange", [{"task": "nope"}, {"item": "nope"}, {"judge": "nope"}])
def test_an_answer_from_elsewhere_is_counted_and_not_a_fault(assignment, strange):
    tickets = list(assignment)[:4]
    check = verify_collected(assignment, [*tickets[:3], replace(tickets[3], **strange)])
    assert [one.name for one in check.broken] == ["tickets"]
    assert "1 others, such as 3" in check.guarantees[0].found


def test_who_answers_in_another_order_is_found(assignment):
    mine = list_mine(assignment, "judge-1")
    controls_first = sorted(mine, key=lambda one: one.kind != "control")
    broken = {one.name for one in verify_collected(assignment, controls_first).broken}
    assert "order" in broken


def test_a_repeat_of_what_was_never_answered_is_found(assignment):
    mine = list_mine(assignment, "judge-1")
    first = next(one.again for one in mine if one.again is not None)
    left = [one for one in mine if one.number != first]
    assert {one.name for one in verify_collected(assignment, left).broken} == {"repeats: lag"}


def test_whoever_goes_on_for_another_judge_counts_for_their_seat_and_as_a_new_person(assignment):
    seat = list_mine(assignment, "judge-1")
    done = {one.number for one in seat[:9]}
    rest = [one for one in seat[9:] if one.again not in done]
    after = [replace(one, judge="late") for one in rest]
    others = [one for one in assignment if one.judge != "judge-1"]
    answered = [*seat[:9], *after, *others]
    check = verify_collected(assignment, answered, seats={"late": "judge-1"})
    assert (check.broken, check.later) == ((), ())
    assert check.judges == 7
    unknown = verify_collected(assignment, answered)
    assert [one.name for one in unknown.broken] == ["tickets"]
    same = {"late": "judge-2"}
    joined = verify_collected(assignment, answered, people=same, seats={"late": "judge-1"})
    assert {"no doubles", "sources"} & {one.name for one in joined.broken}
