"""Sandwich covariances: what the data say of their own spread, by cluster.

CV3 and CR1 are those of docs/methods/intervals.md, with s_g and H_g the score and information of
cluster g. Clusters without information, such as a judge all of whose answers are discarded ties,
are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from evenhand.data.count import CrossedRows
from evenhand.data.tally import Factor, Tally, join_codes
from evenhand.errors import NotIdentified, listing
from evenhand.models.likelihood import Local, Tie, TieLaw, expand_blocks
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array
from evenhand.numerics.newton import is_definite

if TYPE_CHECKING:
    from evenhand.models.controls import ControlledFit, Part


def is_controlled(fit: object) -> TypeGuard[ControlledFit]:
    return isinstance(fit, Fit) and fit.by_row


# A fit taken apart. An entry of a tally has η = λ_left − λ_right (+ δ); with its derivatives by
# (η, t) the score of a cluster is a sum over systems, its information a weighted Laplacian with a
# border for t and δ. Parameters stand in the order of the likelihood: those of the design, t, δ.

Codes = NDArray[np.int64] | NDArray[np.int32]

ETA, TIE, ETA_ETA, ETA_TIE, TIE_TIE = range(5)


@dataclass(frozen=True, eq=False)
class PairSums:
    left: Codes  # (C,) code of the system shown first
    right: Codes  # (C,) code of the other
    slopes: Array  # (5, C) first derivatives by η and t, and minus the second by ηη, ηt, tt
    codes: Codes  # (C,) cluster of each entry
    size: int  # number of clusters

    def between(self, start: int, stop: int) -> PairSums:
        """Return consecutive clusters, numbered from 0; entries must be in their order."""
        ends = np.array([start, stop], dtype=self.codes.dtype)
        at = slice(*np.searchsorted(self.codes, ends).tolist())
        codes = self.codes[at] - start
        return PairSums(self.left[at], self.right[at], self.slopes[:, at], codes, stop - start)

    @property
    def held(self) -> NDArray[np.bool_]:
        """Whether each cluster holds information: one of discarded ties does not."""
        return self.total(ETA_ETA) > 0

    def total(self, row: int) -> Array:
        """Sum one derivative over clusters: (G,)."""
        return _sums(self.codes, self.slopes[row], self.size)

    def by_system(self, row: int, k: int) -> Array:
        """Sum one derivative onto the systems of clusters, + for left and − for right: (G, K)."""
        flat = self.codes.astype(np.int64) * k
        up = _sums(flat + self.left, self.slopes[row], self.size * k)
        down = _sums(flat + self.right, self.slopes[row], self.size * k)
        return np.asarray(up - down).reshape(self.size, k)

    def boards(self, k: int) -> Array:
        """Return (G, K, K) information by η of clusters, by who stood left and who right."""
        flat = (self.codes.astype(np.int64) * k + self.left) * k + self.right
        return _sums(flat, self.slopes[ETA_ETA], self.size * k * k).reshape(self.size, k, k)


def take_apart(fit: Fit, tally: Tally, codes: Codes, size: int) -> PairSums:
    """Evaluate a fit on every entry of a tally, with its cluster."""
    counts, worth = fit.model.treat_ties(tally.counts), fit.lambdas
    slopes = _slopes(fit, worth[tally.left] - worth[tally.right], counts)
    return PairSums(tally.left, tally.right, slopes, codes, size)


def _slopes(fit: Fit, apart: Array, counts: Array) -> Array:
    """Return (5, C) derivatives of counts of pairs whose λ differ by `apart`."""
    _, tie, order, _ = fit.likelihood.parts(fit.beta)
    local = expand_blocks(fit.likelihood.law, apart + order, tie, counts)
    return np.stack([local.eta, local.tie, local.eta_eta, local.eta_tie, local.tie_tie])


def cluster_scores(fit: Fit, pieces: PairSums) -> Array:
    """Return (G, p) scores of clusters."""
    by_system = pieces.by_system(ETA, len(fit.systems))
    return join_scores(fit, by_system, pieces.total(TIE), pieces.total(ETA))


def join_scores(fit: Fit, by_system: Array, by_tie: Array, by_order: Array) -> Array:
    """Return (G, p) scores from (G, K) sums onto systems and (G,) sums by t and by δ."""
    columns = [fit.design.pull(by_system.T)]
    columns += [by_tie[None]] if fit.likelihood.law.free else []
    columns += [by_order[None]] if fit.likelihood.order_effect else []
    return np.asarray(np.concatenate(columns).T)


def spread_scores(fit: Fit, scores: Array) -> Array:
    """Return H⁻¹ (Σ_g s_g s_gᵀ) H⁻¹ of (G, p) scores, CR0."""
    return np.asarray(fit.raw_vcov @ (scores.T @ scores) @ fit.raw_vcov)


def score_products(law: TieLaw, eta: Array, tie: Tie, squares: Array) -> Local:
    """Return sums of products of single answers' scores by η and t, from (C, 3) squared weights."""
    # without tie cells the score of the middle column is the mean of the others': a half-win's own
    by_eta, by_tie = law.scores(eta, tie)
    none = np.zeros(len(eta))
    return Local(
        value=none,
        eta=none,
        tie=none,
        eta_eta=(squares * by_eta**2).sum(axis=1),
        eta_tie=(squares * by_eta * by_tie).sum(axis=1),
        tie_tie=(squares * by_tie**2).sum(axis=1),
    )


