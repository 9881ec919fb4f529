"""One thread that writes: whatever waits is committed together, then acknowledged.

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

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from evenhand.errors import EvenhandError
from evenhand.web.store.ahead import look_ahead
from evenhand.web.store.desk import Desk
from evenhand.web.store.refusals import NotStored

T = TypeVar("T")
MOST: Final = 256  # Most requests in one transaction


@dataclass(frozen=True, eq=False)
class _Job:
    """A request and who waits for it: a thread, or something in an event loop."""

    work: Callable[[Desk], Any]
    told: Future[Any] | asyncio.Future[Any]

    def begin(self) -> bool:
        """Say whether somebody waits still."""
        if isinstance(self.told, Future):
            return self.told.set_running_or_notify_cancel()
        return not self.told.cancelled()


_Told = tuple[_Job, Any, BaseException | None]  # A request, what came of it, or why nothing did


class _Outcome:
    """Whatever was raised, for those who wait: the thread goes on."""

    fault: BaseException | None = None

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: object
    ) -> bool:
        """Keep what was raised."""
        self.fault = fault
        return True


class Writer:
    """The thread that writes."""

    def __init__(
        self, transact: Callable[[Callable[[Desk], None]], None], faults: type[Exception]
    ) -> None:
        """Start the thread."""
        self.transact, self.faults = transact, faults
        self._waiting: deque[_Job] = deque()
        self._bell = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._run, name="evenhand writer", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[Desk], T]) -> Future[T]:
        """Queue a request; its result comes after the commit."""
        told: Future[T] = Future()
        self._queue(_Job(work, told))
        return told

    def soon(self, work: Callable[[Desk], T]) -> asyncio.Future[T]:
        """Queue a request of the event loop that runs; its result comes after the commit."""
        told: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue(_Job(work, told))
        return told

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
        """Write batch by batch."""
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
            return [self._waiting.popleft() for _ in range(min(MOST, len(self._waiting)))]

    def _write(self, batch: list[_Job], *, last: bool = False) -> bool:
        """Write a batch in one transaction, or nothing of it; say whether all were told.

        Of a batch that could not be written each request is tried alone, so that one that the
        database refuses takes no other with it; unless none of them was looked at, since the
        database is gone or locked: to try each would only keep them waiting.
        """
        answers: list[_Told] = []
        begun = False

        def work(desk: Desk) -> None:
            nonlocal begun
            begun = True
            look_ahead(desk, [one.work for one in batch])
            for one in batch:
                before = desk.changes
                try:
                    answers.append((one, one.work(desk), None))
                except EvenhandError as refusal:
                    if desk.changes != before:  # half of it was written
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
        """Say what a fault means to who asked."""
        if not isinstance(fault, SQLAlchemyError | self.faults):
            return fault
        said = str(fault.orig) if isinstance(fault, DBAPIError) else str(fault)
        reason = said.splitlines()[0] if said else "no reason"
        told = NotStored(f"the database took nothing: {reason}")
        told.__cause__ = fault
        return told


def _tell(answers: list[_Told]) -> None:
    """Tell whoever waits; an event loop is woken once for all of a batch."""
    loops: dict[asyncio.AbstractEventLoop, list[_Told]] = {}
    for one in answers:
        if isinstance(one[0].told, Future):
            _settle([one])
        else:
            loops.setdefault(one[0].told.get_loop(), []).append(one)
    for loop, some in loops.items():
        with suppress(RuntimeError):  # it was closed: nobody waits there any more
            loop.call_soon_threadsafe(_settle, some)


def _settle(answers: list[_Told]) -> None:
    """Hand over what came of requests, but to those who have gone since."""
    for job, answer, fault in answers:
        if job.told.cancelled():
            continue
        if fault is None:
            job.told.set_result(answer)
        else:
            job.told.set_exception(fault)
