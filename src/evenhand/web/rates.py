"""Requests per second: a bucket of tokens for each name, filled at an even rate."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

MOST: Final = 10_000  # Names that are kept; of more, the ones that came longest ago are forgotten


class Rates:
    """Who asked how often.

    >>> rates = Rates(1, 2, clock=lambda: 0.0)
    >>> [rates.take("ann") for _ in range(3)], rates.take("ben")
    ([True, True, False], True)
    """

    def __init__(
        self, per_second: float, burst: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with full buckets."""
        self.per_second, self.burst, self._clock = per_second, burst, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> bool:
        """Take one token; say whether there was one."""
        now = self._clock()
        left, since = self._left.get(name, (self.burst, now))
        left = min(self.burst, left + (now - since) * self.per_second)
        self._left[name] = (left - 1 if left >= 1 else left, now)
        self._left.move_to_end(name)
        if len(self._left) > MOST:
            self._left.popitem(last=False)
        return left >= 1
