"""Prediction-powered estimates as published, for comparison with `rank --llm`.

PPI++ (Angelopoulos, Duchi and Zrnic 2023; for Bradley-Terry Boyeau et al. 2024): with n judgments y
of pairs x, verdicts f beside them, and N verdicts on pairs of outputs that no person judged,
log-worths minimise

    Σ ℓ(y)/n − λ Σ ℓ(f)/n + λ Σ ℓ(f̃)/N,    ℓ the logistic loss

Prediction-powered ranking (Chatzi et al. 2024): the share of its comparisons that each system wins,
θ = ȳ − λ (f̄ − f̃); two are distinguished where (θ_a − θ_b)² > Var χ²_K.

When not to use it: for a ranking. All answers count as independent: tastes of judges and items
are in no error, and .95 intervals cover less. Errors of the shares of wins are those of the
authors' code, sums over n² where a system has fewer comparisons than n: they are too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data import controls, exclusions
from evenhand.data.comparisons import Comparisons
from evenhand.data.groups import choose_groups
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.errors import (
    NotConverged,
    NotIdentified,
    UnknownOption,
    require_level,
    require_option,
)
from evenhand.numerics import Array, Integers
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.newton import Expansion, maximise
from evenhand.ranking.inference import number_places
from evenhand.ranking.intervals import find_clusters, pair_variance, rank_ranges
from evenhand.ranking.ranking import write_ranks
from evenhand.ranking.texts import say
from evenhand.ranking.verdicts import (
    Paired,
    open_verdicts,
    pair_verdicts,
    require_options_of_verdicts,
    say_odd,
    say_unjudged,
)
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    take_findings,
    write_signature,
)

Codes = NDArray[np.integer[Any]]
METHODS: Final = ("worths", "ppi++", "win-rate")
MAX_LOG_WORTH: Final = 30.0  # Distance of log-worths beyond which there is no minimum


@dataclass(frozen=True, eq=False)
class PairSums:
    """Sums over the answers on each pair of systems, of answers for its first system."""

    systems: int
    first: Integers  # (P,)
    second: Integers  # (P,)
    n: Array  # (P,) answers
    own: Array  # (P,) Σ y by people
    llm: Array  # (P,) Σ f by verdicts
    own_own: Array  # (P,) Σ y²
    own_llm: Array  # (P,) Σ y f
    llm_llm: Array  # (P,) Σ f²

    @classmethod
    def of(
        cls, systems: int, left: Codes, right: Codes, own: Array, llm: Array, *, n: Array
    ) -> PairSums:
        """Sum (R,) rows, each of n answers that are alike; own and llm are shares for left."""
        y, f = (np.where(left > right, 1 - one, one) for one in (own, llm))
        keys = np.minimum(left, right).astype(np.int64) * systems + np.maximum(left, right)
        pairs, cell = np.unique(keys, return_inverse=True)
        each = n * np.stack([np.ones(len(n)), y, f, y * y, y * f, f * f])
        sums = [np.bincount(cell, one).astype(np.float64) for one in each]
        return cls(systems, pairs // systems, pairs % systems, *sums)

    def rows(self) -> Array:
        """Return (P, K) +1 for the first system and −1 for the second."""
        x, at = np.zeros((len(self.first), self.systems)), np.arange(len(self.first))
        x[at, self.first], x[at, self.second] = 1.0, -1.0
        return x

    def mix(self, weight: float) -> PairSums:
        """Return the sums of y − λ f in place of y."""
        square = self.own_own - 2 * weight * self.own_llm + weight**2 * self.llm_llm
        return replace(self, own=self.own - weight * self.llm, own_own=square)


@dataclass(frozen=True, eq=False)
class Powered:
    """What a method gives."""

    values: Array  # (K,) log-worths, centred; or shares of wins
    vcov: Array  # (K, K)
    weight: float  # λ


def fit_worths(
    judged: PairSums, others: PairSums, weight: float | None = None, reference: int | None = None
) -> Powered:
    """Fit Bradley-Terry by PPI++.

    judged: people's judgments, with verdicts beside them; others: verdicts on other outputs.
    weight: λ; by default the one with the smallest sum of variances.
    reference: the system from which log-worths are counted in that sum, as ppi_py drops one; by
        default their centre, so that the order of systems does not matter.
    """
    k, drop = judged.systems, reference or 0
    free = np.delete(np.arange(k), drop)
    x, z = judged.rows()[:, free], others.rows()[:, free]
    n, m = float(judged.n.sum()), float(others.n.sum())
    centred = np.eye(k)[:, free] - 1.0 / k
    scale = np.eye(k)[free][:, free] if reference is not None else centred

    def solve(by: float) -> Array:
        parts = (
            (x, judged.n / n, judged.own / n),
            (x, -by * judged.n / n, -by * judged.llm / n),
            (z, by * others.n / m, by * others.llm / m),
        )

        def expand(at: Array) -> Expansion:
            value, gradient, information = 0.0, np.zeros(k - 1), np.zeros((k - 1, k - 1))
            for rows, share, won in parts:
                apart = rows @ at
                p = _logistic(apart)
                value += float((won * apart - share * np.logaddexp(0.0, apart)).sum())
                gradient += rows.T @ (won - share * p)
                information += (rows.T * (share * p * (1 - p))) @ rows
            return Expansion(value, gradient, information)

        try:
            at = maximise(expand, np.zeros(k - 1)).at
        except (NotConverged, NotIdentified, np.linalg.LinAlgError):
            at = np.full(k - 1, np.inf)
        if not np.abs(at).max() < MAX_LOG_WORTH:
            raise NotIdentified(
                "PPI++ has no finite log-worths here: verdicts that are subtracted outweigh what"
                " people say",
                ["take --llm-method worths"],
            )
        return at

    def bread(at: Array) -> Array:
        both = []
        for rows, count in ((x, judged.n), (z, others.n)):
            p = _logistic(rows @ at)
            both.append((rows.T * (count * p * (1 - p))) @ rows)
        return np.asarray(np.linalg.inv(sum(both) / (n + m)))

    def choose(at: Array) -> float:
        p, q = (_logistic(rows @ at) for rows in (x, z))
        cross = (x.T * (judged.n * p * p - p * (judged.own + judged.llm) + judged.own_llm)) @ x / n
        own, llm = x.T @ (judged.n * p - judged.own) / n, x.T @ (judged.n * p - judged.llm) / n
        cross -= np.outer(own, llm)
        total = (x.T * (judged.n * p * p - 2 * p * judged.llm + judged.llm_llm)) @ x
        total += (z.T * (others.n * q * q - 2 * q * others.llm + others.llm_llm)) @ z
        mean = (n * llm + z.T @ (others.n * q - others.llm)) / (n + m)
        spread = (total - (n + m) * np.outer(mean, mean)) / (n + m - 1)
        to = scale @ bread(at)
        least = 2 * (1 + n / m) * float(np.trace(to @ spread @ to.T))
        gain = float(np.trace(to @ (cross + cross.T) @ to.T))
        return min(max(gain / least, 0.0), 1.0) if least > np.finfo(float).eps else 0.0

    by = choose(solve(1.0)) if weight is None else weight
    at = solve(by)
    p, q = (_logistic(rows @ at) for rows in (x, z))
    mixed, share = judged.mix(by), (1 - by) * p
    each = judged.n * share * share - 2 * share * mixed.own + mixed.own_own
    own = _covariance(x, each, judged.n * share - mixed.own, n)
    each = others.n * q * q - 2 * q * others.llm + others.llm_llm
    llm = _covariance(z, each, others.n * q - others.llm, m)
    to = centred @ bread(at)
    return Powered(centred @ at, to @ (own / n + by**2 * llm / m) @ to.T, by)


def _logistic(x: Array) -> Array:
    return np.asarray(np.exp(-np.logaddexp(0.0, -x)))


def _covariance(rows: Array, squares: Array, sums: Array, n: float) -> Array:
    mean = rows.T @ sums / n
    return np.asarray(((rows.T * squares) @ rows - n * np.outer(mean, mean)) / (n - 1))


def share_wins(judged: PairSums, others: PairSums, weight: float | None = None) -> Powered:
    n, m = float(judged.n.sum()), float(others.n.sum())
    theirs = replace(others, own=others.llm, own_own=others.llm_llm, own_llm=others.llm_llm)
    llm = replace(judged, own=judged.llm, own_own=judged.llm_llm, own_llm=judged.llm_llm)
    known = [_count_sides(one, one.n, one.n) for one in (judged, others)]
    if not min(one.min() for one in known) > 0:
        raise NotIdentified(
            "a system has no judgment, or no verdict on outputs that no person judged",
            ["take --llm-method worths"],
        )
    spread = np.trace(_spread_wins(theirs)) / m
    cross = np.trace(_spread_wins(judged, llm)) / n
    least = (1 + n / m) * float(spread)
    best = min(max(float(cross) / least, 0.0), 1.0) if least > np.finfo(float).eps else 0.0
    by = best if weight is None else weight
    mixed = judged.mix(by)
    values = _average_wins(mixed, 1 - by) + by * _average_wins(theirs)
    vcov = by**2 * _spread_wins(theirs) / m**2 + _spread_wins(mixed, whole=1 - by) / n**2
    return Powered(values, vcov, by)


def _count_sides(of: PairSums, first: Array, second: Array) -> Array:
    k = of.systems
    sums = np.bincount(of.first, first, minlength=k) + np.bincount(of.second, second, minlength=k)
    return sums.astype(np.float64)


def _average_wins(of: PairSums, whole: float = 1.0) -> Array:
    """Return (K,) means of what a system gets, where both of a pair get `whole` together."""
    return _count_sides(of, of.own, whole * of.n - of.own) / _count_sides(of, of.n, of.n)


def _spread_wins(of: PairSums, other: PairSums | None = None, whole: float = 1.0) -> Array:
    """Return (K, K) sums of products of what systems get, less their means; or of two such."""
    b = of if other is None else other
    mean, means = _average_wins(of, whole), _average_wins(b, whole)
    y, f, yf = of.own, b.own, of.own_own if other is None else of.own_llm
    i, j, n = of.first, of.second, of.n

    def multiply(signs: tuple[int, int], shifts: tuple[Array, Array]) -> Array:
        # Σ (s y + a)(t f + b)
        (s, t), (a, c) = signs, shifts
        return np.asarray(s * t * yf + s * c * y + t * a * f + n * a * c)

    first, second = -mean[i], whole - mean[j]
    ours, theirs = -means[i], whole - means[j]
    sums = np.diag(
        _count_sides(of, multiply((1, 1), (first, ours)), multiply((-1, -1), (second, theirs)))
    )
    sums[i, j] = multiply((1, -1), (first, theirs))
    sums[j, i] = multiply((-1, 1), (second, ours))
    return sums


@dataclass(frozen=True, eq=False, repr=False)
class PoweredRanking(Shown):
    """Systems by a published prediction-powered method; arrays are best first."""

    systems: tuple[str, ...]  # names
    estimate: Array  # (K,) log-worths, centred, or shares of wins
    stderr: Array  # (K,) as if all answers were independent
    lower: Array  # (K,) lower ends of intervals
    upper: Array  # (K,) upper ends
    rank: Integers  # (K,) place by estimate
    rank_lower: Integers  # (K,) best place that the distinguished pairs leave
    rank_upper: Integers  # (K,) worst place
    cluster: Integers  # (K,) number of the cluster
    weight: float  # λ
    llm_method: str  # ppi++ or win-rate
    level: float  # of the intervals (proportion)
    n_judgments: float  # with a verdict beside them
    n_verdicts: int  # pairs of outputs with verdicts that no person judged
    signature: str
    notes: tuple[Finding, ...]
    excluded: tuple[exclusions.Exclusion, ...] = ()

    @property
    def scale(self) -> str:
        """What `estimate` is."""
        return "log-worth" if self.llm_method == METHODS[1] else "share of wins"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each system, best first."""
        names = ("estimate", "stderr", "lower", "upper")
        places = ("rank", "rank_lower", "rank_upper", "cluster")
        return [
            {"system": system}
            | {name: float(getattr(self, name)[at]) for name in names}
            | {name: int(getattr(self, name)[at]) for name in places}
            for at, system in enumerate(self.systems)
        ]

    def to_dict(self, *_columns: str) -> dict[str, Any]:
        """Return the numbers for JSON."""
        keys = ("scale", "llm_method", "weight", "level", "n_judgments", "n_verdicts")
        return {**exclusions.write_contract(self, *keys), "systems": self.rows()}

    def document(self, *_columns: str, about: str = "") -> Document:  # noqa: ARG002
        """Return what people read."""
        rows = [{**row, "ranks": write_ranks(row, mark="")} for row in self.rows()]
        columns = (
            Column("ranks", "rank", "range"),
            Column("system", "system", "name"),
            Column("estimate", self.scale, "two"),
            Column(("lower", "upper"), f"{100 * self.level:g} % interval", "interval"),
            Column(("lower", "estimate", "upper"), "", "bar"),
        )
        lines = [at for at in range(1, len(rows)) if self.cluster[at] != self.cluster[at - 1]]
        caption = f"Systems by {self.scale}, best first"
        return exclusions.write_document(
            self,
            Table("ranking", caption, columns, tuple(rows), tuple(lines), without=("ranks",)),
            basis=f"{self.n_judgments:,.0f} judgments with a verdict beside them,"
            f" {self.n_verdicts:,} verdicts on other pairs of outputs, λ = {self.weight:.2f}.",
            answer=(f"By {self.llm_method}, for comparison: intervals ignore judges and items.",),
        )


