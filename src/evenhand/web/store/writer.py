"""The thread that writes: whatever waits is committed together, then acknowledged.

A commit waits for the disk, some milliseconds; while it does, other requests gather and share the
next one (group commit: DeWitt et al. 1984). Nobody is answered before the commit that holds what
they asked for.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from evenhand.errors import EvenhandError
from evenhand.web.store.judging import prefetch_answers
from evenhand.web.store.log import NotStored
from evenhand.web.store.transaction import WriteTransaction

AGAIN: Final = 1.0  # Seconds until it is tried again


class WalCheckpoint:
    """The write-ahead log of a SQLite file is emptied, so that nothing deleted stays in it."""

    # While somebody reads, such as a download, that cannot be done. Nobody waits for it: whoever
    # wants to answer would wait, too. It is tried again each second, until it is done or the store
    # is closed, which does it as well.

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._here = engine.dialect.name == "sqlite"
        self._turn = threading.Lock()
        self._done, self._closed = threading.Event(), threading.Event()
        self._done.set()

    @property
    def done(self) -> bool:
        return self._done.is_set()

    def begin(self) -> None:
        if not self._here:
            return
        with self._turn:
            if self._empty():
                self._done.set()
                return
            if self._done.is_set():
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
                    self._done.set()
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
                return not busy
            finally:
                raw.close()
        return False


T = TypeVar("T")
MAX_BATCH: Final = 256  # Most requests in one transaction


@dataclass(frozen=True, eq=False)
class _Job:
    work: Callable[[WriteTransaction], Any]
    future: Future[Any] | asyncio.Future[Any]

    def begin(self) -> bool:
        if isinstance(self.future, Future):
            return self.future.set_running_or_notify_cancel()
        return not self.future.cancelled()


_Told = tuple[_Job, Any, BaseException | None]  # A request, what came of it, or why nothing did


class _Outcome:
    """Whatever was raised, for those who wait: the thread goes on."""

    fault: BaseException | None = None

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: object
    ) -> bool:
        self.fault = fault
        return True


class Writer:
    def __init__(
        self,
        transact: Callable[[Callable[[WriteTransaction], None]], None],
        faults: type[Exception],
    ) -> None:
        self.transact, self.faults = transact, faults
        self._waiting: deque[_Job] = deque()
        self._bell = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._run, name="evenhand writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[WriteTransaction], T]) -> Future[T]:
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

        outcome = _Outcome()
        with outcome:
            self.transact(work)
        if outcome.fault is not None:
            if begun and not last:
                return False
            why = outcome.fault
            answers = [(one, None, self._explain(why)) for one in batch]
        _tell(answers)
        return True

    def _explain(self, fault: BaseException) -> BaseException:
        if not isinstance(fault, SQLAlchemyError | self.faults):
            return fault
        message = str(fault.orig) if isinstance(fault, DBAPIError) else str(fault)
        reason = message.splitlines()[0] if message else "no reason"
        error = NotStored(f"the database did not save anything: {reason}")
        error.__cause__ = fault
        return error


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
