"""What a line of the log says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from evenhand.design.tasks import Ticket
from evenhand.web.store.line import Line

# Kinds of records that hold an answer; all others are events
JUDGMENTS: Final = ("judgment", "revision")


@dataclass(frozen=True)
class Record:
    """Something that happened."""

    number: int  # its place in the log, from 1
    # judgment, revision, undo, or an event: launch, pause, resume, invite, enter, consent, issue,
    # leave, revoke, join, forget
    kind: str
    at: int  # when, in milliseconds since 1970, by a clock that never goes back
    judge: str  # the pseudonym whom it concerns, "" for nobody
    hash: str  # of this record and all before it
    ticket: Ticket | None = None  # what was asked, with the systems in the order shown
    # what was said, as `Answer.to_dict` has it; None of an event, or after erasure
    answer: Mapping[str, Any] | None = field(default=None, hash=False)
    comment: str = ""  # what the judge wrote besides
    # time that the judge took by their own clock; None where it was not told
    seconds: float | None = None
    served: int | None = None  # when the ticket was served
    key: str = ""  # what the page called this answer; the same answer sent twice has the same key
    replaces: int | None = None  # the record that does not stand any more because of this one
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what else an event says
    erased: bool = False  # whether something of it was deleted on request


def read_record(line: Line, body: Mapping[str, Any] | None = None) -> Record:
    """Read what a line says; its body need not be parsed again where it was parsed before."""
    body = json.loads(line.body) if body is None else body
    said = json.loads(line.said) if line.said else {}
    note = json.loads(line.note) if line.note else {}
    asked = body.get("ticket")
    ticket = None
    if asked is not None:
        ticket = Ticket(**{**asked, "systems": tuple(asked["systems"])}, judge=body["judge"])
    return Record(
        number=line.number,
        kind=body["kind"],
        at=body["at"],
        judge=body["judge"],
        hash=line.hash,
        ticket=ticket,
        answer=said.get("answer"),
        comment=note.get("comment", ""),
        seconds=said.get("seconds"),
        served=body.get("served"),
        key=body.get("key", ""),
        replaces=body.get("replaces"),
        facts=MappingProxyType(body.get("facts", {})),
        erased=any(name in body and not getattr(line, name) for name in ("said", "note")),
    )
