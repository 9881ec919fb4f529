"""`evenhand fit --model NAME`: any model of the registry, with the options that it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli.covariates import join_tables, refuse_tables
from evenhand.cli.groups import work_on_groups
from evenhand.cli.model_result import ModelResult, NamedFit
from evenhand.cli.reading import Reading, remarks_on
from evenhand.errors import UnknownFormat, UnknownOption, listing
from evenhand.judgments.alike import say_alike
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings
from evenhand.models.registry import Model, find_model

if TYPE_CHECKING:
    from evenhand.cli.fitting import Asked

# Parameter → how it is written, and the setting of a model that it is
OPTIONS: Final[Mapping[str, tuple[str, str]]] = {
    "ties": ("--ties", "ties"),
    "order_effect": ("--order-effect", "order_effect"),
    "reference": ("--reference", "reference"),
    "prior": ("--prior", "prior"),
    "control": ("--control", "controls"),
    "judge_covariates": ("--judge-covariate", "judge_covariates"),
    "item_covariates": ("--item-covariate", "judge_covariates"),
    "tie_covariates": ("--tie-covariate", "tie_covariates"),
    "levels": ("--reference-level", "references"),
    "systems": ("--systems", "system_covariates"),
    "system_covariates": ("--system-covariate", "system_covariates"),
}


def fit_named(reading: Reading, asked: Asked, tables: tuple[str | None, str | None]) -> ModelResult:
    """Fit a model of the registry, each task by itself."""
    model = find_model(asked.model)
    made = model.load()
    refuse_options(model, asked.given)
    data = _open(reading, model, tables)
    spec = made(**{**_settings(asked, data), **model.settings})
    tasks = _pairs(data).tasks()
    parts = (
        {task: data.select_task(task, recorded=False) for task in tasks}
        if len(tasks) > 1
        else {"": data}
    )
    found, refused = work_on_groups(
        parts,
        lambda part: NamedFit(model, spec.fit(part), _pairs(part).tally()),
        alone=len(parts) == 1,
    )
    systems = {name for one in found.values() for name in one.fit.systems}
    return ModelResult(found, refused, (*remarks_on(_pairs(data)), *say_alike(systems)))


def refuse_options(model: Model, given: frozenset[str]) -> None:
    """Refuse options that are no settings of a model, or that its name has set already."""
    known = {field.name for field in fields(model.load())} - set(model.settings)
    if "group_by" in given and not model.log_linear:
        raise UnknownOption(
            f"--group-by does not apply to {model.name}: choose one group at a time with --where"
        )
    for name in sorted(given & OPTIONS.keys()):
        option, setting = OPTIONS[name]
        if setting not in known:
            others = [word for word, own in OPTIONS.values() if own in known]
            has = f"it has {listing(others)}" if others else "it has no such options"
            raise UnknownOption(f"{option} does not apply to {model.name}: {has}")


def _open(
    reading: Reading, model: Model, tables: tuple[str | None, str | None]
) -> Comparisons | Rankings:
    """Open what the model is fitted to."""
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


def _settings(asked: Asked, data: Comparisons | Rankings) -> dict[str, Any]:
    """Return the settings that stand on the command line; for all others the model has its own."""
    given = {setting for name, (_, setting) in OPTIONS.items() if name in asked.given}
    settings = {name: value for name, value in asked.settings.items() if name in given}
    return settings | (asked.effects.settings(data) if isinstance(data, Comparisons) else {})


def _pairs(data: Comparisons | Rankings) -> Comparisons:
    return data.comparisons() if isinstance(data, Rankings) else data
