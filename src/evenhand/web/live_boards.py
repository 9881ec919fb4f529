"""Boards of the passes while a campaign runs: each vote is counted once, in the order of the log.

`store/board_count.py` says what a vote is. Nothing is taken out again: not what a judge said who is
flagged, revoked or forgotten afterwards. For to leave votes out because of what they say would
decide falsely more often than the level allows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from evenhand.web.store.board_count import AT_ONCE, BoardCount, list_boards
from evenhand.web.store.kept_boards import KeptBoard, has_deletion, keep_boards, read_after
from evenhand.web.store.line import Line
from evenhand.web.store.readable import Readable
from evenhand.web.store.refusals import NotStored
from evenhand.web.store.store import Store

if TYPE_CHECKING:
    from evenhand.ranking.sequential.leaderboard import Board, Confirmation

SELDOM: Final = 5_000  # Records after which boards are kept although nothing new was decided
MADE_LAST: Final = "rank sets are those that were made last: none can be made of the answers now"


@dataclass(frozen=True)
class BoardLook:
    """A board as the page shows it."""

    board: Board  # what is decided, and who leads now
    lapsed: tuple[tuple[str, str], ...]  # pairs that stood as decided once and are held back now


class LiveBoards:
    """Boards of all passes of a campaign that are judged by votes."""

    def __init__(
        self,
        store: Readable,
        *,
        keep: Callable[[Mapping[str, KeptBoard]], object] | None = None,
    ) -> None:
        """Read nothing yet."""
        self.store = store
        if keep is None and isinstance(store, Store):
            keep = partial(_keep_in, store)
        self._put = keep
        self._lock = threading.Lock()
        self._count: BoardCount | None = None
        self._kept = self._decided = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Passes that have a board."""
        return list_boards(self.store.campaign)

    @property
    def record(self) -> int:
        """The last record that was counted; 0 before the first one."""
        return 0 if self._count is None else self._count.record

    def catch_up(self, most: int | None = None) -> bool:
        """Count what was judged since; say whether that was all.

        most: records to count now, at most; None for all.
        """
        left = most
        while left is None or left > 0:
            size = AT_ONCE if left is None else min(AT_ONCE, left)
            with self._lock:
                if not self._take_up().passes:
                    return True
            lines = self._fetch(size)
            last = len(lines) < size
            with self._lock:
                count = self._take_up()
                _follow(count, lines)
                made = self._wrap_up(count, last=last)
            self._keep(made)
            if last:
                return True
            left = None if left is None else left - size
        return False

    def look(self, name: str, confirmed: Confirmation | None) -> BoardLook:
        """Return the board of a pass."""
        from evenhand.ranking.sequential.leaderboard import Confirmation

        with self._lock:
            count = self._take_up()
            one = count.passes[name]
            changed = confirmed is not None and confirmed != one.confirmed
            if confirmed is not None:
                one.confirmed = confirmed
            elif one.confirmed is not None:
                confirmed = replace(one.confirmed, notes=(*one.confirmed.notes, MADE_LAST))
            else:
                pairs = {frozenset((claim.better, claim.worse)) for claim in one.state.claims}
                confirmed = Confirmation(silent=dict.fromkeys(pairs, "rank sets are not made yet"))
            board = one.state.show(confirmed)
            now = {(claim.better, claim.worse) for claim in board.decided}
            lapsed = sorted(one.shown - now)
            fresh = now - one.shown
            one.shown |= now
            made = self._write(count) if fresh or (changed and one.state.claims) else {}
        self._keep(made)
        return BoardLook(board, tuple(lapsed))

    def _take_up(self) -> BoardCount:
        """Return the boards; at first those that were kept."""
        if self._count is None:
            with self.store.reading() as connection:
                self._count = BoardCount.read(connection, self.store.campaign)
            self._kept, self._decided = self._count.record, self._count.decided
        return self._count

    def _fetch(self, size: int) -> list[Line]:
        """Return the next lines to count.

        Where answers were deleted that were not counted here, whoever did so has counted them: then
        the boards that were kept take the place of these.
        """
        while True:
            start = self.record
            with self.store.reading() as connection:
                lines = read_after(connection, start, size)
                if not has_deletion(connection, start):
                    return lines
                kept = BoardCount.read(connection, self.store.campaign)
            with self._lock:
                if kept.record <= start:
                    return lines
                self._replace(kept)

    def _replace(self, kept: BoardCount) -> None:
        """Take up boards that have seen more; what was seen here on the page stays seen."""
        mine = self._take_up()
        if kept.record <= mine.record:
            return
        for name, one in kept.passes.items():
            one.shown |= mine.passes[name].shown
            one.confirmed = mine.passes[name].confirmed or one.confirmed
        self._count, self._kept, self._decided = kept, kept.record, kept.decided

    def _wrap_up(self, count: BoardCount, *, last: bool) -> Mapping[str, KeptBoard]:
        """Return what is to be kept: after something new was decided, and now and then."""
        if (
            count.decided == self._decided
            and count.record - self._kept < SELDOM
            and not (last and count.record > self._kept == 0)
        ):
            return {}
        self._decided = count.decided
        return self._write(count)

    def _keep(self, made: Mapping[str, KeptBoard]) -> None:
        """Keep boards; where the disk takes nothing, look all the same and try again later."""
        if not made or self._put is None:
            return
        try:
            self._put(made)
        except NotStored:
            self._decided = -1

    def _write(self, count: BoardCount) -> Mapping[str, KeptBoard]:
        """Return boards as they are kept; none where whoever looks may only read."""
        self._kept = count.record
        return {} if self._put is None else count.write()


def _keep_in(store: Store, made: Mapping[str, KeptBoard]) -> None:
    store.do(lambda desk: keep_boards(desk, made))


def _follow(count: BoardCount, lines: list[Line]) -> None:
    """Count lines; those that another thread has counted meanwhile are passed over."""
    from evenhand.numerics.sampling import one_blas_thread

    with one_blas_thread():
        for line in lines:
            count.count(line)
    count.hide()
