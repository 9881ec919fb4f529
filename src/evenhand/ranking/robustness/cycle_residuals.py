"""Worlds in which nothing goes round in circles, by each way in which judgments hang together.

Where judges and items both cluster, either way alone sees only a part of the noise: with tastes of
both, a test by judge and one by item find cycles together in a fifth of populations without any.
A third kind of world adds both, d = a (d_J + d_I), pair by pair at the variance V_J + V_I − V_JI
(INFERENCE A6, B3); the least sure of the three speaks, so that the test holds as well where one
way alone clusters. The noise is that of these worlds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Tally
from evenhand.models.base import Fit
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics.bootstrap import draw_webb
from evenhand.ranking.clustering import Clustering, Evidence

# What a Bradley-Terry model leaves of every pair of systems, by judge or item.
#
# With W of N decisive votes for the first system of a pair, p̂ what the model expects of it,
# r = W − N p̂ and w = N p̂ q̂, r/w is to first order the log-odds that worths do not explain
# (HodgeRank: Jiang, Lim, Yao & Ye 2011, Statistical ranking and combinatorial Hodge theory,
# Mathematical Programming 127:203-244), and
#
# T = Σ r² / w
#
# Pearson's statistic over pairs. Noise moves residuals only where worths cannot follow: P r, with
# P = I − w X H⁻¹ Xᵀ. Ties are left out: under Davidson's model, too, decisive votes follow p.
#
# A preference for the output shown first makes circles where sides go round: a before b, b before
# c, c before a. With an order effect δ in the model, p̂ depends on the side, r and w are sums over
# both sides of a pair, and X has one more column.

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
LARGEST: Final = 30_000_000  # Most numbers in a table of pairs by judges


@dataclass(frozen=True, eq=False)
class PairResiduals:
    """Pairs that were compared decisively, with what the model leaves of them."""

    systems: tuple[str, ...]  # names
    first: Integers  # (P,) code of the system first by name
    second: Integers  # (P,) code of the other
    # (S, P) decisive votes N; S is 2 where the output shown first may have an advantage: those
    # with the system first by name shown first, then those with it shown second
    totals: Array
    wins: Array  # (S, P) votes for the system first by name, W
    chances: Array  # (S, P) p̂
    worth: Array  # (K,) fitted log-worths

    @property
    def sided(self) -> bool:
        """Whether an advantage of the first output was fitted."""
        return len(self.totals) > 1

    @property
    def total(self) -> Array:
        """(P,) decisive votes on each pair."""
        return np.asarray(self.totals.sum(axis=0))

    @property
    def won(self) -> Array:
        """(P,) those for the system first by name."""
        return np.asarray(self.wins.sum(axis=0))

    @property
    def residual(self) -> Array:
        """(P,) r."""
        return np.asarray((self.wins - self.totals * self.chances).sum(axis=0))

    @property
    def weights(self) -> Array:
        """(S, P) N p̂ q̂."""
        return np.asarray(self.totals * self.chances * (1 - self.chances))

    @property
    def weight(self) -> Array:
        """(P,) w, over both sides."""
        return np.asarray(self.weights.sum(axis=0))

    @property
    def lean(self) -> Array:
        """(P,) what an advantage of the first output moves: weights by side, one less the other."""
        return np.asarray(self.weights[0] - self.weights[-1])

    @property
    def statistic(self) -> float:
        """T."""
        return float((self.residual**2 / self.weight).sum())

    @property
    def explained(self) -> float:
        """Σ w d², d the fitted log-odds: what worths explain, on the scale of T."""
        apart = self.worth[self.first] - self.worth[self.second]
        return float((self.weight * apart**2).sum())

    @property
    def df(self) -> int:
        """Degrees of freedom of T: pairs less worths that are free.

        An order effect takes one where each pair has a side of its own, and none where both sides
        are as frequent: there it moves nothing that is summed over both.
        """
        free = len(self.first) - len(self.systems) + 1
        if not self.sided:
            return free
        across = self._design.T @ self.lean
        worths = self.information[:-1, :-1]
        follows = float(across @ np.linalg.solve(worths, across))
        own = float((self.lean**2 / self.weight).sum()) - follows
        return free - round(own / (float(self.weight.sum()) - follows))

    def follow(self, rows: Array) -> Array:
        """Return (G, K or so) how far parameters follow each row of residuals: H⁻¹ Zᵀ r.

        rows: (G, P) residuals; with the score of the order effect behind them where it is fitted.
        """
        size = len(self.first)
        scores = np.concatenate([rows[:, :size] @ self._design, rows[:, size:]], axis=1)
        return np.asarray(np.linalg.solve(self.information, scores.T).T)

    def project(self, rows: Array) -> Array:
        """Return (G, P) P r: what parameters cannot follow."""
        size, worths = len(self.first), len(self.systems) - 1
        moved = self.follow(rows)
        left = rows[:, :size] - self.weight * (self._design @ moved[:, :worths].T).T
        return left - moved[:, worths:] * self.lean if self.sided else left

    @property
    def information(self) -> Array:
        """(p, p) H: worths, the last system at zero, then the order effect where it is fitted."""
        design, weight = self._design, self.weight
        worths = design.T @ (weight[:, None] * design)
        if not self.sided:
            return np.asarray(worths)
        across = design.T @ self.lean
        return np.block([[worths, across[:, None]], [across[None], weight.sum()]])

    @property
    def _design(self) -> Array:
        design = np.zeros((len(self.first), len(self.systems)))
        at = np.arange(len(self.first))
        design[at, self.first], design[at, self.second] = 1.0, -1.0
        return design[:, :-1]


def find_residuals(tally: Tally, *, order_effect: bool = False) -> tuple[PairResiduals, Fit]:
    """Fit Bradley and Terry's model to decisive votes and return what it leaves of each pair."""
    fit = BradleyTerry(ties="discard", order_effect=order_effect).fit(tally)
    size, (left, right) = len(tally.systems), (tally.left, tally.right)
    turned = left > right
    low, high = np.where(turned, right, left), np.where(turned, left, right)
    key = low.astype(np.int64) * size + high
    total = tally.wins + tally.losses
    pairs = np.unique(key[total > 0])
    used = total > 0
    at = np.searchsorted(pairs, key[used]) + len(pairs) * (turned[used] & order_effect)
    shape = (1 + order_effect, len(pairs))
    won = np.where(turned, tally.losses, tally.wins)
    wins, totals = (
        np.asarray(
            np.bincount(at, some[used], minlength=shape[0] * shape[1]), dtype=np.float64
        ).reshape(shape)
        for some in (won, total)
    )
    first, second = np.divmod(pairs, size)
    worth = fit.log_worth
    ahead = 2 * fit.likelihood.parts(fit.beta)[2] if order_effect else 0.0
    sides = np.array([1.0, -1.0])[: shape[0], None] * ahead
    chances = 1 / (1 + np.exp(worth[second] - worth[first] - sides))
    return PairResiduals(tally.systems, first, second, totals, wins, chances, worth), fit


