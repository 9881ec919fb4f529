"""Patterns of names in a bucket: `*` and `[...]` within a folder's name, `**` across folders."""

from __future__ import annotations

import re
from typing import Final

_MAGIC: Final = re.compile(r"[*\[]")
# What a pattern is made of; a bracket that is not closed stands for itself
_PIECES: Final = re.compile(r"\*\*/|\*\*|\*|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_ANY: Final = {"**/": r"(?:(?!\.)[^/]+/)*", "**": r"(?:(?!/\.).)*", "*": "[^/]*"}
# What a pattern begins with in place of a full stop: such names are hidden, as in folders here
_SHOWN: Final = r"(?!\.)"


def is_pattern(name: str) -> bool:
    """Say whether a name stands for several."""
    return _MAGIC.search(name) is not None


def split_pattern(pattern: str) -> tuple[str, bool]:
    """Return the folder that holds all matches, and whether some may lie below it.

    >>> split_pattern("votes/day=*/part-*.parquet"), split_pattern("votes/*.csv")
    (('votes', True), ('votes', False))
    """
    found = _MAGIC.search(pattern)
    folder = pattern[: found.start() if found else None].rpartition("/")[0]
    rest = pattern[len(folder) :].lstrip("/")
    return folder, "/" in rest or "**" in rest


def match_pattern(pattern: str) -> re.Pattern[str]:
    """Return the names that a pattern stands for, as a regular expression.

    >>> found = match_pattern("votes/**/[ab]*.parquet")
    >>> names = ("a.parquet", "x/b1.parquet", "c.parquet", "a.csv")
    >>> [bool(found.fullmatch(f"votes/{name}")) for name in names]
    [True, True, False, False]
    """
    pieces = _PIECES.findall(pattern)
    pairs = zip(("/", *pieces), pieces, strict=False)
    return re.compile("".join(_lead(*pair) + _write(pair[1]) for pair in pairs), re.DOTALL)


def _lead(before: str, piece: str) -> str:
    """Keep hidden names from a sign at the beginning of a name."""
    sign = piece != "**/" and (piece in _ANY or len(piece) > 1)
    return _SHOWN if sign and before.endswith("/") else ""


def _write(piece: str) -> str:
    """Write one piece of a pattern as a regular expression."""
    if piece in _ANY:
        return _ANY[piece]
    if len(piece) == 1:
        return re.escape(piece)
    inner = piece[1:-1].replace("\\", r"\\")
    return f"[^/{inner[1:]}]" if inner.startswith("!") else f"[{inner.replace('^', chr(92) + '^')}]"
