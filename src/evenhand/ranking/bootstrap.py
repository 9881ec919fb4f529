"""The cluster bootstrap: draw judges, items, rankings or answers again, and refit.

Where a model knows of a resample no more than sums, all are refitted with one factor (`refits`).
Two ways at once are drawn independently and their counts multiplied (Owen 2007, "The pigeonhole
bootstrap", Annals of Applied Statistics 1:386-411), which is conservative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.tally import Tally
from evenhand.numerics.poisson_tables import LARGEST, draw_poisson
from evenhand.preference.fit import Fit
from evenhand.ranking.refits import Workbench, set_up
from evenhand.ranking.settings import REPLICATES
from evenhand.ranking.urn import (
    Urn,
    add_up,
    draw,
    draw_clusters,
    draw_counts,
    fill,
    fits_in_memory,
    keep,
    sort_out,
)

Array = NDArray[np.float64]
FEWER: Final = 300
"""Resamples of models that are no log-linear ones, which take longer to fit."""
LOST: Final = 0.05
BESIDE: Final = 32
"""Resamples that are refitted together."""
EXACT: Final = 2.0**21
"""Comparisons up to which numbers of any pair, and halves, are exact in single precision."""
MANY: Final = 100_000
"""Answers from which each cell of single answers is drawn by itself."""
TOGETHER: Final = 20_000_000
"""Numbers of cells that are drawn together."""
Progress = Callable[[int, int], None] | None
Found = tuple[Array, float] | None
"""Log-worths of a resample, with standard errors they may miss; None where it determines none."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Refitted log-worths.

    Attributes:
        log_worth: (B, K) without the resamples that determine no worths.
        lost: number of such resamples.
        missing: model standard errors by which any of them is estimated to miss its maximum.

    """

    log_worth: Array
    lost: int
    missing: float = 0.0


def resample(
    fit: Fit,
    tally: Tally,
    ways: tuple[str, ...],
    *,
    rng: np.random.Generator,
    progress: Progress = None,
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
    urn, bench = fill(fit, tally.pool(ways)), set_up(fit)
    found: Iterator[Found]
    if bench is None:
        urn = sort_out(urn, ways)
        found = (_try(fit.model, draw(urn, ways, rng)) for _ in range(REPLICATES))
    elif fits_in_memory(urn, ways):
        found = _refit_clusters(bench, urn, ways[0], rng)
    else:
        found = _refit_counts(bench, urn, ways, rng)
    return _gather(found, REPLICATES, "use --interval sandwich, or pass --prior 1", progress)


def resample_model(
    model: Any,
    tally: Tally,
    ways: tuple[str, ...],
    *,
    rng: np.random.Generator,
    progress: Progress = None,
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
    urn = sort_out(Urn(counts, counts.counts, replace(pairs, squares=None), places), ways)
    found = (_try(model, draw(urn, ways, rng)) for _ in range(FEWER))
    return _gather(found, FEWER, "collect more, or rank by bradley-terry", progress)


def _try(model: Any, resample: Tally) -> Found:
    """Fit a model to a resample, which may determine nothing."""
    try:
        return np.asarray(model.fit(resample).log_worth), 0.0
    except (NotIdentified, NotConverged):
        return None


def _gather(found: Iterator[Found], replicates: int, remedy: str, progress: Progress) -> Draws:
    """Put refits together; a few resamples may determine nothing."""
    draws: list[Array] = []
    missing = 0.0
    for done, one in enumerate(found, start=1):
        if one is not None:
            draws.append(one[0])
            missing = max(missing, one[1])
        lost = done - len(draws)
        if lost > LOST * replicates:
            raise NotIdentified(
                f"{lost} of the first {done} resamples determine no worths: the data are too thin"
                f" to be resampled; {remedy}"
            )
        if progress is not None:
            progress(done, replicates)
    return Draws(np.stack(draws), replicates - len(draws), missing)


def _refit_clusters(
    bench: Workbench, urn: Urn, name: str, rng: np.random.Generator
) -> Iterator[Found]:
    """Refit on resamples of clusters, which are products with the counts of each."""
    factor, size = urn.tally.factor(name), len(urn.pairs.left)
    often, net, tied = bench.treat(urn.counts.T)
    flat = factor.codes.astype(np.int64) * size + urn.places
    cells = factor.size, size
    often, net = (np.bincount(flat, own, factor.size * size).reshape(cells) for own in (often, net))
    of_ties = np.bincount(factor.codes, tied, factor.size).astype(np.float64)
    sums = bench.add_up(net.T, of_ties)
    often = often.astype(_precision(urn)).T
    for some in _portions():
        drawn = np.stack([draw_clusters(factor.size, rng) for _ in some])
        refits = bench.refit(often @ drawn.T.astype(often.dtype), sums @ drawn.T)
        for weights, log_worth, missing in zip(drawn, *refits, strict=True):
            if np.isfinite(missing):
                yield log_worth, float(missing)
            else:
                own = add_up(urn, urn.counts * weights[factor.codes, None])
                yield _try(bench.fit.model, keep(urn, own))


def _refit_counts(
    bench: Workbench, urn: Urn, ways: tuple[str, ...], rng: np.random.Generator
) -> Iterator[Found]:
    """Refit on resamples of single answers, or of two ways at once."""
    for drawn in _draw_portions(urn, ways, rng):
        often, net, tied = bench.treat(drawn.astype(_precision(urn)))
        sums = bench.add_up(net, tied.sum(axis=0, dtype=np.float64))
        refits = bench.refit(often, sums)
        for at, (log_worth, missing) in enumerate(zip(*refits, strict=True)):
            if np.isfinite(missing):
                yield log_worth, float(missing)
            else:
                yield _try(bench.fit.model, keep(urn, drawn[:, :, at].astype(np.float64)))


def _draw_portions(
    urn: Urn, ways: tuple[str, ...], rng: np.random.Generator
) -> Iterator[NDArray[Any]]:
    """Draw (3, pairs, b) counts of some resamples at a time.

    Of very many single answers each cell's number is Poisson's, as if answers had come in at will:
    their total varies then too, by so little that nobody sees it.
    """
    counts = urn.counts
    if ways or counts.sum() < MANY or counts.max() > LARGEST:
        for some in _portions():
            yield np.stack([draw_counts(urn, ways, rng) for _ in some], axis=2)
        return
    means = add_up(urn, counts).ravel()
    for some in _portions(max(BESIDE, TOGETHER // means.size // BESIDE * BESIDE)):
        drawn = draw_poisson(means, len(some), rng).reshape(3, -1, len(some))
        for start in range(0, len(some), BESIDE):
            yield drawn[:, :, start : start + BESIDE]


def _portions(size: int = BESIDE) -> Iterator[range]:
    """Go through the resamples, some at a time."""
    for start in range(0, REPLICATES, size):
        yield range(start, min(start + size, REPLICATES))


def _precision(urn: Urn) -> type[np.float32] | type[np.float64]:
    """Return in what sums of counts are exact."""
    return np.float32 if urn.counts.sum() <= EXACT else np.float64
