"""`evenhand rank`: which systems are better, and how sure may we be?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import click

import evenhand
from evenhand.cli.options import (
    INTERVALS,
    Cluster,
    Controls,
    Grouping,
    ModelOptions,
    OneOf,
    Options,
    Size,
    Tables,
    given_options,
    is_given,
    seed_option,
    under,
    verb,
    write_option,
)
from evenhand.cli.rank_options import Mixing, RankingModel, Scales, choose_model
from evenhand.cli.result import VerbResult, part_groups
from evenhand.cli.running import Run, remarks_on
from evenhand.errors import UnknownOption, listing

_certainty = under("Uncertainty")


def _limit_engine(_context: click.Context, _param: click.Parameter, memory: str | None) -> None:
    if memory is not None:
        from evenhand.formats.files import limit_memory

        limit_memory(memory)


class Counting(Options):
    memory: str | None = under("Reading")(
        "--memory SIZE",
        "Most memory that the engine takes to count, such as 4GB; what is more goes to disk.",
        type=Size(),
        callback=_limit_engine,
    )


class Interval(Options):
    interval: str = _certainty(
        "--interval",
        "rank-sets hold all at once; model assumes independent judgments, the others allow for"
        " clusters.",
        type=OneOf(INTERVALS),
        default="rank-sets",
    )


class Seed(Options):
    seed: int = seed_option(_certainty)


@verb(
    "evenhand rank battles.parquet",
    "evenhand rank wmt12.RNK_results.csv --task fr-en",
    "evenhand rank wmt12.RNK_results.csv --task en-de --method all",
    "evenhand rank wmt12.RNK_results.csv --task en-de --model plackett-luce",
    "evenhand rank battles.parquet --control length=length_a,length_b",
    "evenhand rank votes.csv --mix judge_group=expert:0.8,crowd:0.2 --per judge",
    "evenhand rank votes.csv --column judge=annotator --where \"lang = 'de'\"",
    doing="ranking",
)
def rank(
    run: Run,
    *,
    counting: Counting,  # noqa: ARG001 - its callback tells the engine
    tables: Tables,
    groups: Grouping,
    by: RankingModel,
    model: ModelOptions,
    controls: Controls,
    mixing: Mixing,
    intervals: Interval,
    clusters: Cluster,
    seed: Seed,
    scales: Scales,
) -> VerbResult:
    """Rank systems, best first, with intervals, rank ranges and clusters.

    FILE holds comparisons or rankings, as CSV, JSON Lines or Parquet, or is the
    database of a campaign; several files of one layout are read as one.
    """
    settings = {**vars(model), **vars(controls)}
    certainty = {**vars(clusters), **vars(seed), "group_by": groups.group_by}
    if {*by.methods} - {DEFAULT}:
        tables.refuse(f"--method {' '.join(by.methods)}")
        return _rank_by_methods(run, by.methods, settings, {**vars(intervals), **certainty})
    from evenhand.data.query_log import watch_rows

    given = given_options()
    with watch_rows(run.patience.step):
        used = (groups.group_by, *(column for column, _ in mixing.mixes))
        data = tables.join(run.reading.open_comparisons("rank"), used=used)
        result = evenhand.rank(
            data,
            model=choose_model(by.model, by.methods, settings, given),
            interval=intervals.interval if "interval" in given else None,
            mix=mixing.mix,
            judge_cap=mixing.judge_cap,
            progress=run.patience.step,
            **certainty,
        )
    rankings, refused = part_groups(result)
    scales.refuse(rankings.values())
    return VerbResult(rankings, refused, remarks_on(data), scales.shown)


# `--method`: the same judgments ranked by a rule, or by several side by side.

DEFAULT: Final = "bradley-terry"
# Settings of the default ranking alone
MODEL: Final = ("ties", "order_effect", "prior", "control", "interval", "cluster", "level")
# Settings of how the default ranking is shown by itself
BOARD: Final = ("model", "mixes", "per", "reference", "elo", "worth", "marginal", "control")


def _rank_by_methods(
    run: Run, names: Sequence[str], settings: dict[str, Any], certainty: dict[str, Any]
) -> VerbResult:
    from evenhand.ranking.methods import choose_methods

    methods = choose_methods(names)
    refuse_unused([name for name in click.get_current_context().params if is_given(name)], methods)
    of_model = {name: settings[name] for name in ("ties", "order_effect", "prior")}
    data = run.reading.open_comparisons("rank")
    result = evenhand.compare_methods(
        data,
        methods=methods,
        model=evenhand.BradleyTerry(**of_model, controls=settings["control"]),
        progress=run.patience.step,
        **certainty,
    )
    groups, refused = part_groups(result)
    if len(methods) == 1:  # a result of its own
        (method,) = methods
        refused = {k: one.refused[method] for k, one in groups.items() if method in one.refused}
        groups = {k: one.of_method(method) for k, one in groups.items() if k not in refused}
    return VerbResult(groups, refused, remarks_on(data))


def refuse_unused(option_names: Sequence[str], methods: Sequence[str]) -> None:
    from evenhand.ranking.methods import RULES

    rules = [name for name in methods if name != DEFAULT]
    for name in option_names:
        option = write_option(name)
        if name in BOARD:
            raise UnknownOption(
                f"{option} is for the board of {DEFAULT}, not for --method {listing(rules)}: leave"
                " it out"
            )
        if name in MODEL and DEFAULT not in methods:
            raise UnknownOption(
                f"{option} is a setting of {DEFAULT}, and --method {listing(rules)} does not know"
                f" it: leave it out, or add --method {DEFAULT}"
            )
        if name == "seed" and not (DEFAULT in methods or any(RULES[one].seeded for one in rules)):
            raise UnknownOption(f"--seed: --method {listing(rules)} draws nothing: leave it out")
