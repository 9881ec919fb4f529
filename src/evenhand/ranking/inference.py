"""How sure: a fit and its clusters become intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import PCG64, Generator

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.levels import Levels
from evenhand.numerics.distributions import t_quantile
from evenhand.preference.fit import Fit
from evenhand.ranking.clustering import Clustering, choose_clustering, limit_to_few
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
from evenhand.ranking.intervals import Array, Intervals, resampled_intervals, wald_intervals
from evenhand.ranking.sandwich import cluster_covariance
from evenhand.ranking.settings import Settings
from evenhand.ranking.simultaneous import decide_all
from evenhand.ranking.spread import find_spread

Found = tuple[Clustering, Intervals | None]


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
    if settings.interval == "model":
        return Clustering((), limit_to_few(levels)), _model_intervals(fit, settings.level)
    clustering = choose_clustering(settings.cluster, evidence)
    if settings.cluster is not None:
        clustering = replace(clustering, headline=limit_to_few(levels, clustering.ways))
    if fit.vcov is None:
        return clustering, None
    if settings.interval == "rank-sets":
        clustering, spread = find_spread(fit, evidence, clustering, asked=settings.cluster)
        return clustering, decide_all(fit, spread, settings.level, settings.seed)
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
            covariances[name] = cluster_covariance(fit, evidence.alone(name), name)
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


def _wald(
    fit: Fit, evidence: Evidence, covariances: dict[str, tuple[Array, str]], level: float
) -> Intervals:
    """Return intervals by these ways, or by single comparisons."""
    ways = tuple(covariances)
    if not ways:
        vcovs, method, notes = single_covariances(fit)
        return replace(_from_vcovs(fit, vcovs, (level, np.inf), f"sandwich {method}"), notes=notes)
    found = [vcov for vcov, _ in covariances.values()]
    vcovs, notes = cross_ways(fit, evidence, ways, found)
    vcovs += beside_prior(fit)
    df = min(degrees(evidence.factors[name]) for name in ways)
    kinds = "/".join(dict.fromkeys(kind for _, kind in covariances.values()))
    merged = "".join(say_merged(name, evidence.factors[name]) for name in ways)
    method = f"sandwich {kinds} by {'+'.join(ways)}{merged}, t on {df:.0f} df"
    intervals = _from_vcovs(fit, vcovs, (level, df), method)
    return replace(intervals, notes=(*notes, *compare_with_model(fit, intervals.stderr)))


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
    from evenhand.ranking.bootstrap import resample
    from evenhand.ranking.settings import REPLICATES

    draws = resample(fit, tally, clustering.ways, rng=rng, progress=settings.progress)
    method = f"bootstrap by {clustering.name}, B={REPLICATES}"
    if draws.missing:
        method += f", refits to about {draws.missing:.0e} model standard errors"
    ways = " and ".join(clustering.ways) or "judgment"
    refuse_no_spread(fit, np.cov(draws.log_worth.T), ways)
    factors = [evidence.factors[name] for name in clustering.ways if name in evidence.factors]
    found = resampled_intervals(draws.log_worth, factors, settings.level, method)
    if not draws.lost:
        return found
    note = f"{draws.lost} of {REPLICATES} resamples determine no worths and were left out"
    return replace(found, notes=(note,))
