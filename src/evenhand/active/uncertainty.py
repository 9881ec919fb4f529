"""Pairs whose answers tell most about the order: three ways to look at what is uncertain.

*order* (the default). Where the belief has density f_ab at Δ_ab = 0 and variance V_ab, about
.8 Σ_ab f_ab √V_ab pairs will stand in the wrong order once it has narrowed to V_ab. The score of a
comparison c is by how much it lowers that, to first order:

    Σ_ab w_ab (V_ab − V_ab|c),   w_ab = φ(Δ_ab / √V_ab) / V_ab,

which is I_c D_cᵀ L_w D_c / (1 + I_c V_c) with D_c = V x_c and L_w the Laplacian of the weights.
While differences are hardly known (mean variance above `ROUGH`), the information I_c of a
comparison is taken at a draw from the belief: a guess would be trusted too far.

*closest* (Thompson sampling). Draw the worths from the belief; ask about the two systems that are
nearest to each other in that draw.

*voi* (value of information). The answer that is expected to lower the probability most that the
pair stands in the wrong order: Φ(−|Δ|/√V) now, less its mean over the possible answers.

The formulas are ours, in the field's standard forms. A pair chosen counts as answered, on average,
for those chosen after it in one batch.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.active.belief import Belief
from evenhand.active.choice import Batch

Array = NDArray[np.float64]
Integers = NDArray[np.signedinteger[Any]]

ROUGH: Final = 0.8
"""Mean variance of differences (logit²) above which information is taken at a draw."""

CLEAR: Final = 0.95
"""Probability of an order above which it is no longer called doubtful."""

LITTLE: Final = "little doubt here"
"""What the reason of a pair begins with whose own order is clear."""


def choose_by_order(batch: Batch, n: int, rng: np.random.Generator) -> None:
    """Choose n pairs by how much their answers tell about doubtful orders."""
    low, high = batch.low, batch.high
    for _ in range(n):
        belief = batch.belief
        gap, variance = belief.gap(low, high)
        at = gap
        if variance.mean() > ROUGH:
            drawn = belief.draw(1, rng)[0]
            at = drawn[low] - drawn[high]
        told = belief.information(at)
        weights = np.exp(-(gap**2) / variance / 2) / variance
        spread = _spread_of_doubt(belief, (low, high), weights)
        gains = told * spread / (1 + told * variance)
        batch.take_best(gains / (weights @ variance), say_order)


def _spread_of_doubt(belief: Belief, ends: tuple[Integers, Integers], weights: Array) -> Array:
    """Return x_cᵀ V L_w V x_c for every pair c: how much of what counts hangs on it."""
    low, high = ends
    laplacian = np.zeros_like(belief.vcov)
    laplacian[low, high] = laplacian[high, low] = -weights
    np.fill_diagonal(laplacian, -laplacian.sum(axis=1))
    spread = belief.vcov @ laplacian @ belief.vcov
    own = spread.diagonal()
    return np.asarray(own[low] + own[high] - 2 * spread[low, high])


def choose_closest(batch: Batch, n: int, rng: np.random.Generator) -> None:
    """Choose for each of n draws the two systems that are nearest to each other."""
    for drawn in batch.belief.draw(n, rng):
        batch.take_best(-np.abs(drawn[batch.low] - drawn[batch.high]), say_nearest)


def choose_by_voi(batch: Batch, n: int, rng: np.random.Generator) -> None:  # noqa: ARG001 - as all
    """Choose n pairs by how much less likely a wrong order is expected to be."""
    from scipy.special import ndtr

    for _ in range(n):
        belief = batch.belief
        gap, variance = belief.gap(batch.low, batch.high)
        left = variance / (1 + belief.information(gap) * variance)
        now = ndtr(-np.abs(gap) / np.sqrt(variance))
        chances = np.exp(np.stack([gap / 2, np.full_like(gap, -np.inf), -gap / 2]))
        chances[1] = belief.tie
        chances /= chances.sum(axis=0)
        score = np.array([[0.5], [0.0], [-0.5]]) - (chances[0] - chances[2]) / 2
        after = (chances * ndtr(-np.abs(gap + left * score) / np.sqrt(left))).sum(axis=0)
        batch.take_best(now - after, say_gain)


def say_order(batch: Batch, pair: int, value: float) -> str:
    """Say how doubtful the order of a pair is, or what its answer tells of others."""
    share = f"{100 * value:.2g} % of the doubt about all orders"
    return _say_doubt(batch, pair) or f"{LITTLE}, but an answer removes {share}"


def say_nearest(batch: Batch, pair: int, value: float) -> str:  # noqa: ARG001 - as all
    """Say how doubtful the order of a pair is, or that a draw chose it."""
    return _say_doubt(batch, pair) or f"{LITTLE}, but the nearest two in a draw of worths"


def say_gain(batch: Batch, pair: int, value: float) -> str:
    """Say how doubtful the order of a pair is, or that the doubtful ones are taken."""
    left = f"removes {value:.4f} of the risk of a wrong order"
    return _say_doubt(batch, pair) or f"more doubtful pairs are out already: an answer {left}"


def _say_doubt(batch: Batch, pair: int) -> str:
    """Say who may be better, or nothing where that is clear: it is no reason to ask.

    It is what the judgments say: a pair that comes twice in a batch is as doubtful both times.
    """
    low, high = batch.low[pair : pair + 1], batch.high[pair : pair + 1]
    sure = float(batch.state.now.above(low, high)[0])
    if max(sure, 1 - sure) >= CLEAR:
        return ""
    better = low if sure >= 0.5 else high
    return f"{batch.systems[int(better[0])]} is better with probability {max(sure, 1 - sure):.2f}"
