"""Which pairs of systems differ? A sign test of every pair, adjusted for their number.

Each pair is tested by its own comparisons alone, and the p-values of all pairs are adjusted (Holm
1979; Benjamini & Hochberg 1995). When not to use it: for an order of many systems a model borrows
strength between pairs, and `evenhand.rank` allows for judges and items, which these tests do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lgamma
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Tally
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownOption,
    listing,
    require_option,
    suggest,
)
from evenhand.numerics import Array, distributions
from evenhand.numerics.cluster_means import (
    average_ranks,
    concord_ranks,
    number_groups,
    rank_within,
)
from evenhand.numerics.multiple_tests import benjamini_hochberg, holm

# Do the blocks (judges, items, rankings) agree on any order at all? Friedman's test.
#
# Within each of n blocks the k systems get ranks r_ij, ties their mean; R_j are their column sums:
#
# Q = (k − 1) Σ_j (R_j − n(k+1)/2)² / (Σ_ij r_ij² − nk(k+1)²/4)    ~ χ² on k − 1 df
# W = Q / (n(k − 1))                                               Kendall's concordance, 0 to 1
# F = (n − 1) Q / (n(k − 1) − Q)                ~ F on k − 1 and (k − 1)(n − 1) df
#
# Q is corrected for ties by its denominator. If every block gives the same ranks W is 1 and F has
# no value: its p-value is then the exact (∏ t! / k!)^(n−1), t the sizes of tied groups.
#
# Sources: Friedman (1937), Journal of the American Statistical Association 32:675-701; Kendall &
# Babington Smith (1939), Annals of Mathematical Statistics 10:275-287; Iman & Davenport (1980),
# Communications in Statistics A9:571-595; Dras (2015) section 3. When not to use it: it gives no
# size of a difference, it needs blocks that saw all systems, and blocks whose ranks rest on
# different numbers of judgments count alike.

ASSUMES: Final = (
    "the blocks are independent of each other",
    "without preferences every order within a block is equally likely",
    "enough blocks for χ² and F",
)
IGNORES: Final = (
    "how much the systems differ (no odds)",
    "differences between blocks",
    "how many judgments a block rests on",
)
AGREEMENT_TOLERANCE: Final = 1e-12  # Relative distance from complete agreement that is rounding


@dataclass(frozen=True, eq=False)
class Friedman:
    systems: tuple[str, ...]  # the k systems
    blocks: int  # number n of blocks
    statistic: float  # Q, corrected for ties
    df: int  # k − 1
    p: float  # χ² p-value of Q
    f: float | None  # Iman and Davenport's F; None where all blocks agree completely
    f_df: tuple[int, int]  # degrees of freedom of F
    f_p: float  # its p-value; exact where all blocks agree completely
    kendall_w: float  # Kendall's W (proportion)
    mean_ranks: Array  # (k,) mean rank of each system, higher is better
    assumes: tuple[str, ...] = ASSUMES  # what the p-values rest on
    ignores: tuple[str, ...] = IGNORES  # what they do not look at

    @property
    def mean_places(self) -> Array:
        """(k,) mean place of each system, 1 is best."""
        return np.asarray(len(self.systems) + 1 - self.mean_ranks)


def friedman_test(
    scores: Array, systems: Sequence[str] = (), blocks: Sequence[str] = ()
) -> Friedman:
    n, k = scores.shape
    if n < 2 or k < 2:
        few = f"{n} block{'s' * (n != 1)}" if n < 2 else f"{k} system{'s' * (k != 1)}"
        raise NotIdentified(f"Friedman's test needs two blocks and two systems: there are {few}")
    holes = np.argwhere(~np.isfinite(scores))
    if len(holes):
        row, column = holes[0].tolist()
        block = blocks[row] if blocks else f"block {row + 1}"
        system = systems[column] if systems else f"system {column + 1}"
        rows = np.unique(holes[:, 0]).tolist()
        every = listing([blocks[i] if blocks else str(i + 1) for i in rows])
        raise InvalidJudgments(
            f"Friedman's test needs complete blocks, and {block} has no score for {system}: leave"
            f" incomplete blocks out ({every}), or use a model, which needs no complete blocks"
        )
    ranks = average_ranks(scores)
    w = concord_ranks(ranks)
    if w is None:
        raise NotIdentified(
            "Friedman's test has nothing to compare: every block puts all systems on a par"
        )
    most = n * (k - 1)
    q = most * w
    df = (k - 1, (k - 1) * (n - 1))
    # the exact chance that all other blocks repeat the ranks of the first
    if w >= 1 - AGREEMENT_TOLERANCE:
        tied = np.unique(ranks[0], return_counts=True)[1].tolist()
        f, orders = None, lgamma(k + 1) - sum(lgamma(size + 1) for size in tied)
        f_p = float(np.exp(-(n - 1) * orders))
    else:
        f = (n - 1) * q / (most - q)
        f_p = distributions.f_tail(f, *df)
    return Friedman(
        systems=tuple(systems) or tuple(f"system {j + 1}" for j in range(k)),
        blocks=n,
        statistic=q,
        df=k - 1,
        p=distributions.chi2_tail(q, k - 1),
        f=f,
        f_df=df,
        f_p=f_p,
        kendall_w=w,
        mean_ranks=ranks.mean(axis=0),
    )


# Blocks that lack systems: Skillings and Mack's test, which uses all that rank two systems or more.
#
# Within block i the k_i systems that are there get ranks r_ij, ties their mean, about m_i:
#
# T_j = Σ_i w_i (r_ij − m_i),   w_i = √(12 / (k_i + 1)),   Q = T' V⁻ T    ~ χ² on rank V df
# V = Σ_i w_i² s_i² (I_i − J_i / k_i),   s_i² = Σ_j (r_ij − m_i)² / (k_i − 1)
#
# s_i² is what ties leave of k_i (k_i + 1) / 12. With complete blocks Q is Friedman's, with balanced
# incomplete blocks Durbin's (1951). Source: Skillings & Mack (1981), Technometrics 23:171-177.


@dataclass(frozen=True, eq=False)
class SkillingsMack:
    systems: tuple[str, ...]  # the k systems
    blocks: int  # number of blocks that rank two systems or more
    statistic: float  # Q, corrected for ties
    df: int  # k − 1; less where blocks do not link all systems
    p: float  # χ² p-value of Q
    assumes: tuple[str, ...] = ASSUMES
    ignores: tuple[str, ...] = IGNORES


def skillings_mack_test(
    block: NDArray[np.integer[Any]],
    system: NDArray[np.integer[Any]],
    score: Array,
    systems: Sequence[str],
) -> SkillingsMack:
    """Test (n,) scores of systems in blocks, at most one for each system of a block."""
    size = np.bincount(block)[block]
    use = size > 1
    if not use.any():
        raise NotIdentified(
            "Skillings and Mack's test has nothing to compare: no block has scores of two systems"
        )
    block, system, size = number_groups(block[use]), system[use], size[use].astype(np.float64)
    n, k, ranks = int(block.max()) + 1, len(systems), rank_within(block, score[use])
    centred, weight = ranks - (size + 1) / 2, 12 / (size + 1)
    spread = (np.bincount(block, centred**2)[block] / (size - 1)) * weight
    sums = np.bincount(system, np.sqrt(weight) * centred, minlength=k)
    there = np.zeros((n, k))
    there[block, system] = np.sqrt(spread / size)
    v = np.diag(np.bincount(system, spread, minlength=k)) - there.T @ there
    rank = int(np.linalg.matrix_rank(v, hermitian=True))
    if not rank:
        raise NotIdentified(
            "Skillings and Mack's test has nothing to compare: every block is a tie"
        )
    q = float(sums @ np.linalg.pinv(v, hermitian=True) @ sums)
    return SkillingsMack(tuple(systems), n, q, rank, distributions.chi2_tail(q, rank))


# What each judge, item or ranking makes of the systems: the table that Friedman's test ranks.
#
# The score of a system i in a block is the share of its comparisons there in which it was
# preferred, a tie being half of one, so that exchanging better and worse turns the block's order
# round:
#
# by judge, item, ...    (wins_i + ties_i / 2) / n_i
# by ranking             mean over the k − 1 others of the share against each
#
# Within one ranking the second is the ranking's own order: systems of one output, which were not
# compared with one another, count as level. In other blocks, where systems are compared in unequal
# numbers or with unequal opponents, scores say that too.

Codes = NDArray[np.int32]
RANKING: Final = "ranking"
_DIGITS: Final = 12  # Decimals of a mean share: what differs further back is rounding


@dataclass(frozen=True, eq=False)
class Blocks:
    by: str  # what blocks are: judge, item, ranking or another factor
    systems: tuple[str, ...]  # the k systems, sorted by name
    names: tuple[str, ...]  # the n blocks that saw all systems
    # (n, k) share of a system's comparisons in which it was preferred, ties being half
    # a proportion
    scores: Array
    incomplete: tuple[str, ...]  # blocks that did not see all systems, and are excluded

    def test(self) -> Friedman:
        if len(self.names) < 2:
            complete, every = len(self.names), len(self.names) + len(self.incomplete)
            left = f": excluded {listing(self.incomplete)}" if self.incomplete else ""
            raise NotIdentified(
                f"Friedman's test needs two complete blocks: {complete} of {every:,}"
                f" {self.by}{'s' * (every != 1)} compared all {len(self.systems)} systems{left}"
            )
        return friedman_test(self.scores, self.systems, self.names)


def score_blocks(tally: Tally, by: str) -> Blocks:
    factor = tally.factor(by)
    if factor.merged:
        raise UnknownOption(f"the levels of {by} were merged: tally without a limit for it")
    if tally.squares is not None:
        raise UnknownOption("importance weights are no counts: Friedman's test needs comparisons")
    k, n = len(tally.systems), factor.size
    judged = tally.counts.sum(axis=1) > 0
    block = factor.codes[judged].astype(np.int64) * k
    seen = np.unique(np.concatenate([block + tally.left[judged], block + tally.right[judged]]))
    complete = np.bincount(seen // k, minlength=n) == k
    present = np.bincount(seen // k, minlength=n) > 0
    complete_blocks = np.flatnonzero(complete)
    score = _shares_by_opponent if by == RANKING else _shares
    return Blocks(
        by=by,
        systems=tally.systems,
        names=tuple(factor.labels[i] for i in complete_blocks.tolist()),
        scores=score(tally, by, complete_blocks),
        incomplete=tuple(factor.labels[i] for i in np.flatnonzero(present & ~complete).tolist()),
    )


def _shares(tally: Tally, by: str, blocks: NDArray[np.int64]) -> Array:
    """Return (n, k) shares of comparisons preferred, for blocks that saw every system."""
    k = len(tally.systems)
    cells, sides, counts = _both_sides(tally, by, blocks)
    shape = len(blocks) * k
    seen = np.bincount(cells * k + sides[0], counts.sum(axis=0), minlength=shape)
    won = np.bincount(cells * k + sides[0], counts[0] + counts[1] / 2, minlength=shape)
    return np.reshape(won / seen, (len(blocks), k))


def _shares_by_opponent(tally: Tally, by: str, blocks: NDArray[np.int64]) -> Array:
    """Return (n, k) mean shares against the others; a pair that was not compared is level."""
    k = len(tally.systems)
    folded = replace(tally, factors={by: tally.factor(by)}).fold()
    cells, sides, counts = _both_sides(folded, by, blocks)
    judged = counts.sum(axis=0) > 0
    cells, sides, counts = cells[judged], sides[:, judged], counts[:, judged]
    ahead = (counts[0] - counts[2]) / counts.sum(axis=0) / 2
    sums = np.bincount(cells * k + sides[0], ahead, minlength=len(blocks) * k)
    shares = 0.5 + sums.reshape(len(blocks), k) / (k - 1)
    return np.round(shares, _DIGITS)  # sums of fractions: equal orders are to give equal scores


def _both_sides(
    tally: Tally, by: str, blocks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], Codes, Array]:
    """Return (E,) block, (2, E) system, opponent, and (3, E) won, tied, lost, from both sides."""
    block = tally.factor(by).codes
    inside = np.isin(block, blocks)
    row = np.searchsorted(blocks, block[inside])
    sides, counts = np.stack([tally.left, tally.right])[:, inside], tally.counts[inside].T
    return (
        np.concatenate([row, row]),
        np.concatenate([sides, sides[::-1]], axis=1),
        np.concatenate([counts, counts[::-1]], axis=1),
    )


# Is one of two systems preferred? The sign test, with every usual way to treat ties.
#
# Of n comparisons n+ prefer the first system, n− the second, n0 neither. If nobody prefers, each
# decided comparison is a fair coin:
#
# ignore           n+ ~ Binomial(n+ + n−, ½): exact, with the Clopper-Pearson interval
# ignore-normal    z = (n+ − n−) / √(n+ + n−): McNemar's test without continuity correction
# split            n+ + ⌊n0/2⌋ ~ Binomial(n, ½), an odd tie dropped: exact
# split-normal     z = (n+ − n−) / √n: ties as half a success
# against          n+ ~ Binomial(n, ½): a tie speaks against the system that is to be better
# trinomial        n+ − n− under a chance of n0/n for a tie (Bian, McAleer & Wong 2011)
#
# Sources: Dras (2015) section 3; Sprent & Smeeton (2007) section 5.2; Randles (2001), American
# Statistician 55:96-101; Bian, McAleer & Wong (2011), Mathematics and Computers in Simulation
# 81:1153-1160. When not to use it: where judges or items give many answers each, the comparisons
# are no independent coins and every one of these p-values is too small.

Tail = Callable[[Array, Array, Array], Array]

NO_COUNTS: Final = (
    "sign tests count comparisons, and importance weights are no counts: read the file without"
    " them, or use rank, which allows for them"
)
INDEPENDENT: Final = "all comparisons are independent"
_COIN: Final = "every decided comparison has the same chance"
_SIZE: Final = "how much the systems differ (no odds)"


@dataclass(frozen=True)
class Variant:
    title: str  # in a few words
    # P(evidence for the first system at least this strong), from (n,) counts of preferences for
    # the first, ties and preferences for the second
    tail: Tail
    score: Tail | None  # (n,) standard normal statistic from the same, where there is one
    assumes: tuple[str, ...]  # beside the independence of comparisons
    ignores: tuple[str, ...]  # what of the answers plays no part

    def two_sided(self, better: Array, ties: Array, worse: Array) -> Array:
        """Return (n,) p-values against both directions: twice the smaller tail, at most 1."""
        tails = np.minimum(self.tail(better, ties, worse), self.tail(worse, ties, better))
        return np.asarray(np.minimum(2 * tails, 1.0))


@dataclass(frozen=True)
class SignTest:
    variant: str  # the treatment of ties, by name
    title: str  # the same in a few words
    better: int  # comparisons that prefer the first system
    ties: int  # comparisons that prefer neither
    worse: int  # comparisons that prefer the second
    # standard normal statistic of the normal variants, else None (also with nothing decided)
    z: float | None
    p: float  # two-sided p-value
    greater: float  # one-sided p-value: is the first system preferred?
    # Clopper-Pearson interval (.95) of the chance of the first system among decided comparisons;
    # only of `ignore`
    interval: tuple[float, float] | None
    assumes: tuple[str, ...]  # what the p-value rests on
    ignores: tuple[str, ...]  # what it does not look at


def sign_test(better: int, ties: int, worse: int, *, variant: str = "ignore") -> SignTest:
    require_option("variant", variant, tuple(VARIANTS))
    chosen = VARIANTS[variant]
    counts = np.array([[better], [ties], [worse]], dtype=np.float64)
    check_counts(counts)
    n_better, n_ties, n_worse = counts
    z = None
    if chosen.score is not None and (better + worse > 0):
        z = float(chosen.score(n_better, n_ties, n_worse)[0])
    exact = (
        distributions.clopper_pearson(better, better + worse, 0.95) if variant == "ignore" else None
    )
    return SignTest(
        variant=variant,
        title=chosen.title,
        better=int(better),
        ties=int(ties),
        worse=int(worse),
        z=z,
        p=float(chosen.two_sided(n_better, n_ties, n_worse)[0]),
        greater=float(chosen.tail(n_better, n_ties, n_worse)[0]),
        interval=exact,
        assumes=(INDEPENDENT, *chosen.assumes),
        ignores=chosen.ignores,
    )


def sign_tests(better: int, ties: int, worse: int) -> tuple[SignTest, ...]:
    return tuple(sign_test(better, ties, worse, variant=name) for name in VARIANTS)


def check_counts(counts: Array) -> None:
    """Refuse (3, n) numbers that cannot be counts of comparisons."""
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise InvalidJudgments("sign tests need counts of comparisons: none may be negative")
    if (counts % 1 != 0).any():
        raise UnknownOption(NO_COUNTS)
    if not counts.sum(axis=0).all():
        raise InvalidJudgments("there is no comparison of the two systems: nothing to test")


def _ignore(better: Array, ties: Array, worse: Array) -> Array:  # noqa: ARG001 - as every variant
    return distributions.upper_tail(better, better + worse)


def _ignore_score(better: Array, ties: Array, worse: Array) -> Array:  # noqa: ARG001 - the same
    decided = better + worse
    return np.asarray((better - worse) / np.sqrt(np.where(decided > 0, decided, 1.0)))


def _split(better: Array, ties: Array, worse: Array) -> Array:
    return distributions.upper_tail(better + ties // 2, better + worse + 2 * (ties // 2))


def _split_score(better: Array, ties: Array, worse: Array) -> Array:
    return np.asarray((better - worse) / np.sqrt(better + ties + worse))


def _against(better: Array, ties: Array, worse: Array) -> Array:
    return distributions.upper_tail(better, better + ties + worse)


def _trinomial(better: Array, ties: Array, worse: Array) -> Array:
    n = better + ties + worse
    kinds, place = np.unique(np.stack([better - worse, n, ties]), axis=1, return_inverse=True)
    tails = [distributions.trinomial_tail(*map(int, kind)) for kind in kinds.T.tolist()]
    return np.array(tails)[place.reshape(-1)]


def _normal(score: Tail) -> Tail:
    def tail(better: Array, ties: Array, worse: Array) -> Array:
        from scipy.special import ndtr

        return np.asarray(ndtr(-score(better, ties, worse)))

    return tail


_TIES: Final = "ties"
_HALVES: Final = "half of those who tied would have preferred the one system, half the other"

# Treatment of ties by the name that users ask for
VARIANTS: Final[Mapping[str, Variant]] = {
    "ignore": Variant("ties ignored, exact", _ignore, None, (_COIN,), (_TIES, _SIZE)),
    "ignore-normal": Variant(
        "ties ignored, normal",
        _normal(_ignore_score),
        _ignore_score,
        (_COIN, "enough decided comparisons for the normal distribution"),
        (_TIES, _SIZE),
    ),
    "split": Variant("ties split, exact", _split, None, (_COIN, _HALVES), (_SIZE,)),
    "split-normal": Variant(
        "ties split, normal",
        _normal(_split_score),
        _split_score,
        (_HALVES, "enough comparisons for the normal distribution"),
        (_SIZE,),
    ),
    "against": Variant(
        "ties against, exact",
        _against,
        None,
        ("a tie is as good as a preference for the other system",),
        (_SIZE,),
    ),
    "trinomial": Variant(
        "trinomial",
        _trinomial,
        None,
        ("the chance of a tie is the observed share, the same for every comparison",),
        (_SIZE,),
    ),
}


@dataclass(frozen=True, eq=False)
class PairTests:
    """Sign tests of all pairs that were compared, smallest p first."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    variant: str  # the treatment of ties, by name
    title: str  # the same in a few words
    # the system that had to be preferred, whose pairs alone are tested; None for all pairs
    new: str | None
    first: Codes  # (P,) code of one system of each pair: `new`, else the one that is preferred more
    second: Codes  # (P,) code of the other
    better: Array  # (P,) comparisons that prefer the first
    ties: Array  # (P,) comparisons that prefer neither
    worse: Array  # (P,) comparisons that prefer the second
    p: Array  # (P,) p-values, two-sided; one-sided where `new` is named
    holm: Array  # (P,) the same after Holm's adjustment
    fdr: Array  # (P,) the same after Benjamini and Hochberg's
    untested: int  # pairs that nobody compared
    assumes: tuple[str, ...]  # what the p-values rest on
    ignores: tuple[str, ...]  # what they do not look at
    clusterings: tuple[str, ...] = ()  # what `clustered` accounts for: judge, item; () for nothing
    # (P,) p-values that account for correlated comparisons, NaN where clusters show no spread
    clustered: Array | None = None
    clustered_holm: Array | None = None  # (P,) the same after Holm's adjustment over all pairs

    @property
    def without_spread(self) -> list[str]:
        """The pairs that clusters were to test and cannot, by the names of their systems."""
        if self.clustered is None:
            return []
        return [
            f"{self.systems[self.first[i]]} and {self.systems[self.second[i]]}"
            for i in np.flatnonzero(np.isnan(self.clustered)).tolist()
        ]

    def rows(self) -> list[dict[str, Any]]:
        columns = {
            "first": [self.systems[i] for i in self.first.tolist()],
            "second": [self.systems[i] for i in self.second.tolist()],
            "better": list(map(int, self.better)),
            "ties": list(map(int, self.ties)),
            "worse": list(map(int, self.worse)),
            "p": self.p.tolist(),
            "holm": self.holm.tolist(),
            "fdr": self.fdr.tolist(),
            "p_clustered": _list_known(self.clustered, len(self.p)),
            "holm_clustered": _list_known(self.clustered_holm, len(self.p)),
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _list_known(values: Array | None, size: int) -> list[float | None]:
    if values is None:
        return [None] * size
    return [None if np.isnan(value) else value for value in values.tolist()]


def sign_test_pairs(tally: Tally, *, variant: str = "ignore", new: str | None = None) -> PairTests:
    require_option("variant", variant, tuple(VARIANTS))
    chosen = VARIANTS[variant]
    if tally.squares is not None:
        raise UnknownOption(NO_COUNTS)
    folded = replace(tally, factors={}).fold()
    seen = folded.counts.sum(axis=1) > 0
    left, right, counts = folded.left[seen], folded.right[seen], folded.counts[seen].T
    turn = counts[2] > counts[0]
    if new is not None:
        if new not in tally.systems:
            hint = suggest(new, tally.systems) or f" There are {listing(tally.systems)}"
            raise NotIdentified(f"nobody compared a system '{new}'.{hint}")
        code = tally.systems.index(new)
        with_new = (left == code) | (right == code)
        if not with_new.any():
            raise NotIdentified(f"nobody compared '{new}' with another system: nothing to test")
        left, right, counts = left[with_new], right[with_new], counts[:, with_new]
        turn = right == code
    first, second = np.where(turn, right, left), np.where(turn, left, right)
    counts = np.where(turn, counts[::-1], counts)
    check_counts(counts)
    p = chosen.two_sided(*counts) if new is None else chosen.tail(*counts)
    order = np.lexsort((second, first, p))
    p, counts = p[order], counts[:, order]
    k = len(tally.systems)
    possible = k - 1 if new is not None else k * (k - 1) // 2
    return PairTests(
        systems=tally.systems,
        variant=variant,
        title=chosen.title,
        new=new,
        first=first[order],
        second=second[order],
        better=counts[0],
        ties=counts[1],
        worse=counts[2],
        p=p,
        holm=holm(p),
        fdr=benjamini_hochberg(p),
        untested=possible - len(p),
        assumes=(INDEPENDENT, *chosen.assumes),
        ignores=(*chosen.ignores, "who judged and what was judged"),
    )


# Do more decided comparisons prefer one system, if those of one judge (or item) are correlated?
#
# θ = log(n+ / n−),   t = θ / √V   on G − 1 df,   G = (Σ n_g)² / Σ n_g²
# V = (C − 1)/C Σ (d_g − d̄)²,   d_g = (n+_g − n_g n+/n) / (n+ n−/n · (1 − n_g/n))
#
# over the C clusters g with n_g decided comparisons of the pair: the clustered Wald test of
# `wald.wald_test` for a Bradley-Terry model of this pair alone, in closed form. Of several ways of
# clustering the largest p counts. Of level systems before 5 to 30 judges with tastes (sd .8 in
# log-odds) the sign test rejected in .17 to .28 of 600 campaigns at level .05, this in .03 to .06.
# When not to use it: for a pair of which all decided comparisons agree, or that one cluster decided
# alone: there it has no value.

NO_SPREAD_RATIO: Final = 1e-6  # Variance, beside that of independent answers, that is as good as 0


def cluster_pairs(pairs: PairTests, tallies: Mapping[str, Tally]) -> PairTests:
    """Add p-values that account for each way in which comparisons are correlated."""
    ways = [_test_clusters(pairs, tally, way) for way, tally in tallies.items()]
    p = np.max(ways, axis=0)  # NaN where one way has none
    adjusted = np.where(np.isnan(p), np.nan, holm(np.where(np.isnan(p), 1.0, p)))
    return replace(pairs, clusterings=tuple(tallies), clustered=p, clustered_holm=adjusted)


def _test_clusters(pairs: PairTests, tally: Tally, way: str) -> Array:
    from scipy.special import stdtr

    factor, k, size = tally.factor(way), len(tally.systems), len(pairs.p)
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    keys = low.astype(np.int64) * k + high
    order = np.argsort(keys)
    entry = np.minimum(tally.left, tally.right).astype(np.int64) * k
    entry += np.maximum(tally.left, tally.right)
    at = order[np.minimum(np.searchsorted(keys, entry, sorter=order), size - 1)]
    decided = tally.counts[:, 0] + tally.counts[:, 2]
    used = (keys[at] == entry) & (decided > 0)
    at, decided = at[used], decided[used]
    ahead = tally.left[used] == pairs.first[at]
    better = np.where(ahead, tally.counts[used, 0], tally.counts[used, 2])
    cells, cell = np.unique(at * factor.size + factor.codes[used], return_inverse=True)
    pair = cells // factor.size
    n, won = (np.bincount(cell, votes).astype(np.float64) for votes in (decided, better))

    def total(values: Array) -> Array:
        return np.bincount(pair, values, minlength=size).astype(np.float64)

    with np.errstate(divide="ignore", invalid="ignore"):
        every, clusters = total(n), total(np.ones_like(n))
        share = total(won) / every
        information = every * share * (1 - share)
        change = (won - n * share[pair]) / (information[pair] * (1 - n / every[pair]))
        spread = total((change - (total(change) / clusters)[pair]) ** 2)
        variance = (clusters - 1) / clusters * spread
        t = np.log(share / (1 - share)) / np.sqrt(variance)
        df = every**2 / total(n**2) - 1
        known = (df > 0) & (variance * information > NO_SPREAD_RATIO) & np.isfinite(t)
        tail = stdtr(df, -t if pairs.new else -np.abs(t)) * (1 if pairs.new else 2)
    return np.where(known, tail, np.nan)
