"""How few judges, and how few items, carry the conclusions of a ranking by ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np

from evenhand.errors import NotIdentified
from evenhand.models.means import LeastSquaresFit
from evenhand.numerics import Array, Integers
from evenhand.numerics.absorption import sum_clusters
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.claims import (
    FALLS,
    MAX_UNITS_FOR_ALL_SETS,
    REVERSED,
    Claim,
    Flip,
    Removed,
    claim_pairs,
    find_claims,
)

# Numbers in the information of all levels beyond which no influence is computed
MAX_INFLUENCE: Final = 20_000_000


def find_flips(
    ranking: Ranking, pairs: Sequence[tuple[str, str]] = (), most: int | None = None
) -> tuple[Flip, ...]:
    """Find how few judges, and how few items, carry each conclusion of a ranking by ratings.

    most: how many conclusions are asked about, where no pair was named; None for all.
    """
    fit = ranking.fit
    if not isinstance(fit, LeastSquaresFit):
        return ()
    flips = []
    asked = claim_pairs(ranking, pairs)
    for claim in asked or [one for one in find_claims(ranking)[:most] if one.subject]:
        for name, factor in fit.data.factors.items():
            if not 1 < factor.size < len(fit.residual):
                continue
            if factor.size * len(fit.systems) ** 2 > MAX_INFLUENCE:
                continue
            flips.append(_find_flip(ranking, fit, name, claim))
    return tuple(flips)


def _find_flip(ranking: Ranking, fit: LeastSquaresFit, name: str, claim: Claim) -> Flip:
    factor, sign = fit.data.factors[name], -1.0 if ranking.lower_is_better else 1.0
    with one_blas_thread():
        changes = sign * leave_levels_out(fit, factor.codes, factor.size)
    at = fit.code(claim.subject)
    found: list[tuple[int, str, Integers]] = []
    for other in claim.below:
        gap = sign * float(fit.estimate[at] - fit.estimate[fit.code(other)])
        effect = changes[:, at] - changes[:, fit.code(other)]
        order = np.argsort(effect, kind="stable")
        order = order[effect[order] < 0]  # those that support the order
        reached = np.flatnonzero(gap + np.cumsum(effect[order]) < 0)
        found.append((int(reached[0]) + 1 if len(reached) else len(order), other, order))
    count, _, order = min(found, key=lambda one: (one[0], one[1]))
    supporting = len(order)
    look = partial(_find_ahead, ranking, fit, name, claim)
    if factor.size <= MAX_UNITS_FOR_ALL_SETS:
        fewest, ahead, order = _try_all_sets(look, factor.size)
    else:
        fewest, ahead = _confirm(look, order, count)
    names = [factor.labels[one] for one in order[: fewest or 0].tolist()]
    return Flip(
        claim=claim.name,
        how=REVERSED,
        unit=name,
        fewest=fewest,
        total=factor.size,
        tried=supporting,
        predicted=count if count < supporting else None,
        left=None if fewest is None else FALLS,
        removed=tuple(
            Removed(judge=one) if name == "judge" else Removed(item=one) for one in names
        ),
        ahead=ahead,
        behind=None if fewest is None else claim.subject,
        subject=claim.subject,
    )


def leave_levels_out(fit: LeastSquaresFit, codes: Any, size: int) -> Array:
    """Return (levels, K) what leaving out each judge, or each item, changes in the estimates."""
    sums, basis = sum_clusters(fit.absorbed, fit.residual, codes, size), fit.basis
    total = basis.T @ fit.absorbed.information @ basis
    rest = total - np.matmul(np.matmul(basis.T, sums.information), basis)
    changes = np.zeros((size, len(fit.systems)))
    for g in range(size):  # a level that alone links systems is not left out: nothing is known then
        if np.linalg.cond(rest[g]) < 1 / np.finfo(np.float64).eps:
            changes[g] = -basis @ np.linalg.solve(rest[g], basis.T @ sums.scores[g])
    return changes


def _find_ahead(
    ranking: Ranking, fit: LeastSquaresFit, name: str, claim: Claim, gone: Integers
) -> str | None:
    """Return which system is ahead of a claim's subject without some levels, by a refit."""
    sign = -1.0 if ranking.lower_is_better else 1.0
    kept = ~np.isin(fit.data.factors[name].codes, gone)
    try:
        again = fit.model.fit(fit.data.rows.take(kept))
    except NotIdentified:
        return None
    values = dict(zip(again.systems, (sign * again.estimate).tolist(), strict=True))
    if claim.subject not in values:
        return None
    others = [one for one in claim.below if one in values]
    best = max(others, key=values.__getitem__, default=claim.subject)
    return best if values[best] > values[claim.subject] else None


def _try_all_sets(
    look: Callable[[Integers], str | None], size: int
) -> tuple[int | None, str | None, Integers]:
    """Return the size of the smallest set of levels that turns an order, who is ahead, the set."""
    for n in range(1, size):
        for gone in combinations(range(size), n):
            if (ahead := look(np.array(gone))) is not None:
                return n, ahead, np.array(gone)
    return None, None, np.arange(0)


def _confirm(
    look: Callable[[Integers], str | None], order: Integers, start: int
) -> tuple[int | None, str | None]:
    """Return the fewest of an order of levels without which another is ahead, by refits."""
    low, high = 0, min(max(start, 1), len(order))
    ahead = look(order[:high]) if high else None
    while ahead is None and high < len(order):
        low, high = high, min(2 * high, len(order))
        ahead = look(order[:high])
    if ahead is None:
        return None, None
    while high - low > 1:
        middle = (low + high) // 2
        found = look(order[:middle])
        if found is None:
            low = middle
        else:
            high, ahead = middle, found
    return high, ahead
