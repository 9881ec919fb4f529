"""Rows of a wide table: one row for each of several slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import narwhals as nw

from evenhand.judgments.engine import Frame, quote_name


def stack(frame: Frame, slots: Mapping[str, Sequence[str]], position: str) -> Frame:
    """Turn each row into one row for each slot."""
    used = {column for columns in slots.values() for column in columns}
    kept = [name for name in frame.collect_schema().names() if name not in used]
    n = len(next(iter(slots.values())))
    if frame.implementation.is_duckdb():
        return _unnest(frame, kept, slots, position)
    parts = [
        frame.select(
            *kept,
            nw.lit(i + 1).alias(position),
            *[nw.col(columns[i]).alias(name) for name, columns in slots.items()],
        )
        for i in range(n)
    ]
    return nw.concat(parts)  # type: ignore[type-var]


def _unnest(
    frame: Frame, kept: Sequence[str], slots: Mapping[str, Sequence[str]], position: str
) -> Frame:
    """Let DuckDB read a wide table once instead of once for each slot."""
    n = len(next(iter(slots.values())))
    lists = {position: [str(i + 1) for i in range(n)]}
    lists |= {name: [quote_name(column) for column in columns] for name, columns in slots.items()}
    parts = [quote_name(name) for name in kept]
    parts += [
        f"unnest([{', '.join(items)}]) as {quote_name(name)}" for name, items in lists.items()
    ]
    return nw.from_native(frame.to_native().project(", ".join(parts)))  # type: ignore[no-any-return]
