"""Output streams that cannot write every sign get one that they can."""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper
from typing import Final
from unicodedata import category

PLAIN: Final = dict(zip("─●┈…→✗—–−·×²λγδπντχκ", "-o.~>x---.x2lgdpntxk", strict=True))
"""Signs of our own and what stands for them, one for one so that columns stay aligned."""

HIDDEN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Categories of signs that a terminal obeys or cannot write."""
BREAKS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Signs that turn the direction of the text behind them."""


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(sign, "?") for sign in lost), error.end


def write_whatever_they_take() -> None:
    """Let the standard streams replace what their encoding lacks rather than fail."""
    codecs.register_error("evenhand", _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper) and (stream.encoding or "").lower() != "utf-8":
            stream.reconfigure(errors="evenhand")


def discard_output() -> None:
    """Send what standard output could not take to nowhere: Python would try again at its exit."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # not a stream of the system
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def visible(text: str) -> str:
    r"""Write signs that would move the cursor or hide text as what they are.

    >>> visible("two\nlines"), visible("\x1b[31mred"), visible("naïve 系统")
    ('two\\nlines', '\\x1b[31mred', 'naïve 系统')
    """
    if text.isprintable():
        return text
    return "".join(
        repr(sign)[1:-1] if category(sign) in HIDDEN or sign in BREAKS else sign for sign in text
    )
