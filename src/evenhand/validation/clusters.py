"""Votes that hang together: those of one judge, and those on one item.

    V = max(V_judge, V_item, V_judge + V_item − V_cell)                      (INFERENCE B3)

V_judge and V_item leave judges and items out in turn (CV3), V_cell sums by judge and item at once
(Cameron, Gelbach & Miller 2011, Journal of Business & Economic Statistics 29:238-249). Critical
values are of Student's t, on one less than the effective number of clusters, (Σ n_g)² / Σ n_g², of
the way that has fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import snake
from evenhand.judgments.votes import Votes
from evenhand.numerics.cluster_means import Changes, Strata, cell_variance, leave_clusters_out
from evenhand.numerics.distributions import t_quantile, t_tail
from evenhand.numerics.grouping import number_groups

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
MOST: Final = 400
"""Most clusters of a way; more are put together at random, which is valid."""
FEW: Final = 5.0
"""Effective judges below which nothing is said of others."""
SOME: Final = 8
"""Effective judges below which intervals are wide (INFERENCE B6)."""


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval.

    Attributes:
        value: the estimate.
        stderr: its standard error.
        lower: lower end.
        upper: upper end.
        p: two-sided p-value of it being zero.

    """

    value: float
    stderr: float
    lower: float
    upper: float
    p: float


@dataclass(frozen=True, eq=False)
class Clusters:
    """Which votes hang together, in one way or two.

    Attributes:
        ways: name → (n,) cluster of each vote: judge and item, where they are known; else ranking
            or judgment.
        strata: of the votes: tasks.
        notes: what cannot be allowed for.

    """

    ways: Mapping[str, Integers]
    strata: Strata
    notes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The ways, as for the clusters of a ranking."""
        return "+".join(self.ways)

    @cached_property
    def df(self) -> float:
        """Degrees of freedom of a mean: one less than the effective clusters of the fewer way."""
        return leave_out(self, np.zeros((1, len(self.strata.code)))).df

    @cached_property
    def cells(self) -> Integers | None:
        """(n,) judge and item of each vote at once; None with one way."""
        return number_groups(*self.ways.values()) if len(self.ways) > 1 else None


@dataclass(frozen=True, eq=False)
class Leaving:
    """What leaving clusters out changes in P means, in one way or two.

    Attributes:
        ways: of each way, the changes.
        variance: (P,) variances of the means.
        df: degrees of freedom.

    """

    ways: tuple[Changes, ...]
    variance: Array
    df: float

    def estimate(self, at: int, value: float, level: float) -> Estimate:
        """Return a mean with its interval.

        Args:
            at: which of the means.
            value: what it is.
            level: of the interval (proportion).

        """
        return bound(value, float(self.variance[at]), self.df, level)


def bound(value: float, variance: float, df: float, level: float) -> Estimate:
    """Put an interval around an estimate; without any variance it is known exactly.

    >>> round(bound(1.0, 0.25, 10, 0.95).upper, 6)
    2.114069
    """
    stderr = float(np.sqrt(variance))
    if stderr == 0:
        return Estimate(value, 0.0, value, value, float(value == 0))
    margin = t_quantile((1 + level) / 2, df) * stderr
    return Estimate(value, stderr, value - margin, value + margin, t_tail(value / stderr, df))


def leave_out(clusters: Clusters, deviations: Array) -> Leaving:
    """Say what leaving clusters out changes, and so how sure means are.

    Args:
        clusters: of the votes.
        deviations: (P, n) deviations from the means of tasks.

    """
    own = (leave_clusters_out(deviations, codes, clusters.strata) for codes in _ways(clusters))
    ways = tuple(own)
    variance = np.max([way.variance for way in ways], axis=0)
    if clusters.cells is not None:
        crossed = cell_variance(deviations, clusters.cells, clusters.strata)
        variance = np.maximum(variance, sum(way.variance for way in ways) - crossed)
    return Leaving(ways, variance, min(way.effective for way in ways) - 1)


def _ways(clusters: Clusters) -> Sequence[Integers]:
    return tuple(clusters.ways.values())


def find_clusters(votes: Votes, seed: int) -> Clusters:
    """Say which votes hang together: by judge and item where these are known, else by answer.

    Fewer than five effective judges say nothing of others: then the statement is about them.

    Args:
        votes: held-out votes, n of them, of any number of tasks.
        seed: of how the clusters beyond 400 are put together.

    """
    task = number_groups(votes.task)
    tasks = int(task.max()) + 1
    strata = Strata(task, np.full(tasks, 1 / tasks))
    ways: dict[str, Integers] = {}
    notes: list[str] = []
    for name in ("judge", "item"):
        codes = number_groups(getattr(votes, name))
        why = _refuse_way(name, codes, strata, known=getattr(votes, f"{name}s") != ("",))
        if why is None:
            ways[name] = _merge(codes, strata, seed)
        else:
            notes.append(why)
    few = count_effective(votes)
    if "judge" in ways and few is not None and round(few, 1) < SOME:
        notes.append(
            f"{few:.1f} effective judges: intervals are wide; {SOME} or more would narrow them"
        )
    if not ways:
        name = "judgment" if votes.answer is None else "ranking"
        ways[name] = _merge(number_answers(votes), strata, seed)
    return Clusters(ways, strata, tuple(notes))


def count_effective(votes: Votes) -> float | None:
    """Return the effective number of judges, (Σ n)² / Σ n²; None where nobody names them."""
    if votes.judges == ("",):
        return None
    loads = np.bincount(votes.judge).astype(np.float64)
    return float(loads.sum() ** 2 / (loads**2).sum())


def _refuse_way(name: str, codes: Integers, strata: Strata, *, known: bool) -> str | None:
    """Say why nothing can be said of other judges or items, if so."""
    loads = np.bincount(codes).astype(np.float64)
    effective = float(loads.sum() ** 2 / (loads**2).sum())
    if not known:
        return f"no {name} column: nothing is said of other {name}s"
    if len(loads) == 1:
        return f"about this {name} only"
    if name == "judge" and effective < FEW:
        return f"about these {len(loads)} judges only ({effective:.1f} effective)"
    if _holds_a_task(codes, strata):
        return f"a task has one {name} in its held-out votes: nothing is said of other {name}s"
    return None


def _holds_a_task(codes: Integers, strata: Strata) -> bool:
    """Say whether some cluster has all votes of a task."""
    tasks = len(strata.share)
    held = np.bincount(codes * tasks + strata.code, minlength=(int(codes.max()) + 1) * tasks)
    return bool((held.reshape(-1, tasks) == strata.counts).any())


def _merge(codes: Integers, strata: Strata, seed: int) -> Integers:
    """Put clusters beyond the most that are kept together, heavy with light."""
    loads = np.bincount(codes).astype(np.float64)
    if len(loads) <= MOST:
        return codes
    merged = snake(loads, MOST, seed)[codes].astype(np.int64)
    return codes if _holds_a_task(merged, strata) else merged


def number_answers(votes: Votes) -> Integers:
    """Return the number of each vote's answer; its own where each is one."""
    if votes.answer is None:
        return np.arange(votes.size)
    return number_groups(votes.answer)
