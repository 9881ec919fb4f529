"""A log is replayed: what every table has to hold after it, and which records cannot be in it.

A record whose hash is right can still say what no server would have written: an answer of a judge
who does not hold the seat, to a ticket that is answered already, or one that the task forbids. Of a
log alone the campaign is not known: then answers are not checked by their task, and the seat of a
ticket is that of the first judge who answered it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from evenhand.design.assignment import Assignment
from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Ticket
from evenhand.errors import EvenhandError
from evenhand.web.store.chain import digest
from evenhand.web.store.people import PRESENT
from evenhand.web.store.record import Record

NO_RECORD: Final = "it is no record of a log"


class Unsound(Exception):
    """A record that no server would have written; the message says why."""


@dataclass(slots=True)
class _Question:
    """What the log says of a ticket."""

    outputs: int  # hash of item and systems as shown
    rest: int  # hash of its other fields, but its number and its judge
    record: int = 0  # the answer that stands; 0 for none
    judge: str = ""  # who gave it


@dataclass(slots=True)
class _Login:
    """What the log says of a judge."""

    seat: str  # whose tickets these are; "" where the log does not say it
    state: str  # invited, active, left, revoked or forgotten
    made: int  # when the judge was invited first
    linked: int | None  # when the link that is good was made; None where there is none
    consented: int | None = None  # when the judge agreed last; None for not yet
    joined: str | None = None  # the login of the same person, None for none


class Replay:
    """What a log says of the tables, up to its last record."""

    def __init__(
        self,
        campaign: Campaign | None = None,
        assignment: Assignment | None = None,
        seats: Mapping[str, str] | None = None,
    ) -> None:
        """Know no record yet."""
        self.campaign, self.assignment, self.seats = campaign, assignment, seats or {}
        self.launch: Mapping[str, Any] = {}
        self.tickets, self.at, self.deleted, self.paused = 0, 0, 0, False
        self.last: Record | None = None
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
                self._note_repeat(self.find_seat(number), number, int(again[number]))

    def take(self, record: Record) -> None:
        """Take up the next record."""
        try:
            if (record.kind == "launch") != (record.number == 1):
                raise Unsound("a log begins with its launch, and has one")
            step = getattr(self, f"_take_{record.kind}", None)
            if step is None:
                raise Unsound(f"there is no kind '{record.kind}' of records")
            step(record)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise Unsound(NO_RECORD) from None
        self.at, self.last = record.at, record

    def find_seat(self, number: int) -> str:
        """Return whose ticket it is; "" where that is not known."""
        if number in self.issued:
            return self.issued[number]
        if self.assignment is not None and 0 <= number < len(self.assignment):
            return str(self._names[self.assignment.judge[number]])
        return self._answered_in.get(number, "")

    def is_free(self, number: int) -> bool:
        """Say whether the design leaves open what a ticket shows."""
        fixed = self.assignment
        return fixed is not None and 0 <= number < len(fixed) and bool(fixed.item[number] < 0)

    def group(self, judge: str) -> list[str]:
        """Return all logins of the person behind a judge, by name."""
        name = self.logins[judge].joined or judge
        return sorted(one for one, login in self.logins.items() if name in {one, login.joined})

    def _take_launch(self, record: Record) -> None:
        self.launch, self.tickets = record.facts, record.facts["tickets"]
        if not isinstance(self.tickets, int) or self.tickets < 0:
            raise Unsound(NO_RECORD)

    def _take_pause(self, _: Record) -> None:
        self.paused = True

    def _take_resume(self, _: Record) -> None:
        self.paused = False

    def _take_invite(self, record: Record) -> None:
        judge, seat = record.judge, record.facts.get("seat")
        login = self.logins.get(judge)
        if login is None:
            seat = seat or self.seats.get(judge) or (judge if judge in self._names else "")
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

    def _note_repeat(self, seat: str, number: int, again: int) -> None:
        self._repeats.setdefault(seat, {})[number] = again

    def _find_present(self, judge: str) -> _Login:
        """Return a judge who may go on."""
        login = self.logins.get(judge)
        if login is None or login.state not in PRESENT:
            raise Unsound(f"judge '{judge}' was not in the campaign")
        return login

    def _take_enter(self, record: Record) -> None:
        self._find_present(record.judge)
        self.entered.add(record.judge)

    def _take_consent(self, record: Record) -> None:
        login = self._find_present(record.judge)
        text = record.facts["text"]
        if self.campaign is not None and text != digest(self.campaign.wording.consent):
            raise Unsound(f"judge '{record.judge}' agreed to another text than the campaign's")
        login.consented, login.state = record.at, "active"

    def _take_issue(self, record: Record) -> None:
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
                self._note_repeat(seat, number, ticket.again)
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
        told = {"judge": fixed.judge, "item": "", "systems": (), "chosen": ""}
        return not fixed.settled and fixed.kind != "repeat" and replace(ticket, **told) == fixed  # type: ignore[arg-type]

    def _empty(self, emptied: list[int]) -> None:
        """Take up that tickets which a policy had filled show nothing any more."""
        for number in emptied:
            asked, seat = self.questions.get(number), self.find_seat(number)
            if asked is None or asked.record or number not in self.chosen.get(seat, ()):
                raise Unsound(f"ticket {number} was not one to be emptied")
            self.chosen[seat].discard(number)
            del self.questions[number]

    def _list_open_chosen(self, seat: str) -> set[int]:
        """Return what a policy has filled for a seat, and nobody has answered."""
        if self.campaign is not None and not self.campaign.design.policy:
            return set()
        filled = self.chosen.get(seat, set())
        return {one for one in filled if not self.questions[one].record}

    def _take_judgment(self, record: Record) -> None:
        ticket = self._check_answer(record)
        asked = self.questions.get(ticket.number)
        if (asked is not None and asked.record) or record.replaces is not None:
            raise Unsound(f"ticket {ticket.number} was answered already")
        if ticket.number in self.void:
            raise Unsound(f"ticket {ticket.number} was not to be asked any more")
        self._settle(record, ticket, asked)

    def _take_revision(self, record: Record) -> None:
        ticket = self._check_answer(record)
        asked = self._find_standing(record, ticket)
        self._settle(record, ticket, asked)

    def _find_standing(self, record: Record, ticket: Ticket) -> _Question:
        """Return a question whose answer a record takes the place of, or takes back."""
        asked = self.questions.get(ticket.number)
        if asked is None or not asked.record or asked.record != record.replaces:
            raise Unsound(f"the answer that it replaces did not stand for ticket {ticket.number}")
        if asked.judge != record.judge:
            raise Unsound(f"the answer that it replaces was not of judge '{record.judge}'")
        return asked

    def _settle(self, record: Record, ticket: Ticket, asked: _Question | None) -> None:
        """Let an answer stand."""
        if asked is None:
            asked = self.questions[ticket.number] = _Question(0, 0)
        asked.outputs, asked.rest = hash_ticket(ticket)
        asked.record, asked.judge = record.number, record.judge
        login = self.logins[record.judge]
        if login.state == "invited":
            login.state = "active"

    def _take_undo(self, record: Record) -> None:
        ticket = self._find_ticket(record)
        self._check_ticket(record, ticket)
        if self.paused:
            raise Unsound("nothing can be taken back while the campaign is paused")
        asked = self._find_standing(record, ticket)
        asked.record, asked.judge = 0, ""

    def _check_answer(self, record: Record) -> Ticket:
        """Check who answers what; return what was asked."""
        ticket = self._find_ticket(record)
        self._check_ticket(record, ticket)
        if not record.key:
            raise Unsound("it has no key")
        if self.campaign is None or record.answer is None:
            return ticket
        told = dict(record.answer)
        if record.comment:
            told["comment"] = record.comment
        try:
            source = self.campaign.item(ticket.item).source
            task = self.campaign.task(ticket.task)
            task.validate(told, self.campaign.shown(ticket), source)
        except EvenhandError as refusal:
            raise Unsound(f"the answer is not one of its task: {refusal}") from None
        return ticket

    def _find_ticket(self, record: Record) -> Ticket:
        """Return the ticket of a record that has one, with a number that there is."""
        ticket = record.ticket
        if ticket is None or not isinstance(ticket.number, int):
            raise Unsound(NO_RECORD)
        last = self.tickets + (record.kind == "issue")
        if not 0 <= ticket.number < last:
            raise Unsound(f"there was no ticket {ticket.number}")
        return ticket

    def _check_ticket(self, record: Record, ticket: Ticket) -> None:
        """Check that a judge holds the seat of a ticket, and was asked what the record says."""
        login, number = self._find_present(record.judge), ticket.number
        seat = self.find_seat(number)
        if not seat and login.seat:
            self._answered_in[number] = login.seat
        elif seat and login.seat and seat != login.seat:
            raise Unsound(f"judge '{record.judge}' does not hold seat '{seat}' of ticket {number}")
        if login.seat and self.holders.get(login.seat) != record.judge:
            raise Unsound(f"judge '{record.judge}' does not hold seat '{login.seat}'")
        asked, different = self.questions.get(number), f"ticket {number} was not asked so"
        if self.is_free(number) and ticket.kind == "repeat":
            origin = None if ticket.again is None else self.questions.get(ticket.again)
            if origin is None or origin.outputs != hash_ticket(ticket)[0] or ticket.chosen:
                raise Unsound(different)
            asked = None
        elif self.is_free(number) and asked is None:
            raise Unsound(f"ticket {number} was answered before it was chosen what it shows")
        if asked is not None:
            if (asked.outputs, asked.rest) != hash_ticket(ticket):
                raise Unsound(different)
        elif self.assignment is not None and number < len(self.assignment):
            fixed = self.assignment[number]
            outputs, rest = hash_ticket(fixed)
            if (outputs if fixed.settled else hash_ticket(ticket)[0], rest) != hash_ticket(ticket):
                raise Unsound(different)

    def _take_leave(self, record: Record) -> None:
        self._find_present(record.judge)
        self._shut_out(record, "left")

    def _take_revoke(self, record: Record) -> None:
        if self.logins[record.judge].state in ("revoked", "forgotten"):
            raise Unsound(f"judge '{record.judge}' was not in the campaign")
        self._shut_out(record, "revoked")
        self.logins[record.judge].linked = None

    def _shut_out(self, record: Record, state: str) -> None:
        """Free the seat of a judge."""
        login = self.logins[record.judge]
        emptied = set(record.facts.get("emptied", []))
        held = self.holders.get(login.seat) == record.judge
        if self.campaign is not None:
            wanted = self._list_open_chosen(login.seat) if held else set()
            if emptied != wanted:
                raise Unsound("the tickets that it empties are not those that were open")
        self._empty(sorted(emptied))
        login.state = state
        if held:
            del self.holders[login.seat]

    def _take_join(self, record: Record) -> None:
        person, names = record.facts["person"], record.facts["judges"]
        known = record.judge in self.logins and names == self.group(record.judge)
        if not known or person in names or self.logins[person].joined is not None:
            raise Unsound("these logins could not be joined")
        for name in names:
            self.logins[name].joined = person

    def _take_forget(self, record: Record) -> None:
        names, parts = record.facts["judges"], record.facts["parts"]
        if record.judge not in self.logins or names != self.group(record.judge):
            raise Unsound("these are not all logins of the person who is forgotten")
        if "said" in parts:
            self.deleted = record.number
            for asked in self.questions.values():
                if asked.record and asked.judge in names:
                    asked.record, asked.judge = 0, ""
        for name in names:
            login = self.logins[name]
            if self.holders.get(login.seat) == name:
                self._empty(sorted(self._list_open_chosen(login.seat)))
                del self.holders[login.seat]
            login.state, login.linked = "forgotten", None


def hash_ticket(ticket: Ticket) -> tuple[int, int]:
    """Return hashes of what a ticket shows, and of the rest; they hold within one process."""
    told = (ticket.task, ticket.kind, ticket.again, ticket.expected, ticket.chosen)
    return hash((ticket.item, ticket.systems)), hash(told)
