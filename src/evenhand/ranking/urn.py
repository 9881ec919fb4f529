"""What resamples are drawn from: counts by cluster, and the pairs that they belong to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit

Array = NDArray[np.float64]
DENSE: Final = 20_000_000
"""Most numbers in the counts of all clusters."""


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


def fill(fit: Fit, tally: Tally) -> Urn:
    """Look up the pair of every entry, once for all resamples."""
    pairs, k = fit.tally, len(fit.systems)
    left, right = tally.left.astype(np.int64), tally.right.astype(np.int64)
    turned = np.zeros(len(left), dtype=bool) if fit.model.order_effect else left > right
    keys = np.where(turned, right * k + left, left * k + right)
    places = np.searchsorted(pairs.left.astype(np.int64) * k + pairs.right, keys)
    counts = np.where(turned[:, None], tally.counts[:, ::-1], tally.counts)
    return Urn(tally, counts, pairs, places)


def fits_in_memory(urn: Urn, ways: tuple[str, ...]) -> bool:
    """Say whether the counts of every cluster of a single way may stand side by side."""
    return len(ways) == 1 and urn.tally.factor(ways[0]).size * 3 * len(urn.pairs.left) <= DENSE


def sort_out(urn: Urn, ways: tuple[str, ...]) -> Urn:
    """Gather the counts of each cluster: a resample is then one product with a matrix."""
    size = len(urn.pairs.left)
    if not fits_in_memory(urn, ways):
        return urn
    factor = urn.tally.factor(ways[0])
    flat = factor.codes.astype(np.int64) * size + urn.places
    sums = [np.bincount(flat, urn.counts[:, o], factor.size * size) for o in range(3)]
    clusters = np.stack(sums, axis=0).reshape(3, factor.size, size).transpose(1, 0, 2)
    return replace(urn, clusters=np.ascontiguousarray(clusters, dtype=np.float64))


def draw(urn: Urn, ways: tuple[str, ...], rng: np.random.Generator) -> Tally:
    """Return the counts of one resample, every system still named."""
    return keep(urn, draw_counts(urn, ways, rng))


def keep(urn: Urn, counts: Array) -> Tally:
    """Return the pairs that were drawn, from (3, pairs) counts."""
    wins, ties, losses = counts
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


def draw_counts(urn: Urn, ways: tuple[str, ...], rng: np.random.Generator) -> Array:
    """Return (3, pairs) counts of one resample."""
    if urn.clusters is not None:
        drawn = draw_clusters(len(urn.clusters), rng)
        return (drawn @ urn.clusters.reshape(len(drawn), -1)).reshape(3, -1)
    if ways:
        weights = np.ones(len(urn.places))
        for name in ways:
            factor = urn.tally.factor(name)
            weights *= draw_clusters(factor.size, rng)[factor.codes]
        counts = urn.counts * weights[:, None]
    else:
        shares = (urn.counts / urn.counts.sum()).ravel()
        answers = rng.multinomial(int(urn.counts.sum()), shares)
        counts = answers.reshape(-1, 3).astype(np.float64)
    return add_up(urn, counts)


def add_up(urn: Urn, counts: Array) -> Array:
    """Add (C, 3) counts of entries up by pair: (3, pairs)."""
    size = len(urn.pairs.left)
    sums = [np.bincount(urn.places, counts[:, outcome], size) for outcome in range(3)]
    return np.stack(sums).astype(np.float64)


def draw_clusters(size: int, rng: np.random.Generator) -> Array:
    """Return how often each cluster is drawn."""
    return rng.multinomial(size, np.full(size, 1 / size)).astype(np.float64)
