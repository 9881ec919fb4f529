"""Which models are compared on held-out judgments, by name or with settings of one's own.

Samplers run as in the paper, one chain of 200 sweeps, 50 of them burn-in: they are trained hundreds
of times, and predictions are averaged over votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from evenhand.errors import UnknownOption, require_option
from evenhand.judgments.model import PreferenceModel
from evenhand.preference.models import MODELS, find_model

PAPER: Final = (
    *("uniform", "adjusted-uniform", "independent-pairs", "asymmetric-students"),
    *("arithmetic-students", "geometric-students", "irt-gaussian", "irt-categorical"),
)
"""The eight models of Hopkins & May (2013)."""
USUAL: Final = (*PAPER, "bradley-terry", "bradley-terry-prior", "plackett-luce", "melo")
SETS: Final[Mapping[str, tuple[str, ...]]] = {"paper": PAPER, "usual": USUAL, "all": tuple(MODELS)}
"""What stands for several models."""

Wanted: TypeAlias = str | Sequence[str] | Mapping[str, Any]


def make_models(wanted: Wanted, seed: int) -> dict[str, PreferenceModel]:
    """Return models by name.

    Args:
        wanted: "paper", "usual" or "all", a name of the registry, several of these, or name →
            settings of a model.
        seed: of samplers.

    Raises:
        UnknownOption: there is no such model, or none was named.

    >>> list(make_models(["uniform", "bradley-terry"], 1))
    ['uniform', 'bradley-terry']
    """
    if isinstance(wanted, Mapping):
        models: dict[str, PreferenceModel] = dict(wanted)
        for name, model in models.items():
            if not callable(getattr(model, "fit", None)):
                raise UnknownOption(
                    f"model '{name}' cannot be {model!r}: it is settings with a fit, such as"
                    " BradleyTerry(prior=1)"
                )
    else:
        models = {name: _make(name, seed) for name in _name([wanted], wanted)}
    if not models:
        raise UnknownOption(f"no model is named: choose of {' | '.join((*SETS, *MODELS))}")
    return models


def _name(one: list[Any], wanted: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of models, each once."""
    asked = one if isinstance(wanted, str) else list(wanted)
    for name in asked:
        require_option("model", name, (*SETS, *MODELS))
    return tuple(dict.fromkeys(own for name in asked for own in SETS.get(name, (name,))))


def _make(name: str, seed: int) -> PreferenceModel:
    """Return a model of the registry; samplers with the settings of the paper."""
    entry = find_model(name)
    kind = entry.load()
    model: PreferenceModel = kind.paper(seed) if hasattr(kind, "paper") else entry.make()
    return model


def say_models(wanted: Wanted, models: Mapping[str, PreferenceModel]) -> str:
    """Return the models for a signature: by name, with settings where they are no usual ones."""
    if isinstance(wanted, Mapping):
        return ", ".join(f"{name}={model!r}" for name, model in models.items())
    drawn = [name for name, model in models.items() if hasattr(type(model), "paper")]
    light = " (one chain of 200 sweeps, 50 burn-in)" if drawn else ""
    return ", ".join([*(name for name in models if name not in drawn), *drawn]) + light
