"""Findings as words of a page: sentences with a capital and a stop, numbers written in one way."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

# A number below 0 where one may begin; no range, no option, no part of a name
_SIGNED: Final = re.compile(r"(?<![^\s(])-(\d[\d.,]*)")


def write_sentence(words: str, names: Collection[str] = ()) -> str:
    """Write a finding as a sentence; a name of a system or judge stays as it is.

    >>> write_sentence("nothing was judged yet"), write_sentence("lark leads now", ["lark"])
    ('Nothing was judged yet.', 'lark leads now.')
    """
    named = any(words == one or words.startswith(f"{one} ") for one in names)
    begun = typeset(words if named else words[:1].upper() + words[1:])
    return begun if begun.endswith((".", "!", "?")) else f"{begun}."


def write_number(value: float, digits: int = 2) -> str:
    """Write a number with a minus sign, and none before 0."""
    return f"{value:z.{digits}f}".replace("-", "−")


def typeset(words: str) -> str:
    """Write numbers within words as elsewhere on the page; a line never breaks before %.

    >>> typeset("a slope of -0.00 (-0.45 to 0.45), as 1-3 of Delta-2")
    'a slope of 0.00 (−0.45 to 0.45), as 1-3 of Delta-2'
    >>> typeset("agrees in 44 %") == "agrees in 44\N{NO-BREAK SPACE}%"
    True
    """
    return _SIGNED.sub(_sign, words).replace(" %", "\N{NO-BREAK SPACE}%")


def _sign(found: re.Match[str]) -> str:
    number = found[1]
    return f"−{number}" if number.strip("0.,") else number
