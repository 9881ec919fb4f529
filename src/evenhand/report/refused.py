"""Why there is nothing, in words that hold for who reads a report."""

from __future__ import annotations

from typing import Final

from evenhand.errors import EvenhandError, Remedied

# Options of other verbs, which their refusals name and a report does not have
ABSENT: Final = ("--interval", "--cluster")


def say_refused(refusal: EvenhandError) -> str:
    """Return why there is nothing, without remedies that a report has no options for."""
    return str(refusal.without_options(*ABSENT) if isinstance(refusal, Remedied) else refusal)
