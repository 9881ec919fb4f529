"""Copies of files that lie elsewhere, and what they are called: by the URL of the original."""

from __future__ import annotations

from typing import Final

_ORIGINALS: Final[dict[str, str]] = {}


def call_copy(copy: str, original: str) -> None:
    """Have a copy called by the name of its original, in messages and in accounts."""
    _ORIGINALS[copy] = original


def forget_copies(copies: list[str]) -> None:
    """Forget copies that are no more."""
    for copy in copies:
        _ORIGINALS.pop(copy, None)


def name_originals(text: str) -> str:
    """Return a text with originals in the place of copies.

    >>> call_copy("/copies/1/votes.csv", "s3://bucket/votes.csv")
    >>> name_originals("line 3 of /copies/1/votes.csv has 2 fields")
    'line 3 of s3://bucket/votes.csv has 2 fields'
    >>> forget_copies(["/copies/1/votes.csv"])
    """
    for copy, original in list(_ORIGINALS.items()):  # other threads copy
        text = text.replace(copy, original)
    return text
