"""Campaigns in which everything happened that a log can tell of."""

import random
from dataclasses import replace
from typing import Any

from evenhand.data.coding import SEED
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import Ticket
from evenhand.web.store import judging, people
from evenhand.web.store.boards import BoardCount, save_boards
from evenhand.web.store.judging import Reply
from evenhand.web.store.store import Store
from policy_campaigns import Truth, make_chosen
from stored_campaigns import HandClock, invite_all, issue, name_worker, release

SYSTEMS = ("A", "B", "C")
PASSES = [
    {"kind": "pair", "name": "better", "comment": True},
    {"kind": "rank", "name": "order", "n": 3},
    {"kind": "rating", "name": "good", "low": 0, "high": 100},
    {"kind": "spans", "name": "errors", "score": False},
]
TOLD: dict[str, Any] = {
    "name": "history",
    "judges": ["j0", "j1", "j2", "j3"],
    "consent": "I agree.",
    "design": {"judges_per_item": 2, "controls": 1, "repeats": 1, "lag": 1},
    "tasks": PASSES,
    "items": [
        *({"item": str(n), "outputs": {s: f"{s} says {n}" for s in SYSTEMS}} for n in range(3)),
        {"item": "sure", "outputs": {"A": "a fine text"}, "control": "good"},
        {"item": "two", "outputs": {"A": "a fine text", "B": "no text"}, "expected": "A"},
        {"item": "three", "outputs": {"A": "a text", "B": "no", "C": "none"}, "expected": "A"},
    ],
    "training": [
        {"task": "better", "item": "t", "outputs": {"A": "so", "B": "no"}, "feedback": "Look."}
    ],
}


def say(kind: str, systems: tuple[str, ...], luck: random.Random) -> dict[str, Any]:
    """An answer to a ticket; systems that come first by name are better, most of the time."""
    if kind == "pair":
        first = (systems[0] < systems[1]) != (luck.random() < 0.2)
        said = {"outcome": "left" if first else "right"}
        return {**said, "comment": "müde"} if luck.random() < 0.5 else said
    if kind == "rank":
        return {"ranks": [1 + sorted(systems).index(one) for one in systems]}
    if kind == "rating":
        return {"score": luck.randrange(101)}
    return {"spans": [{"start": 0, "end": 1, "severity": "minor", "side": "output"}]}


def answer_some(store: Store, judge: str, most: int, luck: random.Random, clock: Any) -> None:
    """Let a judge answer; sometimes they revise an answer, or take it back."""
    for _ in range(most):
        served = store.do(judging.serve, judge)
        if served is None:
            return
        clock.wait(luck.random() * 20)
        kind = store.campaign.task(served.ticket.task).kind
        told = say(kind, served.ticket.systems, luck)
        done = store.do(
            judging.append, Reply(judge, served.ticket.number, told, served.key, luck.random())
        )
        again = say(kind, served.ticket.systems, luck)
        number = served.ticket.number
        if luck.random() < 0.15:
            key = f"again {done.number}"
            store.do(judging.append, Reply(judge, number, again, key, 1.0, replaces=done.number))
        elif luck.random() < 0.15:
            store.do(judging.undo, judge)


def keep_all_boards(store: Store) -> None:
    """Count the boards, and keep them."""
    with store.reading() as connection:
        count = BoardCount.read(connection, store.campaign)
        count.count_all(connection)
    store.do(lambda tx: save_boards(tx, count.write()))


def live_through(where: str, *, delete: bool = False, seed: int = 3) -> None:
    """Write a database in which every kind of record is; answers are deleted where that is said."""
    luck, clock = random.Random(seed), HandClock()
    with Store.open(where, start=clock.start) as store:
        store.launch(replace(make_campaign(TOLD), seed=SEED))
        clock.wait(1)
        store.do(people.replace_link, "admin")
        store.invite("j0", note="Ann Lee")
        store.invite("j1")
        store.do(people.enrol, "prolific", name_worker("one"))
        store.invite("guest")
        judges = [one.name for one in store.judges() if one.state == "invited"]
        for judge in judges:
            clock.wait(1)
            store.do(people.consent, judge)
        made = {"number": 0, "judge": "guest", "task": "better", "item": "0"}
        store.do(issue, Ticket(**made, systems=("B", "A")))
        worker = next(one for one in judges if one not in ("j0", "j1", "guest"))
        answer_some(store, "j0", 5, luck, clock)
        answer_some(store, worker, 6, luck, clock)
        store.pause()
        clock.wait(1)
        store.resume()
        store.revoke("j0")
        store.invite("j0")
        answer_some(store, "j0", 2, luck, clock)
        store.do(people.leave, "j0")
        store.invite("j0b", seat="j0", note="Bo Ek")
        answer_some(store, "j0b", 6, luck, clock)
        answer_some(store, "j1", 26, luck, clock)
        answer_some(store, "guest", 1, luck, clock)
        store.join("j0b", "guest")
        store.invite("j3" if worker != "j3" else "j2")
        if delete:
            store.forget("j0", answers=True)
        store.forget(worker)
        answer_some(store, "j0b", 2, luck, clock)
        store.do(judging.serve, "j1")
        keep_all_boards(store)
        store.do(release, "j0b")
        store.do(people.consent, "j1")


def live_by_policy(where: str, seed: int = 5) -> None:
    """Write a database in which a policy chose, and judges came and went."""
    design = {"judgments": 60, "repeats": 2, "lag": 1, "controls": 1, "judges_per_item": 2}
    with Store.open(where) as store:
        store.launch(replace(make_chosen(items=20, judges=3, **design), seed=SEED))
        invite_all(store)
        truth, names = Truth(seed), [one.name for one in store.judges()]
        truth.judge_all(store, names, most=30)
        store.do(judging.undo, names[0])
        store.do(people.leave, names[0])
        store.invite("next", seat=names[0])
        truth.judge_all(store, ["next", names[1]], most=8)
        store.do(judging.serve, "next")
        store.revoke(names[1])
        store.do(judging.serve, names[2])
        store.forget(names[2], answers=True)
        store.invite("last", seat=names[2])
        truth.judge_all(store, ["last", "next"], most=6)
