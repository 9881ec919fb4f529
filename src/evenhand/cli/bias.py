"""`evenhand bias`: is the output that is shown first preferred for that alone, and by whom?"""

from __future__ import annotations

from evenhand.cli.options import (
    cluster_options,
    group_option,
    join_options,
    join_tables,
    output_options,
    reading_options,
    verb,
)
from evenhand.cli.result import VerbResult
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_tables,
)


@verb("evenhand bias votes.csv", "evenhand bias wmt12.RNK_results.csv --task fr-en")
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

    Over all judges, with an interval that accounts for judges and items;
    whether judges differ; and which of them stand out. The file must say which
    output stood first, and pairs must have been shown in both orders.
    """
    reading, place = take_reading(), take_output(judges, items)
    with ProgressDisplay("looking"):
        data = reading.open_comparisons("bias")
        data = join_tables(data, judges, items, used=(group_by,))
        from evenhand.ranking.position_bias import find_position_bias

        results, refused = work_on_tables(
            data, group_by, lambda part: find_position_bias(part, cluster=cluster, level=level)
        )
        remarks = remarks_on(data)

    place.deliver(VerbResult(results, refused, remarks))
