"""The scale on which ratings are given, as it was declared or as it was seen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, end, listing, suggest
from evenhand.judgments.rating_rows import RatingRows

Array = NDArray[np.float64]

# Most steps of one that a scale can have; with more it has none worth telling apart
STEPS: Final = 10_000

_WHOLE: Final = re.compile(r"\s*([+-]?\d+)\s*-\s*([+-]?\d+)\s*")


@dataclass(frozen=True)
class Scale:
    """Points that a score can take."""

    low: float  # lowest score
    high: float  # highest score
    # all scores that can be given, ascending; None on a scale without steps
    points: tuple[float, ...] | None = None
    declared: bool = False  # whether somebody said so; else it is what was seen

    def check(self, scores: Array) -> None:
        """Refuse scores that are not on a declared scale."""
        off = (scores < self.low) | (scores > self.high)
        if self.points is not None:
            off |= ~np.isin(scores, self.points)
        if self.declared and off.any():
            n, found = int(off.sum()), np.unique(scores[off])
            is_are = "score is" if n == 1 else "scores are"
            raise InvalidJudgments(
                f"{n:,} {is_are} not on the scale {self}: {listing(_numbers(found), 5)}; correct"
                " them, leave them out, or say what the scale is"
            )

    def __str__(self) -> str:
        """Return the ends, and the points where they are not steps of one."""
        if self.points is None:
            return f"{self.low:g} to {self.high:g} without steps"
        if len(self.points) == self.high - self.low + 1:
            return f"{self.low:g} to {self.high:g}"
        return listing(_numbers(np.array(self.points)))


def read_scale(text: str) -> Scale:
    """Understand "1-5" (steps of one), "0-100", "0..1" (no steps) or "1,2,3,5"."""
    whole = _WHOLE.fullmatch(text)
    mark = "-" if whole else ".." if ".." in text else ","
    try:
        ends = [float(one) for one in (whole.groups() if whole else text.split(mark))]
    except ValueError:
        raise _none(text) from None
    if not np.isfinite(ends).all() or len(ends) < 2 or (mark == ".." and len(ends) > 2):
        raise _none(text)
    points = tuple(sorted(set(ends))) if mark == "," else None
    low, high = (points[0], points[-1]) if points else ends
    if not low < high:
        raise UnknownOption(f"scale '{text}': a low end comes first, then a higher one")
    if mark == "-":
        if high - low > STEPS:
            raise UnknownOption(
                f"scale '{text}' has {high - low:,.0f} steps, more than {STEPS:,}: write"
                f" {low:g}..{high:g} for a scale without steps"
            )
        points = tuple(np.arange(low, high + 1).tolist())
    return Scale(low, high, points, declared=True)


def _none(text: str) -> UnknownOption:
    return UnknownOption(
        f"scale '{text}' is none: write 1-5 for whole steps, 0..1 for no steps, or 1,2,3,5"
    )


def require_scale(scale: Scale | str | None) -> Scale | None:
    """Return a scale that was asked for, in text or as it is."""
    if scale is None or isinstance(scale, Scale):
        return scale
    if not isinstance(scale, str):
        raise _none(str(scale))
    return read_scale(scale)


def see_scale(scores: Array) -> Scale:
    """Return the scale that scores seem to have: the different values that occur."""
    if not len(scores):
        raise InvalidJudgments("no scores: no scale can be seen")
    points = np.unique(scores)
    return Scale(float(points[0]), float(points[-1]), tuple(points.tolist()))


def choose_scales(
    rows: RatingRows, declared: Scale | str | Mapping[str, Scale | str] | None = None
) -> dict[str, Scale]:
    """Return the scale of each criterion that has one: as declared, else as it is seen."""
    scales = dict(declared) if isinstance(declared, Mapping) else {}
    unknown = [name for name in scales if name not in rows.criteria]
    if unknown:
        hint = end(suggest(unknown[0], rows.criteria))
        raise UnknownOption(
            f"no criterion '{unknown[0]}' for a scale: there are {listing(rows.criteria)}{hint}"
        )
    if declared is not None and not isinstance(declared, Mapping):
        scales = dict.fromkeys(rows.criteria, declared)
    chosen = {}
    for code, name in enumerate(rows.criteria):
        scores = rows.score[rows.criterion == code]
        own = scales.get(name)
        if own is None and not len(scores):
            continue
        scale = require_scale(own) or see_scale(scores)
        try:
            scale.check(scores)
        except InvalidJudgments as error:
            raise InvalidJudgments(f"{name}: {error}" if name else str(error)) from None
        chosen[name] = scale
    return chosen


def _numbers(values: Array) -> list[str]:
    return [f"{value:g}" for value in values.tolist()]
