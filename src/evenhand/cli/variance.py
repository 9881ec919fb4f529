"""`evenhand variance`: what systems, judges, items and chance add; how many judges are enough?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.cli.options import (
    OneOf,
    group_option,
    level_option,
    output_options,
    reading_options,
    section,
    stack,
    verb,
)
from evenhand.cli.result import VerbResult
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    split_groups,
    take_output,
    take_reading,
    work_on_groups,
)
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings
    from evenhand.judges.variance import Judgments, Method
    from evenhand.ratings.variance_components import Systems

_design_option = section("Design")
_model_option = section("Model")

design_options = stack(
    _design_option("--judges", type=int, help="Predict for this many judges."),
    _design_option("--items", type=int, help="Predict for this many items."),
    _design_option(
        "--per-output", type=float, help="Ratings: judges per output. Default: as in the data."
    ),
    _design_option(
        "--per-judge",
        type=float,
        help="Comparisons: how many each judge makes. Default: as in the data.",
    ),
    _design_option(
        "--stderr",
        type=float,
        help="Find the judges and items that give this standard error of a difference.",
    ),
    _design_option(
        "--reliability",
        type=float,
        metavar="PROPORTION",
        help="Find the judges and items that give this reliability (generalizability coefficient).",
    ),
)

variance_options = stack(
    _model_option("--criterion", metavar="NAME", help="Only this criterion (ratings)."),
    _model_option(
        "--systems",
        type=OneOf(("random", "fixed")),
        default="random",
        help="Ratings: systems are a sample (random), or the only ones of interest (fixed).",
    ),
    _model_option(
        "--method",
        type=OneOf(("moments", "likelihood")),
        help="Comparisons: moments (the default), or likelihood for judges' tastes, which takes"
        " seconds.",
    ),
    level_option(_model_option),
)


@verb(
    "evenhand variance scores.csv --reliability .9",
    "evenhand variance scores.csv --criterion adequacy --judges 10 --items 200",
    "evenhand variance votes.csv --stderr .2",
)
@reading_options
@group_option
@design_options
@variance_options
@output_options
def variance(
    *,
    group_by: str | None,
    judges: int | None,
    items: int | None,
    per_output: float | None,
    per_judge: float | None,
    stderr: float | None,
    reliability: float | None,
    criterion: str | None,
    systems: Systems,
    method: Method | None,
    level: float,
) -> None:
    """Estimate variance components, and how many judges and items are enough.

    Systems, judges, items, tastes and chance; each task and criterion apart. Of
    ratings by restricted likelihood, of comparisons by moments.
    """
    reading, place = take_reading(), take_output()
    from evenhand.judges.variance import DesignRequest, estimate_components, study_designs

    with ProgressDisplay("estimating"):
        data = _choose(reading.open(), criterion)
        each = _choose_each(data, per_output, per_judge)
        request = DesignRequest(judges, items, each, stderr, reliability)
        parts = _split(data, group_by)
        results, refused = work_on_groups(
            parts,
            lambda part: study_designs(
                estimate_components(part, systems=systems, method=method, level=level), request
            ),
            alone=[*parts] == [""],
        )
        remarks = remarks_on(data, "controls", "repeats")

    place.deliver(VerbResult(results, refused, remarks))


def _choose_each(
    data: Comparisons | Rankings | Ratings, per_output: float | None, per_judge: float | None
) -> float | None:
    """Return judges per output of ratings, or comparisons per judge; refuse the other option."""
    from evenhand.data.ratings import Ratings

    if isinstance(data, Ratings):
        if per_judge is not None:
            raise UnknownOption("--per-judge is of comparisons: for ratings say --per-output")
        return per_output
    if per_output is not None:
        raise UnknownOption("--per-output is of ratings: for comparisons say --per-judge")
    return per_judge


def _choose(
    data: Comparisons | Rankings | Ratings, criterion: str | None
) -> Comparisons | Rankings | Ratings:
    from evenhand.data.groups import choose_criterion
    from evenhand.data.ratings import Ratings

    if isinstance(data, Ratings):
        return choose_criterion(data, criterion)
    if criterion is not None:
        raise UnknownOption("--criterion is of ratings; these are comparisons: leave it out")
    return data


def _split(data: Comparisons | Rankings | Ratings, group_by: str | None) -> dict[str, Judgments]:
    from evenhand.data.groups import group_ratings
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings

    if isinstance(data, Ratings):
        by = None if group_by is None else data.require(group_by)
        roles = ("task", "judge", "item", "system", "criterion")
        rows = data.rows(factors=[] if by is None or by in roles else [by])
        return {**group_ratings(rows, by)}
    table = data.comparisons() if isinstance(data, Rankings) else data
    parts, alone = split_groups(table, group_by)
    return {"": next(iter(parts.values()))} if alone else {**parts}
