"""A campaign's database: one writer, many readers.

A commit waits for the disk, some milliseconds; while it does, other requests gather and share the
next one (group commit: DeWitt et al. 1984). Nobody is answered before the commit that holds what
they asked for.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar, TypeVarTuple

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from evenhand.design.assignment import assign
from evenhand.design.campaign import Campaign
from evenhand.design.guarantees import refuse_broken
from evenhand.design.policy import make_policy
from evenhand.errors import CampaignError, EvenhandError, Outcome, listing
from evenhand.formats.file_heads import show_address
from evenhand.web.store import boards, database, people
from evenhand.web.store.database import Entry, WriteTransaction
from evenhand.web.store.judging import prefetch_answers
from evenhand.web.store.log import NotStored
from evenhand.web.store.people import Invitation
from evenhand.web.store.queries import Readable, explained, load_campaign
from evenhand.web.store.schema import campaign as state
from evenhand.web.store.schema import leases

if TYPE_CHECKING:
    from evenhand.web.store.policy import PolicyAssigner

T = TypeVar("T")
Args = TypeVarTuple("Args")
_log: Final = logging.getLogger("evenhand")
AHEAD: Final = "-wal"  # End of the name of SQLite's write-ahead log
# Seconds for which a ticket stays with who was served it, if not said otherwise
LEASE: Final = 3600.0
AGAIN: Final = 1.0  # Seconds until it is tried again


class WalCheckpoint:
    """The write-ahead log of a SQLite file is emptied, so that nothing deleted stays in it."""

    # While somebody reads, such as a download, that cannot be done. Nobody waits for it: whoever
    # wants to answer would wait, too. It is tried again each second, until it is done or the store
    # is closed, which does it as well.

    def __init__(self, engine: Engine) -> None:
        self._engine, self._here = engine, engine.dialect.name == "sqlite"
        self._turn = threading.Lock()
        self._done, self._closed = threading.Event(), threading.Event()
        self._done.set()

    @property
    def done(self) -> bool:
        """Whether nothing that was deleted lies in the file."""
        return self._done.is_set()

    def begin(self) -> None:
        """Empty it now, or as soon as nobody reads."""
        if not self._here:
            return
        with self._turn:
            if not self._empty() and self._done.is_set():
                self._done.clear()
                threading.Thread(target=self._try, name="evenhand emptying", daemon=True).start()

    def close(self) -> None:
        """Try a last time: somebody else may have the file open, and not close it."""
        self._closed.set()
        if self._here:
            with self._turn:
                self._empty()

    def _try(self) -> None:
        while not self._closed.wait(AGAIN):
            with self._turn:
                if self._empty():
                    return

    def _empty(self) -> bool:
        """Say whether it could be done without waiting; a full disk may have room later."""
        with suppress(SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error):
            raw = self._engine.raw_connection()
            try:
                cursor = raw.cursor()
                before = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
                cursor.execute("PRAGMA busy_timeout=0")
                try:
                    busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                finally:
                    cursor.execute(f"PRAGMA busy_timeout={before}")
                if not busy:
                    self._done.set()
                return not busy
            finally:
                raw.close()
        return False


MAX_BATCH: Final = 256  # Most requests in one transaction
Transact = Callable[[Callable[[WriteTransaction], None]], None]


@dataclass(frozen=True, eq=False)
class _Job:
    work: Callable[[WriteTransaction], Any]
    future: Future[Any] | asyncio.Future[Any]

    def begin(self) -> bool:
        """Say whether somebody waits still."""
        if isinstance(self.future, Future):
            return self.future.set_running_or_notify_cancel()
        return not self.future.cancelled()


_Told = tuple[_Job, Any, BaseException | None]  # A request, what came of it, or why nothing did


class Writer:
    def __init__(self, transact: Transact, faults: type[Exception]) -> None:
        self.transact, self.faults = transact, faults
        self._waiting: deque[_Job] = deque()
        self._bell = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._run, name="evenhand writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def submit(self, work: Callable[[WriteTransaction], T]) -> Future[T]:
        """Queue a request; its result comes after the commit."""
        future: Future[T] = Future()
        self._queue(_Job(work, future))
        return future

    def soon(self, work: Callable[[WriteTransaction], T]) -> asyncio.Future[T]:
        """Queue a request of the event loop that runs; its result comes after the commit."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue(_Job(work, future))
        return future

    def _queue(self, job: _Job) -> None:
        with self._bell:
            if not self._open:
                raise NotStored("the store was closed: nothing was stored")
            self._waiting.append(job)
            self._bell.notify()

    def close(self) -> None:
        """Write what waits, and end."""
        with self._bell:
            self._open = False
            self._bell.notify()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._take():
            wanted = [one for one in batch if one.begin()]
            if not self._write(wanted):
                for one in wanted:
                    self._write([one], last=True)

    def _take(self) -> list[_Job]:
        """Wait for requests; none are left when the store is closed."""
        with self._bell:
            while self._open and not self._waiting:
                self._bell.wait()
            return [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]

    def _write(self, batch: list[_Job], *, last: bool = False) -> bool:
        """Write a batch in one transaction, or nothing of it; say whether all were told."""
        # Of a batch that could not be written each request is tried alone, so that one that the
        # database refuses takes no other with it; unless none of them was looked at, since the
        # database is gone or locked: to try each would only keep them waiting.
        answers: list[_Told] = []
        begun = False

        def work(tx: WriteTransaction) -> None:
            nonlocal begun
            begun = True
            prefetch_answers(tx, [one.work for one in batch])
            for one in batch:
                before = tx.changes
                try:
                    answers.append((one, one.work(tx), None))
                except EvenhandError as refusal:
                    if tx.changes != before:  # half of it was written
                        raise
                    answers.append((one, None, refusal))

        with Outcome() as outcome:
            self.transact(work)
        if outcome.fault is not None:
            if begun and not last:
                return False
            fault = outcome.fault
            if isinstance(fault, SQLAlchemyError | self.faults):
                message = str(fault.orig) if isinstance(fault, DBAPIError) else str(fault)
                reason = message.splitlines()[0] if message else "no reason"
                fault = NotStored(f"the database did not save anything: {reason}")
                fault.__cause__ = outcome.fault
            answers = [(one, None, fault) for one in batch]
        _tell(answers)
        return True


