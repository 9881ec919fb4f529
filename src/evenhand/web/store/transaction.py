"""One transaction: the end of the log is held, records are put behind it.

Whoever writes holds the one row of `campaign` until the commit, so that several servers on one
database write one chain. Times in the log never go back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, UpdateBase, bindparam, select, update

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Choice, Ticket
from evenhand.errors import CampaignError
from evenhand.web.store import schema
from evenhand.web.store.log import (
    GENESIS,
    Line,
    Record,
    canonical,
    digest,
    draw_salt,
    read_record,
    seal,
)
from evenhand.web.store.schema import Prepared, fill

_STATE = schema.campaign
_ENDS: Final = ("paused", "tickets", "head_number", "head_hash", "head_at")
_HOLD: Final = Prepared(select(*(_STATE.c[name] for name in _ENDS)).with_for_update())
_MOVE: Final = Prepared(update(_STATE).values({name: bindparam(name) for name in _ENDS}))
_ADD: Final = fill(schema.log)


@dataclass(frozen=True)
class Entry:
    kind: str  # see `Record`
    judge: str = ""
    ticket: Ticket | None = None
    fields: Mapping[str, Any] | None = None  # what else the hash covers: key, served, facts, ...
    said: Mapping[str, Any] | None = None  # the answer; kept beside the chain
    note: Mapping[str, Any] | None = None  # what else may be personal; kept beside the chain


@dataclass(frozen=True)
class AssignedPair:
    item: str
    systems: tuple[str, str]  # in the order shown
    chosen: Choice
    instead: tuple[int, ...] = ()  # tickets of the same pair and item that others let lie: emptied


class WriteTransaction:
    def __init__(
        self, connection: Connection, campaign: Campaign | None, *, now: int, lease: int
    ) -> None:
        self.connection, self._campaign, self.lease = connection, campaign, lease
        self._kind = connection.dialect.name
        self._driver: Any = connection.connection.driver_connection
        self._ahead: dict[tuple[Any, ...], Any] = {}
        self._keeps = False
        state = self.ask(_HOLD, {})
        self.launched = state is not None
        self.paused: bool = state.paused if state else False
        self.tickets: int = state.tickets if state else 0
        self._number: int = state.head_number if state else 0
        self._hash: str = state.head_hash if state else GENESIS
        self.now = max(now, state.head_at if state else 0)
        self.changes = 0
        # chooses what whoever has a seat is asked; None where nothing is left for them
        self.assign: Callable[[WriteTransaction, str], AssignedPair | None] = lambda *_: None
        self._state = (self.paused, self.tickets, self._number)

    @property
    def campaign(self) -> Campaign:
        if self._campaign is None:
            raise CampaignError("no campaign was launched in this database: launch one first")
        return self._campaign

    @property
    def head(self) -> tuple[int, str]:
        return self._number, self._hash

    def begin(self, campaign: Campaign) -> None:
        self._campaign, self.launched = campaign, True

    @property
    def is_remote(self) -> bool:
        return self._kind == "postgresql"

    def prefetch(self, question: Prepared, many: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Ask what will be asked, all at once; each answer is used once, unless it is forgotten."""
        rows = question.ask_each(self._driver, self._kind, many)
        for values, row in zip(many, rows, strict=True):
            self._ahead[question, *values.items()] = row
        return rows

    @contextmanager
    def keep_prefetched(self) -> Iterator[None]:
        """Let what is written in this block leave true what was asked ahead."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False

    def ask(self, question: Prepared, values: Mapping[str, Any]) -> Any:
        if self._ahead and (key := (question, *values.items())) in self._ahead:
            return self._ahead.pop(key)
        return question.ask(self._driver, self._kind, values)

    def ask_all(self, question: Prepared, values: Mapping[str, Any]) -> list[Any]:
        return question.ask_all(self._driver, self._kind, values)

    def change(self, order: Prepared, values: Mapping[str, Any]) -> None:
        """Write; what was asked ahead is forgotten where it may not be true any more."""
        self.changes += 1
        if not self._keeps:
            self._ahead.clear()
        order.run(self._driver, self._kind, values)

    def pick(self, question: Select[Any]) -> list[Any]:
        return Prepared(question).ask_all(self._driver, self._kind, {})

    def run(self, order: UpdateBase) -> None:
        self.change(Prepared(order), {})

    def load(self, order: Prepared, rows: Sequence[Mapping[str, Any]]) -> None:
        self.changes += 1
        self._ahead.clear()
        order.run_many(self._driver, self._kind, rows)

    def write(self, entry: Entry) -> Record:
        number = self._number + 1
        body: dict[str, Any] = {"before": self._hash, "number": number, "kind": entry.kind}
        body |= {"at": self.now, "judge": entry.judge, **(entry.fields or {})}
        if entry.ticket is not None:
            body["ticket"] = entry.ticket.to_dict()
            del body["ticket"]["judge"]
        parts = {"said": entry.said, "note": entry.note}
        sealed = {name: seal(part) for name, part in parts.items() if part is not None}
        body |= {name: digest(text) for name, text in sealed.items()}
        if not sealed:  # what is sealed has a salt: no name can be tried against a published head
            body["salt"] = draw_salt()
        text = canonical(body)
        line = Line(number, text, digest(text), **sealed)
        columns: dict[str, Any] = {"kind": entry.kind, "judge": entry.judge}
        columns["ticket"] = entry.ticket.number if entry.ticket else None
        columns |= {name: body.get(name) for name in ("key", "replaces")}
        self.change(_ADD, {**columns, **vars(line)})
        self._number, self._hash = number, line.hash
        return read_record(line)

    def close(self) -> None:
        if (self.paused, self.tickets, self._number) == self._state:
            return
        values = {"paused": self.paused, "tickets": self.tickets, "head_at": self.now}
        values |= {"head_number": self._number, "head_hash": self._hash}
        self.change(_MOVE, values)
