"""Tables parted by tabs in which some fields are quoted as in CSV, and marks elsewhere are text.

    "Er sagte ""hallo"" zu mir"    "One"    a "bare" mark

A writer of CSV quotes a field for the marks in it and doubles them: the first of these was quoted,
wherever it stands. The second was so only if some field of its file was, and no bare mark stands
in any other. The third is text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from evenhand.judgments.engine import quote

if TYPE_CHECKING:
    import duckdb

_WHOLE: Final = '"([^"]|"")*"'
_DOUBLED: Final = '"([^"]|"")*""([^"]|"")*"'
_ONE: Final = '"'
_TWO: Final = '""'
_NAME: Final = '"{}"'


def unquote(
    connection: duckdb.DuckDBPyConnection, query: str, columns: Sequence[str]
) -> dict[str, str]:
    """Return column → SQL that takes the quotation marks of CSV off its fields."""
    names = [_NAME.format(column.replace(_ONE, _TWO)) for column in columns]
    cells = f"select unnest([{', '.join(names)}]) as cell from ({query})"
    found = connection.execute(
        f"select coalesce(bool_or(regexp_full_match(cell, {quote(_DOUBLED)})), false),"
        f" coalesce(bool_and(regexp_full_match(cell, {quote(_WHOLE)})), false)"
        f" from ({cells}) where contains(cell, '\"')"
    ).fetchone()
    doubled, whole = found or (False, False)
    if not doubled:
        return dict(zip(columns, names, strict=True))
    sure = _WHOLE if whole else _DOUBLED
    return {
        column: f"case when regexp_full_match({name}, {quote(sure)}) then"
        f" nullif(replace({name}[2:-2], {quote(_TWO)}, {quote(_ONE)}), '')"
        f" else {name} end as {name}"
        for column, name in zip(columns, names, strict=True)
    }
