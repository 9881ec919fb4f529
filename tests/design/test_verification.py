"""A broken promise is found: before launch, and on what was collected."""

from dataclasses import replace

import pytest

from campaigns import make_items, small
from evenhand.design.assignment import Assignment, assign
from evenhand.design.guarantees import verify_collected, verify_design


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
    some = [one for name in ("judge-1", "judge-2") for one in assignment.of(name)[:9]]
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
    mine = list(assignment.of("judge-1"))
    controls_first = sorted(mine, key=lambda one: one.kind != "control")
    broken = {one.name for one in verify_collected(assignment, controls_first).broken}
    assert "order" in broken


def test_a_repeat_of_what_was_never_answered_is_found(assignment):
    mine = list(assignment.of("judge-1"))
    first = next(one.again for one in mine if one.again is not None)
    left = [one for one in mine if one.number != first]
    assert {one.name for one in verify_collected(assignment, left).broken} == {"repeats: lag"}


def test_whoever_goes_on_for_another_judge_counts_for_their_seat_and_as_a_new_person(assignment):
    seat = assignment.of("judge-1")
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
