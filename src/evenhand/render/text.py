"""Text for a terminal: names cut to their room, aligned cells, labelled lines, documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, count, zip_longest
from operator import attrgetter
from typing import Final
from unicodedata import combining, east_asian_width

import click

from evenhand.render.document import (
    ALWAYS,
    Column,
    Document,
    Finding,
    Row,
    Table,
    Text,
    escape_control,
)

WIDTH: Final = 7  # Columns of the label before a line, with the gap behind it

PLAIN: Final = 80  # Columns where there is no terminal to ask


def width(text: str) -> int:
    """Return the columns that a text takes; Chinese signs take two, combining accents none.

    >>> width("abc"), width("系统"), width("é"), width("e" + chr(0x301))
    (3, 4, 1, 1)
    """
    if text.isascii():
        return len(text)
    signs = (one for one in text if not combining(one))
    return sum(2 if east_asian_width(one) in "WF" else 1 for one in signs)


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Fill a text with blanks, behind it or (right) before it."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if right else text + blanks


def cut(text: str, columns: int) -> str:
    """Take the middle out of a text that is too long; control characters are written out.

    >>> cut("newstest2012.fr-en.system-k", 15)
    'newstes…ystem-k'
    """
    text = escape_control(text)
    if width(text) <= columns:
        return text
    head, tail = text[: len(text) // 2], text[len(text) // 2 :]
    while width(head) + 1 + width(tail) > columns and (head or tail):
        head, tail = (head[:-1], tail) if width(head) >= width(tail) else (head, tail[1:])
    return f"{head}…{tail}"


_QUOTED: Final = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_WORD: Final = re.compile(
    rf"[ ]*(?:--[a-z-]+ {_QUOTED}+|(?:\w+\(|\(evenhand )(?:{_QUOTED}|[^()'\"])*\)|[^ ])[^ ]*"
)


def wrap(text: str, columns: int) -> list[str]:
    """Break a text between words, by the columns that it takes; words are never broken.

    An option with its quoted value is one word, and so is a call, and a command in brackets: they
    are there to be copied.

    >>> wrap("系统 系统 is best", 9), wrap("", 9)
    (['系统 系统', 'is best'], [''])
    """
    lines = [""]
    for word in _WORD.findall(text):
        if lines[-1] and width(lines[-1] + word) > columns:
            lines.append(word.lstrip(" "))
        else:
            lines[-1] += word
    return lines


def hang(start: str, text: str, columns: int) -> list[str]:
    """Return a text behind a start, wrapped below itself.

    >>> hang(" 1  ", "a doubtful order", 14)
    [' 1  a doubtful', '    order']
    """
    first, *rest = wrap(text, columns - width(start))
    return [start + first, *(" " * width(start) + line for line in rest)]


def label(name: str, text: str, columns: int, *, colour: str | None = None) -> str:
    r"""Return a text behind a label, wrapped below itself.

    >>> label("warning", "few judges", 16)
    '\x1b[2mwarning \x1b[0mfew\n        judges'
    """
    room = max(WIDTH, width(name) + 1)
    lines = wrap(escape_control(text), columns - room)
    first = click.style(pad(name, room), dim=colour is None, fg=colour)
    return ("\n" + " " * room).join([first + lines[0], *lines[1:]])


def align(rows: Sequence[Sequence[str]], left: Sequence[int] = (1,)) -> list[list[str]]:
    """Pad the cells of a table to common widths; all columns but those in `left` stand right."""
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        [pad(cell, widths[i], right=i not in left) for i, cell in enumerate(row)] for row in rows
    ]


def bar(ends: tuple[float, float, float], scale: tuple[float, float], cells: int) -> str:
    low, high = scale
    span = high - low or 1.0
    places = (round((value - low) / span * (cells - 1)) for value in ends)
    start, middle, end = (min(max(place, 0), cells - 1) for place in places)
    drawn = [" "] * cells
    drawn[start : end + 1] = "─" * (end - start + 1)
    drawn[middle] = "●"
    return "".join(drawn)


def block(name: str, lines: Sequence[str], columns: int) -> list[str]:
    """Return lines of which only the first carries the label; none begins with that word again."""
    return [
        label(name if i == 0 else "", line.removeprefix(f"{name} "), columns)
        for i, line in enumerate(lines)
    ]


def sign(signature: str, columns: int) -> str:
    """Return the signature, broken only between its parts, and within one that is too long."""
    room = columns - WIDTH
    parts = [
        re.sub("(?<![,;]) ", "\u00a0", part) if width(part) > room else part.replace(" ", "\u00a0")
        for part in signature.split(" | ")
    ]
    return label("sign", "\u00a0| ".join(parts), columns).replace("\u00a0", " ")


MAX_PART: Final = 60  # Columns of what all names share, where that is said
_BREAKS: Final = re.compile(r"[.\-_/ :]")


def shorten(names: Sequence[str]) -> tuple[list[str], str]:
    """Take away what all names begin and end with, up to a sign between words."""
    if len({*names}) < 2:
        return list(names), ""
    begin = _shared(names)
    begin = begin[: max((one.end() for one in _BREAKS.finditer(begin)), default=0)]
    rest = [name[len(begin) :] for name in names]
    finish = _shared([name[::-1] for name in rest])[::-1]
    match = _BREAKS.search(finish)
    finish = finish[match.start() :] if match else ""
    short = [name.removesuffix(finish) for name in rest] if finish else rest
    if not all(short):
        return list(names), ""
    taken = [f"'{cut(part, MAX_PART)}'" for part in (begin, finish) if part]
    return short, f"names without {' and '.join(taken)}" if taken else ""


def tell_apart(names: Iterable[str], columns: int) -> dict[str, str]:
    """Cut names that are too long so that all of them still differ.

    The middle goes, as in `cut`. Names that this leaves alike keep the part in which they differ,
    else their end, else their beginning; where nothing helps they are numbered by name.
    """
    whole = {name: escape_control(name) for name in dict.fromkeys(names)}
    shown = {name: cut(text, columns) for name, text in whole.items()}
    looks: dict[str, list[str]] = {}
    for name in sorted(shown):
        looks.setdefault(shown[name], []).append(name)
    for same in (one for one in looks.values() if len(one) > 1):
        texts = [whole[name] for name in same]
        others = {text for name, text in shown.items() if name not in same}
        begin = len(_shared(texts))
        finish = len(_shared([text[begin:][::-1] for text in texts]))
        for shortened in (
            [_cut_around(text, begin, len(text) - finish, columns) for text in texts],
            ["…" + _begin(text[::-1], columns - 1)[::-1] for text in texts],
            [_begin(text, columns - 1) + "…" for text in texts],
        ):
            if len({*shortened} - others) == len(same):
                break
        else:  # numbers behind them, but those that would make one look like another name
            shortened, numbers = [], count(1)
            for text in texts:
                taken = {*others, *shortened}
                marks = (f"…{number}" for number in numbers)
                tried = (_begin(text, columns - len(mark)) + mark for mark in marks)
                shortened.append(next(one for one in tried if one not in taken))
        shown |= zip(same, shortened, strict=True)
    return shown


def _begin(name: str, columns: int) -> str:
    while width(name) > max(columns, 0):
        name = name[:-1]
    return name


def _cut_around(name: str, start: int, stop: int, columns: int) -> str:
    head, tail, text = name[:start], name[stop:], name
    while width(text) > columns and (head or tail):
        head, tail = (head[:-1], tail) if width(head) >= width(tail) else (head, tail[1:])
        before = "…" if len(head) < start else ""
        behind = "…" if len(tail) < len(name) - stop else ""
        text = head + before + name[start:stop] + behind + tail
    return cut(text, columns)


def _shared(names: Sequence[str]) -> str:
    first, last = min(names), max(names)  # what the first and the last share, all share
    same = (a == b for a, b in zip(first, last, strict=False))
    return first[: next((i for i, one in enumerate(same) if not one), len(first))]


# Cells of a bar, and the columns that a name has beside it
BARS: Final = ((24, 24), (20, 20), (14, 16), (10, 10))
MIN_NAME: Final = 10  # Columns at which a name need not be cut much
MIN_LIST: Final = 20  # Columns that a list of names needs, else it is not shown
MIN_PROSE: Final = 24  # Columns that names leave for sentences
GAP: Final = "  "
BAR: Final = re.compile("─*●─*")
COLOURS: Final = {"warning": "red", "note": "yellow"}


def render_text(document: Document, columns: int = PLAIN) -> str:
    """Lay a document out for a terminal: the answer, what it rests on, tables, findings."""
    document = _shorten_sentences(document, columns)
    lines: list[str] = []
    for number, sentence in enumerate(document.answer):
        wrapped = wrap(escape_control(sentence), columns)
        lines += [click.style(line, bold=True) for line in wrapped] if number == 0 else wrapped
    lines += wrap(escape_control(document.basis), columns) if document.basis else []
    parts = document.list_parts("text")
    captioned = sum(isinstance(one, Table) for one in parts) > 1
    for part in parts:
        if isinstance(part, Table):
            drawn = draw_table(part, columns, caption=captioned)
        else:
            drawn = draw_lines(part, columns)
        lines += ["", *drawn] if lines else drawn
    kinds = ((one, one.severity) for one in document.shown)
    findings = [label(kind, one, columns, colour=COLOURS.get(kind)) for one, kind in kinds]
    lines += ["", *findings] if findings else []
    if document.signature:
        lines += [*([] if findings else [""]), sign(document.signature, columns)]
    return "\n".join(lines) + "\n"


def _shorten_sentences(document: Document, columns: int) -> Document:
    """Cut names for which a line has no room in sentences too; tables cut them for themselves."""
    named = (
        one.fetch(row) or ()
        for table in document.tables
        for one in table.columns
        if one.kind in ("name", "names")
        for row in table.rows
    )
    names = {name for one in named for name in ([one] if isinstance(one, str) else one)}
    room = columns - 2 * WIDTH
    long = [name for name in names if max(map(width, name.split(" "))) > room]
    if not long:
        return document
    short = tell_apart(sorted(long), columns // 2)

    def shorten_in(text: str) -> str:
        # an option that names a system must work when it is copied
        for name in () if " --" in text else sorted(long, key=len, reverse=True):
            text = text.replace(name, short[name])
        return text

    parts = tuple(
        replace(one, lines=tuple(map(shorten_in, one.lines)))
        if isinstance(one, Text)
        else replace(one, legend=tuple(map(shorten_in, one.legend)))
        for one in document.parts
    )
    findings = (
        Finding(one.code, shorten_in(one), one.severity, one.values) for one in document.findings
    )
    answer, basis = tuple(map(shorten_in, document.answer)), shorten_in(document.basis)
    return replace(document, answer=answer, basis=basis, parts=parts, findings=tuple(findings))


def draw_lines(text: Text, columns: int) -> list[str]:
    """Return lines that stand as they are, wrapped behind where their words begin."""
    lines = [click.style(escape_control(text.title), bold=True)] if text.title else []
    for line in text.lines:
        words = line.lstrip(" ")
        lines += hang(" " * (len(line) - len(words)), escape_control(words), columns)
    return lines


def draw_table(table: Table, columns: int = PLAIN, *, caption: bool = False) -> list[str]:
    """Return the lines of a table, its titles dim, with a rule where a line stands.

    Where names lack room, columns with a low priority go, then names are cut so that they still
    differ. Bars and lists of names take what is left. What is still too wide is drawn in parts,
    each with the first column again.

    >>> from evenhand.render.document import Column
    >>> columns = (Column("judge", "judge", "name"), Column("n", "n", "count"))
    >>> drawn = draw_table(Table("judges", "", columns, ({"judge": "mira", "n": 12},)))
    >>> [click.unstyle(line) for line in drawn]
    [' judge   n', ' mira   12']
    """
    # taken: what all names share; short: name → what is left of it
    rows, taken, short = table.rows[: table.limit], "", dict[str, str]()
    shown = table.list_columns("text")
    cells = {one: _write_cells(one, rows) for one in shown}
    names = [one for one in shown if one.kind == "name"]
    fill = [one for one in shown if one.kind in ("bar", "names")]  # they take the room that is left
    prose = [one for one in shown if one.kind == "prose"]
    flexible = (*names, *fill, *prose)
    kept = sum(min(_longest(cells[one]), MIN_PROSE) + len(GAP) for one in prose)

    def find_room() -> int:
        fixed = sum(_longest(cells[one]) + len(GAP) for one in cells if one not in flexible)
        return columns - 1 - kept - fixed - len(GAP) * max(len(names) - 1, 0)

    room = find_room()
    bars = (BARS[1][0] + len(GAP)) * any(one.kind == "bar" for one in fill)
    if sum(_longest(cells[one]) for one in names) > room - bars:
        whole = list(dict.fromkeys(name for one in names for name in cells[one][1:]))
        shortened, taken = shorten(whole)
        short = dict(zip(whole, shortened, strict=True))
        for one in names:
            cells[one] = [cells[one][0], *(short[name] for name in cells[one][1:])]
    wanted = sum(min(_longest(cells[one]), MIN_NAME) for one in names)
    while find_room() < wanted:
        plain = [one for one in cells if one not in flexible]
        first = min(plain, key=attrgetter("priority"), default=None)
        if first is None or first.priority == ALWAYS:
            break
        del cells[first]
    room = max(find_room(), wanted)
    longest = sum(_longest(cells[one]) for one in names)
    both = longest + BARS[-1][0] + MIN_LIST + 2 * len(GAP)  # a bar and a list find room
    lists = (one.fetch(row) for one in fill if one.kind == "names" for row in rows)
    listed = room >= both and any(lists)
    for one in fill:
        if one.kind == "bar":
            cells[one] = _draw_bars(one, rows, room - (MIN_LIST + len(GAP)) * listed, longest)
        else:
            left = room - longest - len(GAP)
            cells[one] = _list_names(one, rows, left, short) if left >= MIN_LIST else [""]
        if len(cells[one]) == 1:
            del cells[one]
        else:
            room -= _longest(cells[one]) + len(GAP)
    every = [name for one in names for name in cells[one][1:]]
    shares = _share_room([cells[one] for one in names], room)
    if len({*every}) < sum(len({*cells[one][1:]}) for one in names):
        # a name in several columns is called alike
        shares = [min(max(map(width, every)), room // len(names))] * len(names)
    for one, share_of_room in zip(names, shares, strict=True):
        apart = tell_apart(every, share_of_room)
        cells[one] = [cells[one][0], *(apart[name] for name in cells[one][1:])]
    others = [one for one in cells if one not in prose]
    left = columns - 1 - sum(_longest(cells[one]) + len(GAP) for one in others)
    rooms = _share_room([cells[one] for one in prose], left - len(GAP) * (len(prose) - 1))
    for one, share_of_room in zip(prose, rooms, strict=True):
        cells[one] = ["\n".join(wrap(cell, share_of_room)) for cell in cells[one]]
    rules = [place for place in table.lines if 0 < place < len(rows)]
    lines = [line for part in _divide(cells, columns) for line in _join(part, rules)]
    more = len(table.rows) - len(rows)
    below = [
        f"... and {more:,} more" if more else "",
        taken,
        *(says for one, says in table.means.items() if one in cells),
        *table.legend,
    ]
    above = wrap(escape_control(table.caption), columns) if caption else []
    return [
        *(click.style(line, bold=True) for line in above),
        *lines,
        *(f" {line}" for one in below if one for line in wrap(escape_control(one), columns - 1)),
    ]


def _write_cells(column: Column, rows: Sequence[Row]) -> list[str]:
    """Return the title and the cells; ends of intervals stand below each other."""
    if column.kind in ("bar", "names"):
        return [column.title]
    cells = [escape_control(column.write(row)) for row in rows]
    if column.kind.startswith("interval"):
        ends = [cell.split(" to ") if " to " in cell else ["", ""] for cell in cells]
        padded = [" to ".join(pair) for pair in (align(ends, left=()) if ends else [])]
        cells = [two if " to " in one else one for one, two in zip(cells, padded, strict=True)]
    return [column.title, *cells]


def _longest(cells: Sequence[str]) -> int:
    return max(width(line) for cell in cells for line in cell.split("\n"))


def _share_room(named: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return how many columns each column of names gets: the longest gives way first."""
    shares = [_longest(cells) for cells in named]
    while sum(shares) > max(room, len(shares)):
        shares[shares.index(max(shares))] -= 1
    return shares


