"""Columns take their roles: labels become text, ranks and weights numbers, the rest stays.

A text column passes as it is, without a cast: DuckDB then keeps its dictionary, and grouping ten
million rows costs a fifth. Labels that are whole numbers become their decimal text. Labels that
are fractions, truth values or nested are refused, since engines write them differently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments
from evenhand.formats.numbers import read_number
from evenhand.formats.roles import SYNONYMS, Header, fold
from evenhand.formats.table import LABELS, Table, Wishes
from evenhand.judgments.engine import Frame
from evenhand.judgments.source import find_rows, name_rows

# Roles whose values are numbers; all others are labels
NUMBERS: Final = ("rank", "position", "weight", "score", "seconds")
# Roles whose values may be numbers, times or words; they are read when they are used
EITHER: Final = ("expected", "shown_at")

# Roles without which there is still a result, of another kind
EASILY_LOST: Final = ("judge", "item", "weight")
ALIKE: Final = 0.8  # Likeness from which a name may be a slip of another; "jugde" is .8 of "judge"


def take(table: Table, roles: Mapping[str, str]) -> tuple[Frame, list[str]]:
    """Rename columns to their roles and give them the type that the role needs."""
    taken = set(roles.values())
    expressions = [_read(table, column, role) for role, column in roles.items()]
    others = [column for column in table.columns if column not in taken]
    names, notes = name_covariates(others, roles)
    notes += note_misspelt(others, roles, table.header(Wishes()))
    for column, name in names.items():
        expressions.append(_keep(table, column).alias(name))
    return table.frame.select(*expressions), notes


def note_misspelt(
    columns: Sequence[str], roles: Mapping[str, str], header: Header | None = None
) -> list[str]:
    """Ask about columns whose names nearly are that of a judge, an item or a weight.

    >>> note_misspelt(["jugde", "length"], {"left": "left", "item": "item"})
    ["column 'jugde' is not taken as judge; if it is: --column judge=jugde"]
    """
    notes = []
    for role in (one for one in EASILY_LOST if one not in roles):
        known = [fold(name) for name in (role, *SYNONYMS[role])]
        for column in columns:
            near = get_close_matches(fold(column), known, n=1, cutoff=ALIKE)
            if near and (header is None or header.fits(column, role)):
                asked = f"column '{column}' is not taken as {role}"
                notes.append(f"{asked}; if it is: --column {role}={column}")
    return notes


def _read(table: Table, column: str, role: str) -> nw.Expr:
    """Give a column the type of its role; of some roles it may be a number or text."""
    if role in NUMBERS or (role in EITHER and table.schema[column].is_numeric()):
        return read_number(table, column, role)
    if role in EITHER:
        return _keep(table, column).alias(role)
    return read_label(table, column, role)


def name_covariates(
    columns: Sequence[str], roles: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Keep the other columns under their own names, unless a role has that name already.

    >>> name_covariates(["judge", "turn"], {"judge": "annotator"})
    ({'judge': 'original_judge', 'turn': 'turn'}, ["column 'judge' is kept as 'original_judge'"])
    """
    used = {role.casefold() for role in roles}
    names: dict[str, str] = {}
    notes = []
    for column in columns:
        name = column
        while name.casefold() in used:
            name = f"original_{name}"
        if name != column:
            notes.append(f"column '{column}' is kept as '{name}'")
        used.add(name.casefold())
        names[column] = name
    return names, notes


def read_label(table: Table, column: str, role: str) -> nw.Expr:
    """Return a label column as text, under the name of its role."""
    table.refuse_mixed(column, role, LABELS)
    dtype = table.schema[column]
    found = table.found.get(column) or _unfit(table, column, dtype)
    if found:
        raise InvalidJudgments(_refusal(table, column, role, found))
    value = nw.col(column)
    return (value if dtype == nw.String else _as_text(table, column)).alias(role)


def _keep(table: Table, column: str) -> nw.Expr:
    """Pass a covariate on as it is, but categories as text: engines group them differently."""
    categories = isinstance(table.schema[column], nw.Categorical | nw.Enum)
    return _as_text(table, column) if categories else nw.col(column)


def _as_text(table: Table, column: str) -> nw.Expr:
    value = nw.col(column)
    text = value.cast(nw.String)
    if not table.frame.implementation.is_pandas_like():
        return text
    return nw.when(~value.is_null()).then(text)  # else pandas writes a missing value as 'nan'


def _unfit(table: Table, column: str, dtype: nw.dtypes.DType) -> str | None:
    """Say what a column holds where that is nothing to name a thing by."""
    named = isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Date)
    labels = named or dtype.is_integer()
    if labels or (dtype == nw.Unknown and _native_type(table, column) == "UUID"):
        return None
    if dtype.is_float():
        return _whole_floats(table, column)
    if dtype.is_nested():
        return "nested values"
    words = {
        nw.Decimal: "fractions",
        nw.Boolean: "true or false",
        nw.Object: "Python objects that are not all text",
    }
    return words.get(type(dtype), f"values of type {_native_type(table, column)}")


def _native_type(table: Table, column: str) -> str:
    if not table.frame.implementation.is_duckdb():
        return str(table.schema[column])
    native = table.frame.to_native()
    return str(native.types[native.columns.index(column)])


def _whole_floats(table: Table, column: str) -> str:
    """Tell whole numbers that pandas made floats, since some are missing, from fractions."""
    if not table.frame.implementation.is_pandas():
        return "floats (fractions, or no numbers)"
    value = nw.col(column)
    fractions = find_rows(table.frame, ~value.is_null() & (value != value.round()), limit=1)
    return "fractions" if fractions else "whole floats"


def _refusal(table: Table, column: str, role: str, found: str) -> str:
    where = f"column '{column}' of {table.name}, taken as {role},"
    if found == "whole floats":
        rows = name_rows(find_rows(table.frame, nw.col(column).is_null()))
        missing = f" a value is missing{rows}, and" if rows else ""
        return (
            f"{where} holds whole numbers as floats:{missing} 3.0 is no label. Fill or drop the"
            f" missing values and make it whole: frame['{column}'].astype('Int64')"
        )
    return f"{where} holds {found}, which cannot name anything: make it text or whole numbers"