def split_residuals(whole: PairResiduals, tally: Tally, name: str) -> Array:
    """Return (G, P) residuals of each judge (or item) for each pair; they sum to r.

    Where an order effect is fitted, its score stands behind them: (G, P + 1).
    """
    factor = tally.factor(name)
    if factor.size * len(whole.first) > LARGEST:
        raise UnknownOption(
            f"{len(whole.first):,} pairs by {factor.size:,} {name}s are too many to look for cycles"
        )
    rows, at, residual, side = place_votes(whole, tally)
    codes = factor.codes[rows].astype(np.int64)
    flat = np.bincount(
        codes * len(whole.first) + at, residual, minlength=factor.size * len(whole.first)
    )
    found = np.asarray(flat, dtype=np.float64).reshape(factor.size, len(whole.first))
    if not whole.sided:
        return found
    return np.column_stack([found, np.bincount(codes, side * residual, minlength=factor.size)])


def split_some(whole: PairResiduals, tally: Tally, name: str, pairs: Integers) -> Array:
    """Return (G, n) residuals of each judge (or item) for some pairs, whatever all pairs would be.

    pairs: (n,) numbers of the pairs.
    """
    factor = tally.factor(name)
    rows, at, residual, _ = place_votes(whole, tally)
    own = [at == pair for pair in pairs.tolist()]
    codes = [factor.codes[rows[held]] for held in own]
    sums = [
        np.bincount(code, residual[held], minlength=factor.size)
        for code, held in zip(codes, own, strict=True)
    ]
    return np.asarray(np.stack(sums, axis=1), dtype=np.float64)


def place_votes(whole: PairResiduals, tally: Tally) -> tuple[Integers, Integers, Array, Array]:
    """Return where decisive votes are: entry of a tally, pair, residual, side.

    The side is 1 where the system first by name was shown first, else −1.
    """
    size = len(tally.systems)
    swap = tally.left > tally.right
    low = np.where(swap, tally.right, tally.left).astype(np.int64)
    high = np.where(swap, tally.left, tally.right).astype(np.int64)
    won, total = np.where(swap, tally.losses, tally.wins), tally.wins + tally.losses
    rows = np.flatnonzero(total > 0)
    at = np.searchsorted(whole.first * size + whole.second, low[rows] * size + high[rows])
    side = swap[rows] * (1 if whole.sided else 0)
    return (
        rows,
        at,
        won[rows] - total[rows] * whole.chances[side, at],
        np.where(swap[rows], -1.0, 1.0),
    )


