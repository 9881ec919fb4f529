"""`evenhand rank`: which systems are better, and how sure may we be?"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, Final

import click

import evenhand
from evenhand.cli.counting import (
    asks_for_cache,
    count_reading,
    counting_options,
    refuse_beside_cache,
    remarks_on_files,
)
from evenhand.cli.covariates import join_options, join_tables, refuse_tables
from evenhand.cli.methods import DEFAULT, deliver_methods
from evenhand.cli.mixes import Shares, make_mix, mix_options
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
from evenhand.cli.ranked_models import (
    choose_model,
    given_options,
    model_option,
    refuse_scales,
)
from evenhand.cli.reading import Reading, remarks_on, take_reading

EXAMPLES: Final = (
    "evenhand rank battles.parquet",
    "evenhand rank wmt12.RNK_results.csv --task fr-en",
    "evenhand rank wmt12.RNK_results.csv --task en-de --method all",
    "evenhand rank wmt12.RNK_results.csv --task en-de --model plackett-luce",
    "evenhand rank battles.parquet --control length=length_a,length_b",
    "evenhand rank votes.csv --mix judge_group=expert:0.8,crowd:0.2 --per judge",
    "evenhand rank votes/*.parquet --cache tallies",
    "evenhand rank votes.csv --column judge=annotator --where \"lang = 'de'\"",
)


@click.command(
    cls=Verb,
    short_help="Systems best first, with intervals, rank ranges, clusters.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@counting_options
@join_options
@group_option
@method_option
@model_option
@model_options
@control_option
@mix_options
@interval_options
@scale_options
@output_options
def rank(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    methods: tuple[str, ...],
    model: str | None,
    ties: str,
    order_effect: bool,
    reference: str | None,
    prior: float,
    control: tuple[str, ...],
    mixes: tuple[Shares, ...],
    per: str,
    judge_cap: str | None,
    interval: str,
    cluster: str | None,
    level: float,
    seed: int,
    elo: bool,
    worth: bool,
    marginal: bool,
) -> None:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    FILE holds comparisons or rankings, as CSV, JSON Lines or Parquet; several
    files of one layout are read as one.
    """
    reading, place, given = take_reading(), take_output(judges, items), given_options()
    if {*methods} - {DEFAULT}:
        refuse_beside_cache(("--method", methods))
        refuse_tables(judges, items, f"--method {' '.join(methods)}")
        deliver_methods(click.get_current_context(), reading, place)
        return
    effects = {"order_effect": order_effect, "controls": control}
    settings = {"ties": ties, "reference": reference, "prior": prior, **effects}
    refuse_beside_cache(("--judges", judges), ("--items", items), ("--mix", mixes))
    with Patience("ranking") as patience, _watch_rows(patience):
        data = _open(reading, (judges, items), (group_by, mixes), patience)
        spec = choose_model(model, methods, settings, given)
        found = evenhand.rank(
            data,
            model=spec,
            interval=interval if "interval" in given else None,
            cluster=cluster,
            level=level,
            seed=seed,
            group_by=group_by,
            mix=make_mix(mixes, per),
            judge_cap=judge_cap,
            progress=patience.step,
        )
        refuse_scales(found, elo=elo, worth=worth, marginal=marginal)
        remarks = remarks_on_files(data) if asks_for_cache() else remarks_on(data)
    from evenhand.cli.board import Scales
    from evenhand.cli.rank_result import RankResult

    place.deliver(RankResult(found, remarks, Scales(elo=elo, worth=worth, marginal=marginal)))


def _watch_rows(patience: Patience) -> AbstractContextManager[None]:
    """Show how many rows are counted; of files counted one by one their bytes are shown."""
    from evenhand.judgments.pushed import watch_rows

    return nullcontext() if asks_for_cache() else watch_rows(patience.step)


def _open(
    reading: Reading,
    tables: tuple[str | None, str | None],
    columns: tuple[str | None, tuple[Shares, ...]],
    patience: Patience,
) -> Any:
    """Open comparisons, with tables joined; or count files one by one."""
    group_by, mixes = columns
    if asks_for_cache():
        return count_reading(reading, group_by, patience)
    used = (group_by, *(column for column, _ in mixes))
    return join_tables(reading.open_comparisons("rank"), *tables, used=used)
