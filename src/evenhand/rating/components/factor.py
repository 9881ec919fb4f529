"""The mixed-model equations factored: blocks first, then what they leave of the border.

For each block A (effects of one item) with border B (effects that items share) and corner C

    S = C − Σ Bᵀ A⁻¹ B,    log|M| = log|S| + Σ log|A|
    diag M⁻¹ on a block = diag A⁻¹ + diag (A⁻¹B) S⁻¹ (A⁻¹B)ᵀ
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics.blocks import invert_all
from evenhand.rating.components.arrangement import Arrangement, Batch

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Factor:
    """The inverse of M as far as it is needed.

    Attributes:
        log_det: log|M|.
        diagonal: (effects,) diagonal of M⁻¹.
        border: numbers of the shared effects.
        corner: (G, G) M⁻¹ among them.
        blocks: for each batch its (B, d, d) inverse A⁻¹ and (B, d, g) A⁻¹B.
        batches: the batches.
        means_inverse: (p, p) M⁻¹ among fixed effects.

    """

    log_det: float
    diagonal: Array
    border: NDArray[np.int64]
    corner: Array
    blocks: tuple[tuple[Array, Array], ...]
    batches: tuple[Batch, ...]
    means_inverse: Array

    @classmethod
    def of(cls, made: Arrangement, scale: Array, residual: float) -> Factor:
        """Eliminate the blocks, then invert what they leave of the border."""
        padded = np.append(scale, 0.0)
        width = len(made.border)
        edge = np.append(scale[made.border], 0.0)
        corner = np.zeros((width + 1) ** 2)
        log_det, blocks = 0.0, []
        for batch in made.batches:
            inverse, across, part = _eliminate(batch, padded, edge, residual)
            log_det += part
            blocks.append((inverse, across[0]))
            places = batch.shared[:, :, None] * (width + 1) + batch.shared[:, None, :]
            taken = across[1].transpose(0, 2, 1) @ across[0]
            corner -= np.bincount(places.ravel(), taken.ravel(), (width + 1) ** 2)
        square = corner.reshape(width + 1, width + 1)[:width, :width]
        square += made.crossing * np.outer(edge[:-1], edge[:-1])
        random = np.flatnonzero(made.border >= made.columns)
        square[random, random] += residual
        inverse, part = _invert(square)
        found = cls(
            log_det + part,
            np.zeros(0),
            made.border,
            inverse,
            tuple(blocks),
            made.batches,
            inverse[: made.columns, : made.columns],
        )
        return found._with_diagonal(made.effects)

    def _with_diagonal(self, effects: int) -> Factor:
        width = len(self.border)
        padded = np.zeros((width + 1, width + 1))
        padded[:width, :width] = self.corner
        diagonal = np.zeros(effects + 1)
        diagonal[self.border] = np.diag(self.corner)
        for batch, (inverse, across) in zip(self.batches, self.blocks, strict=True):
            corner = padded[batch.shared[:, :, None], batch.shared[:, None, :]]
            own = np.diagonal(inverse, axis1=1, axis2=2)
            diagonal[batch.effects] = own + ((across @ corner) * across).sum(axis=2)
        return replace(self, diagonal=diagonal[:-1])

    def solve(self, right: Array) -> Array:
        """Return M⁻¹ of (effects, m) right-hand sides."""
        m = right.shape[1]
        padded = np.concatenate((right, np.zeros((1, m))))
        edge = np.concatenate((right[self.border], np.zeros((1, m))))
        for batch, (_, across) in zip(self.batches, self.blocks, strict=True):
            taken = across.transpose(0, 2, 1) @ padded[batch.effects]
            for column in range(m):
                values = taken[:, :, column].ravel()
                edge[:, column] -= np.bincount(batch.shared.ravel(), values, len(edge))
        shared = np.concatenate((self.corner @ edge[:-1], np.zeros((1, m))))
        solution = np.zeros_like(padded)
        solution[self.border] = shared[:-1]
        for batch, (inverse, across) in zip(self.batches, self.blocks, strict=True):
            own = inverse @ padded[batch.effects] - across @ shared[batch.shared]
            solution[batch.effects] = own
        return solution[:-1]


def _eliminate(
    batch: Batch, scale: Array, edge: Array, residual: float
) -> tuple[Array, tuple[Array, Array], float]:
    """Return A⁻¹, (A⁻¹B, B) and the log-determinant of some blocks, without what is filled up."""
    own = scale[batch.effects]
    blocks = batch.inner * own[:, :, None] * own[:, None, :]
    diagonal = np.arange(own.shape[1])
    blocks[:, diagonal, diagonal] += residual
    inverse, log_det = invert_all(blocks)
    filled = int((batch.effects == len(scale) - 1).sum())
    border = batch.across * own[:, :, None] * edge[batch.shared][:, None, :]
    return inverse, (inverse @ border, border), float(log_det.sum()) - filled * log(residual)


def _invert(matrix: Array) -> tuple[Array, float]:
    """Return the inverse of a positive definite matrix, and its log-determinant.

    By numpy alone: the library that scipy brings along would not keep to one thread.
    """
    root = np.linalg.cholesky(matrix)
    inverse = np.linalg.inv(matrix)
    return (inverse + inverse.T) / 2, 2 * float(np.log(np.diag(root)).sum())
