"""Is this log what was written? `verify` names the first record that is not.

Checked: every body has its hash, follows the record before it, and has the next number and a time
not before; what is kept beside the chain has its digest; what was deleted was deleted on request,
which is itself in the log; each record is one that a server could have written (`replay.py`).
Against a head that was noted elsewhere, also that the end is there and that nobody wrote the whole
log again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evenhand.errors import MissingFile, UnknownFormat, UnknownOption
from evenhand.web.store.chain import GENESIS, canonical, digest
from evenhand.web.store.line import Line, read_line
from evenhand.web.store.record import JUDGMENTS, read_record
from evenhand.web.store.replay import NO_RECORD, Replay, Unsound

PARTS: Final = ("said", "note")
# What is raised by values that no server writes, such as numbers too large and JSON too deep
UNREADABLE: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class Head:
    """The end of a log: note it elsewhere, and nobody can change what came before."""

    number: int  # of the last record; 0 of an empty log
    hash: str  # of the last record. >>> str(Head(2, "ab" * 32))[:8] '2:ababab'

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


def read_head(text: str) -> Head:
    """Read a head as `str` writes it."""
    found = re.fullmatch(r"(\d{1,18}):([0-9a-f]{64})", text.strip())
    if found is None:
        raise UnknownOption(
            f"'{text[:80]}' is no head of a log: it is NUMBER:HASH, as evenhand verify prints it,"
            " the hash whole: 64 digits 0-9 and a-f"
        )
    return Head(int(found[1]), found[2])


@dataclass(frozen=True)
class LogCheck:
    """What was found."""

    head: Head  # the end of the log, as far as it holds
    # number of the first record that does not hold; None where all do, 0 where the fault is that
    # of no record, such as a damaged page of the file
    bad: int | None = None
    reason: str = ""  # why it does not
    erased: int = 0  # how many records had something deleted, on request
    # of those that were asked for, the ones that are there → number of the record
    receipts: Mapping[str, int] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether the log is what was written."""
        return self.bad is None

    @property
    def fault(self) -> str:
        """What does not hold, with the record where there is one."""
        return f"Record {self.bad}: {self.reason}" if self.bad else self.reason


