"""`evenhand bias`: what moves judgments beside the outputs: places, severity, drift, length."""

from __future__ import annotations

from evenhand.cli import options
from evenhand.cli.result import VerbResult
from evenhand.cli.running import remarks_on, split_groups, work_on_groups

_looked_at = options.under("What is looked at")


class Asked(options.Options):
    controls: tuple[str, ...] = _looked_at(
        "--control COLUMN",
        "Of ratings, a column of numbers whose effect on scores is estimated, such as a length."
        " Repeatable. A column called position is taken unasked.",
    )


@options.verb(
    "evenhand bias votes.csv",
    "evenhand bias wmt12.RNK_results.csv --task fr-en",
    "evenhand bias scores.csv --criterion adequacy --control words",
    doing="looking",
)
def bias(
    run: options.Run,
    *,
    tables: options.Tables,
    groups: options.Grouping,
    criterion: options.Criterion,
    asked: Asked,
    clusters: options.Cluster,
) -> VerbResult:
    """Estimate the advantage of being shown first, or what moves scores.

    Over all judges, with an interval that accounts for judges and items;
    whether judges differ; and which of them stand out. The file must say which
    output stood first, and pairs must have been shown in both orders. Of
    ratings: how severe judges are, their tastes for systems, drift over time,
    position, judges of their own systems, and --control.
    """
    from evenhand.data.groups import group_ratings
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.bias import choose_columns, find_position_bias, find_rating_bias

    by, settings = groups.group_by, vars(clusters)
    of_ratings = criterion.criterion is not None or bool(asked.controls)
    kinds = options.kinds_of(ratings=of_ratings)
    opened = run.reading.open_either(kinds, criterion=criterion.criterion)
    if isinstance(opened, Ratings):
        ratings = tables.join(opened, used=(by, *asked.controls))
        looked_at = choose_columns(ratings, asked.controls)
        rows = ratings.rows(factors=[*looked_at, *([] if by is None or by in looked_at else [by])])
        biases, refused = work_on_groups(
            group_ratings(rows, by),
            lambda part: find_rating_bias(part, controls=looked_at, **settings),
            by,
        )
        return VerbResult(biases, refused, remarks_on(ratings))
    why = "is of ratings; these are comparisons: leave it out"
    options.refuse_given(["criterion", "controls"], why)
    data = tables.join(opened, used=(by,))
    results, refused = work_on_groups(
        split_groups(data, by), lambda part: find_position_bias(part, **settings), by
    )
    return VerbResult(results, refused, remarks_on(data))
