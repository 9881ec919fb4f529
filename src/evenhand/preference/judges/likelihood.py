"""The likelihood of all judges' answers, their tastes integrated out, with its derivatives.

Parameters come in this order: log-worths θ of all systems but the reference, γ where ties are an
outcome, log σ. Derivatives by θ come from the entries', Σ_c a_c ∂ log L / ∂m_c. The information on
θ is that of the Gaussian sites, Σ_l (I − S/σ²)/σ² on the systems of each block; it leaves out that
precisions of sites vary with θ. Rows of γ and log σ are differences of exact gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.numerics.blocks import Batch, Blocks, make_blocks
from evenhand.preference.judges.integrals import Piece, integrate_corrected, integrate_laplace
from evenhand.preference.judges.sites import Sites, Votes

Array = NDArray[np.float64]
Integers = NDArray[np.intp]
Method = Literal["corrected", "laplace"]
_METHODS: Final[dict[str, Callable[[Batch, Votes, float, Sites | None, float], Piece]]] = {
    "corrected": integrate_corrected,
    "laplace": integrate_laplace,
}
MANY: Final = 100_000
"""Entries from which integrals and maximum are found to a hundredth of a standard error."""
FINE: Final = (1e-9, 1e-14, 1e-6, 21)
"""Where the passes of the integrals end, what may be left to gain, relative to |log-likelihood|
(less where the integrals are exact), the same in nats for the worths at a given σ, and nodes of the
quadrature over one difference."""
ROUGH: Final = (1e-5, 1e-10, 0.05, 11)
BATCHES: Final = 60
"""Batches that stand for all where the maximum is first looked for."""
APART: Final = 1e-2
"""Half the distance of γ or log σ between which gradients are differenced."""


@dataclass(frozen=True, eq=False)
class State:
    """Sites of all entries in their own log-odds: exp(b x − t x²/2), a start for a point nearby."""

    precision: Array
    linear: Array


@dataclass(frozen=True, eq=False)
class Point:
    """The likelihood at one point.

    Attributes:
        value: log-likelihood (nats).
        gradient: (p,) its derivatives.
        state: the sites there.
        worths: (K − 1, K − 1) information on θ; None unless asked for.
        bends: (K − 1, K − 1) its derivative by log σ, sites held; None unless asked for.
        log_sigma: information on log σ of the Gaussian sites; 0 unless asked for.

    """

    value: float
    gradient: Array
    state: State
    worths: Array | None
    bends: Array | None
    log_sigma: float


@dataclass(frozen=True, eq=False)
class Panel:
    """Judges' answers in blocks.

    Attributes:
        n_systems: K.
        reference: code of the system with θ = 0.
        blocks: connected parts of each judge's comparisons.
        left: (C,) system of each entry, in the blocks' order.
        right: (C,) the other.
        counts: (C, 3) left, tie, right.
        system: (slots,) system of each place for a node; K where it is not filled.
        judge: (slots,) judge of each place; J where it is not filled.
        ties: whether γ is a parameter.
        method: how tastes are integrated out.
        settled: how little a mean (in standard deviations) or variance (relative) may still move.
        tolerance: what may be left to gain at the maximum, relative to |log-likelihood|.
        left_over: the same in nats, for worths and γ at a given σ; what is left is added up.
        nodes: nodes of the quadrature over one difference.
        weights: how many batches each batch stands for, itself included; 0 where another does.

    """

    n_systems: int
    reference: int
    blocks: Blocks
    left: Integers
    right: Integers
    counts: Array
    system: Integers
    judge: Integers
    ties: bool
    method: Method
    settled: float
    tolerance: float
    left_over: float
    nodes: int
    weights: tuple[float, ...]

    @property
    def size(self) -> int:
        """Number of parameters p."""
        return self.n_systems + self.ties

    def thinned(self) -> Panel:
        """Return the panel with some batches standing for all; itself where there are few."""
        return replace(self, weights=self.blocks.thinned(BATCHES))

    def parts(self, beta: Array) -> tuple[Array, float | None, float]:
        """Take a parameter vector apart: (K,) θ, γ or None, σ."""
        theta = np.insert(beta[: self.n_systems - 1], self.reference, 0.0)
        return theta, float(beta[-2]) if self.ties else None, float(np.exp(beta[-1]))

    def votes(self, batch: Batch, theta: Array, gamma: float | None) -> Votes:
        """Return the entries of a batch, given the mean judge."""
        won, tied, lost = self.counts[batch.entries].T
        left, right = self.left[batch.entries], self.right[batch.entries]
        centre = theta[left] - theta[right]
        return Votes(won - lost, tied, won + tied + lost, centre, gamma, self.nodes)

    def expand(self, beta: Array, start: State | None, *, information: bool = False) -> Point:
        """Return the log-likelihood with its gradient, and the information if asked for.

        Raises:
            NotConverged: an integral did not settle.

        """
        theta, gamma, sigma = self.parts(beta)
        integrate = _METHODS[self.method]
        by_entry = np.zeros(len(self.left))  # by itself: a state that is kept must not hold it
        precision, linear = np.zeros((2, len(self.left)))
        tables = np.zeros((2, (self.n_systems + 1) ** 2)) if information else None
        sums = np.zeros(4)
        for batch, weight in zip(self.blocks.batches, self.weights, strict=True):
            if not weight:
                continue
            votes, rows = self.votes(batch, theta, gamma), batch.entries
            sites = None if start is None else shift_sites(start, batch, votes)
            piece = integrate(batch, votes, sigma, sites, self.settled)
            by_entry[rows], precision[rows] = weight * piece.centre, piece.sites.precision
            linear[rows] = piece.sites.linear + piece.sites.precision * votes.centre
            sums[:3] += weight * np.array((piece.value, piece.gamma, piece.log_sigma))
            if tables is not None:
                sums[3] += self._inform(batch, piece, (sigma, weight), tables)
        return Point(
            value=float(sums[0]),
            gradient=self._gradient(by_entry, sums),
            state=State(precision, linear),
            worths=None if tables is None else self._among_worths(tables[0]),
            bends=None if tables is None else self._among_worths(tables[1]),
            log_sigma=float(sums[3]),
        )

    def _gradient(self, by_entry: Array, sums: Array) -> Array:
        k = self.n_systems
        by_system = np.bincount(self.left, by_entry, minlength=k)
        by_system = by_system - np.bincount(self.right, by_entry, minlength=k)
        extras = sums[1:3] if self.ties else sums[2:3]
        return np.concatenate((np.delete(by_system, self.reference), extras))

    def _inform(
        self, batch: Batch, piece: Piece, scale: tuple[float, float], tables: Array
    ) -> float:
        """Add a batch's information on worths, and its derivative; return that on log σ."""
        sigma, weight = scale
        share = np.eye(batch.width) - piece.covariance / sigma**2
        codes = self.system[batch.nodes].reshape(batch.size, batch.width)
        at = codes[:, :, None] * (self.n_systems + 1) + codes[:, None, :]
        for row, values in enumerate((share, -2 * share @ share)):
            added = np.bincount(at.reshape(-1), values.reshape(-1), minlength=tables.shape[1])
            tables[row] += weight / sigma**2 * added
        return float(2 * weight * (share**2).sum())

    def _among_worths(self, table: Array) -> Array:
        k = self.n_systems
        inner = table.reshape(k + 1, k + 1)[:k, :k]
        return np.delete(np.delete(inner, self.reference, axis=0), self.reference, axis=1)

    def information(self, beta: Array, here: Point) -> Array:
        """Return (p, p) minus the second derivatives at a point that was expanded with information.

        Raises:
            NotConverged: an integral did not settle.

        """
        p, k = self.size, self.n_systems
        full = np.zeros((p, p))
        full[: k - 1, : k - 1] = here.worths
        for at in range(k - 1, p):
            step = np.zeros(p)
            step[at] = APART
            ahead = self.expand(beta + step, here.state).gradient
            behind = self.expand(beta - step, here.state).gradient
            full[at] = (behind - ahead) / (2 * APART)
        full[: k - 1, k - 1 :] = full[k - 1 :, : k - 1].T
        full[k - 1 :, k - 1 :] = (full[k - 1 :, k - 1 :] + full[k - 1 :, k - 1 :].T) / 2
        return full


