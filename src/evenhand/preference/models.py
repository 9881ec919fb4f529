"""The models of preference by name, and where each is written; imported when they are asked for.

All of them are frozen settings with a `fit`; what the fits have in common is the protocol `Fitted`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import require_option
from evenhand.preference.coefficients import Coefficient

Array = NDArray[np.float64]


class Fitted(Protocol):
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


@dataclass(frozen=True)
class Model:
    """A model of the registry.

    Attributes:
        name: as users ask for it.
        place: "module:Class" of its settings.
        title: a few words for people.
        rankings: whether it is fitted to rankings themselves, not to the pairs in them.
        settings: what makes it of the class of its settings, where several models share one.

    """

    name: str
    place: str
    title: str
    rankings: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def make(self) -> Any:
        """Return the model with its usual settings."""
        return self.load()(**self.settings)

    def load(self) -> Any:
        """Import the class of its settings."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)


MODELS: Final[Mapping[str, Model]] = {
    model.name: model
    for model in (
        Model(
            "bradley-terry",
            "evenhand.preference.bradley_terry:BradleyTerry",
            "log-linear Bradley-Terry",
        ),
        Model(
            "random-judges",
            "evenhand.preference.random_judges:RandomJudges",
            "Bradley-Terry with judges who differ at random",
        ),
        Model(
            "judge-slopes",
            "evenhand.preference.judge_slopes:JudgeSlopes",
            "Bradley-Terry with judges who tell systems apart more or less sharply",
        ),
        Model(
            "plackett-luce",
            "evenhand.preference.plackett_luce:PlackettLuce",
            "Plackett-Luce, with ties Davidson-Luce",
            rankings=True,
        ),
        Model(
            "pattern",
            "evenhand.preference.pattern:PatternModel",
            "the pattern model (Mallows-Bradley-Terry)",
            rankings=True,
        ),
    )
}


def find_model(name: str) -> Model:
    """Return a model by name.

    Raises:
        UnknownOption: there is none of that name.

    >>> find_model("pattern").rankings
    True
    """
    require_option("model", name, tuple(MODELS))
    return MODELS[name]
