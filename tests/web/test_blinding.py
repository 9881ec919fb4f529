"""Attacks on the blinding: what somebody can compute of which system stands where.

The attacker is a judge who keeps everything that the server sends over HTTP, knows the program and
the campaign file without its seed, knows the own pseudonym and which source is of which item, and
cannot tell from a text whose it is. For some tickets of each campaign the attacker names the system
that stands first. One ticket of a campaign makes one trial, so that trials are independent, and a
guess that knows nothing is right once in as many times as there are systems to be named.
"""

import json
import re
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import cycle
from math import comb
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from evenhand.data.coding import SEED
from evenhand.design.assignment import assign
from evenhand.design.reading import make_campaign
from evenhand.web import Site, Store, make_app

RARE = 1e-7
"""How probable it is at most that one count of guesses that know nothing is refused."""
TRIALS = 48
SMALL_SEEDS = (SEED, 0, 1, 2, 3, 42, 2024)
"""Seeds that an attacker tries."""
JUDGE = "ann"
NAME = re.compile(r"[A-Za-z0-9_-]{32}")

PAIR = {"kind": "pair", "name": "better"}
RANK = {"kind": "rank", "name": "order", "n": 3}
RATING = {"kind": "rating", "name": "quality"}
SPANS = {"kind": "spans", "name": "errors"}
ALIKE = ("error spans", "two passes", "policy top-k")
"""Shapes that are guessed as another one is: ratings, pairs, policy order."""
SHAPES: Mapping[str, tuple[str, list[dict[str, Any]], dict[str, Any]]] = {
    "pairs with controls, repeats and training": (
        "AB",
        [PAIR],
        {"controls": 2, "repeats": 1, "again": 1, "lag": 2},
    ),
    "rankings": ("ABC", [RANK], {"controls": 2, "repeats": 1, "lag": 2}),
    "ratings": ("ABC", [RATING], {"once_per_source": True, "controls": 1}),
    "error spans": (
        "AB",
        [SPANS],
        {"once_per_source": True, "controls": 1, "repeats": 1, "lag": 2},
    ),
    "two passes": ("AB", [PAIR, RATING], {}),
    **{
        f"policy {rule}": (
            "ABC",
            [PAIR],
            {"policy": rule, "controls": 1, "repeats": 1, "lag": 2}
            | ({"top": 1} if rule == "top-k" else {}),
        )
        for rule in ("order", "top-k")
    },
}
"""Kind of campaign → its systems, passes and design."""


def plan(shape: str, text: Callable[[str, str], str]) -> dict[str, Any]:
    """Return a campaign file without a seed; `text` makes an output of an item and a system."""
    systems, tasks, design = SHAPES[shape]
    width = {"pair": 2, "rank": 3}.get(tasks[0]["kind"], 1)

    def outputs(item: str, names: Sequence[str]) -> dict[str, Any]:
        return {
            "item": item,
            "source": item,
            "outputs": {f"system-{one}": text(item, f"system-{one}") for one in names},
        }

    rows = [outputs(f"item {n}", systems) for n in range(6)]
    for n in range(3 if design.get("controls") else 0):
        known = {"expected": "system-A"} if width > 1 else {"control": ("good", "bad")[n % 2]}
        rows.append(outputs(f"know {n}", systems[:width]) | known)
    told = {"name": "blind", "judges": [JUDGE, "bob", "eve"], "tasks": tasks, "items": rows}
    if "training" in shape:
        taught = {"task": "better", "answer": {"outcome": "left"}, "feedback": "A is right."}
        told["training"] = [outputs(f"try  {n}", systems) | taught for n in range(2)]
    return {**told, "design": design}


