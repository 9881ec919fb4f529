"""`evenhand fit`: the coefficients of a model, as the papers print them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.covariates import Effects, effect_options, join_options
from evenhand.cli.options import (
    Verb,
    control_option,
    examples,
    group_option,
    model_options,
    output_options,
    reading_options,
)
from evenhand.cli.output import take_output
from evenhand.cli.parameters import OneOf
from evenhand.cli.patience import Patience
from evenhand.cli.reading import take_reading

if TYPE_CHECKING:
    from evenhand.models.bradley_terry import Ties

MODELS: Final = (
    *("bradley-terry", "rao-kupper", "glenn-david", "bradley-terry-prior"),
    *("random-judges", "judge-slopes", "plackett-luce", "pattern", "melo"),
    *("irt-gaussian", "irt-categorical", "uniform", "adjusted-uniform", "independent-pairs"),
    *("asymmetric-students", "arithmetic-students", "geometric-students"),
)
EXAMPLES: Final = (
    "evenhand fit votes.csv",
    "evenhand fit votes.csv --judge-covariate judge",
    "evenhand fit votes.csv --judges judges.csv --judge-covariate native",
    "evenhand fit votes.csv --order-effect --ties rao-kupper",
    "evenhand fit ranks.csv --model plackett-luce",
)


@click.command(
    cls=Verb,
    short_help="The coefficients of the model, as the papers print them.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@join_options
@group_option
@click.option(
    "--model",
    "model_name",
    type=OneOf(MODELS),
    default=MODELS[0],
    show_default=True,
    metavar="NAME",
    help=f"What is fitted: {', '.join(MODELS)}.",
)
@model_options
@control_option
@effect_options
@output_options
def fit(
    *,
    judges: str | None,
    items: str | None,
    group_by: str | None,
    model_name: str,
    ties: Ties,
    order_effect: bool,
    reference: str | None,
    prior: float,
    control: tuple[str, ...],
    judge_covariates: tuple[str, ...],
    item_covariates: tuple[str, ...],
    tie_covariates: tuple[str, ...],
    levels: tuple[tuple[str, str], ...],
    systems: str | None,
    system_covariates: tuple[str, ...],
) -> None:
    """Fit a model of preferences and print its coefficients.

    Coefficients are on the λ scale: o1, o2, ... are systems, g1 is the tie
    parameter. Twice a difference of λ is a difference of log-odds. Standard
    errors and p-values assume independent judgments; `evenhand rank` allows
    for judges and items. With covariates of judges or items each is tested,
    and the order that each group gives is shown.
    """
    reading, place = take_reading(), take_output(judges, items, systems)
    effects = Effects(
        judge_covariates, item_covariates, tie_covariates, levels, systems, system_covariates
    )
    settings = {
        "ties": ties,
        "order_effect": order_effect,
        "reference": reference,
        "prior": prior,
        "controls": control,
    }
    with Patience("fitting"):
        from evenhand.cli.fitting import Asked, fit_files

        asked = Asked(model_name, settings, effects, group_by, given_options())
        found = fit_files(reading, asked, (judges, items))
    place.deliver(found)


def given_options() -> frozenset[str]:
    """Return the names of the parameters that stand on the command line."""
    context = click.get_current_context()
    from click.core import ParameterSource

    return frozenset(
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    )
