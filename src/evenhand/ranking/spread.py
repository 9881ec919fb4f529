"""The errors of a fit by every way of clustering that serves, ready for decisions about all pairs.

Unlike for intervals of single contrasts, a cluster that alone links some systems to the rest need
not cost a whole way of clustering: only contrasts across that cut stay open (INFERENCE B2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.errors import NotIdentified, listing
from evenhand.preference.fit import Fit
from evenhand.ranking.clustering import Clustering
from evenhand.ranking.covariances import (
    beside_prior,
    compare_with_model,
    cross_ways,
    degrees,
    give_up,
    refuse_no_spread,
    say_merged,
    single_covariances,
)
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.intervals import Array, centred_variance
from evenhand.ranking.left_out import Way, leave_each_out
from evenhand.ranking.rank_sets import FEW


@dataclass(frozen=True, eq=False)
class Spread:
    """What is known of the errors of a fit.

    Attributes:
        ways: the ways of clustering; none for single answers.
        vcovs: (p, p) covariances of the parameters, of which each contrast takes the largest.
        df: degrees of freedom of single contrasts.
        method: how, in a few words.
        notes: what the reader should know.

    """

    ways: tuple[Way, ...]
    vcovs: Sequence[Array]
    df: float
    method: str
    notes: tuple[str, ...] = ()


def find_spread(
    fit: Fit, evidence: Evidence, clustering: Clustering, *, asked: str | None
) -> tuple[Clustering, Spread]:
    """Return the clusters that serve, and the errors by them.

    Args:
        fit: the fit to the data.
        evidence: the same data, told apart by the candidates for clusters.
        clustering: the chosen clusters.
        asked: the clustering that was asked for, or None for the default.

    Raises:
        NotIdentified: the data do not show the spread that was asked for.

    """
    ways: list[Way] = []
    for name in clustering.ways:
        try:
            ways.append(_try_way(fit, evidence, name, asked))
        except NotIdentified as refusal:
            if asked is not None:
                raise NotIdentified(
                    f"{refusal}: no interval by {name}; use --cluster judgment"
                ) from refusal
            note = f"{refusal}: no clustering by {name}"
            clustering = give_up(clustering, name, evidence, note)
    if ways:
        return clustering, _join(fit, evidence, tuple(ways))
    if clustering.ways:
        return find_spread(fit, evidence, clustering, asked=asked)
    vcovs, method, notes = single_covariances(fit)
    df = max(1.0, fit.n_comparisons - len(fit.raw_vcov))
    return clustering, Spread((), vcovs, df, f"rank sets {method}", notes)


def _try_way(fit: Fit, evidence: Evidence, name: str, asked: str | None) -> Way:
    """Return a way of clustering by which at least one pair can be decided.

    One that was asked for may have too few clusters for any pair: all of them stay open then.

    Raises:
        NotIdentified: clusters that answer alike, each pair of systems rests on one of them, or by
            default on too few.

    """
    way = leave_each_out(fit, evidence.alone(name), name)
    linked = way.resting < 0
    if not np.triu(linked, 1).any():
        codes = np.unique(way.resting[~linked]).tolist()
        names = listing(list(dict.fromkeys(way.label(code) for code in codes)), 3)
        raise NotIdentified(f"without {names} systems are linked to the rest by nothing")
    counted = None if name == "ranking" else way.effective
    most = FEW if counted is None else float(np.where(linked, counted, 0.0).max())
    if asked is None and most < FEW:
        few = f"{FEW:.0f} effective {name}s ({_write_below(most)} at most)"
        raise NotIdentified(f"every difference rests on fewer than {few}")
    shown = linked if counted is None else linked & (counted >= FEW)
    refuse_no_spread(fit, fit.to_worth(way.vcov), name, shown)
    return way


def _write_below(number: float) -> str:
    """Write a number below FEW with so many digits that it stays below.

    >>> _write_below(3.0), _write_below(4.987)
    ('3.0', '4.99')
    """
    digits = next(one for one in range(1, 17) if round(number, one) < FEW)
    return f"{number:.{digits}f}"


def _join(fit: Fit, evidence: Evidence, ways: tuple[Way, ...]) -> Spread:
    """Return the errors by all ways together."""
    names = tuple(way.name for way in ways)
    vcovs, notes = cross_ways(fit, evidence, names, [way.vcov for way in ways])
    vcovs = [*vcovs, *beside_prior(fit), *_beside_cuts(fit, ways)]
    kinds = "/".join(dict.fromkeys(way.kind for way in ways))
    merged = "".join(say_merged(way.name, way.factor) for way in ways)
    stderr = np.sqrt(np.max([centred_variance(fit.to_worth(one)) for one in vcovs], axis=0))
    return Spread(
        ways,
        vcovs,
        min(degrees(way.factor) for way in ways),
        f"rank sets {kinds} by {'+'.join(names)}{merged}",
        (*notes, *compare_with_model(fit, stderr)),
    )


def _beside_cuts(fit: Fit, ways: Sequence[Way]) -> list[Array]:
    """Return the covariance by single answers where some contrasts rest on one cluster.

    Across the cut the pseudo-inverse knows nothing; intervals that are drawn there are no shorter
    than for independent answers.
    """
    if any((way.resting >= 0).any() for way in ways):
        return single_covariances(fit)[0]
    return []
