"""The models of preference by name, and where each is written; imported when they are asked for.

All of them are frozen settings with a `fit`; what the fits have in common is `FittedModel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from evenhand.errors import require_option


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