# The noise that judges and items share: residuals of each judge on each item.
#
# Where judges and items both cluster, the variance of a residual is V_J + V_I − V_JI with V_JI over
# cells of a judge and an item: what both ways count is taken out once (INFERENCE A6, B3). Cells can
# be many, so that no table of cells by pairs is made.


@dataclass(frozen=True, eq=False)
class Spread:
    """How far residuals of clusters spread, summed over clusters."""

    across: Array  # (P,) Σ_g (P r_g)², what worths cannot follow, for each pair
    along: float  # Σ_g Σ w (x H⁻¹ Xᵀ r_g)², what they follow, on the scale of T


def measure_clusters(whole: PairResiduals, rows: Array) -> Spread:
    """Return the spread over judges, or over items.

    rows: (G, P) residuals of each cluster; rows of zeros do not count.
    """
    rows = rows[np.abs(rows).sum(axis=1) > 0]
    left, moved = whole.project(rows), whole.follow(rows)
    worths = np.pad(moved[:, : len(whole.systems) - 1], ((0, 0), (0, 1)))
    followed = _square_gaps(whole, worths.T @ worths) @ whole.weight
    scale = correct(len(rows))
    return Spread(scale * (left**2).sum(axis=0), scale * float(followed))


def _square_gaps(whole: PairResiduals, both: Array) -> Array:
    """Return (P,) Σ (a − b)² of the systems of each pair, from (K, K) sums of products."""
    ends = both[whole.first, whole.first] + both[whole.second, whole.second]
    return np.asarray(ends - 2 * both[whole.first, whole.second])


def measure_cells(whole: PairResiduals, tally: Tally, names: tuple[str, str]) -> Spread:
    """Return the spread over cells, such as those of a judge and an item."""
    cell, pair, residual, sides = _split(whole, tally, names)
    cells, size = len(sides), len(whole.systems)
    flat = np.zeros(cells * size)
    for sign, side in ((1.0, whole.first), (-1.0, whole.second)):
        flat += sign * np.bincount(cell * size + side[pair], residual, minlength=len(flat))
    scores = flat.reshape(cells, size)[:, :-1]
    scores = np.column_stack([scores, sides]) if whole.sided else scores
    moved = np.linalg.solve(whole.information, scores.T).T
    worths = np.zeros((cells, size))
    worths[:, :-1] = moved[:, : size - 1]
    order = moved[:, size - 1] if whole.sided else np.zeros(cells)
    apart = worths[cell, whole.first[pair]] - worths[cell, whole.second[pair]]
    followed = whole.weight[pair] * apart + whole.lean[pair] * order[cell]
    gaps, turn = _square_gaps(whole, worths.T @ worths), order @ worths
    squares = whole.weight**2 * gaps + whole.lean**2 * (order @ order)
    squares += 2 * whole.weight * whole.lean * (turn[whole.first] - turn[whole.second])
    scale = correct(cells)
    across = np.bincount(pair, residual * (residual - 2 * followed), minlength=len(squares))
    return Spread(scale * (across + squares), scale * float(gaps @ whole.weight))


def _split(
    whole: PairResiduals, tally: Tally, names: tuple[str, str]
) -> tuple[Integers, Integers, Array, Array]:
    """Return cell, pair and residual wherever a cell has decisive votes on a pair.

    Behind them, (cells,) scores of the order effect.
    """
    rows, at, residual, side = place_votes(whole, tally)
    factors = [tally.factor(name) for name in names]
    joined = join_codes([(factor.codes[rows], factor.size) for factor in factors])
    _, cell = np.unique(joined, return_inverse=True)
    sides = np.asarray(np.bincount(cell, side * residual), dtype=np.float64)
    keys, inverse = np.unique(cell * len(whole.first) + at, return_inverse=True)
    cell, pair = np.divmod(keys, len(whole.first))
    return cell, pair, np.asarray(np.bincount(inverse, residual), dtype=np.float64), sides


def correct(clusters: int) -> float:
    """Return G / (G − 1), by which a spread over G clusters is too small.

    >>> correct(5)
    1.25
    """
    return clusters / max(clusters - 1, 1)


