"""`evenhand labels`: what do several judges say together, and which of them can be relied on?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.covariates import join_options, join_tables
from evenhand.cli.groups import work_on_groups
from evenhand.cli.options import (
    SEED,
    Section,
    Verb,
    examples,
    group_option,
    output_options,
    reading_options,
    stack,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import SEEDS, OneOf
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading

if TYPE_CHECKING:
    from evenhand.models.answers import Answers
    from evenhand.models.labels import LabelFit

MODELS: Final = ("mace", "dawid-skene", "majority")
TIES: Final = ("keep", "discard")
EXAMPLES: Final = (
    "evenhand labels votes.csv",
    "evenhand labels ratings.csv --model dawid-skene --csv -o labels.csv",
    "evenhand labels votes.csv --together --threshold .95 --json",
)


@dataclass(frozen=True)
class Wanted:
    """Which labels."""

    model: str  # mace | dawid-skene | majority
    # share of the units that keep their label, the most certain; None for all
    threshold: float | None
    seed: int  # of MACE's starts


@dataclass(frozen=True)
class Labelled:
    """Labels of a group, and how many of them other models share."""

    fit: LabelFit  # the labels
    # model → units on which it agrees, and units to which both give a label
    others: dict[str, tuple[int, int]]


class _Model(Section):
    heading = "Model"


label_options = stack(
    click.option(
        "--model",
        cls=_Model,
        type=OneOf(MODELS),
        default="mace",
        show_default=True,
        help="mace: a judge knows or spams; dawid-skene: a table of errors for each judge, for"
        " judges with many answers; majority: all judges alike.",
    ),
    click.option(
        "--ties",
        cls=_Model,
        type=OneOf(TIES),
        default="keep",
        show_default=True,
        help="Whether a tie is a label of a pair of outputs; else tied votes are left out.",
    ),
    click.option(
        "--together",
        cls=_Model,
        is_flag=True,
        help="All tasks in one fit, so that a judge is the same judge in each.",
    ),
    click.option(
        "--threshold",
        cls=_Model,
        type=float,
        metavar="PROPORTION",
        help="Withhold labels of all but this share of the units, the most certain.",
    ),
    click.option(
        "--seed",
        cls=_Model,
        type=SEEDS,
        default=SEED,
        show_default=True,
        metavar="NUMBER",
        help="Of MACE's random starts.",
    ),
)


@click.command(
    cls=Verb,
    short_help="What do the judges say together, weighed by how reliable each is?",
    epilog=examples(*EXAMPLES),
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
    together: bool,
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
    with Patience("labelling"):
        from evenhand.judgments.rankings import Rankings
        from evenhand.models.answers import code_groups

        data = reading.open()
        table: Any = data.comparisons() if isinstance(data, Rankings) else data
        table = join_tables(table, judges, items, used=(group_by,))
        groups = code_groups(table, group_by, ties=ties, together=together)
        wanted = Wanted(model, threshold, seed)
        alone = group_by is None and len(groups) == 1
        found, refused = work_on_groups(groups, lambda own: _label(own, wanted), alone=alone)
        remarks = remarks_on(table, "controls")
    from evenhand.cli.labels_result import LabelsResult

    place.deliver(LabelsResult(found, refused, remarks))


def _label(answers: Answers, wanted: Wanted) -> Labelled:
    """Fit the model that was asked for, and the others to compare it with."""
    from evenhand.models.dawid_skene import DawidSkene
    from evenhand.models.labels import MajorityVote
    from evenhand.models.mace import MACE

    models: dict[str, MACE | DawidSkene | MajorityVote] = {
        "mace": MACE(seed=wanted.seed),
        "dawid-skene": DawidSkene(),
        "majority": MajorityVote(),
    }
    fit = models.pop(wanted.model).fit(answers)
    others = {name: fit.compare(model.fit(answers)) for name, model in models.items()}
    return Labelled(fit if wanted.threshold is None else fit.keep(wanted.threshold), others)
