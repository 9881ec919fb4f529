"""Rankings by people's ratings with the help of LLM judges' scores (`control_variate`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from evenhand.data import controls
from evenhand.data.coding import SEED
from evenhand.data.exclusions import Exclusion, exclude_verdicts
from evenhand.data.joining import note_llm_names
from evenhand.data.rating_rows import RatingRows, digest_ratings
from evenhand.data.ratings import Ratings
from evenhand.data.references import exclude_references
from evenhand.data.tally import Factor, merge_levels
from evenhand.errors import NotIdentified, UnknownOption, listing
from evenhand.models.means import Adjusted, LeastSquaresFit, Means
from evenhand.models.rating_fit import ScoredRows, take_scores
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.absorption import score_cells
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.newton import one_blas_thread
from evenhand.ranking import ratings
from evenhand.ranking.clustering import ENOUGH_ITEMS, MAX_CLUSTERS, Clustering, ScoredAnswers
from evenhand.ranking.control_variate import ControlVariate, Part, cluster_people
from evenhand.ranking.covariance import ClusteredErrors, Spread
from evenhand.ranking.inference import SAMPLED, Settings
from evenhand.ranking.intervals import Estimates
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.ranking import Fused, Ranking
from evenhand.ranking.texts import say
from evenhand.ranking.verdicts import (
    MAX_NAMED,
    compare_items,
    compare_systems,
    count_sampled,
    mark_llm_judges,
    refuse_items,
    refuse_unlike,
    refuse_unpaired,
    require_options_of_verdicts,
    say_ranked,
    use_verdicts,
    without_verdicts,
)
from evenhand.render.document import take_findings

MODELS: Final = (Adjusted, Means)


def refuse_settings(settings: Settings, unpaired: str | None, weight: float | None) -> None:
    require_options_of_verdicts(unpaired, weight)
    if not isinstance(settings.model, MODELS):
        raise UnknownOption(
            f"verdicts can be combined with the models adjusted and mean only, not {settings.name}"
        )
    if settings.interval != "rank-sets" or settings.cluster is not None:
        raise UnknownOption(
            "verdicts can be combined with rank sets by judge and item only: leave out interval and"
            " cluster"
        )


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Scores of people and verdicts, with items in common."""

    people: RatingRows
    beside: RatingRows  # the verdict on each output that people scored, one a score
    every: RatingRows  # verdicts, one for each output
    item: Factor  # all items, with the scores of people; many are merged
    of_people: Integers  # (n,) place among all items of each score of people
    of_every: Integers  # (m,) the same of each verdict
    found: Flags  # (n,) whether it has a verdict
    n_unpaired: float  # scores of people without a verdict
    n_verdicts: float  # verdicts before they were averaged
    unjudged: dict[str, float]  # system that no person scored → verdicts on it


def pair_scores(people: RatingRows, verdicts: RatingRows, unpaired: str | None) -> PairedScores:
    """Find the verdicts on what people scored; unpaired: drop, keep, or None, which refuses."""
    for what, part in (("scores of people", people), ("verdicts", verdicts)):
        if part.items == ("",):
            raise refuse_items(what)
    controls.refuse_respelt(people.systems, verdicts.systems)
    place = {name: at for at, name in enumerate(people.systems)}
    system = np.array([place.get(name, -1) for name in verdicts.systems])[verdicts.system]
    unjudged = dict(Counter(verdicts.systems[at] for at in verdicts.system[system < 0].tolist()))
    verdicts, system = verdicts.take(system >= 0), system[system >= 0]
    labels = tuple(sorted({*people.items, *verdicts.items}))
    code = {name: at for at, name in enumerate(labels)}
    own, theirs = (
        np.array([code[name] for name in part.items], dtype=np.int64)[part.item]
        for part in (people, verdicts)
    )
    # verdicts on one output, averaged over repeats and LLM judges
    k = len(people.systems)
    outputs, first, at = np.unique(theirs * k + system, return_index=True, return_inverse=True)
    wanted = own * k + people.system
    found = np.isin(wanted, outputs)
    lacking = float((~found).sum())
    if not found.any():
        mine, of_llm = ({"system": part.systems, "item": part.items} for part in (people, verdicts))
        raise refuse_unlike("score", mine, of_llm)
    if not found.all() and unpaired is None:
        names = [
            f"{people.systems[people.system[row]]} on item {labels[own[row]]}"
            for row in np.flatnonzero(~found)[:MAX_NAMED].tolist()
        ]
        alone = len(people.judges) == 1 and bool(np.isin(outputs, wanted).all())
        raise refuse_unpaired(lacking, people.size, "scores", names, exchanged=alone)
    if unpaired == "drop":
        people, own, wanted, found = people.take(found), own[found], wanted[found], found[found]
    means = np.bincount(at, verdicts.score) / np.bincount(at)
    of_paired = means[np.searchsorted(outputs, wanted[found])]
    # on people's scale: this changes the weight, and nothing else
    spread = float(of_paired.std())
    scale = float(people.score[found].std()) / spread if spread else 0.0
    loads = np.bincount(own, minlength=len(labels)).astype(np.float64)
    each = Factor(labels, np.arange(len(labels), dtype=np.int32), loads, len(labels))
    system = system[first].astype(np.int32)
    every = verdicts.take(first)
    every = replace(every, systems=people.systems, system=system, score=scale * means)
    return PairedScores(
        people,
        replace(people.take(found), score=scale * of_paired),
        every,
        merge_levels(each, MAX_CLUSTERS, SEED),
        own,
        theirs[first],
        found,
        lacking,
        float(verdicts.size),
        {name: float(unjudged[name]) for name in sorted(unjudged)},
    )


