"""Judges as a map: how far each agrees with the others, and how severe each is; drawn as SVG.

Across stands the slope on what the others say: 1 and more follows them, 0 says nothing, below 0
the contrary. Upwards stands severity: for scores how far below the others, for votes, which know no
severity, how often the text that is shown first would win between equals.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, floor, log10
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from evenhand.judges.cards import Card, Screening

# Evidence that tells the agreement with the others, of ratings and of votes
ACROSS: Final = ("others' scores", "slope")
LEFT, RIGHT, TOP, BOTTOM = 40.0, 348.0, 26.0, 252.0  # Where the drawing lies in a box of 360 by 300
# Shapes of classes; habits are squares, others circles
SHAPES: Final = {"reversed": "diamond", "careless": "triangle"}
LINE: Final = 13.0  # Height of a line of text
LETTER: Final = 6.4  # Width of a letter, more than most fonts take
SIZE: Final = 8.0  # From the middle of a mark to its edge, and a little more
SMALL: Final = 5.0  # The same of a mark that is not flagged
Label = tuple[float, float, str]
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Mark:
    """A judge on the map."""

    judge: str  # the name
    n: int  # judgments
    across: float  # agreement
    ends: tuple[float, float] | None  # interval of it; None where there is none
    up: float  # severity
    flags: tuple[str, ...]  # what the judge is flagged for
    known: bool  # whether a careless judge with as many judgments would have been found
    x: float = 0.0  # where it is drawn
    y: float = 0.0  # where it is drawn
    shape: str = "circle"  # circle, square, diamond or triangle
    label: Label | None = None  # x, y and anchor of the name; None where it has none


@dataclass(frozen=True)
class JudgeMap:
    """A map of judges."""

    marks: tuple[Mark, ...]  # judges who have a place on it
    absent: tuple[tuple[str, int], ...]  # judges of whom too little is known, with their judgments
    across: tuple[tuple[float, str], ...]  # places of ticks and their texts
    up: tuple[tuple[float, str], ...]  # places of ticks and their texts
    title: str  # what stands upwards
    unit: str  # its unit


def draw_map(found: Screening) -> JudgeMap:
    """Place the judges of a screening."""
    scores = found.kind == "ratings"
    read = [(card, _place(card, scores=scores)) for card in found.cards]
    marks = [one for _, one in read if one is not None]
    absent = tuple((card.judge, card.n) for card, one in read if one is None)
    title = "severity: points below the others" if scores else "leaning to what is shown first"
    unit = "points" if scores else "%"
    if not marks:
        return JudgeMap((), absent, (), (), title, unit)
    middle = 0.0 if scores else 50.0
    wide = _Scale.over([*(one.across for one in marks), 0.0, 1.0], LEFT + 12, RIGHT - 12)
    high = _Scale.over([*(one.up for one in marks), middle], BOTTOM - 12, TOP + 12)
    drawn = [_draw(one, wide, high) for one in marks]
    return JudgeMap(_label(drawn), absent, wide.ticks(), high.ticks(), title, unit)


def _place(card: Card, *, scores: bool) -> Mark | None:
    """Return where a judge stands; None where that is not known."""
    told = {one.name: one for one in card.evidence}
    slope = next((told[name] for name in ACROSS if name in told), None)
    above = told.get("severity" if scores else "position")
    if slope is None or slope.value is None or above is None or above.value is None:
        return None
    up = -above.value if scores else 100 / (1 + exp(-above.value))
    ends = None
    if slope.lower is not None and slope.upper is not None:
        ends = (slope.lower, slope.upper)
    return Mark(card.judge, card.n, slope.value, ends, up, card.flags, card.testable)


@dataclass(frozen=True)
class _Scale:
    """A straight scale."""

    low: float  # the lowest value
    high: float  # the highest
    start: float  # where the lowest is drawn
    end: float  # where the highest is drawn

    @classmethod
    def over(cls, values: list[float], start: float, end: float) -> _Scale:
        """Return the scale that holds all values."""
        low, high = min(values), max(values)
        return cls(low, high, start, end) if high > low else cls(low - 1, low + 1, start, end)

    def at(self, value: float) -> float:
        """Return where a value is drawn."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Return round values, some four of them, and where they are drawn."""
        rough = (self.high - self.low) / 4
        size = 10.0 ** floor(log10(rough))
        step = next(one * size for one in (1, 2, 5, 10) if one * size >= rough)
        first, last = -floor(-self.low / step), floor(self.high / step)
        digits = max(0, -floor(log10(step)))
        values = [number * step for number in range(first, last + 1)]
        return tuple((self.at(one), f"{one:z.{digits}f}") for one in values)


def _draw(one: Mark, wide: _Scale, high: _Scale) -> Mark:
    """Draw a judge."""
    shape = next((SHAPES[flag] for flag in one.flags if flag in SHAPES), "")
    shape = shape or ("square" if one.flags else "circle")
    return replace(one, x=wide.at(one.across), y=high.at(one.up), shape=shape)


def _label(drawn: list[Mark]) -> tuple[Mark, ...]:
    """Write names beside marks, over no other name; those who are flagged have one in any case."""
    flagged = [one for one in drawn if one.flags]
    taken = [_cover(one) for one in flagged]
    labels: dict[str, Label] = {}
    for one in flagged:
        wide = LETTER * (len(one.judge) + 1 + len(one.flags[0]))
        tried = [(label, _box(label, wide)) for label in _list_places(one)]
        free = [(label, box) for label, box in tried if _fits(box, taken)]
        label, box = (free or tried)[0]
        labels[one.judge] = label
        taken.append(box)
    labels |= _label_others([one for one in drawn if not one.flags], taken)
    return tuple(replace(one, label=labels.get(one.judge)) for one in drawn)


def _label_others(drawn: list[Mark], taken: list[Box]) -> dict[str, Label]:
    """Write names right beside marks that are not flagged, where nothing else stands."""
    covered = {one.judge: _cover(one, SMALL) for one in drawn}
    labels: dict[str, Label] = {}
    for one in drawn:
        others = [box for judge, box in covered.items() if judge != one.judge]
        for label in _list_places(one, lines=1):
            box = _box(label, LETTER * len(one.judge))
            if _fits(box, [*taken, *others]):
                labels[one.judge] = label
                taken.append(box)
                break
    return labels


def _cover(one: Mark, size: float = SIZE) -> Box:
    """Return what a mark covers."""
    return one.x - size, one.y - size, one.x + size, one.y + size


def _list_places(one: Mark, *, lines: int = 7) -> list[Label]:
    """Return where a name may stand: right, left, and then some lines higher and lower."""
    sides = ((SIZE + 2, "start"), (-SIZE - 2, "end"))
    rows = [0.0, *(sign * LINE * k for k in range(1, lines + 1) for sign in (-1, 1))]
    places = ((one.x + dx, one.y + 4 + dy, anchor) for dy in rows for dx, anchor in sides)
    return [(round(x, 1), round(y, 1), anchor) for x, y, anchor in places]


def _box(label: Label, wide: float) -> Box:
    """Return what a name covers."""
    x, y, anchor = label
    left = x if anchor == "start" else x - wide
    return left, y - LINE + 3, left + wide, y + 3


def _fits(box: Box, taken: list[Box]) -> bool:
    """Say whether a name covers nothing else and stays inside."""
    left, top, right, bottom = box
    if left < LEFT or right > RIGHT + 8 or top < TOP - LINE or bottom > BOTTOM:
        return False
    return not any(left < c and a < right and top < d and b < bottom for a, b, c, d in taken)
