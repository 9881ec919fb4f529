"""Whether the server can do its work: read its database, and write to it.

Anybody may ask, so the database is asked at most once in some seconds, and by one at a time. What
a database says of paths and addresses is for the organiser's terminal.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

from sqlalchemy import select, update
from starlette.concurrency import run_in_threadpool

from evenhand.errors import EvenhandError
from evenhand.web.store.desk import Desk
from evenhand.web.store.schema import campaign
from evenhand.web.store.store import Store

REST: Final = 5.0  # Seconds for which an answer holds
PATIENCE: Final = 3.0  # Seconds for which whoever asks waits
WELL: Final = "well"
TERMINAL: Final = "the terminal of the server says why"
UNREADABLE: Final = f"the database cannot be read: {TERMINAL}"
UNWRITABLE: Final = f"the database cannot be written: {TERMINAL}"
SLOW: Final = "the database does not answer"
_log: Final = logging.getLogger("evenhand")


class Health:
    """What is known of a store, in words."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Know nothing yet."""
        self.store, self._clock = store, clock
        self._until = 0.0
        self._words = WELL
        self._task: asyncio.Task[None] | None = None

    async def ask(self) -> str:
        """Return "well", or what is wrong."""
        if self._task is None:
            if self._clock() < self._until:
                return self._words
            self._task = asyncio.create_task(self._check())
        done, _ = await asyncio.wait({self._task}, timeout=PATIENCE)
        return self._words if done else SLOW

    async def _check(self) -> None:
        """Read and write, and note what came of it."""
        words = UNREADABLE
        try:
            await run_in_threadpool(self._read)
            words = UNWRITABLE
            await self.store.soon(_touch)
            words = WELL
        except EvenhandError as fault:
            if words != self._words:
                _log.warning("evenhand: %s", fault)
        finally:
            self._words, self._until = words, self._clock() + REST
            self._task = None

    def _read(self) -> None:
        with self.store.reading() as connection:
            connection.execute(select(campaign.c.digest)).one()


def _touch(desk: Desk) -> None:
    """Write what stands there already; what changes nothing at all reaches no disk."""
    for step in (1, -1):
        desk.run(update(campaign).values(head_at=campaign.c.head_at + step))
