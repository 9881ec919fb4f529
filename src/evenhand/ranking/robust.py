"""A Wald test that allows for judgments that hang together.

    W = bᵀ V⁻¹ b,   F = W/q · (G − q)/(G − 1)   on q and G − q df      (Hotelling's T²)
    G = (Σ a_g)² / Σ a_g²,   a_g = tr (H⁻¹)_bb⁻¹ (H⁻¹ H_g H⁻¹)_bb      (INFERENCE B2)

b are the q parameters that a hypothesis says are zero, V their covariance by clusters (CV3, or CR1
where information by cluster would be too large), G the effective number of clusters for b: a group
of five judges beside one of fifteen has about nine. The judge effects of a model may thus be tested
where judges give many answers each and a likelihood ratio rejects too often (INFERENCE A10). With
W/q on q and G − 1 df, G the plain number, true hypotheses at level .05 were rejected in .07 to .37
of simulated campaigns; with this in .01 to .08 (tests/experiments/test_judge_effects.py).

When not to use it: by a way of clustering of which some group has one level only; where a group is
one judge, that judge says nothing of how judges like it differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Factor, Tally
from evenhand.numerics.distributions import f_tail
from evenhand.numerics.graph import Graph, weak_components
from evenhand.preference.fit import Fit
from evenhand.preference.likelihood import Likelihood
from evenhand.ranking.sandwich import DENSE, SINGULAR, find_bridges, leave_out, total_information

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True)
class WaldTest:
    """A cluster-robust Wald test.

    Attributes:
        cluster: what hangs together: judge, item or ranking.
        clusters: their number.
        effective: their effective number for what is tested, G.
        statistic: F.
        df: its degrees of freedom, q and G − q.
        p: p-value.
        kind: how the covariance was made, CV3 or CR1.

    """

    cluster: str
    clusters: int
    effective: float
    statistic: float
    df: tuple[int, float]
    p: float
    kind: str


@dataclass(frozen=True, eq=False)
class Spread:
    """The covariance of a fit by clusters.

    Attributes:
        vcov: (p, p) covariance of the parameters.
        scores: (G, p) scores of the clusters.
        own: (G, p, p) their information; None where it would be too large.

    """

    vcov: Array
    scores: Array
    own: Array | None

    @property
    def kind(self) -> str:
        """How the covariance was made."""
        return "CR1" if self.own is None else "CV3"

    def effective(self, bread: Array, at: NDArray[np.intp]) -> float:
        """Return the effective number of clusters for some parameters; all where it is unknown."""
        if self.own is None:
            return float(len(self.scores))
        rows = bread[at]
        weight = rows.T @ np.linalg.solve(bread[np.ix_(at, at)], rows)
        shares = np.einsum("gij,ij->g", self.own, weight)
        return float(shares.sum() ** 2 / (shares**2).sum())


def wald_test(fit: Fit, tally: Tally, cluster: str, at: NDArray[np.intp]) -> WaldTest:
    """Test that some parameters of a fit are zero, by clusters of judgments.

    Args:
        fit: the fit.
        tally: the same judgments, told apart by the covariates of the model and by cluster.
        cluster: the factor that clusters.
        at: (q,) places of the parameters in `fit.estimate`.

    Raises:
        NotIdentified: clusters are too few, or one of them alone determines a parameter.

    """
    spread = cluster_spread(fit, tally, cluster)
    q, clusters = len(at), len(spread.scores)
    effective = spread.effective(fit.raw_vcov, at)
    if effective <= q:
        few = f" ({effective:.1f} effective)" if effective < clusters - 0.05 else ""
        raise NotIdentified(
            f"{clusters} {cluster}s{few} are too few to test {q} parameters at once"
        )
    own, effect = spread.vcov[np.ix_(at, at)], fit.beta[at]
    scale = np.sqrt(np.diag(own))
    if not (scale > 0).all() or np.linalg.eigvalsh(own / scale / scale[:, None])[0] < SINGULAR:
        raise NotIdentified(
            f"{cluster}s answered so alike, or are so few, that they do not show how much others"
            " might differ"
        )
    wald = float(effect @ np.linalg.solve(own, effect))
    df = (q, effective - q)
    statistic = wald / q * (effective - q) / (effective - 1)
    p = f_tail(statistic, *df)
    return WaldTest(cluster, clusters, effective, statistic, df, p, spread.kind)


def cluster_spread(fit: Fit, tally: Tally, cluster: str) -> Spread:
    """Return the covariance of a fit with judge groups by clusters.

    Raises:
        NotIdentified: one cluster alone determines a parameter.

    """
    pooled = tally.pool(tuple(dict.fromkeys([*fit.model.covariates, cluster])))
    factor = pooled.factor(cluster)
    parts = _take_apart(fit, pooled, factor)
    beta, bread, p, g = fit.beta, fit.raw_vcov, len(fit.raw_vcov), len(parts)
    if g < 2:
        raise NotIdentified(f"all judgments are of one {cluster}")
    scores = np.stack([part.score(beta)[:p] for part in parts])
    if g * p**2 > DENSE:
        return _of_scores(fit, scores)
    own = np.stack([part.expand(beta).information[:p, :p] for part in parts])
    total = total_information(fit)
    alone = find_bridges(fit, total, own)
    if alone and cluster == "ranking":  # one answer may be a link: nothing is claimed of others
        return _of_scores(fit, scores)
    if alone:
        raise NotIdentified(_say_who_is_alone(fit, pooled, cluster, alone))
    changes = leave_out(bread, total, own, scores)
    changes -= changes.mean(axis=0)
    return Spread((g - 1) / g * changes.T @ changes, scores, own)


def _of_scores(fit: Fit, scores: Array) -> Spread:
    """Return CR1, which leaves no cluster out."""
    (g, p), n = scores.shape, fit.n_comparisons
    inflation = g / (g - 1) * (n - 1) / (n - p)
    return Spread(fit.raw_vcov @ (scores.T @ scores) @ fit.raw_vcov * inflation, scores, None)


def _take_apart(fit: Fit, tally: Tally, factor: Factor) -> list[Likelihood]:
    """Return the likelihood of every cluster that holds information.

    Args:
        fit: the fit.
        tally: counts by covariates and cluster.
        factor: names the clusters.

    """
    design, ties = fit.design, fit.likelihood.ties
    counts = fit.model.treat_ties(tally.counts)
    rows = np.flatnonzero(counts.sum(axis=1) > 0)
    rows = rows[np.argsort(factor.codes[rows], kind="stable")]
    used = fit.model.treat_ties(fit.tally.counts).sum(axis=1) > 0
    place = np.zeros((len(design.groups), len(design.systems)), dtype=np.int32)
    place[design.group, design.system] = np.arange(design.size)
    group = _look_up(fit, tally, design.group[design.left], used)[rows]
    whole = replace(
        design, left=place[group, tally.left[rows]], right=place[group, tally.right[rows]]
    )
    code = None if ties is None else _look_up(fit, tally, ties.code, used)[rows]
    borders = np.searchsorted(factor.codes[rows], np.arange(factor.size + 1)).tolist()
    parts = []
    for start, stop in pairwise(borders):
        own = slice(start, stop)
        if start < stop:
            part = replace(whole, left=whole.left[own], right=whole.right[own])
            among = None if ties is None or code is None else replace(ties, code=code[own])
            likelihood = replace(fit.likelihood, design=part, counts=counts[rows[own]], prior=0.0)
            parts.append(replace(likelihood, ties=among))
    return parts


def _look_up(fit: Fit, tally: Tally, known: NDArray[np.int32], used: NDArray[np.bool_]) -> Codes:
    """Return what a fit knows of each entry's judge group, for the entries of another tally.

    Args:
        fit: the fit, whose own tally tells the groups apart.
        tally: the other tally.
        known: (C,) what is known of the entries that the fit used.
        used: entries of the fit's tally that it used.

    """
    keys = {"own": np.zeros(len(known), np.int64), "other": np.zeros(len(tally.left), np.int64)}
    for name in fit.model.covariates:
        mine, theirs = fit.tally.factor(name), tally.factor(name)
        place = {label: code for code, label in enumerate(mine.labels)}
        renamed = np.array([place[label] for label in theirs.labels], dtype=np.int64)
        keys["own"] = keys["own"] * mine.size + mine.codes[used]
        keys["other"] = keys["other"] * mine.size + renamed[theirs.codes]
    distinct, first = np.unique(keys["own"], return_index=True)
    return np.asarray(known[first][np.searchsorted(distinct, keys["other"])], dtype=np.int32)


def _say_who_is_alone(fit: Fit, tally: Tally, cluster: str, alone: Sequence[int]) -> str:
    """Say which clusters nothing can be left out of, and what hangs on the first of them.

    Args:
        fit: the fit.
        tally: counts by cluster.
        cluster: the factor that clusters.
        alone: codes of those clusters.

    """
    factor = tally.factor(cluster)
    what = "for some judge group"
    if len(fit.groups) == 1:
        hanging = _find_hanging(fit, tally, factor.codes == alone[0])
        what = f"of {listing(hanging, 3)}" if hanging else "of some parameter"
    if factor.merged:
        return f"a few {cluster}s alone speak {what}"
    names = listing([factor.labels[g] for g in alone], 3)
    speak = "speaks" if len(alone) == 1 else "each speak"
    return f"{names} alone {speak} {what}: it takes two {cluster}s to see a spread"


def _find_hanging(fit: Fit, tally: Tally, own: NDArray[np.bool_]) -> list[str]:
    """Return the systems that are cut off from the largest part without some entries."""
    rest = fit.model.treat_ties(tally.counts).sum(axis=1) > 0
    rest &= ~own
    part = weak_components(Graph(len(tally.systems), tally.left[rest], tally.right[rest]))
    cut = np.flatnonzero(part != np.argmax(np.bincount(part)))
    return [tally.systems[system] for system in cut]
