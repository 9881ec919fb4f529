"""The models of preference by name, and where each is written; imported when they are asked for.

All of them are frozen settings with a `fit`; what the fits have in common is `FittedModel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from evenhand.errors import require_option

_BRADLEY_TERRY: Final = "evenhand.models.bradley_terry:BradleyTerry"


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
        return self.place == _BRADLEY_TERRY

    def make(self) -> Any:
        return self.load()(**self.settings)

    def load(self) -> Any:
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)


_TITLES: Final = {
    "bradley-terry": "log-linear Bradley-Terry",
    "rao-kupper": "Bradley-Terry with Rao and Kupper's ties",
    "glenn-david": "Thurstone's model with Glenn and David's ties",
    "bradley-terry-prior": "Bradley-Terry under a prior of one pseudo-comparison per system",
    "random-judges": "Bradley-Terry with judges who differ at random",
    "judge-slopes": "Bradley-Terry with judges who tell systems apart more or less sharply",
    "plackett-luce": "Plackett-Luce, with ties Davidson-Luce",
    "pattern": "the pattern model (Mallows-Bradley-Terry)",
    "irt-gaussian": "Hopkins and May's model of output qualities, Gaussian",
    "irt-categorical": "Hopkins and May's model of output qualities, in categories",
    "uniform": "left, tie and right equally likely",
    "adjusted-uniform": "the share of ties, left and right equally likely",
    "independent-pairs": "each pair by its own counts",
    "asymmetric-students": "each system by its own counts, only the left one's asked",
    "arithmetic-students": "each system by its own counts, the two averaged",
    "geometric-students": "each system by its own counts, the two multiplied",
}
# Where settings are written, of those that are not Bradley and Terry's
_PLACES: Final = {
    "random-judges": "random_judges:RandomJudges",
    "judge-slopes": "judge_slopes:JudgeSlopes",
    "plackett-luce": "orders:PlackettLuce",
    "pattern": "orders:PatternModel",
    "irt-gaussian": "irt_gaussian:IRTGaussian",
    "irt-categorical": "irt_categorical:IRTCategorical",
    "uniform": "baselines:Uniform",
    "adjusted-uniform": "baselines:AdjustedUniform",
    "independent-pairs": "baselines:IndependentPairs",
    "asymmetric-students": "baselines:IndependentStudents",
    "arithmetic-students": "baselines:IndependentStudents",
    "geometric-students": "baselines:IndependentStudents",
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
        f"evenhand.models.{_PLACES[name]}" if name in _PLACES else _BRADLEY_TERRY,
        title,
        rankings=name in ("plackett-luce", "pattern"),
        settings=_SETTINGS.get(name, {}),
    )
    for name, title in _TITLES.items()
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