def take_verdicts(
    data: object, llm: Any, llm_judges: Sequence[str], group_by: str | None
) -> tuple[RatingRows, RatingRows, tuple[Exclusion, ...]]:
    """Return people's scores, verdicts (a table, or some judges') and what is excluded of them."""
    factors = [] if group_by is None else [group_by]
    llm = None if llm is None else controls.take_llm(llm)
    if llm is not None and not isinstance(llm, Ratings):
        raise controls.refuse_kinds("ratings", llm)
    if not isinstance(data, Ratings):
        raise controls.refuse_kind(data, "verdicts apply to ratings that evenhand.read opens, not")
    data, llm = (
        controls.match_turns(data, llm),
        None if llm is None else controls.match_turns(llm, data),
    )
    if len(count_sampled(data)) > 1:
        raise UnknownOption(
            f"ratings cannot be weighted by '{SAMPLED}': have outputs rated that were drawn with"
            " equal probabilities, and leave the column out"
        )
    rows = controls.leave_out_controls(data).rows(factors=factors)
    if llm is None:
        named = mark_llm_judges(rows.judges, llm_judges, controls.list_left_out(data))
        by_llm = np.isin(rows.judge, named)
        others = [one for at, one in enumerate(rows.judges) if at not in named]
        asked = note_llm_names(others, data.columns)
        notes = [one for one in take_findings(rows.notes) if one.code != "named-like-llms"]
        return replace(rows.take(~by_llm), notes=(*notes, *asked)), rows.take(by_llm), ()
    llm = controls.leave_out_controls(llm)
    verdicts, excluded = llm.rows(), exclude_verdicts(llm.excluded)
    used = [
        {part.judges[code] for code in np.unique(part.judge).tolist()} - {""}
        for part in (rows, verdicts)
    ]
    controls.refuse_same_judges(used[0], used[1])
    return rows, verdicts, excluded


def fuse_scores(
    people: RatingRows,
    settings: Settings,
    *,
    verdicts: RatingRows,
    unpaired: str | None,
    weight: float | None = None,
) -> Ranking:
    """Rank ratings of one task and criterion with verdicts, scores by LLMs on any scale."""
    refuse_settings(settings, unpaired, weight)
    settings = ratings.settle_direction(people, settings)
    for role in ("task", "criterion"):
        labels, codes = verdicts.labels(role)
        own, present = people.labels(role)
        name = own[int(present[0])]
        if labels != ("",) and name in labels:
            verdicts = verdicts.take(codes == labels.index(name))
        elif len(np.unique(codes)) > 1:
            raise NotIdentified(f"there are no verdicts under {role} '{name}'")
    of_systems, _ = exclude_references(verdicts, settings.references)

    def fuse(part: RatingRows) -> Ranking:
        of_part = verdicts if part is people else of_systems
        paired = pair_scores(part, of_part, unpaired)
        return _fuse(paired, digest_ratings(of_part), settings, weight)

    ranking = ratings.rank_beside_references(fuse, people, settings.references)
    judges = {verdicts.judges[code] for code in np.unique(verdicts.judge).tolist()}
    return replace(ranking, notes=(*say_ranked(judges, ranking.systems), *ranking.notes))


