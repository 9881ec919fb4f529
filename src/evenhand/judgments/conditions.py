"""Which rows to keep: a SQL condition on a DuckDB table, or an expression on any frame."""

from __future__ import annotations

import re

import narwhals as nw
from narwhals.exceptions import ColumnNotFoundError

from evenhand.errors import UnknownColumn, UnknownOption, listing, suggest
from evenhand.judgments.engine import Frame
from evenhand.judgments.refusals import first_line


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
            return frame.filter(condition)
        except ColumnNotFoundError as error:
            raise UnknownColumn(f"where, on {name}: {str(error).splitlines()[0]}") from None
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


def _filter_duckdb(frame: Frame, condition: str, name: str) -> Frame:
    """Check that the text is one condition and nothing else, then filter by it."""
    import duckdb

    native = frame.to_native()
    try:
        # In brackets nothing but an expression can stand: no second statement, no FROM, no ORDER.
        duckdb.extract_statements(f"select 1 where (\n{condition}\n)")
        expression = duckdb.SQLExpression(condition)
        kind = str(native.project(expression.alias("kept")).types[0])
        filtered = native.filter(expression)
    except duckdb.BinderException as error:
        raise _refuse_name(error, frame, name) from None
    except duckdb.Error as error:
        said = f"where '{condition}' is not one SQL condition: {first_line(str(error))}"
        raise UnknownOption(said + _advise(condition)) from None
    if kind != "BOOLEAN":
        raise UnknownOption(
            f"where '{condition}' is {kind.lower()}, not true or false: compare it with something,"
            " for instance \"judge = 'j3'\""
        )
    return nw.from_native(filtered)  # type: ignore[no-any-return]


def _refuse_name(error: Exception, frame: Frame, name: str) -> UnknownColumn | UnknownOption:
    """Say which column a condition asks for in vain."""
    text = first_line(str(error))
    if text.startswith("Referenced column"):
        asked = text.split('"')[1]
        columns = frame.collect_schema().names()
        hint = suggest(asked, columns) or f" It has {listing(columns)}."
        return UnknownColumn(f"where asks for column '{asked}', which {name} does not have.{hint}")
    typed = "VARCHAR" in text and "cast" in text
    hint = "; values of CSV and JSON files are text: cast(x as double) > 3" if typed else ""
    return UnknownOption(f"where is not a condition on rows: {text}{hint}")


def _advise(condition: str) -> str:
    """Point at the two column names that are words of SQL."""
    for word in ("left", "right"):
        if re.search(rf'(?<!["\w]){word}(?!["\w(])', condition, re.IGNORECASE):
            return f'; {word} is a word of SQL: write the column as "{word}", in double quotes'
    return ""
