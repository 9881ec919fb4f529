"""The errors of a fit by every way of clustering that serves, ready for decisions about all pairs.

Unlike for intervals of single contrasts, a cluster that alone links some systems to the rest need
not cost a whole way of clustering: only contrasts across that cut stay undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Factor, Tally
from evenhand.errors import NotIdentified, listing
from evenhand.models.base import Fit
from evenhand.models.controls import is_controlled
from evenhand.models.fitted import FittedModel
from evenhand.numerics.bootstrap import Influence, jackknife
from evenhand.ranking.cluster_links import (
    MAX_FLOWS_AT_ONCE,
    NO_INFORMATION,
    Codes,
    Network,
    Passes,
    bound_by_links,
    count_effective,
    count_links,
    find_across,
    name_links,
    part_by_directions,
    part_by_links,
    recount_thin,
)
from evenhand.ranking.clustering import (
    MIN_EFFECTIVE,
    WIDE,
    Clustering,
    Evidence,
    join_limits,
    limit_to_levels,
    note_independence,
    single_answers,
)
from evenhand.ranking.intervals import MIN_CLUSTERS, centred_variance, pair_variance
from evenhand.ranking.sandwich import (
    MAX_DENSE,
    Answers,
    ClusterSums,
    PairSums,
    crossed_covariance,
    crossed_rows_covariance,
    find_bridges,
    find_singular,
    gather_clusters,
    is_definite,
    judgment_covariance,
    pooled_covariance,
    sum_information,
    sum_scores,
    take_apart,
    total_information,
    walk_information,
)
from evenhand.ranking.texts import say
from evenhand.render.findings import Finding

# Covariances by ways of clustering: which of them serve, and which have to be given up.
#
# Each contrast takes the largest of the variances by the ways, of their sum less the cells of both,
# and under a prior of the model's.

NO_SPREAD_RATIO: Final = 1e-6  # Variance of a pair, beside the model's, that is as good as none
NARROW_RATIO: Final = 0.5
# Systems from which a typical standard error is hardly ever so small by chance
MIN_SYSTEMS_TO_COMPARE: Final = 4

Estimate = TypeVar("Estimate")


def give_up(clustering: Clustering, name: str, evidence: Evidence, note: Finding) -> Clustering:
    """Leave a way out; without judges (or items) as clusters the statement is about these."""
    clusterings = tuple(way for way in clustering.clusterings if way != name)
    notes = [*clustering.notes, note]
    if name == "judge":  # who are no clusters any more make no interval wide
        notes = [one for one in notes if one.code not in WIDE]
    if not clusterings and name != "ranking":
        clusterings = single_answers(evidence)
        notes += note_independence(clusterings, evidence)
    headline = clustering.headline
    if name in MIN_EFFECTIVE:
        headline = join_limits(headline, limit_to_levels(name, len(evidence.factors[name].labels)))
    return Clustering(clusterings, headline, tuple(notes))


def estimate_each(
    estimate: Callable[[str], Estimate],
    clustering: Clustering,
    evidence: Evidence,
    *,
    requested: str | None,
    advice: str = "; use --cluster judgment",
) -> tuple[Clustering, dict[str, Estimate]]:
    """Cluster by every way that can be; one that determines nothing is refused if requested."""
    estimates: dict[str, Estimate] = {}
    for name in clustering.clusterings:
        try:
            estimates[name] = estimate(name)
        except NotIdentified as refusal:
            if requested is not None:
                raise NotIdentified(f"{refusal}: no interval by {name}{advice}") from refusal
            note = say("no-clustering", factor=name, why=str(refusal))
            clustering = give_up(clustering, name, evidence, note)
    if not estimates and clustering.clusterings:  # those that took the place of what was given up
        return estimate_each(estimate, clustering, evidence, requested=requested, advice=advice)
    return clustering, estimates


def cross_clusterings(
    fit: Fit, evidence: Evidence, clusterings: tuple[str, ...], vcovs: list[Array]
) -> tuple[list[Array], tuple[Finding, ...]]:
    """Add to the (p, p) covariances by two clusterings their sum less that of the cells of both."""
    if len(clusterings) < 2:
        return vcovs, ()
    if evidence.crossed is not None:
        cross = crossed_rows_covariance(fit, evidence.crossed)
        return [*vcovs, vcovs[0] + vcovs[1] - cross], ()
    cells = evidence.together(clusterings)
    if cells is None:
        return [*vcovs, vcovs[0] + vcovs[1]], (say("no-cells"),)
    cross = crossed_covariance(fit, cells, (clusterings[0], clusterings[1]))
    return [*vcovs, vcovs[0] + vcovs[1] - cross], ()


def single_covariances(fit: Fit) -> tuple[list[Array], str, tuple[Finding, ...]]:
    single, method = [judgment_covariance(fit), *beside_prior(fit)], "CR1 by judgment"
    try:
        refuse_no_spread(fit, np.max([fit.to_worth(vcov) for vcov in single], axis=0), "judgment")
    except NotIdentified:
        decided = fit.tally.wins.any() or fit.tally.losses.any()
        note = say("linked-by-ties" if decided else "all-ties")
        if fit.tally.squares is not None:
            tied = (
                "some systems are linked by ties alone" if decided else "all comparisons are ties"
            )
            raise NotIdentified(
                f"{tied}, and answers that are all alike show no spread: there is no interval"
            ) from None
        return [*single, fit.raw_vcov], f"{method}, the model's where wider", (note,)
    return single, method, ()


def beside_prior(fit: Fit) -> list[Array]:
    """Return the model's covariance where a prior makes worths finite, else nothing."""
    # two unanimous answers have no spread at all: their sandwich would call a winner that the prior
    # alone holds back from infinity
    return [fit.raw_vcov] if fit.model.prior else []


