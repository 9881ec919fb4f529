"""`evenhand watch --live` as a process of its own: on a terminal of some size, or in a pipe."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from waiting import LONG

fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_HOME = "\x1b[H"
ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
"""To the screen that is drawn on, and back to the terminal as it was."""


class Watched:
    """A process that watches.

    Attributes:
        process: it.

    """

    def __init__(self, process: subprocess.Popen[bytes], handle: int) -> None:
        self.process, self._handle = process, handle
        self._raw = b""

    @property
    def out(self) -> str:
        """What came so far."""
        return self._raw.decode("utf-8", "ignore")

    def read(self, seconds: float = 0.2) -> bool:
        """Take what has come; say whether more may come."""
        ready, _, _ = select.select([self._handle], [], [], seconds)
        if not ready:
            return True
        try:
            found = os.read(self._handle, 1 << 16)
        except OSError:  # a terminal whose process has ended
            return False
        self._raw += found
        return bool(found)

    def wait_for(self, met: Callable[[Watched], object]) -> None:
        """Read until something is there."""
        ends = time.monotonic() + LONG
        while not met(self):
            assert time.monotonic() < ends, f"it did not come: {self.out[-2000:]}"
            assert self.read() or met(self), f"it has ended: {self.out[-2000:]}"

    @property
    def screen(self) -> list[str]:
        """The lines that were drawn last, without colours."""
        drawn = self.out.rpartition(LEAVE)[0] or self.out
        return [_ESCAPES.sub("", one).rstrip() for one in drawn.split(_HOME)[-1].splitlines()]

    @property
    def lines(self) -> list[str]:
        """The whole lines of a pipe."""
        return self.out.split("\n")[:-1]

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size."""
        _set_size(self._handle, rows, columns)
        self.process.send_signal(signal.SIGWINCH)

    def end(self, how: signal.Signals = signal.SIGINT) -> int:
        """End it, read what it says last, and return its code."""
        self.process.send_signal(how)
        while self.read(LONG):
            pass
        return self.process.wait(LONG)


def _set_size(handle: int, rows: int, columns: int) -> None:
    sizes = (rows, columns, 0, 0)
    packed = b"".join(one.to_bytes(2, sys.byteorder) for one in sizes)
    fcntl.ioctl(handle, termios.TIOCSWINSZ, packed)


@contextmanager
def watch_on_terminal(
    *words: str, folder: Path, size: tuple[int, int] = (24, 80), **variables: str
) -> Iterator[Watched]:
    """Watch on a terminal of so many rows and columns."""
    ours, theirs = os.openpty()
    _set_size(ours, *size)
    with _start(words, folder, theirs, theirs, variables) as process:
        os.close(theirs)
        try:
            yield Watched(process, ours)
        finally:
            process.kill()
            os.close(ours)


@contextmanager
def watch_in_pipe(*words: str, folder: Path, errors: Path | None = None) -> Iterator[Watched]:
    """Watch in a pipe; the error stream goes to a file."""
    with (
        (errors or folder / "errors.txt").open("wb") as told,
        _start(words, folder, subprocess.PIPE, told.fileno(), {}) as process,
    ):
        assert process.stdout is not None
        try:
            yield Watched(process, process.stdout.fileno())
        finally:
            process.kill()


def _start(
    words: Sequence[str], folder: Path, out: int, err: int, variables: dict[str, str]
) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(one for one in sys.path if one)
    unset = ("NO_COLOR", "COLUMNS", "LINES")
    plain = {name: value for name, value in os.environ.items() if name not in unset}
    env = {**plain, "TERM": "xterm-256color", "PYTHONPATH": paths, **variables}
    command = [sys.executable, "-m", "evenhand", "watch", "--every", "0.2", *words]
    return subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env
    )
