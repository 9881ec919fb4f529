"""Names that nearly agree: 'Alpha' and 'alpha' are two systems, and perhaps one was meant.

Labels are compared exactly, so that a name written in two ways splits a system in two. Nothing is
joined unasked; `say_alike` tells where names differ only in capitals, blanks or punctuation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from evenhand.errors import listing
from evenhand.judgments.merging import say_merged

_SIGNS: Final = r"""[\s\-‐-―_.,:;/\\'"’`()\[\]]+"""
_BETWEEN_NUMBERS: Final = re.compile(rf"(?<=\d){_SIGNS}(?=\d)")
_ANYWHERE: Final = re.compile(rf"(?!(?<=\d) (?=\d)){_SIGNS}")


def say_names(systems: Iterable[str]) -> tuple[str, ...]:
    """Say what names of systems may hide: outputs of several systems, one system named twice.

    >>> say_names(["a", "b", "c"])
    ()
    """
    names = tuple(systems)
    return (*say_merged(names), *say_alike(names))


def say_alike(names: Iterable[str], kind: str = "system") -> tuple[str, ...]:
    """Say which names differ only in capitals, blanks or punctuation, if some do."""
    looks: dict[str, list[str]] = {}
    for name in sorted(names):
        looks.setdefault(_plain(name), []).append(name)
    alike = [same for same in looks.values() if len(same) > 1]
    if not alike:
        return ()
    if len(alike) == 1 and len(alike[0]) == 2:
        one, other = alike[0]
        return (
            f"'{one}' and '{other}' are taken for two {kind}s: they differ only in capitals, blanks"
            " or punctuation; if they are one, give them one name",
        )
    some = [name for same in alike for name in same]
    return (
        f"{len(some):,} names that differ only in capitals, blanks or punctuation are taken for as"
        f" many {kind}s: {listing(some, 6)}; if some are one, give them one name",
    )


def _plain(name: str) -> str:
    """Take away what is easily written in two ways; signs between digits part numbers."""
    text = unicodedata.normalize("NFKC", name).casefold()
    plain = _ANYWHERE.sub("", _BETWEEN_NUMBERS.sub(" ", text))
    return plain or name
