"""One table in every engine: pandas, Polars eager and lazy, Arrow, DuckDB."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import narwhals as nw
import polars as pl
import pytest

from evenhand.data.source import Source

ENGINES = ("pandas", "polars", "polars lazy", "pyarrow", "duckdb", "duckdb without connection")
ORDERED = ("pandas", "polars", "pyarrow", "duckdb")
"""Engines that number their rows."""

every_engine = pytest.mark.parametrize("engine", ENGINES)


def native(columns: Mapping[str, Sequence[Any]], engine: str, connection: Any = None) -> Any:
    """The table as a frame of an engine."""
    frame = pl.DataFrame(columns)
    if engine == "pandas":
        return frame.to_pandas()
    if engine == "polars lazy":
        return frame.lazy()
    if engine == "pyarrow":
        return frame.to_arrow()
    if engine.startswith("duckdb"):
        return (connection or duckdb.connect()).from_arrow(frame.to_arrow())
    return frame


def handle(kind: type, columns: Mapping[str, Sequence[Any]], engine: str, **settings: Any) -> Any:
    """Comparisons or Rankings on a frame of an engine."""
    connection = duckdb.connect() if engine.startswith("duckdb") else None
    frame = nw.from_native(native(columns, engine, connection))
    known = connection if engine == "duckdb" else None
    data = kind(frame, source=Source(name="votes.csv", connection=known), **settings)
    if connection is not None:
        _KEPT.append(connection)
    return data


_KEPT: list[Any] = []
"""A relation does not keep its connection alive."""
