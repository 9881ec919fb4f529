"""What Spark does in its own way: how a result leaves it, and how a small table goes in.

Both ways are those of Spark's SQL, so that a session in this process (classic) and a session on a
server (Connect) take the same path, and no Python runs on the workers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownFormat


def fetch_spark(frame: nw.LazyFrame[Any]) -> dict[str, NDArray[Any]] | nw.DataFrame[Any]:
    """Run a query of Spark."""
    try:
        if find_spec("pyarrow") is not None:
            return frame.collect(backend="pyarrow")
        rows = frame.to_native().collect()
    except list_faults() as error:
        first = say_fault(error).strip().partition("\n")[0]
        raise UnknownFormat(f"Spark could not answer a query: {first}") from None
    names = frame.collect_schema().names()
    return {name: _from_list([row[name] for row in rows]) for name in names}


def list_faults() -> tuple[type[Exception], ...]:
    """Return what Spark may raise: its own, and where it runs in this process that of Java."""
    from pyspark.errors import PySparkException

    if find_spec("py4j") is None:  # a client of a server alone
        return (PySparkException,)
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]

    return (PySparkException, Py4JError)


def say_fault(error: Exception) -> str:
    """Return what went wrong, by Java's own words where it was Java that failed."""
    java = getattr(error, "java_exception", None)
    return str(error if java is None else java.toString())


def _from_list(values: list[Any]) -> NDArray[np.generic]:
    """Keep text as objects; numbers become arrays, missing ones NaN (refused later)."""
    if any(isinstance(value, str) for value in values) or all(v is None for v in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values])


def make_spark_table(session: Any, data: Mapping[str, list[Any]]) -> Any:
    """Put columns of text or whole numbers into Spark, as a literal of the query."""
    fields = ", ".join(f"{_quoted(name)}: {_kind(values)}" for name, values in data.items())
    rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    query = f"select inline(from_json(:rows, 'array<struct<{fields}>>'))"
    return session.sql(query, args={"rows": json.dumps(rows)})


def _kind(values: list[Any]) -> str:
    """Return Spark's name of the type of a column's values."""
    return "bigint" if values and isinstance(values[0], int) else "string"


def _quoted(name: str) -> str:
    """Write a column's name inside a type that stands inside a SQL literal."""
    return "`" + name.replace("`", "``").replace("\\", "\\\\").replace("'", "\\'") + "`"
