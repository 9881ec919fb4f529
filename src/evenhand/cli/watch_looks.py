"""Looks at a source of judgments, again and again, in a thread of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Final, Protocol

from evenhand.cli.watch_screen import Status

if TYPE_CHECKING:
    from evenhand.web.sight import Sight

TICK: Final = 1.0  # Seconds after which ages on the screen are drawn anew
LONGEST: Final = 60.0  # Seconds between two tries of a server that is away, at most
PATIENCE: Final = 1.0  # Seconds that a look may still take after the end
NEVER: Final = Status(0.0)


class Source(Protocol):
    """Where judgments come in."""

    title: str  # what it is called before anything was seen

    def look(self) -> Sight:
        """Return what can be said now; the last sight itself where nothing is new."""

    def close(self) -> None:
        """Look no more."""


@dataclass(frozen=True)
class News:
    """What came of the looks so far."""

    sight: Sight | None = None  # the last one; None before the first
    status: Status = NEVER  # when it was, and whether the source is there
    fault: BaseException | None = None  # what ended the looks; None as long as they go on


class Looker:
    """Looks at a source in a thread of its own, so that a slow one does not hold up the screen."""

    def __init__(self, source: Source, pace: float) -> None:
        """Look at nothing yet.

        pace: seconds between two looks.
        """
        self.news = News()
        self._source, self._pace, self._pause = source, pace, pace
        self._over = threading.Event()
        self._calls: SimpleQueue[bool] = SimpleQueue()  # a signal may put where an Event would not
        self._thread = threading.Thread(target=self._run, name="evenhand watch", daemon=True)

    def __enter__(self) -> Looker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(PATIENCE)  # one that waits for a server is left behind

    @property
    def looks_still(self) -> bool:
        """Whether a look goes on that was left behind."""
        return self._thread.is_alive()

    def wait(self) -> bool:
        """Wait for news or a tick; say whether the looks go on."""
        goes_on = True
        try:
            goes_on = self._calls.get(timeout=TICK)
            while goes_on:
                goes_on = self._calls.get_nowait()
        except Empty:
            pass
        return goes_on

    def wake(self) -> None:
        """End the wait: the terminal has another size."""
        self._calls.put(True)

    def end(self) -> None:
        """End the wait, and say there that it is over."""
        self._calls.put(False)

    def _run(self) -> None:
        with self._catching():
            while not self._over.is_set():
                self.news = self._look()
                self.wake()
                self._over.wait(self._pause)

    @contextmanager
    def _catching(self) -> Iterator[None]:
        """Hand what ends the looks to whoever shows them."""
        with _Caught() as caught:
            yield
        if caught.fault is not None:
            self.news = replace(self.news, fault=caught.fault)
            self.wake()

    def _look(self) -> News:
        """Look once; where the source is away, say so and wait longer each time."""
        from evenhand.web.store.refusals import NotStored
        from evenhand.web.visitor import Away

        try:
            sight = self._source.look()
        except (Away, NotStored) as fault:
            if self.news.sight is None and isinstance(fault, NotStored):
                raise
            self._pause = min(2 * self._pause, LONGEST)
            away = replace(self.news.status, away=str(fault), again=time.time() + self._pause)
            return replace(self.news, status=away)
        now, self._pause = time.time(), self._pace
        shift = now - sight.now / 1000
        if sight is self.news.sight:
            shift = self.news.status.shift
        return News(sight, Status(now, shift))


class _Caught:
    """A context that keeps what is raised in it."""

    fault: BaseException | None = None

    def __enter__(self) -> _Caught:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        self.fault = fault
        return True
