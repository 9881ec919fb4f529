"""A sight of judgments that come in, as lines of a terminal: a head, boards, what is decided."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, cut, label, plural, width
from evenhand.cli.watch_result import draw_board
from evenhand.errors import listing
from evenhand.report.signs import visible

if TYPE_CHECKING:
    from evenhand.web.sight import PanelSight, PassSight, Sight

LEAST: Final = 3  # Rows of a pass that are worth more than sentences below it
DAY: Final = 86_400
SEVERAL: Final = 2
HINT: Final = "Ctrl-C ends"
UNSEEN: Final = "not searched here: evenhand judges says who is to be doubted"
NOBODY: Final = "nobody is flagged"
COUNTING: Final = "boards are still counting older judgments; look again in a moment"
MEANS: Final = "means of now, of which nothing is decided"
LAPSED: Final = (
    "{} over {} stood as decided before, and is held back now: the votes decide it still, the rank"
    " sets of these judges do not"
)


@dataclass(frozen=True)
class Status:
    """What is known of the looks themselves."""

    looked: float  # when somebody looked last and saw something (seconds since 1970)
    shift: float = 0.0  # by how much the clock here is ahead of the campaign's (seconds)
    away: str = ""  # why nothing can be seen now; "" where it can
    again: float = 0.0  # when it is tried again (seconds since 1970)


@dataclass(frozen=True)
class Size:
    """Room in a terminal."""

    columns: int  # how many
    lines: int | None = None  # how many; None for as many as it takes


@dataclass(frozen=True)
class _Drawn:
    """A pass: its name where there are several, its table with titles, what is said of it."""

    name: tuple[str, ...]
    table: tuple[str, ...]
    says: tuple[str, ...]
    notes: tuple[str, ...]


def compose(sight: Sight, status: Status, size: Size) -> list[str]:
    """Return the lines of a sight; where there is little room, what matters least goes first.

    Remarks go first, then sentences but the first, then rows at the end of a board, which are
    counted.
    """
    head = _draw_head(sight, status, size)
    several = len(sight.passes) >= SEVERAL
    parts = [_draw_pass(one, size.columns, several=several) for one in sight.passes]
    if size.lines is None:
        return _lay_out(head, [_choose(one, 4) for one in parts], None)
    for detail in (4, 3, 2, 1):
        chosen = [_choose(one, detail) for one in parts]
        rows = sum(max(len(one.table) - 1, 0) for one in chosen)
        fixed = len(_lay_out(head, chosen, None)) - rows
        room = size.lines - fixed
        if room >= rows or (detail < SEVERAL + 1 and room >= min(rows, LEAST * len(chosen))):
            break
    room = max(room, len(chosen))
    while len(head) > SEVERAL and len(_lay_out(head, chosen, room)) > size.lines:
        head.pop()
    return _lay_out(head, chosen, room)[: size.lines]


def draw_waiting(title: str, status: Status, size: Size) -> list[str]:
    """Return the lines before anything was seen."""
    lines = [click.style(cut(title, size.columns), bold=True)]
    if status.away:
        return [*lines, *_draw_away(status, size.columns)][: size.lines]
    return [*lines, label("votes", "looking for the first time ...", size.columns)]


def say_change(sight: Sight) -> list[str]:
    """Return what a sight says in a line for each pass, for a log."""
    start = _say_counted(sight)
    if sight.remaining is not None:
        start += f", {sight.remaining:,} remain"
    lines = []
    for one in sight.passes:
        name = f"{visible(one.name)}: " if len(sight.passes) >= SEVERAL else ""
        means = [f"{mean.system} {mean.mean:.2f}" for mean in one.means]
        said = "; ".join(one.says) or (f"{MEANS}: {', '.join(means)}" if means else one.why)
        lines.append(visible(f"{start}; {name}{said}"))
    return lines


def _say_counted(sight: Sight) -> str:
    """Say how many votes count, and of how many where second answers do not."""
    board = sight.passes[0].board if len(sight.passes) == 1 else None
    if board is None or not board.n_revised or sight.remaining is not None:
        return f"{sight.judged:,} judged"
    return f"{board.n_votes:,} counted of {board.n_votes + board.n_revised:,} judged"


def list_notes(sight: Sight) -> list[str]:
    """Return what must be said of the whole sight."""
    return [*sight.faults, *(() if sight.whole else (COUNTING,))]


def _draw_head(sight: Sight, status: Status, size: Size) -> list[str]:
    columns = size.columns
    state = "paused" if sight.paused else "open"
    state = "done" if sight.remaining == 0 else state
    state = "" if sight.remaining is None else f" · {state}"
    hint = "" if size.lines is None else HINT
    title = cut(sight.title, columns - len(state) - len(hint) - 1)
    gap = " " * (columns - width(title) - len(state) - len(hint)) if hint else ""
    lines = [click.style(title, bold=True) + state + gap + click.style(hint, dim=True)]
    told = [("judged", _say_progress(sight)), ("votes", _say_times(sight, status))]
    doubted = [UNSEEN] if sight.remaining is None else _say_judges(sight.panels, size)
    told += [("judges", line) for line in doubted]
    for name, text in told:
        lines += label(name, text, columns).split("\n")
    for fault in list_notes(sight):
        lines += label("note", fault, columns, colour="yellow").split("\n")
    return [*lines, *(_draw_away(status, columns) if status.away else ())]


def _say_progress(sight: Sight) -> str:
    """Say how far it is."""
    if sight.remaining is None:
        return plural(sight.judged, "vote")
    told = f"{sight.judged:,} of {sight.judged + sight.remaining:,}; {sight.remaining:,} remain"
    if sight.done_by is not None:
        when = datetime.fromisoformat(sight.done_by).astimezone()
        told += f", at this pace done {when:%d %b %H:%M}, {sight.pace}"
    return told


def _say_times(sight: Sight, status: Status) -> str:
    looked = f"looked {_say_clock(status.looked)}"
    if sight.last is None:
        return f"none came yet; {looked}"
    last = sight.last / 1000 + status.shift
    return f"last came {_say_clock(last)}, {_say_age(time.time() - last)} ago; {looked}"


def _say_clock(seconds: float) -> str:
    """Say a time of day, and the day where it is another one."""
    when = datetime.fromtimestamp(seconds, UTC).astimezone()
    far = abs(time.time() - seconds) > DAY
    return f"{when:%d %b %H:%M}" if far else f"{when:%H:%M:%S}"


def _say_age(seconds: float) -> str:
    """Say how long ago something was.

    >>> _say_age(-0.1), _say_age(59.9), _say_age(200), _say_age(7300), _say_age(200000)
    ('0 s', '59 s', '3 min', '2 h', '2 days')
    """
    left = max(0, int(seconds))
    for most, unit, size in ((60, "s", 1), (3600, "min", 60), (2 * DAY, "h", 3600)):
        if left < most:
            return f"{left // size} {unit}"
    return f"{left // DAY} days"


def _say_judges(panels: Sequence[PanelSight], size: Size) -> list[str]:
    """Say who is flagged, table by table; where lines are few, not all of why nobody is."""
    lines = []
    for one in panels:
        flagged = [f"{judge.judge} ({', '.join(judge.flags)})" for judge in one.flagged]
        why = one.why if size.lines is None else re.split("[:;]", one.why)[0]
        said = (
            f"flagged: {listing(flagged, 4)}" if flagged else ": ".join(filter(None, (NOBODY, why)))
        )
        lines.append(f"{one.table}: {said}" if len(panels) >= SEVERAL else said)
    return lines


def _draw_away(status: Status, columns: int) -> list[str]:
    wait = max(0, round(status.again - time.time()))
    said = f"{status.away}; tried again in {wait} s"
    if status.looked:
        said += f"; what stands here is {_say_age(time.time() - status.looked)} old"
    return label("away", said, columns, colour="yellow").split("\n")


def _draw_pass(one: PassSight, columns: int, *, several: bool) -> _Drawn:
    name = (click.style(f"{visible(one.name)} ".ljust(columns, "─"), bold=True),) if several else ()
    table: list[str] = []
    said, notes = list(one.says), []
    if one.board is not None:
        table = draw_board(one.board, columns)
        said += [LAPSED.format(*pair) for pair in one.lapsed]
        notes = [*one.board.notes]
    elif one.means:
        table, said = _draw_means(one, columns), [MEANS]
    elif one.why:
        said = [one.why]
    says = tuple(label("" if i else "says", line, columns) for i, line in enumerate(said))
    remarks = tuple(label("note", note, columns, colour="yellow") for note in notes)
    return _Drawn(name, tuple(table), says, remarks)


def _draw_means(one: PassSight, columns: int) -> list[str]:
    """Return titles, and a line for each system with its mean score."""
    cells = [("mean score", "scores"), *((f"{m.mean:.2f}", f"{m.n:,}") for m in one.means)]
    last = align(cells, left=())
    first = align([("leading now",), *((str(m.place),) for m in one.means)], left=())
    room = columns - 1 - sum(width(cell) + 2 for cell in (*first[0], *last[0]))
    short = tell_apart([m.system for m in one.means], max(room, 1))
    names = align([("system",), *((short[m.system],) for m in one.means)], left=(0,))
    rows = [" " + "  ".join([*a, *b, *c]) for a, b, c in zip(first, names, last, strict=True)]
    return [click.style(rows[0].rstrip(), dim=True), *rows[1:]]


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
            rows = one.table[1:]
            share = len(rows) if room is None else min(len(rows), room // left)
            room = None if room is None else room - share
            lines += [one.table[0], *_cut_rows(rows, share)]
        left -= 1
        lines += [row for said in (*one.says, *one.notes) for row in said.split("\n")]
    return lines


def _cut_rows(rows: Sequence[str], share: int) -> list[str]:
    """Return as many rows as there is room for; the last line says how many are left out."""
    if share >= len(rows):
        return [*rows]
    if share <= 0:
        return []
    out = len(rows) - share + 1
    return [*rows[: share - 1], click.style(f" … {plural(out, 'row')} left out", dim=True)]
