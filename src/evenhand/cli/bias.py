"""`evenhand bias`: is the output that is shown first preferred for that alone, and by whom?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.covariates import join_options, join_tables
from evenhand.cli.groups import work_on_groups
from evenhand.cli.options import (
    Verb,
    cluster_options,
    examples,
    group_option,
    output_options,
    reading_options,
)
from evenhand.cli.output import take_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.ranking.position_bias import PositionBias

EXAMPLES: Final = (
    "evenhand bias votes.csv",
    "evenhand bias wmt12.RNK_results.csv --task fr-en",
)


@click.command(
    cls=Verb,
    short_help="Is the output shown first preferred for that alone, and by whom?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@join_options
@group_option
@cluster_options
@output_options
def bias(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    cluster: str | None,
    level: float,
) -> None:
    """Estimate the advantage of being shown first.

    Over all judges with an error that allows for judges and items; whether
    judges differ; and which of them stand out. The file must say which output
    stood first, and pairs must have been shown in both orders.
    """
    reading, place = take_reading(), take_output(judges, items)
    with Patience("looking"):
        data = reading.open_comparisons("bias")
        data = join_tables(data, judges, items, used=(group_by,))
        found, refused = _find(data, group_by, cluster, level)
        remarks = remarks_on(data)
    from evenhand.cli.bias_result import BiasResult

    place.deliver(BiasResult(found, refused, remarks))


def _find(
    data: Comparisons, group_by: str | None, cluster: str | None, level: float
) -> tuple[dict[str, PositionBias], dict[str, str]]:
    """Look at each group, or at all judgments under the name ""."""
    from evenhand.judgments.groups import choose_groups
    from evenhand.judgments.levels import split_table
    from evenhand.ranking.position_bias import find_position_bias

    by = choose_groups(data, group_by)
    parts = {"": data} if by is None else split_table(data, by)
    return work_on_groups(
        parts,
        lambda part: find_position_bias(part, cluster=cluster, level=level),
        alone=group_by is None and len(parts) == 1,
    )
