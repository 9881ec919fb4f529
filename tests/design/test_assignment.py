"""Every promise of a design, counted ticket by ticket in plain Python."""

import hashlib
import os
import subprocess
import sys
from collections import Counter, defaultdict
from itertools import permutations, product
from time import process_time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from campaigns import TASKS, every_unit, hamon, judges_of, make_items, sittings, small
from evenhand.design.assignment import assign
from evenhand.design.dealing import (
    Columns,
    NoPlaceForRepeat,
    PassTickets,
    divide_quotas,
    order_tickets,
)
from evenhand.design.guarantees import verify_design
from evenhand.design.reading import make_campaign
from evenhand.errors import CampaignError
from evenhand.numerics.sampling import Draws


def spread(counts):
    return max(counts) - min(counts)


@st.composite
def campaigns(draw):
    width = draw(st.sampled_from([1, 2, 3]))
    systems = draw(st.integers(max(2, width - 1), 4))
    items = make_items(draw(st.integers(1, 9)), systems)
    for one in items[: draw(st.integers(0, 2))]:
        one["anchor"] = True
    judges = draw(st.integers(1, 12))
    design = {
        "judges_per_item": draw(st.integers(1, 3)),
        "once_per_source": draw(st.booleans()),
        "repeats": draw(st.integers(0, 2)),
        "again": draw(st.integers(0, 1)),
        "lag": draw(st.integers(0, 4)),
        "controls": draw(st.integers(0, 3)),
    }
    if design["controls"]:
        for at in range(draw(st.integers(3, 5))):
            outputs = {f"C{n}": f"control {n}" for n in range(width)}
            known = {"control": ("good", "bad")[at % 2]} if width == 1 else {"expected": "C0"}
            items.append({"item": f"control {at}", "outputs": outputs, **known})
    campaign = small(width, items, judges, **design)
    return make_campaign({**campaign.to_dict(), "seed": draw(st.integers(0, 99))})


@settings(max_examples=60, deadline=None)
@given(campaigns())
def test_whatever_is_not_refused_keeps_every_promise(campaign):
    try:
        assignment = assign(campaign)
    except CampaignError:
        assume(False)
    design, width = campaign.design, campaign.tasks[0].width
    judges = judges_of(assignment)
    assert all(len(set(one)) == len(one) == design.judges_per_item for one in judges.values())
    if width < 3:
        assert {(item, names) for _, item, names in judges} == every_unit(campaign, width)
    loads = Counter(one.judge for one in assignment if one.kind == "target")
    assert spread([loads[one.name] for one in campaign.judges]) <= 1
    anchors = defaultdict(set)
    for (judge, _), seat in sittings(assignment).items():
        check_sitting(seat, design)
        anchors[judge] = {
            (one.item, frozenset(one.systems)) for one in seat if one.kind == "anchor"
        }
        shown = {(one.item, frozenset(one.systems)) for one in seat if one.kind != "repeat"}
        assert len(shown) == sum(one.kind != "repeat" for one in seat)
        if design.once_per_source:
            assert len({item for item, _ in shown}) == len(shown)
    assert len({frozenset(one) for one in anchors.values()}) <= 1
    assert verify_design(assignment).broken == ()


def check_sitting(seat, design):
    """Controls, repeats and their lag of one judge in one pass."""
    place = {one.number: at for at, one in enumerate(seat)}
    repeats = [one for one in seat if one.kind == "repeat"]
    assert len(repeats) == design.repeats + design.again
    for one in repeats:
        first = seat[place[one.again]]
        assert (first.kind, first.item, first.systems) == ("target", one.item, one.systems)
        assert place[one.number] - place[first.number] - 1 >= design.lag
    assert len({one.again for one in repeats}) == len(repeats)
    assert all(one.kind == "repeat" for one in seat[len(seat) - design.again :])
    base = [one for one in seat if one.kind != "repeat"]
    controls = [at for at, one in enumerate(base) if one.kind == "control"]
    assert len({base[at].item for at in controls}) == len(controls) == design.controls
    for stretch, at in enumerate(controls):
        n, c = len(base), design.controls
        assert stretch * n // c <= at < (stretch + 1) * n // c


@pytest.mark.parametrize("each", [1, 2, 3])
@pytest.mark.parametrize("systems", [2, 5])
def test_pairs_stand_in_either_order_equally_often_everywhere(systems, each):
    campaign = small(2, make_items(11, systems), 7, judges_per_item=each)
    tickets = list(assign(campaign))
    for key in (
        lambda one: frozenset(one.systems),
        lambda one: (one.item, frozenset(one.systems)),
        lambda one: (one.judge, frozenset(one.systems)),
    ):
        turned = defaultdict(int)
        for one in tickets:
            turned[key(one)] += 1 if one.systems[0] < one.systems[1] else -1
        assert max(map(abs, turned.values())) <= 1