def _tell(answers: list[_Told]) -> None:
    """Tell whoever waits; an event loop is woken once for all of a batch."""
    loops: dict[asyncio.AbstractEventLoop, list[_Told]] = {}
    for one in answers:
        if isinstance(one[0].future, Future):
            _settle([one])
        else:
            loops.setdefault(one[0].future.get_loop(), []).append(one)
    for loop, some in loops.items():
        with suppress(RuntimeError):  # it was closed: nobody waits there any more
            loop.call_soon_threadsafe(_settle, some)


def _settle(answers: list[_Told]) -> None:
    """Hand over what came of requests, but to those who have gone since."""
    for job, answer, fault in answers:
        if job.future.cancelled():
            continue
        if fault is None:
            job.future.set_result(answer)
        else:
            job.future.set_exception(fault)


class Store(Readable):
    # What is written goes through one thread (`Writer`): `write` returns a future that is done
    # after the commit, `soon` is the same for asynchronous callers, and the methods named after
    # what they do wait for it. Everything else reads.

    def __init__(self, engine: Engine, *, clock: database.Clock, lease: float = LEASE) -> None:
        super().__init__(engine, clock)
        self.lease = int(lease * 1000)
        self._assigner: PolicyAssigner | None = None
        self._pen = database.WriteConnection(engine)
        self._wal_checkpoint = WalCheckpoint(engine)
        self._file = database.identify_file(engine)
        self._ahead: tuple[int, int] | None = None  # the write-ahead log of the last commit
        # called after each commit, with number and hash of the last record
        self.note_end: Callable[[int, str], None] | None = None
        self._writer = Writer(self._transact, engine.dialect.loaded_dbapi.Error)

    @classmethod
    def open(
        cls,
        where: str,
        *,
        lease: float = LEASE,
        start: Callable[[int], database.Clock] = database.Clock.start_at,
    ) -> Self:
        """Open a database, make it where there is none, and bring its tables up to date."""
        # lease: seconds for which a ticket stays with who was served it.
        name = show_address(where) if "://" in where else where
        with explained(name):
            database.look(where)
        engine = database.connect(where)
        try:
            with explained(name):
                database.migrate(engine)
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
        if self._file is not None and database.identify_file(self.engine) != self._file:
            raise NotStored("the file of the database was moved, deleted or emptied: put it back")
        if self._ahead is not None and database.identify_file(self.engine, AHEAD) != self._ahead:
            _log.warning("evenhand: %s%s was moved or deleted", self.engine.url.database, AHEAD)
            if self._pen.checkpoint():
                gone = f"the file {AHEAD} of the database was moved or deleted"
                raise NotStored(f"{gone}: end the server")
            self._ahead = None
            self.engine.dispose()
        with self._pen.begin() as connection:
            if self._campaign is None:
                self._campaign = load_campaign(connection)
            with database.gather(connection):
                now, lease = self.clock.now(), self.lease
                tx = WriteTransaction(connection, self._campaign, now=now, lease=lease)
                if self._assigner is None and self._campaign and self._campaign.design.policy:
                    from evenhand.web.store.policy import PolicyAssigner

                    self._assigner = PolicyAssigner(self._campaign)
                if self._assigner is not None:
                    tx.assign = self._assigner.assign
                work(tx)
                tx.close()
        self._ahead = database.identify_file(self.engine, AHEAD)
        if self.note_end is not None:
            self.note_end(*tx.head)
        if self._assigner is not None:
            self._assigner.commit()

    def launch(self, campaign: Campaign, plan: str = "") -> bool:
        """Launch a campaign, or take it up; its first record holds the plan of a gate, as TOML."""
        stored = self.find_campaign()
        if stored is None:
            make_policy(campaign)
            tickets = assign(campaign.with_seed())
            refuse_broken(tickets)
            if self.do(people.launch, tickets.campaign, tickets, plan):
                self._campaign = tickets.campaign
                self.checkpoint()
                return True
            stored = self.campaign
        if not campaign.fits(stored):
            changes = campaign.find_changes(stored) or ["the order of systems or severities"]
            remedy = "put back the file as it was then"
            before, now = ({(one.name, one.quota) for one in c.judges} for c in (stored, campaign))
            if before < now and replace(campaign, judges=stored.judges).fits(stored):
                remedy = "take them out, and invite them into free seats on the organiser's page"
            raise CampaignError(
                f"the database holds campaign '{stored.name}', which began with a file that said"
                f" something else ({listing(changes, 4)}): {remedy}, or choose a new database"
                " (--database) for another campaign"
            )
        if plan and plan != self.plan:
            raise CampaignError(
                "the campaign began with another plan of a gate, or with none: leave --plan out, or"
                " choose a new database (--database) for another campaign"
            )
        return False

    def pause(self) -> None:
        """Serve nothing until `resume`; answers to what was served are still taken."""
        self.do(lambda tx: _halt(tx, paused=True))

    def resume(self) -> None:
        self.do(lambda tx: _halt(tx, paused=False))

    def invite(self, judge: str, *, seat: str = "", note: str = "") -> Invitation:
        return self.do(lambda tx: people.invite(tx, judge, seat=seat, note=note))

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
    def waiting(self) -> int:
        """How many requests wait to be written."""
        return self._writer.waiting

    @property
    def emptied(self) -> bool:
        """Whether what was deleted is gone from the file, too."""
        return self._wal_checkpoint.done


def _halt(tx: WriteTransaction, *, paused: bool) -> None:
    if tx.campaign and tx.paused != paused:
        tx.paused = paused
        tx.write(Entry("pause" if paused else "resume"))
