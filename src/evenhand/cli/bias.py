"""`evenhand bias`: is the output that is shown first preferred for that alone, and by whom?"""

from __future__ import annotations

from typing import Any, Final

from evenhand.cli.options import (
    cluster_options,
    group_option,
    join_options,
    join_tables,
    output_options,
    reading_options,
    verb,
)
from evenhand.cli.result import Column, GroupedResult, draw_table, tabulate
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_tables,
)
from evenhand.cli.terminal import block, label, say_answers, say_end
from evenhand.ranking.position_bias import JudgeBias, PositionBias
from evenhand.report.document import pick


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

    Over all judges with an error that allows for judges and items; whether
    judges differ; and which of them stand out. The file must say which output
    stood first, and pairs must have been shown in both orders.
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

    place.deliver(BiasResult(results, refused, remarks))


MIN_SHOWN: Final = 10  # Judges in the table for people, unless more of them stand out
LEGEND: Final = (
    "n, first and second are counts; first wins, with its interval, is drawn towards the common"
    " estimate; vs median is p of the counts against the median judge; adjusted for all judges by"
    " Benjamini and Hochberg"
)


def _write_ends(ends: tuple[float, float]) -> str:
    return f"{100 * ends[0]:.0f} to {100 * ends[1]:.0f} %"


JUDGES: Final = (
    Column.names("judge", "judge"),
    Column.number("n", "n", ".0f", "$n$"),
    Column.number("first", "first", ".0f"),
    Column.number("second", "second", ".0f"),
    Column.percent("first wins", "share", only="text"),
    Column.number("interval", "share_interval", _write_ends, only="text"),
    Column.number("log-odds", "estimate", ".2f", only="latex"),
    Column.number("s.e.", "stderr", ".2f", only="latex"),
    Column.p("vs median", "p_common", "$p$"),
    Column.p("adjusted", "p_common_adjusted", "adjusted $p$"),
)


class BiasResult(GroupedResult[PositionBias]):
    lacking = "has no bias"

    def draw(self, part: PositionBias, columns: int) -> list[str]:
        table = _table(part, columns)
        return [
            label("", say_answers(part.n_judgments, part.n_comparisons), columns),
            label("model", f"Davidson ties, order effect; {part.method}", columns),
            "",
            *block("says", part.says, columns),
            *(["", *table, "", label("table", LEGEND, columns)] if table else []),
            *say_end(part.notes, part.signature, columns),
        ]

    def rows(self, part: PositionBias) -> list[dict[str, Any]]:
        every = {
            "n": part.n_comparisons,
            **pick(part, "estimate", "stderr", "lower", "upper", "share"),
            "p_none": part.p,
        }
        rows = [every, *(judge.to_dict() for judge in part.judges)]
        return [{key: row.get(key) for key in CSV_KEYS} for row in rows]

    def tabulate(self, part: PositionBias) -> str:
        comments = [part.signature, *part.says, *part.notes]
        return tabulate(JUDGES, [_chosen(part)], comments)


# Columns of CSV
CSV_KEYS: Final = (
    *("judge", "n", "estimate", "stderr", "lower", "upper", "share", "p_none", "p_common"),
    *("p_none_adjusted", "p_common_adjusted"),
)


def _chosen(one: PositionBias) -> tuple[JudgeBias, ...]:
    """Return the judges that are shown: all who stand out, and some others."""
    outstanding = set(one.stand_out)
    last = max((i + 1 for i, judge in enumerate(one.judges) if judge in outstanding), default=0)
    return one.judges[: max(MIN_SHOWN, last)]


def _table(one: PositionBias, columns: int) -> list[str]:
    chosen = _chosen(one)
    if not chosen:
        return []
    lines = draw_table(JUDGES, chosen, columns)
    more = len(one.judges) - len(chosen)
    return lines + [f" ... and {more:,} more judges, nearer to the others"] * bool(more)
