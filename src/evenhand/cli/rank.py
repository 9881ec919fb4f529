"""`evenhand rank`: which systems are better, and how sure may we be?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

import evenhand
from evenhand.cli.options import (
    Verb,
    examples,
    group_option,
    interval_options,
    model_options,
    output_options,
    reading_options,
    scale_options,
)
from evenhand.cli.output import choose_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import Reading, Wishes, choose_columns, choose_outcomes, remarks_on

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import Ties

EXAMPLES: Final = (
    "evenhand rank battles.parquet",
    "evenhand rank wmt12.RNK_results.csv --task fr-en",
    "evenhand rank votes.csv --column judge=annotator --where \"lang = 'de'\"",
)


@click.command(
    cls=Verb,
    short_help="Systems best first, with intervals, rank ranges, clusters.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@model_options
@interval_options
@scale_options
@output_options
def rank(
    *,
    files: tuple[str, ...],
    task: str | None,
    where: str | None,
    layout: str | None,
    columns: tuple[tuple[str, str], ...],
    weight: str | None,
    weights: str,
    outcomes: tuple[tuple[str, str], ...],
    group_by: str | None,
    ties: Ties,
    order_effect: bool,
    reference: str | None,
    prior: float,
    interval: str,
    cluster: str | None,
    level: float,
    seed: int,
    elo: bool,
    worth: bool,
    as_json: bool,
    as_csv: bool,
    as_latex: bool,
    output: str | None,
) -> None:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    FILE holds comparisons or rankings, as CSV, JSON Lines or Parquet; several
    files of one layout are read as one.
    """
    forms = {"json": as_json, "csv": as_csv, "latex": as_latex}
    place = choose_output(forms, output, files)
    wishes = Wishes(choose_columns(columns, weight), weights, choose_outcomes(outcomes))
    reading = Reading(files, layout, wishes, where, task)
    with Patience("ranking") as patience:
        data = reading.open_comparisons("rank")
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
            progress=patience.step,
        )
        remarks = remarks_on(data)
    from evenhand.cli.board import Scales
    from evenhand.cli.rank_result import RankResult

    place.deliver(RankResult(found, remarks, Scales(elo=elo, worth=worth)))