def refuse_no_spread(
    fit: Fit | FittedModel, vcov: Array, name: str, among: NDArray[np.bool_] | None = None
) -> None:
    """Refuse a (K, K) covariance that is nothing for some pair beside what chance alone gives."""
    # Clusters that answer alike to the letter have scores of zero: a standard error of zero would
    # be published as certainty.
    pairs, of_model = np.triu_indices(len(vcov), 1), fit.worth_vcov
    if of_model is None:
        return
    ratio = pair_variance(vcov)[pairs] / pair_variance(of_model)[pairs]
    if among is not None:
        ratio = np.where(among[pairs], ratio, np.inf)
    least = int(np.argmin(ratio))
    if ratio[least] < NO_SPREAD_RATIO:
        i, j = (ends[least] for ends in pairs)
        more = int((ratio < NO_SPREAD_RATIO).sum()) - 1
        others = f" and {more:,} other pair{'s' * (more != 1)}" if more else ""
        raise NotIdentified(
            f"clusters by {name} answered so alike on {fit.systems[i]} and {fit.systems[j]}{others}"
            " that nothing shows how much others might differ"
        )


def compare_with_model(fit: Fit, stderr: Array) -> tuple[Finding, ...]:
    """Note intervals far narrower than independent answers would give."""
    if len(stderr) < MIN_SYSTEMS_TO_COMPARE:
        return ()
    ratio = float(np.median(stderr / np.sqrt(centred_variance(fit.worth_vcov))))
    return (say("narrow", "warning"),) if ratio < NARROW_RATIO else ()


def say_merged(name: str, factor: Factor) -> str:
    return f" ({len(factor.labels):,} {name}s in {factor.size})" if factor.merged else ""


def degrees(factor: Factor) -> float:
    """Return degrees of freedom: effective clusters less one."""
    return max(1.0, min(float(factor.size), factor.effective) - 1)


