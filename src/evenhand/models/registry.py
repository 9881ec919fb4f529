"""The models of preference by name, and where each is written; imported when they are asked for.

All of them are frozen settings with a `fit`; those that log-linear models share stand here. Which
are compared on held-out judgments, too: samplers then run as in Hopkins & May (2013), one chain of
200 sweeps, 50 of them burn-in, since they are trained hundreds of times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

import numpy as np

from evenhand.errors import UnknownOption, listing, require_option
from evenhand.numerics import Array

if TYPE_CHECKING:
    from evenhand.data.rating_rows import RatingRows


Ties = Literal["davidson", "rao-kupper", "glenn-david", "half-win", "discard", "none"]
TIES: Final[tuple[str, ...]] = get_args(Ties)
# Treatments of ties that controls are fitted beside
BESIDE_CONTROLS: Final = ("davidson", "half-win", "discard", "none")


def require_prior(prior: float) -> None:
    if not (np.isfinite(prior) and prior >= 0):
        raise UnknownOption(
            f"prior cannot be {prior}: it is a number of pseudo-comparisons per system, such as 1,"
            " or 0 for none"
        )


@dataclass(frozen=True)
class LogLinearSettings:
    """Settings of `BradleyTerry`, which says what they mean; what fits it takes them from here."""

    ties: Ties = "davidson"
    order_effect: bool = False
    judge_covariates: tuple[str, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict)
    system_covariates: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)
    reference: str | None = None
    prior: float = 0.0
    tie_covariates: tuple[str, ...] = ()
    controls: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_option("ties", self.ties, TIES)
        for role in ("judge_covariates", "tie_covariates", "controls"):
            named = getattr(self, role)
            covariates = (named,) if isinstance(named, str) else tuple(named)
            object.__setattr__(self, role, covariates)
            if len(set(covariates)) < len(covariates):
                what = f"{role.replace('_', ' ')} {listing(covariates)}"
                raise UnknownOption(f"{what}: one is named twice")
        if self.tie_covariates and self.ties != "davidson":
            raise UnknownOption(
                "tie covariates give each group a γ of its own, which ties davidson has and"
                f" {self.ties} has not: choose davidson, or leave them out"
            )
        unknown = [name for name in self.references if name not in self.covariates]
        if unknown:
            raise UnknownOption(f"references names '{unknown[0]}', which is no judge covariate")
        require_prior(self.prior)
        if not self.controls:
            return
        if self.ties not in BESIDE_CONTROLS:
            raise UnknownOption(
                f"controls are fitted with ties {' | '.join(BESIDE_CONTROLS)}, not with {self.ties}"
            )
        if self.covariates:
            raise UnknownOption(
                "controls and covariates of judges cannot be fitted at once: leave out"
                f" {listing(self.covariates)}, or fit each group apart (--group-by"
                f" {self.covariates[0]})"
            )
        if self.system_covariates:
            raise UnknownOption(
                "controls are fitted beside free worths of systems: leave out system covariates"
                f" {listing(list(self.system_covariates))}"
            )

    @property
    def covariates(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self.judge_covariates, *self.tie_covariates]))

    def treat_ties(self, counts: Array) -> Array:
        """Return (C, 3) counts as the tie rule takes them: dropped, split in halves, or as is."""
        if self.ties == "discard":
            return np.asarray(counts * np.array([1.0, 0.0, 1.0]))
        if self.ties == "half-win":
            half = counts[:, 1:2] / 2
            return np.concatenate([counts[:, :1] + half, 0 * half, counts[:, 2:] + half], axis=1)
        return counts

    def fit(self, data: Any, *, start: Any = None) -> Any:
        raise NotImplementedError


# How settings are said, the same wherever they stand.

TIE_TITLES: Final = {
    "davidson": "Davidson ties",
    "rao-kupper": "Rao-Kupper ties",
    "glenn-david": "Glenn-David ties",
    "half-win": "ties are half a win for each",
    "discard": "ties discarded",
    "none": "γ = 0, tie cells kept",
}


def say_model(model: LogLinearSettings) -> str:
    parts = ["Bradley-Terry", TIE_TITLES[model.ties]]
    if model.order_effect:
        parts.append("order effect")
    parts += [f"worths by {covariate}" for covariate in model.judge_covariates]
    parts += [f"ties by {covariate}" for covariate in model.tie_covariates]
    if model.system_covariates:
        parts.append(f"worths are a sum over {listing(list(model.system_covariates))}")
    parts += [f"{control} held equal" for control in model.controls]
    if model.prior:
        parts.append(f"prior {model.prior:g}")
    return ", ".join(parts)


@dataclass(frozen=True)
class Model:
    name: str  # as users ask for it
    place: str  # "module:Class" of its settings
    title: str  # a few words for people
    rankings: bool = False  # whether it is fitted to rankings themselves, not to the pairs in them
    # what makes it of the class of its settings, where several models share one
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def log_linear(self) -> bool:
        """Whether it is Bradley and Terry's, whose fits are printed as the papers print them."""
        return self.place.endswith(":BradleyTerry")

    def make(self) -> Any:
        return self.load()(**self.settings)

    def load(self) -> Any:
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)