def test_systems_stand_at_every_place_equally_often():
    campaign = small(3, make_items(40, 5), 9, judges_per_item=2)
    tickets = list(assign(campaign))
    places = Counter((system, at) for one in tickets for at, system in enumerate(one.systems))
    for system in campaign.systems:
        assert spread([places[system, at] for at in range(3)]) <= 1
        for judge in campaign.judges:
            mine = Counter(
                one.systems.index(system)
                for one in tickets
                if one.judge == judge.name and system in one.systems
            )
            assert spread([mine[at] for at in range(3)]) <= 1


def test_a_judge_who_sees_no_source_twice_sees_every_system_equally_often():
    campaign = small(1, make_items(60, 5), 23, judges_per_item=3, once_per_source=True)
    seen = Counter((one.judge, one.systems[0]) for one in assign(campaign))
    for judge in campaign.judges:
        assert spread([seen[judge.name, system] for system in campaign.systems]) <= 1


def test_blocks_hold_every_pair_equally_often():
    campaign = small(3, make_items(14, 7), 4, balanced_blocks=True)
    met = Counter(
        frozenset(pair)
        for one in assign(campaign)
        for pair in ((a, b) for a in one.systems for b in one.systems if a < b)
    )
    assert len(met) == 21
    assert set(met.values()) == {2}  # λ = b·k(k − 1) / (v(v − 1)) = 14·6/42


def test_some_of_the_pairs_of_each_item_are_taken_equally_often():
    campaign = small(2, make_items(20, 4), 5, per_item=3)
    tickets = list(assign(campaign))
    assert set(Counter(one.item for one in tickets).values()) == {3}
    assert set(Counter(frozenset(one.systems) for one in tickets).values()) == {10}


def test_quotas_are_kept_with_controls_and_repeats_counted():
    judges = [{"name": f"j{at}", "quota": quota} for at, quota in enumerate([12, 20, 30, 40])]
    items = make_items(30, 2)
    items += [{"item": f"c{at}", "outputs": {"bad": "x", "ok": "y"}, "expected": "ok"}
              for at in range(2)]  # fmt: skip
    design = {"judges_per_item": 2, "controls": 2, "repeats": 3, "lag": 2}
    asked = Counter(one.judge for one in assign(small(2, items, judges, **design)))
    assert all(asked[one["name"]] <= one["quota"] for one in judges)
    assert sum(asked.values()) == 60 + 4 * 5


def test_training_comes_first_in_its_pass_and_passes_in_order():
    told = small(1, make_items(6, 2), 3).to_dict()
    told["tasks"].append({"kind": "rating", "name": "adequacy", "shows": ["reference"]})
    taught = {"task": "adequacy", "item": "try", "outputs": {"x": "sample"}}
    told["training"] = [{**taught, "answer": {"score": 90}, "feedback": "Nearly all is there."}]
    assignment = assign(make_campaign(told))
    for judge in assignment.campaign.judges:
        mine = [one for one in assignment if one.judge == judge.name]
        names = [one.task for one in mine]
        assert names == sorted(names, key=["quality", "adequacy"].index)
        first = names.index("adequacy")
        assert [at for at, one in enumerate(mine) if one.kind == "training"] == [first]
        assert assignment.campaign.feedback(mine[first]).feedback == "Nearly all is there."


def test_the_two_passes_show_a_judge_the_same_outputs_in_different_orders():
    told = small(1, make_items(30, 3), 7, judges_per_item=2, once_per_source=True).to_dict()
    told["tasks"].append({"kind": "rating", "name": "adequacy"})
    found = sittings(assign(make_campaign(told)))
    for judge in {judge for judge, _ in found}:
        one, other = (
            [(t.item, t.systems) for t in found[judge, name]] for name in ("quality", "adequacy")
        )
        assert sorted(one) == sorted(other)
        assert one != other


def test_hamons_design_at_full_size_in_seconds():
    campaign = hamon()
    start = process_time()
    assignment = assign(campaign)
    assert process_time() - start < 10
    assert len(assignment) == 40_720
    judges = judges_of(assignment)
    assert len(judges) == 2 * 10_180
    assert all(len(set(one)) == 2 == len(one) for one in judges.values())
    group = {one.name: one.group for one in campaign.items}
    for seat in sittings(assignment).values():
        assert len({group[one.item] for one in seat}) == len(seat)
        assert len(seat) in (162, 163)
    for one in campaign.judges:
        passes = [ticket.task for ticket in assignment if ticket.judge == one.name]
        assert passes == sorted(passes, reverse=True)  # fluency before adequacy


def test_another_seed_and_any_change_of_the_campaign_is_another_assignment():
    campaign = small(2, make_items(8, 3), 4)
    assert assign(campaign) == assign(campaign)
    other = make_campaign({**campaign.to_dict(), "seed": 5})
    assert assign(other) != assign(campaign)
    assert campaign.digest == hashlib.sha256(campaign.canonical).hexdigest()


