"""`evenhand doubt`: what would change the answer?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.groups import work_on_groups
from evenhand.cli.mixes import Shares, make_mix, mix_options
from evenhand.cli.options import (
    SEED,
    Section,
    Verb,
    cluster_options,
    examples,
    group_option,
    model_options,
    output_options,
    reading_options,
    stack,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import SEEDS
from evenhand.cli.patience import Patience
from evenhand.cli.ranked_models import choose_model, given_options
from evenhand.cli.reading import remarks_on, take_reading

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.ranking.robustness.sensitivity import Doubts

EXAMPLES: Final = (
    "evenhand doubt votes.csv",
    "evenhand doubt votes.csv --pair opus lark",
    "evenhand doubt votes.csv --ties discard --judge-cap median",
    "evenhand doubt wmt12.RNK_results.csv --task en-de --after 3",
)


class _Doubts(Section):
    heading = "What is doubted"


doubt_options = stack(
    click.option(
        "--pair",
        "pairs",
        cls=_Doubts,
        nargs=2,
        multiple=True,
        metavar="BETTER WORSE",
        help="Ask what carries this order of two systems. Repeatable. Default: the first system,"
        " whom it is decided to beat, and the borders between clusters.",
    ),
    click.option(
        "--after",
        cls=_Doubts,
        type=int,
        multiple=True,
        metavar="PLACE",
        help="Ask what carries the border after a place. Repeatable.",
    ),
)

seed_option = click.option(
    "--seed",
    cls=_Doubts,
    type=SEEDS,
    default=SEED,
    show_default=True,
    metavar="NUMBER",
    help="Of everything random.",
)


@click.command(
    cls=Verb,
    short_help="What would change the answer: fewer votes, other choices, cycles?",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@doubt_options
@model_options
@mix_options
@cluster_options
@seed_option
@output_options
def doubt(
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
    """Say what would change the answer.

    How few votes, judges and items carry each conclusion, and whose they are;
    the ranking under each reasonable choice; and whether preferences go round
    in circles more than noise makes them. Each task apart. With the options
    of `evenhand rank` the ranking that they make is doubted.
    """
    reading, place, given = take_reading(), take_output(), given_options()
    settings = {"ties": ties, "reference": reference, "prior": prior, "order_effect": order_effect}
    with Patience("doubting"):
        from evenhand.judgments.groups import choose_groups
        from evenhand.judgments.levels import split_table
        from evenhand.judgments.rankings import Rankings
        from evenhand.ranking.robustness.sensitivity import raise_doubts

        asked: dict[str, Any] = {
            "model": choose_model(None, (), settings, given),
            "mix": make_mix(mixes, per),
            "judge_cap": judge_cap,
            "cluster": cluster,
            "level": level,
            "seed": seed,
        }
        opened = reading.open_pairs("doubt")  # with controls, which say whom to leave out
        data = opened.comparisons() if isinstance(opened, Rankings) else opened
        by = choose_groups(data, group_by)
        parts = {"": data} if by is None else split_table(data, by)

        def work(part: Comparisons) -> Doubts:
            return raise_doubts(part, pairs=pairs, after=after, **asked)

        found, refused = work_on_groups(parts, work, alone=group_by is None and len(parts) == 1)
        remarks = remarks_on(data, "controls")
    from evenhand.cli.doubt_result import DoubtResult

    place.deliver(DoubtResult(found, refused, remarks))
