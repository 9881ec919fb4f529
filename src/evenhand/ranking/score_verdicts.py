"""Rankings by people's ratings with the help of LLM judges' scores (`control_variate`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from evenhand.data.coding import SEED
from evenhand.data.controls import (
    leave_out_controls,
    list_left_out,
    match_turns,
    refuse_kind,
    refuse_kinds,
    refuse_same_judges,
    take_llm,
)
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
from evenhand.ranking.clustering import (
    ENOUGH_ITEMS,
    MAX_CLUSTERS,
    Clustering,
    ScoredAnswers,
)
from evenhand.ranking.control_variate import ControlVariate, Part, cluster_people
from evenhand.ranking.covariance import ClusteredErrors
from evenhand.ranking.inference import SAMPLED, Settings
from evenhand.ranking.rank_sets import decide_all
from evenhand.ranking.ranking import Fused, Ranking
from evenhand.ranking.ratings import (
    leave_out,
    order_scores,
    rank_beside_references,
    rank_scores,
    require_spread,
)
from evenhand.ranking.texts import say
from evenhand.ranking.verdicts import (
    MAX_NAMED,
    compare_items,
    compare_systems,
    count_sampled,
    is_used,
    mark_llm_judges,
    refuse_items,
    refuse_unlike,
    refuse_unpaired,
    require_options_of_verdicts,
    say_ranked,
    weigh,
    with_verdicts,
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
    found: Flags  # (n,) whether it has a verdict
    n_unpaired: float  # scores of people without a verdict
    n_verdicts: float  # verdicts before they were averaged
    unjudged: dict[str, float]  # system that no person scored → verdicts on it

    def factor(self, codes: Integers) -> Factor:
        """Return the clusters of items of some places."""
        return replace(self.item, codes=self.item.codes[codes])


def pair_scores(people: RatingRows, verdicts: RatingRows, unpaired: str | None) -> PairedScores:
    """Find the verdicts on the outputs that people scored.

    unpaired: what becomes of scores without a verdict: "drop" or "keep"; None refuses them.
    """
    for what, part in (("scores of people", people), ("verdicts", verdicts)):
        if part.items == ("",):
            raise refuse_items(what)
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
        named, of_llm = (
            {"system": part.systems, "item": part.items} for part in (people, verdicts)
        )
        raise refuse_unlike("score", named, of_llm)
    if not found.all() and unpaired is None:
        names = [
            f"{people.systems[people.system[row]]} on item {labels[own[row]]}"
            for row in np.flatnonzero(~found)[:MAX_NAMED].tolist()
        ]
        inside = bool(np.isin(outputs, wanted).all())
        raise refuse_unpaired(lacking, people.size, "scores", names, all_judged=inside)
    if unpaired == "drop":
        people, own, wanted, found = people.take(found), own[found], wanted[found], found[found]
    means = np.bincount(at, verdicts.score) / np.bincount(at)
    of_paired = means[np.searchsorted(outputs, wanted[found])]
    # on people's scale: this changes the weight, and nothing else
    spread = float(of_paired.std())
    scale = float(people.score[found].std()) / spread if spread else 0.0
    loads = np.bincount(own, minlength=len(labels)).astype(np.float64)
    each = Factor(labels, np.arange(len(labels), dtype=np.int32), loads, len(labels))
    every = replace(
        verdicts.take(first),
        systems=people.systems,
        system=system[first].astype(np.int32),
        score=scale * means,
    )
    return PairedScores(
        people,
        replace(people.take(found), score=scale * of_paired),
        every,
        merge_levels(each, MAX_CLUSTERS, SEED),
        own,
        found,
        lacking,
        float(verdicts.size),
        {name: float(unjudged[name]) for name in sorted(unjudged)},
    )


def take_verdicts(
    data: object, llm: Any, llm_judges: Sequence[str], group_by: str | None
) -> tuple[RatingRows, RatingRows, tuple[Exclusion, ...]]:
    """Return people's scores, the verdicts, and what is excluded from these.

    Verdicts are a table, or those of some judges among people's.
    """
    factors = [] if group_by is None else [group_by]
    llm = None if llm is None else take_llm(llm)
    if llm is not None and not isinstance(llm, Ratings):
        raise refuse_kinds("ratings", llm)
    if not isinstance(data, Ratings):
        raise refuse_kind(data, "verdicts apply to ratings that evenhand.read opens, not")
    data, llm = match_turns(data, llm), None if llm is None else match_turns(llm, data)
    if len(count_sampled(data)) > 1:
        raise UnknownOption(
            f"ratings cannot be weighted by '{SAMPLED}': have outputs rated that were drawn with"
            " equal probabilities, and leave the column out"
        )
    rows = leave_out_controls(data).rows(factors=factors)
    if llm is None:
        named = mark_llm_judges(rows.judges, llm_judges, list_left_out(data))
        by_llm = np.isin(rows.judge, named)
        others = [one for at, one in enumerate(rows.judges) if at not in named]
        asked = note_llm_names(others, data.columns)
        notes = [one for one in take_findings(rows.notes) if one.code != "named-like-llms"]
        return replace(rows.take(~by_llm), notes=(*notes, *asked)), rows.take(by_llm), ()
    llm = leave_out_controls(llm)
    verdicts, excluded = llm.rows(), exclude_verdicts(llm.excluded)
    used = [
        {part.judges[code] for code in np.unique(part.judge).tolist()} - {""}
        for part in (rows, verdicts)
    ]
    refuse_same_judges(used[0], used[1])
    return rows, verdicts, excluded


def match_verdicts(verdicts: RatingRows, part: RatingRows) -> RatingRows:
    """Return the verdicts of the task and criterion of a part of people's scores."""
    for role in ("task", "criterion"):
        labels, codes = verdicts.labels(role)
        own, present = part.labels(role)
        name = own[int(present[0])]
        if labels != ("",) and name in labels:
            verdicts = verdicts.take(codes == labels.index(name))
        elif len(np.unique(codes)) > 1:
            raise NotIdentified(f"there are no verdicts under {role} '{name}'")
    return verdicts


