"""Names beside points, where they neither cover points nor each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LETTER: Final = 5.8  # Width of a letter at the size that names have, in pixels; on the safe side
LINE: Final = 12.0  # Height of a name
GAP: Final = 8.0  # From the middle of a point to its name
POINT: Final = 5.0  # Half of what a point covers

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Name:
    """Where the name of a point stands."""

    at: int  # number of the point
    side: str  # "left" or "right" of it


def place_names(
    points: Sequence[tuple[float, float]], names: Sequence[str], width: float
) -> list[Name]:
    """Choose a side for each name; a name without room is left out."""
    taken: list[Box] = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in points]
    placed = []
    for at, (name, (x, y)) in enumerate(zip(names, points, strict=True)):
        long = LETTER * len(name)
        others = [box for i, box in enumerate(taken) if i != at]
        for side in ("right", "left"):
            start = x + GAP if side == "right" else x - GAP - long
            box = (start, y - LINE / 2, start + long, y + LINE / 2)
            if start >= 0 and start + long <= width and not any(_meet(box, one) for one in others):
                taken.append(box)
                placed.append(Name(at, side))
                break
    return placed


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def spread(places: Sequence[float], least: float, ends: tuple[float, float]) -> list[float]:
    """Move places apart as little as need be, so that none is nearer to the next than `least`.

    Places that meet are moved as one block around their mean; the order stays.
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    blocks: list[tuple[float, list[int]]] = []  # middle, members
    for at in order:
        blocks.append((_hold(places[at], 1, least, ends), [at]))
        while len(blocks) > 1 and _touch(blocks[-2], blocks[-1], least):
            members = blocks[-2][1] + blocks[-1][1]
            middle = sum(places[one] for one in members) / len(members)
            blocks[-2:] = [(_hold(middle, len(members), least, ends), members)]
    found = list(places)
    for middle, members in blocks:
        for i, at in enumerate(members):
            found[at] = middle + (i - (len(members) - 1) / 2) * least
    return found


def _hold(middle: float, members: int, least: float, ends: tuple[float, float]) -> float:
    """Keep a block between the ends."""
    half = (members - 1) / 2 * least
    return max(min(middle, ends[1] - half), ends[0] + half)


def _touch(one: tuple[float, list[int]], other: tuple[float, list[int]], least: float) -> bool:
    room = (len(one[1]) + len(other[1])) / 2 * least
    return other[0] - one[0] < room