# Where settings are written → names of the models of that class, with a few words
_TITLES: Final[Mapping[str, Mapping[str, str]]] = {
    "bradley_terry:BradleyTerry": {
        "bradley-terry": "log-linear Bradley-Terry",
        "rao-kupper": "Bradley-Terry with Rao and Kupper's ties",
        "glenn-david": "Thurstone's model with Glenn and David's ties",
        "bradley-terry-prior": "Bradley-Terry under a prior of one pseudo-comparison per system",
    },
    "random_judges:RandomJudges": {
        "random-judges": "Bradley-Terry with judges who differ at random",
    },
    "judge_slopes:JudgeSlopes": {
        "judge-slopes": "Bradley-Terry with judges who tell systems apart more or less sharply",
    },
    "orders:PlackettLuce": {"plackett-luce": "Plackett-Luce, with ties Davidson-Luce"},
    "orders:PatternModel": {"pattern": "the pattern model (Mallows-Bradley-Terry)"},
    "irt_gaussian:IRTGaussian": {
        "irt-gaussian": "Hopkins and May's model of output qualities, Gaussian",
    },
    "irt_categorical:IRTCategorical": {
        "irt-categorical": "Hopkins and May's model of output qualities, in categories",
    },
    "baselines:Uniform": {"uniform": "left, tie and right equally likely"},
    "baselines:AdjustedUniform": {
        "adjusted-uniform": "the share of ties, left and right equally likely",
    },
    "baselines:IndependentPairs": {"independent-pairs": "each pair by its own counts"},
    "baselines:IndependentStudents": {
        "asymmetric-students": "each system by its own counts, only the left one's asked",
        "arithmetic-students": "each system by its own counts, the two averaged",
        "geometric-students": "each system by its own counts, the two multiplied",
    },
}
# What makes a model of the class of its settings, where several models share one
_SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "rao-kupper": {"ties": "rao-kupper"},
    "glenn-david": {"ties": "glenn-david"},
    "bradley-terry-prior": {"prior": 1.0},
    "asymmetric-students": {"reconstruction": "asymmetric"},
    "arithmetic-students": {"reconstruction": "arithmetic"},
    "geometric-students": {"reconstruction": "geometric"},
}

MODELS: Final[Mapping[str, Model]] = {
    name: Model(
        name,
        f"evenhand.models.{place}",
        title,
        rankings=place.startswith("orders:"),
        settings=_SETTINGS.get(name, {}),
    )
    for place, titles in _TITLES.items()
    for name, title in titles.items()
}

# Models of ratings, in which a system has a score
RATING_MODELS: Final[Mapping[str, Model]] = {
    name: Model(name, f"evenhand.models.{place}", title)
    for name, place, title in (
        ("adjusted", "means:Adjusted", "mean scores adjusted for judges and items"),
        ("mean", "means:Means", "raw mean scores"),
        ("z", "means:ZScores", "mean scores standardised by judge"),
        ("mixed", "mixed:Mixed", "the mixed model: judges and items random, by REML"),
        ("ordinal", "ordinal:Ordinal", "the cumulative logit with cutpoints of judges"),
    )
}


