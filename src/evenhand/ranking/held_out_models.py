"""Which models are compared on held-out judgments, by name or with settings of one's own.

Samplers run as in Hopkins & May (2013), one chain of 200 sweeps, 50 of them burn-in: they are
trained hundreds of times, and predictions are averaged over votes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Final, TypeAlias

import numpy as np

from evenhand.data.rating_rows import RatingRows
from evenhand.errors import UnknownOption, require_option
from evenhand.models.registry import MODELS, RATING_MODELS, Model, find_model

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
