"""Is one of two systems preferred? The sign test, with every usual way to treat ties.

When not to use it: where judges or items give many answers each, every p-value of this module is
too small; `evenhand.find_preferences` has clustered ones beside.
"""

# Of n comparisons n+ prefer the first system, n− the second, n0 neither. If nobody prefers:
#
# ignore           n+ ~ Binomial(n+ + n−, ½): exact, with the Clopper-Pearson interval
# ignore-normal    against:0, McNemar's test without continuity correction
# split            split:0.5, an odd tie dropped
# split:S          n+ + ⌊S n0⌋ ~ Binomial(n, ½), one tie dropped if S n0 is not whole: exact
# split-normal     z = (n+ − n−) / √n: ties as half a success
# against          split:0, n+ ~ Binomial(n, ½): a tie speaks against the system to be better
# half-against     against:0.5
# against:K        z = (n+ − n− − K n0) / √(n+ + n− + K² n0): a tie is K of a vote against
# trinomial        n+ − n− under a chance of n0/n for a tie (Bian, McAleer & Wong 2011)
#
# against:K tests P(first) − P(second) ≤ K P(tie), the chance of a tie within the hypothesis
# (Randles 2001, by his abstract); split:S assigns the ties before the test (partitioned ties of
# Rayner & Best 2001, by the contents of their chapter 2). K and S are left to the problem, as Dras
# says of both; ½ for K is a choice of this code.
#
# Sources: Dras (2015) section 3; Sprent & Smeeton (2007) section 5.2; Randles (2001), American
# Statistician 55:96-101; Rayner & Best (2001), A Contingency Table Approach to Nonparametric
# Testing; Bian, McAleer & Wong (2011), Mathematics and Computers in Simulation 81:1153-1160.

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from evenhand.errors import InvalidJudgments, UnknownOption, require_option
from evenhand.numerics import Array, distributions

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
    tail: Tail  # P(evidence for the first at least this strong), from (n,) counts of answers
    score: Tail | None  # (n,) standard normal statistic from the same, where there is one
    assumes: tuple[str, ...]  # beside the independence of comparisons
    ignores: tuple[str, ...]  # what of the answers plays no part
    even: bool = True  # whether a tie speaks for both systems alike

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
    z: float | None  # standard normal statistic of the normal variants, if anything was decided
    p: float  # two-sided p-value
    greater: float  # one-sided p-value: is the first system preferred?
    interval: tuple[float, float] | None  # Clopper-Pearson (.95), of decided ones; of `ignore`
    assumes: tuple[str, ...]  # what the p-value rests on
    ignores: tuple[str, ...]  # what it does not look at


def sign_test(better: int, ties: int, worse: int, *, variant: str = "ignore") -> SignTest:
    chosen = choose_variant(variant)
    counts = np.array([[better], [ties], [worse]], dtype=np.float64)
    check_counts(counts)
    of, z = better + worse, None
    if chosen.score is not None and of > 0:
        z = float(chosen.score(*counts)[0])
    exact = distributions.clopper_pearson(better, of, 0.95) if variant == "ignore" else None
    return SignTest(
        variant=variant,
        title=chosen.title,
        better=int(better),
        ties=int(ties),
        worse=int(worse),
        z=z,
        p=float(chosen.two_sided(*counts)[0]),
        greater=float(chosen.tail(*counts)[0]),
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


def _trinomial(better: Array, ties: Array, worse: Array) -> Array:
    n = better + ties + worse
    kinds, place = np.unique(np.stack([better - worse, n, ties]), axis=1, return_inverse=True)
    tails = [distributions.trinomial_tail(*map(int, kind)) for kind in kinds.T.tolist()]
    return np.array(tails)[place.reshape(-1)]


_TIES: Final = "ties"
_HALVES: Final = "half of those who tied would have preferred the one system, half the other"
_WHOLE: Final = "a tie is as good as a preference for the other system"
_SHARE: Final = "the chance of a tie is the observed share, the same for every comparison"
_MANY: Final = "enough comparisons for the normal distribution"
_MANY_DECIDED: Final = "enough decided comparisons for the normal distribution"


Of = tuple[str, ...]


def _by_score(title: str, score: Tail, assumes: Of, ignores: Of, *, even: bool = True) -> Variant:
    def tail(better: Array, ties: Array, worse: Array) -> Array:
        from scipy.special import ndtr

        return np.asarray(ndtr(-score(better, ties, worse)))

    return Variant(title, tail, score, assumes, ignores, even)


def _weigh_against(weight: float, title: str, assumes: Of, ignores: Of = (_SIZE,)) -> Variant:
    def score(better: Array, ties: Array, worse: Array) -> Array:
        squares = better + worse + weight**2 * ties
        return np.asarray((better - worse - weight * ties) / np.sqrt(np.maximum(squares, 1e-300)))

    return _by_score(title, score, assumes, ignores, even=weight == 0)


def _split(share: float, title: str, *assumes: str) -> Variant:
    def tail(better: Array, ties: Array, worse: Array) -> Array:
        own, others = (np.floor(part * ties + _ROUNDING) for part in (share, 1 - share))
        return _upper(better + own, better + worse + own + others)

    return Variant(title, tail, None, assumes, (_SIZE,), even=share == 0.5)


_upper = distributions.upper_tail
_ROUNDING: Final = 1e-9  # of a share times a count

# Treatment of ties by the name that users ask for; of counts b better, t ties and w worse
VARIANTS: Final[Mapping[str, Variant]] = {
    "ignore": Variant(
        "ties ignored, exact", lambda b, _, w: _upper(b, b + w), None, (_COIN,), (_TIES, _SIZE)
    ),
    "ignore-normal": _weigh_against(
        0, "ties ignored, normal", (_COIN, _MANY_DECIDED), (_TIES, _SIZE)
    ),
    "split": _split(0.5, "ties split, exact", _COIN, _HALVES),
    "split-normal": _by_score(
        "ties split, normal",
        lambda b, t, w: (b - w) / np.sqrt(b + t + w),
        (_HALVES, _MANY),
        (_SIZE,),
    ),
    "against": _split(0, "ties against, exact", _WHOLE),
    "half-against": _weigh_against(
        0.5,
        "ties half against, normal",
        ("a tie counts half as much as a preference for the other system", _MANY),
    ),
    "trinomial": Variant("trinomial", _trinomial, None, (_SHARE,), (_SIZE,)),
}
CHOICES: Final = (*VARIANTS, "split:SHARE", "against:WEIGHT")


def choose_variant(name: str) -> Variant:
    """Return the treatment of ties by its name, or one such as split:0.25 or against:0.3."""
    kind, mark, number = name.partition(":")
    if not mark or kind not in ("split", "against"):
        require_option("ties_as", name, CHOICES)
        return VARIANTS[name]
    try:
        part = float(number)
    except ValueError:
        part = np.nan
    if not 0 <= part <= 1:
        raise UnknownOption(f"ties_as cannot be '{name}': give a number from 0 to 1, as {kind}:0.3")
    if kind == "against":
        counts = f"a tie counts {part:g} of a preference for the other system"
        return _weigh_against(part, f"ties {part:g} against, normal", (counts, _MANY))
    means = f"of those who tied {part:g} would have preferred the first system"
    return _split(part, f"ties split {part:g} to {1 - part:g}, exact", _COIN, means)