# How much noise alone goes round in circles: residuals of worlds in which nothing does.
#
# Where judges are known their residuals keep their size and change their sign and scale at random,
# r* = Σ v_g √(J/(J − 1)) P r_g with Webb's weights v, so that what hangs together stays together.
# Without them votes are drawn from the fitted model, each by itself. That must not be done with
# judges who have tastes: at level .05 it finds cycles in .19 of populations of six judges without
# any (tests/experiments/test_e8_cycles.py).


def draw_wild(whole: PairResiduals, rows: Array, worlds: int, rng: np.random.Generator) -> Array:
    """Return (B, P) residuals of worlds in which judges' residuals have random signs."""
    held = rows[np.abs(rows).sum(axis=1) > 0]
    if len(held) < 2:
        raise NotIdentified("decisive votes are of one cluster: there is no spread between")
    scale = np.sqrt(len(held) / (len(held) - 1))
    weights = draw_webb((worlds, len(held)), rng)
    return np.asarray(scale * weights @ whole.project(held))


def draw_parametric(whole: PairResiduals, worlds: int, rng: np.random.Generator) -> Array:
    """Return (B, P) residuals of worlds in which every vote follows the model by itself.

    Each world is fitted again by a step of Newton's, which is P applied to its residuals.
    """
    votes = whole.totals.round().astype(np.int64)
    drawn = rng.binomial(votes, whole.chances, (worlds, *votes.shape))
    apart = drawn - whole.totals * whole.chances
    rows = apart.sum(axis=1)
    if whole.sided:
        rows = np.column_stack([rows, (apart[:, 0] - apart[:, 1]).sum(axis=1)])
    return whole.project(rows)


def norms(whole: PairResiduals, drawn: Array) -> Array:
    """Return (B,) T of each world."""
    return np.asarray((drawn**2 / whole.weight).sum(axis=1))


WORLDS: Final = 999
BOTH: Final = ("judge", "item")


@dataclass(frozen=True, eq=False)
class Worlds:
    """Residuals of worlds without circles."""

    # (B, P) residuals by way of clustering, those of all ways together last
    drawn: Mapping[str, Array]
    spurious: float  # Σ w d² that noise adds to what worths explain

    @property
    def ways(self) -> tuple[str, ...]:
        """What clusters; empty where votes are drawn one by one."""
        return tuple(name for name in self.drawn if name in (*BOTH, "ranking"))

    def noise(self, whole: PairResiduals) -> float:
        """Return the mean of T in worlds of all ways together."""
        return float(norms(whole, list(self.drawn.values())[-1]).mean())

    def p(self, whole: PairResiduals) -> float:
        """Return the share of worlds with a T as large; the least sure of the ways counts."""
        least = whole.statistic * (1 - 1e-12)
        above = [int((norms(whole, own) >= least).sum()) for own in self.drawn.values()]
        return (1 + max(above)) / (1 + WORLDS)


def draw_worlds(
    whole: PairResiduals, evidence: Evidence, chosen: Clustering, rng: np.random.Generator
) -> tuple[Worlds, Clustering]:
    """Draw worlds by each way of clustering, and by judge and item together where both cluster."""
    drawn: dict[str, Array] = {}
    spreads: dict[str, Spread] = {}
    for name in chosen.ways:
        rows = split_residuals(whole, evidence.tallies[name], name)
        try:
            drawn[name] = draw_wild(whole, rows, WORLDS, rng)
        except NotIdentified as refusal:
            note = f"{refusal.fault}: no clustering by {name}"
            chosen = replace(chosen, notes=(*chosen.notes, note))
        else:
            spreads[name] = measure_clusters(whole, rows)
    if len(drawn) > 1:
        return _cross(whole, evidence.tallies[BOTH[0]], drawn, spreads), chosen
    if drawn:
        (spread,) = spreads.values()
        return Worlds(drawn, spread.along), chosen
    if evidence.whole.squares is not None:
        raise UnknownOption(
            "importance weights are no counts, so that the model knows no noise: give judges, or"
            " leave the weights out"
        )
    return Worlds({"": draw_parametric(whole, WORLDS, rng)}, len(whole.systems) - 1.0), chosen


def _cross(
    whole: PairResiduals, tally: Tally, drawn: Mapping[str, Array], spreads: Mapping[str, Spread]
) -> Worlds:
    """Add worlds of judges and items together."""
    judges, items, cells = *(spreads[name] for name in BOTH), measure_cells(whole, tally, BOTH)
    total = judges.across + items.across
    variance = np.maximum(total - cells.across, 0.0)
    scale = np.sqrt(np.divide(variance, total, out=np.zeros_like(total), where=total > 0))
    both = scale * (drawn[BOTH[0]] + drawn[BOTH[1]])
    along = max(judges.along + items.along - cells.along, 0.0)
    return Worlds({**drawn, "+".join(BOTH): both}, along)
