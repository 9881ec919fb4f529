"""Systems ranked by ratings: scores adjusted for judges and items, or another model of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.controls import leave_out_controls
from evenhand.data.exclusions import note_excluded
from evenhand.data.groups import Levels, group_ratings
from evenhand.data.rating_rows import (
    RatingRows,
    digest_ratings,
    find_document,
    label_documents,
    reads_lower_of,
)
from evenhand.data.ratings import Ratings
from evenhand.data.references import check_references, exclude_references
from evenhand.data.slips import note_slips
from evenhand.data.tally import Factor, merge_levels
from evenhand.errors import NotConverged, NotIdentified, UnknownOption, listing
from evenhand.models.means import LeastSquaresFit
from evenhand.models.rating_fit import RatingFit, ScoredRows, contrast_basis, take_scores
from evenhand.models.registry import RATING_MODELS, find_model
from evenhand.numerics import Array, Flags
from evenhand.numerics.absorption import sum_clusters, sum_squares
from evenhand.numerics.cluster_means import cross_ways, number_groups, sort_codes
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking import covariance
from evenhand.ranking.clustering import (
    MAX_CLUSTERS,
    MIN_EFFECTIVE,
    Clustering,
    ScoredAnswers,
    choose_clustering,
    limit_to_few,
    wanted_factors,
)
from evenhand.ranking.inference import Settings, number_places, reorder
from evenhand.ranking.intervals import Estimates, Intervals, Way, wald_intervals
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.ranking import GroupedRankings, Ranking, rank_apart, take_only
from evenhand.ranking.sandwich import MAX_DENSE, find_singular
from evenhand.ranking.texts import say
from evenhand.render.document import Finding, exactly, take_findings, write_signature

INTERVALS: Final = ("rank-sets", "sandwich", "model")
OF_ROWS: Final = ("mixed", "ordinal")  # Models whose errors take scores as independent


def rank_beside_references(
    rank_part: Callable[[RatingRows], Ranking], rows: RatingRows, references: Sequence[str] | None
) -> Ranking:
    """Rank systems without human references, which a second fit shows beside them."""
    rest, excluded = exclude_references(rows, references)
    ranking = rank_part(rest)
    if not excluded:
        return ranking
    (apart,) = excluded
    try:
        both = rank_part(rows)
    except (NotIdentified, NotConverged) as refusal:
        lost = say("references-not-fitted", why=str(refusal.without_options()))
        return note_excluded(replace(ranking, notes=(*ranking.notes, lost)), excluded)
    # the rows of references, on the scale of the ranking without them
    systems = [both.systems.index(name) for name in ranking.systems]
    moved = float(ranking.estimate.mean() - both.estimate[systems].mean())
    none = np.zeros((len(both.systems),) * 2, dtype=np.int8)
    decided, beside = none if both.decided is None else both.decided, []
    for row in both.rows():
        if row["system"] not in apart.system_names:
            continue
        against = decided[both.systems.index(row["system"])][systems]
        for key in ("estimate", "lower", "upper"):
            row[key] = None if row[key] is None else row[key] + moved
        row["beats"] = [ranking.systems[at] for at in np.flatnonzero(against > 0).tolist()]
        row["beaten_by"] = [ranking.systems[at] for at in np.flatnonzero(against < 0).tolist()]
        keys = ("system", "estimate", "lower", "upper", "ratings", "mean", "beats", "beaten_by")
        beside.append({key: row[key] for key in keys})
    return note_excluded(replace(ranking, references=tuple(beside)), excluded)


def choose_rating_model(model: object) -> object:
    """Return settings of a model of ratings, from settings, a name or nothing."""
    if model is None or isinstance(model, str):
        return find_model(model or "adjusted", RATING_MODELS).make()
    places = {entry.place for entry in RATING_MODELS.values()}
    if f"{type(model).__module__}:{type(model).__name__}" not in places:
        names = " | ".join(RATING_MODELS)
        raise UnknownOption(
            f"{type(model).__name__} is no model of ratings: give settings such as"
            f" evenhand.Adjusted(), or a name: {names}"
        )
    return model


def take_part(data: Ratings | RatingRows) -> RatingRows:
    """Return the ratings of one task under one criterion, without controls; refuse several."""
    rows = leave_out_controls(data).rows() if isinstance(data, Ratings) else data
    one = "one ranking is examined; choose one with data.where(nw.col('{role}') == 'NAME')"
    rows.refuse_several({role: one.format(role=role) for role in ("task", "criterion")})
    return rows


def refuse_of_votes(settings: Mapping[str, object]) -> None:
    """Refuse settings that apply to comparisons alone, where they are given."""
    if unfit := [name for name, value in settings.items() if value]:
        raise UnknownOption(
            f"{listing(unfit)}: of comparisons, and these are ratings: leave it out"
        )


def refuse_interval(interval: str | None) -> None:
    if interval not in INTERVALS:
        raise UnknownOption(
            f"ratings have no interval '{interval}': choose {' | '.join(INTERVALS)}"
        )


def rank_ratings(
    data: Ratings | RatingRows,
    settings: Settings,
    *,
    group_by: str | None = None,
    rank_part: Callable[[RatingRows, Settings], Ranking] | None = None,
) -> Ranking | GroupedRankings:
    """Rank the systems of ratings, apart by task, by criterion and by a further column.

    rank_part: what ranks each part, by default `rank_scores`.
    """
    refuse_interval(settings.interval)
    rank_one = rank_part or rank_scores
    if isinstance(data, RatingRows):
        rows = data
    else:
        rows = leave_out_controls(data).rows(factors=[] if group_by is None else [group_by])
        notes, model = [*rows.notes, *note_slips(data, rows)], settings.name
        if data.merged and model in OF_ROWS:
            notes.append(say("copies-independent", "warning", model=model))
        rows = replace(rows, notes=tuple(notes))
    if not rows.size:
        raise NotIdentified("there are no scores", ["collect some"])
    parts = group_ratings(rows, group_by)
    named = replace(settings, references=check_references(rows.systems, settings.references))
    if [*parts] == [""] and group_by is None:
        return rank_one(parts[""], named)
    by = name_groups(rows, group_by)
    return take_only(rank_apart(parts, by, lambda one: rank_one(parts[one], named)), requested=True)


def name_groups(rows: RatingRows, group_by: str | None) -> str:
    """Name what tells groups of ratings apart, such as "task / criterion"."""
    names = dict.fromkeys([*([] if group_by is None else [group_by]), "task", "criterion"])
    return " / ".join([one for one in names if rows.has_several(one)]) or group_by or "criterion"


def find_documents(scores: ScoredRows) -> Factor | None:
    """Return the documents of items, whose items are correlated; None where they are not known."""
    column, items = find_document(scores.rows.factors), scores.factors.get("item")
    if column is None or items is None:
        return None
    documents = Factor.of(*label_documents(scores.rows, column))
    nested = len(np.unique(number_groups(items.codes, documents.codes))) == items.size
    return documents if nested and documents.size < items.size else None


def note_documents(scores: ScoredRows, why: str) -> tuple[Finding, ...]:
    """Say that no interval accounts for documents, where they are known, and why."""
    documents = find_documents(scores)
    if documents is None:
        return ()
    return (say("documents-unused", documents=documents.size, why=why),)


def settle_direction(rows: RatingRows, settings: Settings) -> Settings:
    """Return settings that say which scores of one criterion are better."""
    if settings.lower_is_better is not None:
        return settings
    return replace(settings, lower_is_better=reads_lower_of(rows))


def rank_scores(rows: RatingRows, settings: Settings) -> Ranking:
    """Rank the scores of one task under one criterion."""
    settings = settle_direction(rows, settings)

    def rank_part(part: RatingRows) -> Ranking:
        # sums differ by the order of rows in their last digits
        cell = (part.system.astype(np.int64) * len(part.judges) + part.judge) * len(part.items)
        cell += part.item
        order = sort_codes(cell)
        again = np.flatnonzero(np.diff(cell[order]) == 0)
        tied = np.union1d(again, again + 1)
        among = order[tied]
        order[tied] = among[np.lexsort((part.score[among], cell[among]))]
        scores = require_spread(take_scores(part.take(order)))
        with one_blas_thread():
            fit: RatingFit = settings.model.fit(scores)
            clustering, intervals = cluster_scores(fit, scores, settings)
        if "judge" in scores.factors and "item" not in scores.factors:
            clustering = replace(clustering, notes=(*clustering.notes, say("no-items-of-scores")))
        return order_scores(fit, scores, (clustering, intervals), settings)

    return rank_beside_references(rank_part, rows, settings.references)


def require_spread(scores: ScoredRows) -> ScoredRows:
    if np.ptp(scores.score) == 0:
        raise NotIdentified("all scores are equal: there is nothing to rank by")
    return scores


Clustered = tuple[Clustering, Intervals]


def cluster_scores(fit: RatingFit, scores: ScoredRows, settings: Settings) -> Clustered:
    """Return clusters and intervals: items by their documents, unless these are too few."""
    answers = ScoredAnswers(scores.factors, float(len(scores.score)))
    clustered = isinstance(fit, LeastSquaresFit) and settings.interval != "model"
    of_items = settings.cluster is None or "item" in settings.cluster.split("+")
    documents = find_documents(scores) if clustered and of_items else None
    if documents is None or documents.size == 1:
        clustering, intervals = find_rating_intervals(fit, answers, settings)
        why = "one document shows no spread" if clustered else "errors of a model know no documents"
        unused = note_documents(scores, why) if of_items else ()
        return replace(clustering, notes=(*clustering.notes, *unused)), intervals
    known = say("documents", documents=documents.size)
    grouped = ScoredAnswers({**scores.factors, "item": documents}, answers.n_answers, "document")
    found = None
    if documents.effective >= MIN_EFFECTIVE["item"]:
        with suppress(NotIdentified):  # items may do
            found = find_rating_intervals(fit, grouped, settings)
    if found is None or "item" not in {way.name for way in found[1].ways}:
        counts = {"documents": documents.size, "effective": documents.effective}
        known = say("few-documents", "warning", **counts)
        found = find_rating_intervals(fit, answers, settings)
    clustering, intervals = found
    return replace(clustering, notes=(*clustering.notes, known)), intervals


def order_scores(
    fit: RatingFit, scores: ScoredRows, found: Clustered, settings: Settings
) -> Ranking:
    """Put everything in the order of the board, best first, equal estimates by name."""
    (clustering, intervals), lower = found, bool(settings.lower_is_better)
    # estimates are equal within rounding, which goes with the spread of scores
    unit = float(scores.score.std()) if fit.scale == "score" else 1.0
    values = fit.estimate / (-unit if lower else unit)
    order, places = number_places(values)
    margin = (intervals.upper - intervals.lower) / 2  # about the mean of systems
    low, high = fit.estimate - margin, fit.estimate + margin
    levels = Levels({name: factor.loads for name, factor in scores.factors.items()})
    clustered = settings.interval != "model" and bool(intervals.ways)
    n = fit.n_ratings
    parts = [settings.name, *fit.signature_parts]
    parts += [f"{intervals.method}, level {exactly(settings.level)}", f"seed={settings.seed}"]
    parts += [f"cluster {settings.cluster}"] if settings.cluster is not None else []
    parts += ["lower is better"] if lower else []
    limits = [
        say("no-interval-of-scores", **one.values) if one.code == "no-interval" else one
        for one in take_findings(intervals.notes)
    ]
    return Ranking(
        systems=tuple(fit.systems[i] for i in order),
        rank=places,
        **reorder(replace(intervals, lower=low, upper=high), order, levels, settings),
        n_judgments=n,
        n_comparisons=n,
        signature=write_signature(
            parts, n, digest_ratings(scores.rows), judges=levels.count("judge")
        ),
        headline=clustering.headline if clustered else limit_to_few(levels),
        notes=take_findings([*scores.rows.notes, *fit.notes, *limits, *clustering.notes]),
        fit=fit,
        score=fit.estimate[order],
        ratings=fit.counts[order],
        mean=fit.means[order],
        repeats=scores.rows.repeats,
        lower_is_better=lower,
        answers="ratings",
    )


# How sure scores of systems are: errors by judges and items, without refits.
#
#     V_c = max(V_J, V_I, V_J + V_I − V_JI)
#
# V_J and V_I are jackknives over whole judges and whole items (`numerics.absorption` has what
# leaving one out changes), V_JI is the sandwich by cells of both: what one judge said of one item.

MIN_MERGED: Final = 20  # Fewest clusters that many are merged into, however many the systems
EQUAL: Final = 1e-9  # Difference beside the sd of a residual that is rounding and no difference
ROUNDING: Final = 1e-18  # Variance beside the largest square of a score, below which it is rounding


def find_rating_intervals(fit: RatingFit, answers: ScoredAnswers, settings: Settings) -> Clustered:
    """Return clusters and intervals, in the fit's order."""
    sign = -1.0 if settings.lower_is_better else 1.0
    if isinstance(fit, LeastSquaresFit):
        largest = 1.0 if fit.scale == "z" else float(np.abs(fit.data.score).max())
        if fit.variance <= ROUNDING * max(largest**2, np.finfo(np.float64).tiny):
            raise NotIdentified(
                "scores do not vary beyond what systems, judges and items explain: nothing shows"
                " how far others would differ",
                ["collect more ratings"],
            )
    clustering = Clustering(())
    clustered = isinstance(fit, LeastSquaresFit) and settings.interval != "model"
    if settings.cluster is not None and not clustered:
        raise UnknownOption(
            f"{settings.name} with interval '{settings.interval}' has errors of its own: leave"
            " cluster out, or choose --model adjusted with interval 'rank-sets' or 'sandwich'"
        )
    if isinstance(fit, LeastSquaresFit) and clustered:
        basis = fit.basis
        estimates = Estimates(
            fit.systems, sign * fit.estimate, basis, fit.variance * fit.bread, partial(lift, basis)
        )
        wanted_factors(settings.cluster, {*answers.factors})
        clustering = choose_clustering(settings.cluster, answers)
        clustering, spread = find_spread(fit, answers, clustering, settings)
    else:
        basis = contrast_basis(len(fit.systems))
        if fit.vcov is None:
            raise NotIdentified("this model knows no errors, so that it has no intervals")
        vcov = basis.T @ fit.vcov @ basis
        estimates = Estimates(fit.systems, sign * fit.estimate, basis, vcov, partial(lift, basis))
        how = f"model, {fit.assumes}"
        spread = covariance.Spread((), [vcov], fit.df, how, ())
    if fit.unlinked is not None:
        spread = replace(spread, apart=fit.unlinked.apart, different=fit.unlinked.links)
    if settings.interval == "rank-sets":
        return clustering, decide_all(estimates, spread, settings.level, settings.seed)
    how = spread.method if settings.interval == "model" else f"sandwich {spread.method}"
    each = [estimates.to_systems(one) for one in spread.vcovs]
    intervals = wald_intervals(
        estimates.values, each, settings.level, spread.df, how, notes=spread.notes, ways=spread.ways
    )
    if fit.unlinked is not None:
        decided = np.where(fit.unlinked.apart, 0, intervals.decided).astype(np.int8)
        intervals = replace(intervals, decided=decided)
    return clustering, intervals


