"""One server for each file of links, so that none is written over while judges come in by it.

The lock is advisory and ends with its process, however that ends. What is locked lies beside the
file of links, which is replaced when it is written, and says where the server listens.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Final

from evenhand.errors import CampaignError

LONGEST: Final = 1000  # Bytes of an address that are read


@contextmanager
def hold_links(links: Path) -> Iterator[Callable[[str], None]]:
    """Hold a file of links, and give what notes the address at which it is served.

    Where no lock can be had, such as on Windows, on a disk without room or in a folder that is only
    read, nothing is held.
    """
    beside = links.with_name(f".{links.name}.lock")
    handle = _take(beside)
    try:
        yield partial(_note, handle)
    finally:
        if handle is not None:
            with suppress(OSError):
                beside.unlink()  # before it is let go: what lies there later is another's
            os.close(handle)


def _take(beside: Path) -> int | None:
    """Open the file and lock it, None where that cannot be done."""
    if sys.platform == "win32":
        return None
    import fcntl

    while True:
        try:
            handle = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(handle, beside):
                os.ftruncate(handle, 0)
                return handle
        except BlockingIOError:
            where = os.read(handle, LONGEST).decode("utf-8", "replace")
            os.close(handle)
            raise CampaignError(
                f"another server of this campaign is running{where and f' at {where}'}: end it"
                " first, or give this one links of its own (--links)"
            ) from None
        except OSError:
            os.close(handle)
            return None
        os.close(handle)  # its server ended, and took it away, after it was opened here


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _note(handle: int | None, address: str) -> None:
    """Write where the server listens, if there is room."""
    if handle is not None:
        with suppress(OSError):
            os.write(handle, address.encode())
