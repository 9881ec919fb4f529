"""The cluster bootstrap: draw judges, items, rankings or answers again, and refit.

Two ways at once are drawn independently and their counts multiplied (Owen 2007, "The pigeonhole
bootstrap", Annals of Applied Statistics 1:386-411), which is conservative.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.tally import Tally
from evenhand.preference.fit import Fit

Array = NDArray[np.float64]
REPLICATES: Final = 999
LOST: Final = 0.05


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
    urn = _fill(fit, tally.pool(ways))
    draws: list[Array] = []
    lost = 0
    for done in range(1, REPLICATES + 1):
        try:
            draws.append(fit.model.fit(_draw(urn, ways, rng)).log_worth)
        except (NotIdentified, NotConverged):
            lost += 1
        if lost > LOST * REPLICATES:
            raise NotIdentified(
                f"{lost} of the first {done} resamples determine no worths: the data are too thin"
                " to be resampled; use --interval sandwich, or pass --prior 1"
            )
        if progress is not None:
            progress(done, REPLICATES)
    return Draws(np.stack(draws), lost)


@dataclass(frozen=True, eq=False)
class Urn:
    """What is drawn from.

    Attributes:
        tally: entries by cluster.
        counts: (C, 3) their counts, turned as the pair stands in the fit.
        pairs: the counts that the model was fitted to, one entry per pair.
        places: (C,) entry of `pairs` to which each entry belongs.

    """

    tally: Tally
    counts: Array
    pairs: Tally
    places: NDArray[np.int64]


def _fill(fit: Fit, tally: Tally) -> Urn:
    """Look up the pair of every entry, once for all resamples."""
    pairs, k = fit.tally, len(fit.systems)
    left, right = tally.left.astype(np.int64), tally.right.astype(np.int64)
    turned = np.zeros(len(left), dtype=bool) if fit.model.order_effect else left > right
    keys = np.where(turned, right * k + left, left * k + right)
    places = np.searchsorted(pairs.left.astype(np.int64) * k + pairs.right, keys)
    counts = np.where(turned[:, None], tally.counts[:, ::-1], tally.counts)
    return Urn(tally, counts, pairs, places)


def _draw(urn: Urn, ways: tuple[str, ...], rng: np.random.Generator) -> Tally:
    """Return the counts of one resample, every system still named."""
    if ways:
        weights = np.ones(len(urn.places))
        for name in ways:
            factor = urn.tally.factor(name)
            drawn = rng.multinomial(factor.size, np.full(factor.size, 1 / factor.size))
            weights *= drawn[factor.codes]
        counts = urn.counts * weights[:, None]
    else:
        shares = (urn.counts / urn.counts.sum()).ravel()
        drawn = rng.multinomial(int(urn.counts.sum()), shares)
        counts = drawn.reshape(-1, 3).astype(np.float64)
    wins, ties, losses = (
        np.bincount(urn.places, counts[:, outcome], len(urn.pairs.left)).astype(np.float64)
        for outcome in range(3)
    )
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
