"""What the design promises, counted on the answers so far: when somebody asks, one at a time."""

from __future__ import annotations

import threading

from evenhand.design.guarantees import DesignCheck
from evenhand.web.store.collected import count_promises, gather
from evenhand.web.store.readable import Readable


class Promises:
    """Promises of a campaign that runs; counted anew where something is new."""

    def __init__(self, store: Readable) -> None:
        """Count nothing yet."""
        self.store = store
        self._lock = threading.Lock()
        self._found: tuple[int, DesignCheck] | None = None

    def count(self) -> DesignCheck:
        """Return what was promised, and what was found."""
        with self._lock:
            head = self.store.head().number
            if self._found is None or self._found[0] != head:
                planned = self.store.campaign
                collected = gather(self.store.records())
                self._found = (head, count_promises(collected, planned, planned.name)[1])
            return self._found[1]