@controls.carries_excluded(*controls.OF_SYSTEMS)
def rank_prediction_powered(
    data: Comparisons | Rankings | controls.Openable,
    *,
    method: str,
    llm: Comparisons | Rankings | controls.Openable | None = None,
    llm_judges: Sequence[str] = (),
    unpaired: str | None = None,
    llm_weight: float | None = None,
    level: float = 0.95,
) -> PoweredRanking:
    """Rank by a published method for verdicts, to compare it with `rank(data, llm=...)`.

    All answers count as independent, and a tie as half a win. Only judgments with a verdict on
    their outputs count; verdicts are those on outputs that no person judged, and beside judgments.

    Args:
        data: comparisons by people, of one task.
        method: "ppi++" (Bradley-Terry; Angelopoulos, Duchi and Zrnic 2023) or "win-rate"
            (prediction-powered ranking; Chatzi et al. 2024).
        llm: verdicts of LLM judges on these items and others.
        llm_judges: the same where they are among the judgments: names of the LLM judges.
        unpaired: "drop" leaves judgments without a verdict out; they are refused by default.
        llm_weight: λ, from 0 to 1; by default the best, as published.
        level: nominal level of the intervals (proportion).

    Raises:
        NotIdentified: no finite estimate, or no verdict on other outputs.
        InvalidJudgments: judgments without a verdict.
        UnknownOption: a setting that cannot be.
    """
    require_option("method", method, METHODS[1:])
    require_level(level)
    require_options_of_verdicts(unpaired, llm_weight, choices=("drop",))
    if (llm is not None) == (len(llm_judges) > 0):
        raise UnknownOption("give verdicts in a table (llm) or name the LLM judges (llm_judges)")
    kept = controls.keep_all_judges(data) if len(llm_judges) else data
    table, verdicts, _ = open_verdicts(controls.take_pairs(kept), llm, llm_judges)
    if choose_groups(table, None) is not None:
        raise UnknownOption(f"{method} ranks one task: choose it (--task NAME, in Python task=)")
    people = table.tally([name for name in ("judge", "item") if table.has(name)])
    if people.squares is not None:
        raise UnknownOption(f"{method} takes judgments of equal weight only: leave out the weights")
    paired = pair_verdicts(people, verdicts.tally(["item"]), unpaired)
    judged, others = sum_answers(paired)
    if not others.n.sum():
        raise NotIdentified(
            "every pair of outputs with a verdict was judged by people, so that verdicts add"
            f" nothing by {method}",
            ["get verdicts on more items"],
        )
    if min(judged.n.sum(), others.n.sum()) < 2:
        raise NotIdentified(
            f"{method} has errors from two judgments with a verdict and two verdicts on other pairs"
            f" of outputs on: there are {judged.n.sum():.0f} and {others.n.sum():.0f}",
            ["take --llm-method worths"],
        )
    if method == METHODS[1]:
        powered = fit_worths(judged, others, llm_weight)
        critical = normal_quantile((1 + level) / 2)
    else:
        from scipy.special import gammaincinv

        powered = share_wins(judged, others, llm_weight)
        critical = sqrt(2 * float(gammaincinv(judged.systems / 2, level)))
    apart = powered.values[:, None] - powered.values
    better = (apart > critical * np.sqrt(pair_variance(powered.vcov))).astype(np.int8)
    order, places = number_places(powered.values)
    decided = (better - better.T)[np.ix_(order, order)]
    lowest, highest = rank_ranges(decided)
    values, stderr = powered.values[order], np.sqrt(np.maximum(np.diag(powered.vcov), 0))[order]
    n = float(judged.n.sum())
    llm_digest = paired.every.digest_by(("item",))[:12]
    parts = [method, f"weight {powered.weight:.4f}", f"level {level:g}"]
    parts.append(f"verdicts n={paired.n_verdicts:.0f} sha256 {llm_digest}")
    board = PoweredRanking(
        systems=tuple(paired.people.systems[at] for at in order.tolist()),
        estimate=values,
        stderr=stderr,
        lower=values - critical * stderr,
        upper=values + critical * stderr,
        rank=places,
        rank_lower=lowest,
        rank_upper=highest,
        cluster=find_clusters(np.arange(len(order)), decided),
        weight=powered.weight,
        llm_method=method,
        level=level,
        n_judgments=n,
        n_verdicts=int(others.n.sum()),
        signature=write_signature(parts, n, people.digest),
        notes=(
            say("verdicts-assume"),
            say("verdicts-not-clustered", "warning", method=method),
            *say_odd(verdicts),
            *say_unjudged(paired.unjudged, paired.n_unused),
            *take_findings(controls.say_left_out(data, table)),
        ),
    )
    return exclusions.note_excluded(board, exclusions.count_exclusions(verdicts.source.exclusions))


