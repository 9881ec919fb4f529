"""A campaign's database: one writer, many readers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Final, Self, TypeVar, TypeVarTuple

from sqlalchemy import Engine, func, select

from evenhand.design.assignment import Assignment, assign
from evenhand.design.campaign import Campaign
from evenhand.design.guarantees import refuse_broken
from evenhand.design.policy import make_policy
from evenhand.errors import CampaignError
from evenhand.web.store import boards, people
from evenhand.web.store.database import (
    Clock,
    WriteConnection,
    connect,
    gather,
    identify_file,
    look,
    migrate,
)
from evenhand.web.store.log import NotStored
from evenhand.web.store.people import Invitation
from evenhand.web.store.queries import Readable, explained, load_campaign
from evenhand.web.store.schema import campaign as state
from evenhand.web.store.schema import leases
from evenhand.web.store.transaction import Assigner, Entry, WriteTransaction
from evenhand.web.store.writer import WalCheckpoint, Writer

T = TypeVar("T")
Args = TypeVarTuple("Args")
_log: Final = logging.getLogger("evenhand")
AHEAD: Final = "-wal"  # End of the name of SQLite's write-ahead log
# Seconds for which a ticket stays with who was served it, if not said otherwise
LEASE: Final = 3600.0


class Store(Readable):
    # What is written goes through one thread (`writer.py`): `write` returns a future that is done
    # after the commit, `soon` is the same for asynchronous callers, and the methods named after
    # what they do wait for it. Everything else reads.

    def __init__(self, engine: Engine, *, clock: Clock, lease: float = LEASE) -> None:
        super().__init__(engine, clock)
        self.lease = int(lease * 1000)
        self._assigner: Assigner | None = None
        self._pen = WriteConnection(engine)
        self._wal_checkpoint = WalCheckpoint(engine)
        self._file = identify_file(engine)
        self._ahead: tuple[int, int] | None = None  # the write-ahead log of the last commit
        # called after each commit, with number and hash of the last record
        self.note_end: Callable[[int, str], None] | None = None
        self._writer = Writer(self._transact, engine.dialect.loaded_dbapi.Error)

    @classmethod
    def open(
        cls, where: str, *, lease: float = LEASE, start: Callable[[int], Clock] = Clock.start_at
    ) -> Self:
        """Open a database, make it where there is none, and bring its tables up to date."""
        # lease: seconds for which a ticket stays with who was served it.
        with explained():
            look(where)
        engine = connect(where)
        try:
            with explained():
                migrate(engine)
                with engine.connect() as connection:
                    columns = (state.c.head_at, leases.c.since)
                    stored = [connection.scalar(select(func.max(one))) for one in columns]
        except CampaignError:
            engine.dispose()
            raise
        return cls(engine, clock=start(max(one or 0 for one in stored)), lease=lease)

    def close(self) -> None:
        """Write what waits, and close the database."""
        self._writer.close()
        self._wal_checkpoint.close()
        self._pen.close()
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, work: Callable[[WriteTransaction], T]) -> Future[T]:
        return self._writer.submit(work)

    async def soon(self, work: Callable[[WriteTransaction], T]) -> T:
        return await self._writer.soon(work)

    def do(self, work: Callable[[WriteTransaction, *Args], T], *args: *Args) -> T:
        return self.write(lambda tx: work(tx, *args)).result()

    def _transact(self, work: Callable[[WriteTransaction], None]) -> None:
        if self._file is not None and identify_file(self.engine) != self._file:
            raise NotStored("the file of the database was moved, deleted or emptied: put it back")
        if self._ahead is not None and identify_file(self.engine, AHEAD) != self._ahead:
            self._rescue()
        with self._pen.begin() as connection:
            if self._campaign is None:
                self._campaign = load_campaign(connection)
            with gather(connection):
                tx = WriteTransaction(
                    connection, self._campaign, now=self.clock.now(), lease=self.lease
                )
                if self._assigner is None and self._campaign and self._campaign.design.policy:
                    from evenhand.web.store.policy import PolicyAssigner

                    self._assigner = PolicyAssigner(self._campaign)
                tx.assigner = self._assigner
                work(tx)
                tx.close()
        self._ahead = identify_file(self.engine, AHEAD)
        if self.note_end is not None:
            self.note_end(*tx.head)
        if self._assigner is not None:
            self._assigner.commit()

    def _rescue(self) -> None:
        # The connection that wrote it has it open still; a commit after it would be lost with it.
        # Connections that are opened later make a new one.
        _log.warning("evenhand: %s%s was moved or deleted", self.engine.url.database, AHEAD)
        if self._pen.checkpoint():
            raise NotStored(
                f"the file {AHEAD} of the database was moved or deleted: end the server"
            )
        self._ahead = None
        self.engine.dispose()

    def launch(self, campaign: Campaign, assignment: Assignment | None = None) -> bool:
        stored = self.find_campaign()
        if stored is None:
            make_policy(campaign)
            if assignment is not None and assignment.campaign.digest != campaign.digest:
                raise CampaignError("the tickets are those of another campaign: assign again")
            tickets = assign(campaign.with_seed()) if assignment is None else assignment
            if tickets.campaign.seed is None:  # name the seed that they were drawn with
                seed = tickets.campaign.drawing_seed
                tickets = replace(tickets, campaign=replace(tickets.campaign, seed=seed))
            refuse_broken(tickets)
            if self.do(people.launch, tickets.campaign, tickets):
                self._campaign = tickets.campaign
                self.checkpoint()
                return True
            stored = self.campaign
        if not campaign.fits(stored):
            raise CampaignError(
                f"the database holds campaign '{stored.name}', which began with a file that said"
                " something else: put back the file as it was then, or choose a new database"
                " (--database) for another campaign"
            )
        return False

    def pause(self) -> None:
        """Serve nothing until `resume`; answers to what was served are still taken."""
        self.do(lambda tx: _halt(tx, paused=True))

    def resume(self) -> None:
        self.do(lambda tx: _halt(tx, paused=False))

    def invite(self, judge: str, *, seat: str = "", note: str = "") -> Invitation:
        return self.do(lambda tx: people.invite(tx, judge, seat=seat, note=note))

    def vacancies(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.judges() if one.state == "vacant")

    def revoke(self, judge: str) -> None:
        self.do(people.revoke, judge)

    def join(self, judge: str, person: str) -> None:
        self.do(people.join, judge, person)

    def forget(self, judge: str, *, answers: bool = False) -> tuple[str, ...]:
        """Delete what is known of a person, also from the write-ahead log."""
        # While somebody reads, the write-ahead log cannot be emptied: then `emptied` is False until
        # that is done.
        if answers and self.find_campaign() is not None:
            with self.reading() as connection:
                made = boards.count_ahead(connection, self.campaign)
            self.do(boards.save_boards, made)
        names = self.do(lambda tx: boards.forget(tx, judge, answers=answers))
        self._wal_checkpoint.begin()
        return names

    def checkpoint(self) -> None:
        """Bring what is written into a SQLite file itself, as soon as nobody reads."""
        # A copy of the file alone lacks what lies in the write-ahead log beside it.
        self._wal_checkpoint.begin()

    @property
    def emptied(self) -> bool:
        """Whether what was deleted is gone from the file, too."""
        return self._wal_checkpoint.done


def _halt(tx: WriteTransaction, *, paused: bool) -> None:
    if tx.campaign and tx.paused != paused:
        tx.paused = paused
        tx.write(Entry("pause" if paused else "resume"))
