"""`evenhand rank`: which systems are better, and how sure may we be?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

import evenhand
from evenhand.cli.covariates import join_options, join_tables, refuse_tables
from evenhand.cli.methods import DEFAULT, deliver_methods
from evenhand.cli.options import (
    Verb,
    control_option,
    examples,
    group_option,
    interval_options,
    method_option,
    model_options,
    output_options,
    reading_options,
    scale_options,
)
from evenhand.cli.output import take_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on, take_reading

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import Ties

EXAMPLES: Final = (
    "evenhand rank battles.parquet",
    "evenhand rank wmt12.RNK_results.csv --task fr-en",
    "evenhand rank wmt12.RNK_results.csv --task en-de --method all",
    "evenhand rank battles.parquet --control length=length_a,length_b",
    "evenhand rank votes.csv --column judge=annotator --where \"lang = 'de'\"",
)


@click.command(
    cls=Verb,
    short_help="Systems best first, with intervals, rank ranges, clusters.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@join_options
@group_option
@method_option
@model_options
@control_option
@interval_options
@scale_options
@output_options
def rank(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    methods: tuple[str, ...],
    ties: Ties,
    order_effect: bool,
    reference: str | None,
    prior: float,
    control: tuple[str, ...],
    interval: str,
    cluster: str | None,
    level: float,
    seed: int,
    elo: bool,
    worth: bool,
) -> None:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    FILE holds comparisons or rankings, as CSV, JSON Lines or Parquet; several
    files of one layout are read as one.
    """
    reading, place = take_reading(), take_output(judges, items)
    if {*methods} - {DEFAULT}:
        refuse_tables(judges, items, f"--method {' '.join(methods)}")
        deliver_methods(click.get_current_context(), reading, place)
        return
    with Patience("ranking") as patience:
        data = reading.open_comparisons("rank")
        data = join_tables(data, judges, items, used=(group_by,))
        model = evenhand.BradleyTerry(
            ties=ties, order_effect=order_effect, reference=reference, prior=prior
        )
        found = evenhand.rank(
            data,
            model=model,
            interval=interval,
            cluster=cluster,
            level=level,
            seed=seed,
            group_by=group_by,
            controls=control,
            progress=patience.step,
        )
        remarks = remarks_on(data)
    from evenhand.cli.board import Scales
    from evenhand.cli.rank_result import RankResult

    place.deliver(RankResult(found, remarks, Scales(elo=elo, worth=worth)))
