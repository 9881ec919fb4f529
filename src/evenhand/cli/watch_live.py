"""A board that is redrawn while judgments come in; in a pipe, a line for each change."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.refusals import choose_colour
from evenhand.cli.terminal import PLAIN, label
from evenhand.cli.watch_campaign import SightResult, describe_sight
from evenhand.cli.watch_looks import Looker, Source
from evenhand.cli.watch_screen import Size, compose, draw_waiting, say_change

if TYPE_CHECKING:
    from evenhand.web.sight import Sight

TERMINATED: Final = 143
HEIGHT: Final = 24
WAITS: Final = "for new judgments, and prints a line for each change; Ctrl-C ends it"


def follow(source: Source, pace: float, *, as_json: bool) -> None:
    """Show a source until interrupted.

    On a terminal the board is redrawn, and stands there once more, as text, when it ends; in a pipe
    each change is a line.

    pace: seconds between two looks.
    """
    drawn = sys.stdout.isatty() and not as_json and not _is_dumb()
    looker, asked = Looker(source, pace), list[int]()
    try:
        with _obeying(looker, asked), looker:
            (_draw if drawn else _print_changes)(looker, source.title, as_json=as_json)
    except KeyboardInterrupt:
        pass  # before the first look, or again because it took too long
    finally:
        source.close()
    status = TERMINATED if signal.SIGTERM in asked else 0
    if drawn and not status and looker.news.sight is not None:
        columns = shutil.get_terminal_size((PLAIN, HEIGHT)).columns
        click.echo(SightResult(looker.news.sight, looker.news.status).text(columns), nl=False)
    if looker.looks_still:
        _leave(status)
    if status:
        raise click.exceptions.Exit(status)


def _leave(status: int) -> None:
    """End at once, with what is done at every end: files of our own are removed, output is written.

    An interpreter that ends stops the thread of a look wherever it takes the lock again; within
    an engine written in C++ that aborts the process.
    """
    atexit._run_exitfuncs()  # os._exit leaves them out
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


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
        goes_on = True
        while goes_on:
            news, size = looker.news, Size(console.size.width, console.size.height)
            if news.fault is not None:
                raise news.fault
            if news.sight is None:
                lines = draw_waiting(title, news.status, size)
            else:
                lines = compose(news.sight, news.status, size)
            text = Text.from_ansi("\n".join(lines), no_wrap=True, overflow="crop")
            shown.update(text, refresh=True)
            goes_on = looker.wait()


def _print_changes(looker: Looker, title: str, *, as_json: bool) -> None:
    """Print a line for each change; that a source is away goes to the error stream."""
    before: tuple[object, str] = (None, "")
    if not as_json:
        click.echo(label("waits", WAITS, PLAIN), err=True)
    while looker.wait():
        news = looker.news
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
def _obeying(looker: Looker, asked: list[int]) -> Iterator[None]:
    """Draw anew when the terminal changes its size; end where asked to, at once when asked again.

    What a signal does is said to the looker and done between two drawings: an exception that is
    raised wherever the program happens to be may leave a lock or the terminal half way.
    """

    def resize(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - as handlers are
        looker.wake()

    def end(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        looker.end()

    handlers = {signal.SIGTERM: end, signal.SIGINT: end}
    if hasattr(signal, "SIGWINCH"):
        handlers[signal.SIGWINCH] = resize
    before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
