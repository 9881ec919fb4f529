"""What a Bradley-Terry model leaves of every pair of systems, and how much of it noise makes.

With W of N decisive votes for the first system of a pair, p̂ what the model expects of it,
r = W − N p̂ and w = N p̂ q̂, r/w is to first order the log-odds that worths do not explain
(HodgeRank: Jiang, Lim, Yao & Ye 2011, Statistical ranking and combinatorial Hodge theory,
Mathematical Programming 127:203-244), and

    T = Σ r² / w

Pearson's statistic over pairs. Noise moves residuals only where worths cannot follow: P r, with
P = I − w X H⁻¹ Xᵀ. Ties are excluded: under Davidson's model, too, decisive votes follow p.

A preference for the output shown first makes cycles where sides do: a before b, b before c, c
before a. With an order effect δ in the model, p̂ depends on the side, r and w are sums over both
sides of a pair, and X has one more column.

Replicates without cycles say how much is noise. Where judges are known their residuals keep their
size and change their sign and scale at random, r* = Σ v_g √(J/(J − 1)) P r_g with Webb's weights v,
so that what is correlated stays so. Without them votes are drawn from the fitted model, each by
itself. That must not be done with judges who have tastes: at level .05 it finds cycles in .19 of
populations of six judges without any (tests/experiments/test_e8_cycles.py).

Where judges and items both cluster, either clustering alone sees only a part of the noise: with
tastes of both, a test by judge and one by item find cycles together in a fifth of populations
without any. Replicates of a third kind add both, d = a (d_J + d_I), pair by pair at the variance
V_J + V_I − V_JI, with V_JI over cells of a judge and an item; the largest p of the three counts, so
that the test holds as well where one clustering alone would do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from evenhand.data.tally import Tally, join_codes
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.bootstrap import draw_webb
from evenhand.ranking.clustering import Clustering, Evidence
from evenhand.ranking.texts import say

MAX_TABLE_NUMBERS: Final = 30_000_000  # Numbers in a table of pairs by judges
N_REPLICATES: Final = 999
ROUNDING: Final = 1e-9  # A statistic below it is rounding: worths describe every pair exactly
BOTH: Final = ("judge", "item")


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
        return float((self.residual**2 / self.weight).sum())

    @property
    def explained(self) -> float:
        """Σ w d², d the fitted log-odds: what worths explain, on the scale of T."""
        apart = self.worth[self.first] - self.worth[self.second]
        return float((self.weight * apart**2).sum())

    @property
    def df(self) -> int:
        """Degrees of freedom of T: pairs less worths that are free."""
        # An order effect takes one where each pair has a side of its own, and none where both sides
        # are as frequent: there it moves nothing that is summed over both.
        free = len(self.first) - len(self.systems) + 1
        if not self.sided:
            return free
        across = self._design.T @ self.lean
        worths = self.information[:-1, :-1]
        follows = float(across @ np.linalg.solve(worths, across))
        order = float((self.lean**2 / self.weight).sum()) - follows
        return free - round(order / (float(self.weight.sum()) - follows))

    def follow(self, rows: Array) -> Array:
        """Return (G, K or so) how far parameters follow each row of residuals: H⁻¹ Zᵀ r."""
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
        pair = np.arange(len(self.first))
        design[pair, self.first], design[pair, self.second] = 1.0, -1.0
        return design[:, :-1]


def decisive_votes(tally: Tally) -> tuple[Integers, Flags, Array, Array]:
    """Return (C,) keys of pairs, whether sides are swapped, wins and decisive votes."""
    # Wins are of the system that is first by name; sides are swapped where it was not shown first.
    swap = tally.left > tally.right
    low = np.where(swap, tally.right, tally.left).astype(np.int64)
    high = np.where(swap, tally.left, tally.right)
    won = np.where(swap, tally.losses, tally.wins)
    return low * len(tally.systems) + high, swap, won, tally.wins + tally.losses


def find_residuals(tally: Tally, *, order_effect: bool = False) -> PairResiduals:
    fit = BradleyTerry(ties="discard", order_effect=order_effect).fit(tally)
    key, swap, won, total = decisive_votes(tally)
    used = total > 0
    pairs = np.unique(key[used])
    cell = np.searchsorted(pairs, key[used]) + len(pairs) * (swap[used] & order_effect)
    shape = (1 + order_effect, len(pairs))
    wins, totals = (
        np.asarray(
            np.bincount(cell, votes[used], minlength=shape[0] * shape[1]), dtype=np.float64
        ).reshape(shape)
        for votes in (won, total)
    )
    first, second = np.divmod(pairs, len(tally.systems))
    worth = fit.log_worth
    ahead = 2 * fit.likelihood.parts(fit.beta)[2] if order_effect else 0.0
    sides = np.array([1.0, -1.0])[: shape[0], None] * ahead
    chances = 1 / (1 + np.exp(worth[second] - worth[first] - sides))
    return PairResiduals(tally.systems, first, second, totals, wins, chances, worth)


def split_residuals(whole: PairResiduals, tally: Tally, name: str) -> Array:
    """Return (G, P) residuals of each judge (or item) for each pair; they sum to r."""
    # Where an order effect is fitted, its score stands behind them: (G, P + 1).
    factor, size = tally.factor(name), len(whole.first)
    if factor.size * size > MAX_TABLE_NUMBERS:
        raise UnknownOption(
            f"{size:,} pairs by {factor.size:,} {name}s are too many to look for cycles"
        )
    rows, pair, residual, side = _place_votes(whole, tally)
    codes = factor.codes[rows].astype(np.int64)
    flat = np.bincount(codes * size + pair, residual, minlength=factor.size * size)
    table = np.asarray(flat, dtype=np.float64).reshape(factor.size, size)
    if not whole.sided:
        return table
    return np.column_stack([table, np.bincount(codes, side * residual, minlength=factor.size)])


def split_pairs(whole: PairResiduals, tally: Tally, name: str, pairs: Integers) -> Array:
    """Return (G, n) residuals of each judge (or item) for n pairs, without a table of all pairs."""
    factor = tally.factor(name)
    rows, at, residual, _ = _place_votes(whole, tally)
    sums = [
        np.bincount(
            factor.codes[rows[at == pair]], residual[at == pair], minlength=factor.size
        ).astype(np.float64)
        for pair in pairs.tolist()
    ]
    return np.stack(sums, axis=1)


def _place_votes(whole: PairResiduals, tally: Tally) -> tuple[Integers, Integers, Array, Array]:
    # The side is 1 where the system first by name was shown first, else −1.
    key, swap, won, total = decisive_votes(tally)
    rows = np.flatnonzero(total > 0)
    swap = swap[rows]
    pair = np.searchsorted(whole.first * len(tally.systems) + whole.second, key[rows])
    chance = whole.chances[swap * (1 if whole.sided else 0), pair]
    return rows, pair, won[rows] - total[rows] * chance, np.where(swap, -1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Spread:
    across: Array  # (P,) Σ_g (P r_g)², what worths cannot follow, for each pair
    along: float  # Σ_g Σ w (x H⁻¹ Xᵀ r_g)², what they follow, on the scale of T


def measure_clusters(whole: PairResiduals, rows: Array) -> Spread:
    rows = rows[np.abs(rows).sum(axis=1) > 0]
    left, moved = whole.project(rows), whole.follow(rows)
    worths = np.pad(moved[:, : len(whole.systems) - 1], ((0, 0), (0, 1)))
    followed = _square_gaps(whole, worths.T @ worths) @ whole.weight
    scale = len(rows) / max(len(rows) - 1, 1)  # a spread over G clusters is too small by it
    return Spread(scale * (left**2).sum(axis=0), scale * float(followed))


def _square_gaps(whole: PairResiduals, both: Array) -> Array:
    """Return (P,) Σ (a − b)² of the systems of each pair, from (K, K) sums of products."""
    ends = both[whole.first, whole.first] + both[whole.second, whole.second]
    return np.asarray(ends - 2 * both[whole.first, whole.second])


def measure_cells(whole: PairResiduals, tally: Tally, names: tuple[str, str]) -> Spread:
    # Cells can be many, so that no table of cells by pairs is made.
    rows, pair, residual, side = _place_votes(whole, tally)
    factors = [tally.factor(name) for name in names]
    joined = join_codes([(factor.codes[rows], factor.size) for factor in factors])
    _, cell = np.unique(joined, return_inverse=True)
    # Scores of the order effect, then residuals of each pair on which a cell has votes
    sides = np.asarray(np.bincount(cell, side * residual), dtype=np.float64)
    keys, inverse = np.unique(cell * len(whole.first) + pair, return_inverse=True)
    cell, pair = np.divmod(keys, len(whole.first))
    residual = np.asarray(np.bincount(inverse, residual), dtype=np.float64)

    cells, size = len(sides), len(whole.systems)
    flat = np.zeros(cells * size)
    for sign, end in ((1.0, whole.first), (-1.0, whole.second)):
        flat += sign * np.bincount(cell * size + end[pair], residual, minlength=len(flat))
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
    across = np.bincount(pair, residual * (residual - 2 * followed), minlength=len(squares))
    scale = cells / max(cells - 1, 1)
    return Spread(scale * (across + squares), scale * float(gaps @ whole.weight))


def draw_wild(
    whole: PairResiduals, rows: Array, replicates: int, rng: np.random.Generator
) -> Array:
    """Return (B, P) residuals of replicates in which judges' residuals have random signs."""
    rows = rows[np.abs(rows).sum(axis=1) > 0]
    if len(rows) < 2:
        raise NotIdentified("decisive votes are of one cluster: there is no spread between")
    scale = np.sqrt(len(rows) / (len(rows) - 1))
    weights = draw_webb((replicates, len(rows)), rng)
    return np.asarray(scale * weights @ whole.project(rows))


