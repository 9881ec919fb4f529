"""`evenhand models`: which model do the judgments ask for?"""

from __future__ import annotations

from typing import Final

import click

from evenhand.cli.covariates import COVARIATES, join_options, join_tables
from evenhand.cli.groups import work_on_groups
from evenhand.cli.options import (
    Verb,
    covariate_option,
    examples,
    group_option,
    output_options,
    reading_options,
)
from evenhand.cli.output import take_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading

EXAMPLES: Final = (
    "evenhand models votes.csv",
    "evenhand models votes.csv --judge-covariate native_language",
    "evenhand models votes.csv --judges judges.csv --judge-covariate native",
    "evenhand models wmt12.RNK_results.csv --task fr-en",
)


@click.command(
    cls=Verb,
    short_help="Are ties needed, does order matter, do judges differ?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@join_options
@group_option
@covariate_option
@output_options
def models(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    judge_covariates: tuple[str, ...],
) -> None:
    """Fit nested and rival models and say which the judgments ask for.

    Each model adds one thing to an earlier one: worths, a tie parameter, the
    order on the screen, judges. A likelihood-ratio test says what it adds, and
    a cluster-robust test beside it allows for judges and items who give many
    answers.
    """
    reading, place = take_reading(), take_output(judges, items)
    from evenhand.ranking.model_table import count_models, tabulate_counts

    with Patience("fitting"):
        data, used = reading.open_comparisons("models"), (*judge_covariates, group_by)
        data = join_tables(data, judges, items, used=used, options=COVARIATES)
        covariates = tuple(map(data.require, judge_covariates)) or None
        groups = count_models(data, covariates=covariates, group_by=group_by)
        alone = group_by is None and len(groups) == 1
        found, refused = work_on_groups(groups, tabulate_counts, alone=alone)
        remarks = remarks_on(data)
    from evenhand.cli.models_result import ModelsResult

    place.deliver(ModelsResult(found, refused, remarks))
