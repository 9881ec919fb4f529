"""Is there a preference at all? The classical tests of judgments (Dras 2015, sections 3 and 5).

docs/significance.md says what each tests and when not to use it. A single pair has every variant of
the sign test, and λ and γ of the log-linear model; three systems or more have Friedman's test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import exp, lgamma
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data import controls
from evenhand.data.comparisons import Comparisons
from evenhand.data.exclusions import Exclusion, sign_excluded, write_contract, write_document
from evenhand.data.groups import choose_groups, count_levels, tally_groups
from evenhand.data.joining import note_llm_names, say_alike
from evenhand.data.rankings import Rankings
from evenhand.data.results import Shown
from evenhand.data.tally import Tally
from evenhand.errors import (
    InvalidJudgments,
    NotConverged,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    listing,
    require_option,
    suggest,
)
from evenhand.models.base import Coefficient
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.numerics import Array, Integers, distributions
from evenhand.numerics.cluster_means import average_ranks, concord_ranks, number_groups, rank_within
from evenhand.numerics.multiple_tests import benjamini_hochberg, holm
from evenhand.ranking.clustering import Evidence, choose_factors
from evenhand.ranking.fitted import count_ways
from evenhand.ranking.intervals import list_known
from evenhand.ranking.sign_tests import (
    INDEPENDENT,
    NO_COUNTS,
    SignTest,
    check_counts,
    choose_variant,
    sign_tests,
)
from evenhand.ranking.texts import say
from evenhand.render.document import (
    ALWAYS,
    Column,
    Document,
    Finding,
    Table,
    Text,
    plural,
    say_tally,
    whole,
    write_p,
    write_signature,
)

# Do the blocks (judges, items, rankings) agree on any order at all? Friedman's test.
#
# Within each of n blocks the k systems get ranks r_ij, ties their mean; R_j are their column sums:
#
# Q = (k − 1) Σ_j (R_j − n(k+1)/2)² / (Σ_ij r_ij² − nk(k+1)²/4)    ~ χ² on k − 1 df
# W = Q / (n(k − 1))                                               Kendall's concordance, 0 to 1
# F = (n − 1) Q / (n(k − 1) − Q)                ~ F on k − 1 and (k − 1)(n − 1) df
#
# If every block gives the same ranks W is 1 and F has no value: its p-value is then the exact
# (∏ t! / k!)^(n−1), t the sizes of tied groups.
#
# Sources: Friedman (1937), Journal of the American Statistical Association 32:675-701; Kendall &
# Babington Smith (1939), Annals of Mathematical Statistics 10:275-287; Iman & Davenport (1980),
# Communications in Statistics A9:571-595; Dras (2015) section 3.

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
class SkillingsMack:
    systems: tuple[str, ...]  # the k systems
    blocks: int  # number of blocks that rank two systems or more
    statistic: float  # Q, corrected for ties
    df: int  # k − 1; less where blocks do not link all systems
    p: float  # χ² p-value of Q
    assumes: ClassVar = ASSUMES  # what p-values rest on
    ignores: ClassVar = IGNORES  # what they do not look at


@dataclass(frozen=True, eq=False)
class Friedman(SkillingsMack):
    """The same of complete blocks."""

    f: float | None  # Iman and Davenport's F; None where all blocks agree completely
    f_df: tuple[int, int]  # degrees of freedom of F
    f_p: float  # its p-value; exact where all blocks agree completely
    kendall_w: float  # Kendall's W (proportion)
    mean_ranks: Array  # (k,) mean rank of each system, higher is better

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


def skillings_mack_test(
    block: Integers, system: Integers, score: Array, systems: Sequence[str]
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
# by judge, item, ...    (wins_i + ties_i / 2) / n_i, the share of comparisons i was preferred in
# by ranking             mean over the k − 1 others of the share against each; level if not compared
#
# Within one ranking the second is the ranking's own order; systems of one output are level.

Codes = NDArray[np.int32]
RANKING: Final = "ranking"
_DIGITS: Final = 12  # Decimals of a mean share: what differs further back is rounding


@dataclass(frozen=True, eq=False)
class Blocks:
    by: str  # what blocks are: judge, item, ranking or another factor
    systems: tuple[str, ...]  # the k systems, sorted by name
    names: tuple[str, ...]  # the n blocks that saw all systems
    scores: Array  # (n, k) share of a system's comparisons that prefer it, ties half
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
    factor = tally.whole_factor(by)
    if tally.squares is not None:
        raise UnknownOption("importance weights are no counts: Friedman's test needs comparisons")
    k, n = len(tally.systems), factor.size
    judged = tally.counts.sum(axis=1) > 0
    block = factor.codes[judged].astype(np.int64) * k
    seen = np.unique(np.concatenate([block + tally.left[judged], block + tally.right[judged]]))
    complete = np.bincount(seen // k, minlength=n) == k
    present = np.bincount(seen // k, minlength=n) > 0
    # fractions of rankings: each pair of systems once
    folded = replace(tally, factors={by: tally.factor(by)}).fold() if by == RANKING else tally
    blocks, owner = np.flatnonzero(complete), folded.factor(by).codes
    used = np.isin(owner, blocks) & (folded.counts.sum(axis=1) > 0)
    sides, counts = np.stack([folded.left, folded.right])[:, used], folded.counts[used].T
    row = np.searchsorted(blocks, owner[used])
    # both sides of each comparison: the cell of a system, and what it won, tied and lost
    cell = np.concatenate([row * k + sides[0], row * k + sides[1]])
    won, tied, lost = np.concatenate([counts, counts[::-1]], axis=1)

    def total(values: Array) -> Array:
        sums = np.bincount(cell, values, minlength=len(blocks) * k)
        return sums.astype(np.float64).reshape(len(blocks), k)

    if by == RANKING:  # sums of fractions: equal orders are to give equal scores
        ahead = (won - lost) / (won + tied + lost) / 2
        scores = np.round(0.5 + total(ahead) / (k - 1), _DIGITS)
    else:
        scores = total(won + tied / 2) / total(won + tied + lost)
    return Blocks(
        by=by,
        systems=tally.systems,
        names=tuple(factor.labels[i] for i in blocks.tolist()),
        scores=scores,
        incomplete=tuple(factor.labels[i] for i in np.flatnonzero(present & ~complete).tolist()),
    )


@dataclass(frozen=True, eq=False)
class PairTests:
    """Sign tests of all pairs that were compared, smallest p first."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    variant: str  # the treatment of ties, by name
    title: str  # the same in a few words
    new: str | None  # the system that had to be preferred: its pairs alone are tested; None for all
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
    clustered: Array | None = None  # (P,) p-values by clusters, NaN where there is no spread
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
            **{name: list(map(int, getattr(self, name))) for name in ("better", "ties", "worse")},
            **{name: getattr(self, name).tolist() for name in ("p", "holm", "fdr")},
        }
        adjusted = {"p_clustered": self.clustered, "holm_clustered": self.clustered_holm}
        for name, values in adjusted.items():
            columns[name] = [None] * len(self.p) if values is None else list_known(values)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def sign_test_pairs(tally: Tally, *, variant: str = "ignore", new: str | None = None) -> PairTests:
    chosen = choose_variant(variant)
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
# over the C clusters g with n_g decided comparisons of the pair: `fitted.wald_test` for a
# Bradley-Terry model of this pair alone, in closed form. Of level systems before 5 to 30 judges
# with tastes (sd .8 in log-odds) the sign test rejected in .17 to .28 of 600 campaigns at level
# .05, this in .03 to .06. It has no value where all decided comparisons agree or are one cluster's.

