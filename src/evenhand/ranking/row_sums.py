"""Scores and information of clusters, summed over rows with controls.

The same sums as `pieces` makes of tallies, gone through some rows at a time; the controls stand
last. Memory is that of the sums: clusters × parameters², or clusters × parameters where only
scores are asked for. Where the former are too many to hold, rows are gone through again for some
clusters at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.joined_codes import join_codes
from evenhand.preference.controls.fit import ControlledFit
from evenhand.preference.controls.likelihood import Part, sum_information
from evenhand.preference.ties.laws import Local, expand_blocks
from evenhand.ranking.pieces import (
    Pieces,
    cluster_information,
    cluster_scores,
    score_products,
)

Array = NDArray[np.float64]
NOTHING: Final = np.zeros((0, 0, 0))


@dataclass(frozen=True, eq=False)
class RowSums:
    """What each cluster of rows holds.

    Attributes:
        scores: (G, p) scores.
        information: (G, p, p) information; empty where only scores were asked for.
        informed: (G,) whether a cluster holds information.
        names: the factors whose levels cluster.

    """

    scores: Array
    information: Array
    informed: NDArray[np.bool_]
    names: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of clusters."""
        return len(self.scores)

    def held(self) -> NDArray[np.bool_]:
        """Say of each cluster whether it holds information: one of discarded ties does not."""
        return self.informed


def _parts(fit: ControlledFit) -> Iterator[tuple[Part, Local]]:
    """Go through the rows at the estimate."""
    for part in fit.likelihood.split(fit.rows):
        eta, tie = fit.likelihood.locate(part, fit.beta)
        yield part, expand_blocks(fit.likelihood.law, eta, tie, part.plain.counts)


def sum_rows(fit: ControlledFit, names: tuple[str, ...], *, information: bool) -> RowSums:
    """Sum the rows of each cluster.

    Args:
        fit: the fit, whose rows tell the clusters apart.
        names: the factors whose levels cluster; of two, their cells.
        information: whether information is wanted beside scores.

    """
    factors = [fit.rows.levels[name] for name in names]
    size, p = int(np.prod([factor.size for factor in factors])), fit.likelihood.reported
    scores, informed = np.zeros((size, p)), np.zeros(size)
    whole = np.zeros((size, p, p)) if information else NOTHING
    for part, local in _parts(fit):
        digits = [(part.batch.codes[n], f.size) for n, f in zip(names, factors, strict=True)]
        codes = join_codes(digits)
        scores += _scores(fit, part, local, _Clusters(codes, size))
        informed += np.bincount(codes, local.eta_eta, size)
        if information:
            _add_information(whole, fit, part, local, clusters=_Clusters(codes, size))
    return RowSums(scores, whole, informed > 0, names)


def sum_some(fit: ControlledFit, names: tuple[str, ...], start: int, stop: int) -> Array:
    """Return (g, p, p) information of consecutive clusters, from one more pass over the rows."""
    factors = [fit.rows.levels[name] for name in names]
    some, p = stop - start, fit.likelihood.reported
    whole = np.zeros((some + 1, p, p))
    for part, local in _parts(fit):
        digits = [(part.batch.codes[n], f.size) for n, f in zip(names, factors, strict=True)]
        codes = join_codes(digits) - start
        codes[(codes < 0) | (codes > some)] = some  # all others together
        _add_information(whole, fit, part, local, clusters=_Clusters(codes, some + 1))
    return whole[:some]


@dataclass(frozen=True, eq=False)
class _Clusters:
    codes: NDArray[np.int64]
    size: int

    def sums(self, values: Array) -> Array:
        return np.asarray(np.bincount(self.codes, values, self.size), dtype=np.float64)


def _pieces(part: Part, slopes: Array, clusters: _Clusters) -> Pieces:
    return Pieces(part.batch.left, part.batch.right, slopes, clusters.codes, clusters.size)


def _scores(fit: ControlledFit, part: Part, local: Local, clusters: _Clusters) -> Array:
    """Return (G, p) scores of some rows."""
    none = np.zeros_like(local.eta)
    slopes = np.stack([local.eta, local.tie, none, none, none])
    plain = cluster_scores(fit, _pieces(part, slopes, clusters))
    controls = [clusters.sums(local.eta * column)[:, None] for column in part.x.T]
    return np.concatenate([plain, *controls], axis=1)


def _add_information(
    whole: Array, fit: ControlledFit, part: Part, local: Local, *, clusters: _Clusters
) -> None:
    """Add the (G, p, p) information of some rows."""
    m, none = fit.likelihood.before, np.zeros_like(local.eta)
    slopes = np.stack([none, none, local.eta_eta, local.eta_tie, local.tie_tie])
    whole[:, :m, :m] += cluster_information(fit, _pieces(part, slopes, clusters))
    for at, column in enumerate(part.x.T, start=m):
        weighed = local.eta_eta * column
        across = np.stack([weighed, local.eta_tie * column, none, none, none])
        border = cluster_scores(fit, _pieces(part, across, clusters))
        whole[:, :m, at] += border
        whole[:, at, :m] += border
        for other, own in enumerate(part.x.T, start=m):
            whole[:, at, other] += clusters.sums(weighed * own)


def judgment_meat(fit: ControlledFit) -> Array:
    """Return (p, p) sums of products of single answers' scores."""
    p = fit.likelihood.reported
    meat = np.zeros((p, p))
    kept = np.array([1.0, fit.model.ties != "discard", 1.0])
    for part in fit.likelihood.split(fit.rows):
        eta, tie = fit.likelihood.locate(part, fit.beta)
        squares = kept * part.squares
        meat += sum_information(part, score_products(fit.likelihood.law, eta, tie, squares))
    return meat
