"""A ranking by any model of preferences, on the model's own scale (docs/ranking.md).

Systems stand in the order of their log-worths; models without worths have the mean over all
systems of the log-odds against them in its place, item response models their abilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import narwhals as nw
import numpy as np
from numpy.random import PCG64, Generator

from evenhand.data.coding import refuse_unnamed_levels
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import fetch_columns
from evenhand.data.groups import Levels, split_table
from evenhand.data.tally import Tally
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.base import FittedModel, Posterior
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.existence import check_existence, make_preference_graph
from evenhand.numerics import Array
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.graph import strong_components
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking.bootstrap import bootstrap_intervals, resample_model
from evenhand.ranking.clustering import (
    Clustering,
    Evidence,
    choose_clustering,
    gather_evidence,
    limit_to_few,
)
from evenhand.ranking.covariance import estimate_each, give_up, refuse_no_spread
from evenhand.ranking.inference import Found, Settings, order_systems
from evenhand.ranking.intervals import Way, pair_variance, percentile_intervals, wald_intervals
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.texts import say
from evenhand.render.document import Finding

# Which kinds of intervals a model has, known before anything is fitted

BASELINES: Final[Mapping[str, str]] = {  # Models that are there to be compared with → code
    "independent-pairs": "baseline-of-pairs",
    "asymmetric-students": "baseline-of-opponents",
    "arithmetic-students": "baseline-of-opponents",
    "geometric-students": "baseline-of-opponents",
}
# Model of the registry → its kinds of intervals, the usual one first
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("plackett-luce", "pattern"), ("sandwich", "model")),
    **dict.fromkeys(("random-judges", "judge-slopes"), ("model",)),
    **dict.fromkeys(("irt-gaussian", "irt-categorical"), ("posterior",)),
    **dict.fromkeys(BASELINES, ("bootstrap",)),
}


def list_kinds(fit: FittedModel) -> tuple[str, ...]:
    if isinstance(fit, Posterior):
        return ("posterior",)
    if fit.worth_vcov is None:
        return ("bootstrap",)
    return ("sandwich", "model") if hasattr(fit, "cluster_vcov") else ("model",)


def choose_kind(kinds: tuple[str, ...], settings: Settings) -> str:
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


# What judgments leave to a prior: systems that nothing links, answers that nothing contradicts.
#
# A prior, or a pseudo-count, gives every system an estimate, also where the judgments give none. It
# does not vary from resample to resample, so that a bootstrap would show it as certainty.

PRIOR: Final = "take --model bradley-terry --prior 1"
MIN_RELATIVE_ERROR: Final = 0.05  # Error of a difference that is none, beside independent answers'


def require_links(tally: Tally) -> None:
    """Refuse to resample systems that nothing links, or answers that nothing contradicts."""
    refusal = _find_fault(tally)
    if refusal is None:
        return
    ours = [*refusal.without_options().remedies, PRIOR]
    if tally.find_groups().any():
        raise NotIdentified(refusal.fault, ours, refusal.leave)
    steps = make_preference_graph(tally).steps(ties=True).graph
    if strong_components(steps).max() + 1 == len(tally.systems):
        fault = f"{refusal.cause}: resamples of unanimous answers are as unanimous"
        raise NotIdentified(f"{fault}, and show nothing of how much others might differ", ours)


def find_one_way(tally: Tally) -> NotIdentified | None:
    """Return why only a prior ranks systems that are all linked; None where none is needed."""
    return None if tally.find_groups().any() else _find_fault(tally)


def note_one_way(tally: Tally, *, resampled: bool) -> tuple[Finding, ...]:
    refusal = find_one_way(tally)
    if refusal is None:
        return ()
    code, severity = ("prior-alone-resampled", "warning") if resampled else ("prior-alone", "note")
    return (say(code, severity, why=refusal.cause),)


def _find_fault(tally: Tally) -> NotIdentified | None:
    """Return why log-worths without a prior would not be finite, or None."""
    try:
        check_existence(tally)
    except NotIdentified as refusal:
        return refusal
    return None


# How sure: intervals from whatever the fit of a model has.
#
# posterior   quantiles of draws of abilities or log-worths and of their differences
# sandwich    covariances by cluster (`cluster_vcov`), the largest for each contrast
# model       the covariance of the model
# bootstrap   refits on 300 resamples of clusters


def find_model_intervals(
    fit: FittedModel, table: Comparisons, evidence: Evidence, levels: Levels, settings: Settings
) -> tuple[str, Found]:
    kind = choose_kind(list_kinds(fit), settings)
    about = Clustering((), limit_to_few(levels))
    if kind == "posterior" and isinstance(fit, Posterior):
        draws = fit.order_draws
        method = f"posterior, {len(draws):,} draws, judgments independent given qualities"
        intervals = percentile_intervals(draws, settings.level, method)
        notes = (*_note_rankings(evidence), *note_one_way(evidence.whole, resampled=False))
        group = evidence.whole.find_groups()  # no pair is decided that no comparison links
        decided = np.where(group[:, None] == group, intervals.decided, 0).astype(np.int8)
        return kind, (about, replace(intervals, decided=decided, notes=notes))
    if kind == "model":
        vcov = fit.worth_vcov
        if vcov is None:
            raise NotIdentified("the fit has no covariance")
        df = np.inf
        effective = levels.effective("judge")
        if hasattr(fit, "sigma") and effective is not None:  # the variance between judges is in it
            df = max(1.0, effective - 1)
        method = f"model, {fit.assumes}"
        notes = () if hasattr(fit, "cluster_vcov") else _note_rankings(evidence)
        intervals = wald_intervals(fit.log_worth, [vcov], settings.level, df, method, notes=notes)
        return kind, (about, intervals)
    clustering = choose_clustering(settings.cluster, evidence, levels)
    if kind == "bootstrap":
        require_links(evidence.whole)
        return kind, _bootstrap_intervals(evidence, clustering, settings)

    # by every way that can be: one whose cluster alone links some systems cannot
    def estimate(name: str) -> tuple[Array, str]:
        errors = fit.cluster_vcov(table, name)  # type: ignore[attr-defined]
        refuse_no_spread(fit.systems, errors.worth_vcov, fit.worth_vcov, name)
        return errors.worth_vcov, errors.kind

    clustering, covariances = estimate_each(
        estimate, clustering, evidence, requested=settings.cluster, advice=""
    )
    if not covariances:
        single = Clustering(("ranking",))
        _, covariances = estimate_each(estimate, single, evidence, requested="ranking", advice="")
    vcovs = [vcov for vcov, _ in covariances.values()]
    if len(vcovs) == 2:  # cells of judge and item are answers, or clusters of a few
        single = fit.cluster_vcov(table, "ranking").worth_vcov  # type: ignore[attr-defined]
        vcovs.append(vcovs[0] + vcovs[1] - single)
    factors = {name: evidence.factors[name] for name in covariances if name in evidence.factors}
    df = min((max(1.0, one.effective - 1) for one in factors.values()), default=np.inf)
    kinds = "/".join(dict.fromkeys(kind for _, kind in covariances.values()))
    method = f"sandwich {kinds} by {'+'.join(covariances)}"
    n = int(evidence.whole.n_judgments)
    sizes = {name: one.size for name, one in factors.items()}
    ways = [(name, kind, sizes.get(name, n)) for name, (_, kind) in covariances.items()]
    of_ways = tuple(Way(*way, clusters=way[-1]) for way in ways)
    intervals = wald_intervals(fit.log_worth, vcovs, settings.level, df, method, ways=of_ways)
    return kind, (clustering, intervals)


def _note_rankings(evidence: Evidence) -> tuple[Finding, ...]:
    return () if evidence.whole.of_pairs else (say("of-rankings", "warning"),)


def _bootstrap_intervals(evidence: Evidence, clustering: Clustering, settings: Settings) -> Found:
    """Resample by clusters; where they answer alike to the letter, by single answers."""
    tally = evidence.together(clustering.clusterings)
    if tally is None or (tally.squares is not None and not clustering.clusterings):
        raise UnknownOption(
            f"importance weights of single judgments cannot be resampled for {settings.name}: take"
            " bradley-terry"
        )
    rng = Generator(PCG64(settings.seed))
    draws = resample_model(
        settings.model, tally, clustering.clusterings, rng=rng, progress=settings.progress
    )
    # pseudo-counts weigh less in large resamples, so that estimates move a little even where all
    # clusters answer alike: the measure is what independent answers would give
    variance = pair_variance(np.cov(draws.log_worth.T))
    usual = BradleyTerry(ties="half-win", prior=1.0).fit(evidence.whole).worth_vcov
    variance = variance / (1.0 if usual is None else pair_variance(usual) + np.eye(len(variance)))
    variance[np.diag_indices(len(variance))] = np.inf
    i, j = np.unravel_index(int(np.argmin(variance)), variance.shape)
    if variance[i, j] >= MIN_RELATIVE_ERROR**2:
        intervals = bootstrap_intervals(draws, evidence, clustering, settings.level)
        notes = (*note_one_way(evidence.whole, resampled=True), *intervals.notes)
        return clustering, replace(intervals, notes=notes)
    one, other = evidence.whole.systems[i], evidence.whole.systems[j]
    by = " and ".join(clustering.clusterings) or "judgment"
    if settings.cluster is not None or not clustering.clusterings:
        raise NotIdentified(
            f"resamples by {by} all say the same of {one} and {other}: nothing shows how much"
            " others might differ, and there is no interval",
            ["collect more judgments"],
        )
    note = say("resamples-alike", factors=by, one=one, other=other)
    fewer = clustering
    for name in clustering.clusterings:
        fewer = give_up(fewer, name, evidence, note)
    fewer = replace(fewer, notes=tuple(dict.fromkeys(fewer.notes)))
    return _bootstrap_intervals(evidence, fewer, settings)


UNIFORM_MODELS: Final = ("uniform", "adjusted-uniform")  # Models that say the same of every pair


def rank_by_model(table: Comparisons, clusterings: tuple[str, ...], settings: Settings) -> Ranking:
    if settings.name in UNIFORM_MODELS:
        raise UnknownOption(
            f"{settings.name} says the same of every pair of systems, so that it orders none: it is"
            " there to be compared with; choose bradley-terry, or whatever model evenhand compare"
            " finds best"
        )
    if table.weights == "importance":
        what = "importance weights" if table.mix is None else "a mix"
        raise UnknownOption(
            f"{settings.name} counts whole judgments, which {what} would split: take bradley-terry,"
            f" rao-kupper or glenn-david, or leave {what} out"
        )
    if settings.name in KINDS:  # refuse before a fit that may take long
        choose_kind(KINDS[settings.name], settings)
    fit: FittedModel = settings.model.fit(table)
    evidence, levels = gather_evidence(table, clusterings, apart=False)
    with one_blas_thread():
        kind, (clustering, intervals) = find_model_intervals(fit, table, evidence, levels, settings)
    if settings.name in BASELINES:
        note = say(BASELINES[settings.name], "warning", model=settings.name)
        clustering = replace(clustering, notes=(*clustering.notes, note))
    settings = replace(settings, interval=kind)
    return order_systems(fit, evidence, levels, (clustering, intervals), settings)


def split_judgments(table: Comparisons, by: str) -> Mapping[str, Comparisons]:
    """Return the judgments of each level of a column; rankings stay with their pairs."""
    level = nw.col(by).cast(nw.String)
    unnamed = level.is_null() | (level == "")
    if fetch_columns(table.frame.filter(unnamed).select(by).head(1))[by].size:
        refuse_unnamed_levels(table.frame.with_columns(level.alias(by)), {by: [None]}, table.source)
    parts = split_table(table, by)
    whole = table.rankings
    if whole is None or not whole.has(by):
        return parts
    return {
        name: replace(part, rankings=replace(whole, frame=whole.frame.filter(level == name)))
        for name, part in parts.items()
    }


# Systems by one model, as figures show them.


def estimate_abilities(
    fit: FittedModel, level: float
) -> tuple[list[tuple[float, float | None, float | None]], str]:
    """Return each system's value and interval about the average system, and what they are."""
    worth = fit.log_worth - fit.log_worth.mean()
    if isinstance(fit, Posterior):
        # Draws are centred one by one: where the scale begins is not known from comparisons
        draws = fit.order_draws - fit.order_draws.mean(axis=1, keepdims=True)
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
        worth = draws.mean(axis=0)
        below = (
            f"posterior means with {100 * level:g} % intervals, 0 the average system; answers taken"
            " for independent given the outputs, as if judges were alike"
        )
    elif fit.worth_vcov is None:
        below = "log-odds against the average system; the model has no intervals of its own"
        return [(float(value), None, None) for value in worth], below
    else:
        centred = np.eye(len(worth)) - 1 / len(worth)
        variance = np.einsum("ij,jk,ik->i", centred, fit.worth_vcov, centred)
        margin = normal_quantile((1 + level) / 2) * np.sqrt(np.maximum(variance, 0))
        low, high = worth - margin, worth + margin
        below = f"log-worths with {100 * level:g} % intervals of the model, judgments independent"
    return list(zip(worth.tolist(), low.tolist(), high.tolist(), strict=True)), below


def tabulate_chances(predictor: FittedModel, systems: Sequence[str]) -> Array:
    """Return (K, K, 3) chances of row preferred, neither, column preferred; 0 on the diagonal."""
    k = len(systems)
    at = [(i, j) for i in range(k) for j in range(k) if i != j]
    chances = np.zeros((k, k, 3))
    if at:
        first, second = np.transpose(at)
        chances[first, second] = predictor.predict([(systems[i], systems[j]) for i, j in at])
    return chances
