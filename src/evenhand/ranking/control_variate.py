"""People's estimates, verdicts on what people judged and all verdicts, as one estimate.

θ = θ_h − λ (θ_l − θ_a), as docs/llm-judges.md has it. With d_g for what leaving item g out changes,

    λ = Σ_g ⟨d_g^h − d̄^h, D_g − D̄⟩ / Σ_g |D_g − D̄|²,    D_g = d_g^l − d_g^a

within 0 and 1, one number for the board, so that differences add up. An item's cluster holds its
judgments and its verdicts. A judge's holds the judgments and the verdicts on the same outputs; all
verdicts are no judge's, and their part of the variance is added, by items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from evenhand.errors import NotIdentified
from evenhand.numerics import Array
from evenhand.numerics.bootstrap import Influence, jackknife
from evenhand.ranking.clustering import Candidates, Clustering, choose_clustering
from evenhand.ranking.covariance import ClusteredErrors, Spread, describe_ways, estimate_each
from evenhand.ranking.intervals import Estimates, pair_variance


@dataclass(frozen=True, eq=False)
class Part:
    """One of the three estimates, taken apart by clusters that all have in common."""

    systems: tuple[str, ...]  # names
    values: Array  # (K,) estimates
    rows: Array  # (K, p) what centred estimates are of the parameters
    changes: Mapping[str, Array]  # way → (G, p) what leaving each cluster out changes
    carried: Mapping[str, Array]  # way → (G, K, p) how far its leverage carries a change
    moves: Array  # (cells, p) what each cell of judge and item, as an independent answer, changes

    @classmethod
    def of(
        cls,
        systems: tuple[str, ...],
        values: Array,
        rows: Array,
        ways: Mapping[str, ClusteredErrors],
        moves: Array,
    ) -> Part:
        """Take errors apart; clusters without answers change nothing."""
        changes, carried = {}, {}
        for name, way in ways.items():
            if way.influence is None or way.held is None:
                raise NotIdentified(f"{len(rows):,} systems are too many to combine with verdicts")
            changes[name] = np.zeros((way.factor.size, rows.shape[1]))
            changes[name][way.held] = way.influence.changes
            carried[name] = np.repeat(rows[None], way.factor.size, axis=0)
            carried[name][way.held] = way.influence.carried
        return cls(systems, values - values.mean(), rows, changes, carried, moves)


@dataclass(frozen=True, eq=False)
class ControlVariate:
    people: Part  # by people's judgments
    beside: Part  # by verdicts on the same outputs
    every: Part  # by all verdicts
    ways: Mapping[str, ClusteredErrors]  # people's, by "item", and "judge" where judges cluster

    def choose_weight(self) -> float:
        """Return λ."""
        # what leaving each item out changes in the estimates
        people, beside, every = (
            one.changes["item"] @ one.rows.T for one in (self.people, self.beside, self.every)
        )
        other = beside - every
        people, other = people - people.mean(axis=0), other - other.mean(axis=0)
        size = float((other**2).sum())
        # verdicts that are all alike leave rounding
        if size <= np.finfo(np.float64).eps * float((people**2).sum()):
            return 0.0
        return min(max(float((people * other).sum()) / size, 0.0), 1.0)

    @cached_property
    def independent(self) -> Array:
        """(3p, 3p) covariance of the parameters of all three where answers are independent."""
        moves = np.concatenate([self.people.moves, self.beside.moves], axis=1)
        return _join(moves.T @ moves, jackknife(self.every.changes["item"]))

    @cached_property
    def vcovs(self) -> dict[str, Array]:
        """The same by each way of clustering, and by both."""
        parts = (self.people, self.beside, self.every)
        item = jackknife(np.concatenate([one.changes["item"] for one in parts], axis=1))
        if "judge" not in self.ways:
            return {"item": item}
        of_judges = np.concatenate([one.changes["judge"] for one in parts[:2]], axis=1)
        judge = _join(jackknife(of_judges), jackknife(self.every.changes["item"]))
        return {"judge": judge, "item": item, "both": judge + item - self.independent}

    def rows(self, weight: float) -> Array:
        """Return (K, 3p) what estimates with a weight are of the parameters of all three."""
        return np.concatenate(
            [self.people.rows, -weight * self.beside.rows, weight * self.every.rows], axis=1
        )

    def estimate(self, weight: float) -> tuple[Estimates, Spread]:
        parts, scales = (self.people, self.beside, self.every), (1.0, -weight, weight)
        rows = self.rows(weight)
        every = np.concatenate([one.changes["item"] for one in parts], axis=1)
        carried = [s * one.carried["item"] for s, one in zip(scales, parts, strict=True)]
        influence = Influence(every, np.concatenate(carried, axis=2), rows)
        item = replace(self.ways["item"], vcov=self.vcovs["item"], influence=influence)
        ways: tuple[ClusteredErrors, ...] = (item,)
        if "judge" in self.ways:  # clusters: the judges and, beside them, items of all verdicts
            of_judges = np.concatenate([one.changes["judge"] for one in parts[:2]], axis=1)
            of_items = self.every.changes["item"]
            judges, p = of_judges.shape
            changes = np.zeros((judges + len(of_items), rows.shape[1]))
            changes[:judges, :p], changes[judges:, p:] = of_judges, of_items
            whole = np.repeat(rows[None], len(changes), axis=0)
            carried = [s * one.carried["judge"] for s, one in zip(scales, parts[:2], strict=False)]
            whole[:judges, :, :p] = np.concatenate(carried, axis=2)
            whole[judges:, :, p:] = weight * self.every.carried["item"]
            influence = Influence(changes, whole, rows)
            judge = replace(self.ways["judge"], vcov=self.vcovs["judge"], influence=influence)
            ways = (judge, item)
        described, method, df = describe_ways(ways)
        values = sum(s * one.values for s, one in zip(scales, parts, strict=True))
        estimates = Estimates(
            self.people.systems,
            np.asarray(values),
            rows,
            self.independent,
            lambda vcov: np.asarray(rows @ vcov @ rows.T),
        )
        return estimates, Spread(ways, [*self.vcovs.values()], df, method, described)

    def variances(self, weight: float) -> Array:
        """Return (P,) variances of differences of systems."""
        rows = self.rows(weight)
        each = [pair_variance(rows @ vcov @ rows.T) for vcov in self.vcovs.values()]
        return np.asarray(np.max(each, axis=0)[np.triu_indices(len(rows), 1)])

    def share_tastes(self) -> float | None:
        """Return the share of people's variance that tastes of judges make; None without judges."""
        if "judge" not in self.ways:
            return None
        part = self.people
        tastes = jackknife(part.changes["judge"]) - part.moves.T @ part.moves
        of_pairs = pair_variance(part.rows @ tastes @ part.rows.T)
        mean = of_pairs[np.triu_indices(len(part.rows), 1)].mean()
        return float(mean / self.variances(0.0).mean())


def cluster_people(
    evidence: Candidates, estimate: Callable[[str], ClusteredErrors]
) -> tuple[Clustering, dict[str, ClusteredErrors]]:
    """Cluster people's judgments by item, and by judge where judges cluster."""
    clustering = choose_clustering(None, evidence)
    by_judge = ("judge",) * ("judge" in clustering.clusterings)
    clustering = replace(clustering, clusterings=(*by_judge, "item"))
    return estimate_each(estimate, clustering, evidence, requested=None)


def _join(one: Array, other: Array) -> Array:
    joined = np.zeros((len(one) + len(other),) * 2)
    joined[: len(one), : len(one)], joined[len(one) :, len(one) :] = one, other
    return joined
