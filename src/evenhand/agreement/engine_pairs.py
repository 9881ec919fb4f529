"""What was compared becomes a number, whichever output stood left, in the engine that holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import narwhals as nw
import numpy as np

from evenhand.agreement.engine_rows import NeedsRows
from evenhand.judgments.checks import is_name
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, Frame, fetch_columns, label_frame, small_table
from evenhand.judgments.portable import mark

TURNED: Final = "evenhand_turned"
"""1 where the system that is first by name stood right, else 0."""
ODD: Final = "labels that cannot be are named with their rows"
_SYSTEM: Final = "evenhand_system"


def find_systems(frame: Frame) -> tuple[str, ...]:
    """Return the names of all systems, sorted.

    Raises:
        NeedsRows: a name that is missing or odd.

    """
    sides: list[Any] = [
        frame.group_by(side).agg(nw.len().alias(COUNT)).select(nw.col(side).alias(_SYSTEM))
        for side in ("left", "right")
    ]
    names = set(fetch_columns(nw.concat(sides))[_SYSTEM].tolist())
    if not all(map(is_name, names)):
        raise NeedsRows(ODD)
    return tuple(sorted(names))


def name_answers(
    data: Comparisons, frame: Frame, systems: Sequence[str], meaning: Mapping[str, int]
) -> Frame:
    """Add the pair of systems as a number, the answer, and who stood left.

    Args:
        data: comparisons.
        frame: their rows.
        systems: names, sorted.
        meaning: outcome → 1 for left, 0 for a tie, −1 for right.

    """
    for side in ("left", "right"):
        frame = _number_side(data, frame, side, systems)
    left, right = (nw.col(_code(side)) for side in ("left", "right"))
    said = _is_said(meaning, 1) - _is_said(meaning, -1)
    size, first = len(systems), left < right
    return frame.with_columns(
        nw.when(first).then(left * size + right).otherwise(right * size + left).alias("system"),
        nw.when(first).then(said).otherwise(said * -1).alias("score"),
        mark(left > right).alias(TURNED),
    )


def _is_said(meaning: Mapping[str, int], at: int) -> nw.Expr:
    """Return 1 where an outcome has a meaning, else 0."""
    words = [name for name, sign in meaning.items() if sign == at]
    return mark(nw.col("outcome").is_in(words or [""]))  # no outcome is empty


def _number_side(data: Comparisons, frame: Frame, side: str, systems: Sequence[str]) -> Frame:
    """Join with the numbers of the systems on one side."""
    connection, name = data.source.connection, _code(side)
    table = label_frame(frame, {side: systems, name: np.arange(len(systems))}, connection)
    if table is None:
        texts = [str(at) for at in range(len(systems))]
        table = small_table(frame, {side: systems, name: texts}, connection)
    table = table.with_columns(nw.col(name).cast(nw.Int64))
    joined: Frame = frame.join(table, on=side, how="inner")  # type: ignore[arg-type]
    return joined


def _code(side: str) -> str:
    return f"evenhand_{side}"
