"""A sight of a campaign as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evenhand.cli.watch_result import WatchResult
from evenhand.cli.watch_screen import MEANS, Size, Status, compose, list_notes
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.web.sight import PassSight, Sight


@dataclass(frozen=True)
class SightResult:
    """What `evenhand watch` saw of a campaign."""

    sight: Sight  # of it
    status: Status  # when that was

    def text(self, columns: int) -> str:
        """Return it for people."""
        lines = compose(self.sight, self.status, Size(columns))
        if self.sight.head:  # the last line, so that it can be copied: it is longer than a screen
            lines = [*lines, f"head  {self.sight.head}"]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        """Return what --json prints."""
        return describe_sight(self.sight)

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each system of each pass."""
        rows = [row for one in self.sight.passes for row in _list_rows(one)]
        if len({tuple(row) for row in rows}) != 1:
            raise UnknownOption(
                "--csv has one table: "
                + (
                    "votes and scores have two; choose one pass (--task)"
                    if rows
                    else "nothing was judged yet"
                )
            )
        return rows

    def latex(self) -> str:
        """Return the boards as tables for a paper."""
        boards = {one.name: one.board for one in self.sight.passes if one.board is not None}
        if not boards:
            raise UnknownOption("--latex has boards, and no votes came in yet")
        return WatchResult(boards, {}, ()).latex()

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        found = list_notes(self.sight)
        for one in self.sight.passes:
            notes = () if one.board is None else one.board.notes
            found += [*one.says, *notes, *([MEANS] if one.means else [])]
        return found


def describe_sight(sight: Sight) -> dict[str, Any]:
    """Return a sight as JSON takes it."""
    last = sight.last
    return {
        "title": sight.title,
        "judged": sight.judged,
        "remaining": sight.remaining,
        "done_by": sight.done_by,
        "paused": sight.paused,
        "last": None if last is None else datetime.fromtimestamp(last / 1000, UTC).isoformat(),
        "passes": [_describe_pass(one) for one in sight.passes],
        "judges": [asdict(one) for one in sight.panels],
        "head": sight.head,
        "notes": list_notes(sight),
    }


def _describe_pass(one: PassSight) -> dict[str, Any]:
    return {
        "name": one.name,
        "board": None if one.board is None else one.board.to_dict(),
        "lapsed": [list(pair) for pair in one.lapsed],
        "means": [asdict(mean) for mean in one.means],
        "why": one.why,
    }


def _list_rows(one: PassSight) -> list[dict[str, Any]]:
    systems = one.means if one.board is None else one.board.standings
    return [{"pass": one.name, **asdict(row)} for row in systems]
