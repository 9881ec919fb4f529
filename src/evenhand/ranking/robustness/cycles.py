"""What a test of the fit could have seen: without that, its silence says nothing.

The statistic T = Σ r²/w of pairs, over the factor c by which judges and items spread it, is about
χ² on df. Pairs off by d (proportion) move it by λ = 4 n d² df / (P c), with n decided comparisons
of P pairs: 4 stands for 1/(p q), which is at least that. d is where λ gives a power of .8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Final

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

from evenhand.errors import (
    NotConverged,
    NotIdentified,
    UnknownOption,
    listing,
    require_level,
    require_seed,
)
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.exclusions import carries_excluded, write_excluded
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.models.coefficients import format_p
from evenhand.numerics.distributions import normal_quantile
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.clustering import (
    Clustering,
    Evidence,
    choose_clustering,
    choose_ways,
    wanted_factors,
)
from evenhand.ranking.robustness.cycle_residuals import (
    WORLDS,
    PairResiduals,
    Worlds,
    draw_worlds,
    find_residuals,
    split_some,
)
from evenhand.ranking.robustness.removal import merge_evidence
from evenhand.ranking.sides import count_sides, note_sides

# Pairs of systems that the model describes worst, allowing for how many pairs were looked at.
#
# The residual r of a pair, decisive votes for one less those expected, stands over its spread in
# worlds in which worths describe everything (`cycles_worlds`):
#
# z = r / √(mean of r*² over worlds),   p = (1 + #{worlds: max |z*| ≥ |z|}) / (1 + B)
#
# max being over all pairs of a world, so that with chance 1 − level no pair is named without cause
# (single-step max-T: Westfall & Young 1993, Resampling-based multiple testing). Of several ways of
# clustering the least sure speaks.

Array = NDArray[np.float64]
MAX_PAIRS_LISTED: Final = 10  # Most pairs that are listed


@dataclass(frozen=True)
class Deviation:
    """A pair of systems, and how far the model is from it."""

    first: str  # the system that won more often than expected
    second: str  # the other
    votes: float  # decisive votes on the pair
    won: float  # share of these for the first (proportion)
    expected: float  # the same by the model
    z: float  # residual over its spread in worlds that worths describe; at least 0
    p: float  # adjusted for all pairs


def list_deviations(whole: PairResiduals, worlds: Sequence[Array]) -> tuple[Deviation, ...]:
    """Return the pairs farthest from the model, the farthest first.

    worlds: (B, P) residuals of worlds that worths describe, for each way of clustering.
    """
    z, p = weigh_pairs(whole, worlds)
    order = np.lexsort((np.arange(len(z)), -np.abs(z), p))[:MAX_PAIRS_LISTED]
    expected = (whole.totals * whole.chances).sum(axis=0) / whole.total
    return tuple(_describe(whole, at, (expected, z, p)) for at in order.tolist())


def _describe(whole: PairResiduals, at: int, found: tuple[Array, Array, Array]) -> Deviation:
    """Return a pair, the system first that won more often than expected."""
    expected, z, p = (float(values[at]) for values in found)
    won = float(whole.won[at] / whole.total[at])
    first, second = whole.systems[whole.first[at]], whole.systems[whole.second[at]]
    if z < 0:
        first, second, won, expected = second, first, 1 - won, 1 - expected
    return Deviation(first, second, float(whole.total[at]), won, expected, abs(z), p)


def weigh_pairs(whole: PairResiduals, worlds: Sequence[Array]) -> tuple[Array, Array]:
    """Return (P,) z of each pair and (P,) p, adjusted by the largest |z| of every world.

    A pair whose residual no world moves has z 0 and p 1: worths follow it whatever is said.

    worlds: (B, P) residuals of worlds that worths describe, for each way of clustering.
    """
    z, p = np.full(len(whole.first), np.inf), np.zeros(len(whole.first))
    for drawn in worlds:
        spread = np.sqrt((drawn**2).mean(axis=0))
        known = spread > 1e-9 * np.sqrt(whole.weight)
        scale = np.where(known, spread, 1.0)
        own = np.where(known, whole.residual / scale, 0.0)
        largest = np.sort(np.abs(drawn / scale * known).max(axis=1, initial=0.0))
        above = len(largest) - np.searchsorted(largest, np.abs(own) * (1 - 1e-12))
        p = np.maximum(p, (1 + above) / (1 + len(largest)))
        z = np.where(np.abs(own) < np.abs(z), own, z)
    return z, np.where(z == 0, 1.0, p)


# Whether preferences go round in circles more than noise makes them, which ones, and whose.


@dataclass(frozen=True)
class Contribution:
    """What one judge or item adds to a circle."""

    name: str  # of the judge or item
    share: float  # of the circle's excess (proportion; all of them sum to one, some are below zero)
    votes: float  # its decisive votes on the three pairs


@dataclass(frozen=True)
class Cycle:
    """Three systems of which each is preferred to the next more often than worths explain."""

    # in the order of preference, the last preferred to the first; the first by name begins
    systems: tuple[str, str, str]
    # share of decisive votes for each against the next (proportion)
    won: tuple[float, float, float]
    excess: float  # log-odds round the circle that no worths explain, to first order
    z: float  # the same over its spread in worlds without circles
    p: float  # adjusted for all circles of three
    # what judges add, the most first; empty where they are not known
    judges: tuple[Contribution, ...]
    items: tuple[Contribution, ...]  # likewise items

    @property
    def closed(self) -> bool:
        """Whether each is in fact preferred to the next, by more than half of the votes."""
        return min(self.won) > 0.5

    @property
    def says(self) -> str:
        """The circle in a sentence."""
        names = (*self.systems, self.systems[0])
        wins = [
            f"{names[i]} over {names[i + 1]} in {100 * share:.0f} %"
            for i, share in enumerate(self.won)
        ]
        kind = "circle" if self.closed else "no circle of majorities, yet more than worths explain"
        return f"{kind}: {listing(wins)} (p {format_p(self.p)} over all circles of three)"


@dataclass(frozen=True, repr=False)
class Cycles(InNotebooks):
    """How well worths alone describe preferences.

    Attributes:
        statistic: T, Pearson's X² over pairs.
        df: pairs less free worths.
        noise: mean of T in worlds without circles.
        p: share of such worlds with a T as large; of several ways of clustering the largest.
        share: of the variance of log-odds that goes round in circles, noise subtracted
            (proportion).
        ways: what clusters; empty where votes count one by one.
        order_effect: whether an advantage of the output shown first stood beside worths.
        worlds: worlds that were drawn.
        level: at which cycles are called real (proportion).
        cycles: the strongest circles of three that are more than noise.
        deviations: the pairs that worths describe worst, more than noise or not.
        headline: what must be known first, such as "about these 3 judges only".
        notes: what else should be known.
        signature: what made the numbers.

    """

    TABLE: ClassVar = "cycles"

    statistic: float
    df: int
    noise: float
    p: float | None
    share: float
    ways: tuple[str, ...]
    order_effect: bool
    worlds: int
    level: float
    cycles: tuple[Cycle, ...]
    deviations: tuple[Deviation, ...]
    headline: str | None
    notes: tuple[str, ...]
    signature: str

    @property
    def real(self) -> bool:
        """Whether there is more than noise."""
        return self.p is not None and self.p <= 1 - self.level

    @property
    def says(self) -> tuple[str, ...]:
        """The finding in sentences."""
        if self.p is None:
            return ("no cycles can be seen: compared pairs leave none open",)
        about = f"{self.headline}: " if self.headline else ""
        by = f"by {' and '.join(self.ways)}" if self.ways else "votes taken for independent"
        found = (
            f"X² {self.statistic:.1f} on {self.df} df, {self.noise:.1f} from noise alone,"
            f" p {format_p(self.p)} ({by})"
        )
        if not self.real:
            return (f"{about}no sign of cycles: worths describe the preferences; {found}",)
        share = "less than 1 %" if self.share < 0.01 else f"{100 * self.share:.0f} %"
        first = f"{about}cycles: {share} of the variance of log-odds goes round; {found}"
        none = () if self.cycles else ("no single circle of three stands out",)
        return (first, *none, *(one.says for one in self.cycles))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            **asdict(self),
            "excluded": write_excluded(self.excluded),
            "ways": list(self.ways),
            "notes": list(self.notes),
            "real": self.real,
            "says": list(self.says),
            "deviations": [asdict(one) for one in self.deviations],
            "cycles": [
                {**asdict(one), "closed": one.closed, "says": one.says} for one in self.cycles
            ],
        }

    def __str__(self) -> str:
        return "\n".join([*self.says, *self.notes, self.signature])


# Whether an advantage of the output shown first must stand beside worths when cycles are sought.
#
# A preference for one side makes circles where sides go round: a before b, b before c, c before a.
# Where lot decided who stood where it makes none.

BESIDE = "cycles are sought beside an advantage of the output shown first"
BLIND = (
    "cycles are sought without an advantage of the output shown first: what goes round may be a"
    " preference for one side"
)


def choose_sides(tally: Tally, *, asked: bool | None) -> tuple[bool, tuple[str, ...]]:
    """Return whether to fit an order effect, with notes why.

    asked: True or False; None to fit it where sides were not randomised. >>> import numpy as np >>>
        names, codes = ("a", "b", "c"), np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32) >>> won =
        np.full(3, 60.0) >>> tally = Tally(names, *codes.T, won, np.zeros(3), won / 2,
        n_judgments=270.0) >>> choose_sides(tally, asked=None)[0], choose_sides(tally,
        asked=False)[1][-1] == BLIND (True, True)
    """
    if asked or not tally.positions_known:
        return bool(asked), ()
    notes = note_sides(tally.systems, count_sides(tally))
    if not notes:
        return False, ()
    if asked is None:
        try:
            find_residuals(tally, order_effect=True)
        except (NotIdentified, NotConverged, UnknownOption):
            return False, (*notes, BLIND)
        return True, (*notes, BESIDE)
    return False, (*notes, BLIND)


# Circles of three systems: which are more than noise, and whose votes make them.

Integers = NDArray[np.int64]
MOST: Final = 50_000  # Most circles of three that are tested
NAMED: Final = 3  # Most circles that are named
MAX_JUDGES_LISTED: Final = 5  # Most judges and items that are listed for each
STEP: Final = 1_000  # Circles taken at once
_SIGNS: Final = np.array([1.0, 1.0, -1.0])


@dataclass(frozen=True, eq=False)
class Triples:
    """All circles of three whose pairs were compared."""

    systems: Integers  # (T, 3) codes i < j < k
    pairs: Integers  # (T, 3) number of the pairs ij, jk, ik

    def excess(self, odds: Array) -> Array:
        """Return (..., T): log-odds round each circle i, j, k, from those of pairs (..., P)."""
        return np.asarray((odds[..., self.pairs] * _SIGNS).sum(axis=-1))


def list_triples(whole: PairResiduals) -> Triples | None:
    """Return the circles, None where they are more than can be tested."""
    k = len(whole.systems)
    if k * (k - 1) * (k - 2) // 6 > MOST:
        return None
    number = np.full((k, k), -1, dtype=np.int64)
    number[whole.first, whole.second] = np.arange(len(whole.first))
    found = np.array(list(combinations(range(k), 3)), dtype=np.int64).reshape(-1, 3)
    i, j, m = found.T
    pairs = np.stack([number[i, j], number[j, m], number[i, m]], axis=1)
    seen = (pairs >= 0).all(axis=1)
    return Triples(found[seen], pairs[seen])


def weigh_triples(
    whole: PairResiduals, triples: Triples, worlds: Sequence[Array]
) -> tuple[Array, Array]:
    """Return (T,) z of each circle and (T,) p, adjusted by the largest |z| of every world.

    worlds: (B, P) residuals of worlds without circles, for each way of clustering; the least sure
        of them counts.
    """
    observed = triples.excess(whole.residual / whole.weight)
    z, p = np.full(len(observed), np.inf), np.zeros(len(observed))
    for drawn in worlds:
        own, largest = _scale(triples, observed, drawn / whole.weight)
        above = len(largest) - np.searchsorted(np.sort(largest), np.abs(own) * (1 - 1e-12))
        p = np.maximum(p, (1 + above) / (1 + len(largest)))
        z = np.where(np.abs(own) < np.abs(z), own, z)
    return z, p


def _scale(triples: Triples, observed: Array, odds: Array) -> tuple[Array, Array]:
    """Return (T,) z by the spread over worlds, and (B,) the largest |z| of each world."""
    z, largest = np.zeros(len(observed)), np.zeros(len(odds))
    for start in range(0, len(observed), STEP):
        rows = slice(start, start + STEP)
        drawn = Triples(triples.systems[rows], triples.pairs[rows]).excess(odds)
        spread = np.sqrt((drawn**2).mean(axis=0))
        known = spread > 0
        z[rows][known] = observed[rows][known] / spread[known]
        if known.any():
            largest = np.maximum(largest, np.abs(drawn[:, known] / spread[known]).max(axis=1))
    return z, largest


def name_cycles(
    whole: PairResiduals, tally: Tally, found: tuple[Triples, Array, Array], level: float
) -> tuple[Cycle, ...]:
    """Return the strongest circles that are more than noise, with those whose votes make them."""
    _, z, p = found
    chosen = [
        at for at in np.argsort(-np.abs(z), kind="stable")[:NAMED].tolist() if p[at] <= 1 - level
    ]
    if not chosen:
        return ()
    names = [name for name in ("judge", "item") if name in tally.factors]
    ways = [name for name in names if len(tally.factors[name].labels) > 1]
    return tuple(_name_triples(whole, tally, found, at, ways) for at in chosen)


def _name_triples(
    whole: PairResiduals,
    tally: Tally,
    found: tuple[Triples, Array, Array],
    at: int,
    ways: Sequence[str],
) -> Cycle:
    triples, z, p = found
    one = Triples(triples.systems[at : at + 1], triples.pairs[at : at + 1])
    excess = float(one.excess(whole.residual / whole.weight)[0])
    sign = 1.0 if excess > 0 else -1.0
    i, j, k = (whole.systems[code] for code in one.systems[0].tolist())
    ij, jk, ik = (whole.won[one.pairs[0]] / whole.total[one.pairs[0]]).tolist()
    forward = sign > 0
    shares = {name: _share(whole, tally, name, one) for name in ways}
    return Cycle(
        systems=(i, j, k) if forward else (i, k, j),
        won=(ij, jk, 1 - ik) if forward else (ik, 1 - jk, 1 - ij),
        excess=abs(excess),
        z=abs(float(z[at])),
        p=float(p[at]),
        judges=shares.get("judge", ()),
        items=shares.get("item", ()),
    )


def _share(whole: PairResiduals, tally: Tally, name: str, one: Triples) -> tuple[Contribution, ...]:
    """Return who adds most to a circle; residuals of judges sum to those of all."""
    pairs = one.pairs[0]
    parts = split_some(whole, tally, name, pairs) / whole.weight[pairs]
    own = Triples(one.systems, np.arange(3)[None]).excess(parts)[:, 0]
    size, factor = len(tally.systems), tally.factor(name)
    keys = (whole.first * size + whole.second)[pairs]
    low, high = np.minimum(tally.left, tally.right), np.maximum(tally.left, tally.right)
    there = np.isin(low.astype(np.int64) * size + high, keys)
    votes = np.bincount(factor.codes[there], (tally.wins + tally.losses)[there], factor.size)
    order = np.argsort(-own * np.sign(own.sum()), kind="stable")[:MAX_JUDGES_LISTED]
    total = float(own.sum())
    return tuple(
        Contribution(factor.labels[g], float(own[g] / total), float(votes[g]))
        for g in order.tolist()
        if own[g] / total > 0
    )


# Cycles: do preferences go round in circles, more than noise makes them, and whose votes do?
#
# The part of the log-odds of pairs that no worths explain goes round in circles (HodgeRank: Jiang,
# Lim, Yao & Ye 2011, Mathematical Programming 127:203-244). Noise makes some of it, and judges with
# tastes make more: raw counts of circles show nothing. Here the statistic T = Σ r²/w is set beside
# worlds without circles in which judges, items and both together keep their residuals with random
# signs; only where judges are not known are votes drawn one by one (INFERENCE B9). T also says how
# well the Bradley-Terry model fits.
#
# When not to use it: to choose a model. Cycles can be real and too small to foresee anything by.


@carries_excluded("controls")
def find_cycles(
    data: Comparisons | Rankings,
    *,
    cluster: str | None = None,
    order_effect: bool | None = None,
    level: float = 0.95,
    seed: int = SEED,
) -> Cycles:
    """Ask whether preferences go round in circles more than noise makes them.

    Args:
        data: comparisons or rankings of one task; ties are left out.
        cluster: judgments that hang together, as in `rank`; by default what the data have.
        order_effect: whether the output shown first may have an advantage that makes no cycle; by
            default where sides were not randomised.
        level: at which cycles are called real (proportion).
        seed: of the worlds.

    Raises:
        UnknownOption: several tasks, or importance weights without judges.
        NotIdentified: decisive votes determine no worths or, if asked for, no order effect; or
            clusters were asked for of which there is only one.
        UnknownColumn: a column of the clusters that were asked for is not there.
        InvalidJudgments: neither comparisons nor rankings; says what to do.

    >>> import evenhand, pandas as pd
    >>> round_ = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    >>> rows = [(*pair, "left") for pair in round_] * 15 + [(*pair, "right") for pair in round_] * 5
    >>> turned = {"left": "right", "right": "left"}
    >>> rows += [(other, one, turned[outcome]) for one, other, outcome in rows]
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> found = evenhand.find_cycles(votes)
    >>> found.real, found.cycles[0].systems
    (True, ('paper', 'rock', 'scissors'))
    """
    require_level(level)
    require_seed(seed)
    table = require_pairs(data, "cycles are sought in comparisons or rankings, not in")
    if len(table.tasks()) > 1:
        raise UnknownOption("cycles are of one board: choose a task")
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    wanted_factors(cluster, set(present))
    tally = table.tally(by=present)
    if table.rankings is not None:
        tally = replace(tally, positions_known=False)
    with one_blas_thread():
        sided, notes = choose_sides(tally, asked=order_effect)
        found = look_for_cycles(tally, level, seed, cluster=cluster, order_effect=sided)
    return replace(found, notes=(*say_left_out(data, table), *notes, *found.notes))


def look_for_cycles(
    tally: Tally,
    level: float,
    seed: int,
    *,
    cluster: str | None = None,
    order_effect: bool = False,
) -> Cycles:
    """Ask the same of counts.

    level: at which cycles are called real (proportion).
    """
    whole, _ = find_residuals(tally, order_effect=order_effect)
    evidence = merge_evidence(tally)
    rng = Generator(PCG64(SeedSequence(seed)))
    worlds, chosen = draw_worlds(whole, evidence, _choose(cluster, evidence), rng)
    bare = whole.df <= 0
    p = None if bare else worlds.p(whole)
    real = p is not None and p <= 1 - level
    drawn = list(worlds.drawn.values())
    cycles, notes = _name_pairs(whole, tally, drawn, level) if real else ((), ())
    return Cycles(
        statistic=whole.statistic,
        df=whole.df,
        noise=worlds.noise(whole),
        p=p,
        share=0.0 if bare else find_share(whole, worlds),
        ways=worlds.ways,
        order_effect=order_effect,
        worlds=WORLDS,
        level=level,
        cycles=cycles,
        deviations=() if bare else list_deviations(whole, drawn),
        headline=chosen.headline,
        notes=(*chosen.notes, *notes),
        signature=_sign(tally, worlds, seed, order_effect=order_effect),
    )


def _sign(tally: Tally, worlds: Worlds, seed: int, *, order_effect: bool) -> str:
    by = "+".join(worlds.ways)
    parts = ["cycles", *(["order effect"] if order_effect else [])]
    parts += [f"wild by {by}" if by else "parametric", f"B={WORLDS}", f"seed={seed}"]
    return write_signature(parts, tally.n_judgments, tally.digest)


def find_share(whole: PairResiduals, worlds: Worlds) -> float:
    """Return the share of the variance of log-odds that goes round, noise subtracted from both."""
    round_ = max(0.0, whole.statistic - worlds.noise(whole))
    along_worths = max(0.0, whole.explained - worlds.spurious)
    return round_ / (round_ + along_worths) if round_ else 0.0


def _choose(cluster: str | None, evidence: Evidence) -> Clustering:
    return choose_ways(evidence) if cluster is None else choose_clustering(cluster, evidence)


def _name_pairs(
    whole: PairResiduals, tally: Tally, worlds: list[Array], level: float
) -> tuple[tuple[Cycle, ...], tuple[str, ...]]:
    """Return circles of three that are more than noise."""
    triples = list_triples(whole)
    if triples is None:
        return (), ("circles of three are too many to be tested: rank fewer systems",)
    if not len(triples.systems):
        return (), ()
    z, p = weigh_triples(whole, triples, worlds)
    return name_cycles(whole, tally, (triples, z, p), level), ()


# Circles of three majorities: are they more than chance makes of each of the three?

CONFIDENCE: Final = 0.95  # Of each majority, one-sided


def find_sure_circle(cycles: Cycles, tally: Tally) -> Cycle | None:
    """Return the strongest circle whose three majorities are all sure; None where there is none.

    Nothing is sure where pairs deviate from worths no more than by chance.
    """
    if not cycles.real:
        return None
    closed = (one for one in cycles.cycles if one.closed)
    return next((one for one in closed if is_sure(one, tally)), None)


def is_sure(one: Cycle, tally: Tally) -> bool:
    """Whether each of the three majorities is more than chance makes, one-sided at .05.

    A share p of n votes of equals is about normal with mean 1/2 and standard deviation 1/(2 √n).

    tally: the judgments, their votes taken for independent. >>> import numpy as np >>> codes, won =
        np.array([[0, 1], [1, 2], [2, 0]], dtype=np.int32), np.full(3, 30.0) >>> tally = Tally(("a",
        "b", "c"), *codes.T, won, np.zeros(3), won / 2) >>> [is_sure(Cycle(("a", "b", "c"), (p, p,
        p), 0, 0, 0, (), ()), tally) for p in (0.61, 0.64)] [False, True]
    """
    enough = normal_quantile(CONFIDENCE)
    return all(
        (share - 0.5) * 2 * _count_votes(tally, one.systems[at], one.systems[(at + 1) % 3]) ** 0.5
        >= enough
        for at, share in enumerate(one.won)
    )


def _count_votes(tally: Tally, first: str, second: str) -> float:
    """Return the decided comparisons of two systems."""
    one, two = tally.systems.index(first), tally.systems.index(second)
    at = ((tally.left == one) & (tally.right == two)) | ((tally.left == two) & (tally.right == one))
    return float((tally.wins + tally.losses)[at].sum())


POWER: Final = 0.8  # Chance with which something is to show


def find_visible(cycles: Cycles, tally: Tally) -> float | None:
    """Return by how much pairs must be off, typically, to show with a chance of .8 (proportion).

    Returns about that much, at most 1/2; None where nothing could be seen, however far pairs are
        off.
    """
    if cycles.p is None:
        return None
    from scipy.special import chdtri, chndtrinc

    decided = tally.wins + tally.losses
    low, high = np.minimum(tally.left, tally.right), np.maximum(tally.left, tally.right)
    keys = low.astype(np.int64) * len(tally.systems) + high
    pairs = len(np.unique(keys[decided > 0]))
    shift = float(chndtrinc(chdtri(cycles.df, 1 - cycles.level), cycles.df, 1 - POWER))
    spread = cycles.noise / cycles.df
    visible = float(np.sqrt(shift * spread * pairs / (4 * decided.sum() * cycles.df)))
    return visible if visible <= 0.5 else None
