"""One training: a model is fitted to some votes and predicts others, or says why it cannot."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    EvenhandError,
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    Remedied,
    UnknownColumn,
    UnknownOption,
)
from evenhand.judgments.model import PreferenceModel
from evenhand.judgments.votes import Votes
from evenhand.validation.perplexity import measure_losses

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
Models = Mapping[str, PreferenceModel]
REFUSALS: Final = (InvalidJudgments, NotConverged, NotIdentified, UnknownColumn, UnknownOption)
"""Why a model may have no loss on some votes."""


@dataclass(frozen=True, eq=False)
class Trained:
    """What came of a training.

    Attributes:
        losses: (n,) losses of the test votes (bits); None if it was refused.
        why: why it was refused, else "".
        seconds: CPU seconds, without the loading of modules.

    """

    losses: Array | None
    why: str
    seconds: float


def train(model: PreferenceModel, votes: Votes, test: Votes) -> Trained:
    """Fit a model to votes and measure its losses on others.

    A training that loads modules is done again, so that its seconds are those of any other.

    Args:
        model: the model.
        votes: those that it is fitted to.
        test: those that it predicts; it must know all of their systems.

    """
    loaded = len(sys.modules)
    found = _train(model, votes, test)
    return found if len(sys.modules) == loaded else _train(model, votes, test)


def _train(model: PreferenceModel, votes: Votes, test: Votes) -> Trained:
    """Fit and measure once."""
    began = process_time()
    try:
        losses = measure_losses(model.fit(votes), test)
    except REFUSALS as refusal:
        return Trained(None, say_refusal(refusal), process_time() - began)
    return Trained(losses, "", process_time() - began)


def say_refusal(refusal: EvenhandError) -> str:
    """Return why, without options that are no help here."""
    return str(refusal.without_options() if isinstance(refusal, Remedied) else refusal)
