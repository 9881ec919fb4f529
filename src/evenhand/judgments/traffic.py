"""What came over the network of files that lie elsewhere: a part of what `--explain` prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock


class Traffic:
    """What came of some files.

    size: bytes of all of them; 0 where that was not told.
    came: bytes that came.
    """

    def __init__(self, name: str, *, files: int, size: int, copied: bool = False) -> None:
        self.name, self.files, self.size, self.copied = name, files, size, copied
        self.requests, self.came = 0, 0
        self._lock = Lock()

    def add(self, n: int) -> None:
        """Add one request and the bytes that it brought; engines ask from several threads."""
        with self._lock:
            self.requests += 1
            self.came += n


_ACCOUNT: ContextVar[list[Traffic] | None] = ContextVar("evenhand_traffic", default=None)


@contextmanager
def watch_traffic() -> Iterator[list[Traffic]]:
    """Keep account of what comes from elsewhere while the context lasts.

    >>> with watch_traffic() as account:
    ...     note_traffic(Traffic("s3://bucket/votes.csv", files=1, size=12))
    >>> account[0].came
    0
    """
    account: list[Traffic] = []
    before = _ACCOUNT.set(account)
    try:
        yield account
    finally:
        _ACCOUNT.reset(before)


def note_traffic(traffic: Traffic) -> None:
    """Have what comes of some files told, if an account is kept."""
    account = _ACCOUNT.get()
    if account is not None:
        account.append(traffic)
