"""`evenhand robustness`: what would change the answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.cli.options import (
    cluster_options,
    given_options,
    group_option,
    model_options,
    output_options,
    reading_options,
    section,
    seed_option,
    stack,
    verb,
)
from evenhand.cli.rank_options import Shares, choose_model, make_mix, mix_options
from evenhand.cli.result import VerbResult
from evenhand.cli.running import (
    ProgressDisplay,
    remarks_on,
    take_output,
    take_reading,
    work_on_tables,
)

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.ranking.robustness.sensitivity import Robustness

_doubts_option = section("What is asked")

doubt_options = stack(
    _doubts_option(
        "--pair",
        "pairs",
        nargs=2,
        multiple=True,
        metavar="BETTER WORSE",
        help="Ask what carries this order of two systems. Repeatable. Default: the first system,"
        " whom it is decided to beat, and the borders between clusters.",
    ),
    _doubts_option(
        "--after",
        type=int,
        multiple=True,
        metavar="PLACE",
        help="Ask what carries the border after a place. Repeatable.",
    ),
)


@verb(
    "evenhand robustness votes.csv",
    "evenhand robustness votes.csv --pair opus lark",
    "evenhand robustness votes.csv --ties discard --judge-cap median",
    "evenhand robustness wmt12.RNK_results.csv --task en-de --after 3",
)
@reading_options
@group_option
@doubt_options
@model_options
@mix_options
@cluster_options
@seed_option(_doubts_option)
@output_options
def robustness(
    *,
    group_by: str | None,
    pairs: tuple[tuple[str, str], ...],
    after: tuple[int, ...],
    ties: str,
    order_effect: bool,
    reference: str | None,
    prior: float,
    mixes: tuple[Shares, ...],
    per: str,
    judge_cap: str | None,
    cluster: str | None,
    level: float,
    seed: int,
) -> None:
    """Check whether the ranking is robust, and to what.

    The ranking under each reasonable choice; how few votes, judges and items
    carry each conclusion, and whose they are; and whether preferences are
    cyclic (intransitive) beyond noise. Each task by itself. The options of
    `evenhand rank` change the ranking that is checked.
    """
    reading, place, given = take_reading(), take_output(), given_options()
    settings = {"ties": ties, "reference": reference, "prior": prior, "order_effect": order_effect}
    with ProgressDisplay("checking"):
        from evenhand.data.rankings import Rankings
        from evenhand.ranking.robustness.sensitivity import check_robustness

        options: dict[str, Any] = {
            "model": choose_model(None, (), settings, given),
            "mix": make_mix(mixes, per),
            "judge_cap": judge_cap,
            "cluster": cluster,
            "level": level,
            "seed": seed,
        }
        opened = reading.open_pairs("robustness")  # with controls, which say whom to exclude
        data = opened.comparisons() if isinstance(opened, Rankings) else opened

        def work(part: Comparisons) -> Robustness:
            return check_robustness(part, pairs=pairs, after=after, **options)

        results, refused = work_on_tables(data, group_by, work)
        remarks = remarks_on(data, "controls")

    place.deliver(VerbResult(results, refused, remarks))
