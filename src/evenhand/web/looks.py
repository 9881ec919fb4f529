"""What the organiser's page says of the judgments: boards that follow them, and findings.

Boards count each record once. Findings read every judgment. Both are computed again when there is
something new, and not before some multiple of the time has passed that it took. In a server this
runs in a process of its own (`analysis_worker.py`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from evenhand.errors import EvenhandError
from evenhand.web.attempts import Attempts
from evenhand.web.findings import NOTHING, Findings, find, find_fault
from evenhand.web.gathered import Gathered
from evenhand.web.live_boards import BoardLook, LiveBoards
from evenhand.web.store.kept_boards import KeptBoard
from evenhand.web.store.readable import Readable

REST: Final = 4.0  # What was computed is computed again after so many times what it took
QUICK: Final = 1.0  # Seconds for which a look may keep whoever asks waiting, but for the first one
PAUSE: Final = 2.0  # Seconds between two looks for new records, at least, while nobody asks


@dataclass(frozen=True)
class Look:
    """What a look shows."""

    findings: Findings  # of the judgments up to a record
    record: int  # the end of the log when they were computed
    made: int  # when, in milliseconds since 1970
    boards: dict[str, BoardLook]  # pass → its board, of now
    whole: bool  # whether boards have counted everything
    faults: tuple[str, ...] = ()  # what failed of the boards, in words

    @property
    def begun(self) -> bool:
        """Whether anything was judged."""
        voted = any(one.board.n_votes for one in self.boards.values())
        return voted or any(one.why != NOTHING for one in self.findings.orders.values())


class Looks:
    """Looks at a campaign that runs."""

    def __init__(
        self,
        store: Readable,
        *,
        rest: float = REST,
        keep: Callable[[Mapping[str, KeptBoard]], object] | None = None,
    ) -> None:
        """Look at nothing yet; `keep` is as in `LiveBoards`."""
        self.store, self.rest = store, rest
        self.boards = LiveBoards(store, keep=keep)
        self._attempts = Attempts()
        self._gathered = Gathered(store)
        self._lock = threading.Lock()
        self._found: tuple[Findings, int, int] | None = None
        self._again = self._took = 0.0
        self._busy = False

    def look(self) -> Look:
        """Return what can be said now."""
        faults: list[str] = []
        whole = self._attempts.try_for(
            "what is new on the boards", self.boards.catch_up, partial(_note, faults)
        )
        with self._lock:
            found, record, made = self._find()
        boards = {name: self._show(name, found, faults) for name in self.boards.names}
        shown = {name: one for name, one in boards.items() if one is not None}
        return Look(found, record, made, shown, whole, tuple(faults))

    def _show(self, name: str, found: Findings, faults: list[str]) -> BoardLook | None:
        """Return a board; None, and a fault, where it cannot be shown."""
        return self._attempts.try_for(
            f"the board of {name}",
            lambda: self.boards.look(name, found.confirmed.get(name)),
            faults.append,
        )

    def _find(self) -> tuple[Findings, int, int]:
        """Return what was computed last; compute what is new, aside where that takes long."""
        record = self.store.head().number
        if self._found is None:
            return self._compute(record)
        if self._found[1] == record or self._busy or time.monotonic() < self._again:
            return self._found
        if self._took < QUICK:
            return self._compute(record)
        self._busy = True
        threading.Thread(target=self._compute_aside, args=(record,), daemon=True).start()
        return self._found

    def _compute(self, record: int) -> tuple[Findings, int, int]:
        """Read all judgments."""
        begun, made = time.monotonic(), self.store.clock.now()
        findings = self._attempts.try_for(
            "what the judgments say",
            lambda: find(self._gathered, self._attempts),
            lambda why: find_fault(self._gathered, why),
        )
        found = (findings, record, made)
        ended = time.monotonic()
        self._took = ended - begun
        self._again = ended + self.rest * self._took
        self._found = found
        return found

    def _compute_aside(self, record: int) -> None:
        """Compute while the last findings are shown; the next look shows these."""
        try:
            self._compute(record)
        except EvenhandError:  # the database is away for a while: the next look tries again
            self._again = time.monotonic() + PAUSE
        finally:
            self._busy = False

    def follow(self) -> float:
        """Count what is new on the boards; return the seconds to wait before the next time."""
        begun = time.monotonic()
        with suppress(EvenhandError):  # the database is away for a while: whoever asks is told
            self._attempts.try_for("what is new on the boards", self.boards.catch_up, bool)
        return max(PAUSE, self.rest * (time.monotonic() - begun))


def _note(faults: list[str], why: str) -> bool:
    """Note a fault; boards count no more for this look."""
    faults.append(why)
    return True
