"""A plan: a TOML file that states how something is decided, before votes are known.

Its SHA-256 is published then, and the file is held against it after.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from evenhand.data.exclusions import Exclusion
from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    MissingFile,
    UnknownFormat,
    UnknownOption,
    listing,
    sentence_hint,
    suggest,
)

# Codes of exclusions that somebody chose; a plan cannot state them
CHOSEN: Final = ("where", "task", "judges", "systems")
Kinds = Mapping[str, tuple[type, ...]]  # what a plan may state → types of its values


def read_plan(path: str | Path, of: str, kinds: Kinds) -> tuple[dict[str, Any], str]:
    """Return what a plan of a gate or a board states, and the SHA-256 of its file.

    Raises:
        MissingFile: there is none.
        UnknownFormat: it is not valid TOML.
        UnknownOption: it states what such a plan does not know.

    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingFile(f"there is no file '{path}'") from None
    return parse_plan(content, path, of, kinds)


def parse_plan(
    content: bytes, path: str | Path, of: str, kinds: Kinds
) -> tuple[dict[str, Any], str]:
    """Return what the content of a plan states, and its SHA-256."""
    try:
        stated = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        bare = re.search(rb"=\s*[+-]?(\.\d+)", content)
        hint = f": write 0{bare[1].decode()} for {bare[1].decode()}" if bare else ""
        raise UnknownFormat(f"'{path}' is not valid TOML: {error}{hint}") from None
    for name, value in stated.items():
        if name not in kinds:
            keys = [*kinds]
            hint = sentence_hint(suggest(name, keys)) or f": there are {listing(keys, len(keys))}"
            raise UnknownOption(f"'{path}': a {of} has no setting '{name}'{hint}")
        number = isinstance(value, bool) and bool not in kinds[name]  # to Python True is 1
        if number or not isinstance(value, kinds[name]):
            quoted = isinstance(value, str)
            hint = (
                f": take the quotes away, {name} = {value}" if quoted and is_number(value) else ""
            )
            raise UnknownOption(f"'{path}': {name} cannot be {value!r}{hint}")
    return stated, sha256(content).hexdigest()


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@contextmanager
def naming_plan(plan: str | Path | None, *kinds: type[EvenhandError]) -> Iterator[None]:
    """Name the file of a plan in refusals of some kinds, which are of what it states."""
    try:
        yield
    except kinds as fault:
        if plan is None or str(fault).startswith(f"'{plan}'"):
            raise
        raise type(fault)(f"'{plan}': {fault}") from None


def require_digest(plan: str | Path | None, digest: str, published: str | None) -> None:
    """Refuse a plan whose SHA-256 is not the one that was published, where one was."""
    if published is None:
        return
    if plan is None:
        raise UnknownOption("a SHA-256 is that of a plan: name it (--plan FILE, in Python plan=)")
    if not re.fullmatch("[0-9a-fA-F]{64}", published):
        raise UnknownOption(
            f"'{published}' is no SHA-256, which has 64 digits of 0-9 and a-f: copy all of it"
        )
    if published.lower() != digest:
        raise InvalidJudgments(
            f"'{plan}' has SHA-256 {digest}, and {published} was published: it was changed"
        )


def join_plan(given: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a plan; what is given beside it must be the same."""
    for name, value in given.items():
        if value is not None and value != stated.get(name):
            says = f"says {stated[name]!r}" if name in stated else "does not state it"
            raise UnknownOption(f"{name} is {value!r}, and the plan {says}: leave it out")
    return dict(stated)


def list_chosen(excluded: Sequence[Exclusion]) -> list[str]:
    """Return what somebody excluded by conditions or names, in words."""
    return [one.clause for one in excluded if one.code in CHOSEN]
