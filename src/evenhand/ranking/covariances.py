"""Covariances by ways of clustering: which of them serve, and which have to be given up.

Each contrast takes the largest of the variances by the ways, of their sum less the cells of both
(INFERENCE B3), and under a prior of the model's.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified
from evenhand.judgments.tally import Factor
from evenhand.preference.fit import Fit
from evenhand.preference.models import Fitted
from evenhand.ranking.clustering import (
    ACROSS,
    LEAST,
    WIDE,
    Clustering,
    join_limits,
    note_independence,
    single_answers,
    speak_of,
)
from evenhand.ranking.crossed_cells import crossed_rows_covariance
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.intervals import Array, centred_variance, pair_variance
from evenhand.ranking.sandwich import crossed_covariance, judgment_covariance

NO_CELLS: Final = (
    "so many judgments that cells of judge and item are not counted: intervals are a little wide"
)

NO_SPREAD: Final = 1e-6
"""Variance of a pair, beside the model's, that is as good as none."""
FAR_BELOW: Final = 0.5
SEVERAL: Final = 4
"""Systems from which a typical standard error is hardly ever so small by chance."""
NARROW: Final = (
    "intervals are less than half as wide as independent answers would give: clusters answer"
    " suspiciously alike, or a few gave most answers; compare rank --interval model"
)


def give_up(clustering: Clustering, name: str, evidence: Evidence, note: str) -> Clustering:
    """Leave a way out; without judges (or items) as clusters the statement is about these."""
    ways = tuple(way for way in clustering.ways if way != name)
    wide = name == "judge"  # who are no clusters any more make no interval wide
    notes = (*(one for one in clustering.notes if not (wide and WIDE in one)), note)
    if not ways and name != "ranking":
        ways = single_answers(evidence)
        kept = (one for one in notes if not one.endswith(ACROSS))
        notes = (*kept, *note_independence(ways, evidence))
    headline = clustering.headline
    if name in LEAST:
        headline = join_limits(headline, speak_of(name, len(evidence.factors[name].labels)))
    return Clustering(ways, headline, notes)


def cross_ways(
    fit: Fit, evidence: Evidence, ways: tuple[str, ...], vcovs: list[Array]
) -> tuple[list[Array], tuple[str, ...]]:
    """Add to two covariances their sum less that of the cells of both, to others nothing.

    Args:
        fit: the fit.
        evidence: the data, told apart by the ways.
        ways: the ways of clustering.
        vcovs: (p, p) covariance by each.

    Returns:
        Covariances of which each contrast takes the largest variance, and what should be said.

    """
    if len(ways) < 2:
        return vcovs, ()
    if evidence.crossed is not None:
        cross = crossed_rows_covariance(fit, evidence.crossed)
        return [*vcovs, vcovs[0] + vcovs[1] - cross], ()
    cells = evidence.together(ways)
    if cells is None:
        return [*vcovs, vcovs[0] + vcovs[1]], (NO_CELLS,)
    cross = crossed_covariance(fit, cells, (ways[0], ways[1]))
    return [*vcovs, vcovs[0] + vcovs[1] - cross], ()


def single_covariances(fit: Fit) -> tuple[list[Array], str, tuple[str, ...]]:
    """Return covariances by single comparisons, what they are, and what should be said.

    Where answers have no spread, as those that are all ties, whose scores are zero, the model's
    stands beside: no information would be shown as certainty.

    Raises:
        NotIdentified: the same of importance weights, for which the model knows no spread either.

    """
    single, method = [judgment_covariance(fit), *beside_prior(fit)], "CR1 by judgment"
    try:
        refuse_no_spread(fit, np.max([fit.to_worth(vcov) for vcov in single], axis=0), "judgment")
    except NotIdentified:
        if fit.tally.squares is not None:
            raise NotIdentified(f"{_say_tied(fit)}: there is no interval") from None
        note = f"{_say_tied(fit)}: intervals are those of the model there"
        return [*single, fit.raw_vcov], f"{method}, the model's where wider", (note,)
    return single, method, ()


def _say_tied(fit: Fit) -> str:
    """Say why single answers show no spread."""
    tally = fit.tally
    if not (tally.wins.any() or tally.losses.any()):
        return "every comparison is a tie, and answers that are all alike show no spread"
    return "some systems are linked by ties alone, and answers that are all alike show no spread"


def beside_prior(fit: Fit) -> list[Array]:
    """Return the model's covariance where a prior makes worths finite, else nothing.

    Two unanimous answers have no spread at all: their sandwich would call a winner that the prior
    alone holds back from infinity. Each contrast takes the larger variance.
    """
    return [fit.raw_vcov] if fit.model.prior else []


def refuse_no_spread(
    fit: Fit | Fitted, vcov: Array, name: str, among: NDArray[np.bool_] | None = None
) -> None:
    """Refuse a covariance that is nothing for some pair beside what chance alone gives.

    Clusters that answer alike to the letter, or a design balanced to the last answer, have scores
    of zero: a standard error of zero would be published as certainty.

    Args:
        fit: the fit.
        vcov: (K, K) covariance of log-worths.
        name: the way of clustering.
        among: (K, K) pairs that are looked at; all by default.

    Raises:
        NotIdentified: names the way of clustering.

    """
    pairs, of_model = np.triu_indices(len(vcov), 1), fit.worth_vcov
    if of_model is None:
        return
    ratio = pair_variance(vcov)[pairs] / pair_variance(of_model)[pairs]
    if among is not None:
        ratio = np.where(among[pairs], ratio, np.inf)
    least = int(np.argmin(ratio))
    if ratio[least] < NO_SPREAD:
        i, j = (ends[least] for ends in pairs)
        more = int((ratio < NO_SPREAD).sum()) - 1
        others = f" and {more:,} other pair{'s' * (more != 1)}" if more else ""
        raise NotIdentified(
            f"clusters by {name} answered so alike on {fit.systems[i]} and {fit.systems[j]}{others}"
            " that nothing shows how much others might differ"
        )


def compare_with_model(fit: Fit, stderr: Array) -> tuple[str, ...]:
    """Note intervals far narrower than independent answers would give."""
    if len(stderr) < SEVERAL:
        return ()
    ratio = float(np.median(stderr / np.sqrt(centred_variance(fit.worth_vcov))))
    return (NARROW,) if ratio < FAR_BELOW else ()


def say_merged(name: str, factor: Factor) -> str:
    """Say how many clusters were merged into how many."""
    return f" ({len(factor.labels):,} {name}s in {factor.size})" if factor.merged else ""


def degrees(factor: Factor) -> float:
    """Return degrees of freedom: effective clusters less one (INFERENCE B6)."""
    return max(1.0, min(float(factor.size), factor.effective) - 1)
