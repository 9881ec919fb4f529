"""Why there is nothing, in words that hold for who reads a report."""

from __future__ import annotations

from typing import Final

from evenhand.errors import EvenhandError, Remedied

ABSENT: Final = ("--interval", "--cluster")
"""Options of other verbs, which their refusals name and a report does not have."""


def say_refused(refusal: EvenhandError) -> str:
    """Return why there is nothing, without remedies that a report has no options for.

    Args:
        refusal: what kept a section, a check or the ranking from being written.

    >>> from evenhand.errors import NotIdentified
    >>> say_refused(NotIdentified("too few", ["collect more", "use --interval model"]))
    'too few; collect more'
    """
    return str(refusal.without_options(*ABSENT) if isinstance(refusal, Remedied) else refusal)
