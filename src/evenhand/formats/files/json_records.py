"""JSON Lines, or one JSON list of objects: every value as text, nested ones as their JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.formats.files.head import Head
from evenhand.formats.files.names import duckdb_name
from evenhand.judgments.engine import quote

if TYPE_CHECKING:
    import duckdb

_SMALL: Final = 64 << 20
"""Bytes up to which every object is searched for keys; of larger files the first ones."""
_OBJECTS: Final = 200_000


def open_json(
    connection: duckdb.DuckDBPyConnection, heads: Sequence[Head]
) -> tuple[duckdb.DuckDBPyRelation, dict[str, str]]:
    """Return a relation over JSON files, and which columns hold no labels.

    Returns:
        The relation, and column → "fractions", "true or false" or "nested values".

    Raises:
        UnknownFormat: values that are no objects.
        InvalidJudgments: a list without objects.

    """
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
    return relation, {name: what for name, kind in types.items() if (what := _unfit(kind))}


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
