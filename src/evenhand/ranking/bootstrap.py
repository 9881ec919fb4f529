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
        tally: entries with their clusters.
        ways: factors to draw; none draws single answers.
        rng: source of randomness.
        progress: called with replicates done and to do.

    Raises:
        NotIdentified: more than one resample in twenty determines no worths.

    """
    draws: list[Array] = []
    for done in range(REPLICATES):
        counts = _draw(tally, ways, rng)
        try:
            draws.append(fit.model.fit(_recount(tally, counts)).log_worth)
        except (NotIdentified, NotConverged):
            pass
        if progress is not None:
            progress(done + 1, REPLICATES)
    lost = REPLICATES - len(draws)
    if lost > LOST * REPLICATES:
        raise NotIdentified(
            f"{lost} of {REPLICATES} resamples determine no worths: the data are too thin to be"
            " resampled; use --interval sandwich, or pass --prior 1"
        )
    return Draws(np.stack(draws), lost)


def _draw(tally: Tally, ways: tuple[str, ...], rng: np.random.Generator) -> Array:
    """Return (C, 3) resampled counts."""
    counts = tally.counts
    if not ways:
        n = int(counts.sum())
        shares = (counts / counts.sum()).ravel()
        return np.asarray(rng.multinomial(n, shares).reshape(counts.shape), dtype=np.float64)
    weights = np.ones(len(counts))
    for name in ways:
        factor = tally.factor(name)
        drawn = rng.multinomial(factor.size, np.full(factor.size, 1 / factor.size))
        weights *= drawn[factor.codes]
    return np.asarray(counts * weights[:, None])


def _recount(tally: Tally, counts: Array) -> Tally:
    """Return the tally with other counts, every system still named."""
    kept = counts.sum(axis=1) > 0
    wins, ties, losses = (counts[kept, o] for o in range(3))
    return replace(
        tally,
        left=tally.left[kept],
        right=tally.right[kept],
        wins=wins,
        ties=ties,
        losses=losses,
        squares=None,
        factors={},
    )
