"""A board that is redrawn while judgments come in; in a pipe, a line for each change."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Final, Protocol

import click

from evenhand.cli.refusals import choose_colour
from evenhand.cli.terminal import PLAIN, label
from evenhand.cli.watch_campaign import SightResult, describe_sight
from evenhand.cli.watch_screen import Size, Status, compose, draw_waiting, say_change

if TYPE_CHECKING:
    from evenhand.web.sight import Sight

TICK: Final = 1.0
"""Seconds after which ages on the screen are drawn anew."""
LONGEST: Final = 60.0
"""Seconds between two tries of a server that is away, at most."""
TERMINATED: Final = 143
HEIGHT: Final = 24
NEVER: Final = Status(0.0)


class Source(Protocol):
    """Where judgments come in.

    Attributes:
        title: what it is called before anything was seen.

    """

    title: str

    def look(self) -> Sight:
        """Return what can be said now; the last sight itself where nothing is new."""

    def close(self) -> None:
        """Look no more."""


@dataclass(frozen=True)
class News:
    """What came of the looks so far.

    Attributes:
        sight: the last one; None before the first.
        status: when it was, and whether the source is there.
        fault: what ended the looks; None as long as they go on.

    """

    sight: Sight | None = None
    status: Status = NEVER
    fault: BaseException | None = None


class Looker:
    """Looks at a source in a thread of its own, so that a slow one does not hold up the screen.

    Attributes:
        news: what came of it.

    """

    def __init__(self, source: Source, pace: float) -> None:
        """Look at nothing yet.

        Args:
            source: where judgments come in.
            pace: seconds between two looks.

        """
        self.news = News()
        self._source, self._pace, self._pause = source, pace, pace
        self._over, self._changed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="evenhand watch", daemon=True)

    def __enter__(self) -> Looker:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)  # one that waits for a server is left behind

    def wait(self) -> News:
        """Return the news when there are some, or after a tick."""
        self._changed.wait(TICK)
        self._changed.clear()
        return self.news

    def wake(self) -> None:
        """End the wait: the terminal has another size."""
        self._changed.set()

    def _run(self) -> None:
        with self._catching():
            while not self._over.is_set():
                self.news = self._look()
                self._changed.set()
                self._over.wait(self._pause)

    @contextmanager
    def _catching(self) -> Iterator[None]:
        """Hand what ends the looks to whoever shows them."""
        with _Caught() as caught:
            yield
        if caught.fault is not None:
            self.news = replace(self.news, fault=caught.fault)
            self._changed.set()

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


def follow(source: Source, pace: float, *, as_json: bool) -> None:
    """Show a source until interrupted.

    On a terminal the board is redrawn, and stands there once more, as text, when it ends; in a pipe
    each change is a line.

    Args:
        source: where judgments come in.
        pace: seconds between two looks.
        as_json: whether changes are printed as JSON.

    Raises:
        EvenhandError: whatever is wrong with the source.

    """
    drawn = sys.stdout.isatty() and not as_json and not _is_dumb()
    looker = Looker(source, pace)
    try:
        with _obeying(looker.wake), looker:
            (_draw if drawn else _print_changes)(looker, source.title, as_json=as_json)
    except KeyboardInterrupt:
        pass  # this is how one ends it
    finally:
        source.close()
    if drawn and looker.news.sight is not None:
        columns = shutil.get_terminal_size((PLAIN, HEIGHT)).columns
        click.echo(SightResult(looker.news.sight, looker.news.status).text(columns), nl=False)


def _is_dumb() -> bool:
    from rich.console import Console

    return Console().is_dumb_terminal


def _draw(looker: Looker, title: str, *, as_json: bool) -> None:  # noqa: ARG001 - as the other way
    """Redraw a board on a screen of its own; the terminal is then as it was before."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(no_color=choose_colour() is False, highlight=False)
    shown = Live(console=console, screen=True, auto_refresh=False, redirect_stdout=False)
    with shown:
        while True:
            news, size = looker.news, Size(console.size.width, console.size.height)
            if news.fault is not None:
                raise news.fault
            if news.sight is None:
                lines = draw_waiting(title, news.status, size)
            else:
                lines = compose(news.sight, news.status, size)
            text = Text.from_ansi("\n".join(lines), no_wrap=True, overflow="crop")
            shown.update(text, refresh=True)
            looker.wait()


def _print_changes(looker: Looker, title: str, *, as_json: bool) -> None:
    """Print a line for each change; that a source is away goes to the error stream."""
    before: tuple[object, str] = (None, "")
    while True:
        news = looker.wait()
        if news.fault is not None:
            raise news.fault
        told = None if news.sight is None else _tell_apart(news.sight)
        if news.sight is not None and told != before[0]:
            _print(news.sight, as_json=as_json)
        if news.status.away and news.status.away != before[1]:
            click.echo(label("away", news.status.away, PLAIN), err=True)
        elif before[1] and not news.status.away:
            click.echo(label("back", title, PLAIN), err=True)
        before = (told, news.status.away)


def _print(sight: Sight, *, as_json: bool) -> None:
    """Print a sight."""
    if as_json:
        line = json.dumps(describe_sight(sight), ensure_ascii=False, allow_nan=False)
        click.echo(line.encode())
    else:
        for line in say_change(sight):
            click.echo(f"{time.strftime('%H:%M:%S')}  {line}")
    sys.stdout.flush()


def _tell_apart(sight: Sight) -> object:
    """Return what makes a sight another one: not the time, and not the pace."""
    boards = tuple(
        (one.name, one.says, one.lapsed, one.means, one.why, one.board and one.board.n_votes)
        for one in sight.passes
    )
    return (
        sight.judged,
        sight.remaining,
        sight.paused,
        boards,
        sight.panels,
        sight.faults,
        sight.whole,
    )


@contextmanager
def _obeying(wake: Callable[[], None]) -> Iterator[None]:
    """Draw anew when the terminal changes its size; leave it clean when the process is ended."""

    def resize(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as handlers are
        wake()

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        raise click.exceptions.Exit(TERMINATED)

    handlers = {signal.SIGTERM: end}
    if hasattr(signal, "SIGWINCH"):
        handlers[signal.SIGWINCH] = resize
    before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