def fuse_scores(
    people: RatingRows,
    settings: Settings,
    *,
    verdicts: RatingRows,
    unpaired: str | None,
    lower_is_better: bool,
    references: Sequence[str] | None = None,
    weight: float | None = None,
) -> Ranking:
    """Rank ratings of one task and criterion with verdicts, scores by LLMs on any scale."""
    refuse_settings(settings, unpaired, weight)
    verdicts = match_verdicts(verdicts, people)
    of_systems, _ = exclude_references(verdicts, references)

    def fuse(part: RatingRows) -> Ranking:
        of_part = verdicts if part is people else of_systems
        asked: dict[str, Any] = {"unpaired": unpaired, "lower": lower_is_better, "weight": weight}
        return _fuse(part, of_part, settings, **asked)

    ranking = rank_beside_references(fuse, people, references)
    judges = {verdicts.judges[code] for code in np.unique(verdicts.judge).tolist()}
    return replace(ranking, notes=(*say_ranked(judges, ranking.systems), *ranking.notes))


def _fuse(
    people: RatingRows,
    verdicts: RatingRows,
    settings: Settings,
    *,
    unpaired: str | None,
    lower: bool,
    weight: float | None,
) -> Ranking:
    paired = pair_scores(people, verdicts, unpaired)
    rank_people = partial(
        rank_scores, paired.people, settings, lower_is_better=lower, references=()
    )
    fused = Fused(
        paired.n_verdicts,
        paired.every.size,
        paired.n_unpaired,
        rank_people,
        unjudged=paired.unjudged,
        n_unused=sum(paired.unjudged.values()),
    )
    scores = require_spread(take_scores(paired.people))
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
        judged = paired.item.loads > 0
        theirs = np.array([paired.item.labels.index(name) for name in paired.every.items])
        item, scale = theirs[paired.every.item], np.abs(paired.every.score).max()
        of_systems = compare_systems(rest / scale, paired.every.system, item, judged)
        p = {paired.every.systems[code]: one for code, one in of_systems.items()}
        fused = replace(fused, check_systems=p)
        fused = weigh(fused, joint, compare_items(rest, item, judged), weight)
        if not is_used(fused, weight):
            return without_verdicts(fused, weight=weight)
        estimates, spread = joint.estimate(fused.weight)
        moved = replace(fit, estimate=fit.estimate.mean() + estimates.values)
        if lower:
            estimates = replace(estimates, values=-estimates.values)
        intervals = decide_all(estimates, spread, settings.level, settings.seed)
    ranking = order_scores(moved, scores, (clustering, intervals), settings, lower=lower)
    return with_verdicts(ranking, fused, digest_ratings(verdicts))


def join_fits(
    fit: LeastSquaresFit, scores: ScoredRows, paired: PairedScores, settings: Settings
) -> tuple[Clustering, ControlVariate | None]:
    """Fit the verdicts and take all three fits apart; None where items do not cluster."""
    factors = {**scores.factors, "item": paired.factor(paired.of_people)}
    if "judge" in factors:
        factors["judge"] = merge_levels(factors["judge"], MAX_CLUSTERS, SEED)
    answers = ScoredAnswers(scores.factors, float(len(scores.score)))
    clustering, ways = cluster_people(answers, partial(leave_out, fit, factors, None))
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
                name: leave_out(one, of, None, name, decides=False) for name in ways if name in of
            }
        except NotIdentified as refusal:
            raise NotIdentified(f"{what} do not determine differences: {refusal}") from None
        return take_apart(one, errors, codes)

    found = paired.found
    theirs = {name: at for at, name in enumerate(paired.item.labels)}
    places = np.array([theirs[name] for name in paired.every.items])[paired.every.item]
    of_paired = {name: replace(one, codes=one.codes[found]) for name, one in factors.items()}
    beside = of_verdicts("verdicts on what people scored", paired.beside, of_paired, cells[found])
    every = replace(paired.every, judges=("",), judge=np.zeros_like(paired.every.judge))
    return clustering, ControlVariate(
        take_apart(fit, ways, cells),
        beside,
        of_verdicts("all verdicts", every, {"item": paired.factor(places)}, None),
        ways,
    )
