"""Campaigns for tests: small ones of any shape, and the design of Hamon et al. (2007)."""

from collections import defaultdict
from itertools import combinations

from evenhand.design.assignment import Assignment
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import Ticket

TASKS = {
    1: {"kind": "rating", "name": "quality", "question": "How good is it?"},
    2: {"kind": "pair", "name": "preference", "question": "Which is better?"},
    3: {"kind": "rank", "name": "order", "n": 3, "question": "Put them in order."},
}


def make_items(n: int, systems: int, *, prefix: str = "", first: str = "S") -> list[dict]:
    """Return items with outputs of so many systems."""
    names = [f"{first}{number}" for number in range(systems)]
    return [
        {"item": f"{prefix}{at}", "source": f"source {at}"}
        | {"outputs": {name: f"output {at} of {name}" for name in names}}
        for at in range(n)
    ]


def small(width: int, items: list[dict], judges: object, **design: object) -> Campaign:
    """Return a campaign with one pass."""
    told = {"name": "small", "judges": judges, "items": items, "design": design}
    return make_campaign({**told, "tasks": [TASKS[width]]})


def list_mine(assignment: Assignment, judge: str) -> list[Ticket]:
    return [one for one in assignment if one.judge == judge]


def hamon() -> Campaign:
    """Return the printed design: 26 systems, 10,180 outputs, 125 judges, two passes."""
    items = []
    for name, segments, systems in (("ASR", 390, 6), ("Verbatim", 392, 9), ("FTE", 392, 11)):
        made = make_items(segments, systems, prefix=f"{name}-", first=f"{name}-")
        items += [{**one, "group": f"segment {at}"} for at, one in enumerate(made)]
    scale = {"kind": "rating", "low": 1, "high": 5}
    return make_campaign(
        {
            "name": "hamon2007",
            "judges": 125,
            "design": {"judges_per_item": 2, "once_per_source": True},
            "tasks": [
                {**scale, "name": "fluency", "shows": []},
                {**scale, "name": "adequacy", "shows": ["reference"]},
            ],
            "items": items,
        }
    )


def sittings(assignment: Assignment) -> dict[tuple[str, str], list[Ticket]]:
    """Return the tickets of each judge in each pass, in order."""
    found = defaultdict(list)
    for one in assignment:
        found[one.judge, one.task].append(one)
    return dict(found)


def judges_of(assignment: Assignment) -> dict[tuple, list[str]]:
    """Return who is asked about each output, pair or set of targets, with repetitions."""
    found = defaultdict(list)
    for one in assignment:
        if one.kind == "target":
            found[one.task, one.item, frozenset(one.systems)].append(one.judge)
    return dict(found)


def every_unit(campaign: Campaign, width: int) -> set[tuple]:
    """Return all outputs, or pairs, of items that are dealt out."""
    return {
        (item.name, frozenset(chosen))
        for item in campaign.items
        if not (item.control or item.anchor)
        for chosen in combinations(item.systems, width)
    }
