"""`evenhand rank --model NAME`: the model that ranks, with the options that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from evenhand.cli.options import Section
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.ranking.ranking import GroupedRankings, Ranking

DEFAULT: Final = "bradley-terry"
# Parameter → how it is written, and the setting of a model that it is
OPTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "ties": ("--ties", "ties"),
    "order_effect": ("--order-effect", "order_effect"),
    "reference": ("--reference", "reference"),
    "prior": ("--prior", "prior"),
    "control": ("--control", "controls"),
}


class _Model(Section):
    heading = "Model"


def _take_one(
    _context: click.Context, _option: click.Parameter, names: tuple[str, ...]
) -> str | None:
    """Return the one model, or None for the default."""
    if len(names) > 1:
        raise UnknownOption(
            f"--model is given {len(names)} times ({listing(names)}): a ranking is by one model;"
            " evenhand compare says which predicts best"
        )
    return names[0] if names else None


model_option = click.option(
    "--model",
    cls=_Model,
    multiple=True,
    callback=_take_one,
    metavar="NAME",
    help="What ranks: bradley-terry (the default) or another model, such as random-judges,"
    " plackett-luce or irt-gaussian.",
)


def given_options() -> frozenset[str]:
    """Return the names of the parameters that stand on the command line."""
    context = click.get_current_context()
    return frozenset(
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    )


def choose_model(
    name: str | None, methods: Sequence[str], settings: Mapping[str, Any], given: frozenset[str]
) -> Any:
    """Return the settings of the model that ranks."""
    from evenhand.models.registry import find_model

    if name is not None and methods:
        raise UnknownOption(
            f"--model {name} beside --method {' '.join(methods)}: a ranking is by one of them,"
            " leave the other out"
        )
    entry = find_model(name or DEFAULT)
    made = entry.make()
    own = {field.name for field in fields(made)} - entry.settings.keys()
    chosen = {}
    for parameter in sorted(given & OPTIONS.keys()):
        option, setting = OPTIONS[parameter]
        if setting not in own:
            others = [word for word, one in OPTIONS.values() if one in own]
            has = f"it has {listing(others)}" if others else "it has no such options"
            raise UnknownOption(f"{option} does not apply to {entry.name}: {has}")
        chosen[setting] = settings[setting]
    seeds = "seed" in {field.name for field in fields(made)} and "seed" in given
    if seeds:
        chosen["seed"] = click.get_current_context().params["seed"]
    return replace(made, **chosen)


def refuse_scales(
    found: Ranking | GroupedRankings, *, elo: bool, worth: bool, marginal: bool = False
) -> None:
    """Refuse scales of worths where the model has none, and sets where there are none."""
    from evenhand.ranking.ranking import Ranking

    rankings = [found] if isinstance(found, Ranking) else list(found.groups.values())
    asked = [f"--{name}" for name, wanted in (("elo", elo), ("worth", worth)) if wanted]
    for ranking in rankings:
        if marginal and ranking.rank_sets is None:
            raise UnknownOption(
                "--marginal shows the rank set of each system by itself, and only --interval"
                " rank-sets has them: leave one of the two out"
            )
        if not asked or ranking.of_worths:
            continue
        raise UnknownOption(
            f"{' and '.join(asked)} cannot be shown for {ranking.model}: it has no worths, whose"
            " ratios are odds; leave it out, or take bradley-terry"
        )
