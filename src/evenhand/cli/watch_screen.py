"""Boards and campaigns that are watched, in a terminal, in JSON, CSV and LaTeX."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Protocol

import click

from evenhand.cli.main import choose_colour
from evenhand.cli.running import VerbResult, is_dumb
from evenhand.errors import Outcome, UnknownOption, listing
from evenhand.render.document import Column, Table, describe_findings, escape_control, plural
from evenhand.render.text import PLAIN, WIDTH, cut, draw_table, label, width
from evenhand.report.document import pick

if TYPE_CHECKING:
    from evenhand.web.dashboard import CampaignStatus, PanelStatus, PassStatus

# A sight of judgments that come in, as lines of a terminal: a head, boards, what is decided.

MIN_ROWS: Final = 3  # Rows of a pass that are worth more than sentences below it
DAY: Final = 86_400
SEVERAL: Final = 2
HINT: Final = "Ctrl-C ends"
UNSEEN: Final = "not searched here: evenhand judges says which judges to check"
NOBODY: Final = "nobody is flagged"
# Of scores, where no votes are compared
SCORE_COLUMNS: Final = (
    Column("rank", "rank", "range"),
    Column("system", "system", "name"),
    Column("score", "score", "two"),
    Column(("lower", "upper"), "95 % interval", "interval", priority=2),
    Column("n", "ratings", "count"),
)
ONE_LOOK: Final = "ranks hold for one look: decide at the end (evenhand rank FILE)"
LAPSED: Final = (
    "{} over {} stood as decided before, and is held back now: the votes decide it still, the rank"
    " sets of these judges do not"
)


@dataclass(frozen=True)
class Status:
    looked: float  # when somebody looked last and saw something (seconds since 1970)
    shift: float = 0.0  # by how much the clock here is ahead of the campaign's (seconds)
    away: str = ""  # why nothing can be seen now; "" where it can
    again: float = 0.0  # when it is tried again (seconds since 1970)


@dataclass(frozen=True)
class _Drawn:
    name: tuple[str, ...]
    table: tuple[str, ...]
    says: tuple[str, ...]
    notes: tuple[str, ...]


def compose(
    sight: CampaignStatus, status: Status, columns: int, most: int | None = None
) -> list[str]:
    """Return at most so many lines of a sight; what matters least goes first."""
    state = "paused" if sight.paused else "open"
    state = "done" if sight.remaining == 0 else state
    state = "" if sight.remaining is None else f" · {state}"
    hint = "" if most is None else HINT
    title = cut(sight.title, columns - len(state) - len(hint) - 1)
    gap = " " * (columns - width(title) - len(state) - len(hint)) if hint else ""
    lines = [click.style(title, bold=True) + state + gap + click.style(hint, dim=True)]
    unit = "rating" if any(one.scores for one in sight.passes) else "vote"
    judged = plural(sight.judged, unit)
    if sight.remaining is not None:
        total = sight.judged + sight.remaining
        judged = f"{sight.judged:,} of {total:,}; {sight.remaining:,} remain"
        if sight.done_by is not None:
            when = datetime.fromisoformat(sight.done_by).astimezone()
            judged += f", at this pace done {when:%d %b %H:%M}, {sight.pace}"
    came = "none came yet"
    if sight.last is not None:
        last = sight.last / 1000 + status.shift
        came = f"last came {_say_clock(last)}, {_say_age(time.time() - last)} ago"
    entries = [("judged", judged), (f"{unit}s", f"{came}; looked {_say_clock(status.looked)}")]
    doubted = [UNSEEN] if sight.remaining is None else _say_judges(sight.panels, columns, most)
    entries += [("judges", line) for line in doubted]
    for name, text in entries:
        lines += label(name, text, columns).split("\n")
    for fault in sight.faults:
        lines += label("note", fault, columns, colour="yellow").split("\n")
    head = [*lines, *(_draw_away(status, columns) if status.away else ())]
    several = len(sight.passes) >= SEVERAL
    parts = [_draw_pass(one, columns, several=several) for one in sight.passes]
    if most is None:
        return _lay_out(head, [_choose(one, 4) for one in parts], None)
    for detail in (4, 3, 2, 1):
        chosen = [_choose(one, detail) for one in parts]
        rows = sum(max(len(one.table) - 1, 0) for one in chosen)
        fixed = len(_lay_out(head, chosen, None)) - rows
        room = most - fixed
        if room >= rows or (detail < SEVERAL + 1 and room >= min(rows, MIN_ROWS * len(chosen))):
            break
    room = max(room, len(chosen))
    while len(head) > SEVERAL and len(_lay_out(head, chosen, room)) > most:
        head.pop()
    return _lay_out(head, chosen, room)[:most]


def say_change(sight: CampaignStatus) -> list[str]:
    start = f"{sight.judged:,} judged"
    board = sight.passes[0].board if len(sight.passes) == 1 else None
    if sight.remaining is not None:
        start += f", {sight.remaining:,} remain"
    elif board is not None and board.n_revised:
        start = f"{board.n_votes:,} counted of {board.n_votes + board.n_revised:,} judged"
    lines = []
    for one in sight.passes:
        name = f"{escape_control(one.name)}: " if len(sight.passes) >= SEVERAL else ""
        text = " ".join((*one.says, *([ONE_LOOK] if one.scores else []))) or one.why
        lines.append(escape_control(f"{start}; {name}{text}"))
    return lines


def _say_clock(seconds: float) -> str:
    when = datetime.fromtimestamp(seconds, UTC).astimezone()
    far = abs(time.time() - seconds) > DAY
    return f"{when:%d %b %H:%M}" if far else f"{when:%H:%M:%S}"


def _say_age(seconds: float) -> str:
    left = max(0, int(seconds))
    for most, unit, size in ((60, "s", 1), (3600, "min", 60), (2 * DAY, "h", 3600)):
        if left < most:
            return f"{left // size} {unit}"
    return f"{left // DAY} days"


def _say_judges(panels: Sequence[PanelStatus], columns: int, most: int | None) -> list[str]:
    """Say who is flagged, table by table; where lines are few, why nobody is only if it fits."""
    lines = []
    for one in panels:
        flagged = [f"{judge.judge} ({', '.join(judge.flags)})" for judge in one.flagged]
        nobody = ": ".join(filter(None, (NOBODY, one.why)))
        if most is not None and width(nobody) > columns - WIDTH:
            nobody = NOBODY
        text = f"flagged: {listing(flagged, 4)}" if flagged else nobody
        lines.append(f"{one.table}: {text}" if len(panels) >= SEVERAL else text)
    return lines


def _draw_away(status: Status, columns: int) -> list[str]:
    wait = max(0, round(status.again - time.time()))
    text = f"{status.away}; tried again in {wait} s"
    if status.looked:
        text += f"; what stands here is {_say_age(time.time() - status.looked)} old"
    return label("away", text, columns, colour="yellow").split("\n")


def _draw_pass(one: PassStatus, columns: int, *, several: bool) -> _Drawn:
    title = click.style(f"{escape_control(one.name)} ".ljust(columns, "─"), bold=True)
    table: list[str] = []
    sentences, notes = list(one.says), []
    if one.board is not None:
        table = draw_table(one.board.table, columns)
        sentences += [LAPSED.format(*pair) for pair in one.lapsed]
        notes = [*one.board.notes]
    elif one.scores:
        scores = tuple(asdict(score) for score in one.scores)
        table, notes = draw_table(Table("scores", "", SCORE_COLUMNS, scores), columns), [ONE_LOOK]
    elif one.why:
        sentences = [one.why]
    rows = len(one.scores) if one.board is None else len(one.board.standings)
    says = tuple(label("" if i else "says", line, columns) for i, line in enumerate(sentences))
    remarks = tuple(label("note", note, columns, colour="yellow") for note in notes)
    table, legend = table[: 1 + rows], table[1 + rows :]
    return _Drawn((title,) if several else (), tuple(table), says, (*legend, *remarks))


def _choose(one: _Drawn, detail: int) -> _Drawn:
    """Leave out what there is no room for: 4 is all, 3 no remarks, 2 two sentences, 1 one."""
    says = one.says if detail > SEVERAL else (*one.says[:1], *one.says[1:][-1:][: detail - 1])
    return _Drawn(one.name, one.table, says, one.notes if detail == 4 else ())


def _lay_out(head: list[str], parts: list[_Drawn], room: int | None) -> list[str]:
    """Put everything below each other; tables share what room there is for their rows."""
    lines, left = list(head), len(parts)
    for one in parts:
        lines += [*one.name] if one.name else [""]
        if one.table:
            title, *rows = one.table
            share = len(rows) if room is None else min(len(rows), room // left)
            room = None if room is None else room - share
            out = len(rows) - share + 1
            cut_off = click.style(f" … {plural(out, 'more row')}", dim=True)
            shown = rows if share == len(rows) else [*rows[: share - 1], cut_off][:share]
            lines += [title, *shown]
        left -= 1
        lines += [row for text in (*one.says, *one.notes) for row in text.split("\n")]
    return lines


# Looks at a source of judgments, again and again, in a thread of their own.

TICK: Final = 1.0  # Seconds after which ages on the screen are drawn anew
MAX_PAUSE: Final = 60.0  # Seconds between two tries of a server that is away, at most
PATIENCE: Final = 1.0  # Seconds that a look may still take after the end
NEVER: Final = Status(0.0)


class Looks(Protocol):
    # what can be said now; the last sight itself where nothing is new
    def look(self) -> CampaignStatus: ...
    def close(self) -> None: ...


class Source(Looks, Protocol):
    title: str  # what it is called before anything was seen


@dataclass(frozen=True)
class News:
    sight: CampaignStatus | None = None  # the last one; None before the first
    status: Status = NEVER  # when it was, and whether the source is there
    fault: BaseException | None = None  # what ended the looks; None as long as they go on


class Looker:
    """Looks at a source in a thread of its own, so that a slow one does not hold up the screen."""

    def __init__(self, source: Source, pace: float) -> None:
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
        self._calls.put(False)

    def _run(self) -> None:
        with Outcome() as caught:
            while not self._over.is_set():
                self.news = self._look()
                self.wake()
                self._over.wait(self._pause)
        if caught.fault is not None:  # whoever shows the looks raises it
            self.news = replace(self.news, fault=caught.fault)
            self.wake()

    def _look(self) -> News:
        """Look once; where the source is away, say so and wait longer each time."""
        from evenhand.web.dashboard import ServerUnavailable
        from evenhand.web.store.log import NotStored

        try:
            sight = self._source.look()
        except (ServerUnavailable, NotStored) as fault:
            if self.news.sight is None and isinstance(fault, NotStored):
                raise
            self._pause = min(2 * self._pause, MAX_PAUSE)
            away = replace(self.news.status, away=str(fault), again=time.time() + self._pause)
            return replace(self.news, status=away)
        now, self._pause = time.time(), self._pace
        shift = now - sight.now / 1000
        if sight is self.news.sight:
            shift = self.news.status.shift
        return News(sight, Status(now, shift))


@dataclass(frozen=True)
class SightResult:
    sight: CampaignStatus  # of it
    status: Status  # when that was
    exit_code: int = 0  # of the command

    def text(self, columns: int) -> str:
        lines = compose(self.sight, self.status, columns)
        if self.sight.head:  # the last line, so that it can be copied: it is longer than a screen
            lines += [f"plan  {self.sight.plan}"] * bool(self.sight.plan)
            lines += [f"head  {self.sight.head}", f"check {self.sight.check}"]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        return describe_sight(self.sight)

    def records(self) -> list[dict[str, Any]]:
        rows = [
            {"pass": one.name, **asdict(row)}
            for one in self.sight.passes
            for row in (one.scores if one.board is None else one.board.standings)
        ]
        if len({tuple(row) for row in rows}) != 1:
            why = "votes and scores have two; choose one pass (--task)"
            raise UnknownOption(f"--csv has one table: {why if rows else 'nothing was judged yet'}")
        return rows

    def latex(self) -> str:
        boards = {one.name: one.board for one in self.sight.passes if one.board is not None}
        if not boards:
            raise UnknownOption(
                "--latex has boards of comparisons, and there are none: evenhand rank --latex has"
                " tables of ratings"
            )
        return VerbResult(boards, {}, ()).latex()

    def remarks(self) -> list[str]:
        remarks = list(self.sight.faults)
        for one in self.sight.passes:
            notes = () if one.board is None else one.board.notes
            remarks += [*one.says, *notes, *([ONE_LOOK] if one.scores else [])]
        return remarks


def describe_sight(sight: CampaignStatus) -> dict[str, Any]:
    last = sight.last
    return {
        **pick(sight, "title", "judged", "remaining", "done_by", "paused"),
        "last": None if last is None else datetime.fromtimestamp(last / 1000, UTC).isoformat(),
        "passes": [
            {
                "name": one.name,
                "board": None if one.board is None else one.board.to_dict(),
                "lapsed": [list(pair) for pair in one.lapsed],
                "says": list(one.says),
                "scores": [asdict(score) for score in one.scores],
                "why": one.why,
            }
            for one in sight.passes
        ],
        "judges": [asdict(one) for one in sight.panels],
        **pick(sight, "head", "check", "plan"),
        "findings": describe_findings(sight.faults),
    }


# A board that is redrawn while judgments come in; in a pipe, a line for each change.

TERMINATED: Final = 143
HEIGHT: Final = 24
# A screen of its own, without a cursor, on which no line is wrapped; and back
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
WAITS: Final = "for new judgments, and prints a line for each change; Ctrl-C ends it"


def follow(source: Source, pace: float, *, as_json: bool) -> None:
    """Show a source until interrupted, with so many seconds between two looks."""
    drawn = sys.stdout.isatty() and not as_json and not is_dumb()
    looker, received = Looker(source, pace), list[int]()
    try:
        with _obeying(looker, received), looker:
            (_draw if drawn else _print_changes)(looker, source.title, as_json=as_json)
    except KeyboardInterrupt:
        pass  # before the first look, or again because it took too long
    finally:
        source.close()
    status = TERMINATED if signal.SIGTERM in received else 0
    if drawn and not status and looker.news.sight is not None:
        columns = shutil.get_terminal_size((PLAIN, HEIGHT)).columns
        click.echo(SightResult(looker.news.sight, looker.news.status).text(columns), nl=False)
    if any(one.daemon for one in threading.enumerate()):  # Python would tear it out of a library
        atexit._run_exitfuncs()  # os._exit leaves them out
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    if status:
        raise click.exceptions.Exit(status)


def _draw(looker: Looker, title: str, *, as_json: bool) -> None:  # noqa: ARG001 - as the other way
    sys.stdout.write(ENTER)
    try:
        goes_on = True
        while goes_on:
            news, (columns, height) = looker.news, shutil.get_terminal_size((PLAIN, HEIGHT))
            if news.fault is not None:
                raise news.fault
            if news.sight is not None:
                lines = compose(news.sight, news.status, columns, height)
            else:
                lines = [click.style(cut(title, columns), bold=True)]
                wait = label("waits", "looking for the first time ...", columns)
                lines += _draw_away(news.status, columns) if news.status.away else [wait]
                lines = lines[:height]
            lines += [""] * (height - len(lines))
            text = "\n".join(f"{line}\x1b[K" for line in lines)
            click.echo(f"\x1b[H{text}", nl=False, color=choose_colour())
            goes_on = looker.wait()
    finally:
        sys.stdout.write(LEAVE)
        sys.stdout.flush()


def _print_changes(looker: Looker, title: str, *, as_json: bool) -> None:
    """Print a line for each change; that a source is away goes to the error stream."""
    before: tuple[list[dict[str, Any]], str] = ([], "")
    if not as_json:
        click.echo(label("waits", WAITS, PLAIN), err=True)
    while looker.wait():
        news = looker.news
        if news.fault is not None:
            raise news.fault
        sight, content = news.sight, before[0]
        if sight is not None:  # what makes a sight another one: not the time, and not the pace
            content = [pick(sight, "judged", "remaining", "paused", "panels", "faults")]
            for one in sight.passes:
                votes = None if one.board is None else one.board.n_votes
                content.append({**pick(one, "name", "says", "lapsed", "scores", "why"), "n": votes})
        if sight is not None and content != before[0]:
            if as_json:
                line = json.dumps(describe_sight(sight), ensure_ascii=False, allow_nan=False)
                click.echo(line.encode())
            else:
                for line in say_change(sight):
                    click.echo(f"{time.strftime('%H:%M:%S')}  {line}")
            sys.stdout.flush()
        if news.status.away and news.status.away != before[1]:
            click.echo(label("away", news.status.away, PLAIN), err=True)
        elif before[1] and not news.status.away:
            click.echo(label("back", title, PLAIN), err=True)
        before = (content, news.status.away)


@contextmanager
def _obeying(looker: Looker, received: list[int]) -> Iterator[None]:
    """Draw anew when the terminal changes its size; end where asked to, at once when asked again.

    What a signal does is said to the looker and done between two drawings: an exception that is
    raised wherever the program happens to be may leave a lock or the terminal half way.
    """

    def end(number: int, _frame: object) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)
        looker.end()

    handlers: dict[int, Any] = {signal.SIGTERM: end, signal.SIGINT: end}
    if hasattr(signal, "SIGWINCH"):
        handlers[signal.SIGWINCH] = lambda *_: looker.wake()
    before = {one: signal.signal(one, handler) for one, handler in handlers.items()}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