def _sums(codes: Codes, weights: Array, size: int) -> Array:
    """Sum weights by code; also where there are none, in which bincount counts whole numbers."""
    return np.bincount(codes, weights, minlength=size).astype(np.float64, copy=False)


def cluster_information(fit: Fit, pieces: PairSums) -> Array:
    worths, k = len(fit.design.names), len(fit.systems)
    borders = [(ETA_TIE, TIE_TIE)] if fit.likelihood.law.free else []
    if fit.likelihood.order_effect:
        borders.append((ETA_ETA, ETA_ETA))
    p = worths + len(borders)
    whole = np.zeros((pieces.size, p, p))
    boards, each = pieces.boards(k), np.arange(k)
    laplacians = -boards - boards.transpose(0, 2, 1)
    laplacians[:, each, each] = boards.sum(axis=2) + boards.sum(axis=1)
    whole[:, :worths, :worths] = fit.design.pull_each(laplacians)
    for at, (across, diagonal) in enumerate(borders, start=worths):
        border = fit.design.pull(pieces.by_system(across, k).T).T
        whole[:, :worths, at] = whole[:, at, :worths] = border
        whole[:, at, at] = pieces.total(diagonal)
    if len(borders) > 1:
        whole[:, worths, worths + 1] = whole[:, worths + 1, worths] = pieces.total(ETA_TIE)
    return whole


def sparse_meat(fit: Fit, pieces: PairSums) -> Array:
    """Return (p, p) sums of s sᵀ over many small clusters, each of which touches few systems."""
    from scipy import sparse

    by_eta, by_tie, size = pieces.slopes[ETA], pieces.slopes[TIE], len(fit.systems)
    parts = [(pieces.left, by_eta), (pieces.right, -by_eta)]
    extras = [by_tie] if fit.likelihood.law.free else []
    extras += [by_eta] if fit.likelihood.order_effect else []
    for values in extras:
        parts.append((np.full(len(values), size, dtype=np.int32), values))
        size += 1
    columns = np.concatenate([column for column, _ in parts])
    values = np.concatenate([value for _, value in parts])
    rows = np.tile(pieces.codes, len(parts))
    scores = sparse.coo_array((values, (rows, columns)), shape=(pieces.size, size)).tocsr()
    full, k = np.asarray((scores.T @ scores).todense()), len(fit.systems)
    left = np.concatenate([fit.design.pull(full[:k]), full[k:]])
    return np.concatenate([fit.design.pull(left[:, :k].T).T, left[:, k:]], axis=1)


