"""Time that never goes back: the wall clock at the start, a monotonic clock from then on.

A wall clock that is set back or forth while the server runs changes nothing; one that stands behind
the last stored time at the start is taken to stand at that time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

# counts the time in which the machine slept, where there is such a clock
_STEADY: Final[int] = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", 0))


def read_wall() -> float:
    """Return seconds since 1970 by the wall clock."""
    return time.time()


def read_steady() -> float:
    """Return seconds by a clock that nobody sets."""
    return time.clock_gettime(_STEADY) if hasattr(time, "clock_gettime") else time.monotonic()


@dataclass(frozen=True)
class Clock:
    """Milliseconds since 1970 that never go back."""

    start: int  # milliseconds at the start
    began: float  # the steady clock at the start, in seconds
    # the steady clock. >>> clock = Clock.start_at(5_000, wall=lambda: 1.0, steady=lambda: 7.0)
    # >>> clock.now()  # the wall clock stands behind what is stored 5000
    steady: Callable[[], float] = read_steady

    @classmethod
    def start_at(
        cls,
        stored: int,
        *,
        wall: Callable[[], float] = read_wall,
        steady: Callable[[], float] = read_steady,
    ) -> Clock:
        """Start from the wall clock, or from the last stored time if that is later."""
        return cls(max(stored, int(wall() * 1000)), steady(), steady)

    def now(self) -> int:
        """Return milliseconds since 1970."""
        return self.start + max(0, int((self.steady() - self.began) * 1000))
