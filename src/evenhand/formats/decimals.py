"""Numbers with a comma before their decimals, and with a point between thousands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import narwhals as nw

from evenhand.data.engine import fetch_columns
from evenhand.data.labels import is_missing
from evenhand.data.source import find_rows, fold, name_rows
from evenhand.data.tables import LABELS
from evenhand.formats.roles import SYNONYMS
from evenhand.formats.table import LOOK, THOUSANDS, WITH_COMMA, Table
from evenhand.formats.texts import say
from evenhand.render.findings import Finding

_COMMA: Final = r"^[+-]?\d*,\d+$"
# 1.290 or 1.234.567,5: a point stands between thousands where a comma stands before decimals
_POINTS: Final = r"^[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?$"


def read_decimals(table: Table, decimal: str | None, columns: Mapping[str, str]) -> Table:
    """Write decimals with a point, in columns of numbers whose decimals follow a comma.

    Unasked only where commas part no fields, and cannot part thousands. Points part thousands in
    columns with such decimals, and in other numbers beside them; where the file has none, 1.290
    beside 870 is read as it stands, with a warning. Names of judges, items and so on stay as they
    are.

    columns: role → column, as the caller names them.
    """
    if decimal == "." or (decimal is None and table.delimiter not in (";", "\t")):
        return table
    texts = [name for name, dtype in table.schema.items() if dtype == nw.String]
    labels = _list_labels(texts, columns)
    texts = [name for name in texts if name not in labels]
    if table.frame.implementation.is_duckdb():  # before a dot it expects the name of a table
        texts = [name for name in texts if "." not in name]
    looked = fetch_columns(table.frame.select(*texts).head(LOOK)) if texts else {}
    commas, points = list[str](), list[str]()
    for name, values in looked.items():
        given = [value.strip() for value in values.tolist() if not is_missing(value)]
        apart = [value for value in given if re.match(_POINTS, value)]
        numbers = [value for value in given if WITH_COMMA.fullmatch(value)]
        every = len(numbers) + len(apart) == len(given)
        sure = every and not all(map(THOUSANDS.fullmatch, given))
        if sure or (decimal and 2 * (len(numbers) + len(apart)) > len(given)):
            commas.append(name)
            points += [name] if apart and every else []
        elif every and apart and numbers:
            points.append(name)
    if not commas:
        doubts = [_doubt_points(table, name) for name in points]
        return replace(table, notes=(*table.notes, *doubts)) if doubts else table
    pointed = []
    for name in dict.fromkeys((*commas, *points)):
        text = nw.col(name).str.strip_chars()
        plain = text.str.replace_all(".", "", literal=True) if name in points else nw.col(name)
        number = plain.str.replace_all(",", ".", literal=True)
        fits = text.str.contains(_COMMA)
        fits = fits | text.str.contains(_POINTS) if name in points else fits
        pointed.append(nw.when(fits).then(number).otherwise(nw.col(name)).alias(name))
    notes = [*table.notes, *([] if decimal else [say("decimal-comma", columns=commas)])]
    notes += [say("thousands", columns=points)] if points else []
    return replace(table, frame=table.frame.with_columns(*pointed), notes=tuple(notes))


def _list_labels(names: Sequence[str], columns: Mapping[str, str]) -> set[str]:
    """Return the columns that name something: their numbers are no amounts, as preferences may be.

    columns: role → column, as the caller names them.
    """
    roles = {*LABELS} - {"outcome"}
    words = {fold(word) for role in roles for word in (role, *SYNONYMS.get(role, ()))}
    own = {column for role, column in columns.items() if role in roles}
    return {name for name in names if name in own or fold(name) in words}


def _doubt_points(table: Table, column: str) -> Finding:
    rows = find_rows(table.frame, nw.col(column).str.strip_chars().str.contains(_POINTS), 3)
    value: Any = str(rows[0][column]).strip()
    return say(
        "doubtful-points",
        "warning",
        column=column,
        value=value,
        rows=name_rows(rows),
        thousand=value.replace(".", ""),
    )
