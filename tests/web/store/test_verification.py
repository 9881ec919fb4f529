"""A log that was tampered with is found out, and the first bad record named."""

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenhand.errors import MissingFile, UnknownOption
from evenhand.web import Store
from evenhand.web.store import judging
from evenhand.web.store.audit import audit, check_store
from evenhand.web.store.judging import Answering, answer
from evenhand.web.store.log import GENESIS, Line, canonical, digest, draw_salt
from evenhand.web.store.verification import FACTS, Head, read_log, read_receipt, verify
from histories import live_through
from stored_campaigns import LEFT, RIGHT, fill, judge_next, make_pairs, reply_to

JUDGMENTS = 60


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of a log of judgments, some with comments."""
    draws = random.Random(20131)
    with Store.open(str(tmp_path_factory.mktemp("log") / "campaign.db")) as store:
        fill(store, make_pairs(items=JUDGMENTS // 2, judges=2, judges_per_item=2))
        for judge in ("j0", "j1"):
            served = store.do(judging.serve, judge)
            while served is not None:
                said = {**draws.choice((LEFT, RIGHT)), "comment": draws.choice(("", "müde"))}
                reply = reply_to(served, said, seconds=draws.random() * 60)
                served = store.do(lambda tx, reply=reply: answer(tx, reply)).next
        lines = [one.write().encode() + b"\n" for one in store.lines()]
    assert sum(b'"kind":"judgment"' in one for one in lines) == JUDGMENTS
    return lines


def _flip(lines: list[bytes], draws: random.Random) -> int:
    """One bit of a random byte of the file; a record owns the end of its line."""
    at = draws.randrange(sum(map(len, lines)))
    row = 0
    while at >= len(lines[row]):
        at -= len(lines[row])
        row += 1
    changed = bytearray(lines[row])
    changed[at] ^= 1 << draws.randrange(8)
    lines[row] = bytes(changed)
    return row + 1


def _delete(lines: list[bytes], draws: random.Random) -> int:
    row = draws.randrange(len(lines) - 1)  # without the last one: that is a tail that was cut
    del lines[row]
    return row + 1


def _duplicate(lines: list[bytes], draws: random.Random) -> int:
    row = draws.randrange(len(lines))
    lines.insert(row + 1, lines[row])
    return row + 2


def _swap(lines: list[bytes], draws: random.Random) -> int:
    first, second = sorted(draws.sample(range(len(lines)), 2))
    lines[first], lines[second] = lines[second], lines[first]
    return first + 1


def _change_outcome(lines: list[bytes], draws: random.Random) -> int:
    """As somebody would who knows how a row's own hash is made."""
    rows = [row for row, one in enumerate(lines) if b'"outcome"' in one]
    row = draws.choice(rows)
    whole = json.loads(lines[row])
    said = whole["said"]["answer"]
    said["outcome"] = "right" if said["outcome"] == "left" else "left"
    whole["body"]["said"] = digest(canonical(whole["said"]))
    whole["hash"] = digest(canonical(whole["body"]))
    lines[row] = canonical(whole).encode() + b"\n"
    return row + 1


def _cut(lines: list[bytes], draws: random.Random) -> int:
    del lines[-draws.randint(1, len(lines) - 1) :]
    return len(lines) + 1


def _cut_within_a_line(lines: list[bytes], draws: random.Random) -> int:
    del lines[draws.randint(1, len(lines)) :]
    lines[-1] = lines[-1][: draws.randrange(1, len(lines[-1]) - 1)]
    return len(lines)


MUTATIONS = (_flip, _delete, _duplicate, _swap, _change_outcome, _cut, _cut_within_a_line)


@pytest.mark.parametrize("kind", MUTATIONS)
def test_each_kind_of_mutation_is_found_at_its_place(
    written: list[bytes], kind: Callable[[list[bytes], random.Random], int], tmp_path: Path
) -> None:
    draws = random.Random(7)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(written))
    head = verify(read_log(path)).head
    for _ in range(5):
        lines = list(written)
        bad = kind(lines, draws)
        path.write_bytes(b"".join(lines))
        assert verify(read_log(path), head).bad == bad


def test_a_log_that_grew_still_matches_an_older_head(store: Store) -> None:
    fill(store)
    judge_next(store, "j0")
    head = store.head()
    judge_next(store, "j0")
    assert check_store(store, head).holds
    wrong = Head(head.number, "0" * 64)
    assert check_store(store, wrong).bad == head.number


def test_no_head_tells_whom_an_event_concerns(store: Store) -> None:
    fill(store, make_pairs(items=4, judges=2, judges_per_item=2))
    store.pause()
    store.revoke("j0")
    salts = []
    for line in store.lines():
        body = json.loads(line.body)
        assert line.said is None  # nothing else holds 128 random bits
        salts.append(body["salt"])
        assert re.fullmatch("[0-9a-f]{32}", body.pop("salt"))
        assert digest(canonical(body)) != line.hash
    assert len({*salts}) == len(salts) > 3
    assert verify(store.lines(), store.head()).bad is None


def test_the_log_of_a_database_reads_back_from_a_file(store: Store, tmp_path: Path) -> None:
    fill(store)
    judge_next(store, "j0", {**LEFT, "comment": "ça\u2028va"})
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{one.write()}\n" for one in store.lines()), "utf-8", newline="\n")
    assert list(read_log(path)) == list(store.lines())


def forge(*times: int) -> list[dict[str, Any]]:
    """A launch, and pauses and resumes at some times."""
    facts = {**dict.fromkeys(FACTS["launch"], ""), "tickets": 0}
    kinds = ("launch", *("pause", "resume") * len(times))
    bodies = [{"at": at, "judge": "", "kind": kind} for at, kind in zip(times, kinds, strict=False)]
    bodies[0]["facts"] = facts
    return [{**body, "salt": draw_salt()} for body in bodies]


