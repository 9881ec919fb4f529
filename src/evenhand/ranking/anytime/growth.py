"""A table of votes that grows: each vote is read and counted once, in the order of the file.

What the first lines decide is decided by them and more, so that a file that is followed has the
board of one that is looked at once. Where a piece cannot be counted by itself (a vote that is
older than one before it, or nothing but controls), the whole file is replayed, which says what is
wrong or goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from evenhand.errors import EvenhandError, UnknownFormat
from evenhand.formats.growing_file import QUOTED, GrowingFile
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.numerics.threads import one_blas_thread
from evenhand.ranking.anytime.arrival import Arrival, arrange_votes
from evenhand.ranking.anytime.board import Board
from evenhand.ranking.anytime.confirmation import Confirmation, confirm_pairs
from evenhand.ranking.anytime.live_board import LiveBoard
from evenhand.ranking.anytime.state import BoardState
from evenhand.ranking.anytime.watch import watch

REST: Final = 19.0
"""Rank sets are made anew after so many times what they took."""
Open = Callable[[Path], Comparisons]


@dataclass(frozen=True)
class Beginning:
    """How a board begins.

    Attributes:
        settings: of the board; None for those of the state, or the usual ones.
        state: a board to go on with, or None.
        order: as for `watch`.
        systems: those that take part, where that is known.

    """

    settings: LiveBoard | None = None
    state: BoardState | None = None
    order: str | None = None
    systems: Sequence[str] | None = None


class GrowingVotes:
    """The votes of a file that grows.

    Attributes:
        file: whose lines they are.
        state: votes so far; None before the first.
        board: of the last look; None before the first vote.

    """

    def __init__(
        self,
        path: Path,
        open_table: Open,
        beginning: Beginning,
        *,
        rest: float = REST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read nothing yet.

        Args:
            path: a file of comparisons.
            open_table: reads the comparisons of a file that has the lines of this one.
            beginning: how the board begins.
            rest: see `REST`.
            clock: seconds.

        """
        self.file, self.state = GrowingFile(path), beginning.state
        self.board: Board | None = None
        self._open, self._beginning, self._rest, self._clock = open_table, beginning, rest, clock
        self._folder = TemporaryDirectory(prefix="evenhand-")
        self._copy = Path(self._folder.name, path.name)
        self._header = b""
        self._notes: tuple[str, ...] = ()
        self._confirmed: Confirmation | None = None
        self._latest: float | None = None
        self._stale, self._again = False, 0.0

    def look(self) -> bool:
        """Count what is new, and say whether the board changed.

        Raises:
            EvenhandError: whatever is wrong with the file, in its name.

        """
        fresh = self.file.read_new()
        if fresh:
            with self._copy.open("ab") as copy:
                copy.write(fresh)
        try:
            return self._take_up(fresh)
        except EvenhandError as fault:
            said = str(fault).replace(str(self._copy), str(self.file.path))
            raise type(fault)(said) from None

    def close(self) -> None:
        """Forget the copy of what was read."""
        self._folder.cleanup()

    def _take_up(self, fresh: bytes) -> bool:
        """Count new lines, and make rank sets where it is time."""
        if self.board is None or self.state is None:
            return self._begin()
        if fresh:
            self._stale = True
            if not self._count(fresh):
                self._replay()
                return True
        due = self._stale and self._clock() >= self._again
        if due:
            self._confirm(self.state)
        if fresh or due:
            self._show(self.state)
        return bool(fresh) or due

    def _begin(self) -> bool:
        """Replay the file once it holds a judgment."""
        whole = self._copy.read_bytes() if self._copy.exists() else b""
        if self._copy.suffix.lower() not in (*QUOTED, ".tsv"):
            self._header = b""
        elif not self._header:
            self._header = whole[: whole.find(b"\n") + 1]
        if len(whole) == len(self._header):
            return False
        self._replay()
        return True

    def _replay(self) -> None:
        """Read the whole file, as one look at it does."""
        begun, own = self._clock(), self._beginning
        table = self._read(self._copy)
        settings = own.settings if self.state is None else None
        found = watch(table, settings, state=self.state, order=own.order, systems=own.systems)
        arrival = arrange_votes(table, own.order, SEED)
        self.state, self.board = found.state, found.board
        self._latest = None if arrival.span is None else arrival.span[1]
        self._notes = arrival.notes
        self._confirmed = confirm_pairs(table, found.state.settings)
        self._rest_from(begun)

    def _read(self, path: Path) -> Comparisons:
        """Open a table.

        Raises:
            UnknownFormat: it holds rankings.

        """
        table = self._open(path)
        if table.has("ranking") or table.rankings is not None:
            raise UnknownFormat(
                f"'{self.file.path}' holds rankings, whose rows could come apart while it grows:"
                " look at it without --live, or watch the database of the campaign"
            )
        return table

    def _count(self, fresh: bytes) -> bool:
        """Count new lines by themselves; say whether that could be done."""
        piece = self._copy.with_name(f"new{self._copy.suffix}")
        piece.write_bytes(self._header + fresh)
        try:
            arrival = arrange_votes(self._read(piece), self._beginning.order, SEED)
        except EvenhandError:  # the whole file says it, with the right numbers of rows
            return False
        if arrival.order != (self.state.order if self.state else "") or self._is_late(arrival):
            return False
        assert self.state is not None
        with one_blas_thread():
            for vote in arrival.votes:
                self.state.follow([vote])
        self.state.sides_known &= arrival.sides_known
        return True

    def _is_late(self, arrival: Arrival) -> bool:
        """Say whether a vote is older than one that was counted; note the last moment."""
        if arrival.span is None:
            return False
        first, last = arrival.span
        late = self._latest is not None and first < self._latest
        self._latest = last if self._latest is None else max(last, self._latest)
        return late

    def _confirm(self, state: BoardState) -> None:
        """Make rank sets of all votes."""
        begun = self._clock()
        self._confirmed = confirm_pairs(self._read(self._copy), state.settings)
        self._rest_from(begun)

    def _rest_from(self, begun: float) -> None:
        now = self._clock()
        self._stale, self._again = False, now + self._rest * (now - begun)

    def _show(self, state: BoardState) -> None:
        board = state.show(self._confirmed)
        self.board = replace(board, notes=(*self._notes, *board.notes))
