"""What a Bradley-Terry model leaves of every pair of systems, by judge or item.

With W of N decisive votes for the first system of a pair, p̂ what the model expects of it,
r = W − N p̂ and w = N p̂ q̂, r/w is to first order the log-odds that worths do not explain (HodgeRank:
Jiang, Lim, Yao & Ye 2011, Statistical ranking and combinatorial Hodge theory, Mathematical
Programming 127:203-244), and

    T = Σ r² / w

Pearson's statistic over pairs. Noise moves residuals only where worths cannot follow: P r, with
P = I − w X H⁻¹ Xᵀ. Ties are left out: under Davidson's model, too, decisive votes follow p.

A preference for the output shown first makes circles where sides go round: a before b, b before c,
c before a. With an order effect δ in the model, p̂ depends on the side, r and w are sums over both
sides of a pair, and X has one more column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption
from evenhand.judgments.tally import Tally
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.fit import Fit

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
LARGEST: Final = 30_000_000
"""Most numbers in a table of pairs by judges."""


@dataclass(frozen=True, eq=False)
class PairResiduals:
    """Pairs that were compared decisively, with what the model leaves of them.

    Attributes:
        systems: names.
        first: (P,) code of the system first by name.
        second: (P,) code of the other.
        totals: (S, P) decisive votes N; S is 2 where the output shown first may have an advantage:
            those with the system first by name shown first, then those with it shown second.
        wins: (S, P) votes for the system first by name, W.
        chances: (S, P) p̂.
        worth: (K,) fitted log-worths.

    """

    systems: tuple[str, ...]
    first: Integers
    second: Integers
    totals: Array
    wins: Array
    chances: Array
    worth: Array

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

        Args:
            rows: (G, P) residuals; with the score of the order effect behind them where it is
                fitted.

        """
        size = len(self.first)
        scores = np.concatenate([rows[:, :size] @ self._design, rows[:, size:]], axis=1)
        return np.asarray(np.linalg.solve(self.information, scores.T).T)

    def project(self, rows: Array) -> Array:
        """Return (G, P) P r: what parameters cannot follow.

        Args:
            rows: as in `follow`.

        """
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
    """Fit Bradley and Terry's model to decisive votes and return what it leaves of each pair.

    Args:
        tally: judgments.
        order_effect: fit an advantage of the output shown first, too.

    Raises:
        NotIdentified: decisive votes determine no worths, or no order effect beside them.

    """
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

    Args:
        whole: of all judgments.
        tally: the same, told apart by judge.
        name: the factor.

    Raises:
        UnknownOption: pairs and judges are too many for a table.

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

    Args:
        whole: of all judgments.
        tally: the same, told apart by judge.
        name: the factor.
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

    Args:
        whole: of all judgments.
        tally: the same, told apart in any way.

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
