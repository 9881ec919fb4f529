"""What the organiser's page says of the judgments: boards that follow them, and a look at times.

Boards are cheap and of now; while answers pour in and nobody looks they fall behind, and count what
they missed when it is calm, or when somebody looks. All else reads every judgment: it is computed
when somebody looks, by one thread at a time, and not again while nothing is new, or before some
multiple of the time has passed that it took. So judges hardly notice that somebody looks.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Final

from evenhand.errors import EvenhandError
from evenhand.web.attempts import Attempts
from evenhand.web.findings import NOTHING, Findings, find, find_fault
from evenhand.web.gathered import Gathered
from evenhand.web.live_boards import TURN, BoardLook, LiveBoards
from evenhand.web.store.board_count import AT_ONCE, list_boards
from evenhand.web.store.readable import Readable

QUICK: Final = 1.0
"""Seconds for which a look may keep whoever asks waiting, but for the first one."""
REST: Final = 4.0
"""A look is made anew after so many times what it took."""
OFTEN: Final = 2.0
"""Seconds between which boards follow the log, while a server runs."""
MOST: Final = 2_000
"""Records that a look waits for; more are counted by the thread that follows, or the next look."""
CALM: Final = 25.0
"""Up to so many records per second judges do not notice that boards are counted."""
LATELY: Final = 120.0
"""For so many seconds after a look boards keep up, however much comes in."""
HALF, FIFTH, TWENTIETH = 1.0, 4.0, 19.0
"""Rest after a turn of counting, in times of the turn, that leaves so much of the time to it."""


@dataclass(frozen=True)
class Look:
    """What a look shows.

    Attributes:
        findings: of the judgments up to a record.
        record: the end of the log when they were computed.
        made: when, in milliseconds since 1970.
        boards: pass → its board, of now.
        whole: whether boards have counted everything.
        faults: what failed of the boards, in words.

    """

    findings: Findings
    record: int
    made: int
    boards: dict[str, BoardLook]
    whole: bool
    faults: tuple[str, ...] = ()

    @property
    def begun(self) -> bool:
        """Whether anything was judged."""
        voted = any(one.board.n_votes for one in self.boards.values())
        return voted or any(one.why != NOTHING for one in self.findings.orders.values())


class Looks:
    """Looks at a campaign that runs.

    Attributes:
        store: where the judgments are.
        boards: of its passes.
        rest: see `REST`.

    """

    def __init__(
        self,
        store: Readable,
        *,
        rest: float = REST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Look at nothing yet."""
        self.store, self.rest, self._clock = store, rest, clock
        self.boards = LiveBoards(store)
        self._attempts = Attempts()
        self._gathered = Gathered(store)
        self._lock = threading.Lock()
        self._found: tuple[Findings, int, int] | None = None
        self._again = self._took = 0.0
        self._busy = False
        self._over = threading.Event()
        self._looked = -math.inf
        self._head = self._first = store.head().number
        self._when = clock()

    def look(self) -> Look:
        """Return what can be said now."""
        self._looked = self._clock()
        faults: list[str] = []
        whole = self._attempts.try_for(
            "what is new on the boards",
            lambda: self.boards.catch_up(MOST, rest=HALF),
            partial(_note, faults),
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
            self._again = time.monotonic() + OFTEN
        finally:
            self._busy = False

    def begin(self) -> None:
        """Follow the log from now on, so that no look has much to count.

        What counts is loaded before anybody is served: later, judges would wait for half a second.
        """
        if list_boards(self.store.campaign):
            import_module("evenhand.ranking.anytime.live_board")
        threading.Thread(target=self._follow, name="evenhand boards", daemon=True).start()

    def end(self) -> None:
        """Follow no more."""
        self._over.set()

    def _follow(self) -> None:
        """Count what is new, as long as the server runs."""
        pause = OFTEN
        while not self._over.wait(pause):
            try:
                whole = self._attempts.try_for("what is new on the boards", self.follow, bool)
            except EvenhandError:  # the database is away for a while: whoever looks is told
                whole = True
            pause = OFTEN if whole else 0.0

    def follow(self) -> bool:
        """Count some of what is new, if judges leave the time; say whether to come back later."""
        head, now = self.store.head().number, self._clock()
        pace = (head - self._head) / max(now - self._when, TURN)
        self._head, self._when = head, now
        if pace <= CALM:
            rest = HALF
        elif now < self._looked + LATELY:
            rest = FIFTH
        elif head - max(self.boards.record, self._first) > MOST:
            rest = TWENTIETH
        else:
            return True
        return self.boards.catch_up(AT_ONCE, rest=rest)


def _note(faults: list[str], why: str) -> bool:
    """Note a fault; boards count no more for this look."""
    faults.append(why)
    return True