def _draw_bars(column: Column, rows: Sequence[Row], room: int, longest: int) -> list[str]:
    """Return the ends of the scale, then a bar for each interval; only a title where none fits."""
    ends = [column.fetch(row) for row in rows]
    known = [one for one in ends if one is not None]
    cells = next((c for c, name in BARS if room - c - len(GAP) >= min(longest, name)), 0)
    if not known or not cells:
        return [""]
    scale = (min(one[0] for one in known), max(one[-1] for one in known))
    left, right = (f"{end:z,.1f}" for end in scale)
    if len(left + right) >= cells:
        left, right = (f"{end:z,.0f}" for end in scale)
    title = left + pad(right, cells - len(left), right=True)
    return [title, *(bar(one, scale, cells) if one is not None else "" for one in ends)]


def _list_names(
    column: Column, rows: Sequence[Row], room: int, short: Mapping[str, str]
) -> list[str]:
    """Return lists of names, each as many as there is room for, and how many more."""
    lists = []
    for row in rows:
        held = column.fetch(row) or ()  # a report holds them as one text
        held = [held] if isinstance(held, str) else held
        names = [short.get(name, name) for name in map(escape_control, map(str, held))]
        for many in range(len(names), -1, -1):
            more = [f"{len(names) - many} more"] if many < len(names) else []
            text = ", ".join([*names[:many], *more])
            if width(text) <= room:
                break
        if names and not many:  # not even one has room
            more = [f"{len(names) - 1} more"] if len(names) > 1 else []
            left = room - sum(width(one) + 2 for one in more)
            text = ", ".join([cut(names[0], left), *more])
        lists.append(text)
    return [column.title, *lists] if any(lists) else [""]