NO_SPREAD_RATIO: Final = 1e-6  # Variance, beside that of independent answers, that is as good as 0


def cluster_pairs(pairs: PairTests, tallies: Mapping[str, Tally]) -> PairTests:
    """Add p-values that account for each way in which comparisons are correlated."""
    ways = [_test_clusters(pairs, tally, way) for way, tally in tallies.items()]
    p = np.max(ways, axis=0)  # NaN where one way has none
    # Such a pair stays in the family, with p = 1: that its judges agree altogether was observed,
    # and a family that shrinks by what was observed need not keep its level. Tests of scores lack
    # values mostly where a pair lacks items, which the design decides, and are adjusted without it.
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


BLOCKS: Final = ("judge", "item", "ranking")
SIGNIFICANT: Final = 0.05  # P-value at which a preference is said to be there
MAX_PAIRS_SHOWN: Final = 60  # Most pairs that a terminal shows; the files have all of them
MAX_PLACES_SHOWN: Final = 12  # Most mean places that are listed
AGAINST: Final = "ties that count against a system have no clustered test"
MIN_REPEATED: Final = 2  # Mean comparisons of a judge, item or ranking that are correlated
FEW_BESIDE_RANK: Final = 12.0  # Effective judges or items below which `rank` may decide more


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceTests(Shown):
    """The tests of one set of judgments."""

    tally: Tally  # the counts
    pairs: PairTests  # the sign tests of all pairs
    variants: tuple[SignTest, ...]  # every variant, where there is one pair
    model: tuple[Coefficient, ...]  # λ of the first system and γ, where one pair has them
    friedman: Friedman | None  # Friedman's test, where there are three systems and complete blocks
    blocks: str  # what its blocks are
    notes: tuple[str, ...]  # what is lacking, what was excluded, what is against the assumptions
    repeated: tuple[str, ...] = ()  # which of judge, item and ranking have many comparisons
    excluded: tuple[Exclusion, ...] = ()  # what was excluded from the judgments

    @property
    def signature(self) -> str:
        """One line that reproduces the tests."""
        pairs = self.pairs
        parts = [f"sign test {pairs.variant}" + (f", new {pairs.new}" if pairs.new else "")]
        parts += [f"clustered by {'+'.join(pairs.clusterings)}"] if pairs.clusterings else []
        parts += [f"Friedman by {self.blocks}"] if self.friedman else []
        signature = write_signature(parts, self.tally.n_judgments, self.tally.digest)
        return sign_excluded(signature, self.excluded)

    @property
    def says(self) -> str:
        """The result in a sentence."""
        pairs = self.pairs
        if len(pairs.p) > 1:
            return self._say_pairs()
        first, second = (pairs.systems[int(side[0])] for side in (pairs.first, pairs.second))
        p, values = float(pairs.p[0]), {"first": first, "second": second, "how": pairs.title}
        if pairs.clustered is not None and not np.isnan(pairs.clustered[0]):
            clustered = float(pairs.clustered[0])
            code = "preferred-clustered" if clustered <= SIGNIFICANT else "not-preferred-clustered"
            ways = " and ".join(pairs.clusterings)
            return say(code, "info", p=clustered, independent=p, ways=ways, **values)
        independent = "preferred-if-independent" if self.repeated else "preferred"
        return say(independent if p <= SIGNIFICANT else "not-preferred", "info", p=p, **values)

    def _say_pairs(self) -> Finding:
        pairs, of = self.pairs, len(self.pairs.p)
        n = int((pairs.holm <= SIGNIFICANT).sum())
        if pairs.clustered_holm is None:
            if not n:
                return say("no-pair-differs", "info")
            code = "pairs-differ-if-independent" if self.repeated else "pairs-differ"
            return say(code, "info", n=n, of=of)
        clustered = int((pairs.clustered_holm <= SIGNIFICANT).sum())
        ways, tested = " and ".join(pairs.clusterings), of - len(pairs.without_spread)
        every, none = plural(of, "pair"), "No pair differs"
        if tested < of:
            every = f"the {plural(tested, 'pair')} that can be tested"
            none = f"None of {every} differs"
        code = "pairs-differ-clustered" if clustered else "no-pair-differs-clustered"
        code = code if tested else "no-pair-testable"
        values = {"n": clustered, "of": of, "tested": tested, "ways": ways, "independent": n}
        return say(code, "info", pairs=every, none=none, **values)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand test --json`, one group."""
        pairs, friedman = self.pairs, None
        if (found := self.friedman) is not None:
            places = dict(zip(found.systems, found.mean_places.tolist(), strict=True))
            fields = ("statistic", "df", "p", "f", "f_df", "f_p", "kendall_w", "assumes", "ignores")
            values = {name: getattr(found, name) for name in fields}
            friedman = {"by": self.blocks, "blocks": found.blocks, **values, "mean_places": places}
        # a direction that was read off the data has no one-sided p-value
        turned = {} if pairs.new else {"greater": None}
        return {
            **write_contract(self, "says"),
            "ties_as": pairs.variant,
            "sides": 1 if pairs.new else 2,
            "new": pairs.new,
            "pairs": pairs.rows(),
            "clusterings": list(pairs.clusterings),
            "untested": pairs.untested,
            "variants": [asdict(variant) | turned for variant in self.variants],
            "model": [asdict(coefficient) for coefficient in self.model],
            "friedman": friedman,
            "assumes": list(pairs.assumes),
            "ignores": list(pairs.ignores),
            "n_judgments": whole(self.tally.n_judgments),
            "n_comparisons": whole(self.tally.n_comparisons),
        }

    def document(self) -> Document:
        """Return what people read: which pairs differ, the tests of each, agreement of blocks."""
        tally, pairs, friedman = self.tally, self.pairs, self.friedman
        systems, ties = len(tally.systems), float(tally.ties.sum())
        counts = say_tally(tally.n_judgments, tally.n_comparisons, systems, ties)
        sides = f"one-sided: is {pairs.new} preferred?" if pairs.new else "two-sided."
        parts: list[Table | Text] = [_tabulate_pairs(pairs)]
        parts += [_tabulate_variants(pairs, self.variants, self.model)] if self.variants else []
        parts += [_tabulate_model(self.model)] if self.model else []
        shares = []  # how often the first of two systems wins, where some comparison was decided
        for one in self.variants:
            if one.interval is not None and one.better + one.worse:
                low, high = (100 * end for end in one.interval)
                values = {"share": 100 * one.better / (one.better + one.worse), "low": low}
                first = pairs.systems[int(pairs.first[0])]
                shares.append(say("share-preferred", "info", first=first, **values, high=high))
        agreed = []
        if friedman is not None:
            code = "order-agreed" if friedman.p <= SIGNIFICANT else "order-not-agreed"
            blocks = plural(friedman.blocks, self.blocks)
            agreed = [say(code, "info", blocks=blocks, p=friedman.p, w=friedman.kendall_w)]
            f = "every block gives the same order, exact"
            if friedman.f is not None:
                f = f"F {friedman.f:.3f} on {friedman.f_df[0]} and {friedman.f_df[1]} df"
            places = sorted(zip(friedman.mean_places.tolist(), friedman.systems, strict=True))
            listed = ", ".join(f"{name} {place:.2f}" for place, name in places[:MAX_PLACES_SHOWN])
            more = len(places) - MAX_PLACES_SHOWN
            lines = (
                f" χ² {friedman.statistic:.3f} on {friedman.df} df, p {write_p(friedman.p)}; {f}, p"
                f" {write_p(friedman.f_p)}",
                f" mean places: {listed}{f' and {more:,} more systems' if more > 0 else ''}",
                f" p holds if {'; '.join(friedman.assumes)}",
            )
            parts.append(Text(f"Friedman's test over {blocks}", lines))
        basis = f"{counts}. Sign test, {pairs.title}; {sides}"
        return write_document(self, *parts, basis=basis, answer=(self.says, *shares, *agreed))


def _tabulate_pairs(pairs: PairTests) -> Table:
    ways = " and ".join(f"{one}s" for one in pairs.clusterings)
    clustered = (
        Column("p_clustered", "p, clustered", "p"),
        Column("holm_clustered", "Holm, clustered", "p", priority=3),
    )
    legend = [f"p holds if {'; '.join(pairs.assumes)}"]
    legend += [f"clustered: accounts for {ways}, ties ignored"] if ways else []
    return Table(
        "pairs",
        "Sign tests of pairs, smallest p first",
        (
            Column("first", "system", "name"),
            Column("second", "against", "name"),
            *(Column(name, name, "count") for name in ("better", "ties", "worse")),
            Column("p", "p", "p"),
            Column("holm", "Holm", "p", priority=2 if ways else ALWAYS),
            Column("fdr", "B-H", "p", priority=1),
            *(clustered if ways else ()),
        ),
        tuple(pairs.rows()),
        limit=MAX_PAIRS_SHOWN,
        legend=tuple(legend),
    )


def _tabulate_variants(
    pairs: PairTests, variants: Sequence[SignTest], model: Sequence[Coefficient]
) -> Table:
    rows = [
        {"variant": one.variant, "title": one.title, "z": one.z, "p": one.p, "greater": one.greater}
        for one in variants
    ]
    rows += [
        {"variant": "model", "title": "log-linear, λ", "z": worth.z, "p": worth.p, "greater": None}
        for worth in model[:1]
        if worth.z is not None and worth.p is not None
    ]
    columns = [Column("variant", "variant"), Column("title", "of the test")]
    columns += [Column("z", "z", "three"), Column("p", "p", "p")]
    columns += [Column("greater", "one-sided p", "p")] * bool(pairs.new)
    return Table("variants", "The same pair by other tests", tuple(columns), tuple(rows))


def _tabulate_model(model: Sequence[Coefficient]) -> Table:
    rows = []
    for one in model:
        tie = one.label == "tie"
        head = {"name": "γ" if tie else f"λ of {one.label}"}
        rows.append({**head, "odds": None if tie else exp(2 * one.estimate), **asdict(one), **head})
    columns = (
        Column("name", "parameter", "name"),
        Column("estimate", "estimate", "four"),
        Column("stderr", "s.e.", "four"),
        Column("z", "z", "three"),
        Column("p", "p", "p"),
        Column("odds", "odds", "two"),
    )
    return Table("model", "Log-linear model of the pair", columns, tuple(rows))


@controls.carries_excluded(*controls.OF_SYSTEMS)
def find_preferences(
    data: Comparisons | Rankings | controls.Openable,
    *,
    ties_as: str = "ignore",
    new: str | None = None,
    blocks: str = "judge",
) -> PreferenceTests:
    """Run the classical tests that the judgments allow.

    Args:
        data: comparisons or rankings, of one task.
        ties_as: what a tie is in the sign test of a pair: ignore | ignore-normal | split |
            split-normal | against | half-against | trinomial; split:0.25 gives the first system a
            quarter of the ties, against:0.3 counts a tie as 0.3 of a vote against it.
        new: the system that is to be preferred: only its pairs, one-sided. Otherwise all pairs,
            two-sided.
        blocks: whose orders Friedman's test compares: judge | item | ranking.

    Raises:
        UnknownOption: there is no such treatment of ties or kind of block, or importance weights.
        NotIdentified: nobody compared the new system.
        InvalidJudgments: a value in the data that cannot be, or several tasks.

    >>> from evenhand import datasets, read
    >>> import polars as pl
    >>> one = datasets.load("dras2015_table1")
    >>> data = read(pl.DataFrame(one.rows, schema=list(one.columns), orient="row"))
    >>> found = find_preferences(data)
    >>> print(found.says)
    6 of 6 pairs differ (p ≤ .05 after Holm's adjustment) if all judgments are independent.
    >>> round(found.friedman.statistic, 1)
    10.2
    """
    require_option("blocks", blocks, BLOCKS)
    table = controls.require_pairs(
        data,
        "preferences are tested in comparisons or rankings, not in",
        "find_differences tests them",
    )
    groups = tally_groups(table, choose_groups(table, None), [blocks] if table.has(blocks) else [])
    if len(groups) > 1:
        raise InvalidJudgments(
            f"{table.source.name} has {len(groups)} tasks: choose one, data.select_task('...')"
        )
    (tally,) = groups.values()
    repeats = find_repeats(table)
    clustered = count_clusters(table, None, repeats).get("", {})
    tests = run_tests(tally, blocks, clustered, ties_as=ties_as, new=new, repeats=repeats)
    return replace(tests, notes=(*controls.say_left_out(data, table), *tests.notes))


def run_tests(
    tally: Tally,
    blocks: str,
    clustered: Mapping[str, Tally],
    *,
    ties_as: str,
    new: str | None,
    repeats: Mapping[str, str],
) -> PreferenceTests:
    pairs = sign_test_pairs(tally, variant=ties_as, new=new)
    pairs, notes = _cluster(pairs, tally, clustered, repeats)
    judges = clustered["judge"].factor("judge").labels if "judge" in clustered else ()
    notes += [*say_alike(tally.systems), *note_llm_names(judges)]
    if pairs.untested and new:
        notes.append(say("pairs-never-compared-with", n=pairs.untested, new=new))
    elif pairs.untested:
        notes.append(say("pairs-never-compared", n=pairs.untested))
    if len(tally.systems) != 2:
        friedman, why = _test_blocks(tally, blocks)
        notes += why
        return PreferenceTests(tally, pairs, (), (), friedman, blocks, tuple(notes), (*repeats,))
    variants = sign_tests(*(int(side[0]) for side in (pairs.better, pairs.ties, pairs.worse)))
    model: tuple[Coefficient, ...] = ()  # λ of the first system and γ
    try:
        fit = BradleyTerry(reference=pairs.systems[int(pairs.second[0])]).fit(tally)
        model = tuple(one for one in fit.coefficients if one.stderr is not None)
        notes += fit.notes
    except (NotIdentified, NotConverged) as refusal:
        notes.append(say("no-model-beside", why=str(refusal.without_options())))
    return PreferenceTests(tally, pairs, variants, model, None, blocks, tuple(notes), (*repeats,))


def count_clusters(
    table: Comparisons, by: str | None, repeats: Mapping[str, str]
) -> dict[str, dict[str, Tally]]:
    """Count by judge and by item in each group, where either gives many comparisons."""
    return count_ways(table, by, ()) if {"judge", "item"} & {*repeats} else {}


def _cluster(
    pairs: PairTests, tally: Tally, clustered: Mapping[str, Tally], repeats: Mapping[str, str]
) -> tuple[PairTests, list[str]]:
    if not repeats:
        return pairs, []
    each = [*repeats.values()]
    if not choose_variant(pairs.variant).even:
        return pairs, [say("correlated-unclustered", "warning", repeats=each, why=AGAINST)]
    chosen = choose_factors(Evidence(clustered, tally))
    ways = [one for one in chosen.clusterings if one in ("judge", "item")]
    if not ways:
        if chosen.headline:
            return pairs, [say("correlated-few", "warning", repeats=each, limit=chosen.headline)]
        why = next(iter(chosen.notes), "neither judges nor items are known")
        return pairs, [say("correlated-unclustered", "warning", repeats=each, why=why)]
    pairs = cluster_pairs(pairs, {way: clustered[way] for way in ways})
    notes: list[str] = [say("clustered-limited", limit=chosen.headline)] if chosen.headline else []
    if lacking := pairs.without_spread:
        way = " or ".join(ways)
        notes.append(say("pairs-without-spread", n=len(lacking), way=way, names=lacking))
    effective = {way: clustered[way].factor(way).effective for way in ways}
    fewest = min(effective, key=lambda way: effective[way])
    if len(pairs.systems) > 2 and effective[fewest] < FEW_BESIDE_RANK:
        values = {"effective": effective[fewest], "factor": fewest}
        notes.append(say("few-clusters-beside-rank", **values))
    return pairs, notes


def find_repeats(table: Comparisons) -> dict[str, str]:
    """Say which of judge, item and ranking give many comparisons each, and how many."""
    many: dict[str, str] = {}
    for role in BLOCKS:
        loads = count_levels(table, role) if table.has(role) else None
        if loads is not None and loads.sum() >= MIN_REPEATED * len(loads):
            mean = f"{loads.sum() / len(loads):,.1f}".removesuffix(".0")
            each = f"{mean} each on average" if len(loads) > 1 else f"all {mean}"
            many[role] = f"{plural(len(loads), role)} with {each}"
    return many


def _test_blocks(tally: Tally, blocks: str) -> tuple[Friedman | None, tuple[Finding, ...]]:
    try:
        scored = score_blocks(tally, blocks)
        friedman = scored.test()
    except UnknownColumn:
        return None, (say("no-blocks", by=blocks),)
    except NotIdentified as refusal:
        return None, (say("no-friedman", why=str(refusal)),)
    lost = scored.incomplete
    if not lost:
        return friedman, ()
    of = len(scored.names) + len(lost)
    return friedman, (say("blocks-incomplete", n=len(lost), of=of, by=blocks, names=lost),)
