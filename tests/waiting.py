"""Waiting for what another thread or process does, for as long as a loaded machine may need.

On pages wait for selectors, or with `wait_for` for what `page.evaluate` says: `wait_for_function`
of the browser evaluates its words within the page, which our pages forbid, and fails at its second
look.
"""

import time
from collections.abc import Callable
from typing import Final

LONG: Final = 300.0
"""Seconds after which what did not come will not come."""


def wait_for(happens: Callable[[], object], *, every: float = 0.02) -> None:
    """Look again and again until something holds."""
    end = time.monotonic() + LONG
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(every)
