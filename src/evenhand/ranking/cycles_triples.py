"""Circles of three systems: which are more than noise, and whose votes make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Tally
from evenhand.ranking.cycles_residuals import PairResiduals, split_some
from evenhand.ranking.cycles_result import Contribution, Cycle

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
MOST: Final = 50_000
"""Most circles of three that are tested."""
NAMED: Final = 3
"""Most circles that are named."""
LISTED: Final = 5
"""Most judges and items that are listed for each."""
STEP: Final = 1_000
"""Circles taken at once."""
_SIGNS: Final = np.array([1.0, 1.0, -1.0])


@dataclass(frozen=True, eq=False)
class Triples:
    """All circles of three whose pairs were compared.

    Attributes:
        systems: (T, 3) codes i < j < k.
        pairs: (T, 3) number of the pairs ij, jk, ik.

    """

    systems: Integers
    pairs: Integers

    def excess(self, odds: Array) -> Array:
        """Return (..., T): log-odds round each circle i, j, k, from those of pairs (..., P)."""
        return np.asarray((odds[..., self.pairs] * _SIGNS).sum(axis=-1))


def list_triples(whole: PairResiduals) -> Triples | None:
    """Return the circles, None where they are more than can be tested.

    Args:
        whole: pairs that were compared.

    """
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

    Args:
        whole: residuals of all judgments.
        triples: circles.
        worlds: (B, P) residuals of worlds without circles, for each way of clustering; the least
            sure of them counts.

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
    """Return the strongest circles that are more than noise, with those whose votes make them.

    Args:
        whole: residuals of all judgments.
        tally: the same, told apart by judge and item.
        found: circles, their z and p.
        level: at which they are more than noise.

    """
    _, z, p = found
    chosen = [
        at for at in np.argsort(-np.abs(z), kind="stable")[:NAMED].tolist() if p[at] <= 1 - level
    ]
    if not chosen:
        return ()
    names = [name for name in ("judge", "item") if name in tally.factors]
    ways = [name for name in names if len(tally.factors[name].labels) > 1]
    return tuple(_name(whole, tally, found, at, ways) for at in chosen)


def _name(
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
    order = np.argsort(-own * np.sign(own.sum()), kind="stable")[:LISTED]
    total = float(own.sum())
    return tuple(
        Contribution(factor.labels[g], float(own[g] / total), float(votes[g]))
        for g in order.tolist()
        if own[g] / total > 0
    )
