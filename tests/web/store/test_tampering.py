"""A thousand random changes of a log whose head was published: every one is found."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import UnknownFormat
from evenhand.web import Store
from evenhand.web.store.log import GENESIS, JUDGMENTS, canonical, digest
from evenhand.web.store.verification import Head, read_log, verify
from histories import live_through

CHANGES = 1_000
Lines = list[bytes]
Change = Callable[[Lines, random.Random], Lines]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[bytes, ...], Head]:
    """A log in which every kind of record is, as it was published with its head."""
    where = str(tmp_path_factory.mktemp("log") / "campaign.db")
    live_through(where)
    with Store.open(where) as store:
        lines = tuple(one.write().encode() + b"\n" for one in store.lines())
        return lines, store.head()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("changed") / "log.jsonl"


def find(path: Path, lines: Lines, head: Head | None) -> str:
    """What is wrong with a log, "" for nothing."""
    path.write_bytes(b"".join(lines))
    try:
        return verify(read_log(path), head).fault
    except UnknownFormat as refusal:
        return str(refusal)


def flip(lines: Lines, draws: random.Random) -> Lines:
    row = draws.randrange(len(lines))
    changed = bytearray(lines[row])
    changed[draws.randrange(len(changed))] ^= 1 << draws.randrange(8)
    lines[row] = bytes(changed)
    return lines


def change_field(lines: Lines, draws: random.Random) -> Lines:
    """Another byte within a value, so that the line stays JSON most of the time."""
    row = draws.randrange(len(lines))
    places = [at for at, byte in enumerate(lines[row]) if chr(byte).isalnum()]
    at = draws.choice(places)
    other = draws.choice([one for one in b"0123456789abcdef" if one != lines[row][at]])
    lines[row] = lines[row][:at] + bytes([other]) + lines[row][at + 1 :]
    return lines


def remove(lines: Lines, draws: random.Random) -> Lines:
    del lines[draws.randrange(len(lines))]
    return lines


def insert(lines: Lines, draws: random.Random) -> Lines:
    """Another answer, whose own hash is right, somewhere before the end."""
    row = _draw_answer(lines, draws)
    lines.insert(draws.randrange(len(lines)), _seal(_answer_otherwise(json.loads(lines[row]))))
    return lines


def swap(lines: Lines, draws: random.Random) -> Lines:
    one, other = draws.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def repeat(lines: Lines, draws: random.Random) -> Lines:
    row = draws.randrange(len(lines))
    lines.insert(draws.randint(row, len(lines)), lines[row])
    return lines


def cut(lines: Lines, draws: random.Random) -> Lines:
    return lines[: draws.randrange(len(lines))]


def cut_within_a_line(lines: Lines, draws: random.Random) -> Lines:
    *rest, last = lines[: draws.randint(1, len(lines))]
    return [*rest, last[: draws.randrange(1, len(last) - 1)]]


def resealed(change: Callable[[dict[str, Any], random.Random], dict[str, Any]]) -> Change:
    """Change a record, and make its own hash anew."""

    def apply(lines: Lines, draws: random.Random) -> Lines:
        row = _draw_answer(lines, draws)
        lines[row] = _seal(change(json.loads(lines[row]), draws))
        return lines

    return apply


def rewritten(change: Change) -> Change:
    """Make all numbers and hashes anew after a change: by itself such a chain is sound."""

    def apply(lines: Lines, draws: random.Random) -> Lines:
        before, made = GENESIS, []
        for number, line in enumerate(change(lines, draws), start=1):
            whole = json.loads(line)
            whole["body"] |= {"number": number, "before": before}
            made.append(_seal(whole))
            before = json.loads(made[-1])["hash"]
        return made

    return apply


def answer(whole: dict[str, Any], _draws: random.Random) -> dict[str, Any]:
    return _answer_otherwise(whole)


def move_time(whole: dict[str, Any], draws: random.Random) -> dict[str, Any]:
    whole["body"]["at"] += draws.choice([1, -1]) * draws.randint(1, 10)
    return whole


def rename(whole: dict[str, Any], draws: random.Random) -> dict[str, Any]:
    others = [one for one in ("j0", "j1", "j2", "j0b", "guest") if one != whole["body"]["judge"]]
    whole["body"]["judge"] = draws.choice(others)
    return whole


def _draw_answer(lines: Lines, draws: random.Random) -> int:
    kinds = tuple(f'"kind":"{one}"'.encode() for one in JUDGMENTS)
    said = (row for row, line in enumerate(lines) if b'"said":{' in line)
    return draws.choice([row for row in said if any(kind in lines[row] for kind in kinds)])


def _answer_otherwise(whole: dict[str, Any]) -> dict[str, Any]:
    said = whole["said"]["answer"]
    if "outcome" in said:
        said["outcome"] = "right" if said["outcome"] == "left" else "left"
    elif "ranks" in said:
        said["ranks"] = [1 + len(said["ranks"]) - one for one in said["ranks"]]
    elif "score" in said:
        said["score"] = 100 - said["score"] if said["score"] != 50 else 51
    else:
        said["spans"] = [] if said["spans"] else [{"start": 0, "end": 1}]
    return whole


def _seal(whole: dict[str, Any]) -> bytes:
    for part in ("said", "note"):
        if part in whole:
            whole["body"][part] = digest(canonical(whole[part]))
    whole["hash"] = digest(canonical(whole["body"]))
    return canonical(whole).encode() + b"\n"


PLAIN: tuple[Change, ...] = (
    *(flip, change_field, remove, insert, swap, repeat, cut, cut_within_a_line),
    *map(resealed, (answer, move_time, rename)),
)
CHAINS: tuple[Change, ...] = (
    *(rewritten(resealed(one)) for one in (answer, answer, move_time, rename)),
    *map(rewritten, (remove, swap, cut)),
)
"""What somebody does who knows how a chain is made; answers twice, as most are sound chains."""


def draw_changes(lines: tuple[bytes, ...]) -> Iterator[tuple[Change, Lines]]:
    draws, kinds, drawn = random.Random(28), (*PLAIN, *CHAINS), 0
    while drawn < CHANGES:
        kind = kinds[drawn % len(kinds)]
        changed = kind(list(lines), draws)
        if changed != list(lines):  # such as records that were swapped with themselves
            drawn += 1
            yield kind, changed


def test_every_change_is_found_against_the_published_head(
    published: tuple[tuple[bytes, ...], Head], path: Path
) -> None:
    lines, head = published
    assert find(path, [*lines], head) == ""
    assert find(path, [*lines], Head(head.number, "0" * 64))
    undetected, sound = list[int](), Counter[bool]()
    for number, (kind, changed) in enumerate(draw_changes(lines)):
        undetected += [number] * (not find(path, changed, head))
        if number % 4 == 0 and kind in (cut, *CHAINS):
            sound[kind is cut] += not find(path, changed, None)
    assert undetected == []
    # the control: by themselves many of these logs are sound, so that only the head shows it
    assert sound[False] > 20
    assert sound[True] > 5
