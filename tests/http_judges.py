"""Judges who answer over HTTP as a page does: what was not acknowledged is sent again."""

import http.client
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from evenhand.web.store.audit import check_store
from evenhand.web.store.log import Record
from evenhand.web.store.store import Store
from stored_campaigns import list_judgments
from waiting import LONG

FAULTS = (OSError, http.client.HTTPException)
"""What a connection to a server that is killed may end with."""


@dataclass(frozen=True)
class Told:
    """What a server said."""

    status: int
    body: str

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Line:
    """A connection that is kept open, and opened again."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: http.client.HTTPConnection | None = None

    def ask(self, path: str, sent: object = None, accept: str = "application/json") -> Told:
        """Send a request; a fault of the connection is raised, and the next one is a new one."""
        headers = {"Accept": accept, "Content-Type": "application/json"}
        body = None if sent is None else json.dumps(sent)
        if self._open is None:
            self._open = http.client.HTTPConnection("127.0.0.1", self._port, timeout=LONG)
        try:
            self._open.request("GET" if sent is None else "POST", path, body, headers)
            found = self._open.getresponse()
            return Told(found.status, found.read().decode())
        except FAULTS:
            self.close()
            raise

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


class Judges:
    """Judges who answer all that they are asked, each with the link that they were given once.

    Attributes:
        stored: ticket and key → hash of the record, of every answer that was acknowledged.
        doubled: answers that were sent again after they had been acknowledged.
        refused: how often a server said that it cannot store anything now.
        broken: how often a connection broke.
        wrong: whatever else a server said.
        done: judges who have answered all.

    """

    def __init__(self, port: int, tokens: Sequence[str]) -> None:
        self._port, self._tokens = port, tokens
        self.stored: dict[tuple[str, str], str] = {}
        self.doubled = self.refused = self.broken = self.done = 0
        self.wrong: list[Told] = []
        self._bell, self._end = threading.Condition(), threading.Event()
        self._threads = [threading.Thread(target=self._judge, args=(one,)) for one in tokens]

    def wait_for(self, stored: int) -> None:
        """Wait until so many answers were acknowledged."""
        with self._bell:
            reached = self._bell.wait_for(
                lambda: len(self.stored) >= stored or self.wrong or self.done, LONG
            )
            assert reached, f"{len(self.stored)} of {stored} were acknowledged"

    def start(self) -> None:
        for one in self._threads:
            one.start()

    def end(self) -> None:
        self._end.set()
        for one in self._threads:
            one.join(LONG)

    def _judge(self, token: str) -> None:
        line = Line(self._port)
        state = self._insist(line, f"/j/{token}/item")
        while state is not None and state["state"] == "item":
            sent = {"ticket": state["ticket"], "key": state["key"], "answer": {"outcome": "left"}}
            told = self._insist(line, f"/j/{token}/answer", sent)
            if told is None:
                break
            self._note(sent, told["receipt"])
            if int(told["receipt"], 16) % 10 == 0:  # a page that did not hear it
                again = self._insist(line, f"/j/{token}/answer", sent)
                if again is not None:
                    self.doubled += 1
                    self._note(sent, again["receipt"])
            state = told["next"]
        if state is not None and state["state"] == "done":
            self.done += 1
        line.close()

    def _note(self, sent: dict[str, Any], record: str) -> None:
        with self._bell:
            before = self.stored.setdefault((sent["ticket"], sent["key"]), record)
            assert before == record
            self._bell.notify_all()

    def _insist(self, line: Line, path: str, sent: object = None) -> Any:
        """Send until it is answered; None at the end."""
        while not self._end.is_set():
            try:
                told = line.ask(path, sent)
            except FAULTS:
                self.broken += 1
                time.sleep(0.01)
                continue
            if told.status == 200:
                return told.json
            if told.status not in (429, 503):
                with self._bell:
                    self.wrong.append(told)
                    self._bell.notify_all()
                return None
            self.refused += told.status == 503
            time.sleep(0.05)
        return None


def fetch(port: int, path: str, sent: object = None, accept: str = "application/json") -> Told:
    """Send one request on a connection of its own."""
    line = Line(port)
    try:
        return line.ask(path, sent, accept)
    finally:
        line.close()


@contextmanager
def run_judges(port: int, tokens: Sequence[str]) -> Iterator[Judges]:
    """Let judges answer while a test does its worst."""
    judges = Judges(port, tokens)
    judges.start()
    try:
        yield judges
    finally:
        judges.end()


def check_stored(where: str, stored: dict[tuple[str, str], str]) -> list[Record]:
    """Every acknowledged answer is there, once, under the hash that was told; the log holds."""
    with Store.open(where) as store:
        kept = [one for one in store.records() if one.kind == "judgment"]
        assert check_store(store).holds
        assert len(list(list_judgments(store))) == len(kept)
        known = {
            (store.name_ticket(one.judge, one.ticket.number), one.key): one.hash
            for one in kept
            if one.ticket
        }
    lost = [one for one, record in stored.items() if known.get(one) != record]
    assert lost == []
    numbers = {one.ticket.number for one in kept if one.ticket}
    assert len(numbers) == len(kept), "a ticket was answered twice"
    return kept
