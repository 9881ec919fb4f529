"""The models of preference by name, and where each is written; imported when they are asked for.

All of them are frozen settings with a `fit`; what the fits have in common is the protocol `Fitted`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import require_option
from evenhand.models.coefficients import Coefficient

Array = NDArray[np.float64]
_BRADLEY_TERRY: Final = "evenhand.models.bradley_terry:BradleyTerry"
_BASELINES: Final = "evenhand.models.baselines"


class FittedModel(Protocol):
    """What every fit says, whatever its model."""

    @property
    def systems(self) -> tuple[str, ...]:
        """The K systems, sorted by name."""

    @property
    def log_worth(self) -> Array:
        """(K,) natural log-odds."""

    @property
    def worth_vcov(self) -> Array | None:
        """(K, K) covariance of `log_worth`, or None."""

    @property
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter."""

    @property
    def loglik(self) -> float:
        """Log-likelihood (nats)."""

    @property
    def n_judgments(self) -> float:
        """Answers; a ranking is one."""

    @property
    def n_comparisons(self) -> float:
        """Pairs."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What must stand beside the numbers."""

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: what was found, tests, intervals."""

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right."""


@runtime_checkable
class Posterior(Protocol):
    """A fit by draws from a posterior distribution."""

    @property
    def order_draws(self) -> Array:
        """(D, K) draws of what systems are ordered by, in any place of its scale."""

    @property
    def order_scale(self) -> str:
        """What that is: "ability", or "log-worth" where draws are of `log_worth`."""


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
        """Import the class of its settings."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)


MODELS: Final[Mapping[str, Model]] = {
    model.name: model
    for model in (
        Model("bradley-terry", _BRADLEY_TERRY, "log-linear Bradley-Terry"),
        Model(
            "rao-kupper",
            _BRADLEY_TERRY,
            "Bradley-Terry with Rao and Kupper's ties",
            settings={"ties": "rao-kupper"},
        ),
        Model(
            "glenn-david",
            _BRADLEY_TERRY,
            "Thurstone's model with Glenn and David's ties",
            settings={"ties": "glenn-david"},
        ),
        Model(
            "bradley-terry-prior",
            _BRADLEY_TERRY,
            "Bradley-Terry under a prior of one pseudo-comparison per system",
            settings={"prior": 1.0},
        ),
        Model(
            "random-judges",
            "evenhand.models.random_judges:RandomJudges",
            "Bradley-Terry with judges who differ at random",
        ),
        Model(
            "judge-slopes",
            "evenhand.models.judge_slopes:JudgeSlopes",
            "Bradley-Terry with judges who tell systems apart more or less sharply",
        ),
        Model(
            "plackett-luce",
            "evenhand.models.plackett_luce:PlackettLuce",
            "Plackett-Luce, with ties Davidson-Luce",
            rankings=True,
        ),
        Model(
            "pattern",
            "evenhand.models.pattern:PatternModel",
            "the pattern model (Mallows-Bradley-Terry)",
            rankings=True,
        ),
        Model(
            "irt-gaussian",
            "evenhand.models.irt_gaussian:IRTGaussian",
            "Hopkins and May's model of output qualities, Gaussian",
        ),
        Model(
            "irt-categorical",
            "evenhand.models.irt_categorical:IRTCategorical",
            "Hopkins and May's model of output qualities, in categories",
        ),
        Model("uniform", f"{_BASELINES}:Uniform", "left, tie and right equally likely"),
        Model(
            "adjusted-uniform",
            f"{_BASELINES}:AdjustedUniform",
            "the share of ties, left and right equally likely",
        ),
        Model("independent-pairs", f"{_BASELINES}:IndependentPairs", "each pair by its own counts"),
        *(
            Model(
                f"{kind}-students",
                f"{_BASELINES}:IndependentStudents",
                f"each system by its own counts, {how}",
                settings={"reconstruction": kind},
            )
            for kind, how in (
                ("asymmetric", "only the left one's asked"),
                ("arithmetic", "the two averaged"),
                ("geometric", "the two multiplied"),
            )
        ),
    )
}


def find_model(name: str) -> Model:
    require_option("model", name, tuple(MODELS))
    return MODELS[name]


def name_settings(model: Any) -> str:
    """Return the name under which a model's settings are found here, else that of their class."""
    made = type(model)
    entries = [
        entry
        for entry in MODELS.values()
        if entry.place == f"{made.__module__}:{made.__name__}"
        and all(getattr(model, name) == value for name, value in entry.settings.items())
    ]
    return max(entries, key=lambda entry: len(entry.settings)).name if entries else made.__name__
