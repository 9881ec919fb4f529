"""Small tables of comparisons by the names of systems, and what is said of one refused."""

import numpy as np
import pytest

from evenhand.errors import NotIdentified
from evenhand.models.existence import Cells, check_existence


def cells(*rows: tuple[str, str, float, float, float], also: str = "") -> Cells:
    """Cells of (left, right, wins, ties, losses); `also` are systems without a row."""
    systems = tuple(sorted({*also, *(name for row in rows for name in row[:2])}))
    code = {name: np.int32(i) for i, name in enumerate(systems)}
    sides = (np.array([code[row[side]] for row in rows], dtype=np.int32) for side in (0, 1))
    counts = np.array([row[2:] for row in rows], dtype=float).reshape(-1, 3)
    return Cells(systems, *sides, *counts.T)


def refusal(table: Cells, ties: str = "davidson", *, order_effect: bool = False) -> str:
    with pytest.raises(NotIdentified) as caught:
        check_existence(table, ties=ties, order_effect=order_effect)
    message = str(caught.value)
    assert "\n" not in message
    return message
