"""What is computed for the organiser's page, part by part: one that fails takes no other with it.

A fault of ours is told to the terminal, in a line; the page says that the part is missing.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from evenhand.errors import EvenhandError
from evenhand.web.rates import Rates
from evenhand.web.store.refusals import NotStored

# What a part that fails may raise; an interrupt and the like go through
FAULTS: Final = (
    *(ArithmeticError, AssertionError, AttributeError, EvenhandError, ImportError, LookupError),
    *(MemoryError, NameError, OSError, RuntimeError, TypeError, ValueError),
)
WHY: Final = "{} could not be computed: the server's terminal says why"
Found = TypeVar("Found")
_log: Final = logging.getLogger("evenhand")


class Attempts:
    """Tries, with a line to the terminal for each that fails; one a minute of the same words."""

    def __init__(self) -> None:
        """Nothing failed yet."""
        self._told = Rates(1 / 60, 1)

    def try_for(self, what: str, do: Callable[[], Found], instead: Callable[[str], Found]) -> Found:
        """Return what is computed, or what stands in its place."""
        try:
            return do()
        except FAULTS as fault:
            if isinstance(fault, NotStored):
                raise
            said = f"{what} could not be computed: {type(fault).__name__}: {fault}{_place(fault)}"
            if self._told.take(said):
                _log.warning("evenhand: %s", said)
            return instead(WHY.format(what))


def _place(fault: BaseException) -> str:
    """Say in which line a fault arose."""
    last = traceback.extract_tb(fault.__traceback__)[-1]
    return f" ({Path(last.filename).name}, line {last.lineno})"
