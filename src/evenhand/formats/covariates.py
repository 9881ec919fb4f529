"""Tables that say something of judges, items or systems: one row for each.

Judges and items are joined to the judgments by `Comparisons.join`; systems become the covariates of
a model. Nothing of such a table is guessed: a column of system covariates is numbers or it is names
of levels, and one that holds both is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from evenhand.errors import InvalidJudgments, UnknownColumn, UnknownOption, listing, suggest
from evenhand.formats.files.opening import open_files
from evenhand.formats.roles import Header
from evenhand.formats.table import Table
from evenhand.judgments.engine import Frame, fetch_columns

# What is a number in a table: neither nan nor inf, nor 1_000 as Python takes it
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_SHOWN: Final = 3


def open_covariates(source: str | Path, *, on: str, named: str | None = None) -> Frame:
    """Open a table with one row for each judge (or item), ready to be joined."""
    table = open_files(source)
    key = _find_key(table, on, named)
    return table.frame if key == on else table.frame.rename({key: on})


def read_system_covariates(
    source: str | Path, chosen: Sequence[str] = ()
) -> dict[str, dict[str, float | str]]:
    """Read covariates of systems: covariate → system → number or level.

    A missing value is left out, so that the model can name the systems without one.
    """
    table = open_files(source)
    key = _find_key(table, "system")
    others = [name for name in table.columns if name != key]
    unknown = [name for name in chosen if name not in others]
    if unknown:
        hint = suggest(unknown[0], others) or f" It has {listing(others)}"
        raise UnknownColumn(f"column '{unknown[0]}' not found in {table.name}.{hint}")
    if not others:
        raise UnknownColumn(f"{table.name} has no column but '{key}': no covariate of systems")
    columns = {
        name: [_text(one) for one in own] for name, own in fetch_columns(table.frame).items()
    }
    systems = columns[key]
    _refuse_doubled(systems, table.name)
    return {
        name: _read_column(dict(zip(systems, columns[name], strict=True)), name, table.name)
        for name in chosen or others
    }


def refuse_missing(
    covariates: Mapping[str, Mapping[str, float | str]], systems: Sequence[str], source: str | Path
) -> None:
    """Refuse a table that lacks a system."""
    for name, values in covariates.items():
        missing = [system for system in systems if system not in values]
        if missing:
            raise InvalidJudgments(
                f"system covariate '{name}' has no value for {listing(missing)} in"
                f" {Path(source).name}: add what is missing, or leave the covariate out"
            )


def _find_key(table: Table, role: str, named: str | None = None) -> str:
    """Return the column that says of whom a row is, by the names that judgments may have for it."""
    names = list(dict.fromkeys([role, *([named] if named else [])]))
    found = [name for name in names if name in table.columns]
    found = found or Header(tuple(table.columns), table=table.name).candidates(role)
    if len(found) > 1 and found[0] != role:
        raise UnknownOption(
            f"{listing(found)} of {table.name} could each be the {role}: call the one '{role}'"
        )
    if found:
        return found[0]
    wanted = " or ".join(f"'{name}'" for name in names)
    hint = suggest(role, table.columns) or f" It has {listing(table.columns)}"
    raise UnknownColumn(
        f"{table.name} needs a column {wanted} that says of whom each row is.{hint}"
    )


def _refuse_doubled(systems: Sequence[str], name: str) -> None:
    if "" in systems:
        raise InvalidJudgments(f"a row of {name} names no system: fill it or drop it")
    doubled = sorted({system for system in systems if systems.count(system) > 1})
    if doubled:
        raise InvalidJudgments(
            f"{listing(doubled)} stands more than once in {name}: one row for each"
        )


def _text(value: Any) -> str:
    """Return a value as text; a missing one is empty."""
    if value is None or value != value:  # noqa: PLR0124 - nan is the only value that differs from itself
        return ""
    return str(value).strip()


def _read_column(values: dict[str, str], column: str, name: str) -> dict[str, float | str]:
    given = {system: value for system, value in values.items() if value}
    numbers = [value for value in given.values() if _NUMBER.fullmatch(value)]
    if len(numbers) == len(given):
        return {system: float(value) for system, value in given.items()}
    words = [value for value in given.values() if not _NUMBER.fullmatch(value)]
    if numbers:
        shown = listing([*numbers[:1], *words], _SHOWN)
        raise InvalidJudgments(
            f"column '{column}' of {name} holds numbers and words ({shown}): make it the one or the"
            " other; a level called 7 may be written v7"
        )
    return dict(given)
