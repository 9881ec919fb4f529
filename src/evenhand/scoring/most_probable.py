"""Most probable ranking: the order in which all pairs are most probably right.

    P_ij = P(p_ij > ½ | w_ij, w_ji),  p_ij ~ Beta(w_ij + 1, w_ji + 1),
    order = argmax ∏_{i before j} P_ij = argmax Σ_{i before j} log P_ij.

Our reading of the most probable ranking in Chris Callison-Burch et al. (2012), "Findings of the
2012 Workshop on Statistical Machine Translation": pairs count as independent, the chance that one
is rightly ordered comes from its wins under a uniform prior, and ties decide nothing. It is a
minimum feedback arc set whose weights are log-odds: a pair that is nearly even weighs nearly
nothing, where Lopez (2012) counts its net wins.

When not to use it: where a number per system is wanted. There is none behind the order, and several
orders may be equally probable; with thousands of judgments a pair, tiny differences weigh a lot.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judgments.coding import SEED
from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.numerics.linear_order import BestOrders, find_best_orders
from evenhand.scoring.linked import count_wins, require_linked
from evenhand.scoring.unproven import say_loose

Array = NDArray[np.float64]
_TINY: Final = 1e-250
_LEAST: Final = 0.001
"""Probabilities below are written as a power of ten."""


def score_most_probable(tally: Tally, *, seed: int = SEED) -> Scores:
    """Order systems so that all pairs are most probably right.

    Args:
        tally: the comparisons; ties say nothing.
        seed: of the local search, where no order can be proven to be the most probable.

    Returns:
        Minus the place of each system in the order; of equally probable orders, the one that puts
        first who won more. Notes give its probability, and which systems move in the others.

    Raises:
        NotIdentified: there are no comparisons, or some systems were never compared with others.

    >>> sides = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    >>> counts = np.array([[5.0, 4], [0, 0], [2, 1]])
    >>> score_most_probable(Tally(("a", "b", "c"), *sides, *counts)).order
    ('a', 'b', 'c')
    """
    require_linked(tally)
    won = count_wins(tally)
    total = won.sum(axis=1) + won.sum(axis=0)
    share = won.sum(axis=1) / np.where(total > 0, total, 1.0)
    found = find_best_orders(-log_chances(won).T, share, limit=1, seed=seed)
    place = np.empty(len(won))
    place[list(found.orders[0])] = np.arange(1, len(won) + 1)
    return Scores(
        rule="most-probable",
        systems=tally.systems,
        values=-place,
        unit="place",
        settings=() if found.count is not None else (f"seed={seed}",),
        notes=_notes(tally.systems, found),
    )


def _notes(systems: tuple[str, ...], found: BestOrders) -> tuple[str, ...]:
    chance = f"the order is right in all pairs with probability {_write(found.cost)}"
    if found.first is None or found.last is None:
        gap = (found.cost - found.bound) / np.log(10)
        loose = say_loose(len(systems))
        said = f"not proven best: another order may be up to 10^{gap:.2f} times as likely{loose}"
        return (chance, said)
    if found.count == 1:
        return (chance,)
    moving = listing([systems[i] for i in np.flatnonzero(found.first != found.last).tolist()])
    return (
        chance,
        f"{found.count:,} orders are equally probable: places of {moving} differ between them",
    )


def _write(cost: float) -> str:
    """Write a probability of which minus the logarithm is given.

    >>> _write(0.6931), _write(30.0)
    ('0.500', '10^-13.03')
    """
    chance = float(np.exp(-cost))
    if chance < _LEAST:
        return f"10^{-cost / np.log(10):.2f}"
    return f"{chance:.3f}" if chance < 0.9995 else "above 0.999"


def log_chances(won: Array) -> Array:
    """Return (K, K) log P_ij that the row's system is better than the column's.

    Args:
        won: (K, K) how often the row's system was preferred.

    >>> np.exp(log_chances(np.array([[0.0, 2.0], [0.0, 0.0]]))).round(3).tolist()
    [[0.5, 0.875], [0.125, 0.5]]
    """
    from scipy.special import betainc

    right, wrong = won + 1, won.T + 1
    chance = betainc(wrong, right, 0.5)
    tiny = chance < _TINY
    found = np.log(np.where(tiny, 1.0, chance))
    found[tiny] = _log_tail(wrong[tiny], right[tiny])
    return np.asarray(found)


def _log_tail(a: Array, b: Array) -> Array:
    """Return log I_½(a, b) for a far above b, where I_½ itself is no number any more.

    I_½(a, b) = ½^(a+b) / (a B(a, b)) · Σ_n ∏_{m<n} ½ (a + b + m)/(a + 1 + m), whose terms shrink.
    """
    from scipy.special import betaln

    total, term, n = np.ones_like(a), np.ones_like(a), 0
    while term.size and (term > total * 1e-17).any():
        term *= (a + b + n) / (a + 1 + n) / 2
        total += term
        n += 1
    return np.asarray(-(a + b) * np.log(2) - np.log(a) - betaln(a, b) + np.log(total))
