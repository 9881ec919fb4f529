"""A broken promise is found: before launch, and on what was collected."""

from dataclasses import replace

import numpy as np
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


def change(assignment, name, at, value):
    numbers = getattr(assignment, name).copy()
    numbers[at] = value
    return replace(assignment, **{name: numbers})


def find(assignment, kind, judge=0):
    return [one.number for one in assignment.of(f"judge-{judge + 1}") if one.kind == kind]


def test_an_untouched_design_holds(assignment):
    assert broken(assignment) == set()


def test_one_unit_to_the_same_judge_twice_is_found(assignment):
    one, other = find(assignment, "target")[:2]
    shown = change(assignment, "shown", one, assignment.shown[other])
    twice = change(shown, "item", one, assignment.item[other])
    assert {"no doubles", "quality: judges"} <= broken(twice)


def test_a_source_from_two_systems_is_found(assignment):
    one, other = find(assignment, "target")[:2]
    both = change(assignment, "item", one, assignment.item[other])
    both = change(both, "shown", one, 1 - assignment.shown[other])
    assert "sources" in broken(both)


def test_a_repeat_too_early_is_found(assignment):
    late = find(assignment, "repeat")[0]
    origin = int(assignment.again[late])
    order = np.arange(len(assignment))
    order[origin + 1 : late + 1] = np.r_[late, np.arange(origin + 1, late)]
    moved = {name: getattr(assignment, name)[order] for name in ("item", "shown", "kind")}
    again = assignment.again[order]
    place = np.argsort(order)
    early = replace(assignment, **moved, again=np.where(again >= 0, place[again], -1))
    assert "repeats: lag" in broken(early)


def test_controls_in_one_heap_are_found(assignment):
    both = find(assignment, "control")
    rest = np.setdiff1d(np.arange(len(assignment)), both)
    order = np.r_[both, rest]
    heap = {name: getattr(assignment, name)[order] for name in ("item", "shown", "kind")}
    again = assignment.again[order]
    place = np.argsort(order)
    heaped = replace(assignment, **heap, again=np.where(again >= 0, place[again], -1))
    assert "controls: spread" in broken(heaped)


def test_an_anchor_that_one_judge_misses_is_found(assignment):
    one, target = find(assignment, "anchor")[0], find(assignment, "target", judge=1)[0]
    missed = change(assignment, "item", one, assignment.item[target])
    assert "anchors" in broken(missed)


def test_a_pair_that_always_stands_in_one_order_is_found():
    pairs = assign(small(2, make_items(12, 2), 3))
    names = {one.name for one in verify_design(pairs).broken}
    assert names == set()
    same = np.sort(pairs.shown, axis=1)
    assert broken(replace(pairs, shown=same)) == {
        "preference: sides",
        "preference: sides of a judge",
    }


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
