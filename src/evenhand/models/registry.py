"""The models of preference by name, and where each is written; imported when they are asked for.

All of them are frozen settings with a `fit`; what the fits have in common is `FittedModel`.
Which of them are compared on held-out judgments stands here too. Samplers run there as in Hopkins &
May (2013), one chain of 200 sweeps, 50 of them burn-in: they are trained hundreds of times, and
predictions are averaged over votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import Any, Final, TypeAlias

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.errors import UnknownOption, require_option


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
