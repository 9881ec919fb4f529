"""`evenhand labels`: one label for each output from the answers of several judges."""

from __future__ import annotations

from dataclasses import replace
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
from evenhand.cli.result import VerbResult
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
)

if TYPE_CHECKING:
    from evenhand.models.answers import Answers
    from evenhand.models.labels import LabelFit

MODELS: Final = ("mace", "dawid-skene", "majority")
TIES: Final = ("keep", "discard")


_model_option = section("Model")

label_options = stack(
    _model_option(
        "--model",
        type=OneOf(MODELS),
        default="mace",
        help="mace: each judge knows the label or guesses; dawid-skene: an error matrix for each"
        " judge, for judges with many answers; majority: all judges count the same.",
    ),
    _model_option(
        "--ties",
        type=OneOf(TIES),
        default="keep",
        help="Keep ties as a label of a pair of outputs, or exclude tied votes.",
    ),
    _model_option(
        "--pool-tasks",
        is_flag=True,
        help="Fit all tasks together; a judge has the same reliability in each.",
    ),
    _model_option(
        "--threshold",
        type=float,
        metavar="PROPORTION",
        help="Label only this share of the units, the most certain ones.",
    ),
    seed_option(_model_option, says="Seed of MACE's random starts."),
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
    """Combine the answers of several judges into one label for each output.

    Ratings on a short scale give scores as labels; comparisons and rankings
    give the preferred system or a tie for each pair of outputs. Reliable judges
    count more. Two equally probable labels give none. The file must name
    judges, and items if it holds comparisons.
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

    place.deliver(VerbResult(results, refused, remarks))


def _label(answers: Answers, model: str, threshold: float | None, seed: int) -> LabelFit:
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
    return replace(fit if threshold is None else fit.keep(threshold), others=others)
