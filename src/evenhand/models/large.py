"""Fits of hundreds or thousands of systems by conjugate gradients, and counts per pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import Judgments, count_pairs
from evenhand.data.tally import Tally
from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import Covariance, Fit, gather
from evenhand.models.coefficients import code_pairs
from evenhand.models.design import DENSE
from evenhand.models.likelihood import MAX_ETA_STEP, Level, Likelihood, Pairs, expand_level
from evenhand.models.pair_information import MAX_LAST_STEP, MAX_STEPS, make_information
from evenhand.models.settings import LogLinearSettings
from evenhand.models.texts import say
from evenhand.numerics.newton import LOST, MIN_NEWTON_GAIN, NEWTON_ROUNDING, REMEDIES, STUCK
from evenhand.render.findings import Finding

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


Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PairCounts:
    systems: tuple[str, ...]  # the K systems, sorted by name
    # (C,) code of the system that is first by name; pairs are in the order of their codes
    low: Codes
    high: Codes  # (C,) code of the other
    counts: Array  # (C, 3) how often `low` was preferred, neither, `high`
    shown: Tally  # the same counts as they were shown

    @property
    def totals(self) -> Array:
        """(3,) left, tie, right of all comparisons, as they were shown."""
        return np.asarray(self.shown.counts.sum(axis=0))

    def by_system(self) -> Array:
        """Return (K, 3): how often each system was preferred, tied, lost."""
        sums = np.zeros((len(self.systems), 3))
        np.add.at(sums, self.low, self.counts)
        np.add.at(sums, self.high, self.counts[:, ::-1])
        return sums

    def between(self, left: Codes, right: Codes) -> Array:
        """Return (n, 3) counts of pairs as they are asked for; zeros where none was compared."""
        k = len(self.systems)
        key = np.minimum(left, right) * k + np.maximum(left, right)
        known = np.append(self.low * k + self.high, k * k)
        at = np.searchsorted(known, key)
        counts = np.append(self.counts, np.zeros((1, 3)), axis=0)
        rows = np.where((known[at] == key)[:, None], counts[at], 0.0)
        return np.where((left > right)[:, None], rows[:, ::-1], rows)

    def unseen(self) -> list[str]:
        seen = np.unique(np.concatenate([self.low, self.high]))
        return [self.systems[i] for i in np.setdiff1d(np.arange(len(self.systems)), seen).tolist()]

    def note_unseen(self, code: str) -> tuple[Finding, ...]:
        unseen = self.unseen()
        return (say(code, systems=unseen),) if unseen else ()


def pair_up(data: Judgments) -> PairCounts:
    tally = count_pairs(data)
    if len(tally.systems) < 2:
        raise NotIdentified("nothing to compare: there are fewer than two systems")
    if tally.squares is not None:
        raise UnknownOption(
            "importance weights are no counts, and the prior of this model is weighed against"
            " counts: read the file without them"
        )
    shown = tally.pool()
    folded = shown.fold() if len(shown.left) else shown
    low, high = folded.left.astype(np.intp), folded.right.astype(np.intp)
    return PairCounts(tally.systems, low, high, folded.counts, shown)


def code_sides(systems: Sequence[str], pairs: Sequence[tuple[str, str]]) -> tuple[Codes, Codes]:
    codes = np.array(code_pairs(systems, pairs), dtype=np.intp).reshape(-1, 2)
    return codes[:, 0], codes[:, 1]