def lift(basis: Array, vcov: Array) -> Array:
    return np.asarray(basis @ vcov @ basis.T)


def find_spread(
    fit: LeastSquaresFit, answers: ScoredAnswers, clustering: Clustering, settings: Settings
) -> tuple[Clustering, covariance.Spread]:
    estimate = partial(leave_out, fit, answers.factors, settings.cluster)
    clustering, found = covariance.estimate_each(
        estimate, clustering, answers, requested=settings.cluster
    )
    ways = tuple(found.values())
    apart = None if settings.cluster or "item" in found else find_apart(fit, answers)
    n = len(fit.residual)
    rows = fit.basis @ fit.bread
    if not ways:
        single = sum_squares(fit.absorbed, fit.residual, np.arange(n), n, rows)
        method = "CR1 by judgment"
        way = (Way("judgment", "CR1", n, n),)
        vcov = single * (n / fit.df)
        return clustering, covariance.Spread((), [vcov], fit.df, method, way, apart=apart)
    vcovs = [way.vcov for way in ways]
    if len(ways) > 1:
        # cells of one item, or of some, are summed together: their rows share few levels
        cells = number_groups(*(way.factor.codes for way in reversed(ways)))
        crossed = sum_squares(fit.absorbed, fit.residual, cells, int(cells.max()) + 1, rows)
        # constants cost degrees of freedom; a second score by one judge of one output gives none
        outputs = int(number_groups(cells, fit.data.system).max()) + 1
        free = outputs - (n - fit.df)
        vcovs = cross_ways(vcovs, crossed * (outputs / free if free > 0 else 1.0))
    described, method, df = covariance.describe_ways(ways)
    return clustering, covariance.Spread(ways, vcovs, df, method, described, apart=apart)


