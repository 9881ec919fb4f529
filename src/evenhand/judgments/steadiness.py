"""Files that are read where they lie, elsewhere: are they still what they were?

Whoever asks for parts of a file while somebody overwrites it gets a mixture of two files, and no
part says so. So each file of which parts came is looked at once more when a query has ended.
"""

from __future__ import annotations

from threading import Lock
from typing import Final, Protocol
from weakref import WeakSet


class ReadThere(Protocol):
    """Files that are read where they lie."""

    def check(self) -> None:
        """Refuse files of which parts came since the last check and that were changed."""


_OPEN: Final[WeakSet[ReadThere]] = WeakSet()
_LOCK: Final = Lock()


def watch_files(files: ReadThere) -> None:
    """Have files checked at the end of each query, as long as they are held."""
    with _LOCK:
        _OPEN.add(files)


def check_files() -> None:
    """Refuse an answer if a file of which parts came was changed meanwhile."""
    with _LOCK:
        files = list(_OPEN)
    for one in files:
        one.check()
