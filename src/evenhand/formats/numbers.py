"""Ranks, positions, weights and scores: text becomes numbers, or the rows that do not are named."""

from __future__ import annotations

import re
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments
from evenhand.formats.table import NUMBERS, Table
from evenhand.judgments.engine import is_nan
from evenhand.judgments.source import find_rows, name_rows

# A number as people and programs write it; never inf, nan, 1,5 or 0x1
PATTERN: Final = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?$"

# A number with an exponent that few programs can read
_FAR: Final = re.compile(r"\s*[+-]?[\d.]+[eE][+-]?\d{3,}\s*$")

_ADVICE: Final = {
    "rank": "ranks are whole numbers from 1 (best); −1 or blank means not ranked",
    "position": "positions are whole numbers, the place on the screen",
    "weight": "weights are numbers from 0, with a point before decimals",
    "score": "scores are numbers, with a point before decimals; blank means none",
    "seconds": "seconds are numbers",
    "control": "controls are numbers, with a point before decimals",
}


def read_number(table: Table, column: str, role: str, *, check: bool = True) -> nw.Expr:
    """Return a column as numbers under the name of its role; blank text and NaN are missing."""
    table.refuse_mixed(column, role, NUMBERS)
    dtype = table.schema[column]
    value = nw.col(column)
    if dtype.is_integer():
        return value.alias(role)
    if dtype.is_float():
        pandas = table.frame.implementation.is_pandas_like()  # there NaN is what missing is
        # fill_nan would hand DuckDB a constant, for which it imports pandas
        return (value if pandas else nw.when(~is_nan(table.frame, column)).then(value)).alias(role)
    if dtype.is_decimal():
        return value.cast(nw.Float64).alias(role)
    if dtype != nw.String:
        raise InvalidJudgments(
            f"column '{column}' of {table.name} holds {str(dtype).lower()}, not numbers:"
            f" {_ADVICE[role]}"
        )
    if check:
        refuse_text(table, [column], role)
    text = value.str.strip_chars()
    return nw.when(text != "").then(text).cast(nw.Float64).alias(role)


def is_no_number(column: str) -> nw.Expr:
    """Return the condition that a text is neither blank nor a number."""
    text = nw.col(column).str.strip_chars()
    return ~nw.col(column).is_null() & (text != "") & ~text.str.contains(PATTERN)


def refuse_text(table: Table, columns: list[str], role: str) -> None:
    """Refuse text that is no number, in one pass over some text columns."""
    bad = find_rows(table.frame, nw.any_horizontal(*map(is_no_number, columns), ignore_nulls=True))
    if not bad:
        return
    for column in columns:
        rows = find_rows(table.frame, is_no_number(column))
        if rows:
            value = rows[0][column]
            far = "is too close to 0" if "e-" in value.lower() else "is too large"
            what = far if _FAR.match(value) else "is not a number"
            raise InvalidJudgments(
                f"{role} '{value}' in column '{column}' of {table.name}{name_rows(rows)} {what}:"
                f" {_ADVICE[role]}"
            )