MAX_DENSE: Final = 20_000_000  # Most numbers in the information of all clusters, else CR1
MAX_BLOCK_NUMBERS: Final = 2_000_000  # Most such numbers that are worked on at a time
MAX_ITERATIONS: Final = 60
TOLERANCE: Final = 1e-10
MAX_SURE_TRACE: Final = 0.999  # Trace of H⁻¹ H_g below which H − H_g is surely positive definite


def judgment_covariance(fit: Fit) -> Array:
    """Return the (p, p) covariance by single comparisons, CR1 with G = n."""
    (n, inflation), bread = _inflate(fit), fit.raw_vcov
    tally, used = fit.tally, np.array([1.0, fit.model.ties != "discard", 1.0])
    # (p, p) sums of products of single answers' scores
    meat = np.zeros_like(bread)
    if is_controlled(fit):
        from evenhand.models.controls import sum_row_information

        for part in fit.likelihood.split(fit.rows):
            eta, tie = fit.likelihood.locate(part, fit.beta)
            products = score_products(fit.likelihood.law, eta, tie, used * part.squares)
            meat += sum_row_information(part, products)
    else:
        _, tie, order, _ = fit.likelihood.parts(fit.beta)
        eta = fit.lambdas[tally.left] - fit.lambdas[tally.right] + order
        squares = used * (tally.counts if tally.squares is None else tally.squares)
        products = score_products(fit.likelihood.law, eta, tie, squares)
        meat = fit.likelihood.outer_information(tally, products)
    return np.asarray(bread @ meat @ bread * (n / (n - 1) * inflation))


def _inflate(fit: Fit) -> tuple[float, float]:
    """Return the number of comparisons n, and (n − 1)/(n − p) for estimating p parameters.

    Of importance weights n is the effective number, (Σ w)² / Σ w².
    """
    n, p, squares = fit.n_comparisons, len(fit.raw_vcov), fit.tally.squares
    if squares is not None:
        used = squares[:, [0, 2]] if fit.model.ties == "discard" else squares
        n = float(n**2 / used.sum())
    if n <= p:
        raise NotIdentified(
            f"{n:.0f} comparison{'' if n == 1 else 's'} for {p} parameter{'' if p == 1 else 's'}"
            f" {'is' if n == 1 else 'are'} too few to show their own spread",
            ["collect more", "use --interval model"],
        )
    return n, (n - 1) / (n - p)


def cluster_covariance(fit: Fit, tally: Tally, name: str) -> tuple[Array, str]:
    """Return the (p, p) covariance by one way of clustering, and its kind: CV3 or CR1."""
    pieces, factor = gather_clusters(fit, tally, name)
    if factor.size * len(fit.raw_vcov) ** 2 > MAX_DENSE:
        return pooled_covariance(fit, pieces), "CR1"
    try:
        from evenhand.numerics.bootstrap import jackknife

        return jackknife(leave_each_out(fit, pieces, factor)[pieces.held]), "CV3"
    except NotIdentified:
        if name != "ranking":  # one answer may be a link: nothing is claimed of other rankings
            raise
        return pooled_covariance(fit, pieces), "CR1"


def gather_clusters(fit: Fit, tally: Tally, name: str) -> tuple[ClusterSums, Factor]:
    if is_controlled(fit):
        factor = fit.rows.levels[name]
        dense = factor.size * len(fit.raw_vcov) ** 2 <= MAX_DENSE
        return sum_rows(fit, (name,), information=dense), factor
    pooled = tally.pool((name,))
    factor = pooled.factor(name)
    return take_apart(fit, pooled, factor.codes, factor.size), factor


def sum_scores(fit: Fit, pieces: ClusterSums) -> Array:
    return cluster_scores(fit, pieces) if isinstance(pieces, PairSums) else pieces.scores


def sum_information(fit: Fit, pieces: ClusterSums, start: int, stop: int) -> Array:
    if isinstance(pieces, PairSums):
        return cluster_information(fit, pieces.between(start, stop))
    if len(pieces.information) or not is_controlled(fit):
        return pieces.information[start:stop]
    some, p = stop - start, fit.likelihood.reported
    whole = np.zeros((some + 1, p, p))
    for part, local, codes in _walk_rows(fit, pieces.names):
        place = codes - start
        place[(place < 0) | (place > some)] = some  # all others together
        _add_information(whole, fit, part, local, place)
    return whole[:some]


