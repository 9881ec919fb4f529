"""From judgments to fits: of all of them, or of each group or task by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.cli.covariates import COVARIATES, Effects, join_tables
from evenhand.cli.fit_result import FitResult, Fitted
from evenhand.cli.groups import work_on_groups
from evenhand.cli.reading import Reading, remarks_on
from evenhand.errors import UnknownOption
from evenhand.judgments.groups import choose_groups, say_pooled, tally_groups
from evenhand.judgments.levels import split_table
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import find_model
from evenhand.ranking.wald import count_ways, find_effects, note_numbers

if TYPE_CHECKING:
    from evenhand.cli.model_result import ModelResult
    from evenhand.judgments.comparisons import Comparisons


@dataclass(frozen=True)
class Asked:
    """What is to be fitted."""

    model: str  # its name
    settings: Mapping[str, Any]  # options that are settings of a model, by name
    effects: Effects  # what worths and ties depend on
    group_by: str | None  # the column whose values are fitted apart, or None
    given: frozenset[str]  # names of the parameters that stand on the command line


def fit_files(
    reading: Reading, asked: Asked, tables: tuple[str | None, str | None]
) -> FitResult | ModelResult:
    """Open judgments, join what is known of judges and items, and fit."""
    from evenhand.cli.named_models import fit_named, refuse_options

    entry = find_model(asked.model)
    if not entry.log_linear:
        return fit_named(reading, asked, tables)
    refuse_options(entry, asked.given)
    data = join_tables(
        reading.open_comparisons("fit"),
        *tables,
        used=(*asked.effects.columns, asked.group_by),
        options=COVARIATES | {"item": "--item-covariate"},
    )
    model = BradleyTerry(**asked.effects.settings(data), **{**asked.settings, **entry.settings})
    found, refused = fit_groups(data, model, asked.group_by)
    return FitResult(found, refused, remarks_on(data))


def fit_groups(
    data: Comparisons, model: BradleyTerry, group_by: str | None
) -> tuple[dict[str, Fitted], dict[str, str]]:
    """Fit each group, or all under the name "", and test the covariates."""
    by = _choose_groups(data, model, group_by)
    if model.controls:
        return _fit_rows(data, model, by, alone=group_by is None)
    groups, pooled = tally_groups(data, by, model.covariates), say_pooled(data, by)
    ways = count_ways(data, by, model.covariates) if model.covariates else {}

    def fit_one(name: str) -> Fitted:
        fit = model.fit(groups[name])
        own = ways.get(name, {})
        effects = find_effects(fit, own) if model.covariates else None
        return Fitted(fit, groups[name], effects, (*pooled, *note_numbers(own, model.covariates)))

    alone = group_by is None and len(groups) == 1
    return work_on_groups({name: name for name in groups}, fit_one, alone=alone)


def _fit_rows(
    data: Comparisons, model: BradleyTerry, by: str | None, *, alone: bool
) -> tuple[dict[str, Fitted], dict[str, str]]:
    """Fit with controls, which needs the rows of each group."""
    parts, pooled = {"": data} if by is None else split_table(data, by), say_pooled(data, by)
    return work_on_groups(
        parts,
        lambda part: Fitted(model.fit(part), part.tally(), None, pooled),
        alone=alone and len(parts) == 1,
    )


def _choose_groups(data: Comparisons, model: BradleyTerry, group_by: str | None) -> str | None:
    """Return the column whose values are fitted apart: tasks where nothing else is asked."""
    by = choose_groups(data, group_by)
    if by in model.covariates:
        told = "each task is fitted by itself" if group_by is None else "it tells groups apart"
        raise UnknownOption(f"column '{data.source.named(by)}' cannot be a judge covariate: {told}")
    return by
