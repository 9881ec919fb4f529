"""Text in the order of its bytes: the same on every engine, also where words sort as in a language.

A database of PostgreSQL or MySQL puts "a" before "B" if its language does; Python, DuckDB, Polars
and Spark do not. What is numbered in order must not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, Final, cast

import narwhals as nw

from evenhand.judgments.engine import Frame

ORDER: Final = "evenhand_order"


def add_order(frame: Frame, column: str) -> Frame:
    """Add what puts a column of text into the order of its bytes, as the column `ORDER`.

    What is no text keeps its own order.

    >>> import polars as pl
    >>> table = nw.from_native(pl.DataFrame({"name": ["a", "B"]}))
    >>> add_order(table, "name").sort(ORDER)["name"].to_list()
    ['B', 'a']
    """
    if frame.implementation.is_ibis() and frame.collect_schema()[column] == nw.String:
        native: Any = frame.to_native()
        written = _write_bytes(native[column], native.get_backend().name)
        return cast("Frame", nw.from_native(native.mutate(**{ORDER: written})))
    return frame.with_columns(nw.col(column).alias(ORDER))


def _write_bytes(text: Any, backend: str) -> Any:
    """Return the bytes of a text, by the database's own function where it sorts by a language."""
    if backend == "postgres":
        return _call("convert_to", lambda text, encoding: (text, encoding), "binary")(text, "UTF8")
    return _call("hex", lambda text: text, "string")(text) if backend == "mysql" else text


def _call(name: str, shape: Callable[..., Any], gives: str) -> Any:
    """Return a function of a database that takes texts.

    shape: takes as many arguments as it does.
    """
    import ibis

    takes = ("string",) * len(signature(shape).parameters)
    return ibis.udf.scalar.builtin(shape, name=name, signature=(takes, gives))
