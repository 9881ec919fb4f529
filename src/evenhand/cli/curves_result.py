"""Perplexity by training size, as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import click

from evenhand.cli.compare_result import WHY, count_sides, count_votes, say_seconds
from evenhand.cli.grouped import GroupedResult
from evenhand.cli.terminal import align, cut, label, plural, width
from evenhand.cli.words import block
from evenhand.errors import NotIdentified
from evenhand.ranking.learning_curves import CurvePoint, Enough, LearningCurves
from evenhand.report.tables.latex import escape, number, tabular

SETS: Final = ("task", "k", "items", "test", "train")
TASK: Final = 24  # Most columns of the name of a task
NOTHING: Final = "—"
LEGEND: Final = (
    "above, the test sets: items with at most k comparisons are held out, the others train; below,"
    " perplexity by training comparisons: 3 is guessing, lower is better"
)
BOTH_SIDES: Final = (
    "held out are items: a judge may be on both sides, so this is of new items, not of new judges"
)


@dataclass(frozen=True, eq=False)
class CurvesResult(GroupedResult[LearningCurves]):
    """What `evenhand compare --curves` found."""

    # whom models were trained on and whom they were tested on, such as ("group=crowd",
    # "group=expert"); or None
    transfer: tuple[str, str] | None = None
    lacking = "has no curves"

    def draw(self, part: LearningCurves, columns: int) -> list[str]:
        """Return test sets, perplexities, and how many comparisons are enough."""
        sets, table = _sets(part), _table(part, columns)
        return [
            *([label("", say_transfer(self.transfer), columns)] if self.transfer else []),
            label("", f"held out: {', '.join(count_votes(part.held_out))}", columns),
            "",
            *_print(sets, columns),
            "",
            *_print(table, columns),
            "",
            *block("says", say_curves(part), columns),
            label("table", LEGEND, columns),
            *(label("note", note, columns, colour="yellow") for note in self._notes(part)),
            label("sign", part.signature, columns),
        ]

    def describe(self, part: LearningCurves) -> dict[str, Any]:
        """Return the JSON of the curves."""
        enough = _find_enough(part)
        trained, tested = self.transfer or (None, None)
        own = {
            "trained_on": trained,
            "tested_on": tested,
            "enough": None if enough is None else asdict(enough),
            "says": say_curves(part),
            "notes": self._notes(part),
        }
        return part.to_dict() | count_sides(part.held_out) | own

    def rows(self, part: LearningCurves) -> list[dict[str, Any]]:
        """Return a row for each model and training size, with the first reason of refusals."""
        why = {(one.model, one.size): one.why for one in reversed(part.refusals)}
        return [{**row, WHY: why.get((row["model"], row["size"]))} for row in part.records()]

    def tabulate(self, name: str, part: LearningCurves) -> str:
        """Return two tables for a paper: the test sets, and perplexity by training size."""
        said = [*([name] if name else []), part.signature, *self.say(part)]
        sets = [[escape(row[0]), *row[1:]] for row in _sets(part)[1:]]
        first = tabular("lrrrr", [*SETS[:1], "$k$", *SETS[2:]], [sets], said)
        header = ["model", *(f"{size:,}" for size in part.sizes)]
        rows = [
            [escape(model), *(number(one.perplexity, 3) for one in part.curve(model))]
            for model in part.order
        ]
        return first + "\n" + tabular("l" + "r" * len(part.sizes), header, [rows])

    def say(self, part: LearningCurves) -> list[str]:
        """Return what was found, and what must stand beside it."""
        whom = [say_transfer(self.transfer)] if self.transfer else []
        return [*whom, *say_curves(part), *self._notes(part)]

    def _notes(self, part: LearningCurves) -> list[str]:
        """Say which models were refused where, and what else must be known."""
        alike = () if self.transfer or part.held_out.judges == ("",) else (BOTH_SIDES,)
        rest = replace(part, refusals=()).notes  # refusals are told here by model
        options = [note.replace("overlap='drop'", "--overlap drop") for note in rest]
        return [*_say_refusals(part), *alike, *options]


def say_transfer(transfer: tuple[str, str]) -> str:
    """Say whom models were trained on and whom they were tested on.

    >>> say_transfer(("group=crowd", "group=expert"))
    'trained on group=crowd, tested on group=expert'
    """
    return f"trained on {transfer[0]}, tested on {transfer[1]}"


def say_curves(part: LearningCurves) -> list[str]:
    """Say which model is best, which come near it, and how many comparisons are enough."""
    best, size = part.order[0], part.largest
    at = part.sizes.index(size)
    if part.curve(best)[at].perplexity is None:
        return [*part.says]
    apart = {
        model: part.difference(model, best, size)
        for model in part.order[1:]
        if part.curve(model)[at].perplexity is not None
    }
    near = [model for model, own in apart.items() if own.lower <= 0]
    said = [*part.says]
    if near:
        said.append(f"not told from it, each compared alone: {', '.join(near)}")
    worse = [model for model in apart if model not in near]
    if worse:
        own = apart[worse[0]]
        others = len(worse) - 1
        more = f"; {others} more {'is' if others == 1 else 'are'} worse still" if others else ""
        said.append(
            f"{worse[0]} is worse by {own.value:.3f} ({own.lower:.3f} to {own.upper:.3f}){more}"
        )
    enough = _find_enough(part)
    return [*said, *(() if enough is None else enough.says)]


def _find_enough(part: LearningCurves) -> Enough | None:
    """Say how many comparisons are enough for the best model; None where curves do not show it."""
    from evenhand.ranking.learning_curves import find_enough

    try:
        return find_enough(part, part.order[0])
    except NotIdentified:
        return None


def _print(rows: Sequence[Sequence[str]], columns: int) -> list[str]:
    """Return a table, titles dim, with narrow gaps where there is little room."""
    lines: list[str] = []
    for gap in ("  ", " "):
        lines = [" " + gap.join(row).rstrip() for row in align(rows, left=(0,))]
        if max(map(width, lines)) <= columns:
            break
    return [click.style(lines[0], dim=True), *lines[1:]]


def _sets(part: LearningCurves) -> list[list[str]]:
    """Return how each task was divided (table 3 of the paper), titles first."""
    rows = [
        [
            cut(one.task, TASK) or "all",
            *(f"{n:,}" for n in (one.most, one.items, one.test, one.train)),
        ]
        for one in part.test_sets
    ]
    return [[*SETS], *rows]


def _table(part: LearningCurves, columns: int) -> list[list[str]]:
    """Return perplexities by size, the CPU time too where there is room."""
    rows = [
        ["model", *(f"{size:,}" for size in part.sizes), "CPU"],
        *(
            [model, *map(_cell, part.curve(model)), say_seconds(part.seconds[model])]
            for model in part.order
        ),
    ]
    if max(width("  ".join(row)) for row in align(rows, left=(0,))) < columns:
        return rows
    return [row[:-1] for row in rows]


def _cell(point: CurvePoint) -> str:
    return NOTHING if point.perplexity is None else f"{point.perplexity:.3f}"


def _say_refusals(part: LearningCurves) -> list[str]:
    """Say which models were refused where, and why."""
    refused: dict[str, list[Any]] = {}
    for one in part.refusals:
        refused.setdefault(one.model, []).append(one)
    return [
        f"{model}: {plural(len(own), 'training')} refused, up to {max(one.size for one in own):,}"
        f" comparisons, so that {NOTHING} stands there: {own[0].why}"
        for model, own in refused.items()
    ]
