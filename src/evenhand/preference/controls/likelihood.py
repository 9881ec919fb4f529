"""The likelihood of Bradley-Terry models with comparison covariates, summed over rows.

    η_c = λ[left_c] − λ[right_c] + δ + Σ_k b_k x_ck / s_k,   x left minus right

    log m[left] = μ + η,   log m[tie] = μ + γ,   log m[right] = μ − η

s_k is the sd of x_k over comparisons about zero, √(Σ x² / n): what it is if either output may stand
left. 2 b_k are log-odds per sd, worths being equal. Style control as Li, Angelopoulos & Chiang
(2024) proposed for Chatbot Arena is the case without ties, with (left − right)/(left + right) as x.

When not to use it: where what is controlled for is part of what makes an output good. A system is
then not rewarded for answers that are better because they are longer.

Cells no longer suffice. Rows are read once and gone through some at a time, so that memory is
bounded by the coded rows (which lie in a file where they are many), a batch and the information;
their sums keep what rounding loses. Parameters come in this order: worths, tie
parameter, δ, controls, ghosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.streaming import Batch, CodedRows
from evenhand.numerics.newton import Expansion
from evenhand.numerics.running_sums import RunningSum
from evenhand.preference.likelihood import LONGEST, Likelihood
from evenhand.preference.ties.laws import Local, Tie, TwoOutcomes, expand_blocks

Array = NDArray[np.float64]


class TieRule(Protocol):
    """What must be known of a model."""

    def treat_ties(self, counts: Array) -> Array:
        """Return (C, 3) counts as the tie rule takes them."""


@dataclass(frozen=True, eq=False)
class Part:
    """A batch of rows as the likelihood takes it.

    Attributes:
        plain: the likelihood of these rows without controls.
        x: (n, q) standardised differences.
        squares: (n, 3) squared weights, as the tie rule takes them.
        batch: the rows.

    """

    plain: Likelihood
    x: Array
    squares: Array
    batch: Batch


@dataclass(frozen=True, eq=False)
class ControlledLikelihood(Likelihood):
    """A design, a tie law, and rows with controls; `counts` are those of pairs.

    Attributes:
        rows: the rows, like ones pooled.
        scale: (q,) sd of each control.
        largest: (q,) largest |x| of each, in sd.
        typical: (q,) mean |x| of each, in sd.
        rule: treats ties.

    """

    rows: CodedRows = field(kw_only=True)
    scale: Array = field(kw_only=True)
    largest: Array = field(kw_only=True)
    typical: Array = field(kw_only=True)
    rule: TieRule = field(kw_only=True)

    @property
    def reported(self) -> int:
        """Number of parameters without the ghosts'."""
        return self.n_worths + self.n_ties + self.order_effect + len(self.scale)

    @property
    def before(self) -> int:
        """Number of parameters that come before the controls'."""
        return self.reported - len(self.scale)

    @property
    def cells(self) -> int:
        """Number of free cells, each comparison having cells of its own."""
        each = 1 if isinstance(self.law, TwoOutcomes) else 2
        return each * round(float(self.counts.sum()))

    def slopes(self, beta: Array) -> Array:
        """Return (q,) coefficients of the standardised controls."""
        return beta[self.before : self.reported]

    def reach(self, step: Array) -> float:
        """Return how far a step moves η of a typical row and t, in units of LONGEST."""
        return super().reach(step) + float(self.typical @ np.abs(self.slopes(step))) / LONGEST

    def only(self, at: int) -> ControlledLikelihood:
        """Return the likelihood with one of the controls alone."""
        own = slice(at, at + 1)
        return replace(
            self,
            rows=replace(self.rows, columns=self.rows.columns[own]),
            scale=self.scale[own],
            largest=self.largest[own],
            typical=self.typical[own],
        )

    def split(self, rows: CodedRows | None = None) -> Iterator[Part]:
        """Go through the pooled rows, or others, some at a time."""
        for batch in (rows or self.rows).batches(fold=not self.order_effect):
            design = replace(self.design, left=batch.left, right=batch.right)
            counts = np.asfortranarray(self.rule.treat_ties(batch.counts))
            plain = Likelihood(design, self.law, counts, order_effect=self.order_effect)
            squares = counts if batch.squares is None else batch.square_counts
            yield Part(plain, batch.values / self.scale, squares, batch)

    def locate(self, part: Part, beta: Array) -> tuple[Array, Tie]:
        """Return (n,) η of some rows, and the tie parameter."""
        worths, tie, order, _ = self.parts(beta)
        return part.plain.eta(worths, order) + part.x @ self.slopes(beta), tie

    def loglik(self, beta: Array) -> float:
        """Return the log-likelihood of the data, without the prior (nats)."""
        value = RunningSum.of_shape(())
        for part in self.split():
            value = value.plus(self._expand(part, beta).value.sum())
        return float(value.total)

    def _expand(self, part: Part, beta: Array) -> Local:
        eta, tie = self.locate(part, beta)
        return expand_blocks(self.law, eta, tie, part.plain.counts)

    def expand(self, beta: Array) -> Expansion:
        """Return log-likelihood plus log-prior to second order."""
        gradient, information = np.zeros(self.size), np.zeros((self.size, self.size))
        q = self.reported
        sums = [RunningSum.of_shape(shape) for shape in ((), (q,), (q, q))]
        for part in self.split():
            local = self._expand(part, beta)
            terms = local.value.sum(), sum_scores(part, local), sum_information(part, local)
            sums = [running.plus(term) for running, term in zip(sums, terms, strict=True)]
        value, gradient[:q] = float(sums[0].total), sums[1].total
        information[:q, :q] = sums[2].total
        if self.prior > 0:
            worths, _, _, ghosts = self.parts(beta)
            distance = worths - ghosts[self.design.group]
            value += self._add_ghosts(distance, gradient, information)
        return Expansion(value, gradient, information)

    def pearson(self, beta: Array) -> float:
        """Return Pearson's X² over single comparisons, Σ (1 / p of what was said − 1)."""
        total = 0.0
        for part in self.split():
            chances = np.exp(self.law.log_chances(*self.locate(part, beta)))
            seen = part.plain.counts > 0
            total += float((part.plain.counts[seen] * (1 / chances[seen] - 1)).sum())
        return total


