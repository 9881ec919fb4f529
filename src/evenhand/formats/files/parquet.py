"""Parquet: columns keep their types; only the footer is read before something is counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from evenhand.errors import InvalidJudgments
from evenhand.judgments.engine import quote, quote_name

if TYPE_CHECKING:
    import duckdb

    from evenhand.formats.table import Kinds

# What a column of a file holds, in words where it may be a role; null where it is all missing
_KIND: Final = (
    "case when logical_type = 'NullType()' then null when type = 'BOOLEAN' then 'true or false'"
    " when type in ('FLOAT', 'DOUBLE') or converted_type = 'DECIMAL' then 'fractions'"
    " when converted_type in ('UTF8', 'ENUM', 'JSON') or logical_type = 'StringType()'"
    " or (type = 'BYTE_ARRAY' and logical_type is null) then 'text'"
    " when (type in ('INT32', 'INT64') and logical_type is null"
    " and coalesce(converted_type, 'INT') like '%INT%')"
    " or logical_type like 'IntType%' then 'whole numbers'"
    " when converted_type = 'DATE' then 'dates'"
    " else coalesce(converted_type, logical_type, type) end"
)


def open_parquet(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], said: str, *, folders: bool
) -> tuple[duckdb.DuckDBPyRelation, dict[str, Kinds]]:
    """Return a relation over Parquet files."""
    files = "[" + ", ".join(map(quote, names)) + "]"
    counted = connection.execute(
        f"select sum(num_rows) from parquet_file_metadata({files})"
    ).fetchone()
    if counted is None or not counted[0]:
        raise InvalidJudgments(f"{said} holds columns but no rows")
    hive = "true" if folders else "false"
    options = f"binary_as_string = true, hive_types_autocast = false, hive_partitioning = {hive}"
    relation = connection.sql(f"select * from read_parquet({files}, {options})")
    if len(names) == 1 or not _differ(connection, files, relation.columns):
        return relation, {}
    columns = ", ".join(map(quote_name, relation.columns))
    wide = f"select {columns} from read_parquet({files}, {options}, union_by_name = true)"
    return connection.sql(wide), _find_mixed(connection, files)


def _differ(connection: duckdb.DuckDBPyConnection, files: str, columns: Sequence[str]) -> bool:
    """Say whether a column has another type in another file: DuckDB would cast to the first one.

    Files without one of the columns are refused by DuckDB itself, by name.
    """
    wanted = "[" + ", ".join(quote(name.casefold()) for name in columns) + "]"
    found = connection.execute(
        "select count(distinct types), count(distinct names) from (select"
        " list([lower(name), type, converted_type, logical_type] order by lower(name)) as types,"
        " list(lower(name) order by lower(name)) as names"
        f" from parquet_schema({files}) where list_contains({wanted}, lower(name))"
        " group by file_name)"
    ).fetchone()
    return found is not None and found[0] > 1 and found[1] == 1


def _find_mixed(connection: duckdb.DuckDBPyConnection, files: str) -> dict[str, Kinds]:
    """Return column → kinds of value, each with a file that has it, where they do not agree."""
    rows = connection.execute(
        f"select name, {_KIND} as kind, min(file_name) from parquet_schema({files})"
        " where coalesce(num_children, 0) = 0 group by all having kind is not null order by all"
    ).fetchall()
    found: dict[str, dict[str, str]] = {}
    for name, kind, file in rows:
        found.setdefault(name, {})[kind] = file
    return {name: partial(dict, kinds) for name, kinds in found.items() if len(kinds) > 1}
