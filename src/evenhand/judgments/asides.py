"""What was recorded beside a judgment, as numbers: its kind, what was expected, how long."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import end, listing, suggest
from evenhand.judgments.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.judgments.tally import Codes

Array: TypeAlias = NDArray[np.float64]
Small: TypeAlias = NDArray[np.int8]

# Label in folded case → kind, and direction of a control. TGT, CHK, REF and BAD are Appraise's.
KINDS: Final[Mapping[str, tuple[int, int]]] = {
    "target": (TARGET, 0),
    "tgt": (TARGET, 0),
    "repeat": (REPEAT, 0),
    "chk": (REPEAT, 0),
    "control": (CONTROL, 0),
    "good": (CONTROL, 1),
    "ref": (CONTROL, 1),
    "bad": (CONTROL, -1),
}

# What may be expected of a control where no score is
DIRECTIONS: Final[Mapping[str, int]] = {"good": 1, "bad": -1}


@dataclass(frozen=True, eq=False)
class Kinds:
    """Which judgments are controls and repeats."""

    kind: Small | None = None  # (n,) TARGET, REPEAT or CONTROL; None where nothing says so
    # (n,) of controls: +1 known good, -1 known bad, 0 unknown; None without kinds
    direction: Small | None = None
    notes: tuple[str, ...] = ()  # what must be said of them


class Unread(Exception):
    """A column does not hold what its role needs."""


def is_kind(label: str | None) -> bool:
    """Say whether a label is a kind of judgment; a missing one is, a target.

    >>> is_kind("TGT"), is_kind(None), is_kind("chat")
    (True, True, False)
    """
    return not label or label.casefold() in KINDS


def tell_kinds(labels: Sequence[str]) -> list[tuple[int, int]]:
    """Return kind and direction of each label."""
    unknown = [label for label in labels if not is_kind(label)]
    if unknown:
        hint = end(suggest(unknown[0], KINDS))
        raise Unread(f"holds {listing(unknown, 5)}: expected {' | '.join(KINDS)}{hint}")
    return [KINDS[label.casefold()] if label else (TARGET, 0) for label in labels]


def read_kinds(labels: Sequence[str], codes: Codes) -> Kinds:
    """Tell controls and repeats from targets.

    codes: (n,) label of each judgment.
    """
    meant = tell_kinds(labels)
    kind, direction = (np.array(part, dtype=np.int8)[codes] for part in zip(*meant, strict=True))
    n = int(np.array([not label for label in labels])[codes].sum())
    if not n:
        return Kinds(kind, direction)
    return Kinds(
        kind, direction, (f"judgments without a kind are targets: {n:,} of {len(codes):,}",)
    )


def read_expected_scores(values: NDArray[Any]) -> tuple[Array, Small]:
    """Read what is expected of ratings: a score, or good or bad.

    Returns expected scores, NaN where there is none; and directions, 0 where there is none.
    """
    direction = np.zeros(len(values), dtype=np.int8)
    if values.dtype.kind in "iuf":
        return values.astype(np.float64), direction
    texts = [_text(value).casefold() for value in values.tolist()]
    direction[:] = [DIRECTIONS.get(text, 0) for text in texts]
    numbers = ["nan" if text in DIRECTIONS or not text else text for text in texts]
    return _numbers(numbers, "expected are a score, good or bad"), direction


def read_expected_outcomes(
    labels: Sequence[str], codes: Codes, meaning: Callable[[str], int]
) -> Small:
    """Read what is expected of comparisons.

    codes: (n,) label of each judgment.
    Returns: (n,) outcomes, -1 where none is expected.
    """
    meant = [meaning(label) if label else -1 for label in labels]
    unknown = [label for label, one in zip(labels, meant, strict=True) if label and one < 0]
    if unknown:
        raise Unread(f"holds {listing(unknown, 5)}, no outcomes such as left, tie or right")
    return np.array(meant, dtype=np.int8)[codes]


def read_seconds(values: NDArray[Any]) -> tuple[Array, tuple[str, ...]]:
    """Read how long judgments took; times that cannot be are unknown, and counted."""
    if values.dtype.kind in "iuf":
        seconds = values.astype(np.float64)
    elif values.dtype.kind == "m":
        seconds = values.astype("timedelta64[us]").astype(np.float64) / 1e6
    else:
        texts = [_text(value) or "nan" for value in values.tolist()]
        seconds = _numbers(texts, "seconds are numbers")
    bad = (seconds < 0) | np.isinf(seconds)
    if not bad.any():
        return seconds, ()
    note = f"times that are negative or endless are unknown: {bad.sum():,} of {len(seconds):,}"
    return np.where(bad, np.nan, seconds), (note,)


def mark_controls(kinds: Kinds, given: NDArray[np.bool_], direction: Small | None) -> Kinds:
    """Make controls of judgments of which something is expected, where no column says kinds.

    given: (n,) whether something is expected.
    direction: (n,) whether that is "good" or "bad"; 0 elsewhere.
    """
    if kinds.kind is None:
        kind = np.where(given, CONTROL, TARGET).astype(np.int8)
        return Kinds(kind, np.zeros(len(kind), np.int8) if direction is None else direction)
    spare = int((given & (kinds.kind != CONTROL)).sum())
    notes = kinds.notes
    if spare:
        notes += (f"what is expected of judgments that are no controls is not used: {spare:,}",)
    both = kinds.direction
    if both is not None and direction is not None:
        both = np.where((direction != 0) & (kinds.kind == CONTROL), direction, both)
        both = both.astype(np.int8)
    return Kinds(kinds.kind, both, notes)


def _numbers(texts: list[str], expected: str) -> Array:
    try:
        return np.array(texts, dtype=np.float64)
    except ValueError:
        odd = [text for text in dict.fromkeys(texts) if not _is_number(text)]
        raise Unread(f"holds {listing(odd, 5)}: {expected}") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _text(value: Any) -> str:
    """Return a value as text; a missing one is empty."""
    if value is None or value != value:  # noqa: PLR0124 - nan is the only value that differs from itself
        return ""
    return str(value).strip()
