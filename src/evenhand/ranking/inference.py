"""How sure: a fit and its clusters become intervals."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.exclusions import Exclusion, say_unweighted, sign_excluded
from evenhand.judgments.levels import Levels
from evenhand.judgments.tally import Tally
from evenhand.models.base import Fit, cautions
from evenhand.models.coefficients import Contrast
from evenhand.models.registry import FittedModel, Posterior
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking.clustering import Clustering, Evidence, choose_clustering, limit_to_few
from evenhand.ranking.covariance import (
    beside_prior,
    compare_with_model,
    cross_ways,
    degrees,
    find_spread,
    give_up,
    refuse_no_spread,
    say_merged,
    single_covariances,
)
from evenhand.ranking.intervals import (
    Array,
    Intervals,
    find_clusters,
    rank_ranges,
    resampled_intervals,
    wald_intervals,
)
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.sandwich import cluster_covariance
from evenhand.ranking.settings import ModelSettings, Settings
from evenhand.ranking.sides import OneSided, find_one_sided
from evenhand.ranking.signature import sign

if TYPE_CHECKING:
    from evenhand.judgments.mixing import Mixed


Found = tuple[Clustering, Intervals | None]


def find_intervals(fit: Fit, evidence: Evidence, levels: Levels, settings: Settings) -> Found:
    """Return the clusters and the intervals, None where systems are too many for a covariance."""
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

    vcovs: (p, p) covariances of its parameters.
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


# Putting everything in the order of the board, best first, equal estimates by name.

TOP: Final = 20
EQUAL: Final = 1e-9  # Difference in log-worth that is rounding and no difference


def order_systems(
    fit: Fit | FittedModel,
    evidence: Evidence,
    levels: Levels,
    found: Found,
    settings: Settings | ModelSettings,
) -> Ranking:
    """Make a ranking of a fit and its intervals."""
    (clustering, intervals), tally = found, evidence.whole
    centred, ability = _centre(fit.log_worth, intervals), find_ability(fit)
    order, places = number_places(centred if ability is None else ability)
    counted = fit.tally if isinstance(fit, Fit) else tally
    won, tied, lost = (total[order] for total in _totals(counted))
    board, sizes = _board(intervals, order), _sizes(tally, levels, settings.mix)
    sides = _find_sides(tally, sizes, settings)
    excluded = exclude_in_fit(fit, tally, settings.mix)
    return Ranking(
        systems=tuple(fit.systems[i] for i in order),
        log_worth=centred[order],
        rank=places,
        **board,
        wins=won,
        ties=tied,
        losses=lost,
        level=settings.level,
        interval=settings.interval or "none",
        method=intervals.method if intervals is not None else "no intervals",
        rank_interval="simultaneous" if board.get("rank_sets") else "marginal",
        **sizes,
        signature=sign_excluded(sign(fit, evidence, levels, intervals, settings), excluded),
        excluded=excluded,
        headline=clustering.headline,
        notes=(*sides.notes, *_gather_notes(fit, tally, found, settings)),
        one_sided=sides.uneven,
        neighbours=() if intervals is not None else _neighbours(fit, order),
        fit=fit,
        model=settings.name,
        df=np.inf if intervals is None else intervals.df,
        ability=None if ability is None else ability[order],
    )


def exclude_in_fit(
    fit: Fit | FittedModel, tally: Tally, mix: Mixed | None
) -> tuple[Exclusion, ...]:
    """Return the comparisons that a model or a mix excludes: ties, and shares of 0."""
    excluded, every, ties = [], tally.n_comparisons, float(tally.ties.sum())
    if ties and every - fit.n_comparisons == ties:
        reason = "ties, which the model does not take"
        excluded = [Exclusion("ties", reason, ties, every, unit="comparison")]
    if mix is not None and mix.left_out:
        said = " ".join(mix.notes)
        reason = "their share in the mix is 0"
        excluded.append(Exclusion("mix", reason, mix.left_out, unit="comparison", sentence=said))
    return tuple(excluded)


def _find_sides(
    tally: Tally, sizes: dict[str, Any], settings: Settings | ModelSettings
) -> OneSided:
    """Return what is to be said of sides, where answers are comparisons and not rankings."""
    of_pairs = sizes["n_judgments"] >= sizes["n_comparisons"] * (1 - 1e-9)
    return find_one_sided(tally, settings.model, of_pairs=of_pairs)


def _gather_notes(
    fit: Fit | FittedModel, tally: Tally, found: Found, settings: Settings | ModelSettings
) -> tuple[str, ...]:
    """Return what must be said of a fit, its clusters, its model and a mix."""
    clustering, intervals = found
    of_mix = () if settings.mix is None else settings.mix.notes
    of_model = cautions(fit) if isinstance(fit, Fit) and settings.interval == "model" else ()
    return (*_notes(fit, tally, intervals), *clustering.notes, *of_model, *of_mix)


def _centre(log_worth: Array, intervals: Intervals | None) -> Array:
    """Return log-worths whose zero is that of the intervals."""
    members = None if intervals is None else intervals.centred_on
    return np.asarray(log_worth - log_worth[slice(None) if members is None else members].mean())


def _sizes(tally: Tally, levels: Levels, mix: Mixed | None) -> dict[str, Any]:
    """Return how much a ranking rests on; of a mix the numbers before weighing."""
    return {
        "n_judgments": tally.n_judgments,
        "n_comparisons": tally.n_comparisons if mix is None else mix.n_comparisons,
        "n_judges": levels.count("judge"),
        "effective_judges": levels.effective("judge"),
        "n_items": levels.count("item"),
        "mix": mix,
    }


def find_ability(fit: Fit | FittedModel) -> Array | None:
    """Return (K,) abilities, centred, of a model whose draws are of abilities, else None."""
    if not isinstance(fit, Posterior) or fit.order_scale == "log-worth":
        return None
    means = fit.order_draws.mean(axis=0)
    return np.asarray(means - means.mean())


def number_places(values: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the order, largest first, and the place of each in it; equal values share a place.

    Equal values stand in the order in which they came, which is by name.

    >>> [part.tolist() for part in number_places(np.array([0.0, 0.3, 0.1 + 0.2, 1.0]))]
    [[3, 1, 2, 0], [1, 2, 2, 4]]
    """
    order = np.argsort(-values, kind="stable")
    fresh = np.concatenate([[True], np.diff(values[order]) < -EQUAL])
    run = np.cumsum(fresh) - 1
    return order[np.lexsort((order, run))], np.asarray(np.flatnonzero(fresh)[run] + 1)


