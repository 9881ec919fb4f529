"""Conditions whose answer may change while files do not: what was counted by one is not kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from evenhand.errors import UnknownOption
from evenhand.formats.files.opening import connect

CLOCKS: Final = frozenset(
    {
        "age",
        "current_date",
        "current_time",
        "current_timestamp",
        "current_setting",
        "getenv",
        "getvariable",
        "localtime",
        "localtimestamp",
    }
)
"""What the engine calls steady, or a column, and depends on the clock or the surroundings."""


def refuse_unsteady(condition: str) -> None:
    """Refuse a condition that asks for the time, for chance or for another table.

    A condition that is no SQL passes: whoever reads rows by it says what is wrong with it.

    Args:
        condition: in SQL.

    Raises:
        UnknownOption: names what may change.

    >>> refuse_unsteady("judge < 'j006' and lower(task) = 'fr-en'")
    >>> refuse_unsteady("day > today() - 7")
    Traceback (most recent call last):
        ...
    evenhand.errors.UnknownOption: the condition asks for today, which may change while files do \
not: write what it stands for now, such as a date, or count without a cache
    """
    engine = connect()
    serialized = engine.execute("select json_serialize_sql(?)", [f"select {condition}"]).fetchone()
    tree = json.loads(serialized[0]) if serialized else {}
    asked = sorted(_find_asked(tree))
    query = "select distinct function_name from duckdb_functions() where stability <> 'CONSISTENT'"
    unsteady = CLOCKS.union(name for (name,) in engine.execute(query).fetchall())
    for name in asked:
        if name in unsteady or " " in name:
            raise UnknownOption(
                f"the condition asks for {name}, which may change while files do not: write what"
                " it stands for now, such as a date, or count without a cache"
            )


def _find_asked(tree: Any) -> Iterator[str]:
    """Yield names of functions, of columns without a table, and "another table" for a subquery."""
    if isinstance(tree, list):
        for branch in tree:
            yield from _find_asked(branch)
    elif isinstance(tree, dict):
        kind = tree.get("class")
        if kind == "SUBQUERY":
            yield "another table"
        elif kind == "FUNCTION":
            yield str(tree["function_name"]).lower()
        elif kind == "COLUMN_REF" and len(tree["column_names"]) == 1:
            name = str(tree["column_names"][0]).lower()
            if name in CLOCKS:
                yield name
        for branch in tree.values():
            yield from _find_asked(branch)
