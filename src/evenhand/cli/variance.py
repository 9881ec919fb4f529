"""`evenhand variance`: what systems, judges, items and chance add; how many judges are enough?"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from evenhand.cli.options import Grouping, Options, Run, level_option, refuse_given, under, verb
from evenhand.cli.result import VerbResult
from evenhand.cli.running import group_rows, remarks_on, split_groups, work_on_groups

if TYPE_CHECKING:
    from evenhand.judges.variance import Judgments, Method, Study
    from evenhand.models.rating_components import Systems

_design = under("Design")
_model = under("Model")


class Asked(Options):
    judges: int | None = _design("--judges", "Predict for this many judges.")
    items: int | None = _design("--items", "Predict for this many items.")
    per_output: float | None = _design(
        "--per-output", "Ratings: judges per output. Default: as in the data."
    )
    per_judge: float | None = _design(
        "--per-judge", "Comparisons: how many each judge makes. Default: as in the data."
    )
    stderr: float | None = _design(
        "--stderr", "Find the judges and items that give this standard error of a difference."
    )
    reliability: float | None = _design(
        "--reliability PROPORTION",
        "Find the judges and items that give this reliability (generalizability coefficient).",
    )
    criterion: str | None = _model("--criterion NAME", "Only this criterion (ratings).")
    systems: Systems = _model(
        "--systems random|fixed",
        "Ratings: systems are a sample (random), or the only ones of interest (fixed).",
        default="random",
    )
    method: Method | None = _model(
        "--method moments|likelihood",
        "Comparisons: moments (the default), or likelihood for judges' tastes, which takes"
        " seconds.",
    )
    level: float = level_option(_model)


@verb(
    "evenhand variance scores.csv --reliability .9",
    "evenhand variance scores.csv --criterion adequacy --judges 10 --items 200",
    "evenhand variance votes.csv --stderr .2",
    doing="estimating",
)
def variance(run: Run, *, groups: Grouping, asked: Asked) -> VerbResult:
    """Estimate variance components, and how many judges and items are enough.

    Systems, judges, items, tastes and chance; each task and criterion apart. Of
    ratings by restricted likelihood, of comparisons by moments.
    """
    from evenhand.data.controls import leave_out_llm_judges
    from evenhand.data.groups import choose_criterion
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.judges.variance import DesignRequest, estimate_components, study_designs

    data, by = leave_out_llm_judges(run.reading.open()), groups.group_by
    parts: dict[str, Judgments]
    if isinstance(data, Ratings):
        refuse_given(["per_judge"], "is of comparisons: for ratings say --per-output")
        data, each = choose_criterion(data, asked.criterion), asked.per_output
        parts = {**group_rows(data, by)}
    else:
        refuse_given(["criterion"], "is of ratings; these are comparisons: leave it out")
        refuse_given(["per_output"], "is of ratings: for comparisons say --per-judge")
        each = asked.per_judge
        table = data.comparisons() if isinstance(data, Rankings) else data
        parts = {**split_groups(table, by)}
    request = DesignRequest(asked.judges, asked.items, each, asked.stderr, asked.reliability)
    done = count()

    def work(part: Judgments) -> Study:
        if len(parts) > 1:  # one alone has no steps: a bar would stand still
            run.patience.step(next(done), len(parts))
        components = estimate_components(
            part, systems=asked.systems, method=asked.method, level=asked.level
        )
        return study_designs(components, request)

    results, refused = work_on_groups(parts, work, by)
    noted = ("controls",) if isinstance(data, Ratings) else ("controls", "repeats")
    return VerbResult(results, refused, remarks_on(data, *noted))