def carry_information(fit: Fit, pieces: PairSums, rows: Array) -> Iterator[Array]:
    """Go through the (m, p) products of rows with the information of one cluster after another."""
    # A cluster compared few of the pairs of many systems, so that its Laplacian is mostly zeros:
    # this is many times faster than products with `sum_information`.
    from scipy import sparse

    k, worths = len(fit.systems), len(fit.design.names)
    across = np.ascontiguousarray(fit.design.rows() @ rows[:, :worths].T)
    borders = [(ETA_TIE, TIE_TIE)] if fit.likelihood.law.free else []
    borders += [(ETA_ETA, ETA_ETA)] if fit.likelihood.order_effect else []
    for g in range(pieces.size):
        one = pieces.between(g, g + 1)
        weights = np.concatenate([one.slopes[ETA_ETA]] * 2)
        ends = one.left, one.right
        left, right = np.concatenate(ends), np.concatenate(ends[::-1])
        board = sparse.csr_array((weights, (left, right)), shape=(k, k))
        flows = board.sum(axis=1)[:, None] * across - board @ across
        others = np.empty((len(rows), len(borders)))
        sums = [one.by_system(row, k)[0] for row, _ in borders]
        for at, (_, diagonal) in enumerate(borders):
            of_border = rows[:, worths + at]
            flows += sums[at][:, None] * of_border
            others[:, at] = sums[at] @ across + one.total(diagonal) * of_border
            if len(borders) > 1:
                others[:, at] += one.total(ETA_TIE) * rows[:, worths + 1 - at]
        yield np.concatenate([fit.design.pull(flows).T, others], axis=1)


