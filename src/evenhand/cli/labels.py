"""`evenhand labels`: what do several judges say together, and which of them can be relied on?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli.options import (
    OneOf,
    group_option,
    join_options,
    join_tables,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table, tabulate
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
)
from evenhand.cli.terminal import align, block, cut, label, plural, say_end, share, width

if TYPE_CHECKING:
    from evenhand.models.answers import Answers
    from evenhand.models.labels import LabelFit, Skill

MODELS: Final = ("mace", "dawid-skene", "majority")
TIES: Final = ("keep", "discard")


@dataclass(frozen=True)
class Labelled:
    fit: LabelFit  # the labels
    # model → units on which it agrees, and units to which both give a label
    others: dict[str, tuple[int, int]]


_model_option = section("Model")

label_options = stack(
    _model_option(
        "--model",
        type=OneOf(MODELS),
        default="mace",
        help="mace: a judge knows or spams; dawid-skene: a table of errors for each judge, for"
        " judges with many answers; majority: all judges alike.",
    ),
    _model_option(
        "--ties",
        type=OneOf(TIES),
        default="keep",
        help="Whether a tie is a label of a pair of outputs; else tied votes are left out.",
    ),
    _model_option(
        "--pool-tasks",
        is_flag=True,
        help="All tasks in one fit, so that a judge is the same judge in each.",
    ),
    _model_option(
        "--threshold",
        type=float,
        metavar="PROPORTION",
        help="Withhold labels of all but this share of the units, the most certain.",
    ),
    seed_option(_model_option, says="Of MACE's random starts."),
)


@verb(
    "evenhand labels votes.csv",
    "evenhand labels ratings.csv --model dawid-skene --csv -o labels.csv",
    "evenhand labels votes.csv --pool-tasks --threshold .95 --json",
)
@reading_options
@join_options
@group_option
@label_options
@output_options
def labels(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    model: str,
    ties: str,
    pool_tasks: bool,
    threshold: float | None,
    seed: int,
) -> None:
    """Give each output, or pair of outputs, the label that is most probable.

    Of ratings on a small scale the labels are scores, of comparisons and
    rankings the preferred system or a tie. Judges count by how reliable they
    turn out to be; where two labels are equally probable there is none. The
    file must name judges, and the items of comparisons.
    """
    reading, place = take_reading(), take_output(judges, items)
    with ProgressDisplay("labelling"):
        from evenhand.data.rankings import Rankings
        from evenhand.models.answers import code_groups

        data = reading.open()
        table: Any = data.comparisons() if isinstance(data, Rankings) else data
        table = join_tables(table, judges, items, used=(group_by,))
        groups = code_groups(table, group_by, ties=ties, together=pool_tasks)
        alone = group_by is None and len(groups) == 1
        results, refused = work_on_groups(
            groups, lambda part: _label(part, model, threshold, seed), alone=alone
        )
        remarks = remarks_on(table, "controls")

    place.deliver(LabelsResult(results, refused, remarks))


def _label(answers: Answers, model: str, threshold: float | None, seed: int) -> Labelled:
    from evenhand.models.dawid_skene import DawidSkene
    from evenhand.models.labels import MajorityVote
    from evenhand.models.mace import MACE

    models: dict[str, MACE | DawidSkene | MajorityVote] = {
        "mace": MACE(seed=seed),
        "dawid-skene": DawidSkene(),
        "majority": MajorityVote(),
    }
    fit = models.pop(model).fit(answers)
    others = {name: fit.compare(other.fit(answers)) for name, other in models.items()}
    return Labelled(fit if threshold is None else fit.keep(threshold), others)


MAX_UNITS: Final = 10  # Units in the table for people, the least certain
MAX_JUDGES: Final = 5  # Judges at either end of the table for people
LEGEND: Final = (
    "the least certain labels; then the judges whose 95 % intervals end lowest, and those whose"
    " begin highest. n: answers"
)


class LabelsResult(GroupedResult[Labelled]):
    lacking = "has no labels"

    def draw(self, part: Labelled, columns: int) -> list[str]:
        fit = part.fit
        # The judges at both ends, titles first
        low, high = _choose_judges(fit)
        chosen = [*low, *high]
        lines = draw_table(_choose_columns(fit), chosen, columns)
        more = len(fit.skills) - len(chosen)
        between = [f" ... and {more:,} more judges between"] if more else []
        ends = len(low) + 1
        return [
            label("", _say_counts(fit), columns),
            "",
            *block("says", [*fit.says, _say_shares(fit), *_say_others(part)], columns),
            "",
            *_draw_units(fit, columns),
            "",
            *[*lines[:ends], *between, *lines[ends:]],
            "",
            label("table", LEGEND, columns),
            *say_end(fit.notes, fit.signature, columns),
        ]

    def describe(self, part: Labelled) -> dict[str, Any]:
        others = {name: {"same": same, "both": both} for name, (same, both) in part.others.items()}
        return {**part.fit.to_dict(), "others": others}

    def rows(self, part: Labelled) -> list[dict[str, Any]]:
        return part.fit.records()

    def tabulate(self, part: Labelled) -> str:
        fit = part.fit
        sentences = [*fit.says, _say_shares(fit), *_say_others(part), *fit.notes]
        comments = [fit.signature, *sentences]
        blocks = [chosen for chosen in _choose_judges(fit) if chosen]
        return tabulate(_choose_columns(fit), blocks, comments)

    def say(self, part: Labelled) -> list[str]:
        return [*part.fit.says, *_say_others(part), *part.fit.notes]


def _choose_columns(fit: LabelFit) -> tuple[Column, ...]:
    return (
        Column.names("judge", "judge"),
        Column.number("n", "n", ",", "$n$", typeset=".0f"),
        Column.number(fit.measure, "value", ".2f"),
        Column.number("95 % interval", _write_ends, only="text"),
        Column.number("lower", "lower", ".2f", only="latex"),
        Column.number("upper", "upper", ".2f", only="latex"),
    )


def _write_ends(one: Skill) -> str:
    return f"{one.lower:.2f} to {one.upper:.2f}"


def _say_counts(fit: LabelFit) -> str:
    answers = fit.answers
    what = "pairs of outputs" if answers.of_pairs else "outputs"
    judges = plural(len(answers.judges), "judge")
    low, high = answers.per_unit.min(), answers.per_unit.max()
    each = f"{low}" if low == high else f"{low} to {high}"
    return f"{plural(answers.size, 'answer')} of {judges} to {answers.units:,} {what}, {each} each"


def _say_shares(fit: LabelFit) -> str:
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
    return [
        f"{name} gives the same label to {share(same, both)} of the {both:,} units to which both"
        " give one"
        for name, (same, both) in part.others.items()
        if both
    ]


def _draw_units(fit: LabelFit, columns: int) -> list[str]:
    chosen = fit.least_certain(MAX_UNITS)
    records = [{**one, "label": one["label"] or "none"} for one in fit.records(chosen)]
    columns_of_units = fit.answers.columns.items()
    names = [*(name for name, (values, _) in columns_of_units if len(values) > 1), "label"]
    numbers = [(f"{one['probability']:.2f}", f"{one['answers']}") for one in records]
    taken = align([("probability", "n"), *numbers])[0]
    room = (columns - 1 - sum(width(cell) + 2 for cell in taken)) // len(names) - 2
    rows = [
        (*(cut(one[name], room) for name in names), *values)
        for one, values in zip(records, numbers, strict=True)
    ]
    lines = draw_table((*map(Column, names), "probability", "n"), rows)
    more = fit.answers.units - len(records)
    return lines + [f" ... and {more:,} more, surer"] * bool(more)


def _choose_judges(fit: LabelFit) -> tuple[Sequence[Skill], Sequence[Skill]]:
    """Return the judges who are surely low and surely high, as far as there are enough."""
    low = sorted(fit.skills, key=lambda one: (one.upper, one.judge))
    if len(low) <= 2 * MAX_JUDGES:
        return sorted(low, key=lambda one: one.value), ()
    chosen = low[:MAX_JUDGES]
    rest = sorted(low[MAX_JUDGES:], key=lambda one: (one.lower, one.judge))
    return chosen, rest[-MAX_JUDGES:]
