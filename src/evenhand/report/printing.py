"""The first screen of a report in a terminal and in a notebook: answer, lights, board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evenhand.judgments.notebook import draw_table
from evenhand.report.numbers import write_value

if TYPE_CHECKING:
    from evenhand.report.document import Check, Part, Report, Table

# The table of the first section that a notebook shows; where there is none, its first
BOARD: Final = "board"
SHOWN: Final = 100


def draw_text(report: Report) -> str:
    """Return titles, answers and lights, and the command that makes the report again."""
    parts = [_write_part(part) for part in report.parts]
    excluded = "\n".join(one.text for one in report.excluded)
    return "\n\n".join(filter(None, [report.title, excluded, *parts, report.command]))


def _write_part(part: Part) -> str:
    """Return the answer of a task and its lights, each on a line."""
    width = max((len(check.state) for check in part.lights), default=0)
    lights = [f"{check.state.ljust(width)}  {_say(check)}" for check in part.lights]
    name = [part.name] if part.name else []
    return "\n".join([*name, " ".join(part.answer), *lights])


def _say(check: Check) -> str:
    return f"{check.asks} {check.says}"


def draw_html(report: Report) -> str:
    """Return the first screen: of each task the answer, the lights and the board."""
    parts = [_draw_part(part) for part in report.parts]
    head = draw_table((), (), [one.text for one in report.excluded], report.title)
    return "".join([head, *parts, draw_table((), (), (report.command,))])


def _draw_part(part: Part) -> str:
    answer = " ".join(part.answer)
    lights = [(check.state, check.asks, check.says) for check in part.lights]
    said = draw_table((), (), (), f"{part.name}: {answer}" if part.name else answer)
    lit = draw_table(("check", "asks", "finds"), lights) if lights else ""
    board = _find_board(part)
    return said + lit + ("" if board is None else _draw_board(board, part.signature))


def _find_board(part: Part) -> Table | None:
    tables = part.sections[0].tables if part.sections else ()
    return next((one for one in tables if one.name == BOARD), next(iter(tables), None))


def _draw_board(table: Table, signature: str) -> str:
    shown = table.rows[:SHOWN]
    body = [[write_value(row[one.key], one.kind) for one in table.columns] for row in shown]
    more = len(table.rows) - SHOWN
    below = (f"... and {more:,} more" if more > 0 else "", signature)
    return draw_table([one.title for one in table.columns], body, below)
