"""`evenhand rank`: which systems are better, and how sure may we be?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

import evenhand
from evenhand.cli.options import (
    Size,
    control_option,
    given_options,
    group_option,
    interval_options,
    is_given,
    join_options,
    join_tables,
    method_option,
    model_options,
    output_options,
    reading_options,
    refuse_tables,
    scale_options,
    section,
    stack,
    verb,
)
from evenhand.cli.rank_options import (
    Shares,
    choose_model,
    make_mix,
    mix_options,
    model_option,
    refuse_scales,
)
from evenhand.cli.result import VerbResult, part_groups
from evenhand.cli.running import (
    Output,
    ProgressDisplay,
    Reading,
    remarks_on,
    take_output,
    take_reading,
)
from evenhand.errors import UnknownOption, listing

_input_option = section("Reading")


def _limit_engine(_context: click.Context, _param: click.Parameter, memory: str | None) -> None:
    if memory is not None:
        from evenhand.formats.files import limit_memory

        limit_memory(memory)


counting_options = stack(
    _input_option(
        "--memory",
        type=Size(),
        callback=_limit_engine,
        expose_value=False,
        metavar="SIZE",
        help="Most memory that the engine takes to count, such as 4GB; what is more goes to disk.",
    )
)


@verb(
    "evenhand rank battles.parquet",
    "evenhand rank wmt12.RNK_results.csv --task fr-en",
    "evenhand rank wmt12.RNK_results.csv --task en-de --method all",
    "evenhand rank wmt12.RNK_results.csv --task en-de --model plackett-luce",
    "evenhand rank battles.parquet --control length=length_a,length_b",
    "evenhand rank votes.csv --mix judge_group=expert:0.8,crowd:0.2 --per judge",
    "evenhand rank votes.csv --column judge=annotator --where \"lang = 'de'\"",
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

    FILE holds comparisons or rankings, as CSV, JSON Lines or Parquet, or is the
    database of a campaign; several files of one layout are read as one.
    """
    reading, place, given = take_reading(), take_output(judges, items), given_options()
    if {*methods} - {DEFAULT}:
        refuse_tables(judges, items, f"--method {' '.join(methods)}")
        deliver_methods(click.get_current_context(), reading, place)
        return
    effects = {"order_effect": order_effect, "controls": control}
    settings = {"ties": ties, "reference": reference, "prior": prior, **effects}
    from evenhand.data.query_log import watch_rows

    with ProgressDisplay("ranking") as patience, watch_rows(patience.step):
        used = (group_by, *(column for column, _ in mixes))
        data = join_tables(reading.open_comparisons("rank"), judges, items, used=used)
        spec = choose_model(model, methods, settings, given)
        result = evenhand.rank(
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
        refuse_scales(result, elo=elo, worth=worth, marginal=marginal)
        remarks = remarks_on(data)
    groups, refused = part_groups(result)
    shown = tuple(
        name for name, wanted in (("elo", elo), ("worth", worth), ("marginal", marginal)) if wanted
    )
    place.deliver(VerbResult(groups, refused, remarks, shown))


# `--method`: the same judgments ranked by a rule, or by several side by side.

DEFAULT: Final = "bradley-terry"
# Settings of the default ranking alone
MODEL: Final = ("ties", "order_effect", "prior", "control", "interval", "cluster", "level")
# Settings of how the default ranking is shown by itself
BOARD: Final = ("model", "mixes", "per", "reference", "elo", "worth", "marginal", "control")
OPTIONS: Final = {"mixes": "mix"}  # Parameter → its option, where that has another name


def deliver_methods(context: click.Context, reading: Reading, place: Output) -> None:
    from evenhand.ranking.methods import choose_methods

    given = context.params
    methods = choose_methods(given["methods"])
    option_names = [name for name in given if is_given(name)]
    refuse_unused(option_names, methods)
    with ProgressDisplay("ranking") as patience:
        data = reading.open_comparisons("rank")
        result = evenhand.compare_methods(
            data,
            methods=methods,
            model=evenhand.BradleyTerry(
                ties=given["ties"],
                order_effect=given["order_effect"],
                prior=given["prior"],
                controls=given["control"],
            ),
            interval=given["interval"],
            cluster=given["cluster"],
            level=given["level"],
            seed=given["seed"],
            group_by=given["group_by"],
            progress=patience.step,
        )
        remarks = remarks_on(data)
    groups, refused = part_groups(result)
    if len(methods) == 1:  # a result of its own
        (method,) = methods
        refused = {k: one.refused[method] for k, one in groups.items() if method in one.refused}
        groups = {k: one.of_method(method) for k, one in groups.items() if k not in refused}
    place.deliver(VerbResult(groups, refused, remarks))


def refuse_unused(option_names: Sequence[str], methods: Sequence[str]) -> None:
    from evenhand.ranking.methods import RULES

    rules = [name for name in methods if name != DEFAULT]
    for name in option_names:
        option = f"--{OPTIONS.get(name, name).replace('_', '-')}"
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
