"""Small tables of comparisons by the names of systems, and what is said of one refused."""

import numpy as np
import pytest

from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified
from evenhand.models.existence import check_existence


def cells(*rows: tuple[str, str, float, float, float], also: str = "") -> Tally:
    """Cells of (left, right, wins, ties, losses); `also` are systems without a row."""
    systems = tuple(sorted({*also, *(name for row in rows for name in row[:2])}))
    code = {name: np.int32(i) for i, name in enumerate(systems)}
    sides = (np.array([code[row[side]] for row in rows], dtype=np.int32) for side in (0, 1))
    counts = np.array([row[2:] for row in rows], dtype=float).reshape(-1, 3)
    return Tally(systems, *sides, *counts.T)


def refusal(table: Tally, ties: str = "davidson", *, order_effect: bool = False) -> str:
    by = "group" if "group" in table.factors else None
    with pytest.raises(NotIdentified) as caught:
        check_existence(table, ties=ties, order_effect=order_effect, by=by)
    message = str(caught.value)
    assert "\n" not in message
    return message
