"""`evenhand rank --method`: the same judgments ranked by a rule, or by several side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

import evenhand
from evenhand.cli.patience import Patience
from evenhand.cli.reading import remarks_on
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.cli.output import Output
    from evenhand.cli.reading import Reading

DEFAULT: Final = "bradley-terry"
# Settings of the default ranking alone
MODEL: Final = ("ties", "order_effect", "prior", "control", "interval", "cluster", "level")
# Settings of how the default ranking is shown by itself
BOARD: Final = ("model", "mixes", "per", "reference", "elo", "worth", "marginal", "control")
OPTIONS: Final = {"mixes": "mix"}  # Parameter → its option, where that has another name


def deliver_methods(context: click.Context, reading: Reading, place: Output) -> None:
    """Rank by the methods that were asked for, and print them."""
    from evenhand.ranking.methods import choose_methods

    given = context.params
    methods = choose_methods(given["methods"])
    asked = [name for name in given if _is_given(context, name)]
    refuse_unused(asked, methods)
    with Patience("ranking") as patience:
        data = reading.open_comparisons("rank")
        found = evenhand.compare_methods(
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
    from evenhand.cli.methods_result import make_result

    place.deliver(make_result(found, methods, remarks))


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) is not ParameterSource.DEFAULT


def refuse_unused(asked: Sequence[str], methods: Sequence[str]) -> None:
    """Refuse options that none of the methods would heed."""
    from evenhand.ranking.rules import RULES

    rules = [name for name in methods if name != DEFAULT]
    for name in asked:
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


def abbreviate(methods: Sequence[str]) -> Mapping[str, str]:
    """Give every method a head of a few letters, no two alike.

    >>> dict(abbreviate(["bradley-terry", "bojar", "win-rate", "won-rows"]))
    {'bradley-terry': 'BT', 'bojar': 'Boj', 'win-rate': 'WR', 'won-rows': 'WR2'}
    """
    heads: dict[str, str] = {}
    for name in methods:
        words = name.split("-")
        head = "".join(word[0] for word in words).upper()
        head = head if len(words) > 1 else name[:3].capitalize()
        same = sum(one.rstrip("23456789") == head for one in heads.values())
        heads[name] = f"{head}{same + 1}" if same else head
    return heads
