"""JSON Lines, or one JSON list of objects: every value as text, nested ones as their JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.files.head import Head
from evenhand.formats.files.names import duckdb_name
from evenhand.judgments.engine import quote, quote_name
from evenhand.judgments.refusals import explain

if TYPE_CHECKING:
    import duckdb

    from evenhand.formats.table import Kinds

# What DuckDB calls a value of JSON → what it is called here
_KINDS: Final = {
    "VARCHAR": "text",
    "BIGINT": "whole numbers",
    "UBIGINT": "whole numbers",
    "DOUBLE": "fractions",
    "BOOLEAN": "true or false",
}
# Bytes up to which every object is searched for keys; of larger files the first ones
_SMALL: Final = 64 << 20
_OBJECTS: Final = 200_000


def open_json(
    connection: duckdb.DuckDBPyConnection, heads: Sequence[Head]
) -> tuple[duckdb.DuckDBPyRelation, dict[str, str], dict[str, Kinds]]:
    """Return a relation over JSON files, and which columns hold no labels."""
    for head in heads:
        _refuse_bare(head)
    files = "[" + ", ".join(quote(duckdb_name(head.path)) for head in heads) + "]"
    compressions = {head.compression for head in heads}
    if len(compressions) > 1:
        raise UnknownFormat("JSON files read together must be packed in one way, or none of them")
    compression = compressions.pop()
    packed = "uncompressed" if compression == "none" else compression
    options = f"compression = '{packed}', hive_partitioning = false"
    size = sum(head.path.stat().st_size for head in heads)
    sample = -1 if size <= _SMALL else _OBJECTS
    described = connection.sql(
        f"describe select * from read_json({files}, {options}, maximum_depth = 2, "
        f"sample_size = {sample}, union_by_name = true, convert_strings_to_integers = false)"
    ).fetchall()
    types = {str(name): str(kind) for name, kind, *_ in described}
    _refuse_twins(list(types), heads)
    columns = ", ".join(f"{quote(name)}: 'VARCHAR'" for name in types)
    relation = connection.sql(
        f"select * from read_json({files}, {options}, columns = {{{columns}}})"
    )
    source = f"{files}, {options}, filename = true"
    mixed: dict[str, Kinds] = {
        name: partial(_find_kinds, connection, source, name)
        for name, kind in types.items()
        if kind == "JSON"  # of several kinds, or missing throughout
    }
    return relation, {name: what for name, kind in types.items() if (what := _unfit(kind))}, mixed


def _find_kinds(connection: duckdb.DuckDBPyConnection, source: str, name: str) -> dict[str, str]:
    """Return the kinds of value of a column, each with the first file that has it."""
    import duckdb

    column = quote_name(name)
    query = (
        f"select json_type({column}) as kind, min(filename)"
        f" from read_json({source}, columns = {{{quote(name)}: 'JSON'}})"
        " group by all having kind <> 'NULL' order by kind"
    )
    try:
        rows = connection.execute(query).fetchall()
    except duckdb.Error as error:
        raise explain(error, name) from None
    return {_KINDS.get(kind, "nested values"): file for kind, file in reversed(rows)}


def _refuse_bare(head: Head) -> None:
    """Refuse a list of something else than objects."""
    text = head.text.lstrip()
    if not text.startswith("["):
        return
    inner = text[1:].lstrip()
    if inner.startswith("]"):
        raise InvalidJudgments(f"{head.path} holds an empty list: no judgments")
    if inner and not inner.startswith("{"):
        raise UnknownFormat(f"{head.path} is a list, but not of objects with named values")


def _refuse_twins(names: Sequence[str], heads: Sequence[Head]) -> None:
    """Refuse keys that differ in capitals only: DuckDB renames one, and would find it missing."""
    for name in names:
        base = re.sub(r"_\d+$", "", name)
        twins = [one for one in names if one != base and one.casefold() == base.casefold()]
        if base != name and twins:
            raise UnknownFormat(
                f"keys '{twins[0]}' and '{base}' of {heads[0].path} differ in capitals only: rename"
                " one"
            )


def _unfit(kind: str) -> str | None:
    """Say what a JSON column holds where that is nothing to name a thing by."""
    if kind in {"DOUBLE", "FLOAT"}:
        return "fractions"
    if kind == "BOOLEAN":
        return "true or false"
    nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP"))
    return "nested values" if nested else None
