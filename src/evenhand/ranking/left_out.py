"""One way of clustering: its covariance, and what leaving each of its clusters out would do.

Where a cluster alone links some systems to the rest, leaving it out says nothing of contrasts
across that cut, which therefore "rest on" the cluster; contrasts inside a part keep what that part
says (the pseudo-inverse in place of (H − H_g)⁻¹). What rests on one cluster, and of how many each
difference consists, is known at every size, also where clusters are too many to leave each of them
out: their information is then gone through some clusters at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Factor, Tally
from evenhand.numerics.score_bootstrap import Influence, jackknife
from evenhand.preference.controls.presence import is_controlled
from evenhand.preference.fit import Fit
from evenhand.ranking.boards import Boards
from evenhand.ranking.bottlenecks import Network, Passes, bound_by_links, count_links
from evenhand.ranking.cuts import (
    LOST,
    Codes,
    find_across,
    name_links,
    part_by_directions,
    part_by_links,
)
from evenhand.ranking.pieces import Pieces, take_apart
from evenhand.ranking.rank_sets import FEW
from evenhand.ranking.sandwich import (
    DENSE,
    Answers,
    find_bridges,
    find_singular,
    gather_clusters,
    is_definite,
    pooled_covariance,
    sum_information,
    sum_scores,
    total_information,
    walk_information,
)
from evenhand.ranking.shares import BLOCK, count_effective, recount_thin

if TYPE_CHECKING:
    from evenhand.ranking.row_sums import RowSums

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Way:
    """One way of clustering.

    Attributes:
        name: the factor that clusters.
        factor: names the clusters.
        systems: how many they are, K.
        kind: CV3 or CR1.
        vcov: (p, p) covariance of the parameters.
        influence: what leaving each cluster out does to centred log-worths; None with CR1.
        effective: (K, K) effective clusters of each difference, by votes, or by its narrowest link
            where that is too narrow; None where each answer, a ranking, is a cluster.
        parts: cluster that alone links some systems → (K,) part of each system without it.
        links: the same clusters, where they are merged → the levels that link.

    """

    name: str
    factor: Factor
    systems: int
    kind: str
    vcov: Array
    influence: Influence | None
    effective: Array | None
    parts: Mapping[int, Codes] = field(default_factory=dict)
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


def leave_each_out(fit: Fit, tally: Tally, name: str) -> Way:
    """Return the covariance by one way of clustering, with the influence of its clusters.

    Args:
        fit: the fit to the data.
        tally: the same data, told apart by cluster.
        name: the factor that clusters.

    Raises:
        NotIdentified: there are not two clusters with information.

    """
    pieces, factor = gather_clusters(fit, tally, name)
    held = np.flatnonzero(pieces.held())
    if len(held) < 2:
        raise NotIdentified("all comparisons are of one cluster: there is no spread between")
    if factor.size * len(fit.raw_vcov) ** 2 > DENSE:
        return _tell_links(fit, tally, _survey(fit, pieces, factor, name))
    own = sum_information(fit, pieces, 0, pieces.size)[held]
    total, rows = total_information(fit), centred_rows(fit)
    if name == "ranking" and find_bridges(fit, total, own):
        return _pool(fit, pieces, factor, name)  # one answer may be a link: nothing is claimed
    network = Network(lambda: [own], len(own), rows @ fit.raw_vcov, rows)
    answers = _leave_prior_out(fit, total, network.own)
    alone = find_singular(answers, own) if name != "ranking" else []
    parts = {g: _invert_parts(answers.total - own[g], rows) for g in alone}
    known = {} if fit.model.prior else parts
    influence = _find_influence((total, own), sum_scores(fit, pieces)[held], rows, known)
    way = Way(
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


def _pool(fit: Fit, pieces: Pieces | Boards | RowSums, factor: Factor, name: str) -> Way:
    """Return CR1, which leaves no cluster out."""
    vcov = pooled_covariance(fit, pieces)
    return Way(name, factor, len(fit.systems), "CR1", vcov, influence=None, effective=None)


def _survey(fit: Fit, pieces: Pieces | Boards | RowSums, factor: Factor, name: str) -> Way:
    """Return CR1 with what rests on one cluster or few; clusters are not held all at once."""
    way = _pool(fit, pieces, factor, name)
    if name == "ranking":
        return way
    rows = centred_rows(fit)
    network = Network(partial(_walk, fit, pieces), pieces.size, rows @ fit.raw_vcov, rows)
    answers = _leave_prior_out(fit, total_information(fit), network.own)
    parts: dict[int, Codes] = {}
    for start, own in walk_information(fit, pieces):
        rest = {start + g: answers.total - own[g] for g in find_singular(answers, own)}
        parts.update(_part_without(fit, pieces, rest, rows))
    return replace(way, effective=_count(network), parts=parts)


def _part_without(
    fit: Fit, pieces: Pieces | Boards | RowSums, rest: Mapping[int, Array], rows: Array
) -> dict[int, Codes]:
    """Return (K,) the part of each system without some clusters, with what then is known."""
    parts: dict[int, Codes] = {}
    if rest and isinstance(pieces, Pieces | Boards):
        parts = part_by_links(fit, pieces, list(rest))
    for g, known in rest.items():
        if not np.any(parts.get(g, 0)):  # comparisons link all: λ may hang together with δ or ties
            parts[g] = _invert_parts(known, rows)[1]
    return parts


def _walk(fit: Fit, pieces: Pieces | Boards | RowSums) -> Iterator[Array]:
    """Go through the information of some clusters at a time."""
    return (own for _, own in walk_information(fit, pieces))


def _count(network: Network) -> Array:
    """Return (K, K) effective clusters of each difference, by votes and by links."""
    votes = count_effective(network.own(), network.rows)
    return bound_by_links(votes, count_links(network))


def _leave_prior_out(fit: Fit, total: Array, own: Passes) -> Answers:
    """Return what is known from answers, if it is enough to tell all systems apart.

    A prior links all systems to each other, but says nothing of how judges differ.
    """
    whole = Answers(total, fit.raw_vcov)
    if not fit.model.prior:
        return whole
    of_answers = np.sum([some.sum(axis=0) for some in own()], axis=0)
    if not is_definite(of_answers, np.diag(of_answers)):
        return whole
    return Answers(of_answers, np.asarray(np.linalg.inv(of_answers)))


def _tell_links(fit: Fit, tally: Tally, way: Way) -> Way:
    """Look at merged clusters by their levels, where some pairs rest on one of them or on few."""
    factor, effective = way.factor, way.effective
    if way.name not in tally.unmerged or factor.clusters is None or effective is None:
        return way
    if not way.parts and not np.triu(effective < FEW, 1).any():
        return way
    apart = tally.unmerged[way.name]()
    if not is_controlled(fit):
        finer = apart.factor(way.name)
        pieces = take_apart(fit, apart, finer.codes, finer.size)
        rows = centred_rows(fit) @ fit.raw_vcov
        effective = recount_thin(fit, pieces, effective, rows, FEW)
    links = name_links(fit, apart, way.name, way.parts, factor.clusters)
    return replace(way, effective=effective, links=links)


def _find_influence(
    information: tuple[Array, Array],
    scores: Array,
    rows: Array,
    parts: Mapping[int, tuple[Array, Codes]],
) -> Influence:
    """Return what leaving each cluster out does; some are worked on at a time, in the cache.

    Args:
        information: (p, p) of all data, and (G, p, p) of each cluster.
        scores: (G, p) of each cluster.
        rows: (K, p) the coordinates of interest.
        parts: clusters without which something is not linked, with a pseudo-inverse.

    """
    total, own = information
    carried, changes = np.empty((len(own), *rows.shape)), np.empty_like(scores)
    step = max(1, BLOCK // total.size)
    for start in range(0, len(own), step):
        some = slice(start, start + step)
        rest = total - own[some]
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
    """Return a pseudo-inverse, and (K,) the part of each system.

    It is taken on the scale of systems, on which it does not matter which one is the reference.
    """
    others = np.flatnonzero(~rows.any(axis=0))
    scale = np.concatenate([rows, np.eye(len(rest))[others]])
    back = np.linalg.pinv(scale)
    size, directions = np.linalg.eigh(back.T @ rest @ back)
    lost = size <= LOST * size[-1]
    kept = directions[:, ~lost]
    inverse = back @ (kept / size[~lost]) @ kept.T @ back.T
    return np.asarray(inverse), part_by_directions(directions[: len(rows), lost])
