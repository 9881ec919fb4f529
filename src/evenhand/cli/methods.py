"""`evenhand rank --method`: the same judgments ranked by a rule, or by several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

import evenhand
from evenhand.cli.options import is_given
from evenhand.cli.result import VerbResult, part_groups
from evenhand.cli.running import ProgressDisplay, remarks_on
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.cli.running import Output, Reading

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
    from evenhand.ranking.rules import RULES

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
