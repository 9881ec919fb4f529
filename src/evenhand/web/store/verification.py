"""A log is replayed: what every table has to hold after it, and which records cannot be in it.

A record whose hash is right can still say what no server would have written: an answer of a judge
who does not hold the seat, to a ticket that is answered already, or one that the task forbids. Of a
log alone the campaign is not known: then answers are not checked by their task, and the seat of a
ticket is that of the first judge who answered it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from evenhand.design.assignment import Assignment
from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Ticket
from evenhand.errors import EvenhandError, MissingFile, UnknownFormat, UnknownOption
from evenhand.web.store import log as records
from evenhand.web.store.judging import is_time
from evenhand.web.store.people import PRESENT

NO_RECORD: Final = "it is no record of a log"


class Unsound(Exception):
    """A record that no server would have written, and why; its number, if it is not the next."""

    def __init__(self, why: str, number: int | None = None) -> None:
        super().__init__(why)
        self.number = number


@dataclass(slots=True)
class _Question:
    outputs: int  # hash of item and systems as shown
    rest: int  # hash of its other fields, but its number and its judge
    record: int = 0  # the answer that stands; 0 for none
    judge: str = ""  # who gave it
    submitted: bool = False  # whether it is of a document that its judge submitted


@dataclass(slots=True)
class _Login:
    seat: str  # whose tickets these are; "" where the log does not say it
    state: str  # invited, active, left, revoked or forgotten
    made: int  # when the judge was invited first
    linked: int | None  # when the link that is good was made; None where there is none
    consented: int | None = None  # when the judge agreed last; None for not yet
    joined: str | None = None  # the login of the same person, None for none


# Kinds of records that concern no judge
OF_NOBODY: Final = frozenset({"launch", "pause", "resume"})
# Kind of record → names of what else it says; older versions say less
FACTS: Final[Mapping[str, Set[str]]] = {
    "launch": frozenset({"assignment", "campaign", "evenhand", "name", "plan", "seed", "tickets"}),
    "invite": frozenset({"seat", "model", "prompt", "template"}),
    "judgment": frozenset({"prompt", "tokens"}),
    "skip": frozenset({"prompt", "tokens", "why"}),
    "attempt": frozenset({"prompt", "tokens"}),
    "consent": frozenset({"text"}),
    "issue": frozenset({"seat", "emptied"}),
    "submit": frozenset({"first", "answers"}),
    **dict.fromkeys(("leave", "revoke"), frozenset({"emptied"})),
    "join": frozenset({"person", "judges"}),
    "forget": frozenset({"judges", "parts"}),
}


class Replay:
    def __init__(
        self, campaign: Campaign | None = None, assignment: Assignment | None = None
    ) -> None:
        self.campaign, self.assignment = campaign, assignment
        self.launch: Mapping[str, Any] = {}
        self.tickets, self.at, self.deleted, self.paused = 0, 0, 0, False
        self.last: records.Record | None = None
        self.logins: dict[str, _Login] = {}
        self.holders: dict[str, str] = {}
        self.questions: dict[int, _Question] = {}
        self.void: set[int] = set()
        self.chosen: dict[str, set[int]] = {}
        self.issued: dict[int, str] = {}
        self.entered: set[str] = set()
        self._names = [one.name for one in self.campaign.judges] if self.campaign else []
        self._answered_in: dict[int, str] = {}
        self._repeats: dict[str, dict[int, int]] = {}
        if self.assignment is not None:
            again = self.assignment.again
            for number in np.flatnonzero(again >= 0).tolist():
                repeats = self._repeats.setdefault(self.find_seat(number), {})
                repeats[number] = int(again[number])

    def take(self, record: records.Record) -> None:
        try:
            if (record.kind == "launch") != (record.number == 1):
                raise Unsound("a log begins with its launch, and has one")
            step = getattr(self, f"_take_{record.kind}", None)
            if step is None:
                raise Unsound(f"there is no kind '{record.kind}' of records")
            odd = (record.kind in OF_NOBODY) != (not record.judge)
            if odd or not record.facts.keys() <= FACTS.get(record.kind, frozenset()):
                raise Unsound(NO_RECORD)
            step(record)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise Unsound(NO_RECORD) from None
        self.at, self.last = record.at, record

    def find_seat(self, number: int) -> str:
        if number in self.issued:
            return self.issued[number]
        if self.assignment is not None and 0 <= number < len(self.assignment):
            return str(self._names[self.assignment.judge[number]])
        return self._answered_in.get(number, "")

    def is_free(self, number: int) -> bool:
        fixed = self.assignment
        return fixed is not None and 0 <= number < len(fixed) and bool(fixed.item[number] < 0)

    def group(self, judge: str) -> list[str]:
        name = self.logins[judge].joined or judge
        return sorted(one for one, login in self.logins.items() if name in {one, login.joined})

    def _take_launch(self, record: records.Record) -> None:
        self.launch, self.tickets = record.facts, record.facts["tickets"]
        if not isinstance(self.tickets, int) or self.tickets < 0:
            raise Unsound(NO_RECORD)

    def _take_pause(self, record: records.Record) -> None:
        paused = record.kind == "pause"
        if self.paused == paused:
            raise Unsound(f"the campaign was {'paused' if paused else 'open'} already")
        self.paused = paused

    _take_resume = _take_pause

    def _take_invite(self, record: records.Record) -> None:
        judge, seat = record.judge, record.facts.get("seat")
        login = self.logins.get(judge)
        if login is None:
            seat = seat or (judge if judge in self._names else "")
            if self.campaign is not None and seat not in (*self._names, judge):
                raise Unsound(f"the design has no seat '{seat}'")
            login = self.logins[judge] = _Login(seat, "", record.at, record.at)
        if login.state == "forgotten" or seat not in (None, login.seat):
            raise Unsound(f"judge '{judge}' could not be invited into seat '{seat or login.seat}'")
        if login.state not in PRESENT:
            self._take_seat(login.seat, judge)
            login.state = "invited"
        login.linked = record.at

    def _take_seat(self, seat: str, judge: str) -> None:
        """Let a judge hold a seat; open repeats of what somebody else answered there are void."""
        if not seat:
            return
        if self.holders.get(seat, judge) != judge:
            raise Unsound(f"seat '{seat}' was held by '{self.holders[seat]}'")
        self.holders[seat] = judge
        for number, again in self._repeats.get(seat, {}).items():
            origin, mine = self.questions.get(again), self.questions.get(number)
            if origin is None or not origin.record or origin.judge == judge:
                continue
            if not (mine is not None and mine.record) and self.find_seat(again) == seat:
                self.void.add(number)

    def _find_present(self, judge: str) -> _Login:
        login = self.logins.get(judge)
        if login is None or login.state not in PRESENT:
            raise Unsound(f"judge '{judge}' was not in the campaign")
        return login

    def _take_enter(self, record: records.Record) -> None:
        self._find_present(record.judge)
        self.entered.add(record.judge)

    def _take_consent(self, record: records.Record) -> None:
        login = self._find_present(record.judge)
        text = record.facts["text"]
        if self.campaign is not None and text != records.digest(self.campaign.wording.consent):
            raise Unsound(f"judge '{record.judge}' agreed to another text than the campaign's")
        login.consented, login.state = record.at, "active"

    def _take_issue(self, record: records.Record) -> None:
        ticket, seat = self._find_ticket(record), record.facts["seat"]
        login, number = self._find_present(record.judge), ticket.number
        if login.seat and seat != login.seat:
            raise Unsound(f"judge '{record.judge}' does not hold seat '{seat}'")
        self._empty(record.facts.get("emptied", []))
        if number >= self.launch["tickets"]:
            if number != self.tickets:
                raise Unsound(f"ticket {number} is not the next one")
            self.tickets += 1
            self.issued[number] = seat
            if ticket.again is not None:
                self._repeats.setdefault(seat, {})[number] = ticket.again
        elif self.find_seat(number) not in ("", seat) or not ticket.chosen:
            raise Unsound(f"ticket {number} is not one that a policy chooses for seat '{seat}'")
        elif self.assignment is not None and not self._leaves_open(number, ticket):
            raise Unsound(f"ticket {number} shows something else by the design")
        elif self.questions.get(number) is not None:
            raise Unsound(f"ticket {number} was asked already")
        if ticket.chosen:
            self.chosen.setdefault(seat, set()).add(number)
            self._answered_in.setdefault(number, seat)
        self.questions[number] = _Question(*hash_ticket(ticket))

    def _leaves_open(self, number: int, ticket: Ticket) -> bool:
        """Say whether a policy may have filled a ticket of the design as this one."""
        assert self.assignment is not None
        fixed = self.assignment[number]
        changes = {"judge": fixed.judge, "item": "", "systems": (), "chosen": ""}
        return not fixed.settled and fixed.kind != "repeat" and replace(ticket, **changes) == fixed  # type: ignore[arg-type]

    def _empty(self, emptied: list[int]) -> None:
        """Take up that tickets which a policy had filled show nothing any more."""
        for number in emptied:
            question, seat = self.questions.get(number), self.find_seat(number)
            if question is None or question.record or number not in self.chosen.get(seat, ()):
                raise Unsound(f"ticket {number} was not one to be emptied")
            self.chosen[seat].discard(number)
            del self.questions[number]

    def _list_open_chosen(self, seat: str) -> set[int]:
        """Return what a policy has filled for a seat, and nobody has answered."""
        if self.campaign is not None and not self.campaign.design.policy:
            return set()
        return {one for one in self.chosen.get(seat, set()) if not self.questions[one].record}

    def _take_judgment(self, record: records.Record) -> None:
        ticket = self._check_ticket(record)
        if not record.key:
            raise Unsound("it has no key")
        if not is_time(record.seconds):
            raise Unsound("the time taken is none")
        # not whether it is before the answer: clocks of two servers may differ
        served, login = record.served, self.logins[record.judge]
        if served is not None and (type(served) is not int or served < login.made):
            raise Unsound("it was served when nothing could be")
        if self.campaign is not None and record.answer is not None:
            comment = {"comment": record.comment} if record.comment else {}
            try:
                self.campaign.read_answer(ticket, {**record.answer, **comment})
            except EvenhandError as refusal:
                raise Unsound(f"the answer is not one of its task: {refusal}") from None
        question = self.questions.get(ticket.number)
        if record.kind == "revision":
            question = self._find_standing(record, ticket)
        elif (question is not None and question.record) or record.replaces is not None:
            raise Unsound(f"ticket {ticket.number} was answered already")
        elif ticket.number in self.void:
            raise Unsound(f"ticket {ticket.number} was not to be asked any more")
        if question is None:
            question = self.questions[ticket.number] = _Question(0, 0)
        question.outputs, question.rest = hash_ticket(ticket)
        question.record, question.judge = record.number, record.judge
        question.submitted = False
        if login.state == "invited":
            login.state = "active"

    _take_revision = _take_judgment

    def _take_skip(self, record: records.Record) -> None:
        number = self._check_ticket(record).number
        question = self.questions.get(number)
        if number in self.void or (question is not None and question.record):
            raise Unsound(f"ticket {number} was not to be asked any more")
        self.void.add(number)

    def _find_standing(self, record: records.Record, ticket: Ticket) -> _Question:
        question = self.questions.get(ticket.number)
        if question is None or not question.record or question.record != record.replaces:
            raise Unsound(f"the answer that it replaces did not stand for ticket {ticket.number}")
        if question.judge != record.judge:
            raise Unsound(f"the answer that it replaces was not of judge '{record.judge}'")
        if question.submitted:
            raise Unsound("the answer that it replaces is of a document that was submitted")
        return question

    def _take_undo(self, record: records.Record) -> None:
        ticket = self._check_ticket(record)
        if self.paused:
            raise Unsound("nothing can be undone while the campaign is paused")
        question = self._find_standing(record, ticket)
        question.record, question.judge = 0, ""

    def _take_submit(self, record: records.Record) -> None:
        last, first = self._check_ticket(record), record.facts["first"]
        if self.campaign is not None:
            segments = self.campaign.list_segments(last)
            whole = self.campaign.segments and last.item == segments[-1]
            if not whole or first != last.number + 1 - len(segments):
                raise Unsound("it is no document that is kept together")
        if not 0 <= first <= last.number:
            raise Unsound(NO_RECORD)
        asked = [self.questions.get(number) for number in range(first, last.number + 1)]
        mine = [one for one in asked if one and one.record and one.judge == record.judge]
        if not mine or any(one.submitted for one in mine):
            raise Unsound("nothing of the document was left to submit")
        if [one.record for one in mine] != record.facts["answers"]:
            raise Unsound("the answers that it submits are not those that stood")
        for one in mine:
            one.submitted = True

    def _find_ticket(self, record: records.Record) -> Ticket:
        ticket = record.ticket
        if ticket is None or not isinstance(ticket.number, int):
            raise Unsound(NO_RECORD)
        if not 0 <= ticket.number < self.tickets + (record.kind == "issue"):
            raise Unsound(f"there was no ticket {ticket.number}")
        return ticket

    def _check_ticket(self, record: records.Record) -> Ticket:
        ticket = self._find_ticket(record)
        login, number = self._find_present(record.judge), ticket.number
        seat = self.find_seat(number)
        if not seat and login.seat:
            self._answered_in[number] = login.seat
        elif seat and login.seat and seat != login.seat:
            raise Unsound(f"judge '{record.judge}' does not hold seat '{seat}' of ticket {number}")
        if login.seat and self.holders.get(login.seat) != record.judge:
            raise Unsound(f"judge '{record.judge}' does not hold seat '{login.seat}'")
        question, different = self.questions.get(number), f"ticket {number} was not asked so"
        if self.is_free(number) and ticket.kind == "repeat":
            origin = None if ticket.again is None else self.questions.get(ticket.again)
            if origin is None or origin.outputs != hash_ticket(ticket)[0] or ticket.chosen:
                raise Unsound(different)
            question = None
        elif self.is_free(number) and question is None:
            raise Unsound(f"ticket {number} was answered before it was chosen what it shows")
        if question is not None:
            if (question.outputs, question.rest) != hash_ticket(ticket):
                raise Unsound(different)
        elif self.assignment is not None and number < len(self.assignment):
            fixed = self.assignment[number]
            outputs, rest = hash_ticket(fixed)
            if (outputs if fixed.settled else hash_ticket(ticket)[0], rest) != hash_ticket(ticket):
                raise Unsound(different)
        return ticket

    _take_attempt = _check_ticket

    def _take_leave(self, record: records.Record) -> None:
        self._find_present(record.judge)
        self._shut_out(record, "left")

    def _take_revoke(self, record: records.Record) -> None:
        if self.logins[record.judge].state in ("revoked", "forgotten"):
            raise Unsound(f"judge '{record.judge}' was not in the campaign")
        self._shut_out(record, "revoked")
        self.logins[record.judge].linked = None

    def _shut_out(self, record: records.Record, state: str) -> None:
        login = self.logins[record.judge]
        emptied = set(record.facts.get("emptied", []))
        held = self.holders.get(login.seat) == record.judge
        wanted = self._list_open_chosen(login.seat) if held else set()
        if self.campaign is not None and emptied != wanted:
            raise Unsound("the tickets that it empties are not those that were open")
        self._empty(sorted(emptied))
        login.state = state
        if held:
            del self.holders[login.seat]

    def _take_join(self, record: records.Record) -> None:
        person, names = record.facts["person"], record.facts["judges"]
        known = record.judge in self.logins and names == self.group(record.judge)
        if not known or person in names or self.logins[person].joined is not None:
            raise Unsound("these logins could not be joined")
        for name in names:
            self.logins[name].joined = person

    def _take_forget(self, record: records.Record) -> None:
        names, parts = record.facts["judges"], record.facts["parts"]
        if record.judge not in self.logins or names != self.group(record.judge):
            raise Unsound("these are not all logins of the person who is forgotten")
        if "said" in parts:
            self.deleted = record.number
            for question in self.questions.values():
                if question.record and question.judge in names:
                    question.record, question.judge = 0, ""
        for name in names:
            login = self.logins[name]
            if self.holders.get(login.seat) == name:
                self._empty(sorted(self._list_open_chosen(login.seat)))
                del self.holders[login.seat]
            login.state, login.linked = "forgotten", None


def hash_ticket(ticket: Ticket) -> tuple[int, int]:
    """Return hashes of what a ticket shows, and of the rest; they hold within one process."""
    rest = (ticket.task, ticket.kind, ticket.again, ticket.expected, ticket.chosen)
    return hash((ticket.item, ticket.systems)), hash(rest)


# What is raised by values that no server writes, such as numbers too large and JSON too deep
UNREADABLE: Final = (
    *(ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError),
)


@dataclass(frozen=True)
class Head:
    """The end of a log: note it elsewhere, and nobody can change what came before.

    >>> str(Head(2, "ab" * 32))[:8]
    '2:ababab'
    """

    number: int  # of the last record; 0 of an empty log
    hash: str

    def __str__(self) -> str:
        return f"{self.number}:{self.hash}"


def read_head(text: str) -> Head:
    match = re.fullmatch(r"(\d{1,18}):([0-9a-f]{64})", text.strip())
    if match is None:
        raise UnknownOption(
            f"'{text[:80]}' is no head of a log: it is NUMBER:HASH, as evenhand check prints it,"
            " the hash whole: 64 digits 0-9 and a-f"
        )
    return Head(int(match[1]), match[2])


@dataclass(frozen=True)
class LogCheck:
    head: Head  # the end of the log, as far as it holds
    # number of the first record that does not hold; None where all do, 0 where the fault is that
    # of no record, such as a damaged page of the file
    bad: int | None = None
    reason: str = ""  # why it does not
    erased: int = 0  # how many records had something deleted, on request
    receipts: Mapping[str, int] = field(default_factory=dict)  # those that are there → record

    @property
    def holds(self) -> bool:
        return self.bad is None

    @property
    def fault(self) -> str:
        return f"Record {self.bad}: {self.reason}" if self.bad else self.reason


@dataclass
class _Reader:
    head: Head | None
    replay: Replay
    wanted: Collection[str] = ()
    number: int = 0
    hash: str = records.GENESIS
    at: int = 0
    erased: dict[tuple[str, str], int] = field(default_factory=dict)
    count: int = 0
    receipts: dict[str, int] = field(default_factory=dict)
    salted: bool = False

    def take(self, line: records.Line) -> None:
        number = self.number + 1
        texts = (line.body, line.hash, *(getattr(line, part) or "" for part in records.PARTS))
        if not line.hash or not all(
            isinstance(one, str) for one in texts
        ):  # SQLite takes any value
            raise Unsound("it cannot be read as it was written")
        if records.digest(line.body) != line.hash:
            raise Unsound("it was changed: it has not its hash")
        body = records.read_canonical(line.body)
        if body is None:
            raise Unsound("it is no JSON")
        same = all(type(body.get(name)) is kind for name, kind in _KINDS.items())
        if not same or not body.keys() <= _KINDS.keys() | {_SALT} | FIELDS.get(body["kind"], EVERY):
            raise Unsound(NO_RECORD)
        if _SALT in body and not _is_salt(body[_SALT]):
            raise Unsound(NO_RECORD)
        if body["number"] != number:
            missing = "it is missing: " if body["number"] == number + 1 else ""
            place = "here a second time" if body["number"] < number else "in its place"
            raise Unsound(f"{missing}record {body['number']} stands {place}")
        if body["before"] != self.hash:
            raise Unsound(
                f"record {number} was written behind another record than the one before it: that"
                " one was changed and its hash made again",
                max(self.number, 1),
            )
        if body["at"] < self.at:
            raise Unsound("it is older than the record before it")
        self._check_parts(line, body)
        if body["kind"] == "forget":
            self._settle(body)
        if self.head is not None and self.head.number == number and self.head.hash != line.hash:
            raise Unsound("its hash is not the one that was noted")
        try:
            record = records.read_record(line, body)
            # an answer which is not there was deleted: its digest is there
            gone = line.said is None and "said" in body
            if record.kind in records.JUDGMENTS and record.answer is None and not gone:
                raise Unsound("it holds no answer, and none was deleted")
            # versions before the first salt wrote none; behind it each has one or a sealed part
            if self.salted and not body.keys() & {_SALT, *records.PARTS}:
                raise Unsound(NO_RECORD)
            self.salted |= _SALT in body
            self.replay.take(record)
        except UNREADABLE:
            raise Unsound(NO_RECORD) from None
        if line.hash in self.wanted:
            self.receipts[line.hash] = number
        self.number, self.hash, self.at = number, line.hash, body["at"]

    def end(self) -> None:
        if self.erased:
            message = "something of it was deleted, and no request for that is there"
            raise Unsound(message, min(self.erased.values()))
        if self.head is not None and self.number < self.head.number:
            raise Unsound(f"the log ends at record {self.number}: {self.head.number} were noted")

    def _check_parts(self, line: records.Line, body: dict[str, Any]) -> None:
        gone = False
        for part in records.PARTS:
            sealed = getattr(line, part)
            if sealed is None and part in body:
                gone = True
                self.erased.setdefault((body["judge"], part), body["number"])
            elif sealed is not None and records.digest(sealed) != body.get(part):
                raise Unsound(f"what was {PART_WORDS[part]} was changed")
            elif sealed:  # in one form, with a salt, under these names
                payload = records.read_canonical(sealed) or {}
                if not payload.keys() <= SEALED[part] or not _is_salt(payload.get(_SALT)):
                    raise Unsound(NO_RECORD)
        self.count += gone

    def _settle(self, body: dict[str, Any]) -> None:
        facts = body.get("facts")
        known = facts if isinstance(facts, dict) else {}
        lists: list[Any] = [known.get(one) for one in ("judges", "parts")]
        for one in lists:
            if not isinstance(one, list) or not all(isinstance(word, str) for word in one):
                raise Unsound(NO_RECORD)
        for key in product(*lists):
            self.erased.pop(key, None)


# Names in what is kept beside a body
SEALED: Final = {
    "said": frozenset({"answer", "probabilities", "reply", "salt", "seconds"}),
    "note": frozenset({"comment", "salt"}),
}
_KINDS: Final = {"before": str, "number": int, "kind": str, "at": int, "judge": str}  # In bodies
_SALT: Final = "salt"  # In bodies beside which nothing sealed is kept
_JUDGED: Final = frozenset({"key", "note", "said", "served", "ticket"})
EVERY: Final = _JUDGED | {"facts", "replaces"}
# Kind of record → further names in its body
FIELDS: Final[Mapping[str, Set[str]]] = {
    "judgment": _JUDGED | {"facts"},
    "revision": _JUDGED | {"replaces"},
    "skip": (_JUDGED - {"note"}) | {"facts"},
    "attempt": frozenset({"facts", "said", "ticket"}),
    "undo": frozenset({"replaces", "ticket"}),
    **dict.fromkeys(("issue", "submit"), frozenset({"facts", "ticket"})),
    **dict.fromkeys(("pause", "resume", "enter"), frozenset()),
    **dict.fromkeys(
        ("launch", "invite", "consent", "leave", "revoke", "join", "forget"), frozenset({"facts"})
    ),
}
PART_WORDS: Final = {"said": "answered", "note": "noted beside the answer"}


def verify(
    lines: Iterable[records.Line],
    head: Head | None = None,
    *,
    replay: Replay | None = None,
    receipts: Collection[str] = (),
) -> LogCheck:
    known = _Reader(head, replay or Replay(), receipts)
    bad, reason = None, ""
    try:
        for line in lines:
            known.take(line)
        known.end()
    except Unsound as fault:
        bad, reason = fault.number or known.number + 1, str(fault)
    return LogCheck(Head(known.number, known.hash), bad, reason, known.count, known.receipts)


def read_receipt(text: str) -> str:
    receipt = text.strip().lower()
    if re.fullmatch(r"[0-9a-f]{64}", receipt) is None:
        raise UnknownOption(
            f"'{text[:80]}' is no receipt: it is 64 digits 0-9 and a-f, as a judge's page shows it"
        )
    return receipt


def read_log(path: str | Path) -> Iterator[records.Line]:
    """Read a log from JSON Lines; a line that cannot be read comes as one without a hash."""
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                if b"\r" in line:  # no line that is written holds one as such
                    raise UnknownFormat(describe_resaved(path, "line ends (CRLF for LF)"))
                try:
                    read = records.read_line(line.removesuffix(b"\n").decode(), number)
                except (UnknownFormat, UnicodeDecodeError):
                    read = records.Line(number, "", "")
                yield read
    except FileNotFoundError:
        raise MissingFile(f"there is no file {path}") from None


def describe_resaved(path: str | Path, what: str) -> str:
    return (
        f"'{path}' was saved by another program with other {what}, so that it cannot be"
        " verified: export it again"
    )


def _is_salt(value: object) -> bool:
    return re.fullmatch(r"[0-9a-f]{32}", str(value)) is not None
