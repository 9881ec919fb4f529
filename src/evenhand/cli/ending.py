"""A command that reads files elsewhere ends orderly when it is told to end: copies are removed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

# Signals that would end a process at once
TOLD: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)
SIGNALLED: Final = 128  # What a shell adds to the number of a signal that ended a command


@contextmanager
def end_orderly() -> Iterator[None]:
    """Take SIGTERM and SIGHUP as an interrupt, and exit with 128 and their number.

    What ignores one of them (nohup) goes on ignoring it, and commands with handlers of their own
    set those later. The second time a signal ends the process at once.
    """
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as signals call it
        for one in before:
            signal.signal(one, signal.SIG_DFL if one == number else signal.SIG_IGN)
        asked.append(number)
        raise KeyboardInterrupt

    before = [one for one in TOLD if signal.getsignal(one) == signal.SIG_DFL]
    for one in before:
        signal.signal(one, stop)
    try:
        yield
    except SystemExit:
        if asked:
            raise SystemExit(SIGNALLED + asked[0]) from None
        raise
    finally:
        for one in before:
            signal.signal(one, signal.SIG_DFL)
