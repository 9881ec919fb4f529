"""How sure: intervals from whatever the fit of a model has.

    posterior   draws of abilities or log-worths: quantiles of them and of their differences;
                judgments are taken for independent given the qualities of outputs
    sandwich    covariances by cluster (`cluster_vcov`), the largest for each contrast
    model       the covariance of the model, which holds as far as the model does
    bootstrap   refits on 300 resamples of clusters, for models that know no errors

A pair is decided when the interval of its difference leaves zero out, whatever the kind.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.random import PCG64, Generator

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import Levels
from evenhand.numerics.distributions import t_quantile
from evenhand.preference.models import Fitted, Posterior
from evenhand.ranking.bootstrap import FEWER, Draws, resample_model
from evenhand.ranking.by_model_kinds import Clustered, choose_kind, list_kinds
from evenhand.ranking.by_model_links import (
    find_alike,
    leave_open,
    note_one_way,
    require_links,
)
from evenhand.ranking.clustering import (
    Clustering,
    choose_clustering,
    limit_to_few,
)
from evenhand.ranking.covariances import give_up, refuse_no_spread
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.inference import Found
from evenhand.ranking.intervals import (
    Array,
    Intervals,
    percentile_intervals,
    resampled_intervals,
    wald_intervals,
)
from evenhand.ranking.settings import ModelSettings

INDEPENDENT: Final = "independent judgments"
OF_RANKINGS: Final = (
    "comparisons of one ranking are not independent, as the model takes them to be: intervals are"
    " too short"
)


@runtime_checkable
class Assuming(Protocol):
    """A fit whose covariance rests on something else than independent judgments."""

    @property
    def assumes(self) -> str:
        """What is taken for independent, in a few words."""


@runtime_checkable
class OfJudges(Protocol):
    """A fit whose covariance has the variance between judges in it."""

    @property
    def sigma(self) -> float:
        """Standard deviation of judges' log-worths."""


def find_model_intervals(
    fit: Fitted, table: Comparisons, evidence: Evidence, levels: Levels, settings: ModelSettings
) -> tuple[str, Found]:
    """Return the kind of intervals, the clusters and the intervals.

    Args:
        fit: the fit to the data.
        table: the data.
        evidence: the same, told apart by the candidates for clusters.
        levels: loads of judges and items.
        settings: what was asked.

    Raises:
        UnknownOption: a kind or a clustering that the fit does not have.
        NotIdentified: the data do not show the spread that was asked for.

    """
    kind = choose_kind(list_kinds(fit), settings)
    few = limit_to_few(levels)
    if kind == "posterior" and isinstance(fit, Posterior):
        return kind, (Clustering((), few), _posterior_intervals(fit, evidence, settings.level))
    if kind == "model":
        return kind, (Clustering((), few), _model_intervals(fit, evidence, levels, settings.level))
    clustering = choose_clustering(settings.cluster, evidence)
    if settings.cluster is not None:
        clustering = replace(clustering, headline=limit_to_few(levels, clustering.ways))
    if kind == "sandwich":
        return kind, _sandwich_intervals(fit, table, evidence, clustering, settings)
    require_links(evidence.whole)
    return kind, _bootstrap_intervals(evidence, clustering, settings)


def _posterior_intervals(fit: Posterior, evidence: Evidence, level: float) -> Intervals:
    draws = fit.order_draws
    method = f"posterior, {len(draws):,} draws, judgments independent given qualities"
    found = percentile_intervals(draws, level, method)
    notes = (*_note_rankings(evidence), *note_one_way(evidence.whole, resampled=False))
    return replace(leave_open(found, evidence.whole), notes=notes)


def _note_rankings(evidence: Evidence) -> tuple[str, ...]:
    """Say so where one answer is several comparisons, which the model does not know."""
    whole = evidence.whole
    return (OF_RANKINGS,) if whole.n_judgments < whole.n_comparisons * (1 - 1e-9) else ()


def _model_intervals(fit: Fitted, evidence: Evidence, levels: Levels, level: float) -> Intervals:
    """Return intervals by the model's covariance, with Student's t where judges are its units."""
    vcov = _require_vcov(fit)
    df, assumed = np.inf, fit.assumes if isinstance(fit, Assuming) else INDEPENDENT
    effective = levels.effective("judge")
    if isinstance(fit, OfJudges) and effective is not None:
        df = max(1.0, effective - 1)
    method = f"model, {assumed}" + (f", t on {df:.0f} df" if df < np.inf else "")
    found = wald_intervals(fit.log_worth, [vcov], t_quantile((1 + level) / 2, df), method)
    notes = () if isinstance(fit, Clustered) else _note_rankings(evidence)
    return replace(found, df=df, notes=notes)


