"""The connection by which is written, kept from one commit to the next.

To take one from the pool and to ask whether it is alive costs as much as half an answer, and on
PostgreSQL a way to the server and back. So a connection that was good a moment ago is used again;
after a fault, or after a pause, the pool gives one that is alive.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection, Engine

from evenhand.web.store.engine import WRITE

FRESH: Final = 0.5  # Seconds after a commit for which a connection is taken to be alive


class Pen:
    """Transactions that write, one after the other; not for several threads at a time."""

    def __init__(self, engine: Engine, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Hold no connection yet."""
        self._engine, self._clock = engine, clock
        self._kept: Connection | None = None
        self._until = 0.0

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Give a connection in a transaction: committed at the end, rolled back after a fault."""
        if self._kept is None or self._clock() > self._until:
            self.put_down()
            self._kept = self._engine.connect().execution_options(**WRITE)
        good = False
        try:
            with self._kept.begin():
                yield self._kept
            good = True
        finally:
            if not good:
                self.put_down()
        self._until = self._clock() + FRESH

    def empty_log(self) -> bool:
        """Bring SQLite's write-ahead log into the file, and let the connection go."""
        if self._kept is None:
            self._kept = self._engine.connect().execution_options(**WRITE)
        driver = self._kept.connection.driver_connection
        assert driver is not None
        busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        self.put_down()
        return bool(busy)

    def put_down(self) -> None:
        """Give the connection back."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.close()
