"""`evenhand variance`: what is due to systems, judges, items and chance; how many are enough?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.groups import work_on_groups
from evenhand.cli.options import (
    Section,
    Verb,
    examples,
    group_option,
    output_options,
    reading_options,
    stack,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import OneOf
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading
from evenhand.errors import UnknownOption

if TYPE_CHECKING:
    from evenhand.judges.variance import Judgments, Method, Study, VarianceComponents, Wishes
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings
    from evenhand.judgments.ratings import Ratings
    from evenhand.ratings.variance_components import Systems

    Settings = tuple[Systems, Method | None, float]

EXAMPLES: Final = (
    "evenhand variance scores.csv --reliability .9",
    "evenhand variance scores.csv --criterion adequacy --judges 10 --items 200",
    "evenhand variance votes.csv --stderr .2",
)


class _Design(Section):
    heading = "Design"


class _Model(Section):
    heading = "Model"


design_options = stack(
    click.option("--judges", cls=_Design, type=int, metavar="NUMBER", help="So many judges."),
    click.option("--items", cls=_Design, type=int, metavar="NUMBER", help="So many items."),
    click.option(
        "--each",
        cls=_Design,
        type=float,
        metavar="NUMBER",
        help="Judges per output (ratings), or comparisons of each judge. Default: as there were.",
    ),
    click.option(
        "--stderr",
        cls=_Design,
        type=float,
        metavar="NUMBER",
        help="How many judges and items give this standard error of a difference?",
    ),
    click.option(
        "--reliability",
        cls=_Design,
        type=float,
        metavar="PROPORTION",
        help="How many give this reliability (generalizability coefficient)?",
    ),
)

variance_options = stack(
    click.option("--criterion", cls=_Model, metavar="NAME", help="Only this criterion (ratings)."),
    click.option(
        "--systems",
        cls=_Model,
        type=OneOf(("random", "fixed")),
        default="random",
        show_default=True,
        help="Ratings: a sample of systems, or these only.",
    ),
    click.option(
        "--method",
        cls=_Model,
        type=OneOf(("moments", "likelihood")),
        help="Comparisons: moments (the default), or judges' tastes by likelihood, which takes"
        " seconds.",
    ),
    click.option(
        "--level",
        cls=_Model,
        type=float,
        default=0.95,
        show_default=True,
        metavar="PROPORTION",
        help="Level of the intervals.",
    ),
)


@click.command(
    cls=Verb,
    short_help="What is due to systems, judges, items and chance? How many judges are enough?",
    epilog=examples(*EXAMPLES),
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
    each: float | None,
    stderr: float | None,
    reliability: float | None,
    criterion: str | None,
    systems: Systems,
    method: Method | None,
    level: float,
) -> None:
    """Take the variance of judgments apart, and say how many judges are enough.

    Each task and criterion apart. Components of ratings are by restricted
    likelihood; of comparisons, the tastes of judges and items, by moments.
    """
    reading, place = take_reading(), take_output()
    from evenhand.judges.variance import Wishes

    wishes = Wishes(judges, items, each, stderr, reliability)
    with Patience("taking apart"):
        data = reading.open()
        found, refused = _find(data, (group_by, criterion), (systems, method, level), wishes)
        remarks = remarks_on(data, "controls", "repeats")
    from evenhand.cli.variance_result import VarianceResult

    place.deliver(VarianceResult(found, refused, remarks))


def _find(
    data: Comparisons | Rankings | Ratings,
    chosen: tuple[str | None, str | None],
    settings: Settings,
    wishes: Wishes,
) -> tuple[dict[str, Study], dict[str, str]]:
    """Look at each group, or at all judgments under the name ""."""
    from evenhand.judges.variance import read_wishes, study_designs

    read_wishes(wishes)
    parts = _split(data, *chosen)
    return work_on_groups(
        parts,
        lambda part: study_designs(_estimate(part, settings), wishes),
        alone=[*parts] == [""],
    )


def _split(
    data: Comparisons | Rankings | Ratings, group_by: str | None, criterion: str | None
) -> dict[str, Judgments]:
    """Return the groups that are looked at apart."""
    from evenhand.judgments.groups import choose_groups
    from evenhand.judgments.levels import split_table
    from evenhand.judgments.rankings import Rankings
    from evenhand.judgments.rating_groups import group_ratings
    from evenhand.judgments.ratings import Ratings

    if isinstance(data, Ratings):
        by = None if group_by is None else data.require(group_by)
        own = ("task", "judge", "item", "system", "criterion")
        rows = data.rows(factors=[] if by is None or by in own else [by])
        return {**group_ratings(rows, by, criterion)}
    if criterion is not None:
        raise UnknownOption("--criterion is of ratings; these are comparisons: leave it out")
    table = data.comparisons() if isinstance(data, Rankings) else data
    column = choose_groups(table, group_by)
    parts = {"": table} if column is None else split_table(table, column)
    if len(parts) == 1 and group_by is None:
        return {"": next(iter(parts.values()))}
    return {**parts}


def _estimate(part: Judgments, settings: Settings) -> VarianceComponents:
    from evenhand.judges.variance import estimate_components

    systems, method, level = settings
    return estimate_components(part, systems=systems, method=method, level=level)
