"""The cluster bootstrap: draw judges, items, rankings or answers again, and refit.

Two ways at once are drawn independently and their counts multiplied (Owen 2007, "The pigeonhole
bootstrap", Annals of Applied Statistics 1:386-411), which is conservative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit

Array = NDArray[np.float64]
REPLICATES: Final = 999
FEWER: Final = 300
"""Resamples of models that are no log-linear ones, which take longer to fit."""
LOST: Final = 0.05
DENSE: Final = 20_000_000
"""Most numbers in the counts of all clusters."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Refitted log-worths.

    Attributes:
        log_worth: (B, K) without the resamples that determine no worths.
        lost: number of such resamples.

    """

    log_worth: Array
    lost: int


def resample(
    fit: Fit,
    tally: Tally,
    ways: tuple[str, ...],
    *,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
) -> Draws:
    """Refit on 999 resamples of clusters.

    Args:
        fit: the fit to the data.
        tally: the same data, told apart by the ways.
        ways: factors to draw; none draws single answers.
        rng: source of randomness.
        progress: called with replicates done and to do.

    Raises:
        NotIdentified: more than one resample in twenty determines no worths.

    """
    urn = _sort_out(_fill(fit, tally.pool(ways)), ways)

    def refit() -> Array:
        return fit.model.fit(_draw(urn, ways, rng)).log_worth

    return _repeat(refit, REPLICATES, "use --interval sandwich, or pass --prior 1", progress)


def resample_model(
    model: Any,
    tally: Tally,
    ways: tuple[str, ...],
    *,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
) -> Draws:
    """Refit a model of any kind on 300 resamples of clusters.

    Args:
        model: settings of a model that is fitted to tallies.
        tally: the data, told apart by the ways, left and right as they were shown.
        ways: factors to draw; none draws single answers.
        rng: source of randomness.
        progress: called with replicates done and to do.

    Raises:
        NotIdentified: more than one resample in twenty determines no estimate.

    """
    counts = tally.pool(ways)
    pairs, k = tally.pool(), len(tally.systems)
    known, keys = (one.left.astype(np.int64) * k + one.right for one in (pairs, counts))
    places = np.searchsorted(known, keys)
    urn = _sort_out(Urn(counts, counts.counts, replace(pairs, squares=None), places), ways)

    def refit() -> Array:
        return np.asarray(model.fit(_draw(urn, ways, rng)).log_worth)

    return _repeat(refit, FEWER, "collect more, or rank by bradley-terry", progress)


def _repeat(
    refit: Callable[[], Array],
    replicates: int,
    remedy: str,
    progress: Callable[[int, int], None] | None,
) -> Draws:
    """Refit so many times; a few resamples may determine nothing."""
    draws: list[Array] = []
    lost = 0
    for done in range(1, replicates + 1):
        try:
            draws.append(refit())
        except (NotIdentified, NotConverged):
            lost += 1
        if lost > LOST * replicates:
            raise NotIdentified(
                f"{lost} of the first {done} resamples determine no worths: the data are too thin"
                f" to be resampled; {remedy}"
            )
        if progress is not None:
            progress(done, replicates)
    return Draws(np.stack(draws), lost)


@dataclass(frozen=True, eq=False)
class Urn:
    """What is drawn from.

    Attributes:
        tally: entries by cluster.
        counts: (C, 3) their counts, turned as the pair stands in the fit.
        pairs: the counts that the model was fitted to, one entry per pair.
        places: (C,) entry of `pairs` to which each entry belongs.
        clusters: (G, 3, pairs) counts of every cluster of a single way, where they fit in memory.

    """

    tally: Tally
    counts: Array
    pairs: Tally
    places: NDArray[np.int64]
    clusters: Array | None = None


def _fill(fit: Fit, tally: Tally) -> Urn:
    """Look up the pair of every entry, once for all resamples."""
    pairs, k = fit.tally, len(fit.systems)
    left, right = tally.left.astype(np.int64), tally.right.astype(np.int64)
    turned = np.zeros(len(left), dtype=bool) if fit.model.order_effect else left > right
    keys = np.where(turned, right * k + left, left * k + right)
    places = np.searchsorted(pairs.left.astype(np.int64) * k + pairs.right, keys)
    counts = np.where(turned[:, None], tally.counts[:, ::-1], tally.counts)
    return Urn(tally, counts, pairs, places)


def _sort_out(urn: Urn, ways: tuple[str, ...]) -> Urn:
    """Gather the counts of each cluster: a resample is then one product with a matrix."""
    size = len(urn.pairs.left)
    if len(ways) != 1 or urn.tally.factor(ways[0]).size * 3 * size > DENSE:
        return urn
    factor = urn.tally.factor(ways[0])
    flat = factor.codes.astype(np.int64) * size + urn.places
    sums = [np.bincount(flat, urn.counts[:, o], factor.size * size) for o in range(3)]
    clusters = np.stack(sums, axis=0).reshape(3, factor.size, size).transpose(1, 0, 2)
    return replace(urn, clusters=np.ascontiguousarray(clusters, dtype=np.float64))


def _draw(urn: Urn, ways: tuple[str, ...], rng: np.random.Generator) -> Tally:
    """Return the counts of one resample, every system still named."""
    wins, ties, losses = _draw_counts(urn, ways, rng)
    kept = wins + ties + losses > 0
    return replace(
        urn.pairs,
        left=urn.pairs.left[kept],
        right=urn.pairs.right[kept],
        wins=wins[kept],
        ties=ties[kept],
        losses=losses[kept],
        factors={},
    )


def _draw_counts(urn: Urn, ways: tuple[str, ...], rng: np.random.Generator) -> Array:
    """Return (3, pairs) counts of one resample."""
    if urn.clusters is not None:
        drawn = _draw_clusters(len(urn.clusters), rng)
        return (drawn @ urn.clusters.reshape(len(drawn), -1)).reshape(3, -1)
    if ways:
        weights = np.ones(len(urn.places))
        for name in ways:
            factor = urn.tally.factor(name)
            weights *= _draw_clusters(factor.size, rng)[factor.codes]
        counts = urn.counts * weights[:, None]
    else:
        shares = (urn.counts / urn.counts.sum()).ravel()
        answers = rng.multinomial(int(urn.counts.sum()), shares)
        counts = answers.reshape(-1, 3).astype(np.float64)
    size = len(urn.pairs.left)
    sums = [np.bincount(urn.places, counts[:, outcome], size) for outcome in range(3)]
    return np.stack(sums).astype(np.float64)


def _draw_clusters(size: int, rng: np.random.Generator) -> Array:
    """Return how often each cluster is drawn."""
    return rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