def chain(bodies: list[dict[str, Any]]) -> list[Line]:
    """Make lines with the hashes that are right, as whoever forges a log does."""
    lines, before = [], GENESIS
    for number, body in enumerate(bodies, start=1):
        told = canonical({**body, "before": before, "number": number})
        before = digest(told)
        lines.append(Line(number, told, before))
    return lines


def test_a_record_that_is_older_than_the_one_before_it_is_named() -> None:
    lines = chain(forge(5, 7, 7, 6))
    assert verify(lines[:3]).holds
    assert (verify(lines).bad, verify(lines).reason) == (4, "it is older than the record before it")


def test_behind_the_first_salt_each_record_has_one() -> None:
    bodies = forge(5, 7, 7)
    del bodies[0]["salt"]  # as the first logs had none
    assert verify(chain(bodies)).holds
    del bodies[2]["salt"]
    assert verify(chain(bodies)).bad == 3


def _keep_answering(store: Store, judge: str, over: threading.Event) -> None:
    """Answer, and take answers back when none is left, until told to stop."""
    served = store.do(judging.serve, judge)
    while not over.is_set():
        if served is None:
            served = store.do(judging.undo, judge)
        served = store.write(Answering(reply_to(served, {**LEFT, "comment": "müde"}))).result().next
        time.sleep(0.005)


def test_a_campaign_verifies_while_judges_answer(store: Store, where: str) -> None:
    """Whoever reads sees the log and its end as they were at one moment."""
    fill(store, make_pairs(items=400, judges=2, judges_per_item=2))
    calls, over, heads, faults = 10, threading.Event(), set[int](), list[str]()
    judges = [
        threading.Thread(target=_keep_answering, args=(store, judge, over))
        for judge in ("j0", "j1")
    ]
    for one in judges:
        one.start()
    try:
        for call in range(calls):
            begun = store.head().number
            while store.head().number < begun + 2:  # both are at it
                time.sleep(0.001)
            check = audit(where) if call % 2 else check_store(store)
            heads.add(check.head.number)
            faults += [] if check.holds else [check.fault]
    finally:
        over.set()
        for one in judges:
            one.join()
    assert faults == []
    assert len(heads) == calls


def test_a_receipt_is_found_in_the_log_that_has_it(store: Store, tmp_path: Path) -> None:
    fill(store)
    given = judge_next(store, "j0").hash
    judge_next(store, "j0", RIGHT)
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f"{one.write()}\n" for one in store.lines()), "utf-8", newline="\n")
    other = digest("another answer")
    for check in (
        check_store(store, receipts=[given, other]),
        verify(read_log(path), receipts=[other, given]),
    ):
        assert check.holds
        assert check.receipts == {given: 4}
    assert read_receipt(f" {given.upper()}\n") == given
    with pytest.raises(UnknownOption, match="no receipt"):
        read_receipt(given[:-1])


@pytest.mark.parametrize(
    "line", ["", "{}", "[]", "null", "NaN", '{"body":1,"hash":"a"}', "[" * 5000, '{"hash":"a"}']
)
def test_lines_that_are_no_records_are_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{line}\n")
    assert verify(read_log(path)).bad == 1


def test_a_log_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        list(read_log(tmp_path / "none.jsonl"))


def _rewrite(lines: list[bytes], draws: random.Random) -> int:
    """Change an answer, and make all numbers and hashes anew: by itself such a log is sound."""
    row = _change_outcome(lines, draws)
    _make_hashes(lines)
    return row


def _make_hashes(lines: list[bytes]) -> None:
    before = GENESIS
    for number, line in enumerate(lines, start=1):
        whole = json.loads(line)
        whole["body"] |= {"number": number, "before": before}
        whole["hash"] = before = digest(canonical(whole["body"]))
        lines[number - 1] = canonical(whole).encode() + b"\n"


@pytest.mark.parametrize("key", [None, ""])
def test_an_answer_without_a_key_is_named(
    written: list[bytes], key: str | None, tmp_path: Path
) -> None:
    lines, path = list(written), tmp_path / "log.jsonl"
    row = max(at for at, one in enumerate(lines) if b'"kind":"judgment"' in one)
    whole = json.loads(lines[row])
    assert whole["body"].pop("key")
    whole["body"] |= {} if key is None else {"key": key}
    lines[row] = canonical(whole).encode()
    _make_hashes(lines)
    path.write_bytes(b"".join(lines))
    check = verify(read_log(path))
    assert (check.bad, check.reason) == (row + 1, "it has no key")


def test_a_thousand_random_changes_are_found_against_the_published_head(tmp_path: Path) -> None:
    """Of a log in which every kind of record is."""
    where, path, draws = str(tmp_path / "campaign.db"), tmp_path / "log.jsonl", random.Random(28)
    live_through(where)
    with Store.open(where) as store:
        published, head = [one.write().encode() + b"\n" for one in store.lines()], store.head()
    kinds, missed, sound = (*MUTATIONS, _rewrite), list[int](), Counter[str]()
    for number in range(1_000):
        kind, lines = kinds[number % len(kinds)], list(published)
        kind(lines, draws)
        path.write_bytes(b"".join(lines))
        missed += [number] * verify(read_log(path), head).holds
        sound[kind.__name__] += verify(read_log(path)).holds
    assert missed == []
    assert {*(+sound)} == {"_cut", "_rewrite"}  # only the head shows these
