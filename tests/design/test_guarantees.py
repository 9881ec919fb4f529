"""Every promise can be broken, and is found broken: each alone, by an assignment made by hand."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from campaigns import list_mine, make_items, small
from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign
from evenhand.design.guarantees import verify_collected, verify_design
from evenhand.design.reading import make_campaign
from rebuilt_assignments import Break, Rows, drop, find, give, move, rebuild, show, spare


def _controls(n: int = 4) -> list[dict[str, Any]]:
    return [
        {"item": f"c{at}", "outputs": {"x": "sample"}, "control": ("good", "bad")[at % 2]}
        for at in range(n)
    ]


def _known() -> list[dict[str, Any]]:
    return [
        {"item": f"c{n}", "outputs": {"ok": "a", "bad": "b"}, "expected": "ok"} for n in range(4)
    ]


def two_passes(**design: Any) -> Campaign:
    """Fluency and then adequacy of 12 items of two systems, by six judges."""
    task = {"kind": "rating"}
    told = {"name": "two", "judges": 6, "items": make_items(12, 2), "design": design}
    tasks = [{**task, "name": name} for name in ("fluency", "adequacy")]
    return make_campaign({**told, "tasks": tasks})


def taught() -> Campaign:
    """A pass before which something is taught."""
    lesson = {"task": "quality", "item": "try", "outputs": {"x": "s"}, "feedback": "Well."}
    told = small(1, make_items(6, 1), 3).to_dict()
    return make_campaign({**told, "training": [lesson]})


def documents() -> Campaign:
    """Four documents of three segments, of two systems, by two judges."""
    items = [{**one, "document": f"d{at // 3}"} for at, one in enumerate(make_items(12, 2))]
    return small(1, items, 2, documents=True)


ANCHORED = [*make_items(6, 1), *({**one, "anchor": True} for one in make_items(2, 1, prefix="a"))]
CONTROLLED = small(1, [*make_items(24, 1), *_controls()], 3, controls=2)
REPEATED = small(1, make_items(30, 1), 2, repeats=2, again=2, lag=3)
SIDES = {"0": ("S0", "S1"), "1": ("S1", "S0")}
FREE = [{"name": f"j{at}", "quota": 30} for at in range(4)]
TIGHT = [{"name": "j0", "quota": 2}, {"name": "j1", "quota": 10}]


def show_a_source_twice(rows: Rows) -> Rows:
    """Two judges trade outputs of one system, of which one has the source already."""
    held = {(one.judge, one.item): one.systems for one in rows}
    for at, one in enumerate(rows):
        for to, other in enumerate(rows):
            alike = one.systems == other.systems and one.judge != other.judge
            turned = held.get((other.judge, one.item), one.systems) != one.systems
            if alike and turned and (one.judge, other.item) not in held:
                rows[at], rows[to] = (
                    replace(one, judge=other.judge),
                    replace(other, judge=one.judge),
                )
                return sorted(rows, key=lambda ticket: ticket.judge)
    raise AssertionError


def ask_an_anchor_twice(rows: Rows) -> Rows:
    at = find(rows, kind="anchor")
    return [*rows[:at], replace(rows[at], number=10**6), *rows[at:]]


def call_a_plain_item_a_control(rows: Rows) -> Rows:
    at = find(rows, kind="control")
    seen = {one.item for one in rows if one.judge == rows[at].judge}
    other = next(one for one in rows if one.kind == "target" and one.item not in seen)
    rows[at] = replace(other, judge=rows[at].judge, kind="control", number=rows[at].number)
    return rows


def show_nothing(rows: Rows) -> Rows:
    at = find(rows, kind="control")
    rows[at] = replace(rows[at], systems=())
    return rows


def show_good_controls_alone(rows: Rows) -> Rows:
    good = {0: "c0", 1: "c2"}
    met = dict.fromkeys((one.judge for one in rows), 0)
    for at, one in enumerate(rows):
        if one.kind == "control":
            rows[at] = replace(one, item=good[met[one.judge]])
            met[one.judge] += 1
    return rows


def show_the_better_left(rows: Rows) -> Rows:
    return [replace(one, systems=("ok", "bad")) if one.kind == "control" else one for one in rows]


def repeat_one_twice(rows: Rows) -> Rows:
    first, other = [at for at, one in enumerate(rows) if one.kind == "repeat"][:2]
    told = {"number": rows[other].number}
    rows[other] = replace(rows[first], **told)
    return rows


def repeat_at_once(rows: Rows) -> Rows:
    at = find(rows, kind="repeat")
    return move(rows, at, 1 + find(rows, number=rows[at].again))


def repeat_something_else(rows: Rows) -> Rows:
    at = find(rows, kind="repeat")
    other = find(rows, kind="target", judge=rows[at].judge)
    assert rows[other].number != rows[at].again
    rows[at] = replace(rows[at], item=rows[other].item)
    return rows


def repeat_before_the_end(rows: Rows) -> Rows:
    last = max(at for at, one in enumerate(rows) if one.judge == "judge-1")
    target = max(at for at in range(last) if rows[at].kind == "target")
    return move(rows, target, last)


def turn_passes_round(rows: Rows) -> Rows:
    mine = [one for one in rows if one.judge == "judge-1"]
    return sorted(mine, key=lambda one: one.task) + rows[len(mine) :]


def rotate_judges(rows: Rows) -> Rows:
    """Give the second pass of each judge to the next one."""
    names = sorted({one.judge for one in rows})
    follow = dict(zip(names, [*names[1:], names[0]], strict=True))
    second = [one for one in rows if one.task == "adequacy"]
    moved = [replace(one, judge=follow[one.judge]) for one in second]
    first = [one for one in rows if one.task == "fluency"]
    return sorted([*first, *moved], key=lambda one: one.judge)


def keep_the_order(rows: Rows) -> Rows:
    first = [one for one in rows if one.task == "fluency"]
    second = [replace(one, task="adequacy", number=10**6 + one.number) for one in first]
    return sorted([*first, *second], key=lambda one: one.judge)


def teach_late(rows: Rows) -> Rows:
    return move(rows, find(rows, kind="training"), 2)


def heap_controls(rows: Rows) -> Rows:
    """Put both controls of the first judge first."""
    mine = [one for one in rows if one.judge == "judge-1"]
    return sorted(mine, key=lambda one: one.kind != "control") + rows[len(mine) :]


def sort_by_system(rows: Rows) -> Rows:
    names = [one.judge for one in rows]
    return list(give(names)(sorted(rows, key=lambda one: sorted(one.systems))))


def roll(n: int) -> list[str]:
    """Return the first three systems, turned round a place further each time."""
    return ["012", "120", "201"] * (n // 3)


WAYS: list[tuple[str, Campaign, Break]] = [
    ("quality: items", small(1, make_items(7, 1), 3), spare),
    ("quality: judges", small(1, make_items(4, 1), 3, judges_per_item=2), spare),
    ("outputs shown", CONTROLLED, show_nothing),
    ("quality: choice", small(1, make_items(12, 4), 3, per_item=1), show("0")),
    ("preference: choice", small(2, make_items(12, 4), 3, per_item=1), show("01", "10")),
    ("order: choice", small(3, make_items(12, 5), 3), show(*roll(12))),
    ("no doubles", small(1, ANCHORED, 3), ask_an_anchor_twice),
    ("documents", documents(), lambda rows: move(rows, 1, 0)),
    (
        "sources",
        small(1, make_items(24, 2), 6, judges_per_item=2, once_per_source=True),
        show_a_source_twice,
    ),
    ("quality: loads", small(1, make_items(2, 1), 2), give(["judge-1"] * 2)),
    ("quality: loads", small(1, make_items(20, 1), FREE), give(["j0"] * 10 + ["j1"] * 10)),
    ("quotas", small(1, make_items(6, 1), TIGHT), give(["j0"] * 3 + ["j1"] * 3)),
    ("quality: systems", small(1, make_items(12, 2), 2), sort_by_system),
    ("preference: systems", small(2, make_items(12, 3), 3), sort_by_system),
    ("preference: sides", small(2, make_items(3, 2), 3), show("01")),
    (
        "preference: sides of an item",
        small(2, make_items(2, 2), 2, judges_per_item=2),
        lambda rows: [replace(one, systems=SIDES[one.item]) for one in rows],
    ),
    ("preference: sides of a judge", small(2, make_items(4, 2), 2), show("01", "01", "10", "10")),
    ("order: places", small(3, make_items(3, 3), 3), show("012")),
    (
        "order: places of a judge",
        small(3, make_items(9, 3), 3),
        show(*(one for one in roll(3) for _ in range(3))),
    ),
    (
        "order: sets",
        small(3, make_items(7, 7), 7, balanced_blocks=True),
        show(*(f"{at}{(at + 1) % 7}{(at + 2) % 7}" for at in range(7))),
    ),
    (
        "preference: sets",
        small(2, make_items(12, 4), 12, per_item=1, balanced_blocks=True),
        show("01", "02", "03", "12", "13", "13", "10", "20", "30", "21", "31", "31"),
    ),
    ("anchors", small(1, ANCHORED, 3), drop(kind="anchor")),
    (
        "anchors",
        small(1, ANCHORED, 3),
        lambda rows: [one for one in rows if (one.item, one.kind) != ("a1", "anchor")],
    ),
    ("controls", CONTROLLED, call_a_plain_item_a_control),
    ("controls: spread", CONTROLLED, heap_controls),
    ("controls: directions", CONTROLLED, show_good_controls_alone),
    (
        "controls: sides",
        small(2, [*make_items(12, 2), *_known()], 4, controls=2),
        show_the_better_left,
    ),
    ("repeats", REPEATED, drop(kind="repeat")),
    ("repeats", REPEATED, repeat_one_twice),
    ("repeats: lag", REPEATED, repeat_at_once),
    ("repeats: lag", REPEATED, repeat_something_else),
    ("repeats: last", REPEATED, repeat_before_the_end),
    ("passes", two_passes(), turn_passes_round),
    ("passes: same outputs", two_passes(), rotate_judges),
    ("passes: another order", two_passes(judges_per_item=2), keep_the_order),
    ("training", taught(), drop(kind="training")),
    ("training: first", taught(), teach_late),
]
"""Which guarantee breaks, of which campaign, and by what."""


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


def test_pairs_that_were_not_asked_for_are_found() -> None:
    campaign = small(2, make_items(12, 3), 3)
    for systems in (("S0", "S0"), ("S0",), ()):
        rows = list(assign(campaign))
        rows[5] = rows[5].__class__(**{**vars(rows[5]), "systems": systems})
        assert {"outputs shown", "preference: items"} <= list_broken(rebuild(campaign, rows))
    campaign = small(2, make_items(12, 3), 4, judges_per_item=2, per_item=1)
    rows = list(assign(campaign))
    left, right = sorted({"S0", "S1", "S2"} - {rows[5].systems[0]})
    rows[5] = replace(rows[5], systems=(left, right))
    check = verify_design(rebuild(campaign, rows))
    found = {one.name: one for one in check.broken}
    assert found["preference: items"].found == "13 pairs of 12 items; 1 not asked for"


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


def test_a_part_of_the_answers_holds_as_far_as_it_goes_and_none_say_nothing(assignment):
    some = [one for name in ("judge-1", "judge-2") for one in list_mine(assignment, name)[:9]]
    check = verify_collected(assignment, some)
    assert check.holds
    assert {"quality: items", "anchors", "controls"} <= {one.name for one in check.later}
    assert check.guarantees[0].found == f"{len(some)} of {len(assignment)} tickets answered"
    check = verify_collected(assignment, [])
    assert (check.holds, check.kept, check.broken) == (False, (), ())
    assert len(check.later) > 10


def test_faults_of_what_was_collected_are_found(assignment):
    tickets = list(assignment)
    other = replace(tickets[3], systems=("S9",))
    assert not verify_collected(assignment, [*tickets[:3], other]).holds
    assert not verify_collected(assignment, [*tickets[:3], tickets[2]]).holds
    joined = {one.name: "person" for one in assignment.campaign.judges[:4]}
    assert verify_collected(assignment, assignment).holds
    names = {one.name for one in verify_collected(assignment, assignment, joined).broken}
    assert {"no doubles", "sources"} & names
    mine = list_mine(assignment, "judge-1")
    controls_first = sorted(mine, key=lambda one: one.kind != "control")
    broken = {one.name for one in verify_collected(assignment, controls_first).broken}
    assert "order" in broken
    first = next(one.again for one in mine if one.again is not None)
    left = [one for one in mine if one.number != first]
    assert {one.name for one in verify_collected(assignment, left).broken} == {"repeats: lag"}


@pytest.mark.parametrize("strange", [{"task": "nope"}, {"item": "nope"}, {"judge": "nope"}])
def test_an_answer_from_elsewhere_is_counted_and_not_a_fault(assignment, strange):
    tickets = list(assignment)[:4]
    check = verify_collected(assignment, [*tickets[:3], replace(tickets[3], **strange)])
    assert [one.name for one in check.broken] == ["tickets"]
    assert "1 others, such as 3" in check.guarantees[0].found


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