# One way of clustering: its covariance, and what leaving each of its clusters out would do.
#
# Where a cluster alone links some systems to the rest, leaving it out says nothing of contrasts
# across that cut, which therefore "rest on" the cluster; contrasts inside a part keep what that
# part says (the pseudo-inverse in place of (H − H_g)⁻¹). What rests on one cluster, and of how many
# each difference consists, is known at every size, also where clusters are too many to leave each
# of them out: their information is then gone through some clusters at a time.

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClusteredErrors:
    name: str  # the factor that clusters
    factor: Factor  # names the clusters
    systems: int  # how many they are, K
    kind: str  # CV3 or CR1
    vcov: Array  # (p, p) covariance of the parameters
    # what leaving each cluster out does to centred log-worths; None with CR1
    influence: Influence | None
    # (K, K) effective clusters of each difference, by votes, or by its narrowest link where that
    # is too narrow; None where each answer, a ranking, is a cluster
    effective: Array | None
    # cluster that alone links some systems → (K,) part of each system without it
    parts: Mapping[int, Codes] = field(default_factory=dict)
    # the same clusters, where they are merged → the levels that link
    links: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def resting(self) -> Codes:
        """(K, K) a cluster on which alone each difference rests, −1 for none."""
        resting = np.full((self.systems, self.systems), -1, dtype=np.intp)
        for code, part in self.parts.items():
            resting[find_across(part)] = code
        return resting

    def label(self, code: int) -> str:
        """Return the name of a cluster; of merged ones, of those in it that link."""
        names = self.links.get(code, ()) if self.factor.merged else (self.factor.labels[code],)
        if not names:
            return f"a group of {self.name}s"
        return f"{self.name}{'s' * (len(names) > 1)} {listing(names, 3)}"


def centred_rows(fit: Fit) -> Array:
    """Return (K, p): centred log-worths of the systems by parameter."""
    rows = fit.design.rows()
    others = np.zeros((len(rows), len(fit.raw_vcov) - rows.shape[1]))
    return np.concatenate([2 * (rows - rows.mean(axis=0)), others], axis=1)


def leave_each_out(fit: Fit, tally: Tally, name: str) -> ClusteredErrors:
    pieces, factor = gather_clusters(fit, tally, name)
    held = np.flatnonzero(pieces.held())
    if len(held) < 2:
        raise NotIdentified("all comparisons are of one cluster: there is no spread between")
    if factor.size * len(fit.raw_vcov) ** 2 > MAX_DENSE:
        return _tell_links(fit, tally, _survey(fit, pieces, factor, name))
    information = sum_information(fit, pieces, 0, pieces.size)[held]
    total, rows = total_information(fit), centred_rows(fit)
    if name == "ranking" and find_bridges(fit, total, information):
        return _pool(fit, pieces, factor, name)  # one answer may be a link: nothing is claimed
    network = Network(lambda: [information], len(information), rows @ fit.raw_vcov, rows)
    answers = _leave_prior_out(fit, total, network.information)
    alone = find_singular(answers, information) if name != "ranking" else []
    parts = {g: _invert_parts(answers.total - information[g], rows) for g in alone}
    known = {} if fit.model.prior else parts
    influence = _find_influence((total, information), sum_scores(fit, pieces)[held], rows, known)
    way = ClusteredErrors(
        name=name,
        factor=factor,
        systems=len(rows),
        kind="CV3",
        vcov=jackknife(influence.changes),
        influence=influence,
        effective=_count(network),
        parts={int(held[g]): part for g, (_, part) in parts.items()},
    )
    return _tell_links(fit, tally, way)


def _pool(fit: Fit, pieces: ClusterSums, factor: Factor, name: str) -> ClusteredErrors:
    """Return CR1, which leaves no cluster out."""
    vcov = pooled_covariance(fit, pieces)
    return ClusteredErrors(
        name, factor, len(fit.systems), "CR1", vcov, influence=None, effective=None
    )


