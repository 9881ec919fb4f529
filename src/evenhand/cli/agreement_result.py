"""Agreement, or that of each task, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, cut, label, plural, width
from evenhand.cli.words import block, sign
from evenhand.errors import listing
from evenhand.judges.agreement_table import AgreementPart, AgreementTable
from evenhand.judges.units import Coefficient
from evenhand.report.tables.latex import escape, number, tabular

MOST: Final = 30  # Most parts in the table for people
ITEMS: Final = 3  # Items on which judges are farthest apart that people are shown
LEFT: Final = "(Landis & Koch 1977)"  # What follows the word for a κ
PAIRS: Final = ", mean over pairs by common units"
# Beginnings of names, and what stands above them; those of none come first
_HEADINGS: Final = (
    (("cohen", "pearson", "spearman"), "two judges at a time, pairs counting by common outputs"),
    (("icc", "kendall-w"), "judges who scored the same outputs"),
    (("intra", "kappa-intra"), "judges with themselves, asked again"),
    (("kappa",), "comparisons of the same two outputs"),
)
# Coefficients in the table of parts, and their titles
_COLUMNS: Final = {
    "n-agreement-0": "same",
    "n-agreement-1": "±1",
    "n-agreement-2": "±2",
    "fleiss": "Fleiss κ",
    "alpha-ordinal": "α ordinal",
    "alpha-interval": "α interval",
    "kappa-strict": "κ strict",
    "kappa-wmt": "κ WMT",
}


class AgreementResult(GroupedResult[AgreementTable]):
    """What `evenhand agreement` found: a table for each task."""

    lacking = "has no agreement"

    def draw(self, part: AgreementTable, columns: int) -> list[str]:
        """Return everything about the judgments of one task."""
        return [
            label("", _say_counts(part), columns),
            *([label("scale", part.scale, columns)] if part.scale else []),
            "",
            *block("says", part.says, columns),
            *_draw_coefficients(part.whole, columns),
            *_draw_parts(part, columns),
            *_draw_items(part.whole, columns),
            *(label("note", note, columns, colour="yellow") for note in self.say(part)),
            sign(part.signature, columns),
        ]

    def describe(self, part: AgreementTable) -> dict[str, Any]:
        """Return the JSON of one table."""
        return part.to_dict()

    def rows(self, part: AgreementTable) -> list[dict[str, Any]]:
        """Return a row for each part and coefficient."""
        return part.records()

    def tabulate(self, name: str, part: AgreementTable) -> str:
        """Return the table of all parts for a paper."""
        return _tabular(name, part)

    def say(self, part: AgreementTable) -> Sequence[str]:
        """Return what must stand beside the numbers, each thing once."""
        notes = [*part.whole.notes, *part.notes]
        notes += [_explain(one) for one in part.whole.coefficients if one.why is not None]
        return tuple(dict.fromkeys([*notes, *_note_coefficients(part.whole)]))


def _explain(one: Coefficient) -> str:
    why = one.why or ""
    return why if why.startswith(one.title.partition(",")[0]) else f"{one.name}: {why}"


def _note_coefficients(part: AgreementPart) -> list[str]:
    """Return what stands beside single coefficients, and which, but for words and counts of κ."""
    found: dict[str, list[str]] = {}
    for one in part.coefficients:
        for note in one.notes:
            if not note.endswith(LEFT) and not note.startswith("P(A)"):
                found.setdefault(note, []).append(one.name)
    return [f"{listing(names, 2)}: {note}" for note, names in found.items()]


def _say_counts(table: AgreementTable) -> str:
    whole = table.whole
    if not whole.units:
        return "no output was judged by two judges"
    answers = "score" if table.kind == "ratings" else "comparison"
    outputs = "output" if table.kind == "ratings" else "output pair"
    said = f"{plural(whole.ratings, answers)} of {plural(whole.units, outputs)} by two"
    most = f" to {whole.most_judges}" if whole.most_judges > 2 else ""
    return f"{said}{most} judges, {plural(whole.judges, 'judge')} in all"


def _heading(name: str) -> str:
    for starts, heading in _HEADINGS:
        if name.startswith(starts):
            return heading
    return ""


def _draw_coefficients(part: AgreementPart, columns: int) -> list[str]:
    """Return a line for each coefficient that exists, under headings."""
    held = [one for one in part.coefficients if one.value is not None]
    if not held:
        return []
    rows = align([_cells(one) for one in held], left=(2,))
    room = columns - 3 - max(sum(width(cell) + 2 for cell in row) for row in rows)
    found: dict[str, list[str]] = {}
    titles = align([(cut(_title(one), room),) for one in held], left=(0,))
    for one, (title,), cells in zip(held, titles, rows, strict=True):
        line = "  ".join([f"   {title}", *cells]).rstrip()
        found.setdefault(_heading(one.name), []).append(line)
    lines = []
    for heading, group in found.items():
        lines += ["", *([click.style(f" {heading}", dim=True)] if heading else []), *group]
    return lines


def _title(one: Coefficient) -> str:
    return one.title.removesuffix(PAIRS).removeprefix("themselves: ")


def _cells(one: Coefficient) -> tuple[str, str, str]:
    """Return value, interval, and the word for it."""
    word = next((note.removesuffix(LEFT) for note in one.notes if note.endswith(LEFT)), "")
    return _show(one.value), _interval(one), word.strip()


def _show(value: float | None) -> str:
    return "—" if value is None else f"{value:z.3f}"


def _interval(one: Coefficient) -> str:
    if one.lower is None or one.upper is None:
        return ""
    return f"{one.lower:z.3f} to {one.upper:z.3f}"


def _draw_parts(table: AgreementTable, columns: int) -> list[str]:
    """Return a line for each part but the whole, with the coefficients that tell most."""
    parts = table.parts[:-1]
    if not parts:
        return []
    shown = _choose_columns(table, columns)
    header = ("outputs", *(_COLUMNS[name] for name in shown))
    rows = align([header, *(_part_cells(part, shown) for part in parts[:MOST])], left=())
    room = columns - 1 - sum(width(cell) + 2 for cell in rows[0])
    names = [part.name for part in parts[:MOST]]
    apart = tell_apart(list(dict.fromkeys(names)), room)
    titles = align([(_name_parts(table),), *((apart[name],) for name in names)], left=(0,))
    lines = [" " + "  ".join([title, *cells]) for (title,), cells in zip(titles, rows, strict=True)]
    more = len(parts) - MOST
    rest = [f" ... and {more:,} more: --csv has all of them"] if more > 0 else []
    return ["", click.style(lines[0], dim=True), *lines[1:], *rest]


def _name_parts(table: AgreementTable) -> str:
    return cut(", ".join(table.by), 24)


def _choose_columns(table: AgreementTable, columns: int) -> list[str]:
    """Return the coefficients that parts have and that find room beside a name."""
    held = {one.name for part in table.parts[:-1] for one in part.coefficients}
    wanted, room = [], columns - 40
    for name in (name for name in _COLUMNS if name in held):
        room -= max(width(_COLUMNS[name]), 6) + 2
        if room < 0:
            break
        wanted.append(name)
    return wanted


def _part_cells(part: AgreementPart, shown: Sequence[str]) -> tuple[str, ...]:
    known = {one.name: one.value for one in part.coefficients}
    return f"{part.units:,}", *(_show(known.get(name)) for name in shown)


def _draw_items(part: AgreementPart, columns: int) -> list[str]:
    """Say on which items judges are farthest apart."""
    listed = part.doubtful[:ITEMS]
    alone = len({one.task for one in listed}) == 1
    if not listed:
        return [""]
    names = [one.item.removeprefix(f"{one.task} / ") if alone else one.item for one in listed]
    said = [
        f"{name} ({one.difference:.2f} on {plural(one.units, 'output')})"
        for name, one in zip(names, listed, strict=True)
    ]
    return ["", label("items", f"judges are farthest apart on {', '.join(said)}", columns)]


def _tabular(name: str, table: AgreementTable) -> str:
    """Return coefficients as rows and, for the whole and each part, a block."""
    blocks = [
        [
            (escape(part.name), escape(one.title), number(one.value, 3), _bounds(one))
            for one in part.coefficients
        ]
        for part in table.parts
    ]
    header = ("part", "coefficient", "value", "interval")
    comments = [*([name] if name else []), table.signature, *table.says, *table.notes]
    return tabular("llrr", header, [rows for rows in blocks if rows], comments)


def _bounds(one: Coefficient) -> str:
    if one.lower is None or one.upper is None:
        return ""
    return f"{number(one.lower, 3)} to {number(one.upper, 3)}"
