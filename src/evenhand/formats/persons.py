"""Who stands behind a login: one person may have judged under several.

    {"Annotator01isl": ["engisl7701", "engisl7702"], …}        login,person
                                                               engisl7701,Annotator01isl

A judge who is asked again under another login is one judge, so that intra-judge agreement and every
effect of judges are of persons.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw

from evenhand.errors import InvalidJudgments, MissingFile, UnknownColumn, UnknownFormat, listing
from evenhand.formats.covariates import open_covariates
from evenhand.formats.table import Handle
from evenhand.formats.unfolding import write_value
from evenhand.judgments.engine import COUNT, fetch_columns

LOGIN = "login"
PERSON = "person"


def read_persons(source: str | Path) -> dict[str, str]:
    """Read which person each login is of."""
    path = Path(source).expanduser()
    if path.suffix.lower() != ".json":
        return _gather(_read_table(path), path)
    try:
        given = json.loads(
            path.read_text(encoding="utf-8-sig"), object_pairs_hook=lambda pairs: _once(pairs, path)
        )
    except FileNotFoundError:
        raise MissingFile(f"there is no file '{path}'") from None
    except InvalidJudgments:
        raise
    except (ValueError, RecursionError):
        raise UnknownFormat(f"{path} is not whole JSON") from None
    if not isinstance(given, dict) or not all(isinstance(one, list) for one in given.values()):
        raise UnknownFormat(f'{path} is no map of persons: {{"person": ["login", "login"], …}}')
    return _gather(
        [_read_pair(one, who, path) for who, logins in given.items() for one in logins], path
    )


def _once(pairs: list[tuple[str, Any]], path: Path) -> dict[str, Any]:
    """Return an object of a JSON file, whose reader would keep the last of two equal names."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidJudgments(f"'{twice}' stands twice in {path}: put all logins into one list")
    return found


def _read_pair(login: object, person: str, path: Path) -> tuple[str, str]:
    """Return a login and its person out of a JSON file."""
    text = isinstance(login, str) and login.strip()
    if not text and (isinstance(login, bool) or not isinstance(login, int)):
        raise InvalidJudgments(f"a login of '{person}' in {path} is {login!r}: write its name")
    if not person.strip():
        raise InvalidJudgments(f"login '{login}' in {path} has a person without a name")
    return str(login), person


def _read_table(path: Path) -> list[tuple[str, str]]:
    """Return the logins and persons of a table with one login a row."""
    found = fetch_columns(open_covariates(path, on="judge", named=LOGIN))
    if PERSON not in found:
        raise UnknownColumn(f"{path} needs a column '{PERSON}' beside that of logins")
    columns = [[write_value(value) for value in found[name].tolist()] for name in ("judge", PERSON)]
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
    counted = fetch_columns(named.group_by("judge").agg(nw.len().alias(COUNT)))["judge"]
    logins = sorted(str(login) for login in counted.tolist() if login is not None)
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