def _survey(fit: Fit, pieces: ClusterSums, factor: Factor, name: str) -> ClusteredErrors:
    """Return CR1 with what rests on one cluster or few; clusters are not held all at once."""
    way = _pool(fit, pieces, factor, name)
    if name == "ranking":
        return way
    rows = centred_rows(fit)
    network = Network(
        lambda: (information for _, information in walk_information(fit, pieces)),
        pieces.size,
        rows @ fit.raw_vcov,
        rows,
    )
    answers = _leave_prior_out(fit, total_information(fit), network.information)
    parts: dict[int, Codes] = {}
    for start, information in walk_information(fit, pieces):
        rest = {
            start + g: answers.total - information[g] for g in find_singular(answers, information)
        }
        parts.update(_part_without(fit, pieces, rest, rows))
    return replace(way, effective=_count(network), parts=parts)


def _part_without(
    fit: Fit, pieces: ClusterSums, rest: Mapping[int, Array], rows: Array
) -> dict[int, Codes]:
    """Return (K,) the part of each system without some clusters, with what then is known."""
    parts: dict[int, Codes] = {}
    if rest and isinstance(pieces, PairSums):
        parts = part_by_links(fit, pieces, list(rest))
    for g, known in rest.items():
        if not np.any(parts.get(g, 0)):  # comparisons link all: λ may be confounded with δ or ties
            parts[g] = _invert_parts(known, rows)[1]
    return parts


def _count(network: Network) -> Array:
    """Return (K, K) effective clusters of each difference, by votes and by links."""
    votes = count_effective(network.information(), network.rows)
    return bound_by_links(votes, count_links(network))


def _leave_prior_out(fit: Fit, total: Array, information: Passes) -> Answers:
    """Return what is known from answers alone, if it tells all systems apart."""
    whole = Answers(total, fit.raw_vcov)
    if not fit.model.prior:
        return whole
    of_answers = np.sum([some.sum(axis=0) for some in information()], axis=0)
    if not is_definite(of_answers, np.diag(of_answers)):
        return whole
    return Answers(of_answers, np.asarray(np.linalg.inv(of_answers)))


def _tell_links(fit: Fit, tally: Tally, way: ClusteredErrors) -> ClusteredErrors:
    """Look at merged clusters by their levels, where some pairs rest on one of them or on few."""
    factor, effective = way.factor, way.effective
    if way.name not in tally.unmerged or factor.clusters is None or effective is None:
        return way
    if not way.parts and not np.triu(effective < MIN_CLUSTERS, 1).any():
        return way
    apart = tally.unmerged[way.name]()
    if not is_controlled(fit):
        finer = apart.factor(way.name)
        pieces = take_apart(fit, apart, finer.codes, finer.size)
        rows = centred_rows(fit) @ fit.raw_vcov
        effective = recount_thin(fit, pieces, effective, rows, MIN_CLUSTERS)
    links = name_links(fit, apart, way.name, way.parts, factor.clusters)
    return replace(way, effective=effective, links=links)


