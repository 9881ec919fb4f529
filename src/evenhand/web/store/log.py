"""The hash chain: each record holds the digest of the record before it.

    hash of record n = sha256(body of record n), in hexadecimal digits,
    body of record n = {"before": hash of record n−1, "number": n, "kind": ..., ...},
    hash of record 0 = 64 zeros,

with bodies as JSON in canonical form: names sorted, no blanks, UTF-8 (Haber & Stornetta 1991). What
a person may ask to have deleted is not in the body but beside it, as JSON with 128 random bits; the
body holds its digest. docs/store.md says what the chain proves, and what it cannot.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from evenhand.design.tasks import Ticket
from evenhand.errors import CampaignError, Message, UnknownFormat

GENESIS: Final = "0" * 64  # What stands before the first record
_WRITER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
)


def canonical(value: Mapping[str, Any]) -> str:
    """Write a value in canonical form.

    >>> canonical({"b": 1, "a": "ü"})
    '{"a":"ü","b":1}'
    """
    return _WRITER.encode(value)


def read_canonical(text: str) -> dict[str, Any] | None:
    """Return an object in canonical form; an empty one in another form, None of what is no JSON."""
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, dict) and canonical(whole) == text else {}
    except (ValueError, RecursionError):
        return None


def draw_salt() -> str:
    return secrets.token_hex(16)


def seal(value: Mapping[str, Any]) -> str:
    """Write what may be deleted, with 128 random bits that keep its digest from being guessed."""
    return canonical({**value, "salt": draw_salt()})


def digest(text: str) -> str:
    """Return the sha256 of a body, or of what may be deleted, in hexadecimal digits.

    >>> digest("{}")[:16]
    '44136fa355b3678a'
    """
    return sha256(text.encode()).hexdigest()


PARTS: Final = ("said", "note")  # What is kept beside a body, and may be deleted


@dataclass(frozen=True)
class Line:
    number: int  # its place in the log, from 1
    body: str  # what the hash covers, as JSON in canonical form
    hash: str  # of the body, in hexadecimal digits
    said: str | None = None  # the answer, as sealed JSON; None also where it was deleted
    note: str | None = None  # what else may be personal, such as a comment; None as for `said`

    def write(self) -> str:
        whole: dict[str, Any] = {"body": json.loads(self.body), "hash": self.hash}
        sealed = {name: getattr(self, name) for name in PARTS}
        whole |= {name: json.loads(text) for name, text in sealed.items() if text is not None}
        return canonical(whole)


def read_line(text: str, number: int) -> Line:
    r"""Read a line of a file; whatever was not written by `Line.write` is refused."""
    whole = read_canonical(text) or {}
    parts = {name: whole.get(name) for name in ("body", *PARTS)}
    sound = isinstance(whole.get("hash"), str) and not set(whole) - {"hash", *parts}
    sound = sound and isinstance(parts["body"], dict)
    if not (sound and all(one is None or isinstance(one, dict) for one in parts.values())):
        raise UnknownFormat("it is not as it was written")
    texts = {name: None if one is None else canonical(one) for name, one in parts.items()}
    return Line(number, texts["body"] or "", whole["hash"], texts["said"], texts["note"])


# Kinds of records that hold an answer; all others are events
JUDGMENTS: Final = ("judgment", "revision")


@dataclass(frozen=True)
class Record:
    number: int  # its place in the log, from 1
    # judgment, revision, undo, submit (of the document of which the ticket is the last), skip (an
    # LLM gave no answer), attempt (an LLM's reply that was no answer, before it is asked again), or
    # an event: launch, pause, resume, invite, enter, consent, issue, leave, revoke, join, forget
    kind: str
    at: int  # when, in milliseconds since 1970, by a clock that never goes back
    judge: str  # the pseudonym whom it concerns, "" for nobody
    hash: str  # of this record and all before it
    ticket: Ticket | None = None  # what was asked, with the systems in the order shown
    answer: Mapping[str, Any] | None = field(default=None, hash=False)  # as `Answer.to_dict`
    comment: str = ""
    seconds: float | None = None  # that the judge took by their own clock
    served: int | None = None  # when the ticket was served
    key: str = ""  # what the page called this answer; the same answer sent twice has the same key
    replaces: int | None = None  # the record that does not stand any more because of this one
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what else an event says
    erased: bool = False  # whether something of it was deleted on request
    reply: str = ""  # what an LLM wrote, as it came
    # how likely an LLM's outcomes were, and words that are none ("outside")
    probabilities: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def by_llm(self) -> bool:
        return "prompt" in self.facts and self.kind in (*JUDGMENTS, "skip")

    @property
    def began(self) -> float:
        """When the judge began, by the time that they say they took; not before it was served."""
        began = self.at - 1000 * (self.seconds or 0)
        return began if self.served is None else max(began, min(self.served, self.at))


def read_record(line: Line, body: Mapping[str, Any] | None = None) -> Record:
    """Read what a line says; its body need not be parsed again where it was parsed before."""
    body = json.loads(line.body) if body is None else body
    payload = json.loads(line.said) if line.said else {}
    note = json.loads(line.note) if line.note else {}
    ticket = body.get("ticket")
    if ticket is not None:
        ticket = Ticket(**{**ticket, "systems": tuple(ticket["systems"])}, judge=body["judge"])
    return Record(
        number=line.number,
        kind=body["kind"],
        at=body["at"],
        judge=body["judge"],
        hash=line.hash,
        ticket=ticket,
        answer=payload.get("answer"),
        comment=note.get("comment", ""),
        seconds=payload.get("seconds"),
        served=body.get("served"),
        key=body.get("key", ""),
        replaces=body.get("replaces"),
        facts=MappingProxyType(body.get("facts", {})),
        erased=any(name in body and not getattr(line, name) for name in PARTS),
        reply=payload.get("reply", ""),
        probabilities=payload.get("probabilities", {}),
    )


class NotStored(CampaignError):
    """The database took nothing; whoever asked may ask again."""


class Refused(CampaignError):
    """The request cannot be granted; nothing was changed."""


class UnknownLink(Refused):
    """A link that was never given out, or is revoked."""


class NoSuchJudge(Refused):
    """Nobody of this name."""


class Unproven(Refused):
    """A worker who is here already, without the secret of their first visit."""

    def __init__(self, message: str, judge: str) -> None:
        super().__init__(message)
        self.judge = judge


class ShutOut(Refused):
    """The judge was revoked, has left, or was forgotten."""


class Paused(Refused):
    """The campaign is paused."""


class NoPlace(Refused):
    """Everything is in other hands."""


NOT_ASSIGNED: Final = Message(
    "this item is not assigned to you, or was given to another judge: reload the page"
)


class NotYours(Refused):
    """A ticket of somebody else, or one that was not served."""


class AnsweredBefore(Refused):
    """Another answer stands for the ticket."""
