"""Labels of units and judges' reliability as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.grouped import GroupedResult
from evenhand.cli.labels import Labelled
from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, cut, label, plural, share, width
from evenhand.cli.words import block, sign
from evenhand.report.tables.latex import escape, number, tabular

if TYPE_CHECKING:
    from evenhand.models.labels import LabelFit, Skill

UNITS: Final = 10  # Units in the table for people, the least certain
JUDGES: Final = 5  # Judges at either end of the table for people
LEGEND: Final = (
    "the least certain labels; then the judges whose 95 % intervals end lowest, and those whose"
    " begin highest. n: answers"
)


class LabelsResult(GroupedResult[Labelled]):
    """What `evenhand labels` found: labels for each group."""

    lacking = "has no labels"

    def draw(self, part: Labelled, columns: int) -> list[str]:
        """Return counts, what was found, the least certain units, and judges at both ends."""
        fit = part.fit
        return [
            label("", _say_counts(fit), columns),
            "",
            *block("says", [*fit.says, _say_shares(fit), *_say_others(part)], columns),
            "",
            *_draw_units(fit, columns),
            "",
            *_draw_judges(fit, columns),
            "",
            label("table", LEGEND, columns),
            *(label("note", note, columns, colour="yellow") for note in fit.notes),
            sign(fit.signature, columns),
        ]

    def describe(self, part: Labelled) -> dict[str, Any]:
        """Return the JSON of the labels of a group."""
        others = {name: {"same": same, "both": both} for name, (same, both) in part.others.items()}
        return {**part.fit.to_dict(), "others": others}

    def rows(self, part: Labelled) -> list[dict[str, Any]]:
        """Return a row for each unit."""
        return part.fit.records()

    def tabulate(self, name: str, part: Labelled) -> str:
        """Return the table of judges for a paper."""
        return _tabular(name, part)

    def say(self, part: Labelled) -> list[str]:
        """Return what was found, and what must stand beside it."""
        return [*part.fit.says, *_say_others(part), *part.fit.notes]


def _say_counts(fit: LabelFit) -> str:
    """Say what the labels rest on."""
    answers = fit.answers
    what = "pairs of outputs" if answers.of_pairs else "outputs"
    judges = plural(len(answers.judges), "judge")
    low, high = answers.per_unit.min(), answers.per_unit.max()
    each = f"{low}" if low == high else f"{low} to {high}"
    return f"{plural(answers.size, 'answer')} of {judges} to {answers.units:,} {what}, {each} each"


def _say_shares(fit: LabelFit) -> str:
    """Say how often each label was found, of all units."""
    shares = fit.shares
    none = 1 - sum(shares.values())
    lacking = [f"{share(none, 1)} without a label"] if (fit.best < 0).any() else []
    if not fit.answers.of_pairs:
        parts = [f"{name}: {share(part, 1)}" for name, part in shares.items()]
        return f"labels: {', '.join([*parts, *lacking])}"
    tie = shares.get("tie", 0.0)
    parts = [f"{share(1 - none - tie, 1)} prefer a system", f"{share(tie, 1)} tie"]
    return f"labels: {', '.join([*parts, *lacking])}"


def _say_others(part: Labelled) -> list[str]:
    """Say how many labels the other models share."""
    return [
        f"{name} gives the same label to {share(same, both)} of the {both:,} units to which both"
        " give one"
        for name, (same, both) in part.others.items()
        if both
    ]


def _draw_units(fit: LabelFit, columns: int) -> list[str]:
    """Return the units of which the model is least sure, titles first."""
    chosen = fit.least_certain(UNITS)
    records = [{**one, "label": one["label"] or "none"} for one in fit.records(chosen)]
    columns_of_units = fit.answers.columns.items()
    names = [*(name for name, (own, _) in columns_of_units if len(own) > 1), "label"]
    numbers = align(
        [
            ("probability", "n"),
            *((f"{one['probability']:.2f}", f"{one['answers']}") for one in records),
        ],
        left=(),
    )
    room = columns - 1 - sum(width(cell) + 2 for cell in numbers[0])
    each = room // len(names) - 2
    texts = [names, *([cut(one[name], each) for name in names] for one in records)]
    cells = align(texts, left=range(len(names)))
    lines = [" " + "  ".join([*own, *rest]) for own, rest in zip(cells, numbers, strict=True)]
    more = fit.answers.units - len(records)
    return [
        click.style(lines[0], dim=True),
        *lines[1:],
        *([f" ... and {more:,} more, surer"] if more else []),
    ]


def _choose_judges(fit: LabelFit) -> tuple[Sequence[Skill], Sequence[Skill]]:
    """Return the judges who are surely low and surely high, as far as there are enough."""
    low = sorted(fit.skills, key=lambda one: (one.upper, one.judge))
    if len(low) <= 2 * JUDGES:
        return sorted(low, key=lambda one: one.value), ()
    chosen = low[:JUDGES]
    rest = sorted(low[JUDGES:], key=lambda one: (one.lower, one.judge))
    return chosen, rest[-JUDGES:]


def _draw_judges(fit: LabelFit, columns: int) -> list[str]:
    """Return the judges at both ends, titles first."""
    low, high = _choose_judges(fit)
    chosen = [*low, *high]
    rows = align([("n", fit.measure, "95 % interval"), *(_cells(one) for one in chosen)], left=())
    room = columns - 1 - sum(width(cell) + 2 for cell in rows[0])
    apart = tell_apart([one.judge for one in chosen], room)
    names = align([("judge",), *((apart[one.judge],) for one in chosen)], left=(0,))
    lines = [" " + "  ".join([name, *cells]) for (name,), cells in zip(names, rows, strict=True)]
    more = len(fit.skills) - len(chosen)
    between = [f" ... and {more:,} more judges between"] if more else []
    ends = len(low) + 1
    return [click.style(lines[0], dim=True), *lines[1:ends], *between, *lines[ends:]]


def _cells(one: Skill) -> tuple[str, ...]:
    return f"{one.n:,}", f"{one.value:.2f}", f"{one.lower:.2f} to {one.upper:.2f}"


def _tabular(name: str, part: Labelled) -> str:
    fit = part.fit
    low, high = _choose_judges(fit)
    rows = [
        [
            (
                escape(one.judge),
                number(one.n, 0),
                *(number(value, 2) for value in (one.value, one.lower, one.upper)),
            )
            for one in chosen
        ]
        for chosen in (low, high)
        if chosen
    ]
    header = ("judge", "$n$", fit.measure, "lower", "upper")
    said = [*fit.says, _say_shares(fit), *_say_others(part), *fit.notes]
    comments = [*([name] if name else []), fit.signature, *said]
    return tabular("lrrrr", header, rows, comments)