@dataclass(frozen=True)
class Seen:
    """What a judge saw of one campaign.

    Attributes:
        items: of each ticket in turn, what the server sent of it, parsed.
        raw: everything that the server sent: heads and bodies.
        signals: of each ticket in turn, name → whatever of it might depend on the systems.
        first: of each ticket in turn, the system that stood first, which the judge does not know.
        secret: what nothing that is sent may hold.

    """

    items: list[dict[str, Any]] = field(default_factory=list)
    raw: list[tuple[tuple[tuple[str, str], ...], str]] = field(default_factory=list)
    signals: list[dict[str, object]] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    secret: list[str] = field(default_factory=list)

    @property
    def sources(self) -> list[str]:
        """Of each ticket the item that it is of."""
        return [one["beside"][0]["text"] for one in self.items]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tables_in_file: Path) -> Path:
    made = tmp_path_factory.mktemp("blind")
    shutil.copy(tables_in_file, made / "empty.db")
    return made


@contextmanager
def open_store(folder: Path) -> Iterator[Store]:
    """Open a store of its own, which is deleted afterwards."""
    path = folder / f"{secrets.token_hex(8)}.db"
    shutil.copy(folder / "empty.db", path)
    with Store.open(str(path)) as store:
        yield store
    for one in folder.glob(f"{path.name}*"):
        one.unlink()


def answer(item: Mapping[str, Any]) -> dict[str, Any]:
    """Answer as the attacker always does, so that a dummy campaign can be answered alike."""
    kind = item["task"]["kind"]
    if kind == "pair":
        return {"outcome": "left"}
    if kind == "rank":
        return {"ranks": [1, 2, 3][: len(item["outputs"])]}
    return {"score": 50} | ({"spans": []} if kind == "spans" else {})


def judge_all(store: Store, whose: Mapping[str, str]) -> Seen:
    """Let a judge answer everything over HTTP; `whose` says of a text whose it is."""
    seen, campaign = Seen(), store.campaign
    token = store.invite(JUDGE).token
    seen.secret.extend((f"{campaign.seed:x}", str(campaign.seed), store._ticket_key.hex()))
    seen.secret.extend(("system-", campaign.digest, campaign.digest[:12]))
    with TestClient(make_app(Site(store))) as client:

        def note(reply: Any) -> Any:
            assert reply.status_code == 200, reply.text
            heads = tuple(reply.headers.items())
            seen.raw.append((heads, reply.text.replace(token, "TOKEN")))
            return reply

        note(client.get(f"/j/{token}", headers={"Accept": "text/html"}))
        reply = note(client.get(f"/j/{token}/item"))
        state, stored = reply.json(), ""
        while state["state"] == "item":
            seen.items.append(state)
            seen.first.append(whose[state["outputs"][0]["text"]])
            seen.signals.append(list_signals(reply, state, stored))
            sent = {"ticket": state["ticket"], "key": state["key"], "answer": answer(state)}
            reply = note(client.post(f"/j/{token}/answer", json=sent))
            state, stored = reply.json()["next"], reply.json()["receipt"]
    return seen


def list_signals(reply: Any, state: Mapping[str, Any], stored: str) -> dict[str, object]:
    """Return whatever of a ticket may be set beside the systems."""
    number, key = (str(state[name]) for name in ("ticket", "key"))
    return {
        "length of the reply": len(reply.content),
        "length of the heads": len(str(reply.headers)),
        "last character of the receipt": str(stored)[-1:] < "8",
        "parity of the place": state["place"] % 2,
        "total": state["total"],
        "last character of the ticket": number[-1] < "W",
        "parity of the ticket": sum(number.encode()) % 2,
        "bit of the ticket's digest": sha256(number.encode()).digest()[0] % 2,
        "ticket below the key": number < key,
        "parity of the key": sum(key.encode()) % 2,
        "text below the middle": state["outputs"][0]["text"] < "8",
        "source": state["beside"][0]["text"],
        "training": state["training"],
        "task": json.dumps(state["task"]),
    }


def run_campaign(folder: Path, shape: str, seed: int | None) -> Seen:
    """Launch a campaign with texts of its own, and let the attacker answer it."""
    whose: dict[str, str] = {}

    def write(item: str, system: str) -> str:
        text = secrets.token_hex(8)
        whose[text] = system
        return text

    told = plan(shape, write) | ({} if seed is None else {"seed": seed})
    with open_store(folder) as store:
        store.launch(make_campaign(told))
        return judge_all(store, whose)


