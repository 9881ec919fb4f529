"""`evenhand fit`: the coefficients of the model, as the papers print them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

import evenhand
from evenhand.cli.options import (
    Verb,
    covariate_option,
    examples,
    group_option,
    model_options,
    output_options,
    reading_options,
)
from evenhand.cli.output import choose_output
from evenhand.cli.patience import Patience
from evenhand.cli.reading import Reading, Wishes, choose_columns, choose_outcomes, remarks_on
from evenhand.errors import NotConverged, NotIdentified, UnknownOption

if TYPE_CHECKING:
    from evenhand.cli.fit_result import Fitted
    from evenhand.judgments import Comparisons, Tally
    from evenhand.preference.bradley_terry import BradleyTerry, Ties

EXAMPLES: Final = (
    "evenhand fit votes.csv",
    "evenhand fit votes.csv --judge-covariate judge",
    "evenhand fit votes.csv --order-effect --ties rao-kupper",
)


@click.command(
    cls=Verb,
    short_help="The coefficients of the model, as the papers print them.",
    epilog=examples(*EXAMPLES),
)
@reading_options
@group_option
@model_options
@covariate_option
@output_options
def fit(
    *,
    files: tuple[str, ...],
    task: str | None,
    where: str | None,
    layout: str | None,
    columns: tuple[tuple[str, str], ...],
    weight: str | None,
    weights: str,
    outcomes: tuple[tuple[str, str], ...],
    group_by: str | None,
    ties: Ties,
    order_effect: bool,
    reference: str | None,
    prior: float,
    judge_covariates: tuple[str, ...],
    as_json: bool,
    as_csv: bool,
    as_latex: bool,
    output: str | None,
) -> None:
    """Fit the log-linear Bradley-Terry model and print its coefficients.

    Coefficients are on the λ scale: o1, o2, ... are systems, g1 is the tie
    parameter. Twice a difference of λ is a difference of log-odds. Standard
    errors and p-values assume independent judgments; `evenhand rank` allows
    for judges and items.
    """
    forms = {"json": as_json, "csv": as_csv, "latex": as_latex}
    place = choose_output(forms, output, files)
    wishes = Wishes(choose_columns(columns, weight), weights, choose_outcomes(outcomes))
    reading = Reading(files, layout, wishes, where, task)
    with Patience("fitting"):
        data = reading.open_comparisons("fit")
        model = evenhand.BradleyTerry(
            ties=ties,
            order_effect=order_effect,
            reference=reference,
            prior=prior,
            judge_covariates=tuple(map(data.require, judge_covariates)),
        )
        found, refused = _fit_groups(data, model, group_by)
        remarks = remarks_on(data)
    from evenhand.cli.fit_result import FitResult

    place.deliver(FitResult(found, refused, remarks))


def _fit_groups(
    data: Comparisons, model: BradleyTerry, group_by: str | None
) -> tuple[dict[str, Fitted], dict[str, str]]:
    """Fit each group, or all under the name "", from one tally."""
    from evenhand.cli.fit_result import Fitted

    groups = _tally_groups(data, model, group_by)
    alone = group_by is None and len(groups) == 1
    found: dict[str, Fitted] = {}
    refused: dict[str, str] = {}
    for name, tally in groups.items():
        try:
            found["" if alone else name] = Fitted(model.fit(tally), tally)
        except (NotIdentified, NotConverged) as refusal:
            if alone:
                raise
            refused[name] = str(refusal)
    if not found:
        raise NotIdentified("; ".join(f"{name}: {why}" for name, why in refused.items()))
    return found, refused


def _tally_groups(data: Comparisons, model: BradleyTerry, group_by: str | None) -> dict[str, Tally]:
    """Count in one pass, by task where nothing else is asked.

    Raises:
        UnknownOption: groups by a column that is a covariate too.

    """
    covariates = model.judge_covariates
    by = data.require(group_by) if group_by else "task" if data.has("task") else None
    if by is None:
        return {"": data.tally(by=covariates)}
    if by in covariates:
        told = "each task is fitted by itself" if group_by is None else "it tells groups apart"
        raise UnknownOption(f"column '{data.source.named(by)}' cannot be a judge covariate: {told}")
    parts = data.tally(by=(by, *covariates)).split(by)
    if data.rankings is None:
        return parts
    from evenhand.judgments.levels import count_answers

    answers = count_answers(data, by)
    return {name: replace(part, n_judgments=answers[name]) for name, part in parts.items()}