def _require_vcov(fit: Fitted) -> Array:
    vcov = fit.worth_vcov
    if vcov is None:
        raise NotIdentified("the fit has no covariance")
    return vcov


def _sandwich_intervals(
    fit: Fitted,
    table: Comparisons,
    evidence: Evidence,
    clustering: Clustering,
    settings: ModelSettings,
) -> Found:
    """Cluster by every way that can be; one whose cluster alone links some systems cannot."""
    covariances: dict[str, tuple[Array, str]] = {}
    for name in clustering.ways or ("ranking",):
        try:
            errors = fit.cluster_vcov(table, name)  # type: ignore[attr-defined]
            refuse_no_spread(fit, errors.worth_vcov, name)
        except NotIdentified as refusal:
            if settings.cluster is not None or not clustering.ways:
                raise NotIdentified(f"{refusal}: no interval by {name}") from refusal
            clustering = give_up(clustering, name, evidence, f"{refusal}: no clustering by {name}")
            continue
        covariances[name] = (errors.worth_vcov, errors.kind)
    if not covariances:
        return _sandwich_intervals(fit, table, evidence, clustering, settings)
    return clustering, _wald(fit, table, evidence, covariances, settings.level)


def _wald(
    fit: Fitted,
    table: Comparisons,
    evidence: Evidence,
    covariances: dict[str, tuple[Array, str]],
    level: float,
) -> Intervals:
    """Return intervals by these ways, each contrast by its largest variance."""
    vcovs = [vcov for vcov, _ in covariances.values()]
    if len(vcovs) == 2:  # cells of judge and item are answers, or clusters of a few
        single = fit.cluster_vcov(table, "ranking").worth_vcov  # type: ignore[attr-defined]
        vcovs.append(vcovs[0] + vcovs[1] - single)
    factors = {name: evidence.factors[name] for name in covariances if name in evidence.factors}
    df = min((max(1.0, one.effective - 1) for one in factors.values()), default=np.inf)
    kinds = "/".join(dict.fromkeys(kind for _, kind in covariances.values()))
    method = f"sandwich {kinds} by {'+'.join(covariances)}"
    method += f", t on {df:.0f} df" if df < np.inf else ""
    found = wald_intervals(fit.log_worth, vcovs, t_quantile((1 + level) / 2, df), method)
    return replace(found, df=df)


def _bootstrap_intervals(
    evidence: Evidence, clustering: Clustering, settings: ModelSettings
) -> Found:
    """Resample by clusters; where they answer alike to the letter, by single answers.

    Raises:
        UnknownOption: importance weights without clusters, which cannot be drawn.
        NotIdentified: resamples that determine nothing, or that all say the same.

    """
    draws = _draw_clusters(evidence, clustering, settings)
    alike = find_alike(draws.log_worth, evidence.whole)
    if alike is None:
        return clustering, _percentiles(draws, evidence, clustering, settings)
    by = " and ".join(clustering.ways) or "judgment"
    fault = (
        f"resamples by {by} all say the same of {alike}: nothing shows how much others might differ"
    )
    if settings.cluster is not None or not clustering.ways:
        raise NotIdentified(f"{fault}, and there is no interval", ["collect more judgments"])
    given_up = clustering
    for name in clustering.ways:
        given_up = give_up(given_up, name, evidence, "")
    note = f"{fault}; no clustering by {by}"
    fewer = replace(given_up, notes=(*filter(None, given_up.notes), note))
    return _bootstrap_intervals(evidence, fewer, settings)


def _draw_clusters(evidence: Evidence, clustering: Clustering, settings: ModelSettings) -> Draws:
    """Refit on resamples of clusters."""
    tally = evidence.together(clustering.ways)
    if tally is None or (tally.squares is not None and not clustering.ways):
        raise UnknownOption(
            f"importance weights of single judgments cannot be resampled for {settings.name}: take"
            " bradley-terry"
        )
    rng = Generator(PCG64(settings.seed))
    return resample_model(
        settings.model, tally, clustering.ways, rng=rng, progress=settings.progress
    )


def _percentiles(
    draws: Draws, evidence: Evidence, clustering: Clustering, settings: ModelSettings
) -> Intervals:
    """Return percentile intervals of refits, and what must stand beside them."""
    method = f"bootstrap by {clustering.name}, B={FEWER}"
    factors = [evidence.factors[name] for name in clustering.ways if name in evidence.factors]
    found = resampled_intervals(draws.log_worth, factors, settings.level, method)
    notes = note_one_way(evidence.whole, resampled=True)
    if draws.lost:
        lost = f"{draws.lost} of {FEWER} resamples determine no worths and were left out"
        notes = (*notes, lost)
    return replace(found, notes=notes)
