"""Putting everything in the order of the board, best first, equal estimates by name."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.levels import Levels
from evenhand.judgments.tally import Tally
from evenhand.preference.coefficients import Contrast
from evenhand.preference.fit import Fit
from evenhand.preference.models import Fitted, Posterior
from evenhand.preference.summary import cautions
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.inference import Found
from evenhand.ranking.intervals import Array, Intervals, find_clusters, rank_ranges
from evenhand.ranking.one_sided import OneSided, find_one_sided
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import ModelSettings, Settings
from evenhand.ranking.signature import sign

if TYPE_CHECKING:
    from evenhand.judgments.mixing import Mixed

TOP: Final = 20
EQUAL: Final = 1e-9
"""Difference in log-worth that is rounding and no difference."""


def order_systems(
    fit: Fit | Fitted,
    evidence: Evidence,
    levels: Levels,
    found: Found,
    settings: Settings | ModelSettings,
) -> Ranking:
    """Make a ranking of a fit and its intervals.

    Args:
        fit: the fit.
        evidence: the counts, whole and told apart by the candidates for clusters.
        levels: loads of judges and items.
        found: clusters and intervals, in the order of the fit's systems.
        settings: what was asked.

    """
    (clustering, intervals), tally = found, evidence.whole
    centred, ability = _centre(fit.log_worth, intervals), find_ability(fit)
    order, places = number_places(centred if ability is None else ability)
    counted = fit.tally if isinstance(fit, Fit) else tally
    won, tied, lost = (total[order] for total in _totals(counted))
    board, sizes = _board(intervals, order), _sizes(tally, levels, settings.mix)
    sides = _find_sides(tally, sizes, settings)
    return Ranking(
        systems=tuple(fit.systems[i] for i in order),
        log_worth=centred[order],
        rank=places,
        **board,
        wins=won,
        ties=tied,
        losses=lost,
        level=settings.level,
        interval=settings.interval or "none",
        method=intervals.method if intervals is not None else "no intervals",
        rank_interval="simultaneous" if board.get("rank_sets") else "marginal",
        **sizes,
        signature=sign(fit, evidence, levels, intervals, settings),
        headline=clustering.headline,
        notes=(*sides.notes, *_gather_notes(fit, tally, found, settings)),
        one_sided=sides.uneven,
        neighbours=() if intervals is not None else _neighbours(fit, order),
        fit=fit,
        model=settings.name,
        df=np.inf if intervals is None else intervals.df,
        ability=None if ability is None else ability[order],
    )


def _find_sides(
    tally: Tally, sizes: dict[str, Any], settings: Settings | ModelSettings
) -> OneSided:
    """Return what is to be said of sides, where answers are comparisons and not rankings."""
    of_pairs = sizes["n_judgments"] >= sizes["n_comparisons"] * (1 - 1e-9)
    return find_one_sided(tally, settings.model, of_pairs=of_pairs)


def _gather_notes(
    fit: Fit | Fitted, tally: Tally, found: Found, settings: Settings | ModelSettings
) -> tuple[str, ...]:
    """Return what must be said of a fit, its clusters, its model and a mix."""
    clustering, intervals = found
    of_mix = () if settings.mix is None else settings.mix.notes
    of_model = cautions(fit) if isinstance(fit, Fit) and settings.interval == "model" else ()
    return (*_notes(fit, tally, intervals), *clustering.notes, *of_model, *of_mix)


def _centre(log_worth: Array, intervals: Intervals | None) -> Array:
    """Return log-worths whose zero is that of the intervals."""
    members = None if intervals is None else intervals.centred_on
    return np.asarray(log_worth - log_worth[slice(None) if members is None else members].mean())


def _sizes(tally: Tally, levels: Levels, mix: Mixed | None) -> dict[str, Any]:
    """Return how much a ranking rests on; of a mix the numbers before weighing."""
    return {
        "n_judgments": tally.n_judgments,
        "n_comparisons": tally.n_comparisons if mix is None else mix.n_comparisons,
        "n_judges": levels.count("judge"),
        "effective_judges": levels.effective("judge"),
        "n_items": levels.count("item"),
        "mix": mix,
    }


def find_ability(fit: Fit | Fitted) -> Array | None:
    """Return (K,) abilities, centred, of a model whose draws are of abilities, else None."""
    if not isinstance(fit, Posterior) or fit.order_scale == "log-worth":
        return None
    means = fit.order_draws.mean(axis=0)
    return np.asarray(means - means.mean())


def number_places(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order, largest first, and the place of each in it; equal values share a place.

    Equal values stand in the order in which they came, which is by name.

    >>> [part.tolist() for part in number_places(np.array([0.0, 0.3, 0.1 + 0.2, 1.0]))]
    [[3, 1, 2, 0], [1, 2, 2, 4]]
    """
    order = np.argsort(-values, kind="stable")
    fresh = np.concatenate([[True], np.diff(values[order]) < -EQUAL])
    run = np.cumsum(fresh) - 1
    return order[np.lexsort((order, run))], np.asarray(np.flatnonzero(fresh)[run] + 1)


def _board(intervals: Intervals | None, order: NDArray[np.int64]) -> dict[str, Any]:
    """Reorder intervals, and derive rank ranges and clusters."""
    if intervals is None:
        names = ("stderr", "lower", "upper", "rank_lower", "rank_upper", "cluster", "better_than")
        return dict.fromkeys(names)
    lowest, highest = rank_ranges(intervals.decided)
    pairs = intervals.pairs
    return {
        "stderr": intervals.stderr[order],
        "lower": intervals.lower[order],
        "upper": intervals.upper[order],
        "rank_lower": lowest[order],
        "rank_upper": highest[order],
        "cluster": find_clusters(order, intervals.decided),
        "better_than": (len(order) - highest)[order],
        "pair_stderr": None if pairs is None else pairs[np.ix_(order, order)],
        "rank_sets": None if intervals.rank_sets is None else intervals.rank_sets.reorder(order),
    }


def _totals(tally: Tally) -> tuple[Array, Array, Array]:
    """Return (K,) comparisons won, tied and lost by each system."""
    k = len(tally.systems)

    def by_system(as_left: Array, as_right: Array) -> Array:
        left = np.bincount(tally.left, as_left, minlength=k)
        return np.asarray(left + np.bincount(tally.right, as_right, minlength=k))

    return (
        by_system(tally.wins, tally.losses),
        by_system(tally.ties, tally.ties),
        by_system(tally.losses, tally.wins),
    )


def _notes(fit: Fit | Fitted, tally: Tally, intervals: Intervals | None) -> tuple[str, ...]:
    notes = [*fit.notes, *(intervals.notes if intervals is not None else ())]
    if tally.zero_weight:
        notes.append(f"{tally.zero_weight:,} rows have weight zero and were left out")
    if intervals is None:
        notes.append(
            f"{len(fit.systems):,} systems are too many for intervals of all: differences of"
            f" neighbours at the top {TOP} are given, with errors that assume independent"
            " judgments; ask for others by fit.contrasts"
        )
    return tuple(notes)


def _neighbours(fit: Fit | Fitted, order: NDArray[np.int64]) -> tuple[Contrast, ...]:
    if not isinstance(fit, Fit):
        return ()
    names = [fit.systems[i] for i in order[: TOP + 1]]
    return fit.contrasts(list(pairwise(names)))
