"""Output streams that cannot write every sign get one that they can."""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper
from typing import Final

# Signs of our own and what stands for them, one for one so that columns stay aligned
PLAIN: Final = dict(zip("─●┈…→✗—–−·×²λγδπντχκ", "-o.~>x---.x2lgdpntxk", strict=True))


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