def walk_information(fit: Fit, pieces: ClusterSums) -> Iterator[tuple[int, Array]]:
    # of rows as many as can be held, since they are read each time
    most = MAX_BLOCK_NUMBERS if isinstance(pieces, PairSums) else MAX_DENSE
    step = max(1, most // len(fit.raw_vcov) ** 2)
    for start in range(0, pieces.size, step):
        yield start, sum_information(fit, pieces, start, min(start + step, pieces.size))


def pooled_covariance(fit: Fit, pieces: ClusterSums) -> Array:
    """Return the (p, p) covariance by clusters, CR1: none of them need be excluded."""
    clusters = int(np.count_nonzero(pieces.held))
    if clusters < 2:
        raise NotIdentified("all comparisons are of one cluster: there is no spread between")
    return pool_scores(fit, sum_scores(fit, pieces), clusters)


def pool_scores(fit: Fit, scores: Array, clusters: int) -> Array:
    """Return the same from the (G, p) scores of the clusters."""
    return spread_scores(fit, scores) * (clusters / (clusters - 1) * _inflate(fit)[1])


def leave_each_out(fit: Fit, pieces: ClusterSums, factor: Factor) -> Array:
    """Return (G, p) what leaving each cluster out changes in the parameters."""
    scores, total = sum_scores(fit, pieces), total_information(fit)
    changes, alone = [], []
    for start, information in walk_information(fit, pieces):
        alone += [start + g for g in find_singular(total, fit.raw_vcov, information)]
        if not alone:
            some = scores[start : start + len(information)]
            changes.append(leave_out(fit.raw_vcov, total, information, some))
    if alone:
        labels = [factor.labels[g] for g in alone] if not factor.merged else []
        names = "a few clusters" if factor.merged else listing(labels, 3)
        raise NotIdentified(f"without {names} some systems are linked to the rest by nothing")
    return np.concatenate(changes)


def total_information(fit: Fit) -> Array:
    if fit.model.prior:
        return np.asarray(np.linalg.inv(fit.raw_vcov))
    return fit.likelihood.expand(fit.beta).information


def find_singular(total: Array, bread: Array, information: Array) -> list[int]:
    """Return the clusters without which H − H_g is singular, bread being H⁻¹."""
    # There the score of the cluster has nothing in the direction that is lost, so that solving for
    # the change would quietly find none.
    leverage = information.reshape(len(information), -1) @ bread.ravel()
    return [
        int(g)
        for g in np.flatnonzero(leverage > MAX_SURE_TRACE)
        if not is_definite(total - information[g], np.diag(total))
    ]


def leave_out(bread: Array, total: Array, information: Array, scores: Array) -> Array:
    """Solve (H − H_g) d = s_g for every cluster: by iteration, directly where that is slow."""
    changes = scores @ bread
    moved = np.full(len(information), np.inf)
    for _ in range(MAX_ITERATIONS):
        fresh = (scores + np.matmul(information, changes[:, :, None])[:, :, 0]) @ bread
        moved = np.abs(fresh - changes).max(axis=1)
        changes = fresh
        if (moved <= TOLERANCE * np.abs(changes).max()).all():
            break
    for g in np.flatnonzero(moved > TOLERANCE * np.abs(changes).max()):
        changes[g] = np.linalg.solve(total - information[g], scores[g])
    return np.asarray(changes)


def crossed_covariance(fit: Fit, tally: Tally, names: tuple[str, ...]) -> Array:
    """Return the (p, p) covariance by cells of two ways, judge × item, CR0."""
    if is_controlled(fit):
        return spread_scores(fit, sum_rows(fit, names, information=False).scores)
    one, other = (tally.factor(name) for name in names)
    cells, size = one.codes.astype(np.int64) * other.size + other.codes, one.size * other.size
    if size > len(cells):  # most judges see few of the items
        _, cells = np.unique(cells, return_inverse=True)
        size = int(cells.max()) + 1
    if size * len(fit.raw_vcov) > MAX_DENSE:
        pieces = take_apart(fit, tally, cells, size)
        return np.asarray(fit.raw_vcov @ sparse_meat(fit, pieces) @ fit.raw_vcov)
    scores = np.zeros((size, len(fit.raw_vcov)))
    # some entries at a time: of ten million the slopes fill a gigabyte
    for start in range(0, len(cells), MAX_BLOCK_NUMBERS):
        rows = slice(start, start + MAX_BLOCK_NUMBERS)
        counts = {kind: getattr(tally, kind)[rows] for kind in ("wins", "ties", "losses")}
        some = Tally(tally.systems, tally.left[rows], tally.right[rows], **counts)
        pieces = take_apart(fit, some, cells[rows], size)
        scores += cluster_scores(fit, pieces)
    return spread_scores(fit, scores)


# Scores and information of clusters, summed over rows with controls, some at a time; the controls
# stand last. Where clusters × parameters² are too many to hold, rows are gone through again for
# some clusters at a time.

NO_INFORMATION: Final = np.zeros((0, 0, 0))


@dataclass(frozen=True, eq=False)
class RowSums:
    scores: Array  # (G, p) scores
    information: Array  # (G, p, p) information; empty where only scores were asked for
    held: NDArray[np.bool_]  # (G,) whether a cluster holds information
    names: tuple[str, ...]  # the factors whose levels cluster

    @property
    def size(self) -> int:
        return len(self.scores)


ClusterSums = PairSums | RowSums


def _walk_rows(
    fit: ControlledFit, names: tuple[str, ...]
) -> Iterator[tuple[Part, Local, NDArray[np.int64]]]:
    """Go through some rows at a time: their derivatives, and the cluster of each."""
    for part in fit.likelihood.split(fit.rows):
        eta, tie = fit.likelihood.locate(part, fit.beta)
        digits = [(part.batch.codes[name], fit.rows.levels[name].size) for name in names]
        local = expand_blocks(fit.likelihood.law, eta, tie, part.plain.counts)
        yield part, local, join_codes(digits)


def sum_rows(fit: ControlledFit, names: tuple[str, ...], *, information: bool) -> RowSums:
    size, p = prod(fit.rows.levels[name].size for name in names), fit.likelihood.reported
    scores, informed = np.zeros((size, p)), np.zeros(size)
    whole = np.zeros((size, p, p)) if information else NO_INFORMATION
    for part, local, codes in _walk_rows(fit, names):
        none = np.zeros_like(local.eta)
        slopes = np.stack([local.eta, local.tie, none, none, none])
        controls = [_sums(codes, local.eta * column, size)[:, None] for column in part.x.T]
        sums = PairSums(part.batch.left, part.batch.right, slopes, codes, size)
        scores += np.concatenate([cluster_scores(fit, sums), *controls], axis=1)
        informed += np.bincount(codes, local.eta_eta, size)
        if information:
            _add_information(whole, fit, part, local, codes)
    return RowSums(scores, whole, informed > 0, names)


def _add_information(
    whole: Array, fit: ControlledFit, part: Part, local: Local, codes: NDArray[np.int64]
) -> None:
    m, none = fit.likelihood.before, np.zeros_like(local.eta)
    slopes = np.stack([none, none, local.eta_eta, local.eta_tie, local.tie_tie])
    plain = PairSums(part.batch.left, part.batch.right, slopes, codes, len(whole))
    whole[:, :m, :m] += cluster_information(fit, plain)
    for at, column in enumerate(part.x.T, start=m):
        weighed = local.eta_eta * column
        across = np.stack([weighed, local.eta_tie * column, none, none, none])
        border = cluster_scores(fit, replace(plain, slopes=across))
        whole[:, :m, at] += border
        whole[:, at, :m] += border
        for other, column_of_other in enumerate(part.x.T, start=m):
            whole[:, at, other] += _sums(codes, weighed * column_of_other, len(whole))


# The covariance by cells of two ways of clustering, from rows that know their cell.
#
# V_JI = H⁻¹ (Σ_c s_c s_cᵀ) H⁻¹,   s_c = Σ_{rows of cell c} s_row
#
# A row has one of 3 K² scores, which are looked up. They are rounded to binary fractions of which
# every sum is exact, so that neither the order of rows nor their batches show in the last digit.

BLOCK_ROWS: Final = 50_000  # Rows that are worked on at a time
EXACT_BITS: Final = 52  # Bits of a sum that double precision keeps


def crossed_rows_covariance(fit: Fit, rows: CrossedRows) -> Array:
    k, size = rows.systems, rows.size
    most = int(np.bincount(rows.cells).max())
    # derivatives of one answer of each kind on each pair, ties as treated
    apart, units = (fit.lambdas[:, None] - fit.lambdas).ravel(), fit.model.treat_ties(np.eye(3))
    slopes = np.stack([_slopes(fit, apart, np.tile(unit, (k**2, 1)))[:2] for unit in units])
    by_eta, by_tie = (_round(slopes[:, row].T.ravel(), most) for row in (0, 1))
    pairs = np.arange(3 * k * k) // 3
    left, right = pairs // k, pairs % k
    by_system, whole = np.zeros(size * k), np.zeros((2, size))
    for start in range(0, len(rows.cells), BLOCK_ROWS):
        answers = rows.answers[start : start + BLOCK_ROWS].astype(np.intp)
        cells = rows.cells[start : start + BLOCK_ROWS].astype(np.intp)
        slope, flat = by_eta.take(answers), cells * k
        np.add.at(by_system, flat + left.take(answers), slope)
        np.subtract.at(by_system, flat + right.take(answers), slope)
        if fit.likelihood.law.free:
            whole[0] += np.bincount(cells, by_tie.take(answers), minlength=size)
        if fit.likelihood.order_effect:
            whole[1] += np.bincount(cells, slope, minlength=size)
    return spread_scores(fit, join_scores(fit, by_system.reshape(size, k), *whole))


def _round(values: Array, terms: int) -> Array:
    """Round numbers so that sums of so many of them are exact."""
    largest = float(np.abs(values).max(initial=0.0)) * terms
    unit = EXACT_BITS - int(np.ceil(np.log2(max(largest, 1.0))))
    return np.asarray(np.ldexp(np.round(np.ldexp(values, unit)), -unit))
