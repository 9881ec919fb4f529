"""`evenhand robustness`: what would change the answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evenhand.cli import options
from evenhand.cli.rank import Mixing, choose_model
from evenhand.cli.result import VerbResult
from evenhand.cli.running import group_rows, remarks_on, split_groups, work_on_groups

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows
    from evenhand.ranking.robustness.sensitivity import Robustness

_doubts = options.under("What is asked")


class Doubts(options.Options):
    pairs: tuple[tuple[str, str], ...] = _doubts(
        "--pair BETTER WORSE",
        "Ask what carries this order of two systems. Repeatable. Default: the first system, whom"
        " it is decided to beat, and the borders between clusters.",
        nargs=2,
    )
    after: tuple[int, ...] = _doubts(
        "--after PLACE", "Ask what carries the border after a place. Repeatable.", type=int
    )
    seed: int = options.seed_option(_doubts)


@options.verb(
    "evenhand robustness votes.csv",
    "evenhand robustness votes.csv --pair opus lark",
    "evenhand robustness votes.csv --ties discard --judge-cap median",
    "evenhand robustness wmt12.RNK_results.csv --task en-de --after 3",
    doing="checking",
)
def robustness(
    run: options.Run,
    *,
    groups: options.Grouping,
    doubts: Doubts,
    model: options.ModelOptions,
    mixing: Mixing,
    scores: options.Scores,
    clusters: options.Cluster,
) -> VerbResult:
    """Check whether the ranking is robust, and to what.

    The ranking under each reasonable choice; how few votes, judges and items
    carry each conclusion, and whose they are; and whether preferences are
    cyclic (intransitive) beyond noise. Each task by itself; of ratings each
    criterion too. The options of `evenhand rank` change the ranking that is
    checked.
    """
    from evenhand.data.controls import leave_out_controls
    from evenhand.data.groups import choose_criterion
    from evenhand.data.rankings import Rankings
    from evenhand.data.rating_rows import reads_lower_of
    from evenhand.data.ratings import Ratings
    from evenhand.ranking.robustness.sensitivity import check_ratings, check_robustness

    by = groups.group_by
    settings: dict[str, Any] = {
        **vars(doubts),
        "model": choose_model((), (), vars(model), options.given_options()),
        "mix": mixing.mix,
        "judge_cap": mixing.judge_cap,
        **vars(clusters),
    }
    # with controls, which say whom to exclude
    opened = run.reading.open(options.PAIRS)
    if isinstance(opened, Ratings):
        options.refuse_of_comparisons()
        table = leave_out_controls(choose_criterion(opened, scores.criterion))
        better = scores.settings["lower_is_better"]

        def work(part: RatingRows) -> Robustness:
            return check_ratings(
                part,
                pairs=doubts.pairs,
                seed=doubts.seed,
                lower_is_better=reads_lower_of(part) if better is None else better,
                references=scores.settings["references"],
                **vars(clusters),
            )

        checked, refused = work_on_groups(group_rows(table, by), work, by)
        return VerbResult(checked, refused, remarks_on(table))
    options.refuse_of_ratings()
    data = opened.comparisons() if isinstance(opened, Rankings) else opened
    results, refused = work_on_groups(
        split_groups(data, by), lambda part: check_robustness(part, **settings), by
    )
    return VerbResult(results, refused, remarks_on(data, "controls"))
