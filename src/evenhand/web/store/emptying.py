"""The write-ahead log of a SQLite file is emptied, so that nothing deleted stays in it.

While somebody reads, such as a download, that cannot be done. Nobody waits for it: whoever wants to
answer would wait, too. It is tried again each second, until it is done or the store is closed,
which does it as well.
"""

from __future__ import annotations

import threading
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

AGAIN: Final = 1.0  # Seconds until it is tried again


class Emptying:
    """What was deleted and may still lie in a file."""

    def __init__(self, engine: Engine) -> None:
        """Have nothing to do."""
        self._engine = engine
        self._here = engine.dialect.name == "sqlite"
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
            if self._empty():
                self._done.set()
                return
            if self._done.is_set():
                self._done.clear()
                threading.Thread(target=self._try, name="evenhand emptying", daemon=True).start()

    def close(self) -> None:
        """Try no more; the last connection that is closed empties it."""
        self._closed.set()

    def _try(self) -> None:
        while not self._closed.wait(AGAIN):
            with self._turn:
                if self._empty():
                    self._done.set()
                    return

    def _empty(self) -> bool:
        """Say whether it could be done without waiting; a full disk may have room later."""
        try:
            return self._checkpoint()
        except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error):
            return False

    def _checkpoint(self) -> bool:
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
