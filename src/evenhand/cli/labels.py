"""`evenhand labels`: one label for each output from the answers of several judges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evenhand.cli.options import Grouping, Options, Run, Tables, seed_option, under, verb
from evenhand.cli.result import VerbResult
from evenhand.cli.running import remarks_on, work_on_groups

if TYPE_CHECKING:
    from evenhand.models.answers import Answers
    from evenhand.models.labels import LabelFit

_model = under("Model")


class Asked(Options):
    model: str = _model(
        "--model mace|dawid-skene|majority",
        "mace: each judge knows the label or guesses; dawid-skene: an error matrix for each"
        " judge, for judges with many answers; majority: all judges count the same.",
        default="mace",
    )
    ties: str = _model(
        "--ties keep|discard",
        "Keep ties as a label of a pair of outputs, or exclude tied votes.",
        default="keep",
    )
    pool_tasks: bool = _model(
        "--pool-tasks", "Fit all tasks together; a judge has the same reliability in each."
    )
    threshold: float | None = _model(
        "--threshold PROPORTION", "Label only this share of the units, the most certain ones."
    )
    seed: int = seed_option(_model, says="Seed of MACE's random starts.")


@verb(
    "evenhand labels votes.csv",
    "evenhand labels ratings.csv --model dawid-skene --csv -o labels.csv",
    "evenhand labels votes.csv --pool-tasks --threshold .95 --json",
    doing="labelling",
)
def labels(run: Run, *, tables: Tables, groups: Grouping, asked: Asked) -> VerbResult:
    """Combine the answers of several judges into one label for each output.

    Ratings on a short scale give scores as labels; comparisons and rankings
    give the preferred system or a tie for each pair of outputs. Reliable judges
    count more. Two equally probable labels give none. The file must name
    judges, and items if it holds comparisons.
    """
    from evenhand.data.rankings import Rankings
    from evenhand.models.answers import code_groups

    by, data = groups.group_by, run.reading.open()
    table: Any = data.comparisons() if isinstance(data, Rankings) else data
    table = tables.join(table, used=(by,))
    answers = code_groups(table, by, ties=asked.ties, together=asked.pool_tasks)
    results, refused = work_on_groups(answers, lambda part: _label(part, asked), by)
    return VerbResult(results, refused, remarks_on(table, "controls"))


def _label(answers: Answers, asked: Asked) -> LabelFit:
    from evenhand.models.dawid_skene import DawidSkene
    from evenhand.models.labels import MajorityVote
    from evenhand.models.mace import MACE

    models: dict[str, MACE | DawidSkene | MajorityVote] = {
        "mace": MACE(seed=asked.seed),
        "dawid-skene": DawidSkene(),
        "majority": MajorityVote(),
    }
    fit = models.pop(asked.model).fit(answers)
    others = {name: fit.compare(other.fit(answers)) for name, other in models.items()}
    certain = fit if asked.threshold is None else fit.keep(asked.threshold)
    return replace(certain, others=others)
