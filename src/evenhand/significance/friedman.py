"""Do the blocks (judges, items, rankings) agree on any order at all? Friedman's test.

Within each of n blocks the k systems get ranks r_ij, ties their mean; R_j are their column sums:

    Q = (k − 1) Σ_j (R_j − n(k+1)/2)² / (Σ_ij r_ij² − nk(k+1)²/4)    ~ χ² on k − 1 df
    W = Q / (n(k − 1))                                               Kendall's concordance, 0 to 1
    F = (n − 1) Q / (n(k − 1) − Q)                ~ F on k − 1 and (k − 1)(n − 1) df

Q is corrected for ties by its denominator. If every block gives the same ranks W is 1 and F has no
value: its p-value is then the exact (∏ t! / k!)^(n−1), t the sizes of tied groups.

Sources: Friedman (1937), Journal of the American Statistical Association 32:675-701; Kendall &
Babington Smith (1939), Annals of Mathematical Statistics 10:275-287; Iman & Davenport (1980),
Communications in Statistics A9:571-595; Dras (2015) section 3. When not to use it: it gives no size
of a difference, it needs blocks that saw all systems, and blocks whose ranks rest on different
numbers of judgments count alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, listing
from evenhand.numerics.distributions import chi2_tail, f_tail
from evenhand.numerics.places import average_ranks, concord_ranks

Array = NDArray[np.float64]
ASSUMES: Final = (
    "the blocks are independent of each other",
    "without preferences every order within a block is equally likely",
    "enough blocks for χ² and F",
)
IGNORES: Final = (
    "how much the systems differ (no odds)",
    "differences between blocks",
    "how many judgments a block rests on",
)
_SAME: Final = 1e-12
"""Relative distance from complete agreement that is rounding."""


@dataclass(frozen=True, eq=False)
class Friedman:
    """Friedman's test of one table.

    Attributes:
        systems: the k systems.
        blocks: number n of blocks.
        statistic: Q, corrected for ties.
        df: k − 1.
        p: χ² p-value of Q.
        f: Iman and Davenport's F; None where all blocks agree completely.
        f_df: degrees of freedom of F.
        f_p: its p-value; exact where all blocks agree completely.
        kendall_w: Kendall's W (proportion).
        mean_ranks: (k,) mean rank of each system, higher is better.
        assumes: what the p-values rest on.
        ignores: what they do not look at.

    """

    systems: tuple[str, ...]
    blocks: int
    statistic: float
    df: int
    p: float
    f: float | None
    f_df: tuple[int, int]
    f_p: float
    kendall_w: float
    mean_ranks: Array
    assumes: tuple[str, ...] = ASSUMES
    ignores: tuple[str, ...] = IGNORES

    @property
    def mean_places(self) -> Array:
        """(k,) mean place of each system, 1 is best."""
        return np.asarray(len(self.systems) + 1 - self.mean_ranks)


def friedman_test(
    scores: Array, systems: Sequence[str] = (), blocks: Sequence[str] = ()
) -> Friedman:
    """Test whether blocks agree on an order of systems.

    Args:
        scores: (n, k) score of each system in each block, higher is better, NaN where a block did
            not see it.
        systems: names of the columns.
        blocks: names of the rows.

    Raises:
        NotIdentified: fewer than two blocks or systems, or no block tells any systems apart.
        InvalidJudgments: a block lacks a score; names it.

    First preferences by judge, Dras (2015), Table 1:

    >>> table = [[111, 41, 6, 77], [111, 40, 3, 76], [69, 9, 37, 107], [111, 37, 8, 74]]
    >>> found = friedman_test(np.array(table, float), "ABCD")
    >>> round(found.statistic, 4), round(found.p, 4), round(found.kendall_w, 4), found.f
    (10.2, 0.0169, 0.85, 17.0)
    """
    n, k = _check(scores, systems, blocks)
    ranks = average_ranks(scores)
    w = concord_ranks(ranks)
    if w is None:
        raise NotIdentified(
            "Friedman's test has nothing to compare: every block puts all systems on a par"
        )
    most = n * (k - 1)
    q = most * w
    agree = w >= 1 - _SAME
    f = None if agree else (n - 1) * q / (most - q)
    df = (k - 1, (k - 1) * (n - 1))
    return Friedman(
        systems=tuple(systems) or tuple(f"system {j + 1}" for j in range(k)),
        blocks=n,
        statistic=q,
        df=k - 1,
        p=chi2_tail(q, k - 1),
        f=f,
        f_df=df,
        f_p=_chance_to_agree(ranks[0], n) if f is None else f_tail(f, *df),
        kendall_w=w,
        mean_ranks=ranks.mean(axis=0),
    )


def _check(scores: Array, systems: Sequence[str], blocks: Sequence[str]) -> tuple[int, int]:
    """Return the shape of a table that can be tested."""
    n, k = scores.shape
    if n < 2 or k < 2:
        few = f"{n} block{'s' * (n != 1)}" if n < 2 else f"{k} system{'s' * (k != 1)}"
        raise NotIdentified(f"Friedman's test needs two blocks and two systems: there are {few}")
    holes = np.argwhere(~np.isfinite(scores))
    if len(holes):
        row, column = holes[0].tolist()
        block = blocks[row] if blocks else f"block {row + 1}"
        system = systems[column] if systems else f"system {column + 1}"
        rows = np.unique(holes[:, 0]).tolist()
        every = listing([blocks[i] if blocks else str(i + 1) for i in rows])
        raise InvalidJudgments(
            f"Friedman's test needs complete blocks, and {block} has no score for {system}: leave"
            f" incomplete blocks out ({every}), or use a model, which needs no complete blocks"
        )
    return n, k


def _chance_to_agree(ranks: Array, blocks: int) -> float:
    """Return the chance that all other blocks repeat the ranks of the first."""
    tied = np.unique(ranks, return_counts=True)[1].tolist()
    orders = lgamma(len(ranks) + 1) - sum(lgamma(t + 1) for t in tied)
    return float(np.exp(-(blocks - 1) * orders))
