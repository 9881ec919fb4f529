"""A plan: a TOML file that states how something is decided, before votes are known.

Its SHA-256 is published then, and the file is held against it after.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from evenhand.errors import (
    InvalidJudgments,
    MissingFile,
    UnknownFormat,
    UnknownOption,
    listing,
    sentence_hint,
    suggest,
)

Kinds = Mapping[str, tuple[type, ...]]  # what a plan may state → types of its values


def read_plan(path: str | Path, of: str, kinds: Kinds) -> tuple[dict[str, Any], str]:
    """Return what a plan of a gate or a board states, and the SHA-256 of its file.

    Raises:
        MissingFile: there is none.
        UnknownFormat: it is no TOML.
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
        raise UnknownFormat(f"'{path}' is no TOML: {error}") from None
    for name, value in stated.items():
        if name not in kinds:
            keys = [*kinds]
            hint = sentence_hint(suggest(name, keys)) or f": there are {listing(keys, len(keys))}"
            raise UnknownOption(f"'{path}': a {of} has no setting '{name}'{hint}")
        number = isinstance(value, bool) and bool not in kinds[name]  # to Python True is 1
        if number or not isinstance(value, kinds[name]):
            raise UnknownOption(f"'{path}': {name} cannot be {value!r}")
    return stated, sha256(content).hexdigest()


def require_digest(plan: str | Path | None, digest: str, published: str | None) -> None:
    """Refuse a plan whose SHA-256 is not the one that was published, where one was."""
    if published is None:
        return
    if plan is None:
        raise UnknownOption("a SHA-256 is that of a plan: name it (--plan FILE, in Python plan=)")
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
