"""Tables of judges by items as ratings, for tests of agreement."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from evenhand.data.rating_rows import RatingRows, Scale
from evenhand.judges.counts import Coincidences, count_coincidences, form_blocks
from evenhand.judges.units import Units, find_units

Matrix = Sequence[Sequence[float | None]]


def rows_of(matrix: Matrix) -> RatingRows:
    """One row per score; rows of the matrix are judges, columns items, None is missing."""
    cells = [
        (judge, item, score)
        for judge, row in enumerate(matrix)
        for item, score in enumerate(row)
        if score is not None
    ]
    judge, item, score = (np.array(column) for column in zip(*cells, strict=True))
    none = np.zeros(len(cells), dtype=np.int32)
    return RatingRows(
        ("",),
        names("judge", len(matrix)),
        names("item", len(matrix[0])),
        ("system",),
        ("",),
        none,
        judge.astype(np.int32),
        item.astype(np.int32),
        none,
        none,
        score.astype(np.float64),
    )


def names(what: str, count: int) -> tuple[str, ...]:
    """Labels whose order is that of their numbers."""
    return tuple(f"{what} {i:04d}" for i in range(count))


def units_of(matrix: Matrix, scale: Scale | None = None) -> Units:
    """The same as units."""
    return find_units(rows_of(matrix), scale)


def coincidences_of(matrix: Matrix, scale: Scale | None = None) -> Coincidences:
    """The same as pairs of scores, clustered by item."""
    units = units_of(matrix, scale)
    return count_coincidences(units, form_blocks(units, "item", 1))


def declared(points: Sequence[float]) -> Scale:
    """A scale that somebody declared."""
    return Scale(float(points[0]), float(points[-1]), tuple(map(float, points)), declared=True)


def counts_of(matrix: Matrix, points: Sequence[float] = (1, 2, 3, 4, 5)) -> np.ndarray:
    """Items by points: how many judges gave each."""
    columns = zip(*matrix, strict=True)
    return np.array([[column.count(point) for point in points] for column in columns])


def complete_tables() -> st.SearchStrategy[list[list[float]]]:
    """Tables of scores from 1 to 5 without gaps: 2 to 5 judges, 2 to 12 items."""
    return st.tuples(st.integers(2, 5), st.integers(2, 12)).flatmap(
        lambda shape: _tables(shape, st.integers(1, 5))
    )


def broken_tables() -> st.SearchStrategy[list[list[float | None]]]:
    """The same with missing scores, so that some items have one score or none."""
    cells = st.one_of(st.none(), st.integers(1, 5))
    return st.tuples(st.integers(2, 5), st.integers(2, 12)).flatmap(
        lambda shape: _tables(shape, cells)
    )


def _tables(shape: tuple[int, int], cells: st.SearchStrategy) -> st.SearchStrategy:
    row = st.lists(cells, min_size=shape[1], max_size=shape[1])
    return st.lists(row, min_size=shape[0], max_size=shape[0])
