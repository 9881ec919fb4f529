"""The board of one method, or one for each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from evenhand.cli.grouped import group_title
from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, label, pad, whole, width
from evenhand.cli.words import block, say_answers, say_systems
from evenhand.ranking.methods import GroupedMethodTables, MethodTable
from evenhand.ranking.rules import find_rule
from evenhand.report.signs import visible
from evenhand.report.tables.latex import comment, escape, number, tabular

Row = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class BoardResult:
    """What `evenhand rank --method NAME` found."""

    found: MethodTable | GroupedMethodTables  # a table of one method, or one for each group
    method: str  # its name
    read: Sequence[str]  # what was understood of the files, and what was left out

    @property
    def groups(self) -> Mapping[str, MethodTable]:
        """Tables by group; one without a name where there are no groups."""
        return {"": self.found} if isinstance(self.found, MethodTable) else self.found.groups

    @property
    def grouped(self) -> bool:
        """Whether there are groups."""
        return isinstance(self.found, GroupedMethodTables)

    def text(self, columns: int) -> str:
        """Return boards for people."""
        read = [*self.read]
        if isinstance(self.found, GroupedMethodTables):
            read.append(f"{len(self.groups)} values of {self.found.by}, each ranked by itself")
        else:
            read.append(say_table(self.found))
        lines = block("read", read, columns)
        lines.append(label("method", f"{self.method}: {find_rule(self.method).title}", columns))
        for name, table in self.groups.items():
            if self.grouped:
                lines += group_title(name, columns)
                lines.append(label("read", say_table(table), columns))
            lines += self._draw(table, columns)
        return "\n".join(lines) + "\n"

    def _draw(self, table: MethodTable, columns: int) -> list[str]:
        if self.method in table.refused:
            return [label("error", table.refused[self.method], columns, colour="red")]
        notes = [*table.notes, *table.scores[self.method].notes]
        return [
            "",
            *draw_rows(table.board(self.method), table.scores[self.method].unit, columns),
            "",
            *(label("note", note, columns, colour="yellow") for note in notes),
            label("sign", table.signature(self.method), columns),
        ]

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a board, or of groups."""
        contracts = {
            name: self._describe(table)
            for name, table in self.groups.items()
            if self.method in table.scores
        }
        if not self.grouped:
            return {**contracts[""], "notes": [*self.read, *contracts[""]["notes"]]}
        refused = {
            name: table.refused[self.method]
            for name, table in self.groups.items()
            if self.method in table.refused
        }
        return {"groups": contracts, "refused": refused, "notes": list(self.read)}

    def _describe(self, table: MethodTable) -> dict[str, Any]:
        scores = table.scores[self.method]
        return {
            "signature": table.signature(self.method),
            "method": self.method,
            "unit": scores.unit,
            "n_judgments": whole(table.n_judgments),
            "n_comparisons": whole(table.n_comparisons),
            "systems": table.board(self.method),
            "notes": [*table.notes, *scores.notes],
        }

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each system, its group first if there are groups."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, table in self.groups.items()
            if self.method in table.scores
            for row in table.board(self.method)
        ]

    def latex(self) -> str:
        """Return one table for each group."""
        return "\n".join(
            self._tabular(name, table)
            if self.method in table.scores
            else comment([name, table.refused[self.method]])
            for name, table in self.groups.items()
        )

    def _tabular(self, group: str, table: MethodTable) -> str:
        rows, unit = table.board(self.method), table.scores[self.method].unit
        header, cells = _columns(rows, unit, number)
        blocks: dict[int, list[list[str]]] = {}
        for row, own in zip(rows, cells, strict=True):
            line = [*own[:1], escape(row["system"]), *own[1:]]
            blocks.setdefault(row["cluster"] or 1, []).append(line)
        notes = [*table.notes, *table.scores[self.method].notes]
        comments = [*([group] if group else []), table.signature(self.method), *notes]
        titles = [header[0], "system", *map(escape, header[1:])]
        return tabular("rl" + "r" * len(header[1:]), titles, list(blocks.values()), comments)

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        said = []
        for name, table in self.groups.items():
            before = f"{name}: " if name else ""
            scores = table.scores.get(self.method)
            said += [
                f"{before}{note}" for note in (*table.notes, *(scores.notes if scores else ()))
            ]
            said += [f"{before}{why}" for why in table.refused.values()]
        return said


def say_table(table: MethodTable) -> str:
    """Say how much a table rests on."""
    counts = [say_answers(table.n_judgments, table.n_comparisons)]
    return ", ".join([*counts, *say_systems(len(table.systems), table.ties, table.n_comparisons)])


def draw_rows(rows: Sequence[Row], unit: str, columns: int) -> list[str]:
    """Return the lines of a board, titles first, a rule between clusters."""
    titles, cells = _columns(rows, unit, _plain)
    aligned = align([titles, *cells], left=())
    names = ["system", *(visible(row["system"]) for row in rows)]
    room = columns - 1 - sum(width(cell) + 2 for cell in aligned[0])
    longest = min(max(map(width, names)), room)
    shown = tell_apart(names, room)
    lines = [
        " " + "  ".join([place, pad(shown[name], longest), *others]).rstrip()
        for name, (place, *others) in zip(names, aligned, strict=True)
    ]
    rule = click.style(" " + "┈" * (width(lines[0]) - 1), dim=True)
    drawn = [click.style(lines[0], dim=True)]
    above = None
    for row, line in zip(rows, lines[1:], strict=True):
        drawn += [rule] if above is not None and row["cluster"] != above else []
        drawn.append(line)
        above = row["cluster"]
    return drawn


def _columns(
    rows: Sequence[Row], unit: str, write: Callable[[float, int], str]
) -> tuple[list[str], list[list[str]]]:
    """Return titles and cells of what the method says beside the names of systems.

    Scores that are only places are left out; places say the same.
    """
    titles, cells = ["place"], [[str(row["place"])] for row in rows]
    counted = all(float(row["score"]).is_integer() for row in rows)
    scores = {unit: ("score", 0 if counted else 4), "s.e.": ("stderr", 4)}
    for title, (key, digits) in scores.items():
        if title != "place" and all(row[key] is not None for row in rows):
            titles.append(title)
            for row, own in zip(rows, cells, strict=True):
                own.append(write(row[key], digits))
    if all(row["rank_lower"] is not None for row in rows):
        titles.append("range")
        for row, own in zip(rows, cells, strict=True):
            low, high = row["rank_lower"], row["rank_upper"]
            own.append(str(low) if low == high else f"{low}-{high}")
    return titles, cells


def _plain(value: float, digits: int) -> str:
    return f"{value:z.{digits}f}"
