"""Every promise of a design, counted ticket by ticket in plain Python."""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from itertools import permutations, product
from time import process_time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from campaigns import TASKS, every_unit, hamon, judges_of, make_items, small
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
    """Promises are counted from tickets alone: test_guarantees.py breaks each of them by hand."""
    try:
        assignment = assign(campaign)
    except CampaignError:
        assume(False)
    judges = judges_of(assignment)
    assert all(
        len({*one}) == len(one) == campaign.design.judges_per_item for one in judges.values()
    )
    if campaign.tasks[0].width < 3:
        whole = every_unit(campaign, campaign.tasks[0].width)
        assert {(item, names) for _, item, names in judges} == whole
    assert verify_design(assignment).broken == ()


def with_pass(campaign, **more):
    """The same with a second pass, and what else is told."""
    told = campaign.to_dict()
    told["tasks"].append({"kind": "rating", "name": "adequacy", "shows": ["reference"]})
    return make_campaign({**told, **more})


TAUGHT = {"task": "adequacy", "item": "try", "outputs": {"x": "s"}, "answer": {"score": 90}}
KNOWN = [{"item": f"c{n}", "outputs": {"bad": "x", "ok": "y"}, "expected": "ok"} for n in range(2)]
QUOTAS = [{"name": f"j{at}", "quota": quota} for at, quota in enumerate([12, 20, 30, 40])]


@pytest.mark.parametrize(
    "campaign",
    [
        small(2, make_items(11, 5), 7, judges_per_item=3),
        small(3, make_items(40, 5), 9, judges_per_item=2),
        small(1, make_items(60, 5), 23, judges_per_item=3, once_per_source=True),
        small(3, make_items(14, 7), 4, balanced_blocks=True),
        small(2, make_items(20, 4), 5, per_item=3),
        small(
            2, [*make_items(30, 2), *KNOWN], QUOTAS, judges_per_item=2, controls=2, repeats=3, lag=2
        ),
        with_pass(small(1, make_items(30, 3), 7, judges_per_item=2, once_per_source=True)),
        with_pass(small(1, make_items(6, 2), 3), training=[TAUGHT]),
    ],
    ids=["sides", "places", "sources", "blocks", "some pairs", "quotas", "passes", "training"],
)
def test_every_kind_of_design_keeps_its_promises(campaign):
    check = verify_design(assign(campaign))
    assert check.broken == ()
    assert len(check.kept) >= 6


def test_hamons_design_at_full_size_in_seconds():
    campaign = hamon()
    start = process_time()
    assignment = assign(campaign)
    assert process_time() - start < 10
    assert len(assignment) == 40_720
    check = verify_design(assignment)
    assert check.broken == ()
    found = {one.name: one.found for one in check.guarantees}
    assert found["fluency: judges"] == "10,180 outputs by 2"
    assert found["sources"].startswith("a judge sees a source with at most 1 ")
    loads = Counter(zip(assignment.judge, assignment.task, strict=True))
    assert set(loads.values()) == {162, 163}


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