def play_dummy(folder: Path, shape: str, seed: int) -> tuple[list[str], list[str]]:
    """Return items and first systems of the attacker's tickets, were this the seed."""
    whose: dict[str, str] = {}

    def write(item: str, system: str) -> str:
        text = f"{item} of {system}"
        whose[text] = system
        return text

    campaign = make_campaign(plan(shape, write) | {"seed": seed})
    if campaign.design.policy:
        with open_store(folder) as store:
            store.launch(campaign)
            seen = judge_all(store, whose)
        return seen.sources, seen.first
    tickets = [one for one in assign(campaign) if one.judge == JUDGE]
    return [one.item for one in tickets], [one.systems[0] for one in tickets]


def guess_by_seeds(dummies: Sequence[tuple[list[str], list[str]]], seen: Seen) -> list[str]:
    """Guess first systems from the dummy campaign that is most like what was seen."""

    def agree(sources: list[str]) -> int:
        return sum(one == other for one, other in zip(sources, seen.sources, strict=False))

    best = max(dummies, key=lambda one: agree(one[0]))
    return [*best[1], *["system-A"] * len(seen.items)][: len(seen.items)]


def guess_by_signal(known: Sequence[tuple[object, str]], signal: object) -> str:
    """Guess the system that most often stood first beside a signal in campaigns before."""
    beside = Counter(first for value, first in known if value == signal)
    beside = beside or Counter(first for _, first in known)
    return max(sorted(beside), key=lambda one: beside[one])


def find_limit(trials: int, options: int) -> int:
    """Return the least number of right guesses that is too rare for guesses that know nothing."""
    p, tail = 1 / options, 0.0
    for right in range(trials, -1, -1):
        tail += comb(trials, right) * p**right * (1 - p) ** (trials - right)
        if tail > RARE:
            return right + 1
    raise AssertionError


