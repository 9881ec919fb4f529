"""How far judges agree on each output pair, counted once for items, systems, and all.

With n_o votes for outcome o on an output pair, and m_jo of them judge j's,

    agreeing pairs of votes of different judges = Σ_o [n_o (n_o − 1) − Σ_j m_jo (m_jo − 1)] / 2

Those on a preference, and not on a tie, are counted apart: judges who agree that neither output is
better do not tell systems apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.agreement.preferences import check_names, leave_controls
from evenhand.judgments.votes import Votes
from evenhand.numerics.distributions import normal_quantile

Counts = NDArray[np.int64]
FEW: Final = 10
"""Items below which a system's share has no interval."""


@dataclass(frozen=True, eq=False)
class PairAgreement:
    """Agreement of different judges on every output pair, P of them.

    Attributes:
        item: (P,) code of the item.
        low: (P,) code of the system that is first by name.
        high: (P,) code of the other.
        said: (P, 3) votes for `high`, for neither, for `low`.
        agree: (P,) pairs of votes of different judges that agree.
        decided: (P,) those of them that prefer one output.
        comparable: (P,) all pairs of votes of different judges.

    """

    item: NDArray[np.integer]
    low: NDArray[np.integer]
    high: NDArray[np.integer]
    said: Counts
    agree: Counts
    decided: Counts
    comparable: Counts


@dataclass(frozen=True)
class SystemAgreement:
    """How far judges agree on the output pairs of one system.

    Attributes:
        system: its name.
        agree: pairs of votes of different judges that agree.
        comparable: all such pairs.
        lower: lower end of the interval of their share (proportion), for all systems at once;
            None where its items are too few.
        upper: upper end, or None.

    """

    system: str
    agree: int
    comparable: int
    lower: float | None
    upper: float | None

    @property
    def share(self) -> float:
        """The share that agrees (proportion)."""
        return self.agree / self.comparable


def compare_pairs(votes: Votes) -> PairAgreement:
    """Count agreeing votes of different judges on every output pair.

    Args:
        votes: comparisons; controls are left out.

    Raises:
        NotIdentified: the table names no items or no judges.

    """
    check_names(votes)
    votes = leave_controls(votes)
    pair, own = votes.number("pair"), votes.number("pair", "judge")
    size = int(pair.max(initial=-1)) + 1
    first = np.zeros(size, dtype=np.int64)
    first[pair[::-1]] = np.arange(votes.size)[::-1]
    every, mine = _count(pair, votes, size), _count(own, votes, int(own.max(initial=-1)) + 1)
    at = np.zeros(len(mine), dtype=np.int64)
    at[own] = pair
    agree, decided, comparable = (
        whole - np.bincount(at, part, size).astype(np.int64)
        for whole, part in zip(_pair_up(every), _pair_up(mine), strict=True)
    )
    left, right = votes.left[first], votes.right[first]
    low, high = np.minimum(left, right), np.maximum(left, right)
    return PairAgreement(votes.item[first], low, high, every, agree, decided, comparable)


def _count(keys: Counts, votes: Votes, size: int) -> Counts:
    """(size, 3) votes for each outcome by group."""
    said = votes.preferred.astype(np.int64) + 1
    return np.bincount(keys * 3 + said, minlength=3 * size).reshape(-1, 3)


def _pair_up(said: Counts) -> tuple[Counts, Counts, Counts]:
    """Count agreeing, decidedly agreeing and all pairs of votes in each group."""
    same = said * (said - 1) // 2
    each = said.sum(axis=1)
    return same.sum(axis=1), same[:, [0, 2]].sum(axis=1), each * (each - 1) // 2


def agree_by_system(
    found: PairAgreement, systems: tuple[str, ...], *, level: float = 0.95
) -> tuple[SystemAgreement, ...]:
    """Return how far judges agree on each system's output pairs, least first.

    Intervals hold for all systems at once (Bonferroni) and take the pairs of an item as hanging
    together: with s_i the agreeing pairs of item i beyond the share of all comparable ones, the
    variance of the share is Σ s_i² / comparable² (linearised ratio, Cochran 1977, section 9).

    Args:
        found: agreement by output pair.
        systems: names by code.
        level: of all intervals together (proportion).

    """
    told = np.flatnonzero(found.comparable)
    names = np.unique([found.low[told], found.high[told]])
    z = normal_quantile(1 - (1 - level) / (2 * max(len(names), 1)))
    rows = []
    for code in names.tolist():
        own = told[(found.low[told] == code) | (found.high[told] == code)]
        agree, comparable = int(found.agree[own].sum()), int(found.comparable[own].sum())
        share = agree / comparable
        beyond = np.bincount(found.item[own], found.agree[own] - share * found.comparable[own])
        error = z * sqrt(float(beyond @ beyond)) / comparable
        ends: tuple[float | None, float | None] = max(share - error, 0.0), min(share + error, 1.0)
        if len(np.unique(found.item[own])) < FEW:
            ends = None, None
        rows.append(SystemAgreement(systems[code], agree, comparable, *ends))
    return tuple(sorted(rows, key=lambda one: (one.share, one.system)))
