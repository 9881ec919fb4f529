"""`evenhand fit`: the coefficients of a model."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from evenhand.cli import options
from evenhand.cli.rank import Sampling
from evenhand.cli.running import VerbResult, group_rows, remarks_on, work_on_groups
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import count_labels
from evenhand.data.groups import choose_groups, say_pooled, split_table, tally_groups
from evenhand.data.joining import note_llm_names, say_alike
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.errors import UnknownFormat, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import RATING_MODELS, Model, find_model
from evenhand.ranking.fitted import (
    FittedRatings,
    NamedFit,
    SignedFit,
    count_ways,
    find_effects,
    note_numbers,
)

MODELS: Final = (
    *("bradley-terry", "rao-kupper", "glenn-david", "bradley-terry-prior"),
    *("random-judges", "judge-slopes", "plackett-luce", "pattern"),
    *("irt-gaussian", "irt-categorical", "uniform", "adjusted-uniform", "independent-pairs"),
    *("asymmetric-students", "arithmetic-students", "geometric-students"),
    *RATING_MODELS,
)


class Fitted(options.Options):
    model_name: str = options.under("Options")(
        "--model NAME",
        f"Model to fit: {', '.join(MODELS)}. Default of ratings: adjusted.",
        type=options.OneOf(MODELS),
        default=MODELS[0],
    )


class Reference(options.Options):
    reference: str | None = options.under("Model")(
        "--reference SYSTEM", "The system whose coefficient is 0. Default: the last by name."
    )


class Drawn(Sampling):
    seed: int = options.seed_option(options.under("Item-response models"))


@options.verb(
    "evenhand fit votes.csv",
    "evenhand fit votes.csv --judge-covariate judge",
    "evenhand fit votes.csv --judges judges.csv --judge-covariate native",
    "evenhand fit votes.csv --order-effect --ties rao-kupper",
    "evenhand fit ranks.csv --model plackett-luce",
    "evenhand fit scores.csv --model adjusted --criterion adequacy",
    doing="fitting",
)
def fit(
    run: options.Run,
    *,
    tables: options.Tables,
    groups: options.Grouping,
    fitted: Fitted,
    model: options.ModelOptions,
    reference: Reference,
    sampling: Drawn,
    controls: options.Controls,
    effects: options.Effects,
    scores: options.Criterion,
) -> VerbResult:
    """Fit a model of preferences or of scores and print its coefficients.

    Coefficients are on the λ scale: o1, o2, ... are systems, g1 is the tie
    parameter. Twice a difference of λ is a difference of log-odds. Standard
    errors and p-values take judgments as independent; `evenhand rank` accounts
    for judges and items. With covariates of judges or items each is tested,
    and the order of each group is shown.
    """
    of_ratings = fitted.model_name in RATING_MODELS or options.is_given("criterion")
    kinds = options.kinds_of(ratings=of_ratings)
    opened = run.reading.open_either(kinds, criterion=scores.criterion)
    if isinstance(opened, Ratings):
        tables.refuse("fit of ratings")
        options.refuse_of_comparisons(of=Drawn.list_options())
        name = fitted.model_name if options.is_given("model_name") else "adjusted"
        rating_model = find_model(name, RATING_MODELS).make()
        by = groups.group_by
        rated = work_on_groups(
            group_rows(opened, by), lambda part: FittedRatings(rating_model.fit(part), part), by
        )
        return VerbResult(*rated, remarks_on(opened))
    entry = find_model(fitted.model_name)
    # Refuse options that are no settings of a model, or that its name has set already
    given = options.given_options()
    known = {field.name for field in fields(entry.load())} - set(entry.settings)
    if "group_by" in given and not entry.log_linear:
        raise UnknownOption(
            f"--group-by does not apply to {entry.name}: choose one group at a time with --where"
        )
    options.refuse_unknown_settings(entry.name, known, given, OPTIONS)
    # options that are settings of a model, by the names of their parameters
    settings = {**vars(model), **vars(reference), **vars(controls)}
    if not entry.log_linear:
        drawn = {**settings, **vars(sampling)}
        return _fit_named(run, entry, tables, drawn, effects, comparisons=opened)
    data = tables.join(
        opened,
        used=(*effects.columns, groups.group_by),
        options=options.COVARIATES | {"item": "--item-covariate"},
    )
    settings["controls"] = settings.pop("control")
    spec = BradleyTerry(**effects.settings(data), **{**settings, **entry.settings})
    return VerbResult(*fit_groups(data, spec, groups.group_by), remarks_on(data))


def fit_groups(
    data: Comparisons, model: BradleyTerry, group_by: str | None
) -> tuple[dict[str, SignedFit], dict[str, str]]:
    """Fit each group, or all under the name "", and test the covariates."""
    by = choose_groups(data, group_by)  # tasks where nothing else is asked
    if by in model.covariates:
        reason = "each task is fitted by itself" if group_by is None else "it defines the groups"
        raise UnknownOption(
            f"column '{data.source.named(by)}' cannot be a judge covariate: {reason}"
        )
    if model.controls:
        # controls need the rows of each group
        parts, pooled = {"": data} if by is None else split_table(data, by), say_pooled(data, by)
        return work_on_groups(
            parts, lambda part: SignedFit(model.fit(part), part.tally(), None, pooled), group_by
        )
    groups, pooled = tally_groups(data, by, model.covariates), say_pooled(data, by)
    if data.has("judge"):
        judges = count_labels(data.frame, "judge", as_text=True)
        pooled += note_llm_names(filter(None, judges), data.columns)
    tallies_by_group = count_ways(data, by, model.covariates) if model.covariates else {}

    def fit_one(name: str) -> SignedFit:
        fit = model.fit(groups[name])
        tallies = tallies_by_group.get(name, {})
        effects = find_effects(fit, tallies) if model.covariates else None
        return SignedFit(
            fit, groups[name], effects, (*pooled, *note_numbers(tallies, model.covariates))
        )

    return work_on_groups({name: name for name in groups}, fit_one, group_by)


SETTINGS: Final = options.MODEL_OPTIONS | options.name_settings([Reference, Drawn], {})
OF_EFFECTS: Final = {
    "item_covariates": "judge_covariates",
    "levels": "references",
    "systems": "system_covariates",
}
OPTIONS: Final = SETTINGS | options.name_settings([options.Effects], OF_EFFECTS)


def _fit_named(
    run: options.Run,
    model: Model,
    tables: options.Tables,
    settings: dict[str, Any],
    effects: options.Effects,
    *,
    comparisons: Comparisons,
) -> VerbResult:
    made, given = model.load(), options.given_options()
    data: Comparisons | Rankings
    if model.rankings:
        tables.refuse(f"--model {model.name}, which is fitted to whole rankings")
        opened = run.reading.open_systems()
        if not isinstance(opened, Rankings):
            raise UnknownFormat(
                f"{opened.source.name} holds no rankings, and {model.name} is a model of rankings"
                " of several outputs: fit comparisons with --model bradley-terry"
            )
        data = opened
    else:
        data = tables.join(comparisons, used=(), options={})
    # settings that stand on the command line; for all others the model has its own
    chosen = {setting: settings[name] for name, (_, setting) in SETTINGS.items() if name in given}
    chosen |= effects.settings(data) if isinstance(data, Comparisons) else {}
    spec = made(**{**chosen, **model.settings})
    tasks = _pairs(data).tasks()
    parts = (
        {task: data.select_task(task, recorded=False) for task in tasks}
        if len(tasks) > 1
        else {"": data}
    )
    fits, refused = work_on_groups(
        parts, lambda part: NamedFit(model, spec.fit(part), _pairs(part).tally()), None
    )
    systems = {name for one in fits.values() for name in one.fit.systems}
    return VerbResult(fits, refused, (*remarks_on(_pairs(data)), *say_alike(systems)))


def _pairs(data: Comparisons | Rankings) -> Comparisons:
    return data.comparisons() if isinstance(data, Rankings) else data