def probe(seen: Seen, systems: int) -> Mapping[str, tuple[int, int]]:
    """Return tickets to be guessed, and how many systems may stand first on each.

    Of targets these are the first, one in the middle and the last; beside them one control, one
    training and one repeat, where there are any. A control of one output has nothing to guess.
    """
    sources, width = seen.sources, len(seen.items[0]["outputs"])
    targets = [at for at, one in enumerate(sources) if one.startswith("item")]
    middle = targets[len(targets) // 2]
    told = {"first": targets[0], "middle": middle, "last": targets[-1]}
    found = {name: (at, systems) for name, at in told.items()}
    for at, one in enumerate(sources):
        if one.startswith(("know", "try ")) and width > 1:
            found[one.split()[0]] = (at, width)
        if one in sources[:at] and one.startswith("item"):
            found["repeat"] = (at, systems)
    return found


@pytest.mark.parametrize("shape", [one for one in SHAPES if one not in ALIKE])
def test_whose_output_stands_first_is_guessed_no_better_than_by_chance(
    folder: Path, shape: str
) -> None:
    systems = SHAPES[shape][0]
    dummies = [play_dummy(folder, shape, seed) for seed in SMALL_SEEDS]
    runs = [run_campaign(folder, shape, None) for _ in range(TRIALS)]
    half = TRIALS // 2
    probes = [probe(one, len(systems)) for one in runs]
    for name, (_, options) in probes[0].items():
        if not all(name in one for one in probes):
            continue
        spots = [one[name][0] for one in probes]
        truths = [one.first[at] for one, at in zip(runs, spots, strict=True)]
        guesses = [guess_by_seeds(dummies, one)[at] for one, at in zip(runs, spots, strict=True)]
        told = [check(f"{shape}: {name} by seeds", guesses, truths, options)]
        for signal in runs[0].signals[0]:
            values = [one.signals[at][signal] for one, at in zip(runs, spots, strict=True)]
            known = list(zip(values[:half], truths[:half], strict=True))
            guesses = [guess_by_signal(known, one) for one in values[half:]]
            told.append(check(f"{name} by {signal}", guesses, truths[half:], options))
        best = max(told[1:], key=lambda one: one[0])
        print(f"{told[0][1]}; best of {len(told) - 1} signals: {best[1]}")  # noqa: T201


def check(
    what: str, guesses: Sequence[str], truths: Sequence[str], options: int
) -> tuple[int, str]:
    """Return how many guesses are right, and refuse a number that chance does not give."""
    trials, limit = len(truths), find_limit(len(truths), options)
    right = sum(one == other for one, other in zip(guesses, truths, strict=True))
    told = f"{what}: {right} of {trials} right, {limit} would be refused"
    assert right < limit, told
    return right, told


@pytest.mark.parametrize("shape", SHAPES)
def test_the_attack_knows_every_ticket_of_a_campaign_whose_seed_is_known(
    folder: Path, shape: str
) -> None:
    """So it is the secret seed that keeps the attacker from knowing."""
    dummies = [play_dummy(folder, shape, seed) for seed in SMALL_SEEDS]
    right = tickets = 0
    for seed in cycle(SMALL_SEEDS):
        seen = run_campaign(folder, shape, seed)
        guesses = guess_by_seeds(dummies, seen)
        right += sum(one == other for one, other in zip(guesses, seen.first, strict=True))
        tickets += len(seen.first)
        if tickets >= TRIALS:
            break
    print(f"{shape}, with a known seed: {right} of {tickets} right")  # noqa: T201
    assert right == tickets


def normalise(seen: Seen) -> Counter[str]:
    """Return what the server sent, without what is the ticket's own: its name and its texts."""
    found: Counter[str] = Counter()
    for heads, body in seen.raw:
        text = re.sub(r'("ticket":|"key":)"[\w-]+"', r'\1"NAME"', body)
        text = re.sub(r'"(item|know|try ) \d"', r'"ITEM"', text)
        text = re.sub(r'"[0-9a-f]{16}"', '"TEXT"', text)
        text = re.sub(r'"receipt":"[0-9a-f]{64}"', '"receipt":"HASH"', text)
        found[f"{heads} {text}"] += 1
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_all_that_is_sent_is_the_same_but_for_texts_and_random_names_and_holds_no_secret(
    folder: Path, shape: str
) -> None:
    """Bytes and heads of two campaigns whose assignments were drawn apart."""
    one, other = (run_campaign(folder, shape, None) for _ in range(2))
    names = [str(item["ticket"]) for item in (*one.items, *other.items)]
    assert len(set(names)) == len(names)
    assert all(NAME.fullmatch(name) for name in names)
    if not any(item["training"] for item in one.items):  # its right answer is told as shown
        assert normalise(one) == normalise(other)
    sent = "".join(f"{heads}{body}" for heads, body in one.raw)
    assert [word for word in one.secret if word in sent] == []


FIXED = [shape for shape in SHAPES if not shape.startswith("policy")]


@pytest.mark.parametrize("shape", FIXED)
def test_no_place_in_the_assignment_favours_a_system(shape: str) -> None:
    """Over many secret seeds each system stands first as often as any other, ticket by ticket."""
    seeds, counts = 200, Counter[tuple[int, str]]()
    campaign = make_campaign(plan(shape, lambda item, system: f"{item} of {system}"))
    for _ in range(seeds):
        for at, one in enumerate(one for one in assign(campaign.with_seed()) if one.judge == JUDGE):
            if len(one.systems) > 1 or one.kind not in ("control", "training"):
                counts[at, one.systems[0]] += 1
    tickets = sorted({at for at, _ in counts})
    assert tickets
    worst = 0
    for at in tickets:
        mine = {one: counts[at, f"system-{one}"] for one in SHAPES[shape][0]}
        trials = sum(mine.values())
        worst = max(worst, *mine.values())
        assert max(mine.values()) < find_limit(trials, len(mine)), (at, mine)
    print(f"{shape}: a system stands first on {worst} of {seeds} at most")  # noqa: T201