def sum_answers(paired: Paired) -> tuple[PairSums, PairSums]:
    people, beside, every = paired.people, paired.beside, paired.every
    k, n = len(people.systems), people.counts
    item = people.factor("item").codes.astype(np.int64)
    low, high = np.minimum(people.left, people.right), np.maximum(people.left, people.right)
    judged = np.unique((item * k + low) * k + high)
    # verdicts have the systems in the order of their codes
    llm = (beside.wins + beside.ties / 2) / beside.counts.sum(axis=1)
    llm = np.where(people.left > people.right, 1 - llm, llm)
    parts = [
        (people.left[kept], people.right[kept], np.full(kept.sum(), y), llm[kept], n[kept, at])
        for at, y in enumerate((1.0, 0.5, 0.0))
        for kept in [n[:, at] > 0]
    ]
    left, right, own, shares, counts = (np.concatenate(one) for one in zip(*parts, strict=True))
    theirs = every.factor("item").codes.astype(np.int64)
    fresh = ~np.isin((theirs * k + every.left) * k + every.right, judged)
    share = (every.wins + every.ties / 2)[fresh]
    ones = np.ones(len(share))
    return (
        PairSums.of(k, left, right, own, shares, n=counts),
        PairSums.of(k, every.left[fresh], every.right[fresh], share, share, n=ones),
    )
