"""Judgments of a file held in memory: whoever asks many questions of them reads the file once."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import narwhals as nw

from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import COUNT, fetch_columns, require_open
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.refusals import explain, name_file

if TYPE_CHECKING:
    import duckdb

Held = TypeVar("Held", bound=Comparisons | Rankings | Ratings)
MOST: Final = 3_000_000  # Rows that are held; more stay where they are
_NAMES: Final = count()


def hold_rows(data: Held) -> Held:
    """Return the same judgments, read from their file once and held by its engine.

    What is not in a file, and a file of very many rows, is returned as it is.
    """
    require_open(data.frame, data.source.name)
    connection, frame = data.source.connection, data.frame
    if connection is None or not frame.implementation.is_duckdb():
        return data
    rows = frame.select(nw.len().alias(COUNT))
    if int(fetch_columns(rows)[COUNT][0]) > MOST:
        return data
    held = nw.from_native(_copy(connection, frame.to_native()))
    if isinstance(data, Rankings):
        return cast("Held", data.keep(held))
    return replace(data, frame=held)


def _copy(connection: duckdb.DuckDBPyConnection, relation: Any) -> Any:
    """Copy a relation into a table of its connection."""
    import duckdb

    name = f"evenhand_held_{next(_NAMES)}"
    query, file = cast("duckdb.DuckDBPyRelation", relation).sql_query(), name_file(relation)
    try:
        connection.execute(f"create temp table {name} as {query}")
    except duckdb.Error as error:
        raise explain(error, file) from None
    return connection.table(name)
