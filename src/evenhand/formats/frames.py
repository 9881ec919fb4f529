"""Any data frame: pandas, Polars (lazy or not), PyArrow, DuckDB, PySpark, Ibis, narwhals."""

from __future__ import annotations

from typing import Any

import narwhals as nw
from narwhals.exceptions import DuplicateError, NarwhalsError

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.table import Table
from evenhand.judgments.refusals import explain_polars


def open_frame(source: Any) -> Table:
    """Wrap a data frame as it is; nothing is copied, and what is lazy stays lazy."""
    try:
        frame = nw.from_native(source)
        names = list(frame.collect_schema().names())
    except TypeError:
        raise UnknownFormat(
            f"{type(source).__name__} is neither a file name nor a data frame: pass a path, a list"
            " of paths, or a pandas, Polars, PyArrow, DuckDB, PySpark or Ibis frame"
        ) from None
    except DuplicateError as error:
        raise UnknownFormat(
            f"the data frame has a column twice: {' '.join(str(error).split())}"
        ) from None
    except (NarwhalsError, OSError) as error:  # a lazy frame of Polars opens its files only now
        raise explain_polars(error) from None
    unnamed = [name for name in names if not isinstance(name, str)]
    if unnamed:
        raise UnknownFormat(
            f"column name {unnamed[0]} of the data frame is no text but"
            f" {type(unnamed[0]).__name__}: columns need names"
        )
    if isinstance(frame, nw.DataFrame) and not len(frame):
        raise InvalidJudgments("the data frame has columns but no rows")
    return Table(frame, "data frame")
