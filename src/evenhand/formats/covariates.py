"""Tables that say something of judges, items or systems: one row for each.

Judges and items are joined to the judgments by `Comparisons.join`; systems become the covariates of
a model. Nothing of such a table is guessed: a column of system covariates is numbers or it is names
of levels, and one that holds both is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import narwhals as nw

from evenhand.data.engine import Frame, count_labels, fetch_columns
from evenhand.data.source import strip_blanks
from evenhand.errors import (
    InvalidJudgments,
    MissingFile,
    UnknownColumn,
    UnknownFormat,
    UnknownOption,
    listing,
    suggest,
)
from evenhand.formats.files import open_files
from evenhand.formats.reading import read_decimals
from evenhand.formats.records import write_value
from evenhand.formats.roles import Header
from evenhand.formats.table import Handle, Table

# What is a number in a table: neither nan nor inf, nor 1_000 as Python takes it
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_MAX_VALUES_SHOWN: Final = 3


def open_covariates(source: str | Path, *, on: str, named: str | None = None) -> Frame:
    table = read_decimals(_open(source, on, named), None, {})
    key = _find_key(table, on, named)
    frame, _ = strip_blanks(table.frame.select(*table.columns), {key: key})
    return frame if key == on else frame.rename({key: on})


def _open(source: str | Path, role: str, named: str | None = None) -> Table:
    return open_files(
        source,
        fits=lambda one: named in one.columns or bool(Header(one.columns).candidates(role)),
        advise=lambda sheet: f"save the one that is meant, such as '{sheet}', as a file of its own",
    )


def read_system_covariates(
    source: str | Path, chosen: Sequence[str] = ()
) -> dict[str, dict[str, float | str]]:
    """Read covariates of systems: covariate → system → number or level."""
    # A missing value is left out, so that the model can name the systems without one.
    table = read_decimals(_open(source, "system"), None, {})
    key = _find_key(table, "system")
    others = [name for name in table.columns if name != key]
    unknown = [name for name in chosen if name not in others]
    if unknown:
        hint = suggest(unknown[0], others) or f" It has {listing(others)}"
        raise UnknownColumn(f"column '{unknown[0]}' not found in {table.name}.{hint}")
    if not others:
        raise UnknownColumn(f"{table.name} has no column but '{key}': no covariate of systems")
    columns = {
        name: [
            "" if one is None or one != one else str(one).strip()  # noqa: PLR0124 - nan is the only value that differs from itself
            for one in values
        ]
        for name, values in fetch_columns(table.frame).items()
    }
    systems = columns[key]
    if "" in systems:
        raise InvalidJudgments(f"a row of {table.name} names no system: fill it or drop it")
    doubled = sorted({system for system in systems if systems.count(system) > 1})
    if doubled:
        raise InvalidJudgments(
            f"{listing(doubled)} stands more than once in {table.name}: one row for each"
        )
    return {
        name: _read_column(dict(zip(systems, columns[name], strict=True)), name, table.name)
        for name in chosen or others
    }


def refuse_missing(
    covariates: Mapping[str, Mapping[str, float | str]], systems: Sequence[str], source: str | Path
) -> None:
    for name, values in covariates.items():
        missing = [system for system in systems if system not in values]
        if missing:
            raise InvalidJudgments(
                f"system covariate '{name}' has no value for {listing(missing)} in"
                f" {Path(source).name}: add what is missing, or leave the covariate out"
            )


def _find_key(table: Table, role: str, named: str | None = None) -> str:
    names = list(dict.fromkeys([role, *([named] if named else [])]))
    candidates = [name for name in names if name in table.columns]
    candidates = candidates or Header(tuple(table.columns), table=table.name).candidates(role)
    if len(candidates) > 1 and candidates[0] != role:
        raise UnknownOption(
            f"{listing(candidates)} of {table.name} could each be the {role}: call the one '{role}'"
        )
    if candidates:
        return candidates[0]
    wanted = " or ".join(f"'{name}'" for name in names)
    hint = suggest(role, table.columns) or f" It has {listing(table.columns)}"
    raise UnknownColumn(
        f"{table.name} needs a column {wanted} that says of whom each row is.{hint}"
    )


def _read_column(values: dict[str, str], column: str, name: str) -> dict[str, float | str]:
    given = {system: value for system, value in values.items() if value}
    numbers = [value for value in given.values() if _NUMBER.fullmatch(value)]
    if len(numbers) == len(given):
        return {system: float(value) for system, value in given.items()}
    words = [value for value in given.values() if not _NUMBER.fullmatch(value)]
    if numbers:
        shown = listing([*numbers[:1], *words], _MAX_VALUES_SHOWN)
        raise InvalidJudgments(
            f"column '{column}' of {name} holds numbers and words ({shown}): make it the one or the"
            " other; a level called 7 may be written v7"
        )
    return dict(given)


# One person may have judged under several logins, as docs/formats.md says. A judge who is asked
# again under another login is one judge, so that every effect of judges is of persons.
LOGIN = "login"
PERSON = "person"


def read_persons(source: str | Path) -> dict[str, str]:
    path = Path(source).expanduser()
    if path.suffix.lower() != ".json":
        return _gather(_read_table(path), path)

    def read_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:  # the reader of JSON would keep the last of two equal names
            raise InvalidJudgments(
                f"'{twice}' appears twice in {path}: put all logins into one list"
            )
        return dict(pairs)

    try:
        given = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=read_once)
    except FileNotFoundError:
        raise MissingFile(f"there is no file '{path}'") from None
    except InvalidJudgments:
        raise
    except (ValueError, RecursionError):
        raise UnknownFormat(f"{path} is not whole JSON") from None
    if not isinstance(given, dict) or not all(isinstance(one, list) for one in given.values()):
        raise UnknownFormat(f'{path} is no map of persons: {{"person": ["login", "login"], …}}')
    pairs = [(login, person) for person, logins in given.items() for login in logins]
    for login, person in pairs:
        named = isinstance(login, str) and login.strip()
        if not named and (isinstance(login, bool) or not isinstance(login, int)):
            raise InvalidJudgments(f"a login of '{person}' in {path} is {login!r}: write its name")
        if not person.strip():
            raise InvalidJudgments(f"login '{login}' in {path} has a person without a name")
    return _gather([(str(login), person) for login, person in pairs], path)


def _read_table(path: Path) -> list[tuple[str, str]]:
    fetched = fetch_columns(open_covariates(path, on="judge", named=LOGIN))
    if PERSON not in fetched:
        raise UnknownColumn(f"{path} needs a column '{PERSON}' beside that of logins")
    columns = [
        [write_value(value) for value in fetched[name].tolist()] for name in ("judge", PERSON)
    ]
    pairs = []
    for row, (login, person) in enumerate(zip(*columns, strict=True), start=1):
        if not login or not login.strip():
            raise InvalidJudgments(f"row {row:,} of {path} has no login: fill it or drop the row")
        if not person or not person.strip():
            raise InvalidJudgments(
                f"row {row:,} of {path} names no person for login '{login}': give them a person of"
                " their own if nobody else is behind the login"
            )
        pairs.append((login, person))
    return pairs


def _gather(pairs: list[tuple[str, str]], path: Path) -> dict[str, str]:
    persons: dict[str, str] = {}
    for login, person in pairs:
        if persons.setdefault(login, person) != person:
            raise InvalidJudgments(
                f"login '{login}' stands in {path} for {persons[login]} and for {person}"
            )
    return persons


def name_persons(data: Handle, persons: Mapping[str, str]) -> Handle:
    """Make judges of persons; the login stays as a column of that name."""
    if "judge" not in data.columns:
        raise UnknownColumn(f"{data.source.name} names no judges: nobody logged in")
    if LOGIN in data.columns:
        raise InvalidJudgments(f"{data.source.name} has a column '{LOGIN}' already: rename it")
    named = data.frame.with_columns(nw.col("judge").cast(nw.String))
    logins = sorted(login for login in count_labels(named, "judge") if login is not None)
    unknown = [login for login in logins if login not in persons]
    if unknown:
        raise InvalidJudgments(
            f"nobody is behind {listing(unknown)} of {data.source.name}: add them to the map of"
            " persons, each as a person of their own if need be"
        )
    known = {login: persons[login] for login in logins}
    judge = nw.col("judge").replace_strict(list(known), list(known.values()), default=None)
    frame = named.with_columns(nw.col("judge").alias(LOGIN)).with_columns(judge.alias("judge"))
    n = len(set(known.values()))
    who = "person" if n == 1 else "persons"
    note = f"{len(known):,} logins are {n:,} {who}: 'judge' is the person, '{LOGIN}' the login"
    return replace(data, frame=frame, source=data.source.noting(note))