def _find_influence(
    information: tuple[Array, Array],
    scores: Array,
    rows: Array,
    parts: Mapping[int, tuple[Array, Codes]],
) -> Influence:
    """Return what leaving each cluster out does to (K, p) rows; (G, p) scores of clusters."""
    total, by_cluster = information
    carried, changes = np.empty((len(by_cluster), *rows.shape)), np.empty_like(scores)
    step = max(1, MAX_FLOWS_AT_ONCE // total.size)
    for start in range(0, len(by_cluster), step):
        some = slice(start, start + step)
        rest = total - by_cluster[some]
        rest[[g - start for g in parts if start <= g < start + step]] = total
        right = np.empty((*rest.shape[:2], len(rows) + 1))
        right[:, :, :-1], right[:, :, -1] = rows.T, scores[some]
        solved = np.linalg.solve(rest, right)
        np.matmul(solved[:, :, :-1].transpose(0, 2, 1), total, out=carried[some])
        changes[some] = -solved[:, :, -1]
    for g, (inverse, _) in parts.items():
        carried[g], changes[g] = rows @ inverse @ total, -inverse @ scores[g]
    return Influence(changes, carried, rows)


def _invert_parts(rest: Array, rows: Array) -> tuple[Array, Codes]:
    """Return a pseudo-inverse on the scale of systems, and (K,) the part of each system."""
    others = np.flatnonzero(~rows.any(axis=0))
    scale = np.concatenate([rows, np.eye(len(rest))[others]])
    back = np.linalg.pinv(scale)
    size, directions = np.linalg.eigh(back.T @ rest @ back)
    lost = size <= NO_INFORMATION * size[-1]
    known = directions[:, ~lost]
    inverse = back @ (known / size[~lost]) @ known.T @ back.T
    return np.asarray(inverse), part_by_directions(directions[: len(rows), lost])


@dataclass(frozen=True, eq=False)
class Spread:
    clusterings: tuple[ClusteredErrors, ...]  # the ways of clustering; none for single answers
    # (p, p) covariances of the parameters, of which each contrast takes the largest
    vcovs: Sequence[Array]
    df: float  # degrees of freedom of single contrasts
    method: str  # how, in a few words
    notes: tuple[Finding, ...] = ()  # what the reader should know


def find_spread(
    fit: Fit, evidence: Evidence, clustering: Clustering, *, requested: str | None
) -> tuple[Clustering, Spread]:
    clustering, estimates = estimate_each(
        lambda name: _try_clustering(fit, evidence, name, requested),
        clustering,
        evidence,
        requested=requested,
    )
    clusterings = tuple(estimates.values())
    if not clusterings:
        vcovs, method, notes = single_covariances(fit)
        df = max(1.0, fit.n_comparisons - len(fit.raw_vcov))
        return clustering, Spread((), vcovs, df, f"rank sets {method}", notes)
    names = tuple(estimates)
    vcovs, notes = cross_clusterings(fit, evidence, names, [way.vcov for way in clusterings])
    vcovs = [*vcovs, *beside_prior(fit)]
    # across a cut the pseudo-inverse knows nothing: intervals that are drawn there are no shorter
    # than for independent answers
    if any((way.resting >= 0).any() for way in clusterings):
        vcovs += single_covariances(fit)[0]
    stderr = np.sqrt(np.max([centred_variance(fit.to_worth(vcov)) for vcov in vcovs], axis=0))
    kinds = "/".join(dict.fromkeys(way.kind for way in clusterings))
    merged = "".join(say_merged(way.name, way.factor) for way in clusterings)
    return clustering, Spread(
        clusterings,
        vcovs,
        min(degrees(way.factor) for way in clusterings),
        f"rank sets {kinds} by {'+'.join(names)}{merged}",
        (*notes, *compare_with_model(fit, stderr)),
    )


def _try_clustering(
    fit: Fit, evidence: Evidence, name: str, requested: str | None
) -> ClusteredErrors:
    """Return a clustering by which at least one pair can be decided, if it was not requested."""
    way = leave_each_out(fit, evidence.alone(name), name)
    linked = way.resting < 0
    if not np.triu(linked, 1).any():
        codes = np.unique(way.resting[~linked]).tolist()
        names = listing(list(dict.fromkeys(way.label(code) for code in codes)), 3)
        raise NotIdentified(f"without {names} systems are linked to the rest by nothing")
    counted = None if name == "ranking" else way.effective
    most = MIN_CLUSTERS if counted is None else float(np.where(linked, counted, 0.0).max())
    if requested is None and most < MIN_CLUSTERS:
        # with so many digits that it stays below FEW
        digits = next(digits for digits in range(1, 17) if round(most, digits) < MIN_CLUSTERS)
        few = f"{MIN_CLUSTERS:.0f} effective {name}s ({most:.{digits}f} at most)"
        raise NotIdentified(f"every difference rests on fewer than {few}")
    shown = linked if counted is None else linked & (counted >= MIN_CLUSTERS)
    refuse_no_spread(fit, fit.to_worth(way.vcov), name, shown)
    return way
