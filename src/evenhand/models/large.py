"""Fits of hundreds or thousands of systems by conjugate gradients, and counts per pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, UnknownOption
from evenhand.models.base import Covariance, Fit, gather
from evenhand.models.design import DENSE
from evenhand.models.likelihood import MAX_ETA_STEP, Level, Likelihood, Pairs, expand_level
from evenhand.models.pair_information import MAX_LAST_STEP, MAX_STEPS, make_information
from evenhand.models.settings import LogLinearSettings
from evenhand.numerics.newton import LOST, MIN_NEWTON_GAIN, NEWTON_ROUNDING, REMEDIES, STUCK

# The plain likelihood for hundreds or thousands of systems, by products instead of inverses.
#
# Newton steps and contrasts come from conjugate gradients on the information as a Laplacian, with
# the sum-zero gauge: worths are known up to a constant, which is projected out. Up to some thousand
# systems the weights of pairs are a table, and a covariance is found when it is asked for; beyond
# that no K × K matrix is made.

Array = NDArray[np.float64]
# Longest step in λ, t and δ that is the last: what it leaves is of the order of its square
# Relative residual of a solution b of A x = b: bᵀx is then wrong by its square, relative to bᵀx
# and times the condition number, which is below 1e9 for a chain of thousands of systems
# Systems for each iteration before a table is solved directly: both have then cost the same


def fit_large(
    model: LogLinearSettings,
    likelihood: Likelihood,
    tally: Tally,
    notes: tuple[str, ...],
    start: Array,
    *,
    dense: bool,
) -> Fit:
    """Fit the plain design with conjugate gradients."""
    if likelihood.design.matrix is not None or likelihood.prior > 0:
        raise UnknownOption(
            f"{likelihood.design.size:,} worths are too many for covariates or a prior: fit the"
            " plain model, or a part of the systems"
        )
    worths = likelihood.design.worths(start[: likelihood.n_worths])
    at = np.concatenate([worths - worths.mean(), start[likelihood.n_worths :]])
    pairs = Pairs(likelihood.design, dense)
    level = expand_level(likelihood, pairs, at)
    for taken in range(1, MAX_STEPS + 1):
        tie = [level.tie] if likelihood.law.free else []
        order = [level.eta.sum()] if likelihood.order_effect else []
        gradient = np.concatenate([pairs.sum_out(level.eta), tie, order])
        step = make_information(likelihood, pairs, level).solve(gradient[:, None])[:, 0]
        decrement = float(gradient @ step)
        if np.abs(step).max() <= MAX_LAST_STEP or decrement <= LOST * abs(level.value):
            value = level.value + decrement / 2  # to third order in a step of 1e-6
            end, k, reference = at + step, likelihood.design.size, likelihood.design.reference
            worths = end[:k] - end[reference]
            beta = np.concatenate([worths[:reference], worths[reference + 1 :], end[k:]])
            covariance = Covariance(likelihood, beta) if dense else None
            return gather(
                model,
                likelihood,
                tally,
                beta=beta,
                loglik=value,
                covariance=covariance,
                steps=taken,
                decrement=decrement,
                notes=notes,
            )
        at, level = _advance(likelihood, pairs, (at, step, decrement), level)
    raise _say_stuck(likelihood)


def _say_stuck(likelihood: Likelihood) -> NotConverged:
    """Say that there is no maximum, and what to do; a prior is for systems whose matrix is made."""
    return NotConverged(STUCK, REMEDIES[: 2 if likelihood.design.size <= DENSE else 1])


def _advance(
    likelihood: Likelihood, pairs: Pairs, line: tuple[Array, Array, float], level: Level
) -> tuple[Array, Level]:
    """Take as much of a step as gains its share, as `numerics.newton` does."""
    (at, step, decrement), k = line, likelihood.design.size
    least = level.value - NEWTON_ROUNDING * (1 + abs(level.value))
    apart = np.abs(pairs.differ(step[:k], slice(None))).max()  # of systems that were compared
    moved_by = max(float(apart), *np.abs(step[k:]).tolist(), 1e-300)
    length = min(1.0, MAX_ETA_STEP / moved_by)
    while length > 1e-12:
        moved = at + length * step
        level = expand_level(likelihood, pairs, moved, level)
        if level.value >= least + MIN_NEWTON_GAIN * length * decrement:
            return moved, level
        length /= 2
    raise _say_stuck(likelihood)