def test_it_is_the_same_in_another_process_with_another_hash_seed():
    code = (
        "from campaigns import make_items, small\nfrom evenhand.design import assign\n"
        "design = {'judges_per_item': 2, 'once_per_source': True, 'repeats': 1, 'lag': 1}\n"
        "print(assign(small(1, make_items(12, 3), 9, **design)).digest)\n"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def can_be(rooms, sizes, most):
    """Whether the sizes can be reached, by trying every division of every quota."""
    reached = {(0,) * len(sizes)}
    for room in rooms:
        shares = [
            one
            for one in product(*[range(top + 1) for top in most])
            if room < 0 or sum(one) <= room
        ]
        reached = {
            tuple(min(a + b, size) for a, b, size in zip(old, share, sizes, strict=True))
            for old in reached
            for share in shares
        }
    return tuple(sizes) in reached


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.integers(-1, 7), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2, max_size=3),
)
def test_a_division_is_found_wherever_there_is_one(rooms, widths):
    sizes = np.array([size for size, _ in widths])
    most = np.array([min(size, top) for size, top in widths])
    caps = divide_quotas(np.array(rooms), Columns(np.ones_like(sizes), sizes, most))
    assert ((caps >= 0) & (caps <= most)).all()
    assert all(room < 0 or sum(one) <= room for room, one in zip(rooms, caps.tolist(), strict=True))
    assert (caps.sum(axis=0) >= sizes).all() == can_be(rooms, sizes.tolist(), most.tolist())


@pytest.mark.parametrize(
    ("items", "quotas"),
    [(10, [10, 10, 10]), (10, [11, 11, 11]), (1, [2, 1]), (100, [43] * 6 + [42]), (3, [1, 8])],
)
def test_ratings_and_pairs_share_quotas_that_just_suffice(items, quotas):
    campaign = make_campaign(
        {
            "name": "both",
            "items": make_items(items, 2),
            "judges": [{"name": f"j{at}", "quota": one} for at, one in enumerate(quotas)],
            "tasks": [TASKS[1], TASKS[2]],
        }
    )
    assignment = assign(campaign)
    assert len(assignment) == 3 * items
    assert verify_design(assignment).broken == ()


def has_order(own, anchors, repeats, lag):
    """Whether some order holds so many repeats so late, by trying all."""
    marks = "o" * own + "a" * anchors + "r" * repeats
    for order in set(permutations(marks)):
        free = []
        for place, one in enumerate(order):
            if one == "r":
                early = [at for at in free if at < place - lag]
                if not early:
                    break
                free.remove(early[0])
            elif one == "o":
                free.append(place)
        else:
            return True
    return False


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 4), st.integers(0, 3), st.integers(1, 2), st.integers(0, 6), st.integers(0, 9)
)
def test_repeats_are_refused_exactly_where_no_order_holds_them(own, anchors, repeats, lag, seed):
    hand = PassTickets(tuple(range(own)), tuple(range(own, own + anchors)))
    try:
        order, origin = order_tickets(hand, repeats, 0, lag, Draws(seed))
    except NoPlaceForRepeat:
        assert not has_order(own, anchors, repeats, lag)
        return
    assert sorted(order) == sorted(
        [*range(own + anchors), *(order[at] for at in origin if at >= 0)]
    )
    backs = [(place, at) for place, at in enumerate(origin) if at >= 0]
    assert len({at for _, at in backs}) == len(backs) == repeats
    assert all(order[place] == order[at] < own and place - at > lag for place, at in backs)


@pytest.mark.parametrize("seed", range(20))
def test_anchors_do_not_keep_repeats_from_their_place(seed):
    anchors = [{**one, "anchor": True} for one in make_items(3, 1, prefix="a")]
    told = small(1, [*make_items(3, 1), *anchors], 1, repeats=1, lag=4).to_dict()
    assert len(assign(make_campaign({**told, "seed": seed}))) == 7


def test_which_direction_comes_first_is_drawn_and_shared_evenly():
    controls = [
        {"item": f"{kind}{at}", "outputs": {"x": "sample"}, "control": kind}
        for kind in ("good", "bad")
        for at in range(4)
    ]
    first = Counter()
    for seed in range(30):
        told = small(1, [*make_items(12, 1), *controls], 4, controls=2).to_dict()
        found = {}
        for one in assign(make_campaign({**told, "seed": seed})):
            if one.kind == "control":
                found.setdefault(one.judge, one.expected)
        assert Counter(found.values()) == {"good": 2, "bad": 2}
        first[found["judge-1"]] += 1
    assert min(first["good"], first["bad"]) >= 5  # chance of fewer by a fair coin: 6 in 100,000
