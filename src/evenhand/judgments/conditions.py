"""Which rows to keep: a SQL condition on a DuckDB table, or an expression on any frame."""

from __future__ import annotations

import json
import re
import shlex
from typing import Final

import narwhals as nw
from narwhals.exceptions import ColumnNotFoundError

from evenhand.errors import UnknownColumn, UnknownOption, listing, suggest
from evenhand.judgments.engine import Frame, quote_name
from evenhand.judgments.refusals import first_line

_COMPARISON: Final = re.compile(
    r"""(\w+|"[^"]+")\s*(=|<>|!=|<=|>=|<|>)\s*([+-]?(?:\d+\.?\d*|\.\d+))"""
)
"""A column, a sign and a number."""
_MANY_ROWS: Final = re.compile("aggregate|window", re.IGNORECASE)
_SUMS: Final = re.compile(r"\b(sum|avg|count|min|max|median)\s*\(", re.IGNORECASE)


def filter_rows(frame: Frame, condition: nw.Expr | str, name: str) -> Frame:
    """Keep the rows that meet a condition.

    Args:
        frame: the table.
        condition: a narwhals expression, or one SQL condition where the table is DuckDB's.
        name: what the table is called in messages.

    Raises:
        UnknownOption: SQL that is not one condition, or a frame that does not speak it.
        UnknownColumn: a column that the table does not have.

    """
    if isinstance(condition, nw.Expr):
        try:
            kept = frame.filter(condition)
            if kept.implementation.is_polars():
                kept.collect_schema()  # a lazy frame looks for its columns only now
        except ColumnNotFoundError as error:
            raise UnknownColumn(f"where, on {name}: {str(error).splitlines()[0]}") from None
        return kept
    if not isinstance(condition, str):
        raise UnknownOption(
            "where is a SQL condition in text, or a narwhals expression such as"
            f" nw.col('judge') != 'j3'; not {type(condition).__name__}"
        )
    if not frame.implementation.is_duckdb():
        raise UnknownOption(
            "a SQL condition needs a file or a DuckDB relation; for a data frame pass a"
            " narwhals expression, such as nw.col('judge') != 'j3', or filter it first"
        )
    return _filter_duckdb(frame, condition, name)


def advise_filled(frame: Frame, column: str, *, empty: bool) -> str:
    """Return what leaves out the rows of a table without a value in a column.

    Args:
        frame: the table.
        column: its name outside.
        empty: whether texts without a character are to go as well.

    >>> import pandas as pd
    >>> frame = nw.from_native(pd.DataFrame({"winner": ["A", None]}))
    >>> advise_filled(frame, "winner", empty=False)
    'frame.dropna(subset=["winner"])'
    """
    engine, name = frame.implementation, json.dumps(column, ensure_ascii=False)
    if engine.is_duckdb():
        quoted = quote_name(column)
        sql = f"{quoted} <> ''" if empty else f"{quoted} is not null"
        return f"--where {shlex.quote(sql)}, in Python where={sql!r}"
    if engine.is_pandas():
        kept = f'frame[frame[{name}].fillna("") != ""]'
        return kept if empty else f"frame.dropna(subset=[{name}])"
    if engine.is_polars():
        return f'frame.filter(pl.col({name}) != "")' if empty else f"frame.drop_nulls({name})"
    every = f"narwhals.col({name})"
    return f"where={every} != ''" if empty else f"where=~{every}.is_null()"


def _filter_duckdb(frame: Frame, condition: str, name: str) -> Frame:
    """Check that the text is one condition and nothing else, then filter by it."""
    import duckdb

    if not condition.strip():
        raise UnknownOption("where is empty: write a condition such as \"judge <> 'j3'\"")
    native = frame.to_native()
    try:
        # In brackets nothing but an expression can stand: no second statement, no FROM, no ORDER.
        duckdb.extract_statements(f"select 1 where (\n{condition}\n)")
        expression = duckdb.SQLExpression(condition)
        kind = str(native.project(expression.alias("kept")).types[0])
        filtered = native.filter(expression)
    except duckdb.BinderException as error:
        raise _refuse_name(error, frame, name, condition) from None
    except duckdb.Error as error:
        said = f"where '{condition}' is not one SQL condition: {first_line(str(error))}"
        raise UnknownOption(said + _advise(condition)) from None
    if kind != "BOOLEAN":
        raise UnknownOption(
            f"where '{condition}' is {kind.lower()}, not true or false: compare it with something,"
            " for instance \"judge = 'j3'\""
        )
    return nw.from_native(filtered)  # type: ignore[no-any-return]


def _refuse_name(
    error: Exception, frame: Frame, name: str, condition: str
) -> UnknownColumn | UnknownOption:
    """Say which column a condition asks for in vain, or what else it may not hold."""
    text = first_line(str(error))
    if text.startswith("Referenced column"):
        asked = text.split('"')[1]
        columns = frame.collect_schema().names()
        hint = suggest(asked, columns) or f" It has {listing(columns)}"
        return UnknownColumn(f"where asks for column '{asked}', which {name} does not have.{hint}")
    if _MANY_ROWS.search(text) or _SUMS.search(condition):
        return UnknownOption(
            f"where '{condition}' is not a condition on one row: sums, counts and the like over"
            " many rows cannot stand in it"
        )
    if "VARCHAR" in text and "cast" in text:
        return UnknownOption(
            f"where '{condition}' compares text with a number: columns of a CSV or JSON file are"
            f" text here, write {_cast(condition)}"
        )
    return UnknownOption(f"where '{condition}' is not a condition on rows: {text}")


def _cast(condition: str) -> str:
    """Write a comparison of a column with a number so that it can be made."""
    simple = _COMPARISON.fullmatch(condition.strip())
    return simple.expand(r"cast(\1 as double) \2 \3") if simple else "cast(weight as double) > 10"


def _advise(condition: str) -> str:
    """Point at the two column names that are words of SQL."""
    for word in ("left", "right"):
        if re.search(rf'(?<!["\w]){word}(?!["\w(])', condition, re.IGNORECASE):
            return f'; {word} is a word of SQL: write the column as "{word}", in double quotes'
    return ""