def shift_sites(state: State, batch: Batch, votes: Votes) -> Sites:
    """Return the sites of a batch, as functions of deviations from the mean judge."""
    precision = state.precision[batch.entries]
    return Sites(precision, state.linear[batch.entries] - precision * votes.centre)


def make_panel(tally: Tally, judge: Integers, reference: int, method: Method) -> Panel:
    """Sort the entries of a tally into blocks.

    Args:
        tally: folded counts by judge, with the ties as the model takes them, every entry with a
            judgment.
        judge: (C,) judge of each entry, numbered from 0.
        reference: code of the system with θ = 0.
        method: corrected | laplace.

    """
    k = len(tally.systems)
    key = judge.astype(np.int64) * k
    sides = np.concatenate((key + tally.left, key + tally.right))
    seen, node = np.unique(sides, return_inverse=True)
    left, right = node[: len(key)], node[len(key) :]
    blocks = make_blocks(len(seen), left, right)
    system = np.full(blocks.slots, k, dtype=np.intp)
    owner = np.full(blocks.slots, int(judge.max()) + 1, dtype=np.intp)
    settled, tolerance, left_over, nodes = FINE if len(key) <= MANY else ROUGH
    system[blocks.place], owner[blocks.place] = seen % k, seen // k
    return Panel(
        n_systems=k,
        reference=reference,
        blocks=blocks,
        left=tally.left[blocks.order].astype(np.intp),
        right=tally.right[blocks.order].astype(np.intp),
        counts=np.asfortranarray(tally.counts[blocks.order]),
        system=system,
        judge=owner,
        ties=bool(tally.ties.any()),
        method=method,
        settled=settled,
        tolerance=1e-18 if method == "laplace" else tolerance,
        left_over=left_over,
        nodes=nodes,
        weights=(1.0,) * len(blocks.batches),
    )
