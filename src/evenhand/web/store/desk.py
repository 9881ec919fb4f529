"""One transaction: the end of the log is held, records are put behind it.

Whoever writes holds the one row of `campaign` until the commit, so that several servers on one
database write one chain. Times in the log never go back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Select, UpdateBase, bindparam, select, update

from evenhand.design.campaign import Campaign
from evenhand.design.tasks import Ticket
from evenhand.errors import CampaignError
from evenhand.web.store import schema
from evenhand.web.store.chain import GENESIS, canonical, digest, seal
from evenhand.web.store.line import Line
from evenhand.web.store.prepared import Prepared, fill
from evenhand.web.store.record import Record, read_record

if TYPE_CHECKING:
    from evenhand.web.store.dealer import Dealer

_STATE = schema.campaign
_ENDS: Final = ("paused", "tickets", "head_number", "head_hash", "head_at")
_HOLD: Final = Prepared(select(*(_STATE.c[name] for name in _ENDS)).with_for_update())
_MOVE: Final = Prepared(update(_STATE).values({name: bindparam(name) for name in _ENDS}))
_ADD: Final = fill(schema.log)


@dataclass(frozen=True)
class Entry:
    """What is to be put into the log."""

    kind: str  # see `Record`
    judge: str = ""  # whom it concerns
    ticket: Ticket | None = None  # what was asked
    # what else the hash covers: key, replaces, served, facts
    fields: Mapping[str, Any] | None = None
    said: Mapping[str, Any] | None = None  # the answer; kept beside the chain
    note: Mapping[str, Any] | None = None  # what else may be personal; kept beside the chain


class Desk:
    """A transaction that is being written."""

    def __init__(
        self, connection: Connection, campaign: Campaign | None, *, now: int, lease: int
    ) -> None:
        """Hold the end of the log."""
        self.connection, self._campaign, self.lease = connection, campaign, lease
        self._kind = connection.dialect.name
        self._driver: Any = connection.connection.driver_connection
        self._ahead: dict[tuple[Any, ...], Any] = {}
        self._keeps = False
        held = self.ask(_HOLD, {})
        self.launched = held is not None
        self.paused: bool = held.paused if held else False
        self.tickets: int = held.tickets if held else 0
        self._number: int = held.head_number if held else 0
        self._hash: str = held.head_hash if held else GENESIS
        self.now = max(now, held.head_at if held else 0)
        self.changes = 0
        self.dealer: Dealer | None = None
        self._held = (self.paused, self.tickets, self._number)

    @property
    def campaign(self) -> Campaign:
        """What is asked."""
        if self._campaign is None:
            raise CampaignError("no campaign was launched in this database: launch one first")
        return self._campaign

    @property
    def head(self) -> tuple[int, str]:
        """Number and hash of the last record."""
        return self._number, self._hash

    def begin(self, campaign: Campaign) -> None:
        """Take up the campaign that this transaction launches."""
        self._campaign, self.launched = campaign, True

    @property
    def asks_far(self) -> bool:
        """Whether a question is a way to a server and back."""
        return self._kind == "postgresql"

    def foresee(self, question: Prepared, many: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Ask what will be asked, all at once; each answer is used once, unless it is forgotten."""
        rows = question.ask_each(self._driver, self._kind, many)
        for values, row in zip(many, rows, strict=True):
            self._ahead[question, *values.items()] = row
        return rows

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Let what is written in this block leave true what was asked ahead."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False

    def ask(self, question: Prepared, values: Mapping[str, Any]) -> Any:
        """Return the first row of an answer, None for none."""
        if self._ahead:
            asked = (question, *values.items())
            if asked in self._ahead:
                return self._ahead.pop(asked)
        return question.ask(self._driver, self._kind, values)

    def ask_all(self, question: Prepared, values: Mapping[str, Any]) -> list[Any]:
        """Return all rows of an answer."""
        return question.ask_all(self._driver, self._kind, values)

    def change(self, order: Prepared, values: Mapping[str, Any]) -> None:
        """Write."""
        self._note_change()
        order.run(self._driver, self._kind, values)

    def pick(self, question: Select[Any]) -> list[Any]:
        """Return all rows of an answer to what is asked rarely."""
        return Prepared(question).ask_all(self._driver, self._kind, {})

    def run(self, order: UpdateBase) -> None:
        """Write what is written rarely."""
        self.change(Prepared(order), {})

    def load(self, order: Prepared, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write many rows at once."""
        self._note_change()
        order.run_many(self._driver, self._kind, rows)

    def _note_change(self) -> None:
        self.changes += 1
        if not self._keeps:
            self._ahead.clear()

    def write(self, entry: Entry) -> Record:
        """Put a record behind the last one."""
        number = self._number + 1
        said = None if entry.said is None else seal(entry.said)
        note = None if entry.note is None else seal(entry.note)
        body: dict[str, Any] = {
            "before": self._hash,
            "number": number,
            "kind": entry.kind,
            "at": self.now,
            "judge": entry.judge,
        }
        body.update(entry.fields or {})
        if entry.ticket is not None:
            asked = entry.ticket.to_dict()
            del asked["judge"]
            body["ticket"] = asked
        for name, sealed in (("said", said), ("note", note)):
            if sealed is not None:
                body[name] = digest(sealed)
        text = canonical(body)
        line = Line(number, text, digest(text), said, note)
        columns: dict[str, Any] = {"kind": entry.kind, "judge": entry.judge}
        columns["ticket"] = entry.ticket.number if entry.ticket else None
        columns |= {name: body.get(name) for name in ("key", "replaces")}
        self.change(_ADD, {**columns, **vars(line)})
        self._number, self._hash = number, line.hash
        return read_record(line)

    def close(self) -> None:
        """Write where the log ends now; the commit follows."""
        if (self.paused, self.tickets, self._number) == self._held:
            return
        values = {"paused": self.paused, "tickets": self.tickets, "head_at": self.now}
        values |= {"head_number": self._number, "head_hash": self._hash}
        self.change(_MOVE, values)
