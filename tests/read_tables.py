"""Reading a table and counting it in one step, and what is said of one that is refused."""

from collections.abc import Mapping
from typing import Any

import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.data.rankings import Rankings
from evenhand.data.tally import Tally
from evenhand.errors import EvenhandError
from evenhand.formats.reading import read

Counts = Mapping[tuple[str, str], tuple[float, float, float]]


def tally_of(source: Any, by: tuple[str, ...] = (), **wishes: Any) -> Tally:
    """Read comparisons or rankings and count them."""
    data = read(source, **wishes)
    comparisons = data.comparisons() if isinstance(data, Rankings) else data
    assert isinstance(comparisons, Comparisons), f"{data} has nothing to count"
    return comparisons.tally(by)


def cells_of(tally: Tally) -> Counts:
    """Name the cells of a tally: (left, right) → wins, ties, losses of left."""
    names = tally.systems
    sides = zip(tally.left.tolist(), tally.right.tolist(), tally.counts.tolist(), strict=True)
    return {(names[left], names[right]): tuple(counts) for left, right, counts in sides}


def refusal(source: Any, kind: type[EvenhandError] = EvenhandError, **wishes: Any) -> str:
    """Read and count what must be refused; return the one line that says so."""
    with pytest.raises(kind) as caught:
        tally_of(source, **wishes)
    words = str(caught.value)
    assert "\n" not in words
    assert " nan" not in words.lower()
    assert isinstance(caught.value, ValueError)
    return words


def rows_of(source: Any, **wishes: Any) -> list[dict[str, Any]]:
    """Read a table and return its rows; missing numbers are None."""
    data = source if hasattr(source, "frame") else read(source, **wishes)
    columns = fetch_columns(data.frame)
    parts = [
        [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - nan
        for column in columns.values()
    ]
    return [dict(zip(columns, values, strict=True)) for values in zip(*parts, strict=True)]