def _divide(
    cells: Mapping[Column, Sequence[str]], columns: int
) -> list[dict[Column, Sequence[str]]]:
    """Return the columns in parts that find room, each with the first column again."""
    (first, lead), *others = cells.items()
    parts, room = [{first: lead}], 0
    for one, column in others:
        taken = _longest(column) + len(GAP)
        if taken > room and len(parts[-1]) > 1:
            parts.append({first: lead})
        if len(parts[-1]) == 1:
            room = columns - 1 - _longest(lead)
        parts[-1][one] = column
        room -= taken
    return parts


def _join(cells: Mapping[Column, Sequence[str]], rules: Sequence[int]) -> list[str]:
    left = [i for i, one in enumerate(cells) if one.left]
    whole = ([cell.split("\n") for cell in row] for row in zip(*cells.values(), strict=True))
    wrapped = [list(zip_longest(*row, fillvalue="")) for row in whole]
    rows = align([line for lines in wrapped for line in lines], left)
    lines = [" " + GAP.join(row).rstrip() for row in rows]
    starts = [0, *accumulate(len(lines) for lines in wrapped)]
    rule = click.style(" " + "┈" * (max(map(width, lines[: starts[1]])) - 1), dim=True)
    drawn = [click.style(line, dim=True) for line in lines[: starts[1]]]
    for place, line in enumerate(lines[starts[1] :], start=starts[1]):
        coloured = BAR.sub(lambda found: click.style(found[0], fg="cyan"), line)
        drawn += [rule, coloured] if place in {starts[one + 1] for one in rules} else [coloured]
    return drawn