def _board(intervals: Intervals | None, order: NDArray[np.int64]) -> dict[str, Any]:
    """Reorder intervals, and derive rank ranges and clusters."""
    if intervals is None:
        names = ("stderr", "lower", "upper", "rank_lower", "rank_upper", "cluster", "better_than")
        return dict.fromkeys(names)
    lowest, highest = rank_ranges(intervals.decided)
    pairs = intervals.pairs
    return {
        "stderr": intervals.stderr[order],
        "lower": intervals.lower[order],
        "upper": intervals.upper[order],
        "rank_lower": lowest[order],
        "rank_upper": highest[order],
        "cluster": find_clusters(order, intervals.decided),
        "better_than": (len(order) - highest)[order],
        "pair_stderr": None if pairs is None else pairs[np.ix_(order, order)],
        "rank_sets": None if intervals.rank_sets is None else intervals.rank_sets.reorder(order),
    }


def _totals(tally: Tally) -> tuple[Array, Array, Array]:
    """Return (K,) comparisons won, tied and lost by each system."""
    k = len(tally.systems)

    def by_system(as_left: Array, as_right: Array) -> Array:
        left = np.bincount(tally.left, as_left, minlength=k)
        return np.asarray(left + np.bincount(tally.right, as_right, minlength=k))

    return (
        by_system(tally.wins, tally.losses),
        by_system(tally.ties, tally.ties),
        by_system(tally.losses, tally.wins),
    )


def _notes(fit: Fit | FittedModel, tally: Tally, intervals: Intervals | None) -> tuple[str, ...]:
    notes = [*fit.notes, *(intervals.notes if intervals is not None else ())]
    if tally.zero_weight:
        notes.append(say_unweighted(tally.zero_weight))
    if intervals is None:
        notes.append(
            f"{len(fit.systems):,} systems are too many for intervals of all: differences of"
            f" neighbours at the top {TOP} are given, with errors that assume independent"
            " judgments; ask for others by fit.contrasts"
        )
    return tuple(notes)


def _neighbours(fit: Fit | FittedModel, order: NDArray[np.int64]) -> tuple[Contrast, ...]:
    if not isinstance(fit, Fit):
        return ()
    names = [fit.systems[i] for i in order[: TOP + 1]]
    return fit.contrasts(list(pairwise(names)))
