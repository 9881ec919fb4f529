"""What an engine was asked, and what left it: the account that `--explain` prints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import narwhals as nw

_LONGEST: Final = 20_000
"""Characters of a query that are kept: a table of labels may stand in it."""


@dataclass(frozen=True)
class Fetch:
    """A query that was pushed to an engine, and what was collected.

    Attributes:
        engine: where it ran.
        query: its SQL, or its plan where the engine has no SQL; "" where rows lay in memory.
        rows: rows that left the engine.
        columns: their columns.

    """

    engine: str
    query: str
    rows: int
    columns: tuple[str, ...]


_ACCOUNT: ContextVar[list[Fetch] | None] = ContextVar("evenhand_fetches", default=None)


@contextmanager
def watch_fetches() -> Iterator[list[Fetch]]:
    """Keep account of every query while the context lasts.

    >>> import narwhals as nw, polars as pl
    >>> from evenhand.judgments.engine import fetch_columns
    >>> with watch_fetches() as fetches:
    ...     _ = fetch_columns(nw.from_native(pl.DataFrame({"a": [1, 2, 3]})))
    >>> fetches
    [Fetch(engine='polars', query='', rows=3, columns=('a',))]
    """
    fetches: list[Fetch] = []
    before = _ACCOUNT.set(fetches)
    try:
        yield fetches
    finally:
        _ACCOUNT.reset(before)


def note_fetch(frame: nw.LazyFrame[Any] | nw.DataFrame[Any], columns: dict[str, Any]) -> None:
    """Write a query and the size of its answer into the account, if one is kept."""
    account = _ACCOUNT.get()
    if account is None:
        return
    rows = len(next(iter(columns.values()))) if columns else 0
    query = _write_query(frame)
    shown = query if len(query) <= _LONGEST else f"{query[: _LONGEST - 1]}…"
    account.append(Fetch(_name_engine(frame), shown, rows, tuple(columns)))


def _name_engine(frame: nw.LazyFrame[Any] | nw.DataFrame[Any]) -> str:
    """Return what an engine is called; behind Ibis, the database."""
    if frame.implementation.is_ibis():
        native: Any = frame.to_native()
        return f"{native.get_backend().name} (by ibis)"
    name: str = frame.implementation.value
    return {"pyspark[connect]": "spark connect", "pyspark": "spark"}.get(name, name)


def _write_query(frame: nw.LazyFrame[Any] | nw.DataFrame[Any]) -> str:
    """Return a query as its engine writes it."""
    native: Any = frame.to_native()
    engine = frame.implementation
    if engine.is_duckdb():
        return str(native.sql_query())
    if engine.is_ibis():
        import ibis

        return str(ibis.to_sql(native))
    if engine.is_pyspark():
        return str(native._jdf.queryExecution().optimizedPlan().toString())
    if engine.is_pyspark_connect():
        return str(native._explain_string(mode="extended"))
    return str(native.explain()) if engine.is_polars() and hasattr(native, "explain") else ""
