"""Is one of two systems preferred? The sign test, with every usual way to treat ties.

Of n comparisons n+ prefer the first system, n− the second, n0 neither. If nobody prefers, each
decided comparison is a fair coin:

    ignore           n+ ~ Binomial(n+ + n−, ½): exact, with the Clopper-Pearson interval
    ignore-normal    z = (n+ − n−) / √(n+ + n−): McNemar's test without continuity correction
    split            n+ + ⌊n0/2⌋ ~ Binomial(n, ½), an odd tie dropped: exact
    split-normal     z = (n+ − n−) / √n: ties as half a success
    against          n+ ~ Binomial(n, ½): a tie speaks against the system that is to be better
    trinomial        n+ − n− under a chance of n0/n for a tie (Bian, McAleer & Wong 2011)

Sources: Dras (2015) section 3; Sprent & Smeeton (2007) section 5.2; Randles (2001), American
Statistician 55:96-101; Bian, McAleer & Wong (2011), Mathematics and Computers in Simulation
81:1153-1160. When not to use it: where judges or items give many answers each, the comparisons are
no independent coins and every one of these p-values is too small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, require_option
from evenhand.numerics.binomial import clopper_pearson, trinomial_tail, upper_tail

Array = NDArray[np.float64]
Tail = Callable[[Array, Array, Array], Array]

INDEPENDENT: Final = "all comparisons are independent"
_COIN: Final = "every decided comparison has the same chance"
_SIZE: Final = "how much the systems differ (no odds)"


@dataclass(frozen=True)
class Variant:
    """A treatment of ties.

    Attributes:
        name: as it is asked for.
        title: in a few words.
        tail: P(evidence for the first system at least this strong), from (n,) counts of
            preferences for the first, ties and preferences for the second.
        score: (n,) standard normal statistic from the same, where there is one.
        assumes: beside the independence of comparisons.
        ignores: what of the answers plays no part.

    """

    name: str
    title: str
    tail: Tail
    score: Tail | None
    assumes: tuple[str, ...]
    ignores: tuple[str, ...]

    def two_sided(self, better: Array, ties: Array, worse: Array) -> Array:
        """Return (n,) p-values against both directions: twice the smaller tail, at most 1."""
        tails = np.minimum(self.tail(better, ties, worse), self.tail(worse, ties, better))
        return np.asarray(np.minimum(2 * tails, 1.0))


@dataclass(frozen=True)
class SignTest:
    """One sign test of one pair.

    Attributes:
        variant: the treatment of ties, by name.
        title: the same in a few words.
        better: comparisons that prefer the first system.
        ties: comparisons that prefer neither.
        worse: comparisons that prefer the second.
        z: standard normal statistic of the normal variants, else None (also with nothing decided).
        p: two-sided p-value.
        greater: one-sided p-value: is the first system preferred?
        interval: Clopper-Pearson interval (.95) of the chance of the first system among decided
            comparisons; only of `ignore`.
        assumes: what the p-value rests on.
        ignores: what it does not look at.

    """

    variant: str
    title: str
    better: int
    ties: int
    worse: int
    z: float | None
    p: float
    greater: float
    interval: tuple[float, float] | None
    assumes: tuple[str, ...]
    ignores: tuple[str, ...]


def sign_test(better: int, ties: int, worse: int, *, variant: str = "ignore") -> SignTest:
    """Test whether one of two systems is preferred.

    Args:
        better: comparisons that prefer the first system.
        ties: comparisons that prefer neither.
        worse: comparisons that prefer the second.
        variant: ignore | ignore-normal | split | split-normal | against | trinomial.

    Raises:
        UnknownOption: there is no such variant.
        InvalidJudgments: counts that are negative or no whole numbers, or no comparison at all.

    Counts of ModPref, Dras (2015), Figure 1(c):

    >>> test = sign_test(61, 24, 35)
    >>> round(test.p, 4), test.assumes
    (0.0103, ('all comparisons are independent', 'every decided comparison has the same chance'))
    >>> round(sign_test(61, 24, 35, variant="trinomial").p, 4)
    0.0091
    """
    require_option("variant", variant, tuple(VARIANTS))
    chosen = VARIANTS[variant]
    counts = np.array([[better], [ties], [worse]], dtype=np.float64)
    check_counts(counts)
    n_better, n_ties, n_worse = counts
    z = None
    if chosen.score is not None and (better + worse > 0):
        z = float(chosen.score(n_better, n_ties, n_worse)[0])
    exact = clopper_pearson(better, better + worse, 0.95) if variant == "ignore" else None
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
    """Return every variant of the test of one pair, to be read side by side.

    Raises:
        InvalidJudgments: counts that are negative or no whole numbers, or no comparison at all.

    >>> [f"{one.variant} {one.p:.4f}" for one in sign_tests(83, 77, 39)][:3]
    ['ignore 0.0001', 'ignore-normal 0.0001', 'split 0.0022']
    """
    return tuple(sign_test(better, ties, worse, variant=name) for name in VARIANTS)


def check_counts(counts: Array) -> None:
    """Refuse what cannot be counts of comparisons.

    Args:
        counts: (3, n) better, ties, worse.

    Raises:
        InvalidJudgments: says what is wrong.
        UnknownOption: fractions, which only importance weights make.

    """
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise InvalidJudgments("sign tests need counts of comparisons: none may be negative")
    if (counts % 1 != 0).any():
        raise UnknownOption(
            "sign tests count comparisons, and importance weights are no counts: read the file"
            " without them, or use rank, which allows for them"
        )
    if not counts.sum(axis=0).all():
        raise InvalidJudgments("there is no comparison of the two systems: nothing to test")


def _ignore(better: Array, ties: Array, worse: Array) -> Array:  # noqa: ARG001 - as every variant
    return upper_tail(better, better + worse)


def _ignore_score(better: Array, ties: Array, worse: Array) -> Array:  # noqa: ARG001 - the same
    decided = better + worse
    return np.asarray((better - worse) / np.sqrt(np.where(decided > 0, decided, 1.0)))


def _split(better: Array, ties: Array, worse: Array) -> Array:
    return upper_tail(better + ties // 2, better + worse + 2 * (ties // 2))


def _split_score(better: Array, ties: Array, worse: Array) -> Array:
    return np.asarray((better - worse) / np.sqrt(better + ties + worse))


def _against(better: Array, ties: Array, worse: Array) -> Array:
    return upper_tail(better, better + ties + worse)


def _trinomial(better: Array, ties: Array, worse: Array) -> Array:
    n = better + ties + worse
    kinds, place = np.unique(np.stack([better - worse, n, ties]), axis=1, return_inverse=True)
    tails = [trinomial_tail(*map(int, kind)) for kind in kinds.T.tolist()]
    return np.array(tails)[place.reshape(-1)]


def _normal(score: Tail) -> Tail:
    """Return the upper tail of a normal statistic."""

    def tail(better: Array, ties: Array, worse: Array) -> Array:
        from scipy.special import ndtr

        return np.asarray(ndtr(-score(better, ties, worse)))

    return tail


_TIES: Final = "ties"
_HALVES: Final = "half of those who tied would have preferred the one system, half the other"

VARIANTS: Final[Mapping[str, Variant]] = {
    one.name: one
    for one in (
        Variant("ignore", "ties ignored, exact", _ignore, None, (_COIN,), (_TIES, _SIZE)),
        Variant(
            "ignore-normal",
            "ties ignored, normal",
            _normal(_ignore_score),
            _ignore_score,
            (_COIN, "enough decided comparisons for the normal distribution"),
            (_TIES, _SIZE),
        ),
        Variant("split", "ties split, exact", _split, None, (_COIN, _HALVES), (_SIZE,)),
        Variant(
            "split-normal",
            "ties split, normal",
            _normal(_split_score),
            _split_score,
            (_HALVES, "enough comparisons for the normal distribution"),
            (_SIZE,),
        ),
        Variant(
            "against",
            "ties against, exact",
            _against,
            None,
            ("a tie is as good as a preference for the other system",),
            (_SIZE,),
        ),
        Variant(
            "trinomial",
            "trinomial",
            _trinomial,
            None,
            ("the chance of a tie is the observed share, the same for every comparison",),
            (_SIZE,),
        ),
    )
}