def _fuse(paired: PairedScores, digest: str, settings: Settings, weight: float | None) -> Ranking:
    rank_people = partial(ratings.rank_scores, paired.people, replace(settings, references=()))
    fused = Fused(
        paired.n_verdicts,
        paired.every.size,
        paired.n_unpaired,
        rank_people,
        unjudged=paired.unjudged,
        n_unused=sum(paired.unjudged.values()),
    )
    scores = ratings.require_spread(take_scores(paired.people))
    items = len(scores.factors["item"].labels)
    if items < ENOUGH_ITEMS:
        few = say("few-labelled-items", items=items, enough=ENOUGH_ITEMS)
        return without_verdicts(fused, (few,))
    with one_blas_thread():
        fit = settings.model.fit(scores)
        clustering, joint = join_fits(fit, scores, paired, settings)
        if joint is None:
            return without_verdicts(fused)
        rest = paired.every.score - joint.every.values[paired.every.system]
        item = paired.of_every
        judged, scale = paired.item.loads > 0, np.abs(paired.every.score).max()
        of_systems = compare_systems(rest / scale, paired.every.system, item, judged)
        p = {paired.every.systems[code]: one for code, one in of_systems.items()}
        fused = replace(fused, check=compare_items(rest, item, judged), check_systems=p)

    def order(estimates: Estimates, spread: Spread) -> Ranking:
        moved = replace(fit, estimate=fit.estimate.mean() + estimates.values)
        if settings.lower_is_better:
            estimates = replace(estimates, values=-estimates.values)
        intervals = decide_all(estimates, spread, settings.level, settings.seed)
        return ratings.order_scores(moved, scores, (clustering, intervals), settings)

    with one_blas_thread():
        return use_verdicts(fused, joint, weight, order, digest)


def join_fits(
    fit: LeastSquaresFit, scores: ScoredRows, paired: PairedScores, settings: Settings
) -> tuple[Clustering, ControlVariate | None]:
    """Fit the verdicts and take all three fits apart; None where items do not cluster."""
    item = paired.item
    factors = {**scores.factors, "item": replace(item, codes=item.codes[paired.of_people])}
    if "judge" in factors:
        factors["judge"] = merge_levels(factors["judge"], MAX_CLUSTERS, SEED)
    answers = ScoredAnswers(scores.factors, float(len(scores.score)))
    clustering, ways = cluster_people(answers, partial(ratings.leave_out, fit, factors, None))
    if "item" not in ways or not paired.beside.score.any():
        return clustering, None
    cells = number_groups(*(factors[name].codes for name in ways))
    size = int(cells.max()) + 1

    def take_apart(
        one: LeastSquaresFit, errors: Mapping[str, ClusteredErrors], codes: Integers | None
    ) -> Part:
        moves: Array = np.zeros((0, one.basis.shape[1]))
        if codes is not None:
            each = score_cells(one.absorbed, one.residual, codes, size, one.basis @ one.bread)
            moves = each * np.sqrt(len(one.residual) / one.df)
        return Part.of(one.systems, one.estimate, one.basis, errors, moves)

    def of_verdicts(
        what: str, rows: RatingRows, of: Mapping[str, Factor], codes: Integers | None
    ) -> Part:
        data = take_scores(rows)
        if data.systems != fit.systems:
            lost = listing([one for one in fit.systems if one not in data.systems])
            raise NotIdentified(f"{what} include no output of {lost}")
        try:
            one = settings.model.fit(data)
            # of one judge alone, verdicts on the same outputs as another's: no spread is needed
            errors = {
                name: ratings.leave_out(one, of, None, name, decides=False)
                for name in ways
                if name in of
            }
        except NotIdentified as refusal:
            raise NotIdentified(f"{what} do not determine differences: {refusal}") from None
        return take_apart(one, errors, codes)

    found = paired.found
    of_paired = {name: replace(one, codes=one.codes[found]) for name, one in factors.items()}
    beside = of_verdicts("verdicts on what people scored", paired.beside, of_paired, cells[found])
    every = replace(paired.every, judges=("",), judge=np.zeros_like(paired.every.judge))
    of_every = {"item": replace(item, codes=item.codes[paired.of_every])}
    whole = of_verdicts("all verdicts", every, of_every, None)
    return clustering, ControlVariate(take_apart(fit, ways, cells), beside, whole, ways)
