"""Campaigns whose pairs a policy chooses, and judges who answer them by a known truth."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import exp
from random import Random
from typing import Any

from evenhand.data.coding import SEED
from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import Ticket
from evenhand.web.store import judging
from evenhand.web.store.judging import Reply, Served, answer
from evenhand.web.store.store import Store
from stored_campaigns import invite_all, list_judgments

SYSTEMS = "ABCDEF"
WORTHS = {name: 0.6 * at for at, name in enumerate(reversed(SYSTEMS))}
"""Log-worths: A is best."""


def make_chosen(
    items: int = 40, judges: int = 4, systems: Iterable[str] = SYSTEMS, **design: Any
) -> Campaign:
    """A campaign of pairs under a policy, with two anchors, and four controls if any are asked."""
    names = list(systems)
    rows: list[Mapping[str, Any]] = [
        {"item": f"i{n}", "outputs": {name: f"{name} says {n}" for name in names}}
        for n in range(items)
    ]
    shared = {name: f"{name} says so" for name in names[:2]}
    rows += [{"item": f"a{n}", "outputs": shared, "anchor": True} for n in range(2)]
    told = {"g": "good", "h": "bad"}
    known = 4 if design.get("controls") else 0
    rows += [{"item": f"c{n}", "outputs": told, "expected": "g"} for n in range(known)]
    tasks = [{"kind": "pair", "name": "better"}]
    design = {"policy": "order", **design}
    return make_campaign(
        {"name": "chosen", "judges": judges, "items": rows, "tasks": tasks, "design": design}
    )


def open_campaign(store: Store, campaign: Campaign) -> Assignment:
    """Launch a campaign, and invite its judges."""
    store.launch(replace(campaign, seed=SEED))
    invite_all(store)
    return assign(store.campaign)


class Truth:
    """Judges whose answers follow log-worths."""

    def __init__(self, seed: int, worths: Mapping[str, float] = WORTHS) -> None:
        self.rng, self.worths = Random(seed), worths

    def reply(self, served: Served) -> Reply:
        """What a judge says to a ticket."""
        ticket = served.ticket
        left, right = (self.worths.get(one, 0.0) for one in ticket.systems)
        better = self.rng.random() < 1 / (1 + exp(right - left))
        told = {"outcome": "left" if better else "right"}
        return Reply(ticket.judge, ticket.number, told, served.key)

    def judge_all(self, store: Store, judges: Iterable[str], most: int = 10**6) -> int:
        """Let judges answer at once, in random order, until nothing is left; say how many."""
        live, done = {one: store.do(judging.serve, one) for one in judges}, 0
        while (here := [one for one in live if live[one] is not None]) and done < most:
            self.rng.shuffle(here)
            replies = {one: self.reply(live[one]) for one in here}  # type: ignore[arg-type]
            waiting = {
                one: store.write(lambda tx, reply=reply: answer(tx, reply))
                for one, reply in replies.items()
            }
            live |= {one: future.result().next for one, future in waiting.items()}
            done += len(waiting)
        return done


def list_judged(store: Store) -> list[Ticket]:
    """The tickets whose answers stand, in the order of the answers."""
    return [one.ticket for one in list_judgments(store) if one.ticket is not None]
