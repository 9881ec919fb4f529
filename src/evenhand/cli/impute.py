"""`evenhand impute`: what would judges have said of the outputs that they were not shown?"""

from __future__ import annotations

from typing import Any, Final

from evenhand.cli.judge_options import diagnosis_figure_options
from evenhand.cli.options import (
    OneOf,
    WholeFrom,
    group_option,
    level_option,
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
    check_figures,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
    write_figures,
)
from evenhand.errors import UnknownOption
from evenhand.ratings.reliability import CompletedPart

DRAWS: Final = 20
MISSING: Final = ("at-random", "by-value")

_model_option = section("Model")
_decisions_option = section("Decisions")

model_options = stack(
    _model_option("--criterion", metavar="NAME", help="Only this criterion."),
    _model_option(
        "--judge-group",
        metavar="COLUMN|judge",
        help="Intervals hold in each group of judges. Default: over all judges.",
    ),
    _model_option(
        "--missing",
        type=OneOf(MISSING),
        default="at-random",
        help="Whether ratings are missing at random, or depending on their value.",
    ),
    _model_option(
        "--clip",
        metavar="LOW-HIGH",
        help="Keep predictions on the scale. Default: they are left as they are.",
    ),
    _model_option(
        "--force-shared",
        is_flag=True,
        help="Use shared tastes even where they do not predict held-out ratings better.",
    ),
    level_option(_model_option, default=0.9),
    seed_option(_model_option),
)

decision_options = stack(
    _decisions_option(
        "--reliability",
        is_flag=True,
        help="Would systems be in the same order with fewer ratings? Needs a nearly full matrix.",
    ),
    _decisions_option(
        "--draws",
        type=WholeFrom(1),
        help=f"How often ratings are hidden for each share. Default: {DRAWS}.",
    ),
)


@verb(
    "evenhand impute scores.csv",
    "evenhand impute scores.csv --judge-group native -o completed.csv",
    "evenhand impute scores.csv --reliability --figures figures",
)
@reading_options
@group_option
@model_options
@decision_options
@diagnosis_figure_options
@output_options
def impute(
    *,
    group_by: str | None,
    criterion: str | None,
    judge_group: str | None,
    missing: str,
    clip: str | None,
    force_shared: bool,
    level: float,
    seed: int,
    reliability: bool,
    draws: int | None,
    figures: str | None,
    forms: tuple[str, ...] | None,
) -> None:
    """Predict missing ratings, with intervals, and compare simple predictions.

    Each task and criterion is completed apart. Tastes that judges share are used
    only where they predict held-out ratings better. CSV has all ratings, given
    and predicted; with --reliability it has the points of the curve.
    """
    taken, place = take_reading(), take_output()
    # Refuse options that do nothing without others
    if not reliability and (draws is not None or figures is not None):
        named = "--figures" if draws is None else "--draws"
        raise UnknownOption(f"{named} is about --reliability: add it, or leave {named} out")
    check_figures(figures, forms)
    from evenhand.ratings.completion import NuclearNorm

    model = NuclearNorm(
        level=level,
        group=judge_group,
        missing="at random" if missing == "at-random" else "by value",
        clip=_read_ends(clip),
        abstain=not force_shared,
        seed=seed,
    )
    with ProgressDisplay("completing"):
        # The groups that are completed apart
        from evenhand.data.groups import choose_criterion, group_ratings

        data = choose_criterion(taken.open_ratings("impute"), criterion)
        by = None if group_by is None else data.require(group_by)
        roles = ("task", "judge", "item", "system", "criterion")
        factors = [one for one in (by, judge_group) if one is not None and one not in roles]
        parts = {**group_ratings(data.rows(factors=list(dict.fromkeys(factors))), by)}
        from evenhand.ratings.reliability import complete_part

        results, refused = work_on_groups(
            parts,
            lambda part: complete_part(part, model, (draws or DRAWS) if reliability else None),
            alone=[*parts] == [""],
        )
        remarks = [*remarks_on(data, "repeats"), *write_figures(results, figures, forms, _draw)]

    place.deliver(ImputeResult(results, refused, remarks))


def _read_ends(clip: str | None) -> tuple[float, float] | None:
    from evenhand.data.rating_rows import read_scale

    if clip is None:
        return None
    try:
        scale = read_scale(clip)
    except UnknownOption:
        raise UnknownOption(
            f"--clip {clip}: write LOW-HIGH, the lowest score, then a higher one, such as 0-100"
        ) from None
    return scale.low, scale.high


def _draw(part: CompletedPart) -> dict[str, Any]:
    from evenhand.report.figures.predictions import draw_decisions

    return {} if part.decisions is None else {"decisions": draw_decisions(part.decisions)}


MAX_CELLS: Final = 2_000_000  # Most cells that CSV is written of


class ImputeResult(VerbResult):
    def records(self) -> list[dict[str, Any]]:
        """Return the points of a curve, or all ratings, which no document holds: there are many."""
        return [
            {**({"group": name} if self.grouped else {}), **row}
            for name, part in self.groups.items()
            for row in _list_rows(part)
        ]


def _list_rows(part: CompletedPart) -> list[dict[str, Any]]:
    if part.decisions is not None:
        return part.decisions.records()
    cells = part.completion.predicted.size
    if cells > MAX_CELLS:
        raise UnknownOption(
            f"CSV of {cells:,} cells, more than {MAX_CELLS:,}: take a part of the items, or"
            " NuclearNorm().fit(...).completed in Python"
        )
    return part.completion.records()
