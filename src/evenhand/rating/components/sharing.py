"""How far the levels of a term cancel in a difference of two system means.

With p_ls the share of system s's scores that stand at level l, a variance σ² of the term gives the
difference of the means of s and t the variance σ² Σ_l (p_ls − p_lt)²: 0 where both systems have
the same levels to the same shares, σ²(1/J + 1/J) where each has J of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.rating.components.terms import Term, cross


def share_levels(terms: Sequence[Term], system: Term) -> dict[str, float]:
    """Return Σ_l (p_ls − p_lt)² of each term, the mean over all pairs of systems.

    Args:
        terms: partitions of the scores.
        system: the systems, two or more.

    >>> judge = Term("judge", np.array([0, 1, 0, 1]), 2)
    >>> system = Term("system", np.array([0, 0, 1, 1]), 2)
    >>> share_levels([judge, system], system)
    {'judge': 0.0, 'system': 2.0}
    """
    return {term.name: _share(term, system) for term in terms}


def _share(term: Term, system: Term) -> float:
    codes, cells = cross(term.codes, (system.codes, system.size))
    level = np.empty(cells, dtype=np.int64)
    owner = np.empty(cells, dtype=np.int64)
    level[codes], owner[codes] = term.codes, system.codes
    part = np.bincount(codes, minlength=cells) / system.counts[owner]
    own = float(part @ part)
    total = np.bincount(level, part, term.size).astype(np.float64)
    k = system.size
    return max(2 * (own / k - (float(total @ total) - own) / (k * (k - 1))), 0.0)
