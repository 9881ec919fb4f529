"""How sure: a fit and its clusters become intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.random import PCG64, Generator

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.levels import Levels
from evenhand.judgments.tally import Factor
from evenhand.numerics.distributions import t_quantile
from evenhand.preference.fit import Fit
from evenhand.preference.models import Fitted
from evenhand.ranking.bootstrap import REPLICATES, resample
from evenhand.ranking.clustering import (
    Clustering,
    choose_clustering,
    say_few_judges,
    single_answers,
    speak_of_judges,
)
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.intervals import (
    Array,
    Intervals,
    centred_variance,
    pair_variance,
    resampled_intervals,
    wald_intervals,
)
from evenhand.ranking.sandwich import cluster_covariance, crossed_covariance, judgment_covariance
from evenhand.ranking.settings import Settings

Found = tuple[Clustering, Intervals | None]
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
    " suspiciously alike, or a few gave most answers; compare --interval model"
)


def find_intervals(fit: Fit, evidence: Evidence, levels: Levels, settings: Settings) -> Found:
    """Return the clusters and the intervals, None where systems are too many for a covariance.

    Args:
        fit: the fit to the data.
        evidence: the same data, told apart by the candidates for clusters.
        levels: loads of judges and items.
        settings: what was asked.

    Raises:
        NotIdentified: the data do not show the spread that was asked for.

    """
    few = say_few_judges(levels.count("judge"), levels.effective("judge"))
    if settings.interval == "model":
        return Clustering((), few), _model_intervals(fit, settings.level)
    clustering = choose_clustering(settings.cluster, evidence)
    if settings.cluster is not None and "judge" not in clustering.ways:
        clustering = replace(clustering, headline=few)
    if fit.vcov is None:
        return clustering, None
    if settings.interval == "bootstrap":
        return clustering, _bootstrap_intervals(fit, evidence, clustering, settings)
    return _sandwich_intervals(fit, evidence, clustering, settings)


def _model_intervals(fit: Fit, level: float) -> Intervals | None:
    if fit.vcov is None:
        return None
    if fit.tally.squares is not None:
        raise UnknownOption(
            "importance weights are no counts, so that the model knows no spread: use --interval"
            " sandwich"
        )
    return _from_vcovs(fit, [fit.raw_vcov], (level, np.inf), "model, independent judgments")


def _from_vcovs(fit: Fit, vcovs: list[Array], level: tuple[float, float], method: str) -> Intervals:
    """Return intervals of worths, and errors of all parameters; each takes its largest variance.

    Args:
        fit: the fit.
        vcovs: (p, p) covariances of its parameters.
        level: nominal level, and degrees of freedom.
        method: how, in a few words.

    """
    critical = t_quantile((1 + level[0]) / 2, level[1])
    variances = np.max([np.diag(vcov) for vcov in vcovs], axis=0)
    worths = [fit.to_worth(vcov) for vcov in vcovs]
    found = wald_intervals(fit.log_worth, worths, critical, method)
    return replace(found, parameters=np.sqrt(variances), df=level[1])


def _sandwich_intervals(
    fit: Fit, evidence: Evidence, clustering: Clustering, settings: Settings
) -> Found:
    """Cluster by every way that can be; one whose cluster alone links some systems cannot."""
    covariances: dict[str, tuple[Array, str]] = {}
    for name in clustering.ways:
        try:
            covariances[name] = cluster_covariance(fit, evidence.tallies[name], name)
            refuse_no_spread(fit, fit.to_worth(covariances[name][0]), name)
        except NotIdentified as refusal:
            if settings.cluster is not None:
                raise NotIdentified(
                    f"{refusal}: no interval by {name}; use --cluster judgment"
                ) from refusal
            covariances.pop(name, None)
            note = f"{refusal}: no clustering by {name}"
            clustering = give_up(clustering, name, evidence, note)
    if not covariances and clustering.ways:
        return _sandwich_intervals(fit, evidence, clustering, settings)
    return clustering, _wald(fit, evidence, covariances, settings.level)


def give_up(clustering: Clustering, name: str, evidence: Evidence, note: str) -> Clustering:
    """Leave a way out; without judges as clusters the statement is about these judges."""
    ways = tuple(way for way in clustering.ways if way != name)
    if not ways and name != "ranking":
        ways = single_answers(evidence)
    headline = clustering.headline
    if name == "judge":
        headline = speak_of_judges(len(evidence.factors["judge"].labels))
    return Clustering(ways, headline, (*clustering.notes, note))


def _wald(
    fit: Fit, evidence: Evidence, covariances: dict[str, tuple[Array, str]], level: float
) -> Intervals:
    """Return intervals by these ways, or by single comparisons."""
    ways = tuple(covariances)
    if not ways:
        return _by_judgment(fit, level)
    notes: tuple[str, ...] = ()
    vcovs = [vcov for vcov, _ in covariances.values()]
    if len(ways) == 2:
        vcovs.append(vcovs[0] + vcovs[1])
        cells = evidence.together(ways)
        if cells is not None:
            vcovs[2] -= crossed_covariance(fit, cells, (ways[0], ways[1]))
        else:
            notes = (NO_CELLS,)
    vcovs += _beside_prior(fit)
    df = min(_degrees(evidence.factors[name]) for name in ways)
    kinds = "/".join(dict.fromkeys(kind for _, kind in covariances.values()))
    merged = "".join(_say_merged(name, evidence.factors[name]) for name in ways)
    method = f"sandwich {kinds} by {'+'.join(ways)}{merged}, t on {df:.0f} df"
    found = _from_vcovs(fit, vcovs, (level, df), method)
    return replace(found, notes=(*notes, *_compare_with_model(fit, found)))


def _by_judgment(fit: Fit, level: float) -> Intervals:
    """Return intervals by single comparisons; the model's, where answers have no spread.

    Answers that are all ties have scores of zero: no information would be shown as certainty.

    Raises:
        NotIdentified: the same of importance weights, for which the model knows no spread either.

    """
    single, method = [judgment_covariance(fit), *_beside_prior(fit)], "sandwich CR1 by judgment"
    try:
        refuse_no_spread(fit, np.max([fit.to_worth(vcov) for vcov in single], axis=0), "judgment")
    except NotIdentified:
        if fit.tally.squares is not None:
            raise NotIdentified(f"{_say_tied(fit)}: there is no interval") from None
        found = _from_vcovs(
            fit, [*single, fit.raw_vcov], (level, np.inf), f"{method}, the model's where wider"
        )
        return replace(found, notes=(f"{_say_tied(fit)}: intervals are those of the model there",))
    return _from_vcovs(fit, single, (level, np.inf), method)


def _say_tied(fit: Fit) -> str:
    """Say why single answers show no spread."""
    tally = fit.tally
    if not (tally.wins.any() or tally.losses.any()):
        return "every comparison is a tie, and answers that are all alike show no spread"
    return "some systems are linked by ties alone, and answers that are all alike show no spread"


def _beside_prior(fit: Fit) -> list[Array]:
    """Return the model's covariance where a prior makes worths finite, else nothing.

    Two unanimous answers have no spread at all: their sandwich would call a winner that the prior
    alone holds back from infinity. Each contrast takes the larger variance.
    """
    return [fit.raw_vcov] if fit.model.prior else []


def refuse_no_spread(fit: Fit | Fitted, vcov: Array, name: str) -> None:
    """Refuse a covariance that is nothing for some pair beside what chance alone gives.

    Clusters that answer alike to the letter, or a design balanced to the last answer, have scores
    of zero: a standard error of zero would be published as certainty.

    Raises:
        NotIdentified: names the way of clustering.

    """
    pairs, of_model = np.triu_indices(len(vcov), 1), fit.worth_vcov
    if of_model is None:
        return
    ratio = pair_variance(vcov)[pairs] / pair_variance(of_model)[pairs]
    least = int(np.argmin(ratio))
    if ratio[least] < NO_SPREAD:
        i, j = (ends[least] for ends in pairs)
        more = int((ratio < NO_SPREAD).sum()) - 1
        others = f" and {more:,} other pair{'s' * (more != 1)}" if more else ""
        raise NotIdentified(
            f"clusters by {name} answered so alike on {fit.systems[i]} and {fit.systems[j]}{others}"
            " that nothing shows how much others might differ"
        )


def _compare_with_model(fit: Fit, found: Intervals) -> tuple[str, ...]:
    """Note intervals far narrower than independent answers would give."""
    if len(found.stderr) < SEVERAL:
        return ()
    ratio = float(np.median(found.stderr / np.sqrt(centred_variance(fit.worth_vcov))))
    return (NARROW,) if ratio < FAR_BELOW else ()


def _say_merged(name: str, factor: Factor) -> str:
    return f" ({len(factor.labels):,} {name}s in {factor.size})" if factor.merged else ""


def _degrees(factor: Factor) -> float:
    """Return degrees of freedom: effective clusters less one (INFERENCE B6)."""
    return max(1.0, min(float(factor.size), factor.effective) - 1)


def _bootstrap_intervals(
    fit: Fit, evidence: Evidence, clustering: Clustering, settings: Settings
) -> Intervals:
    tally = evidence.together(clustering.ways)
    if fit.model.prior:
        raise UnknownOption(
            "resamples of unanimous answers are unanimous, and a prior hides it: with --prior use"
            " --interval sandwich or model"
        )
    if tally is None or tally.squares is not None:
        raise UnknownOption("importance weights cannot be resampled: use interval 'sandwich'")
    rng = Generator(PCG64(settings.seed))
    draws = resample(fit, tally, clustering.ways, rng=rng, progress=settings.progress)
    method = f"bootstrap by {clustering.name}, B={REPLICATES}"
    ways = " and ".join(clustering.ways) or "judgment"
    refuse_no_spread(fit, np.cov(draws.log_worth.T), ways)
    factors = [evidence.factors[name] for name in clustering.ways if name in evidence.factors]
    found = resampled_intervals(draws.log_worth, factors, settings.level, method)
    if not draws.lost:
        return found
    note = f"{draws.lost} of {REPLICATES} resamples determine no worths and were left out"
    return replace(found, notes=(note,))