def find_model(name: str, models: Mapping[str, Model] = MODELS) -> Model:
    require_option("model", name, tuple(models))
    return models[name]


def name_settings(model: Any) -> str:
    """Return the name under which a model's settings are found here, else that of their class."""
    made = type(model)
    entries = [
        entry
        for entry in (*MODELS.values(), *RATING_MODELS.values())
        if entry.place == f"{made.__module__}:{made.__name__}"
        and all(getattr(model, name) == value for name, value in entry.settings.items())
    ]
    return max(entries, key=lambda entry: len(entry.settings)).name if entries else made.__name__


# The eight models of Hopkins & May (2013)
PAPER_MODELS: Final = (
    *("uniform", "adjusted-uniform", "independent-pairs", "asymmetric-students"),
    *("arithmetic-students", "geometric-students", "irt-gaussian", "irt-categorical"),
)
USUAL_MODELS: Final = (*PAPER_MODELS, "bradley-terry", "bradley-terry-prior", "plackett-luce")
# What stands for several models
SETS: Final[Mapping[str, tuple[str, ...]]] = {
    "paper": PAPER_MODELS,
    "usual": USUAL_MODELS,
    "all": tuple(MODELS),
}

Models: TypeAlias = Mapping[str, Any]
Wanted: TypeAlias = str | Sequence[str] | Mapping[str, Any]


# The baseline of ratings, in which no system is better than another
NO_SYSTEMS: Final = Model("no-systems", "evenhand.models.means:NoSystems", "systems all equal")
SCORE_MODELS: Final[Mapping[str, Model]] = {NO_SYSTEMS.name: NO_SYSTEMS, **RATING_MODELS}
MAX_GRADES: Final = 7  # Different scores up to which `ordinal` is a usual model


def make_models(wanted: Wanted, seed: int, rows: RatingRows | None = None) -> dict[str, Any]:
    known, sets = MODELS, SETS
    if rows is not None:
        graded = len(np.unique(rows.score)) <= MAX_GRADES
        usual = tuple(name for name in SCORE_MODELS if graded or name != "ordinal")
        known, sets = SCORE_MODELS, {"usual": usual, "all": tuple(SCORE_MODELS)}
    if isinstance(wanted, Mapping):
        models: dict[str, Any] = dict(wanted)
        for name, model in models.items():
            if not callable(getattr(model, "fit", None)):
                raise UnknownOption(
                    f"model '{name}' cannot be {model!r}: it is settings with a fit, such as"
                    " BradleyTerry(prior=1)"
                )
    else:
        names = [wanted] if isinstance(wanted, str) else list(wanted)
        for name in names:
            require_option("model", name, (*sets, *known))
        models = {}
        for name in dict.fromkeys(each for some in names for each in sets.get(some, (some,))):
            entry = find_model(name, known)
            kind = entry.load()
            models[name] = kind.paper(seed) if hasattr(kind, "paper") else entry.make()
    if not models:
        raise UnknownOption(f"no model is named: choose of {' | '.join((*sets, *known))}")
    return models


def set_models(wanted: Wanted, seed: int, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Make models of which each has those of the settings that are its own."""
    models = make_models(wanted, seed)
    known = {name: {one.name for one in fields(model)} for name, model in models.items()}
    for setting in settings:
        if not any(setting in names for names in known.values()):
            raise UnknownOption(
                f"{setting} is a setting of none of {', '.join(models)}: leave it out, or compare"
                " irt-gaussian or irt-categorical"
            )
    own = {name: {key: settings[key] for key in settings if key in known[name]} for name in models}
    return {name: replace(model, **own[name]) for name, model in models.items()}


def say_models(wanted: Wanted, models: Mapping[str, Any]) -> str:
    """Return the models for a signature: by name, with settings where they are no usual ones."""
    if isinstance(wanted, Mapping):
        return ", ".join(f"{name}={model!r}" for name, model in models.items())
    drawn = [name for name, model in models.items() if hasattr(type(model), "paper")]
    light = " (one chain of 200 sweeps, 50 burn-in)" if drawn else ""
    return ", ".join([*(name for name in models if name not in drawn), *drawn]) + light
