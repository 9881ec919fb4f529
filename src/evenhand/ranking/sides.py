"""Whether a preference for one side may be in worths, since sides were not randomised.

`find_one_sided` decides for `rank`, `models`, `compare` and `bias` alike what is said of sides, and
whether an order effect can be separated from the worths. Where no pair was shown in both orders it
cannot: what is left to estimate it is that log-worths add up over pairs, which nobody saw. Of
rankings nothing is said: who stands first of two outputs is not drawn pair by pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, pi
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evenhand.data.tally import Tally
from evenhand.errors import listing
from evenhand.numerics import Array, Integers
from evenhand.ranking.texts import say
from evenhand.render.document import Finding

if TYPE_CHECKING:
    from evenhand.data.votes import Votes

# What the votes between two systems alone say, however often one looks.
#
# With S and F votes that preferred s and t to each other, ties left aside,
#
# B_st = ∫_{½}^{1} p^S (1 − p)^F dπ(p) / 2^{−(S+F)}
# = 2 · I_½(5 + F, 5 + S) · B(5 + S, 5 + F) / B(5, 5) · 2^{S+F},
#
# π being Beta(5, 5) cut to p > ½ and I the regularised incomplete beta function. It is 1 at first
# and a supermartingale wherever each of these votes prefers s with a chance of at most ½ given the
# past: a mixture of likelihood ratios (Robbins 1970, Annals of Mathematical Statistics
# 41:1397-1409). It needs no model of the other pairs.


PRIOR: Final = 5.0  # Both parameters of the Beta distribution


def log_direct(wins: Array, losses: Array) -> Array:
    """Return log B_st (nats) of (n,) votes for s and, no more of them, for t."""
    from scipy.special import betainc, betaln

    above = betainc(PRIOR + losses, PRIOR + wins, 0.5)
    mixed = betaln(PRIOR + wins, PRIOR + losses) - betaln(PRIOR, PRIOR)
    return np.asarray(np.log(2 * above) + mixed + (wins + losses) * np.log(2))


# Did lot decide who stood on which side? A preference for one side else counts as worth.
#
# Of n votes in which a system, or one of a pair, took part it stood first in L. Where each side is
# randomised, whatever was answered before,
#
# E = ∫_0^1 p^L (1 − p)^(n − L) dπ(p) / 2^{−n} = B(5 + L, 5 + n − L) 2^n / B(5, 5),
#
# π being Beta(5, 5), is a martingale that begins at 1 (Robbins 1970, as in `direct`). All systems
# and all pairs share one chance in twenty that any of them is ever named without cause, however
# often one looks.

Pair = tuple[int, int]
# Codes of what stood first and of the other, and in how many votes
SideCounts = tuple[Integers, Integers, Array]

STIRLING_STEPS: Final = 5
HALF_LOG_2PI: Final = log(2 * pi) / 2
ALPHA: Final = 0.05  # The chance that randomised sides are ever said not to be


def log_one_sided(first: Array, second: Array) -> Array:
    """Return log E (nats) of standing first so often and second so often."""
    mixed = _log_beta(PRIOR + first, PRIOR + second) - _log_beta(PRIOR, PRIOR)
    return np.asarray(mixed + (first + second) * np.log(2))


def note_sides(
    systems: Sequence[str], shown: Mapping[Pair, Sequence[int]] | SideCounts
) -> tuple[Finding, ...]:
    named = name_sides(systems, shown)
    return (say("one-sided", who=named),) if named else ()


def name_sides(systems: Sequence[str], shown: Mapping[Pair, Sequence[int]] | SideCounts) -> str:
    """Name the systems, or else the pairs, that stood on one side too often; "" where none did."""
    seen, enough = shown, _find_limit(len(systems))
    if not isinstance(seen, tuple):
        left, right = np.array([*seen], dtype=np.int64).reshape(-1, 2).T
        seen = left, right, np.array([sum(counts) for counts in seen.values()], dtype=np.float64)
    k, (first, second) = len(systems), count_systems(len(systems), seen)
    named = {i: f"{one} stood first" for i, one in enumerate(systems)}
    sure = _find_sure(first, second, enough)
    if not sure:
        keys, first, second = count_pairs(k, seen)
        sure = _find_sure(first, second, enough)
        named = {i: f"{systems[keys[i] // k]} stood before {systems[keys[i] % k]}" for i in sure}
    many = [(named[i], first[i], first[i] + second[i]) for i in sure]
    return listing([f"{name} in {stood:,.0f} of {of:,.0f} votes" for name, stood, of in many], 2)


def _find_limit(k: int) -> float:
    """Return the evidence (nats) beyond which one of all systems and pairs is named."""
    return log(k + k * (k - 1) // 2) - log(ALPHA) if k > 1 else np.inf


def count_systems(k: int, seen: SideCounts) -> tuple[Array, Array]:
    """Return (K,) in how many votes each system stood first, and (K,) in how many second."""
    left, right, votes = seen
    stood = np.bincount(left, votes, minlength=k).astype(np.float64)
    return stood, np.bincount(right, votes, minlength=k).astype(np.float64)


def count_pairs(k: int, seen: SideCounts) -> tuple[Integers, Array, Array]:
    """Return k · lower + higher code of P pairs, and how often the lower stood first and second."""
    left, right, votes = seen
    keys, at = np.unique(np.minimum(left, right) * k + np.maximum(left, right), return_inverse=True)
    stood = np.bincount(at, votes * (left < right), minlength=len(keys)).astype(np.float64)
    other = np.bincount(at, votes * (left > right), minlength=len(keys)).astype(np.float64)
    return keys, stood, other


def _find_sure(first: Array, second: Array, enough: float) -> list[int]:
    """Return the places of what stood on one side too often, the surest first."""
    able = np.flatnonzero((first + second) * log(2) >= enough)  # E is 2^n at most
    sure = log_one_sided(first[able], second[able])
    order = np.argsort(-sure, kind="stable")
    return able[order[: int((sure >= enough).sum())]].tolist()  # type: ignore[no-any-return]


def _log_beta(a: Array | float, b: Array | float) -> Array:
    return np.asarray(_log_gamma(a) + _log_gamma(b) - _log_gamma(np.add(a, b)))


def _log_gamma(values: Array | float) -> Array:
    """Return ln Γ of numbers of at least 5: Stirling's series, five steps further up."""
    x = np.asarray(values, dtype=np.float64)
    steps = np.log(x * (x + 1) * (x + 2)) + np.log((x + 3) * (x + 4))
    z = x + STIRLING_STEPS
    inverse = 1 / (z * z)
    far = 1 / 1260 - inverse * (1 / 1680 - inverse / 1188)
    series = (1 / 12 - inverse * (1 / 360 - inverse * far)) / z
    return np.asarray((z - 0.5) * np.log(z) - z + HALF_LOG_2PI + series - steps)


