"""Read judgments: a file or a data frame goes in, a handle that says what it is comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import duckdb
import narwhals as nw

from evenhand.errors import require_option
from evenhand.formats.addresses import is_address
from evenhand.formats.engines import open_address
from evenhand.formats.files.opening import open_files
from evenhand.formats.frames import open_frame
from evenhand.formats.registry import choose
from evenhand.formats.stores import find_stored, is_stored
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.conditions import filter_rows
from evenhand.judgments.exclusions import Filter, quote_condition
from evenhand.judgments.labels import Outcome
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.refusals import explain

_LONGEST = 60  # Characters of a condition that are shown behind the name of a file


def read(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 - the word that everybody would try
    columns: Mapping[str, str] | None = None,
    where: str | nw.Expr | None = None,
    task: str | None = None,
    outcomes: Mapping[str, Outcome] | Mapping[int, Outcome] | None = None,
    weights: Literal["frequency", "importance"] = "frequency",
    merged: str | None = None,
) -> Comparisons | Rankings | Ratings:
    """Open judgments; the rows are read when something is counted.

    Args:
        source: a path, a list of paths or a pattern such as "day*.csv.gz" (CSV with any
            delimiter, JSON Lines, a JSON list, Parquet; CSV and JSON may be packed with gzip or
            Zstandard); or URLs of such files in a bucket or on a web server, such as
            "s3://bucket/votes/*.parquet"; or the URL of a table, such as
            "sc://localhost:15002/main.votes"; or a pandas, Polars, PyArrow, DuckDB, PySpark or
            Ibis frame.
        format: a name of `evenhand.formats.registry.FORMATS`; None recognises it by the columns.
        columns: role → column, for instance {"judge": "nickname"}; wins over what names say.
        where: which rows to keep, by the table's own columns: a SQL condition for a file or a
            DuckDB relation, a narwhals expression for any frame.
        task: keep this task only.
        outcomes: the table's own outcome labels, each "left", "tie" or "right"; they come
            before the usual ones. Whole numbers may stand for their decimal text.
        weights: whether a weight column counts judgments or weighs them by importance.
        merged: the sign between the systems of an output that was shown once for several of them,
            as "+" in "A+B"; it is compared, or scored, for each of them. None takes names as they
            are.

    Returns:
        Comparisons, rankings or ratings; `.source.notes` says what was understood.

    Raises:
        UnknownFormat: a file that is not there, is damaged, or has no known layout.
        UnknownColumn: a needed column, or one that was asked for, is missing.
        UnknownOption: a wish that does not exist or does not fit.
        InvalidJudgments: ranks, weights or scores that are none; no rows; no such task.

    >>> import polars as pl
    >>> battles = {"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["model_a", "tie"]}
    >>> data = read(pl.DataFrame(battles))
    >>> data.source.notes[0]
    'read arena battles: left=model_a, right=model_b, outcome=winner'
    >>> data.tally().systems
    ('x', 'y')

    """
    require_option("weights", weights, ("frequency", "importance"))
    table = _open(source)
    own = None if outcomes is None else {str(label): one for label, one in outcomes.items()}
    wishes = Wishes(dict(columns or {}), own, weights, merged)
    data = understand(table, wishes, layout=format, where=where)
    try:
        data = data if task is None else data.select_task(task)
        return data if merged is None else data.split_merged(merged)
    except duckdb.Error as error:
        raise explain(error, table.name) from None


def understand(
    table: Table, wishes: Wishes, *, layout: str | None, where: str | nw.Expr | None
) -> Comparisons | Rankings | Ratings:
    """Say what the columns of a table mean; arguments as `read`."""
    whole = table.frame
    if where is not None:
        table = _keep(table, where)
    filtered = table.frame
    table, wishes = _rename_quoted(table, wishes)
    chosen = choose(table.header(wishes), layout)
    try:
        data = chosen.understand(table, wishes)
    except duckdb.Error as error:
        raise explain(error, table.name) from None
    if where is None:
        return data
    condition = where if isinstance(where, str) else ""
    reason = f"by {quote_condition(where)}"
    others = Filter("where", reason, whole, filtered, data.source.columns, condition)
    source = data.source
    first = replace(source, exclusions=(others, *source.exclusions))
    return replace(data, source=first)


def _rename_quoted(table: Table, wishes: Wishes) -> tuple[Table, Wishes]:
    """Write columns with a single quote in place of a double one, which DuckDB is not asked for."""
    if not table.frame.implementation.is_duckdb() or '"' not in "".join(table.columns):
        return table, wishes
    doubled = [column.replace('"', '""') for column in table.columns]
    parts = [f'"{own}" as "{own.replace(chr(34) * 2, chr(39))}"' for own in doubled]
    renamed = table.with_frame(nw.from_native(table.frame.to_native().project(", ".join(parts))))
    asked = {role: column.replace('"', "'") for role, column in wishes.columns.items()}
    return renamed, replace(wishes, columns=asked)


def _open(source: Any) -> Table:
    if is_stored(source):
        from evenhand.formats.stores.opening import open_stored

        return open_stored(find_stored(source))
    if isinstance(source, str) and is_address(source):
        return open_address(source)
    if isinstance(source, str | Path):
        return open_files(source)
    if isinstance(source, Sequence) and all(isinstance(one, str | Path) for one in source):
        return open_files(source)
    return open_frame(source)


def _keep(table: Table, where: str | nw.Expr) -> Table:
    """Filter the table by its own columns; its name says so, since rows are numbered after it."""
    shown = where.strip() if isinstance(where, str) else "an expression"
    shown = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    kept = table.with_frame(filter_rows(table.frame, where, table.name))
    return replace(kept, name=f"{table.name} where {shown}")
