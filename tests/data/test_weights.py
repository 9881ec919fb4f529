"""How rows of a weight are counted, on every engine."""

import polars as pl
import pytest

from evenhand.data.comparisons import Comparisons
from frames_of_engines import every_engine, handle


def named(found):
    """Counts by the names of the two systems."""
    pairs = zip(found.left, found.right, strict=True)
    keys = [(found.systems[a], found.systems[b]) for a, b in pairs]
    return dict(zip(keys, found.counts.tolist(), strict=True))


@every_engine
def test_weights_are_frequencies(engine):
    columns = {
        "left": ["A", "A", "B", "A"],
        "right": ["B", "B", "C", "C"],
        "outcome": ["left", "right", "tie", "left"],
        "weight": [3, 2, 0, 5],
    }
    found = handle(Comparisons, columns, engine).tally()
    assert found.systems == ("A", "B", "C")
    assert named(found) == {("A", "B"): [3, 0, 2], ("A", "C"): [5, 0, 0]}
    assert (found.n_judgments, found.zero_weight, found.squares) == (10, 1, None)


@every_engine
def test_importance_weights_keep_their_squares(engine):
    columns = {
        "left": ["A", "A", "A"],
        "right": ["B", "B", "B"],
        "outcome": ["left", "left", "tie"],
        "weight": [0.5, 1.5, 2.0],
    }
    found = handle(Comparisons, columns, engine, weights="importance").tally()
    assert found.counts.tolist() == [[2, 2, 0]]
    assert found.squares.tolist() == [[2.5, 4, 0]]


@every_engine
@pytest.mark.parametrize(
    ("kind", "weight", "square"),
    [(pl.Int8, 100, 1e4), (pl.UInt8, 255, 65_025), (pl.Int32, 60_000, 3.6e9)],
)
def test_squares_need_not_fit_into_the_type_of_the_weights(engine, kind, weight, square):
    columns = {"left": ["A", "A"], "right": ["B", "C"], "outcome": ["left", "left"]}
    weights = pl.Series([weight, weight], dtype=kind)
    data = handle(Comparisons, columns | {"weight": weights}, engine, weights="importance")
    assert data.tally().squares.tolist() == [[square, 0, 0], [square, 0, 0]]


@every_engine
def test_weights_of_single_precision_are_added_up_exactly(engine):
    rows = 48
    columns = {"left": ["A"] * rows, "right": ["B"] * rows, "outcome": ["left"] * rows}
    weights = pl.Series([2.0**24] + [1.0] * (rows - 1), dtype=pl.Float32)
    found = handle(Comparisons, columns | {"weight": weights}, engine).tally()
    assert found.counts.tolist() == [[2**24 + rows - 1, 0, 0]]
