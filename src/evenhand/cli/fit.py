"""`evenhand fit`: the coefficients of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import (
    COVARIATES,
    MODEL_OPTIONS,
    Effects,
    OneOf,
    control_option,
    effect_options,
    given_options,
    group_option,
    join_options,
    join_tables,
    model_options,
    output_options,
    reading_options,
    refuse_tables,
    refuse_unknown_settings,
    verb,
)
from evenhand.cli.result import VerbResult
from evenhand.cli.running import (
    ProgressDisplay,
    Reading,
    remarks_on,
    take_output,
    take_reading,
    work_on_groups,
)
from evenhand.data.comparisons import Comparisons
from evenhand.data.groups import choose_groups, say_pooled, split_table, tally_groups
from evenhand.data.joining import say_alike
from evenhand.data.rankings import Rankings
from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import Model, find_model
from evenhand.ranking.fitted import NamedFit, SignedFit
from evenhand.ranking.wald import count_ways, find_effects, note_numbers

if TYPE_CHECKING:
    from evenhand.models.settings import Ties

MODELS: Final = (
    *("bradley-terry", "rao-kupper", "glenn-david", "bradley-terry-prior"),
    *("random-judges", "judge-slopes", "plackett-luce", "pattern"),
    *("irt-gaussian", "irt-categorical", "uniform", "adjusted-uniform", "independent-pairs"),
    *("asymmetric-students", "arithmetic-students", "geometric-students"),
)


@verb(
    "evenhand fit votes.csv",
    "evenhand fit votes.csv --judge-covariate judge",
    "evenhand fit votes.csv --judges judges.csv --judge-covariate native",
    "evenhand fit votes.csv --order-effect --ties rao-kupper",
    "evenhand fit ranks.csv --model plackett-luce",
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
    help=f"Model to fit: {', '.join(MODELS)}.",
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
    errors and p-values take judgments as independent; `evenhand rank` accounts
    for judges and items. With covariates of judges or items each is tested,
    and the order of each group is shown.
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
    with ProgressDisplay("fitting"):
        options = Asked(model_name, settings, effects, group_by, given_options())
        result = fit_files(reading, options, (judges, items))
    place.deliver(result)


@dataclass(frozen=True)
class Asked:
    model: str  # its name
    settings: Mapping[str, Any]  # options that are settings of a model, by name
    effects: Effects  # what worths and ties depend on
    group_by: str | None  # the column whose values are fitted apart, or None
    given: frozenset[str]  # names of the parameters that stand on the command line


def fit_files(
    reading: Reading, options: Asked, tables: tuple[str | None, str | None]
) -> VerbResult:
    entry = find_model(options.model)
    if not entry.log_linear:
        return fit_named(reading, options, tables)
    refuse_options(entry, options.given)
    data = join_tables(
        reading.open_comparisons("fit"),
        *tables,
        used=(*options.effects.columns, options.group_by),
        options=COVARIATES | {"item": "--item-covariate"},
    )
    model = BradleyTerry(**options.effects.settings(data), **{**options.settings, **entry.settings})
    fits, refused = fit_groups(data, model, options.group_by)
    return VerbResult(fits, refused, remarks_on(data))


def fit_groups(
    data: Comparisons, model: BradleyTerry, group_by: str | None
) -> tuple[dict[str, SignedFit], dict[str, str]]:
    """Fit each group, or all under the name "", and test the covariates."""
    by = _choose_groups(data, model, group_by)
    if model.controls:
        return _fit_rows(data, model, by, alone=group_by is None)
    groups, pooled = tally_groups(data, by, model.covariates), say_pooled(data, by)
    tallies_by_group = count_ways(data, by, model.covariates) if model.covariates else {}

    def fit_one(name: str) -> SignedFit:
        fit = model.fit(groups[name])
        tallies = tallies_by_group.get(name, {})
        effects = find_effects(fit, tallies) if model.covariates else None
        return SignedFit(
            fit, groups[name], effects, (*pooled, *note_numbers(tallies, model.covariates))
        )

    alone = group_by is None and len(groups) == 1
    return work_on_groups({name: name for name in groups}, fit_one, alone=alone)


def _fit_rows(
    data: Comparisons, model: BradleyTerry, by: str | None, *, alone: bool
) -> tuple[dict[str, SignedFit], dict[str, str]]:
    """Fit with controls, which needs the rows of each group."""
    parts, pooled = {"": data} if by is None else split_table(data, by), say_pooled(data, by)
    return work_on_groups(
        parts,
        lambda part: SignedFit(model.fit(part), part.tally(), None, pooled),
        alone=alone and len(parts) == 1,
    )


def _choose_groups(data: Comparisons, model: BradleyTerry, group_by: str | None) -> str | None:
    """Return the column whose values are fitted apart: tasks where nothing else is asked."""
    by = choose_groups(data, group_by)
    if by in model.covariates:
        reason = "each task is fitted by itself" if group_by is None else "it tells groups apart"
        raise UnknownOption(
            f"column '{data.source.named(by)}' cannot be a judge covariate: {reason}"
        )
    return by


# `evenhand fit --model NAME`: any model of the registry, with the options that it has.

OPTIONS: Final = {
    **MODEL_OPTIONS,
    "judge_covariates": ("--judge-covariate", "judge_covariates"),
    "item_covariates": ("--item-covariate", "judge_covariates"),
    "tie_covariates": ("--tie-covariate", "tie_covariates"),
    "levels": ("--reference-level", "references"),
    "systems": ("--systems", "system_covariates"),
    "system_covariates": ("--system-covariate", "system_covariates"),
}


def fit_named(
    reading: Reading, options: Asked, tables: tuple[str | None, str | None]
) -> VerbResult:
    """Fit a model of the registry, each task by itself."""
    model = find_model(options.model)
    made = model.load()
    refuse_options(model, options.given)
    data = _open(reading, model, tables)
    spec = made(**{**_settings(options, data), **model.settings})
    tasks = _pairs(data).tasks()
    parts = (
        {task: data.select_task(task, recorded=False) for task in tasks}
        if len(tasks) > 1
        else {"": data}
    )
    fits, refused = work_on_groups(
        parts,
        lambda part: NamedFit(model, spec.fit(part), _pairs(part).tally()),
        alone=len(parts) == 1,
    )
    systems = {name for one in fits.values() for name in one.fit.systems}
    return VerbResult(fits, refused, (*remarks_on(_pairs(data)), *say_alike(systems)))


def refuse_options(model: Model, given: frozenset[str]) -> None:
    """Refuse options that are no settings of a model, or that its name has set already."""
    known = {field.name for field in fields(model.load())} - set(model.settings)
    if "group_by" in given and not model.log_linear:
        raise UnknownOption(
            f"--group-by does not apply to {model.name}: choose one group at a time with --where"
        )
    refuse_unknown_settings(model.name, known, given, OPTIONS)


def _open(
    reading: Reading, model: Model, tables: tuple[str | None, str | None]
) -> Comparisons | Rankings:
    if not model.rankings:
        return join_tables(reading.open_comparisons("fit"), *tables, used=(), options={})
    refuse_tables(*tables, f"--model {model.name}, which is fitted to whole rankings")
    data = reading.open_systems()
    if not isinstance(data, Rankings):
        raise UnknownFormat(
            f"{data.source.name} holds no rankings, and {model.name} is a model of rankings of"
            " several outputs: fit comparisons with --model bradley-terry"
        )
    return data


def _settings(options: Asked, data: Comparisons | Rankings) -> dict[str, Any]:
    """Return the settings that stand on the command line; for all others the model has its own."""
    given = {setting for name, (_, setting) in OPTIONS.items() if name in options.given}
    settings = {name: value for name, value in options.settings.items() if name in given}
    return settings | (options.effects.settings(data) if isinstance(data, Comparisons) else {})


def _pairs(data: Comparisons | Rankings) -> Comparisons:
    return data.comparisons() if isinstance(data, Rankings) else data