# What stands beside a claim that rests on such comparisons
LIMIT = "may include position bias, since sides were not randomised"
REMEDY = "show pairs in both orders"
# Share of votes on one side, of a system or a pair, from which that stands beside the claim
UNEVEN = 0.6


@dataclass(frozen=True)
class OneSided:
    notes: tuple[Finding, ...] = ()  # that they were not; empty where chance explains them
    # whether they were so far from random that a preference for one may carry a claim. In very
    # many votes also a share of 51 % is not explained by chance; a note says so, and no more.
    uneven: bool = False
    named: str = ""  # who stood on one side too often, with counts; empty where chance explains it
    both_orders: float = 1.0  # share of comparisons of pairs shown in both orders; or 1

    @property
    def separable(self) -> bool:
        """Whether an order effect can be separated from the worths."""
        return self.both_orders > 0


def find_one_sided(tally: Tally, model: Any, *, of_pairs: bool | None = None) -> OneSided:
    """Return what is to be said of sides; `of_pairs`: whether answers are no rankings."""
    if not tally.positions_known:
        return OneSided()
    of_pairs = tally.of_pairs if of_pairs is None else of_pairs
    return _judge(tally.systems, count_sides(tally), model, of_pairs=of_pairs)


def find_one_sided_votes(votes: Votes) -> OneSided:
    if not votes.positions_known:
        return OneSided()
    seen = votes.left.astype(np.int64), votes.right.astype(np.int64), np.ones(votes.size)
    return _judge(votes.systems, seen, None, of_pairs=votes.answer is None)


def _judge(systems: tuple[str, ...], seen: SideCounts, model: Any, *, of_pairs: bool) -> OneSided:
    k = len(systems)
    _, stood, other = count_pairs(k, seen)
    n = stood + other
    both = float(n[(stood > 0) & (other > 0)].sum() / n.sum()) if n.sum() > 0 else 0.0
    if not of_pairs:
        return OneSided(both_orders=both)
    if getattr(model, "order_effect", False):
        notes = () if both > 0 else (say("inseparable", "warning"),)
        return OneSided(notes, both <= 0, both_orders=both)
    named = name_sides(systems, seen)
    if not named:
        return OneSided(both_orders=both)
    uneven = any(
        max(first[i], second[i]) / (first[i] + second[i]) >= UNEVEN
        for first, second in (count_systems(k, seen), (stood, other))
        for i in _find_sure(first, second, _find_limit(k))
    )
    severity = "warning" if uneven else "note"
    note = say("one-sided" if both > 0 else "one-order", severity, who=named)
    return OneSided((note,), uneven, named, both)


def count_sides(tally: Tally) -> SideCounts:
    """Return votes by who stood first; importance weights as the votes that they are worth."""
    pooled = tally.pool()
    votes = pooled.counts.sum(axis=1)
    if pooled.squares is not None:
        votes = votes * (votes.sum() / pooled.squares.sum())
    left, right = (side.astype(np.int64) for side in (pooled.left, pooled.right))
    return left, right, votes.round()


def have_pairs_own_sides(k: int, seen: SideCounts) -> bool:
    """Whether pairs taken together keep to one order each more than chance explains."""
    # Of five votes on a pair all in one order say little, of five on each of a hundred pairs much.
    # The evidence of pairs multiplies, since sides are drawn for each by itself.
    _, stood, other = count_pairs(k, seen)
    return bool(log_one_sided(stood, other).sum() >= -np.log(ALPHA))
