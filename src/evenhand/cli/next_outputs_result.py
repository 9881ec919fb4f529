"""The next outputs to rate, of each group, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, label, plural
from evenhand.cli.words import block, sign
from evenhand.design.next_outputs import ChosenPart, OutputChoice
from evenhand.design.query_replay import QueryCurves
from evenhand.report.tables.latex import escape, number, tabular

NAME: Final = 20  # Most columns of a name in the table


class NextOutputsResult(GroupedResult[ChosenPart]):
    """What `evenhand next` chose of outputs: some for each group."""

    lacking = "has no outputs to choose"

    def draw(self, part: ChosenPart, columns: int) -> list[str]:
        """Return counts, the outputs with their reasons, and what is said of them."""
        found = part.next
        counts = f"{plural(found.labelled, 'output')} with ratings, {found.waiting:,} without"
        return [
            label("", counts, columns),
            label("policy", found.query.name, columns),
            label("by", ", ".join(found.features), columns),
            "",
            *_table(found.outputs),
            "",
            *block("says", self._says(part), columns),
            *([] if part.curves is None else ["", *_curves(part.curves)]),
            *(label("note", note, columns, colour="yellow") for note in self._notes(part)),
            sign(found.signature, columns),
            *([] if part.curves is None else [sign(part.curves.signature, columns)]),
        ]

    def describe(self, part: ChosenPart) -> dict[str, Any]:
        """Return the JSON of one part."""
        return part.to_dict()

    def rows(self, part: ChosenPart) -> list[dict[str, Any]]:
        """Return a row for each output."""
        return part.next.records()

    def tabulate(self, name: str, part: ChosenPart) -> str:
        """Return the outputs as a table for a paper."""
        rows = [
            (
                escape(one.item),
                escape(one.system),
                one.kind,
                number(one.predicted, 2),
                number(one.deviation, 2),
            )
            for one in part.next.outputs
        ]
        comments = [*([name] if name else []), part.next.signature, *self.say(part)]
        return tabular("lllrr", ("item", "system", "kind", "foreseen", "sd"), [rows], comments)

    def say(self, part: ChosenPart) -> Sequence[str]:
        """Return what must stand beside the outputs."""
        return [*self._says(part), *self._notes(part)]

    def _says(self, part: ChosenPart) -> list[str]:
        return [*part.next.says, *(() if part.curves is None else part.curves.says)]

    def _notes(self, part: ChosenPart) -> list[str]:
        more = () if part.curves is None else part.curves.notes
        return list(dict.fromkeys([*part.next.notes, *more]))


def _table(outputs: Sequence[OutputChoice]) -> list[str]:
    """Return a line for each output, and why it is there."""
    items, systems = (
        tell_apart(sorted({getattr(one, role) for one in outputs}), NAME)
        for role in ("item", "system")
    )
    rows = [("", "item", "system", "why")]
    rows += [
        (str(place), items[one.item], systems[one.system], one.reason)
        for place, one in enumerate(outputs, start=1)
    ]
    drawn = [" " + "  ".join(cells).rstrip() for cells in align(rows, left=(1, 2, 3))]
    return [click.style(drawn[0], dim=True), *drawn[1:]]


def _curves(found: QueryCurves) -> list[str]:
    """Return the mean absolute errors of queries, at a few looks."""
    last = len(found.labels) - 1
    looks = sorted({round(part * last / 6) for part in range(7)})
    means = found.measure("mae").mean(axis=2)
    rows = [("labels", *found.queries)]
    rows += [(f"{found.labels[i]:,}", *(f"{own[i]:.3g}" for own in means)) for i in looks]
    drawn = [" " + "  ".join(cells) for cells in align(rows, left=())]
    unit = " mean absolute error on test outputs, points"
    return [click.style(unit, dim=True), click.style(drawn[0], dim=True), *drawn[1:]]