def draw_parametric(whole: PairResiduals, replicates: int, rng: np.random.Generator) -> Array:
    """Return (B, P) residuals of replicates in which every vote follows the model by itself."""
    # Each is fitted again by a step of Newton's, which is P applied to its residuals.
    votes = whole.totals.round().astype(np.int64)
    drawn = rng.binomial(votes, whole.chances, (replicates, *votes.shape))
    apart = drawn - whole.totals * whole.chances
    rows = apart.sum(axis=1)
    if whole.sided:
        rows = np.column_stack([rows, (apart[:, 0] - apart[:, 1]).sum(axis=1)])
    return whole.project(rows)


def statistics(whole: PairResiduals, residuals: Array) -> Array:
    """Return (B,) T of each replicate."""
    return np.asarray((residuals**2 / whole.weight).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Replicates:
    # (B, P) residuals by clustering, those of all clusterings together last
    residuals: Mapping[str, Array]
    spurious: float  # Σ w d² that noise adds to what worths explain

    @property
    def clusterings(self) -> tuple[str, ...]:
        """What clusters; empty where votes are drawn one by one."""
        return tuple(name for name in self.residuals if name in (*BOTH, "ranking"))

    def noise(self, whole: PairResiduals) -> float:
        """Return the mean of T in replicates of all clusterings together."""
        return float(statistics(whole, list(self.residuals.values())[-1]).mean())

    def p(self, whole: PairResiduals) -> float:
        """Return the share of replicates with a T as large; of several clusterings the largest."""
        if whole.statistic < ROUNDING:
            return 1.0
        least = whole.statistic * (1 - 1e-12)
        above = [
            int((statistics(whole, drawn) >= least).sum()) for drawn in self.residuals.values()
        ]
        return (1 + max(above)) / (1 + N_REPLICATES)


def draw_replicates(
    whole: PairResiduals, evidence: Evidence, chosen: Clustering, rng: np.random.Generator
) -> tuple[Replicates, Clustering]:
    """Draw by each clustering, and by judge and item together where both cluster."""
    drawn: dict[str, Array] = {}
    spreads: dict[str, Spread] = {}
    for name in chosen.clusterings:
        rows = split_residuals(whole, evidence.tallies[name], name)
        try:
            drawn[name] = draw_wild(whole, rows, N_REPLICATES, rng)
        except NotIdentified as refusal:
            note = say("no-clustering", factor=name, why=refusal.fault)
            chosen = replace(chosen, notes=(*chosen.notes, note))
        else:
            spreads[name] = measure_clusters(whole, rows)
    if len(drawn) > 1:
        judges, items = (spreads[name] for name in BOTH)
        cells = measure_cells(whole, evidence.tallies[BOTH[0]], BOTH)
        total = judges.across + items.across
        variance = np.maximum(total - cells.across, 0.0)
        scale = np.sqrt(np.divide(variance, total, out=np.zeros_like(total), where=total > 0))
        drawn["+".join(BOTH)] = scale * (drawn[BOTH[0]] + drawn[BOTH[1]])
        return Replicates(drawn, max(judges.along + items.along - cells.along, 0.0)), chosen
    if drawn:
        (spread,) = spreads.values()
        return Replicates(drawn, spread.along), chosen
    if evidence.whole.squares is not None:
        raise UnknownOption(
            "importance weights are no counts, so that the model knows no noise: give judges, or"
            " leave the weights out"
        )
    independent = draw_parametric(whole, N_REPLICATES, rng)
    return Replicates({"": independent}, len(whole.systems) - 1.0), chosen
