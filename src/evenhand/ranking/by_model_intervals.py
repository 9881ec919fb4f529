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
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.random import PCG64, Generator

from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import Levels
from evenhand.numerics.distributions import t_quantile
from evenhand.preference.models import Fitted, Posterior
from evenhand.ranking.bootstrap import FEWER, resample_model
from evenhand.ranking.clustering import (
    Clustering,
    choose_clustering,
    say_few_judges,
)
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.inference import (
    Found,
    give_up,
    refuse_no_spread,
)
from evenhand.ranking.intervals import Array, Intervals, percentile_intervals, wald_intervals
from evenhand.ranking.settings import ModelSettings

INDEPENDENT: Final = "independent judgments"
OF_RANKINGS: Final = (
    "comparisons of one ranking are not independent, as the model takes them to be: intervals are"
    " too short"
)


@runtime_checkable
class Clustered(Protocol):
    """A fit that knows covariances by cluster."""

    def cluster_vcov(self, data: Any, by: str) -> Any:
        """Return covariances by a column, with `kind` and `worth_vcov`."""


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


def list_kinds(fit: Fitted) -> tuple[str, ...]:
    """Return the kinds of intervals that a fit has, the usual one first."""
    if isinstance(fit, Posterior):
        return ("posterior",)
    if fit.worth_vcov is None:
        return ("bootstrap",)
    return ("sandwich", "model") if isinstance(fit, Clustered) else ("model",)


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
    kind = _choose_kind(fit, settings)
    few = say_few_judges(levels.count("judge"), levels.effective("judge"))
    if kind == "posterior" and isinstance(fit, Posterior):
        return kind, (Clustering((), few), _posterior_intervals(fit, evidence, settings.level))
    if kind == "model":
        return kind, (Clustering((), few), _model_intervals(fit, evidence, levels, settings.level))
    clustering = choose_clustering(settings.cluster, evidence)
    if settings.cluster is not None and "judge" not in clustering.ways:
        clustering = replace(clustering, headline=few)
    if kind == "sandwich":
        return kind, _sandwich_intervals(fit, table, evidence, clustering, settings)
    return kind, (clustering, _bootstrap_intervals(evidence, clustering, settings))


def _choose_kind(fit: Fitted, settings: ModelSettings) -> str:
    kinds = list_kinds(fit)
    kind = settings.interval or kinds[0]
    if kind not in kinds:
        has = " or ".join(f"'{one}'" for one in kinds)
        raise UnknownOption(
            f"interval '{kind}' does not apply to {settings.name}, whose intervals are {has}: leave"
            " it out"
        )
    if settings.cluster is not None and kind in ("posterior", "model"):
        raise UnknownOption(
            f"cluster does not apply to {settings.name}, whose {kind} intervals know no clusters:"
            " leave it out, or choose bradley-terry"
        )
    return kind


def _posterior_intervals(fit: Posterior, evidence: Evidence, level: float) -> Intervals:
    draws = fit.order_draws
    method = f"posterior, {len(draws):,} draws, judgments independent given qualities"
    found = percentile_intervals(draws, level, method)
    return replace(found, notes=_note_rankings(evidence))


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
) -> Intervals:
    """Return percentile intervals of refits.

    Raises:
        UnknownOption: importance weights without clusters, which cannot be drawn.
        NotIdentified: resamples that determine nothing.

    """
    tally = evidence.together(clustering.ways)
    if tally is None or (tally.squares is not None and not clustering.ways):
        raise UnknownOption(
            f"importance weights of single judgments cannot be resampled for {settings.name}: take"
            " bradley-terry"
        )
    rng = Generator(PCG64(settings.seed))
    draws = resample_model(
        settings.model, tally, clustering.ways, rng=rng, progress=settings.progress
    )
    if (draws.log_worth.std(axis=0) == 0).all():
        raise NotIdentified(
            f"resamples by {listing(clustering.ways or ('judgment',))} all say the same: nothing"
            " shows how much others might differ"
        )
    method = f"bootstrap by {clustering.name}, B={FEWER}"
    found = percentile_intervals(draws.log_worth, settings.level, method)
    if not draws.lost:
        return found
    note = f"{draws.lost} of {FEWER} resamples determine no worths and were left out"
    return replace(found, notes=(note,))
