"""The line under every result: what made a number, so that it can be made again."""

from __future__ import annotations

from collections.abc import Iterable


def write_signature(
    parts: Iterable[str], n_judgments: float, digest: str, *, judges: int | None = None
) -> str:
    """Return the line that reproduces a number, of whatever kind."""
    from evenhand import __version__

    n = f"n={exactly(float(n_judgments))}" + (f" J={judges}" if judges is not None else "")
    return " | ".join([f"evenhand {__version__}", *parts, n, f"sha256 {digest[:12]}"])


def exactly(number: float) -> str:
    """Write a number with all of its digits.

    >>> exactly(1234567.0), exactly(12.5)
    ('1234567', '12.5')
    """
    return str(int(number)) if number.is_integer() else repr(number)
