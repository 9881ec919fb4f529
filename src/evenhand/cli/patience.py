"""A sign of life on the error stream, where that is a terminal and work takes over a second."""

from __future__ import annotations

import sys
import time
from threading import Lock, Timer
from types import TracebackType
from typing import TYPE_CHECKING, Final

from evenhand.cli.refusals import choose_colour

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

SOON: Final = 1.0


def say_left(spent: float, done: int, total: int) -> str:
    """Return how long the rest takes if its steps take as long as those that are done.

    spent: seconds since the beginning.
    """
    if not 0 < done < total:
        return ""
    minutes, seconds = divmod(round(spent * (total - done) / done), 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
    return f"{clock} left"


class Patience:
    """A context in which long work is shown: a spinner, or a bar once steps are known."""

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self._lock = Lock()
        self._shown: Progress | None = None
        self._task: TaskID | None = None
        self._steps: tuple[int, int | None] = (0, None)
        self._over = False
        self._began = time.monotonic()
        self._timer = Timer(SOON, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Patience:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._shown is not None:
                self._shown.stop()

    def step(self, done: int, total: int) -> None:
        """Tell how far the work is; called by it."""
        self._steps = (done, total)
        if self._shown is not None and self._task is not None:
            left = say_left(time.monotonic() - self._began, done, total)
            self._shown.update(self._task, completed=done, total=total, left=left)

    def tell(self, doing: str) -> None:
        """Tell what is being done now; called by the work."""
        self.doing = doing
        if self._shown is not None and self._task is not None:
            self._shown.update(self._task, description=doing)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        with self._lock:
            if self._over:
                return
            console = Console(stderr=True, no_color=choose_colour() is False)
            looks = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(24))
            clocks = (TimeElapsedColumn(), TextColumn("{task.fields[left]}"))
            progress = Progress(
                *looks, *clocks, console=console, transient=True, redirect_stdout=False
            )
            done, total = self._steps
            self._task = progress.add_task(self.doing, completed=done, total=total, left="")
            progress.start()
            self._shown = progress
