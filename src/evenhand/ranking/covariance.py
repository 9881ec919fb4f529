"""The errors of a fit by every way of clustering that serves, ready for decisions about all pairs.

Unlike for intervals of single contrasts, a cluster that alone links some systems to the rest need
not cost a whole way of clustering: only contrasts across that cut stay undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from math import prod, sqrt
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Factor, Tally
from evenhand.errors import NotIdentified, listing
from evenhand.models.base import Codes
from evenhand.models.log_linear import Fit
from evenhand.numerics import Array, Integers
from evenhand.numerics.graph import Graph, weak_components
from evenhand.numerics.newton import is_definite
from evenhand.ranking import sandwich
from evenhand.ranking.clustering import (
    MIN_EFFECTIVE,
    WIDE,
    Candidates,
    Clustering,
    Evidence,
    join_limits,
    limit_to_levels,
    note_independence,
    single_answers,
    write_below,
)
from evenhand.ranking.intervals import (
    MIN_CLUSTERS,
    Estimates,
    Progress,
    Way,
    centred_variance,
    pair_variance,
)
from evenhand.ranking.sandwich import MAX_DENSE, ClusterSums
from evenhand.ranking.texts import say
from evenhand.render.document import Finding

if TYPE_CHECKING:
    from evenhand.numerics.bootstrap import Influence

# How many clusters a difference of two systems really comes from.
#
# G*_c = (Σ_g a_g)² / Σ_g a_g²,   a_g = cᵀ H⁻¹ H_g H⁻¹ c
#
# of the clusters whose votes inform a difference, rounded to nine decimals: five judges of one
# design are five. Of merged clusters there are no more than of the judges themselves, so that only
# pairs below the threshold are counted again by judge.

# Of how many clusters the narrowest link between two systems consists.
#
# What is known of a difference c flows from one system to the other as a current does: the
# potentials are x = H⁻¹ c, and through a cut of the systems into a side S and the rest cluster g
# carries
#
# f_g(S) = Σ_{s ∈ S} (H_g x)_s,   links_c = min over S of (Σ_g |f_g|)² / Σ_g f_g²
#
# where S goes through all {s: x_s ≥ level} that part the two systems. A difference of G*_c = 18 may
# still pass through two judges, those who alone compared a new system with one that all know: few
# of the votes are theirs, but tastes of judges do not shrink with votes. The formula and its
# threshold are ours.
#
# No cluster carries more through any cut than leaves all systems together, a_g = ½ Σ_s |(H_g x)_s|,
# and together they carry the whole current, 1, so that links_c ≥ 1 / Σ_g a_g²; a_g of a difference
# is no more than those of its two systems together. Of many systems and clusters only the currents
# from each system to all others are followed of what this leaves in doubt, and pairs for which
# these pass through few clusters are looked at one by one.

Passes = Callable[[], Iterable[Array]]
MIN_LINKS: Final = 3.5  # Effective clusters of the narrowest cut, below which nothing is decided
MAX_FLOWS_AT_ONCE: Final = 100_000  # Most flows worked on at a time: they stay in the cache
MAX_PAIRWISE_WORK: Final = 3_000_000  # Clusters × systems × pairs up to which each is looked at
SURE_MULTIPLE: Final = 2.0  # Multiple of MIN_LINKS from which currents need no second look
CLEAR_MULTIPLE: Final = 1.001  # Multiple of MIN_LINKS that is above it whatever the rounding
NO_FLOW: Final = 1e-6  # Flow, relative to the largest of a current, that is rounding


@dataclass(frozen=True, eq=False)
class Network:
    information: Passes  # goes through (g, p, p) information of some clusters at a time
    clusters: int  # how many they are, G
    rows: Array  # (K, p) cᵀ H⁻¹ of every system
    centred: Array  # (K, p) cᵀ of every system
    products: Passes | None = None  # likewise (K, p) cᵀ H⁻¹ H_g of each, where that is faster

    def carry(self, at_once: int) -> Iterable[Array]:
        """Go through the (g, K, p) cᵀ H⁻¹ H_g of some clusters at a time."""
        if self.products is not None:
            yield from (one[None] for one in self.products())
            return
        step = max(1, at_once)
        for some in self.information():
            for start in range(0, len(some), step):
                yield np.matmul(self.rows, some[start : start + step])

    def nets(self) -> Iterable[Array]:
        """Go through (g, K, K): what flows out of each system, the current of each in a row."""
        k, worths = len(self.centred), int(self.centred.any(axis=0).sum())
        reference = np.flatnonzero((self.centred[:, :worths] < 0).all(axis=1))
        # of the plain design, all flows together are none, and the reference has what is left
        plain = self.products is not None and worths == k - 1 and len(reference) == 1
        back = None if plain else np.linalg.pinv(self.centred)
        for carried in self.carry(MAX_FLOWS_AT_ONCE // self.rows.size):
            if back is None:
                flows = carried[:, :, :worths] / 2
                yield np.insert(flows, reference[0], -flows.sum(axis=2), axis=2)
            else:
                yield np.matmul(carried, back)


def count_links(network: Network) -> Array:
    """Return (K, K) effective clusters of the narrowest cut of each difference; diagonal 0."""
    # Exact below MIN_LINKS; above it may be a lower bound, of large boards by currents to all
    # others.
    links = _bound(network)
    np.fill_diagonal(links, np.inf)
    first, second = np.nonzero(np.triu(links < CLEAR_MULTIPLE * MIN_LINKS))
    most = max(1, MAX_PAIRWISE_WORK // max(1, network.clusters * len(links)))
    potentials = network.rows @ network.centred.T
    if len(first) > most:
        links = np.where(links < CLEAR_MULTIPLE * MIN_LINKS, _from_each(network, potentials), links)
        first, second = np.triu_indices(len(links), 1)
        numbers = links[first, second]
        order = np.argsort(numbers, kind="stable")[:most]
        order = order[numbers[order] < SURE_MULTIPLE * MIN_LINKS]
        first, second = first[order], second[order]
    if len(first):
        order = np.argsort(potentials[second] - potentials[first], axis=1, kind="stable")
        numbers = _through_cuts(network, order, (first, second))
        places, each = np.argsort(order, axis=1), np.arange(len(first))
        start, end = places[each, first][:, None], places[each, second][:, None]
        cut = np.arange(numbers.shape[1])
        narrowest = np.where((start <= cut) & (cut < end), numbers, np.inf).min(axis=1)
        links[first, second] = links[second, first] = narrowest
    np.fill_diagonal(links, 0.0)
    return np.asarray(links.round(9))


def _bound(network: Network) -> Array:
    """Return (K, K) numbers below which no cut is; 0 where a prior carries something too."""
    k = len(network.rows)
    squares, whole = np.zeros((k, k)), np.zeros((k, k))
    for net in network.nets():
        most = np.abs(net).sum(axis=2) / 2
        squares += most.T @ most
        whole += net.sum(axis=0)
    if np.abs(whole - np.eye(k) + 1 / k).max() > NO_FLOW:
        return np.zeros((k, k))
    each = np.diag(squares)
    return np.asarray(1 / (each[:, None] + each + 2 * squares))


def _from_each(network: Network, potentials: Array) -> Array:
    """Return (K, K) the narrowest cut around either system that leaves the other out."""
    # of the two sides of a cut one has no more than half of the systems
    order = np.argsort(-potentials, axis=1, kind="stable")
    numbers = _through_cuts(network, order, None)
    each, cut = np.arange(len(order)), np.arange(numbers.shape[1])
    start = np.argsort(order, axis=1)[each, each][:, None]
    around = (start <= cut) & (2 * cut < len(order))
    numbers = np.where(around, numbers, np.inf)
    narrowest = np.full(potentials.shape, np.inf)
    np.put_along_axis(narrowest, order[:, 1:], np.minimum.accumulate(numbers, axis=1), axis=1)
    return np.asarray(np.minimum(narrowest, narrowest.T))


def _through_cuts(network: Network, order: Codes, pairs: tuple[Codes, Codes] | None) -> Array:
    """Return (P, K − 1) effective clusters through the cuts of (P, K) systems by potential."""
    size = len(order), order.shape[1] - 1
    total, squares = np.zeros(size), np.zeros(size)
    for net in network.nets():
        wide = max(1, MAX_FLOWS_AT_ONCE // (len(net) * order.shape[1]))
        for at in range(0, len(order), wide):
            some = slice(at, at + wide)
            flows = net[:, some] if pairs is None else net[:, pairs[0][some]]
            if pairs is not None:
                flows = flows - net[:, pairs[1][some]]
            flows = np.take_along_axis(flows, order[None, some], axis=2)
            flows = flows.cumsum(axis=2)[:, :, :-1]
            total[some] += np.abs(flows).sum(axis=0)
            squares[some] += np.einsum("gpk,gpk->pk", flows, flows)
    flowing = total > NO_FLOW * total.max(axis=1, keepdims=True)
    return np.asarray(np.divide(total**2, squares, out=np.zeros(size), where=flowing))


# Into which parts systems fall without one cluster, and whose answers alone join the parts.
#
# Where judges are merged into groups, a group is left out whole; but those to name are the judges
# of it whose answers cross the cut. They are found in counts by the judges themselves, which are
# made only then.

NO_INFORMATION: Final = 1e-9  # Information that is none, beside the largest or that of all
MIN_APART: Final = 1e-6  # Difference in a lost direction from which systems are cut apart


MAX_RECOUNTED: Final = 60_000_000  # Most entries × pairs counted again by judge, thinnest first


def count_effective(network: Network) -> Array:
    """Return (K, K) effective clusters of each difference."""
    rows, k = network.rows, len(network.rows)
    total, squares = np.zeros((k, k)), np.zeros((k, k))
    # of many systems some rows of the upper triangle at a time, which stay in the cache
    high = k if k**2 <= MAX_FLOWS_AT_ONCE else max(1, MAX_FLOWS_AT_ONCE // k)
    for carried in network.carry(MAX_FLOWS_AT_ONCE // k**2):
        if high < k:
            diagonal = np.einsum("gkp,kp->gk", carried, rows)
        for top in range(0, k, high):
            at = slice(top, top + high), slice(top, k)
            shares = np.matmul(carried[:, at[0]], rows[at[1]].T)
            if high == k:
                diagonal = np.diagonal(shares, axis1=1, axis2=2).copy()
            shares *= -2
            shares += diagonal[:, at[0], None] + diagonal[:, None, at[1]]
            np.maximum(shares, 0.0, out=shares)
            total[at] += shares.sum(axis=0)
            squares[at] += np.einsum("gij,gij->ij", shares, shares)
    if high < k:
        total, squares = (np.triu(sums) + np.triu(sums, 1).T for sums in (total, squares))
    return _divide(total, squares)


def _count(network: Network) -> Array:
    """Return (K, K) effective clusters, those of the narrowest cut where these are too few."""
    effective, links = count_effective(network), count_links(network)
    return np.where(links < MIN_LINKS, np.minimum(effective, links), effective)


def _count_pair(
    fit: Fit, pieces: sandwich.PairSums, lambdas: Array, others: Array, pair: tuple[int, int]
) -> float:
    order = others[-1] if fit.likelihood.order_effect else 0.0
    tie = others[0] if fit.likelihood.law.free else 0.0
    eta = lambdas[pieces.left] - lambdas[pieces.right] + order
    by_eta, across, by_tie = pieces.slopes[[sandwich.ETA_ETA, sandwich.ETA_TIE, sandwich.TIE_TIE]]
    weights = by_eta * eta**2 + 2 * across * eta * tie + by_tie * tie**2
    sums = np.bincount(pieces.codes, weights, minlength=pieces.size)
    votes = np.maximum(np.asarray(sums, dtype=np.float64), 0.0)[:, None]
    currents = by_eta * eta + across * tie
    place = np.argsort(np.argsort(-lambdas, kind="stable"), kind="stable")
    flat = pieces.codes.astype(np.int64) * len(place)
    size = pieces.size * len(place)
    net = np.bincount(flat + place[pieces.left], currents, minlength=size)
    net -= np.bincount(flat + place[pieces.right], currents, minlength=size)
    start, end = place[list(pair)].tolist()
    flows = np.asarray(net.reshape(pieces.size, -1).cumsum(axis=1)[:, start:end])
    effective, links = (
        float(_divide(shares.sum(axis=0), (shares**2).sum(axis=0)).min())
        for shares in (votes, np.abs(flows))
    )
    return min(effective, links) if links < MIN_LINKS else effective


def _divide(total: Array, squares: Array) -> Array:
    effective = np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)
    return np.asarray(effective.round(9))


# Covariances by ways of clustering: which of them serve, and which have to be given up.
#
# Each contrast takes the largest of the variances by the ways, of their sum less the cells of both,
# and under a prior of the model's.

NO_SPREAD_RATIO: Final = 1e-6  # Variance of a pair, beside the model's, that is as good as none
NARROW_RATIO: Final = 0.5
MIN_SYSTEMS_TO_COMPARE: Final = 4  # Of fewer a typical standard error may be small by chance

Estimate = TypeVar("Estimate")


def give_up(clustering: Clustering, name: str, evidence: Candidates, note: Finding) -> Clustering:
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
        noun = evidence.item_name if name == "item" else name
        headline = join_limits(headline, limit_to_levels(noun, len(evidence.factors[name].labels)))
    return Clustering(clusterings, headline, tuple(notes))


def estimate_each(
    estimate: Callable[[str], Estimate],
    clustering: Clustering,
    evidence: Candidates,
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


def single_covariances(fit: Fit) -> tuple[list[Array], str, tuple[Finding, ...]]:
    single, method = [sandwich.judgment_covariance(fit)], "CR1 by judgment"
    if fit.model.prior:
        # two unanimous answers have no spread at all: their sandwich would call a winner that the
        # prior alone holds back from infinity
        single.append(fit.raw_vcov)
    worths = np.max([fit.to_worth(vcov) for vcov in single], axis=0)
    try:
        refuse_no_spread(fit.systems, worths, fit.worth_vcov, "judgment")
    except NotIdentified:
        decided = fit.tally.wins.any() or fit.tally.losses.any()
        note = say("linked-by-ties" if decided else "all-ties")
        if fit.tally.squares is not None:
            tied = "some systems are linked by ties alone"
            tied = tied if decided else "all comparisons are ties"
            raise NotIdentified(
                f"{tied}, and answers that are all alike show no spread: there is no interval"
            ) from None
        return [*single, fit.raw_vcov], f"{method}, the model's where wider", (note,)
    return single, method, ()


def refuse_no_spread(
    systems: Sequence[str],
    vcov: Array,
    of_model: Array | None,
    name: str,
    among: NDArray[np.bool_] | None = None,
) -> None:
    """Refuse a (K, K) covariance that is nothing for some pair beside what chance alone gives."""
    # Clusters that answer alike to the letter have scores of zero: a standard error of zero would
    # be published as certainty.
    if of_model is None:
        return
    pairs = np.triu_indices(len(vcov), 1)
    ratio = pair_variance(vcov)[pairs] / pair_variance(of_model)[pairs]
    if among is not None:
        ratio = np.where(among[pairs], ratio, np.inf)
    least = int(np.argmin(ratio))
    if ratio[least] < NO_SPREAD_RATIO:
        i, j = (ends[least] for ends in pairs)
        more = int((ratio < NO_SPREAD_RATIO).sum()) - 1
        others = f" and {more:,} other pair{'s' * (more != 1)}" if more else ""
        raise NotIdentified(
            f"clusters by {name} answered so alike on {systems[i]} and {systems[j]}{others}"
            " that nothing shows how much others might differ"
        )


def degrees(factor: Factor) -> float:
    return max(1.0, min(float(factor.size), factor.effective) - 1)


# One way of clustering: its covariance, and what leaving each of its clusters out would do.
#
# Where a cluster alone links some systems to the rest, leaving it out says nothing of contrasts
# across that cut, which "rest on" the cluster; contrasts inside a part keep what that part says
# (the pseudo-inverse in place of (H − H_g)⁻¹). Where clusters are too many to hold, their
# information is gone through some at a time.


@dataclass(frozen=True, eq=False)
class ClusteredErrors:
    name: str  # the factor that clusters
    factor: Factor  # names the clusters
    systems: int  # how many they are, K
    kind: str  # CV3 or CR1
    vcov: Array  # (p, p) covariance of the parameters
    influence: Influence | None  # what leaving clusters out does to log-worths; None with CR1
    effective: Array | None  # (K, K) of each difference, or its narrowest link; None of rankings
    held: Codes | None = None  # codes of the clusters that `influence` is of
    # cluster that alone links some systems → (K,) part of each system without it
    parts: Mapping[int, Codes] = field(default_factory=dict)
    # the same clusters, where they are merged → the levels that link
    links: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def resting(self) -> Codes:
        """(K, K) a cluster on which alone each difference rests, −1 for none."""
        resting = np.full((self.systems, self.systems), -1, dtype=np.intp)
        for code, part in self.parts.items():
            resting[part[:, None] != part] = code
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


def gather_estimates(fit: Fit) -> Estimates:
    # Comparisons of one ranking are one answer: of m equal systems in a random order, wins less
    # losses of one have variance (m² − 1) / 3, against m − 1 of as many independent comparisons;
    # those of one judgment on a merged output are about as alike. An answer of importance weight w
    # adds w² to the variance of a sum and w to the information.
    tally = fit.tally
    outputs = (1 + sqrt(1 + 8 * tally.n_comparisons / tally.n_judgments)) / 2
    inflation = max(1.0, (outputs + 1) / 3)
    if tally.squares is not None:
        inflation *= float(tally.squares.sum() / tally.counts.sum())
    return Estimates(
        fit.systems, fit.log_worth, centred_rows(fit), fit.raw_vcov, fit.to_worth, inflation
    )


def leave_each_out(
    fit: Fit, tally: Tally, name: str, progress: Progress | None = None, *, counted: bool = True
) -> ClusteredErrors:
    """Cluster by one way; without effective clusters unless counted, where they can be held."""
    pieces, factor = sandwich.gather_clusters(fit, tally, name)
    held = np.flatnonzero(pieces.held)
    if len(held) < 2:
        raise NotIdentified("all comparisons are of one cluster: there is no spread between")
    if factor.size * len(fit.raw_vcov) ** 2 > MAX_DENSE:
        return _tell_links(fit, tally, _survey(fit, pieces, factor, name, progress))
    information = sandwich.sum_information(fit, pieces, 0, pieces.size)[held]
    total, rows = sandwich.total_information(fit), centred_rows(fit)
    if name == "ranking" and sandwich.find_singular(total, fit.raw_vcov, information):
        return _survey(fit, pieces, factor, name)  # one answer may be a link: nothing is claimed
    whole, inverse = _leave_prior_out(fit, total, lambda: [information])
    # one ranking is one answer, so that nothing rests on it
    alone = sandwich.find_singular(whole, inverse, information) if name != "ranking" else []
    parts = {g: invert_parts(whole - information[g], rows) for g in alone}
    way = exclude_each(
        name,
        factor,
        parts,
        {} if fit.model.prior else parts,
        rows=rows,
        total=total,
        vcov=fit.raw_vcov,
        information=information,
        scores=sandwich.sum_scores(fit, pieces)[held],
        codes=held,
        counted=counted,
    )
    return _tell_links(fit, tally, way)


def exclude_each(
    name: str,
    factor: Factor,
    parts: Mapping[int, tuple[Array, Codes]],
    known: Mapping[int, tuple[Array, Codes]],
    *,
    rows: Array,
    total: Array,
    vcov: Array,
    information: Array,
    scores: Array,
    codes: Integers,
    counted: bool,
) -> ClusteredErrors:
    """Return errors by one way of clustering whose information is held all at once.

    parts: clusters that alone link some systems → a pseudo-inverse without them, and (K,) parts
    known: those of them for which the pseudo-inverse stands in place of the inverse
    rows: (K, p) centred values of the systems by parameter; total: (p, p) information, H, and
    vcov its inverse; information, scores and codes: (G, p, p), (G, p) and (G,) of the clusters
    """
    from evenhand.numerics.bootstrap import Influence, jackknife

    # what leaving each cluster out does to the rows: some clusters at a time
    carried, changes = np.empty((len(scores), *rows.shape)), np.empty_like(scores)
    step = max(1, MAX_FLOWS_AT_ONCE // total.size)
    for start in range(0, len(scores), step):
        some = slice(start, start + step)
        rest = total - information[some]
        rest[[g - start for g in known if start <= g < start + step]] = total
        right = np.empty((*rest.shape[:2], len(rows) + 1))
        right[:, :, :-1], right[:, :, -1] = rows.T, scores[some]
        solved = np.linalg.solve(rest, right)
        np.matmul(solved[:, :, :-1].transpose(0, 2, 1), total, out=carried[some])
        changes[some] = -solved[:, :, -1]
    for g, (inverse, _) in known.items():
        carried[g], changes[g] = rows @ inverse @ total, -inverse @ scores[g]
    network = Network(lambda: [information], len(information), rows @ vcov, rows)
    return ClusteredErrors(
        name=name,
        factor=factor,
        systems=len(rows),
        kind="CV3",
        vcov=jackknife(changes),
        influence=Influence(changes, carried, rows),
        effective=_count(network) if counted else None,
        held=codes,
        parts={int(codes[g]): part for g, (_, part) in parts.items()},
    )


def _survey(
    fit: Fit, pieces: ClusterSums, factor: Factor, name: str, progress: Progress | None = None
) -> ClusteredErrors:
    """Return CR1 with what rests on one cluster or few; clusters are not held all at once."""
    vcov = sandwich.pooled_covariance(fit, pieces)
    way = ClusteredErrors(name, factor, len(fit.systems), "CR1", vcov, None, None)
    if name == "ranking":
        return way
    rows = centred_rows(fit)
    network = Network(
        lambda: (information for _, information in sandwich.walk_information(fit, pieces)),
        pieces.size,
        rows @ fit.raw_vcov,
        rows,
    )
    whole, inverse = _leave_prior_out(fit, sandwich.total_information(fit), network.information)
    if isinstance(pieces, sandwich.PairSums):
        passes = count(1)  # for effective clusters, then for their links

        def carry() -> Iterator[Array]:
            before = (min(next(passes), 2) - 1) * pieces.size
            products = sandwich.carry_information(fit, pieces, network.rows)
            for done, one in enumerate(products, start=before + 1):
                yield one
                if progress is not None:
                    progress(done, 2 * pieces.size)

        network = replace(network, products=carry)
        singular = {}
        for g, moved in enumerate(sandwich.carry_information(fit, pieces, inverse)):
            # no eigenvalue of H⁻¹ H_g is larger than the root of the sum of their squares
            if np.einsum("ij,ji->", moved, moved) > sandwich.MAX_SURE_TRACE**2:
                without = whole - sandwich.sum_information(fit, pieces, g, g + 1)[0]
                if not is_definite(without, np.diag(whole)):
                    singular[g] = without
        parts = _part_without(fit, pieces, singular, rows)
        return replace(way, effective=_count(network), parts=parts)
    parts = {}
    for start, information in sandwich.walk_information(fit, pieces):
        rest = {
            start + g: whole - information[g]
            for g in sandwich.find_singular(whole, inverse, information)
        }
        parts.update(_part_without(fit, pieces, rest, rows))
    return replace(way, effective=_count(network), parts=parts)


def _part_without(
    fit: Fit, pieces: ClusterSums, rest: Mapping[int, Array], rows: Array
) -> dict[int, Codes]:
    """Return (K,) the part of each system without some clusters, with what then is known."""
    parts, k = {}, len(fit.systems)
    if rest and isinstance(pieces, sandwich.PairSums):
        whole = replace(pieces, codes=np.zeros_like(pieces.codes), size=1).boards(k)[0]
        whole = whole + whole.T
    for g, known in rest.items():
        parts[g] = np.zeros(k, dtype=np.intp)
        if isinstance(pieces, sandwich.PairSums):  # linked by comparisons
            own = pieces.between(g, g + 1).boards(k)[0]
            links = np.nonzero(whole - (own + own.T) > NO_INFORMATION * whole)
            parts[g] = weak_components(Graph(k, *links))
        if not parts[g].any():  # comparisons link all: λ may be confounded with δ or ties
            parts[g] = invert_parts(known, rows)[1]
    return parts


def _leave_prior_out(fit: Fit, total: Array, information: Passes) -> tuple[Array, Array]:
    """Return (p, p) information, and its inverse, from answers alone if it tells all apart."""
    if fit.model.prior:
        of_answers = np.sum([some.sum(axis=0) for some in information()], axis=0)
        if is_definite(of_answers, np.diag(of_answers)):
            return of_answers, np.asarray(np.linalg.inv(of_answers))
    return total, fit.raw_vcov


def _tell_links(fit: Fit, tally: Tally, way: ClusteredErrors) -> ClusteredErrors:
    """Look at merged clusters by their levels, where some pairs rest on one of them or on few."""
    factor, effective = way.factor, way.effective
    if way.name not in tally.unmerged or factor.clusters is None or effective is None:
        return way
    if not way.parts and not np.triu(effective < MIN_CLUSTERS, 1).any():
        return way
    apart = tally.unmerged[way.name]()
    if not sandwich.is_controlled(fit):
        finer = apart.factor(way.name)
        pieces = sandwich.take_apart(fit, apart, finer.codes, finer.size)
        rows = centred_rows(fit) @ fit.raw_vcov
        first, second = np.nonzero(np.triu(effective < MIN_CLUSTERS, 1))
        order = np.argsort(effective[first, second], kind="stable")
        most = max(1, MAX_RECOUNTED // max(1, len(pieces.left), pieces.size * len(rows)))
        effective, worths = effective.copy(), len(fit.design.names)
        log_worths = fit.design.rows() @ rows[:, :worths].T
        for at in order[:most].tolist():
            i, j = int(first[at]), int(second[at])
            others = rows[i, worths:] - rows[j, worths:]
            count = _count_pair(fit, pieces, log_worths[:, i] - log_worths[:, j], others, (i, j))
            if count < MIN_CLUSTERS:
                effective[i, j] = effective[j, i] = count
    finest = apart.factor(way.name)
    entry_clusters = factor.clusters[finest.codes]
    informed = fit.model.treat_ties(apart.counts).sum(axis=1) > 0
    links = {}
    for g, part in way.parts.items():
        joins = informed & (entry_clusters == g) & (part[apart.left] != part[apart.right])
        links[g] = tuple(finest.labels[code] for code in np.unique(finest.codes[joins]).tolist())
    return replace(way, effective=effective, links=links)


def invert_parts(rest: Array, rows: Array) -> tuple[Array, Codes]:
    """Return a pseudo-inverse on the scale of systems, and (K,) the part of each system."""
    others = np.flatnonzero(~rows.any(axis=0))
    scale = np.concatenate([rows, np.eye(len(rest))[others]])
    back = np.linalg.pinv(scale)
    size, directions = np.linalg.eigh(back.T @ rest @ back)
    lost = size <= NO_INFORMATION * size[-1]
    known = directions[:, ~lost]
    inverse = back @ (known / size[~lost]) @ known.T @ back.T
    # those that no (K, d) lost direction tells apart
    gone = directions[: len(rows), lost]
    apart = (np.abs(gone[:, None] - gone) > MIN_APART).any(axis=2)
    return np.asarray(inverse), np.asarray(np.argmin(apart, axis=1))


@dataclass(frozen=True, eq=False)
class Spread:
    clusterings: tuple[ClusteredErrors, ...]  # the ways of clustering; none for single answers
    vcovs: Sequence[Array]  # (p, p) covariances, of which each contrast takes the largest
    df: float  # degrees of freedom of single contrasts
    method: str  # how, in a few words
    ways: tuple[Way, ...]  # the same by way
    notes: tuple[Finding, ...] = ()  # what the reader should know
    apart: NDArray[np.bool_] | None = None  # (K, K) whether on different items or judges
    different: tuple[str, ...] = ("item",)  # of the two, what differs where they are apart


def find_spread(
    fit: Fit,
    evidence: Evidence,
    clustering: Clustering,
    *,
    requested: str | None,
    estimate: Callable[[str], ClusteredErrors],
) -> tuple[Clustering, Spread]:
    clustering, estimates = estimate_each(estimate, clustering, evidence, requested=requested)
    clusterings = tuple(estimates.values())
    if not clusterings:
        vcovs, method, notes = single_covariances(fit)
        n, df = int(fit.n_comparisons), max(1.0, fit.n_comparisons - len(fit.raw_vcov))
        return clustering, Spread((), vcovs, df, method, (Way("judgment", "CR1", n, n),), notes)
    vcovs, notes = [way.vcov for way in clusterings], ()
    if len(vcovs) > 1:  # their sum less what the cells of both have in common
        both, cells = vcovs[0] + vcovs[1], evidence.together([*estimates])
        if sandwich.is_controlled(fit):  # rows tell all ways apart, however counts are pooled
            size = prod(evidence.factors[name].size for name in estimates)
            cells = evidence.whole if size * len(fit.raw_vcov) <= MAX_DENSE else None
        if evidence.crossed is not None:
            both = both - sandwich.crossed_rows_covariance(fit, evidence.crossed)
        elif cells is not None:
            both = both - sandwich.crossed_covariance(fit, cells, (*estimates,))
        else:
            notes = (say("no-cells"),)
        vcovs.append(both)
    vcovs += [fit.raw_vcov] if fit.model.prior else []
    # across a cut the pseudo-inverse knows nothing: intervals that are drawn there are no shorter
    # than for independent answers
    if any((way.resting >= 0).any() for way in clusterings):
        vcovs += single_covariances(fit)[0]
    stderr = np.sqrt(np.max([centred_variance(fit.to_worth(vcov)) for vcov in vcovs], axis=0))
    ways, method, df = describe_ways(clusterings)
    if len(stderr) >= MIN_SYSTEMS_TO_COMPARE:
        ratio = float(np.median(stderr / np.sqrt(centred_variance(fit.worth_vcov))))
        notes += (say("narrow", "warning"),) if ratio < NARROW_RATIO else ()
    return clustering, Spread(clusterings, vcovs, df, method, ways, notes)


def describe_ways(clusterings: Sequence[ClusteredErrors]) -> tuple[tuple[Way, ...], str, float]:
    """Return the ways, what they are in a few words, and degrees of freedom of one contrast."""
    ways = tuple(
        Way(one.name, one.kind, len(one.factor.labels), one.factor.size) for one in clusterings
    )
    kinds = "/".join(dict.fromkeys(way.kind for way in ways))
    merged = "".join(
        f" ({way.levels:,} {way.name}s in {way.clusters})"
        for way in ways
        if way.clusters < way.levels
    )
    method = f"{kinds} by {'+'.join(way.name for way in ways)}{merged}"
    return ways, method, min(degrees(way.factor) for way in clusterings)


def cluster_plainly(fit: Fit, evidence: Evidence, name: str) -> ClusteredErrors:
    """Return errors for intervals of single contrasts, which a cut refuses."""
    vcov, kind = sandwich.cluster_covariance(fit, evidence.alone(name), name)
    refuse_no_spread(fit.systems, fit.to_worth(vcov), fit.worth_vcov, name)
    return ClusteredErrors(name, evidence.factors[name], len(fit.systems), kind, vcov, None, None)


def cluster_all_pairs(
    fit: Fit, evidence: Evidence, requested: str | None, progress: Progress | None, name: str
) -> ClusteredErrors:
    """Return a clustering by which at least one pair can be decided, if it was not requested."""
    way = leave_each_out(fit, evidence.alone(name), name, progress)
    shown = find_linked(way, requested=requested)
    refuse_no_spread(fit.systems, fit.to_worth(way.vcov), fit.worth_vcov, name, shown)
    return way


def find_linked(way: ClusteredErrors, *, requested: str | None) -> NDArray[np.bool_]:
    """Return (K, K) which pairs a way of clustering may decide; refuse one by which none can be."""
    name, linked = way.name, way.resting < 0
    if not np.triu(linked, 1).any():
        codes = np.unique(way.resting[~linked]).tolist()
        names = listing(list(dict.fromkeys(way.label(code) for code in codes)), 3)
        raise NotIdentified(f"without {names} systems are linked to the rest by nothing")
    counted = None if name == "ranking" else way.effective
    most = MIN_CLUSTERS if counted is None else float(np.where(linked, counted, 0.0).max())
    if requested is None and most < MIN_CLUSTERS:
        few = f"{MIN_CLUSTERS:.0f} effective {name}s ({write_below(most, MIN_CLUSTERS)} at most)"
        raise NotIdentified(f"every difference rests on fewer than {few}")
    return np.asarray(linked if counted is None else linked & (counted >= MIN_CLUSTERS))
