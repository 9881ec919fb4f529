"""Abilities and qualities given the latent differences: a Gaussian whose precision never changes.

For comparison c of outputs a and b, D_c = q_a − q_b + noise of variance v = 2σ_obs². With X (C, N)
of +1 and −1, Z (N, K) that says who made an output, and abilities μ, qualities q:

    q | D, μ ~ N(A⁻¹ (Zμ/σ_a² + XᵀD/v), A⁻¹),   A = I/σ_a² + XᵀX/v
    μ | D ~ N(S T D, S),   T = ZᵀA⁻¹Xᵀ/(v σ_a²),   S⁻¹ = I/σ_0² + T X Z

A falls into blocks, one for outputs that comparisons join (those of one item); blocks are inverted
once. Where that would take more numbers than it saves, conjugate gradients solve with A instead.
Draws of q perturb the right-hand side: A⁻¹ (e₁/σ_a + Xᵀe₂/√v) ~ N(0, A⁻¹) for standard normal e.

Source: Gelman, Carlin, Stern et al. (2013), Bayesian Data Analysis, chapter 15, for the joint draw;
Papandreou & Yuille (2010), Gaussian sampling by local perturbations, NIPS 23, for the perturbation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged
from evenhand.numerics.blocks import Blocks, invert_all, make_blocks
from evenhand.numerics.conjugate import solve_conjugate

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

FULL: Final = 60
"""Numbers of the inverse for each output and comparison, beyond which iterations are cheaper."""
_EXACT: Final = 1e-10
"""Relative residual of iterations: far below what chance does to any draw."""
_COLUMNS: Final = 64


class Solver(Protocol):
    """What solves with A."""

    def solve(self, right: Array) -> Array:
        """Return A⁻¹ times (N, c) right-hand sides."""

    def total(self, right: Array) -> Array:
        """Return (K, c) sums over the outputs of each system, ZᵀA⁻¹ times right-hand sides."""

    def total_sparse(self, right: Any) -> Array:
        """Return the same, (K, K), of (N, K) sparse right-hand sides."""


@dataclass(frozen=True, eq=False)
class Inverse:
    """A⁻¹ itself, as a sparse matrix of blocks.

    Attributes:
        matrix: (N, N) sparse A⁻¹.
        sums: (K, N) sparse ZᵀA⁻¹.

    """

    matrix: Any
    sums: Any

    def solve(self, right: Array) -> Array:
        """Return A⁻¹ times (N, c) right-hand sides."""
        return np.asarray(self.matrix @ right)

    def total(self, right: Array) -> Array:
        """Return (K, c) sums over the outputs of each system, ZᵀA⁻¹ times right-hand sides."""
        return np.asarray(self.sums @ right)

    def total_sparse(self, right: Any) -> Array:
        """Return the same, (K, K), of (N, K) sparse right-hand sides."""
        return np.asarray((self.sums @ right).toarray())


@dataclass(frozen=True, eq=False)
class Iterations:
    """A alone, solved by conjugate gradients for all columns at once.

    Attributes:
        matrix: (N, N) sparse A.
        collect: (K, N) sparse Zᵀ.

    """

    matrix: Any
    collect: Any

    def solve(self, right: Array) -> Array:
        """Return A⁻¹ times (N, c) right-hand sides.

        Raises:
            NotConverged: rounding keeps iterations from settling.

        """
        shape = right.shape

        def product(vector: Array) -> Array:
            return np.asarray(self.matrix @ vector.reshape(shape)).reshape(-1)

        diagonal = np.repeat(self.matrix.diagonal(), shape[1])
        found = solve_conjugate(product, right.reshape(-1), diagonal, tolerance=_EXACT)
        if found is None:
            raise NotConverged(
                "qualities of outputs could not be solved for",
                ["take an item_sd and a noise_sd that differ less"],
            )
        return found.reshape(shape)

    def total(self, right: Array) -> Array:
        """Return (K, c) sums over the outputs of each system, ZᵀA⁻¹ times right-hand sides."""
        return np.asarray(self.collect @ self.solve(right))

    def total_sparse(self, right: Any) -> Array:
        """Return the same, (K, K), of (N, K) sparse right-hand sides, some columns at a time."""
        starts = range(0, right.shape[1], _COLUMNS)
        parts = [self.total(right[:, start : start + _COLUMNS].toarray()) for start in starts]
        return np.concatenate(parts, axis=1)


@dataclass(frozen=True, eq=False)
class Posterior:
    """Abilities and qualities given differences; see the head of this file.

    Attributes:
        differ: (C, N) sparse X.
        gather: (N, C) sparse Xᵀ.
        author: (N,) number of the system that made each output.
        item_sd: σ_a.
        noise_sd: √v, standard deviation of a difference around that of its qualities.
        solver: what solves with A.
        ability_vcov: (K, K) covariance S of abilities, the same for any differences.

    """

    differ: Any
    gather: Any
    author: Numbers
    item_sd: float
    noise_sd: float
    solver: Solver
    ability_vcov: Array

    @cached_property
    def ability_root(self) -> Array:
        """(K, K) lower L with L Lᵀ = S."""
        return np.asarray(np.linalg.cholesky(self.ability_vcov))

    def mean_abilities(self, differences: Array) -> Array:
        """Return (K, c) E[μ | D] for (C, c) differences."""
        told = self.solver.total(np.asarray(self.gather @ differences))
        return np.asarray(self.ability_vcov @ told / (self.noise_sd * self.item_sd) ** 2)

    def draw_abilities(self, rng: np.random.Generator, means: Array) -> Array:
        """Return (K, c) draws of μ given D, around its means."""
        return np.asarray(means + self.ability_root @ rng.standard_normal(means.shape))

    def draw_qualities(
        self, rng: np.random.Generator, differences: Array, abilities: Array
    ) -> Array:
        """Return (N, c) draws of q given (C, c) differences D and (K, c) abilities μ."""
        own = rng.standard_normal((len(self.author), differences.shape[1]))
        prior = abilities[self.author] + self.item_sd * own
        noise = self.noise_sd * rng.standard_normal(differences.shape)
        seen = np.asarray(self.gather @ (differences + noise))
        return self.solver.solve(prior / self.item_sd**2 + seen / self.noise_sd**2)


@dataclass(frozen=True)
class Scales:
    """Standard deviations: of abilities σ_0, of qualities σ_a, of a difference √v."""

    ability: float
    item: float
    difference: float


def make_posterior(author: Numbers, sides: tuple[Numbers, Numbers], scales: Scales) -> Posterior:
    """Prepare everything that does not depend on the differences.

    Args:
        author: (N,) number of the system that made each output, of K from 0.
        sides: (C,) the output counted +1 and the one counted −1 of each comparison.
        scales: standard deviations.

    >>> sides = np.array([0]), np.array([1])
    >>> one = make_posterior(np.array([0, 1]), sides, Scales(1.0, 0.5, 2**0.5))
    >>> one.ability_vcov.round(4).tolist()  # prior less what one difference of variance 4.5 tells
    [[0.7778, 0.2222], [0.2222, 0.7778]]
    """
    return make_posterior_of(int(author.max()) + 1, author, sides, scales)


def make_posterior_of(
    k: int, author: Numbers, sides: tuple[Numbers, Numbers], scales: Scales
) -> Posterior:
    """Prepare the same for k systems, some of which may have made nothing."""
    from scipy import sparse

    c, n = len(sides[0]), len(author)
    signs = np.repeat([1.0, -1.0], c)
    rows = np.tile(np.arange(c), 2)
    differ = sparse.csr_array((signs, (rows, np.concatenate(sides))), shape=(c, n))
    gather = differ.T.tocsr()
    made = sparse.csr_array((np.ones(n), (np.arange(n), author)), shape=(n, k))
    solver = _choose_solver(differ, made, sides, scales)
    told = solver.total_sparse(gather @ (differ @ made)) / (scales.difference * scales.item) ** 2
    inverse, _ = invert_all((np.eye(k) / scales.ability**2 + (told + told.T) / 2)[None])
    return Posterior(differ, gather, author, scales.item, scales.difference, solver, inverse[0])


def _choose_solver(
    differ: Any, made: Any, sides: tuple[Numbers, Numbers], scales: Scales
) -> Solver:
    """Return the inverse of A where it is small, else A."""
    from scipy import sparse

    c, n = differ.shape
    blocks = make_blocks(n, *(side.astype(np.intp) for side in sides))
    collect = made.T.tocsr()
    if sum(batch.size * batch.width**2 for batch in blocks.batches) <= FULL * (n + c):
        inverse = _invert_blocks(blocks, scales)
        return Inverse(inverse, (collect @ inverse).tocsr())
    ridge = sparse.eye_array(n, format="csr") / scales.item**2
    return Iterations((ridge + differ.T @ differ / scales.difference**2).tocsr(), collect)


def _invert_blocks(blocks: Blocks, scales: Scales) -> Any:
    """Return A⁻¹, outputs in their own order."""
    from scipy import sparse

    weights = np.full(len(blocks.order), scales.difference**-2)
    held, rows, columns = [], [], []
    for batch in blocks.batches:
        precision = batch.precision(weights[batch.entries], scales.item**-2)
        inverse, _ = invert_all(precision)
        slot = np.arange(batch.nodes.start, batch.nodes.stop).reshape(batch.size, batch.width)
        held.append(inverse.reshape(-1))
        rows.append(np.repeat(slot, batch.width, axis=1).reshape(-1))
        columns.append(np.tile(slot, (1, batch.width)).reshape(-1))
    node = np.full(blocks.slots, -1, dtype=np.int64)
    node[blocks.place] = np.arange(len(blocks.place))
    row, column = node[np.concatenate(rows)], node[np.concatenate(columns)]
    real = (row >= 0) & (column >= 0)  # blocks were filled up to one width
    entries = np.concatenate(held)[real], (row[real], column[real])
    n = len(blocks.place)
    return sparse.csr_array(entries, shape=(n, n))
