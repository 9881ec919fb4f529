"""Campaigns whose boards are followed: three systems, three judges who prefer by name."""

import random
from typing import Any

from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.ranking.sequential.leaderboard import Confirmation
from evenhand.web.dashboard import LiveLeaderboards
from evenhand.web.store.store import Store
from stored_campaigns import judge_next, take

SYSTEMS = ("A", "B", "C")
FREE = Confirmation(frozenset((a, b) for a in SYSTEMS for b in SYSTEMS))


def make(kind: str = "pair", items: int = 30, **more: Any) -> Campaign:
    """Three systems, all pairs of each item for three judges."""
    told = [{"item": str(n), "outputs": {s: f"{s}{n}" for s in SYSTEMS}} for n in range(items)]
    return make_campaign(
        {
            "name": "c",
            "judges": ["j0", "j1", "j2"],
            "tasks": [{"kind": kind, "name": "t", **({"n": 3} if kind == "rank" else {})}],
            "design": {"judges_per_item": 3},
            "items": [*told, *more.get("also", ())],
        }
    )


def prefer(systems: tuple[str, ...], luck: random.Random) -> dict[str, Any]:
    """Prefer by name, most of the time; sometimes nothing."""
    if len(systems) > 2:
        order = sorted(systems, key=lambda one: ord(one) + luck.gauss(0, 1))
        return {"ranks": [1 + order.index(one) for one in systems]}
    first = systems[0] < systems[1]
    said = luck.choices(("tie", first, not first), (1, 7, 2))[0]
    return {"outcome": said if said == "tie" else "left" if said else "right"}


def judge_some(store: Store, number: int, seed: int = 1) -> None:
    """Answer in turn."""
    luck = random.Random(seed)
    for turn in range(number):
        judge = f"j{turn % 3}"
        judge_next(store, judge, prefer(take(store, judge).ticket.systems, luck))


def list_claims(boards: LiveLeaderboards) -> list[tuple[str, str, int, str]]:
    board = boards.look("t", FREE).board
    return [(one.better, one.worse, one.votes, one.by) for one in board.decided]
