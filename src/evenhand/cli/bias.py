"""`evenhand bias`: is the output that is shown first preferred for that alone, and by whom?"""

from __future__ import annotations

from evenhand.cli.options import Cluster, Grouping, Run, Tables, verb
from evenhand.cli.result import VerbResult
from evenhand.cli.running import remarks_on, work_on_tables


@verb(
    "evenhand bias votes.csv", "evenhand bias wmt12.RNK_results.csv --task fr-en", doing="looking"
)
def bias(run: Run, *, tables: Tables, groups: Grouping, clusters: Cluster) -> VerbResult:
    """Estimate the advantage of being shown first.

    Over all judges, with an interval that accounts for judges and items;
    whether judges differ; and which of them stand out. The file must say which
    output stood first, and pairs must have been shown in both orders.
    """
    from evenhand.ranking.position_bias import find_position_bias

    by, settings = groups.group_by, vars(clusters)
    data = tables.join(run.reading.open_comparisons("bias"), used=(by,))
    results, refused = work_on_tables(data, by, lambda part: find_position_bias(part, **settings))
    return VerbResult(results, refused, remarks_on(data))
