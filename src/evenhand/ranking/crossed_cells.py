"""The covariance by cells of two ways of clustering, from rows that know their cell.

    V_JI = H⁻¹ (Σ_c s_c s_cᵀ) H⁻¹,   s_c = Σ_{rows of cell c} s_row                (INFERENCE B3)

A row has one of 3 K² scores, which are looked up. They are rounded to binary fractions of which
every sum is exact, so that neither the order of rows nor their batches show in the last digit.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.row_counting import CrossedRows
from evenhand.preference.fit import Fit
from evenhand.ranking.pieces import ETA, TIE, evaluate_pairs

Array = NDArray[np.float64]
BLOCK: Final = 50_000
"""Rows that are worked on at a time."""
EXACT: Final = 52
"""Bits of a sum that double precision keeps."""


def crossed_rows_covariance(fit: Fit, rows: CrossedRows) -> Array:
    """Return the (p, p) covariance by cells of two ways, CR0.

    Args:
        fit: the fit to the data, one worth per system.
        rows: the same data, each row with its cell.

    """
    scores = _sum_scores(fit, rows)
    return np.asarray(fit.raw_vcov @ (scores.T @ scores) @ fit.raw_vcov)


def _sum_scores(fit: Fit, rows: CrossedRows) -> Array:
    """Return (cells, p) scores of cells."""
    k, size = rows.systems, rows.size
    most = int(np.bincount(rows.cells).max())
    slopes = evaluate_pairs(fit)[:, [ETA, TIE]].reshape(3, 2, -1)
    by_eta, by_tie = (_round(slopes[:, row].ravel(), most) for row in (0, 1))
    pairs = np.arange(3 * k * k) % (k * k)
    left, right = pairs // k, pairs % k
    by_system, whole = np.zeros(size * k), np.zeros((2, size))
    for start in range(0, len(rows.cells), BLOCK):
        answers = rows.answers[start : start + BLOCK].astype(np.intp)
        cells = rows.cells[start : start + BLOCK].astype(np.intp)
        slope, flat = by_eta.take(answers), cells * k
        np.add.at(by_system, flat + left.take(answers), slope)
        np.subtract.at(by_system, flat + right.take(answers), slope)
        if fit.likelihood.law.free:
            whole[0] += np.bincount(cells, by_tie.take(answers), minlength=size)
        if fit.likelihood.order_effect:
            whole[1] += np.bincount(cells, slope, minlength=size)
    columns = [fit.design.pull(by_system.reshape(size, k).T)]
    columns += [whole[:1]] if fit.likelihood.law.free else []
    columns += [whole[1:]] if fit.likelihood.order_effect else []
    return np.asarray(np.concatenate(columns).T)


def _round(values: Array, terms: int) -> Array:
    """Round numbers so that sums of so many of them are exact."""
    largest = float(np.abs(values).max(initial=0.0)) * terms
    unit = EXACT - int(np.ceil(np.log2(max(largest, 1.0))))
    return np.asarray(np.ldexp(np.round(np.ldexp(values, unit)), -unit))
