"""What would change a ranking by ratings: other models, clusters and judges, and how few carry it.

The ranking is made again under each choice that others would make, as with comparisons
(`sensitivity`). How few judges or items carry a conclusion is found by influence: levels are left
out in the order in which they support the difference, to first order, and the number without which
the order turns is confirmed by refits. It is an upper bound: another set may be smaller. Of up to
eight levels all sets are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.rating_rows import RatingRows
from evenhand.errors import NotIdentified, listing
from evenhand.models.means import LeastSquaresFit
from evenhand.models.registry import RATING_MODELS
from evenhand.numerics import Array, Integers
from evenhand.numerics.absorption import sum_clusters
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.ratings import choose_rating_model, rank_scores
from evenhand.ranking.robustness import removal
from evenhand.ranking.robustness.fragility import (
    MAX_UNITS_FOR_ALL_SETS,
    REVERSED,
    Flip,
    Fragility,
    claim_pair,
    find_claims,
)
from evenhand.ranking.robustness.sensitivity import (
    ASKED,
    CLUSTERED,
    DEFAULT,
    MAX_FLAGGED_NAMED,
    Choice,
    Robustness,
    Sensitivity,
    describe_choice,
    find_flagged,
    try_choice,
)
from evenhand.ranking.settings import Settings

USUAL: Final = "adjusted"
# Numbers in the information of all levels beyond which no influence is computed
MAX_INFLUENCE: Final = 20_000_000


def check_ratings(
    rows: RatingRows,
    *,
    pairs: Sequence[tuple[str, str]] = (),
    model: object = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int = SEED,
    lower_is_better: bool = False,
    references: Sequence[str] | None = None,
) -> Robustness:
    """Check whether a ranking by ratings of one task under one criterion is robust.

    Args:
        rows: the ratings, without controls.
        pairs: orders of two systems that are asked about, (better, worse); by default the first
            system, and the nearest that it is decided to be better than.
        model: settings of a model of ratings, or its name.
        cluster: judgments that are correlated, as in `rank`.
        level: of rank sets (proportion).
        seed: of rank sets.
        lower_is_better: whether lower scores are better.
        references: as in `rank`.

    Raises:
        NotIdentified: the ratings determine no ranking.
        UnknownOption: settings that do not fit.

    """
    spec = choose_rating_model(model)
    settings = Settings(spec, "rank-sets", cluster, level, seed, None)
    how: dict[str, Any] = {"lower_is_better": lower_is_better, "references": references}
    usual = rank_scores(rows, settings, **how)
    notes: list[str] = []
    offers: list[tuple[str, Callable[[], Ranking]]] = [
        (f"model {name}", partial(rank_scores, rows, other, **how))
        for name, other in _list_models(settings)
    ]
    clusterings = tuple(way.name for way in usual.ways)
    known = [name for name in ("judge", "item") if rows.labels(name)[0] != ("",)]
    both = ["judge+item"] if len(known) > 1 else []
    offers += [
        (CLUSTERED[name], partial(rank_scores, rows, replace(settings, cluster=name), **how))
        for name in (*known, *both, "judgment")
        if usual.ways and tuple(name.split("+")) != clusterings
    ]
    if "judge" in known:
        offers += _leave_flagged_out(rows, settings, notes, how)
    first = describe_choice(DEFAULT if settings.name == USUAL and not cluster else ASKED, usual)
    choices: tuple[Choice, ...] = (first, *(try_choice(name, make) for name, make in offers))
    sensitivity = Sensitivity(choices, level, tuple(notes), usual.signature)
    fragility = Fragility(find_flips(usual, pairs), (), usual.signature)
    return Robustness(fragility, sensitivity, None, ())


def _list_models(settings: Settings) -> list[tuple[str, Settings]]:
    """Return the other models whose estimates are means of scores, with the same clusters."""
    others = [name for name in ("adjusted", "mean", "z", "mixed") if name != settings.name]
    return [
        (
            name,
            replace(
                settings,
                model=RATING_MODELS[name].make(),
                cluster=None if name == "mixed" else settings.cluster,
            ),
        )
        for name in others
    ]


def _leave_flagged_out(
    rows: RatingRows, settings: Settings, notes: list[str], how: dict[str, Any]
) -> list[tuple[str, Callable[[], Ranking]]]:
    flagged = find_flagged(rows, notes)
    if not flagged:
        return []
    codes = [code for code, name in enumerate(rows.judges) if name in flagged]
    rest = rows.take(~np.isin(rows.judge, codes))
    name = f"without flagged judges ({listing(flagged, MAX_FLAGGED_NAMED)})"
    return [(name, partial(rank_scores, rest, settings, **how))]


def find_flips(ranking: Ranking, pairs: Sequence[tuple[str, str]] = ()) -> tuple[Flip, ...]:
    """Find how few judges, and how few items, carry each conclusion of a ranking by ratings."""
    fit = ranking.fit
    if not isinstance(fit, LeastSquaresFit):
        return ()
    flips = []
    asked = [claim_pair(ranking, *pair) for pair in pairs]
    for claim in asked or [one for one in find_claims(ranking) if one.subject]:
        for name, factor in fit.data.factors.items():
            if not 1 < factor.size < len(fit.residual):
                continue
            if factor.size * len(fit.systems) ** 2 > MAX_INFLUENCE:
                continue
            flips.append(_find_flip(ranking, fit, name, claim))
    return tuple(flips)


def _find_flip(ranking: Ranking, fit: LeastSquaresFit, name: str, claim: removal.Claim) -> Flip:
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
        left=None if fewest is None else removal.FALLS,
        removed=tuple(
            removal.Removed(judge=one) if name == "judge" else removal.Removed(item=one)
            for one in names
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
    ranking: Ranking, fit: LeastSquaresFit, name: str, claim: removal.Claim, gone: Integers
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