def sum_scores(part: Part, local: Local) -> Array:
    """Return the (p,) gradient of some rows."""
    return np.concatenate([part.plain.pull_scores(local), part.x.T @ local.eta])


def sum_information(part: Part, local: Local) -> Array:
    """Return the (p, p) information of some rows.

    Args:
        part: the rows.
        local: minus second derivatives by η and t; or products of first ones.

    """
    plain, x = part.plain, part.x
    m, q = plain.size, x.shape[1]
    information = np.zeros((m + q, m + q))
    information[:m, :m] = plain.pull_information(local)
    none = np.zeros(len(local.eta))
    for at, column in enumerate(x.T, start=m):
        weighed = local.eta_eta * column
        information[m:, at] = x.T @ weighed
        across = replace(local, eta=weighed, tie=local.eta_tie * column, value=none)
        information[:m, at] = information[at, :m] = plain.pull_scores(across)
    return information


@dataclass(frozen=True, eq=False)
class Spreads:
    """How far controls reach, each (q,) in its own unit.

    Attributes:
        sd: root mean square over comparisons.
        largest: largest |x|.
        mean: mean |x| over comparisons.

    """

    sd: Array
    largest: Array
    mean: Array


def measure_spreads(rows: CodedRows) -> Spreads:
    """Return the spreads of all columns."""
    q = len(rows.columns)
    largest, squares, sums, n = np.zeros(q), np.zeros(q), np.zeros(q), 0.0
    for batch in rows.batches(fold=False):
        largest = np.maximum(largest, np.abs(batch.values).max(axis=0))
        n += float(batch.weights.sum())
    unit = np.where(largest > 0, largest, 1.0)  # so that squares of huge values stay finite
    for batch in rows.batches(fold=False):
        shares = np.abs(batch.values) / unit
        squares += batch.weights @ shares**2
        sums += batch.weights @ shares
    return Spreads(unit * np.sqrt(squares / n), largest, unit * sums / n)
