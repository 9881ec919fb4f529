"""What a fit holds in memory does not grow with the rows that are streamed (tracemalloc)."""

import tracemalloc

import duckdb
import pytest
from narwhals import from_native

from evenhand.data import engine as batches
from evenhand.data import streams as row_reading
from evenhand.data import streams as streaming
from evenhand.data.comparisons import Comparisons
from evenhand.data.source import Source
from evenhand.models.bradley_terry import BradleyTerry

ROWS = """
    select 's' || hash(i, 1) % 4 as "left", 's' || (hash(i, 1) + 1 + hash(i, 2) % 3) % 4 as "right",
           ['left', 'tie', 'right'][1 + (hash(i, 3) % 3)::int] as outcome,
           (hash(i, 4) % 1000003) / 1000003 - 0.5 as length
    from range({n}) rows(i)
"""
SIZE = 2**10


def peak(n: int) -> int:
    """Most bytes that are held at once while a fit is made; DuckDB's own are not counted."""
    with duckdb.connect() as connection:
        frame = from_native(connection.sql(ROWS.format(n=n)))
        data = Comparisons(frame, source=Source(connection=connection))
        tracemalloc.start()
        try:
            fit = BradleyTerry(controls=("length",)).fit(data)
            found = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert fit.n_judgments == n
    return found


@pytest.mark.parametrize(("held", "grows"), [(0, False), (10**9, True)])
def test_only_rows_that_are_held_take_memory(monkeypatch, held, grows):
    monkeypatch.setattr(row_reading, "HELD", held)
    monkeypatch.setattr(batches, "BATCH_ROWS", SIZE)
    monkeypatch.setattr(streaming, "BATCH", SIZE)
    monkeypatch.setattr(streaming, "SAMPLE", 4 * SIZE)
    peak(SIZE)  # what is imported once
    few, many = peak(12 * SIZE), peak(48 * SIZE)
    assert (many > 2.5 * few) == grows
    assert (many < 1.2 * few) != grows
