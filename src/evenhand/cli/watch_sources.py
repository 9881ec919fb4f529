"""What `evenhand watch` looks at: a campaign that runs, or a file of votes that grows."""

from __future__ import annotations

import time
from codecs import BOM_UTF8
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from evenhand.errors import UnknownOption, end, suggest

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.ranking.sequential.leaderboard import BoardState
    from evenhand.ranking.sequential.watch import Beginning, GrowingVotes
    from evenhand.web.sight import Sight

WEB: Final = ("http://", "https://")
_SQLITE: Final = b"SQLite format 3\0"
_LINKS: Final = b"role,judge,link"
_LOG: Final = b'{"body":{'


class Looks(Protocol):
    """Something that is looked at."""

    def look(self) -> Sight:
        """Return what can be said now."""

    def close(self) -> None:
        """Look no more."""


class Campaign:
    """A campaign that is watched, of which one pass may be chosen."""

    def __init__(self, title: str, open_looks: Callable[[], Looks], task: str | None) -> None:
        """Open it."""
        self.title, self._looks, self._task = title, open_looks(), task
        self._seen: tuple[Sight, Sight] | None = None

    def look(self) -> Sight:
        """Return what can be said now; the last sight itself where nothing is new."""
        whole = self._looks.look()
        if self._seen is None or self._seen[0] is not whole:
            self._seen = (whole, self._choose(whole))
        return self._seen[1]

    def _choose(self, whole: Sight) -> Sight:
        if self._task is None:
            return whole
        found = tuple(one for one in whole.passes if one.name == self._task)
        if not found:
            names = [one.name for one in whole.passes]
            hint = end(suggest(self._task, names))
            raise UnknownOption(f"--task {self._task}: this campaign has no such pass{hint}")
        return replace(whole, passes=found)

    def close(self) -> None:
        """Look no more."""
        self._looks.close()


class File:
    """A file of votes that is watched while it grows."""

    def __init__(
        self,
        path: Path,
        open_table: Callable[[Path], Comparisons],
        beginning: Beginning,
        keep: Callable[[BoardState], None] | None,
    ) -> None:
        """Open it."""
        from evenhand.ranking.sequential.watch import GrowingVotes

        self.title = path.name
        self._votes: GrowingVotes = GrowingVotes(path, open_table, beginning)
        self._keep, self._decided = keep, -1
        self._seen: Sight | None = None
        self._last: int | None = None

    def look(self) -> Sight:
        """Return what can be said now; the last sight itself where nothing is new."""
        waiting = self._votes.file.waiting
        if self._votes.look() or self._seen is None or waiting != self._votes.file.waiting:
            self._seen = self._make_sight()
        return self._seen

    def _make_sight(self) -> Sight:
        from evenhand.web.sight import PassSight, Sight

        votes, board = self._votes, self._votes.board
        if self._seen is None or (board is not None and board.n_votes != self._seen.judged):
            self._last = int(votes.file.path.stat().st_mtime * 1000) if board else None
        if board is not None and len(board.decided) + len(board.held) != self._decided:
            self._decided = len(board.decided) + len(board.held)
            self._write()
        half = [f"{votes.file.waiting:,} bytes of a line that is not whole wait for the rest of it"]
        one = PassSight("votes", why="there are no votes yet")
        if board is not None:
            one = PassSight("votes", board, board.says)
        return Sight(
            title=self.title,
            judged=0 if board is None else board.n_votes,
            now=int(time.time() * 1000),
            last=self._last,
            passes=(one,),
            faults=tuple(half if votes.file.waiting else ()),
        )

    def _write(self) -> None:
        if self._keep is not None and self._votes.state is not None:
            self._keep(self._votes.state)

    def close(self) -> None:
        """Keep the board, and look no more."""
        self._write()
        self._votes.close()


def find_campaign(name: str, *, insecure: bool, task: str | None) -> Campaign | None:
    """Return the campaign that is at an address or in a file; None for a file of votes."""
    if name.startswith(WEB):
        return _visit(name, insecure=insecure, task=task)
    if "://" in name:
        return Campaign("campaign", partial(_open_database, name), task)
    path = Path(name)
    begins = _read_beginning(path)
    if begins.startswith(_SQLITE):
        return Campaign(path.name, partial(_open_database, name), task)
    if begins.removeprefix(BOM_UTF8).replace(b";", b",").startswith(_LINKS):
        from evenhand.web.links import find_admin_link

        return _visit(find_admin_link(path), insecure=insecure, task=task)
    if begins.startswith(_LOG):
        raise UnknownOption(
            f"'{name}' is the log of a campaign, which holds no texts, systems and passes of it:"
            " watch the campaign's database, its file of links, or the table comparisons.csv"
        )
    return None


def _read_beginning(path: Path) -> bytes:
    """Return the first bytes of a file; none where it is no file."""
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(max(map(len, (_SQLITE, BOM_UTF8 + _LINKS, _LOG))))


def _visit(address: str, *, insecure: bool, task: str | None) -> Campaign:
    from evenhand.web.visitor import Visitor, read_link

    link = read_link(address, insecure=insecure)
    return Campaign(link.host, partial(Visitor, link), task)


def _open_database(where: str) -> Looks:
    from evenhand.web.onlooker import Onlooker

    return Onlooker(where)
