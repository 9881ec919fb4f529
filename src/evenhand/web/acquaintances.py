"""Judges whose link was looked up a moment ago: a page that answers quickly is not looked up anew.

The store checks again, at every answer, that a judge may go on; so a judge who was shut out is let
in nowhere. What the organiser changes is known at once; what another server on the same database
changed, after ten seconds.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from evenhand.web.store.readable import Bearer

SECONDS: Final = 10.0  # For how long somebody is known
MOST: Final = 2_000  # Most who are known at a time


class Acquaintances:
    """Who came with which link a moment ago."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Know nobody."""
        self._clock = clock
        self._known: OrderedDict[str, tuple[Bearer, float]] = OrderedDict()

    def recall(self, token: str) -> Bearer | None:
        """Return who came with a link, None where that is not known, or was too long ago."""
        found = self._known.get(token)
        return found[0] if found is not None and self._clock() < found[1] else None

    def remember(self, token: str, who: Bearer) -> None:
        """Keep who came with a link, if it is a judge."""
        if who.role != "judge":
            return
        self._known[token] = (who, self._clock() + SECONDS)
        self._known.move_to_end(token)
        if len(self._known) > MOST:
            self._known.popitem(last=False)

    def forget(self) -> None:
        """Know nobody any more: links were made or ended."""
        self._known.clear()