class _Broken(Exception):
    """A record that does not hold."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number, self.reason = number, reason


@dataclass
class _Reader:
    """What is known of the records so far."""

    head: Head | None
    replay: Replay
    wanted: Collection[str] = ()
    number: int = 0
    hash: str = GENESIS
    at: int = 0
    erased: dict[tuple[str, str], int] = field(default_factory=dict)
    count: int = 0
    receipts: dict[str, int] = field(default_factory=dict)

    def take(self, line: Line) -> None:
        """Check the next line."""
        number = self.number + 1
        body = _read_body(line, number)
        if body["number"] != number:
            raise _Broken(number, _misplaced(body["number"], number))
        if body["before"] != self.hash:
            raise _Broken(
                max(self.number, 1),
                f"record {number} was written behind another record than the one before it: that"
                " one was changed and its hash made again",
            )
        if body["at"] < self.at:
            raise _Broken(number, "it is older than the record before it")
        self._check_parts(line, body, number)
        if body["kind"] == "forget":
            self._settle(body)
        if self.head is not None and self.head.number == number and self.head.hash != line.hash:
            raise _Broken(number, "its hash is not the one that was noted")
        try:
            record = read_record(line, body)
            if record.kind in JUDGMENTS and record.answer is None:
                self._check_absence(line, body, number)
            self.replay.take(record)
        except Unsound as fault:
            raise _Broken(number, str(fault)) from None
        except UNREADABLE:
            raise _Broken(number, NO_RECORD) from None
        if line.hash in self.wanted:
            self.receipts[line.hash] = number
        self.number, self.hash, self.at = number, line.hash, body["at"]

    def end(self) -> None:
        """Check what can be known at the end."""
        if self.erased:
            first = min(self.erased.values())
            raise _Broken(first, "something of it was deleted, and no request for that is there")
        if self.head is not None and self.number < self.head.number:
            told = f"the log ends at record {self.number}: {self.head.number} were noted"
            raise _Broken(self.number + 1, told)

    def _check_parts(self, line: Line, body: dict[str, Any], number: int) -> None:
        """Check what is kept beside the chain."""
        gone = False
        for part in PARTS:
            sealed = getattr(line, part)
            if sealed is None and part in body:
                gone = True
                self.erased.setdefault((body["judge"], part), number)
            elif sealed is not None and digest(sealed) != body.get(part):
                raise _Broken(number, f"what was {PART_WORDS[part]} was changed")
        self.count += gone

    def _check_absence(self, line: Line, body: dict[str, Any], number: int) -> None:
        """Check that an answer which is not there was deleted: that its digest is."""
        if line.said is not None or "said" not in body:
            raise _Broken(number, "it holds no answer, and none was deleted")

    def _settle(self, body: dict[str, Any]) -> None:
        """Take up that something was deleted on request."""
        facts = body.get("facts")
        judges, parts = (
            _read_words(facts.get(name)) if isinstance(facts, dict) else None
            for name in ("judges", "parts")
        )
        if judges is None or parts is None:
            raise _Broken(body["number"], NO_RECORD)
        for judge in judges:
            for part in parts:
                self.erased.pop((judge, part), None)


PART_WORDS: Final = {"said": "answered", "note": "noted beside the answer"}


def verify(
    lines: Iterable[Line],
    head: Head | None = None,
    *,
    replay: Replay | None = None,
    receipts: Collection[str] = (),
) -> LogCheck:
    """Check a log."""
    known = _Reader(head, replay or Replay(), receipts)
    bad, reason = None, ""
    try:
        for line in lines:
            known.take(line)
        known.end()
    except _Broken as fault:
        bad, reason = fault.number, fault.reason
    return LogCheck(Head(known.number, known.hash), bad, reason, known.count, known.receipts)


def read_receipt(text: str) -> str:
    """Read a receipt as a judge was given it."""
    found = text.strip().lower()
    if re.fullmatch(r"[0-9a-f]{64}", found) is None:
        raise UnknownOption(
            f"'{text[:80]}' is no receipt: it is 64 digits 0-9 and a-f, as a judge's page shows it"
        )
    return found


def read_log(path: str | Path) -> Iterator[Line]:
    """Read a log from JSON Lines; a line that cannot be read comes as one without a hash."""
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield _read(line.removesuffix(b"\n"), number)
    except FileNotFoundError:
        raise MissingFile(f"there is no file {path}") from None


def _read(line: bytes, number: int) -> Line:
    try:
        return read_line(line.decode(), number)
    except (UnknownFormat, UnicodeDecodeError):
        return Line(number, "", "")


def _read_body(line: Line, number: int) -> dict[str, Any]:
    """Return the body of a line that has its hash and the fields that all have."""
    texts = (line.body, line.hash, *(getattr(line, part) or "" for part in PARTS))
    if not line.hash or not all(isinstance(one, str) for one in texts):  # SQLite takes any value
        raise _Broken(number, "it cannot be read as it was written")
    if digest(line.body) != line.hash:
        raise _Broken(number, "it was changed: it has not its hash")
    try:
        body: dict[str, Any] = json.loads(line.body)
        sound = isinstance(body, dict) and canonical(body) == line.body
    except (ValueError, RecursionError):
        raise _Broken(number, "it is no JSON") from None
    kinds = {"before": str, "number": int, "kind": str, "at": int, "judge": str}
    if not sound or any(not isinstance(body.get(name), kind) for name, kind in kinds.items()):
        raise _Broken(number, NO_RECORD)
    return body


def _read_words(value: Any) -> list[str] | None:
    """Return a list of words, None of what is none."""
    sound = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return value if sound else None


def _misplaced(found: int, number: int) -> str:
    """Say what it means that another record stands here."""
    if found == number + 1:
        return f"it is missing: record {found} stands in its place"
    if found < number:
        return f"record {found} stands here a second time"
    return f"record {found} stands in its place"
