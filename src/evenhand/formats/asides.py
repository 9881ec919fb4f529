"""Columns for what was recorded beside a judgment: kinds, expected answers, times.

Their names are common (`type`, `timestamp`), so that names alone decide little: a column under
another name is taken for a kind only if every value is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import narwhals as nw

from evenhand.errors import listing
from evenhand.formats.columns import name_covariates
from evenhand.formats.numbers import is_no_number
from evenhand.formats.roles import SOFT, fold
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.engine import COUNT, fetch_columns
from evenhand.judgments.source import Aside, find_rows

# Columns by which Appraise marks scores of whole documents among those of their parts
DOCUMENT: Final = ("is_doc", "is_document", "is_complete_document")
WHOLE: Final = " (document)"  # Stands behind the criterion of such scores


def place_asides(
    table: Table, wishes: Wishes, roles: Mapping[str, str], beside: Mapping[str, str]
) -> dict[str, Aside]:
    """Say under which name the frame keeps each column that is beside the judgment."""
    renamed = set(roles.values())
    kept, _ = name_covariates([name for name in table.columns if name not in renamed], roles)
    return {
        role: Aside(kept[column], is_sure(wishes, role, column)) for role, column in beside.items()
    }


def is_sure(wishes: Wishes, role: str, column: str) -> bool:
    """Say whether a column was asked for or is called like its role."""
    return role in wishes.columns or fold(column) == fold(role)


def drop_misfits(
    table: Table, wishes: Wishes, roles: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Leave columns that only sound like a role of `SOFT` where they are."""
    kept, notes = {}, []
    for role, column in roles.items():
        unsure = role in SOFT and not is_sure(wishes, role, column)
        found = _misfit(table, role, column) if unsure else None
        if found is None:
            kept[role] = column
        else:
            notes.append(f"column '{column}' is not taken as {role}: it holds {found}")
    return kept, notes


def _misfit(table: Table, role: str, column: str) -> str | None:
    """Say what a column holds that does not fit a role; None where it does."""
    dtype = table.schema[column]
    text = isinstance(dtype, nw.String | nw.Categorical | nw.Enum)
    if role == "kind":
        from evenhand.judgments.asides import is_kind

        if not text:
            return str(dtype).lower()
        named = table.frame.select(nw.col(column).cast(nw.String))
        found = fetch_columns(named.group_by(column).agg(nw.len().alias(COUNT)))[column]
        odd = sorted(label for label in found.tolist() if not is_kind(label))
        return listing(odd, 3) if odd else None
    if role == "seconds" and text:
        named = table.frame.select(nw.col(column).cast(nw.String))
        odd = sorted({row[column] for row in find_rows(named, is_no_number(column), limit=3)})
        return listing(odd) if odd else None
    if role == "seconds":
        return None if dtype.is_numeric() else str(dtype).lower()
    return None


def keep_documents_apart(
    table: Table, roles: Mapping[str, str]
) -> tuple[Table, dict[str, str], list[str]]:
    """Give scores of whole documents a criterion of their own."""
    mark = next((name for name in table.columns if fold(name) in _MARKS), None)
    if mark is None or mark in roles.values():
        return table, dict(roles), []
    label = nw.col(mark).cast(nw.String).str.to_lowercase()
    marked = table.frame.select(label).group_by(mark).agg(nw.len().alias(COUNT))
    found = fetch_columns(marked)
    counted = dict(zip(found[mark].tolist(), found[COUNT].tolist(), strict=True))
    n = sum(counted.get(word, 0) for word in _YES)
    unclear = sum(many for word, many in counted.items() if word not in (*_YES, *_NO))
    if not n:
        return table, dict(roles), []
    if unclear:
        said = f"column '{mark}' does not say of {unclear:,} scores whether they are of documents"
        return table, dict(roles), [f"{said}: scores of documents are not kept apart"]
    column = roles.get("criterion", "criterion")
    own = nw.col(column) if "criterion" in roles else nw.lit("score")
    whole = nw.concat_str([own.cast(nw.String), nw.lit(WHOLE)])
    apart = nw.when(label.is_in(_YES)).then(whole).otherwise(own.cast(nw.String))
    frame = table.frame.with_columns(apart.alias(column))
    note = (
        f"{n:,} of {sum(counted.values()):,} scores are of whole documents ({mark}): a criterion of"
        f" their own, with '{WHOLE.strip()}' behind its name"
    )
    kept = replace(table, frame=frame)
    return kept, {**roles, "criterion": column}, [note]


_YES: Final = ("true", "1", "1.0", "yes")
_NO: Final = ("false", "0", "0.0", "no")
_MARKS: Final = frozenset(fold(name) for name in DOCUMENT)
