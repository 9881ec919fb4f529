"""Long names where there is little room: without what all share, and cut so that none are alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Final

from evenhand.cli.terminal import cut, width
from evenhand.report.signs import visible

_BREAKS: Final = re.compile(r"[.\-_/ :]")


def shorten(names: Sequence[str]) -> tuple[list[str], str]:
    """Take away what all names begin and end with, up to a sign between words."""
    if len(names) < 2:
        return list(names), ""
    begin = _shared(names)
    begin = begin[: max((one.end() for one in _BREAKS.finditer(begin)), default=0)]
    rest = [name[len(begin) :] for name in names]
    finish = _shared([name[::-1] for name in rest])[::-1]
    found = _BREAKS.search(finish)
    finish = finish[found.start() :] if found else ""
    short = [name.removesuffix(finish) for name in rest] if finish else rest
    if not all(short):
        return list(names), ""
    taken = [f"'{part}'" for part in (begin, finish) if part]
    return short, f"names without {' and '.join(taken)}" if taken else ""


def tell_apart(names: Iterable[str], columns: int) -> dict[str, str]:
    """Cut names that are too long so that all of them still differ.

    The middle goes, as in `cut`. Names that this leaves alike keep the part in which they differ,
    else their end, else their beginning; where nothing helps they are numbered by name.
    """
    whole = {name: visible(name) for name in dict.fromkeys(names)}
    shown = {name: cut(text, columns) for name, text in whole.items()}
    for same in _alike(shown):
        texts = [whole[name] for name in same]
        others = {text for name, text in shown.items() if name not in same}
        for way in (_keep_difference, _keep_end, _keep_beginning):
            found = way(texts, columns)
            if len({*found} - others) == len(same):
                break
        else:
            found = _number(texts, columns, others)
        shown |= zip(same, found, strict=True)
    return shown


def _alike(shown: Mapping[str, str]) -> list[list[str]]:
    """Return the names that look alike, by name."""
    looks: dict[str, list[str]] = {}
    for name in sorted(shown):
        looks.setdefault(shown[name], []).append(name)
    return [same for same in looks.values() if len(same) > 1]


def _keep_difference(names: Sequence[str], columns: int) -> list[str]:
    begin = len(_shared(names))
    finish = len(_shared([name[begin:][::-1] for name in names]))
    return [_cut_around(name, begin, len(name) - finish, columns) for name in names]


def _keep_end(names: Sequence[str], columns: int) -> list[str]:
    return ["…" + _begin(name[::-1], columns - 1)[::-1] for name in names]


def _keep_beginning(names: Sequence[str], columns: int) -> list[str]:
    return [_begin(name, columns - 1) + "…" for name in names]


def _number(names: Sequence[str], columns: int, others: set[str]) -> list[str]:
    """Put numbers behind names, passing over those that would make one look like another name."""
    found: list[str] = []
    numbers = count(1)
    for name in names:
        taken = {*others, *found}
        marks = (f"…{number}" for number in numbers)
        tried = (_begin(name, columns - len(mark)) + mark for mark in marks)
        found.append(next(text for text in tried if text not in taken))
    return found


def _begin(name: str, columns: int) -> str:
    """Return as much of the beginning as there is room for."""
    while width(name) > max(columns, 0):
        name = name[:-1]
    return name


def _cut_around(name: str, start: int, stop: int, columns: int) -> str:
    """Keep name[start:stop], and as much before and behind it as there is room for."""
    head, tail = name[:start], name[stop:]
    found = name
    while width(found) > columns and (head or tail):
        if width(head) >= width(tail):
            head = head[:-1]
        else:
            tail = tail[1:]
        before = "…" if len(head) < start else ""
        behind = "…" if len(tail) < len(name) - stop else ""
        found = head + before + name[start:stop] + behind + tail
    return cut(found, columns)


def _shared(names: Sequence[str]) -> str:
    """Return what all names begin with."""
    first, last = min(names), max(names)  # what the first and the last share, all share
    same = (a == b for a, b in zip(first, last, strict=False))
    return first[: next((i for i, one in enumerate(same) if not one), len(first))]
