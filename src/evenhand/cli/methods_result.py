"""Several methods side by side: places, distances, disputes; as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from evenhand.cli.grouped import group_title
from evenhand.cli.method_board import BoardResult, say_table
from evenhand.cli.methods import abbreviate
from evenhand.cli.output import Result
from evenhand.cli.short_names import shorten, tell_apart
from evenhand.cli.terminal import align, label, pad, plural, whole, width
from evenhand.cli.words import block
from evenhand.ranking.methods import Disagreement, GroupedMethodTables, MethodTable
from evenhand.report.signs import visible
from evenhand.report.tables.latex import NONE, comment, escape, tabular

LEAST: Final = 14  # Columns that names have before methods go to a second block
SHOWN: Final = 10  # Disputed pairs that are named; JSON has them all


def make_result(
    found: MethodTable | GroupedMethodTables, methods: Sequence[str], read: Sequence[str]
) -> Result:
    """Return the board of one method, or the table of several."""
    if len(methods) == 1:
        return BoardResult(found, methods[0], read)
    return MethodsResult(found, methods, read)


@dataclass(frozen=True, eq=False)
class MethodsResult:
    """What `evenhand rank --method all` found."""

    found: MethodTable | GroupedMethodTables  # a table, or one for each group
    methods: Sequence[str]  # names of the methods
    read: Sequence[str]  # what was understood of the files, and what was left out

    @property
    def groups(self) -> Mapping[str, MethodTable]:
        """Tables by group; one without a name where there are no groups."""
        return {"": self.found} if isinstance(self.found, MethodTable) else self.found.groups

    @property
    def heads(self) -> Mapping[str, str]:
        """Method → head of its column."""
        return abbreviate(self.methods)

    def text(self, columns: int) -> str:
        """Return tables for people."""
        legend = ", ".join(f"{head} {name}".replace(" ", "\u00a0") for name, head in self._legend())
        read = [*self.read]
        if isinstance(self.found, GroupedMethodTables):
            read.append(f"{len(self.groups)} values of {self.found.by}, each ranked by itself")
        else:
            read.append(say_table(self.found))
        lines = block("read", read, columns)
        lines.append(label("heads", legend, columns).replace("\u00a0", " "))
        for name, table in self.groups.items():
            if isinstance(self.found, GroupedMethodTables):
                lines += group_title(name, columns)
                lines.append(label("read", say_table(table), columns))
            lines += self._draw(table, columns)
        return "\n".join(lines) + "\n"

    def _legend(self) -> list[tuple[str, str]]:
        return list(self.heads.items())

    def _draw(self, table: MethodTable, columns: int) -> list[str]:
        """Return everything of one table but its counts."""
        lines: list[str] = []
        for name, why in table.refused.items():
            lines.append(label("error", f"{name} refused: {why}", columns, colour="red"))
        if table.scores:
            lines += ["", *draw_places(table, self.heads, columns)]
            lines += ["", *draw_distances(table, self.heads, columns)]
            lines += ["", *block("differ", say_disputes(table, self.heads, columns), columns)]
            lines.append(label("says", table.says, columns, colour="green"))
        for note in self._notes(table):
            lines.append(label("note", note, columns, colour="yellow"))
        return [*lines, label("sign", table.signatures, columns)] if table.scores else lines

    def _notes(self, table: MethodTable) -> list[str]:
        own = [f"{name}: {note}" for name, one in table.scores.items() for note in one.notes]
        return [*table.notes, *own]

    def _remarks(self, table: MethodTable) -> list[str]:
        """Return what must stand beside the numbers of a table."""
        refused = [f"{name} refused: {why}" for name, why in table.refused.items()]
        said = [table.says] if table.scores else []
        return [*refused, *said, *self._notes(table)]

    def contract(self) -> dict[str, Any]:
        """Return the JSON of a table, or of groups."""
        contracts = {name: describe(table) for name, table in self.groups.items()}
        if isinstance(self.found, MethodTable):
            return {**contracts[""], "notes": [*self.read, *contracts[""]["notes"]]}
        return {"groups": contracts, "notes": list(self.read)}

    def records(self) -> list[dict[str, Any]]:
        """Return one row for each system with its places, its group first if there are groups."""
        grouped = isinstance(self.found, GroupedMethodTables)
        return [
            {**({"group": name} if grouped else {}), "system": row["system"], **row["places"]}
            for name, table in self.groups.items()
            for row in table.rows()
        ]

    def latex(self) -> str:
        """Return one table of places for each group."""
        return "\n".join(self._tabular(name, table) for name, table in self.groups.items())

    def _tabular(self, group: str, table: MethodTable) -> str:
        shown = {name: [c.replace("-", "--") for c in own] for name, own in table.shown.items()}
        columns = [shown.get(name, [NONE] * len(table.systems)) for name in table.methods]
        rows = [list(row) for row in zip(map(escape, table.systems), *columns, strict=True)]
        legend = [f"{head}: {name}" for name, head in self._legend()]
        if not table.scores:
            return comment([group, *self._remarks(table)])
        said = [*([group] if group else []), table.signatures, *legend, *self._remarks(table)]
        header = ["system", *map(escape, self.heads.values())]
        return tabular("l" + "r" * len(self.heads), header, [rows], said)

    def remarks(self) -> list[str]:
        """Return what must stand beside the numbers."""
        return [
            f"{name}: {remark}" if name else remark
            for name, table in self.groups.items()
            for remark in self._remarks(table)
        ]


def describe(table: MethodTable) -> dict[str, Any]:
    """Return the JSON of one table, counts that are whole without a decimal point."""
    contract = table.to_dict()
    return contract | {name: whole(contract[name]) for name in ("n_judgments", "n_comparisons")}


def draw_places(table: MethodTable, heads: Mapping[str, str], columns: int) -> list[str]:
    """Return a row for each system and a column of places for each method.

    Names go without what they share where there is little room; methods that find none beside the
    names stand in a further block.
    """
    names, said = [visible(name) for name in table.systems], ""
    cells = [[heads[method], *places] for method, places in table.shown.items()]
    padded = [[cell for (cell,) in align([(c,) for c in one], left=())] for one in cells]
    needed = sum(width(one[0]) + 1 for one in padded)
    if max(map(width, names)) + needed + 2 > columns:
        names, said = shorten(names)
    longest = max(map(width, ["system", *names]))
    room = max(min(longest, LEAST), columns - needed - 2)
    shown = ["system", *names]
    apart = tell_apart(shown, room)
    lines: list[str] = []
    for part in _blocks(padded, columns - 2 - min(room, longest)):
        lines += [""] * bool(lines)
        rows = zip(shown, *part, strict=True)
        drawn = [
            " ".join(["", pad(apart[name], min(room, longest)), "", *own]) for name, *own in rows
        ]
        lines += [click.style(drawn[0], dim=True), *drawn[1:]]
    return [*lines, click.style(f" {said}", dim=True)] if said else lines


def _blocks(cells: Sequence[Sequence[str]], room: int) -> list[list[Sequence[str]]]:
    """Part columns so that those of each block fit."""
    blocks: list[list[Sequence[str]]] = [[]]
    taken = 0
    for one in cells:
        taken += width(one[0]) + 1
        if taken > room and blocks[-1]:
            blocks.append([])
            taken = width(one[0]) + 1
        blocks[-1].append(one)
    return blocks


def draw_distances(table: MethodTable, heads: Mapping[str, str], columns: int) -> list[str]:
    """Return the Kendall distances between methods as the lower half of a table."""
    short = [heads[name] for name in table.scores]
    k = len(table.systems)
    title = f" Kendall distances, of {plural(k * (k - 1) / 2, 'pair')}"
    if not table.distances.any():
        return [click.style(f"{title}: 0 between any two methods", dim=True)]
    rows = [[f"{one:g}" for one in row[:i]] for i, row in enumerate(table.distances.tolist())]
    filled = [row + [""] * (len(short) - len(row)) for row in rows]
    columned = list(zip(*[short, *filled], strict=True))[:-1]
    padded = [[cell for (cell,) in align([(c,) for c in one], left=())] for one in columned]
    named = [cell for (cell,) in align([("",), *((one,) for one in short)], left=(0,))]
    lines = [click.style(title, dim=True)]
    for part in _blocks(padded, columns - 2 - width(named[0])):
        drawn = [" ".join(["", *row]).rstrip() for row in zip(named, *part, strict=True)]
        # of a further block, whose columns are the last ones, the first rows are empty
        further = len(lines) > 1
        blank = [further and not "".join(cells).strip() for cells in zip(*part, strict=True)]
        lines += [line for line, empty in zip(drawn, blank, strict=True) if not empty]
    return lines


def say_disputes(table: MethodTable, heads: Mapping[str, str], columns: int) -> list[str]:
    """Name the pairs that methods order differently, the most disputed first."""
    k = len(table.systems)
    pairs = plural(k * (k - 1) / 2, "pair")
    if len(table.scores) < 2:
        return ["only one method could rank"]
    if not table.disputes:
        order = "the pair" if k == 2 else f"any of {pairs}"
        return [f"nowhere: no two methods order {order} differently"]
    wide = 2 * max(map(width, table.systems)) > columns // 2
    shown = shorten(table.systems)[0] if wide else table.systems
    names = dict(zip(table.systems, shown, strict=True))
    said = [f"methods differ on {len(table.disputes):,} of {pairs}, most on"]
    said += [_say_dispute(one, names, heads) for one in table.disputes[:SHOWN]]
    more = len(table.disputes) - SHOWN
    return [*said, f"and {plural(more, 'more pair')}"] if more > 0 else said


def _say_dispute(one: Disagreement, names: Mapping[str, str], heads: Mapping[str, str]) -> str:
    """Say the order that most methods see, and which do not; of equally many, the table's."""
    place = list(names).index
    first, second = one.systems
    most, least = one.first_better, one.second_better
    if (len(least), -place(second)) > (len(most), -place(first)):
        first, second, most, least = second, first, least, most
    order = f"{names[first]} before {names[second]}"
    if len(most) > len(least) and not one.level:
        return f"{order}: all but {_heads(least, heads)}"
    said = f"{order}: {_heads(most, heads)}; after: {_heads(least, heads)}"
    return f"{said}; level: {_heads(one.level, heads)}" if one.level else said


def _heads(methods: Sequence[str], heads: Mapping[str, str]) -> str:
    return " ".join(heads[name] for name in methods)
