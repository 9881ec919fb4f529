"""What narwhals writes in words that not every database knows, in words that each does.

PostgreSQL makes neither a fraction nor a whole number of 64 bits of a condition, and narwhals makes
a number of one wherever it counts different values.
"""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw

from evenhand.judgments.engine import COUNT, Frame


def mark(condition: nw.Expr) -> nw.Expr:
    """Return 1.0 where a condition holds and 0.0 elsewhere, so that its sum is how often it holds.

    >>> import polars as pl
    >>> frame = nw.from_native(pl.DataFrame({"a": [1, None, 3]}))
    >>> frame.select(mark(nw.col("a") > 2).alias("large"))["large"].to_list()
    [0.0, 0.0, 1.0]
    """
    return _choose(condition).cast(nw.Float64)


def mark_whole(condition: nw.Expr) -> nw.Expr:
    """Return the same as whole numbers of 64 bits."""
    return _choose(condition).cast(nw.Int64)


def _choose(condition: nw.Expr) -> nw.Expr:
    """Return 1 or 0, of whatever width: a fraction that stands in a query is a decimal to some."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0))


def count_values(frame: Frame, name: str, by: Sequence[str]) -> Frame:
    """Count the different values of a column, a missing one among them, for each group.

    Returns `by` and the number, as `COUNT`: a whole number also where there are no rows. >>> import
        polars as pl >>> frame = nw.from_native(pl.DataFrame({"a": ["x", "y", "x", None]})) >>>
        count_values(frame, "a", ())[COUNT].to_list() [3]
    """
    different = frame.group_by(*by, name).agg(nw.len().alias(COUNT))
    number = nw.len().alias(COUNT)
    return different.group_by(*by).agg(number) if by else different.select(number)
