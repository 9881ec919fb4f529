"""How strong the penalty on circles is: as noise needs it, or as held-out comparisons want it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.preference.cyclic.likelihood import CyclicLikelihood
from evenhand.preference.cyclic.search import Summit, climb_all, climb_flat
from evenhand.preference.pair_counts import PairCounts

Array = NDArray[np.float64]
SHARE: Final = 0.7
"""Of the limit of noise: a strength that predicts well. Noise alone exceeds it often (of 15 systems
mostly), so that circles that it leaves are no sign of circles."""
GRID: Final = (2.0, 1.0, 0.7, 0.5, 0.25)
"""Shares among which held-out comparisons choose."""
FOLDS: Final = 5


@dataclass(frozen=True)
class Strength:
    """A penalty and how it was chosen.

    Attributes:
        value: s.
        share: s as a share of what noise reaches in large campaigns, 0 where it was named.
        chosen: how, for people.

    """

    value: float
    share: float
    chosen: str


def noise_limit(likelihood: CyclicLikelihood, flat: Summit) -> float:
    """Return the spectral norm that residuals without circles have in large campaigns.

    A penalty above the norm of the residuals leaves no circle. Of a random skew matrix with
    variances v_ij it tends to at most 2 max_i √(Σ_j v_ij), and of scores v_ij is the information.
    Source: Bandeira & van Handel (2016), Annals of Probability 44:2479-2506.
    """
    weights = likelihood.weights(likelihood.local(flat.beta))
    return float(2 * np.sqrt(weights.sum(axis=1).max()))


def choose_held_out(
    likelihood: CyclicLikelihood, rng: np.random.Generator
) -> tuple[float, tuple[float, ...]]:
    """Return the share of the noise limit that predicts held-out comparisons best.

    Args:
        likelihood: of all comparisons.
        rng: for the folds, and for starts.

    Returns:
        The share, and the held-out loss (nats per comparison) of each share of `GRID`.

    Raises:
        NotIdentified: too few judgments, so that some fold has no tie or no preference to learn.

    """
    counts, law = likelihood.counts, likelihood.law
    losses = np.zeros(len(GRID))
    parts = split_counts(counts.counts, FOLDS, rng)
    for test in parts:
        train = counts.counts - test
        _require_fold(train, ties=law.free)
        part = replace(likelihood, counts=replace(counts, counts=train))
        losses += [_lose(part, share, test, rng) for share in GRID]
    mean = tuple((losses / counts.counts.sum()).tolist())
    return GRID[int(np.argmin(losses))], mean


def split_counts(counts: Array, folds: int, rng: np.random.Generator) -> list[Array]:
    """Deal comparisons into folds at random, each into one.

    Args:
        counts: (C, 3) counts.
        folds: how many.
        rng: for the deal.

    """
    rest, parts = counts.astype(np.int64), []
    for left in range(folds, 0, -1):
        part = rng.binomial(rest, 1 / left)
        rest = rest - part
        parts.append(part.astype(np.float64))
    return parts


def _lose(
    likelihood: CyclicLikelihood, share: float, test: Array, rng: np.random.Generator
) -> float:
    """Return the loss (nats) of held-out comparisons under one strength."""
    flat = climb_flat(likelihood)
    own = replace(likelihood, strength=share * noise_limit(likelihood, flat))
    found = climb_all(own, flat, 1, rng)
    held = replace(own, counts=_swap(own.counts, test))
    return -held.loglik(found.beta)


def _swap(counts: PairCounts, test: Array) -> PairCounts:
    return replace(counts, counts=test)


def _require_fold(train: Array, *, ties: bool) -> None:
    won, tied, lost = train.sum(axis=0)
    if not won + lost or (ties and not tied):
        raise NotIdentified(
            "the strength cannot be chosen by held-out comparisons: without one fold there is no"
            f" {'tie' if won + lost else 'preference'} left",
            ["name a strength", "take strength='noise'"],
        )