def find_apart(fit: LeastSquaresFit, answers: ScoredAnswers) -> Flags | None:
    """Return (K, K) whether two systems stand on different items, which nothing accounts for.

    None where effects of items are removed, or every rating has an item of its own.
    """
    items = answers.factors.get("item")
    if items is None or "item" in fit.effects or items.size >= answers.n_answers:
        return None
    from scipy.sparse import csr_array  # seldom needed, and slow to import

    shape = len(fit.systems), items.size
    cells = np.unique(fit.data.system * np.int64(items.size) + items.codes)
    on = csr_array((np.ones(len(cells)), np.divmod(cells, items.size)), shape=shape)
    each, common = on.sum(axis=1), (on @ on.T).toarray()
    return np.asarray((common < each) | (common < each[:, None]))


def leave_out(
    fit: LeastSquaresFit,
    factors: Mapping[str, Factor],
    requested: str | None,
    name: str,
    *,
    decides: bool = True,
) -> covariance.ClusteredErrors:
    """Return errors by one way of clustering; if it decides, refuse one by which no pair can be."""
    basis, p = fit.basis, fit.basis.shape[1]
    limit = max(MIN_MERGED, min(MAX_CLUSTERS, MAX_DENSE // (p + 1) ** 2))
    factor = merge_levels(factors[name], limit, SEED)
    sums = sum_clusters(fit.absorbed, fit.residual, factor.codes, factor.size)
    information = np.matmul(np.matmul(basis.T, sums.information), basis)
    held = np.flatnonzero(np.einsum("gii->g", information) > 0)
    if len(held) < 2:
        raise NotIdentified("all differences are of one cluster: there is no spread between")
    total = basis.T @ fit.absorbed.information @ basis
    alone = find_singular(total, fit.bread, information[held])
    parts = {g: covariance.invert_parts(total - information[held[g]], basis) for g in alone}
    way = covariance.exclude_each(
        name,
        factor,
        parts,
        parts,
        rows=basis,
        total=total,
        vcov=fit.bread,
        information=information[held],
        scores=sums.scores[held] @ basis,
        codes=held,
        counted=decides,
    )
    if not decides:
        return way
    shown = covariance.find_linked(way, requested=requested)
    # systems with the same scores are never decided, so that they do not speak for the others
    apart = np.abs(fit.estimate[:, None] - fit.estimate) > EQUAL * np.sqrt(fit.variance)
    shown = shown & apart if (shown & apart).any() else shown
    of_model = lift(basis, fit.variance * fit.bread)
    covariance.refuse_no_spread(fit.systems, lift(basis, way.vcov), of_model, name, shown)
    return way
