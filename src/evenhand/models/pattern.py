"""The pattern model of rankings (Mallows-Bradley-Terry): a ranking as comparisons that must agree.

    P(ranking of A) ∝ exp Σ_{j∈A} λ_j (#below j − #above j),   over all rankings of the set A

It is the Bradley-Terry model of all pairs, given that they form a ranking. Ties, where observed,
add exp γ for each tied pair, over all rankings with ties (the undecided category of prefmod's
patterns). log-worth = 2λ; on pairs it is Davidson's model. Source: Mallows (1957), Biometrika
44:114-130; Dittrich, Hatzinger & Katzenbeisser (2002), Computational Statistics & Data Analysis
40:39-57; prefmod (Hatzinger & Dittrich 2012, Journal of Statistical Software 48(10)), `pattR.fit`.

When not to use it: for long rankings (all their orders are summed over), and where judges rank sets
of different sizes: the model of a set's subset is another one, so that worths from sets of 3 and of
5 outputs are not quite the same thing. A partial ranking counts as a ranking of the outputs in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import require_option
from evenhand.judgments.forms import Judgments
from evenhand.judgments.order_counting import count_orders
from evenhand.judgments.orders import Orders
from evenhand.models.orders import (
    Choices,
    Moments,
    OrderFit,
    fit_orders,
    observed_sizes,
    refuse_long,
    require_prior,
    unique_sets,
)

# Whole rankings as patterns: the law of the pattern model (Mallows-Bradley-Terry).
#
# P(ranking of A) ∝ exp Σ_{j∈A} λ_j (#below j − #above j)  [ · exp γ (number of tied pairs) ]
#
# Source: Mallows (1957), Biometrika 44:114-130; Critchlow & Fligner (1991), Psychometrika
# 56:517-533; Dittrich, Hatzinger & Katzenbeisser (2002), Computational Statistics & Data Analysis
# 40:39-57. The sum over all rankings of a set goes output by output, or tied group by tied group,
# through its subsets: 2^m m steps instead of m! terms (Held & Karp 1962), 3^m with ties.

Array = NDArray[np.float64]
LONGEST_PLAIN: Final = 12  # Most outputs of a ranking without ties: 24,576 steps
LONGEST_TIED: Final = 9  # Most outputs of a ranking where ties are modelled: 19,171 steps


@dataclass(frozen=True)
class PatternLaw:
    """The law, with or without ties."""

    ties: bool  # whether tied groups are patterns too, with a parameter for each tied pair

    @property
    def extras(self) -> tuple[str, ...]:
        """Name of γ."""
        return ("g1",) if self.ties else ()

    def count_rivals(self, m: int) -> float:
        """Return how many rankings of m outputs there are."""
        counts = [1.0]
        for size in range(1, m + 1):
            first = range(1, size + 1) if self.ties else (1,)
            counts.append(sum(comb(size, own) * counts[size - own] for own in first))
        return counts[m]

    def load(self, m: int) -> int:
        """Return how many numbers the moments of one set of m outputs need."""
        return (1 << m) * (m + len(self.extras)) ** 2

    def impossible(self, orders: Orders) -> NDArray[np.bool_]:
        """Say of each ranking whether it has a tie where ties are no patterns."""
        return np.asarray((orders.sizes() > 1).any(axis=1) & (not self.ties))

    def take_apart(self, orders: Orders) -> tuple[Choices, ...]:
        """Return each ranking as one choice, by number of outputs."""
        lengths = orders.lengths
        return tuple(self._of_length(orders, int(m)) for m in np.unique(lengths))

    def _of_length(self, orders: Orders, m: int) -> Choices:
        row = np.flatnonzero(orders.lengths == m)
        outputs, places = orders.outputs[row, :m], orders.places[row, :m]
        order = np.argsort(outputs, axis=1)
        outputs, places = (np.take_along_axis(one, order, axis=1) for one in (outputs, places))
        worse = places[:, None, :] - places[:, :, None]
        net = np.sign(worse).sum(axis=2) / 2  # of log-worths, which are 2λ
        tied = ((worse == 0).sum(axis=(1, 2)) - m) / 2
        observed = np.column_stack([net, tied]) if self.ties else net
        sets, which = unique_sets(outputs)
        return Choices(sets, row, which, np.asarray(observed, dtype=np.float64))

    def moments(self, worths: Array, extras: Array) -> Moments:
        """Return the moments of all rankings of outputs with log-worths (N, m)."""
        n, m = worths.shape
        q = m + len(extras)
        whole = np.concatenate(
            [
                worths - worths.mean(axis=1, keepdims=True),
                np.broadcast_to(extras, (n, len(extras))),
            ],
            axis=1,
        )
        every, mean = np.zeros((1 << m, n)), np.zeros((1 << m, n, q))
        second = np.zeros((1 << m, n, q, q))
        every[0] = 1.0
        for above, joined, x in _steps(m, ties=self.ties):
            u = np.array(x)[:q]
            weight = np.exp(whole @ u)
            first, grown = mean[above], weight * every[above]
            cross = weight[:, None, None] * (first[:, :, None] * u)
            second[joined] += weight[:, None, None] * second[above] + cross
            second[joined] += cross.transpose(0, 2, 1) + grown[:, None, None] * np.outer(u, u)
            mean[joined] += weight[:, None] * first + grown[:, None] * u
            every[joined] += grown
        total = every[-1]
        return Moments(np.log(total), mean[-1] / total[:, None], second[-1] / total[:, None, None])

    def best(self, worths: Array, extras: Array) -> Array:
        """Return (N, q) the ranking with the largest x·b: by worth, neighbours tied if it pays."""
        n, m = worths.shape
        order = np.argsort(-worths, axis=1, kind="stable")
        sums = np.cumsum(np.take_along_axis(worths, order, axis=1), axis=1)
        sums = np.concatenate([np.zeros((n, 1)), sums], axis=1)
        gamma = float(extras[0]) if self.ties else 0.0
        value, start = np.zeros((n, m + 1)), np.zeros((n, m + 1), dtype=np.intp)
        value[:, 1:] = -np.inf
        for end in range(1, m + 1):
            for begin in range(0 if self.ties else end - 1, end):
                own = (m - end - begin) / 2 * (sums[:, end] - sums[:, begin])
                own += value[:, begin] + gamma * comb(end - begin, 2)
                start[:, end] = np.where(own > value[:, end], begin, start[:, end])
                value[:, end] = np.maximum(own, value[:, end])
        return self._trace(order, start)

    def _trace(self, order: NDArray[np.intp], start: NDArray[np.intp]) -> Array:
        """Walk back through the tied groups from the last output."""
        n, m = order.shape
        rank, end = np.arange(m), np.full(n, m)
        sorted_x, tied = np.zeros((n, m)), np.zeros(n)
        while (end > 0).any():
            begin = start[np.arange(n), end]
            inside = (rank >= begin[:, None]) & (rank < end[:, None])
            sorted_x += inside * ((m - end - begin) / 2)[:, None]
            tied += (end - begin) * (end - begin - 1) / 2
            end = begin
        x = np.empty((n, m))
        np.put_along_axis(x, order, sorted_x, axis=1)
        return np.column_stack([x, tied]) if self.ties else x


def longest(*, ties: bool) -> int:
    """Return the most outputs of a ranking that are summed over."""
    return LONGEST_TIED if ties else LONGEST_PLAIN


@cache
def _steps(m: int, *, ties: bool) -> tuple[tuple[int, int, tuple[float, ...]], ...]:
    """Return all steps that place a tied group below the outputs placed so far."""
    return tuple(_walk(m, ties=ties))


def _walk(m: int, *, ties: bool) -> Iterator[tuple[int, int, tuple[float, ...]]]:
    """From the set placed, to the set then placed, and what the step adds to x."""
    for joined in range(1, 1 << m):
        group = joined
        while group:
            if ties or group & (group - 1) == 0:
                above, size = (joined ^ group).bit_count(), group.bit_count()
                net = (m - joined.bit_count() - above) / 2
                inside = tuple(net if group >> i & 1 else 0.0 for i in range(m))
                yield joined ^ group, joined, (*inside, float(comb(size, 2)))
            group = (group - 1) & joined


Ties = Literal["davidson"]
TIES: Final[tuple[str, ...]] = get_args(Ties)


@dataclass(frozen=True)
class PatternModel:
    """Settings of a pattern model.

    Attributes:
        ties: davidson: a parameter γ for each tied pair; where no ties were observed, rankings
            without ties only.
        reference: the system with log-worth 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost, half of them won; 0 for none.

    >>> from evenhand.judgments.orders import Orders
    >>> import numpy as np
    >>> best_first = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]], np.int32)
    >>> places = np.tile(np.arange(3, dtype=np.int32), (4, 1))
    >>> counts = np.array([6.0, 4.0, 5.0, 3.0])
    >>> fit = PatternModel().fit(Orders(("new", "old", "plain"), best_first, places, counts))
    >>> {name: round(worth, 2) for name, worth in fit.worths.items()}
    {'new': 0.51, 'old': 0.29, 'plain': 0.2}
    """

    ties: Ties = "davidson"
    reference: str | None = None
    prior: float = 0.0

    def __post_init__(self) -> None:
        """Refuse settings that do not exist."""
        require_option("ties", self.ties, TIES)
        require_prior(self.prior)

    def fit(self, data: Judgments | Orders) -> OrderFit:
        """Fit by maximum likelihood (or its posterior mode under a prior).

        Args:
            data: rankings, ties and partial ones too; or comparisons, each a ranking of two;
                votes whose answers are whole rankings are such, others rankings of two.

        Raises:
            NotIdentified: no finite, unique maximum exists; names the systems and the remedy.
            InvalidJudgments: what cannot be a ranking, or is too long to be summed over.

        """
        orders = count_orders(data)
        tied = bool(observed_sizes(orders))
        refuse_long(orders, longest(ties=tied))
        labels = ["tie"] if tied else []
        notes = [] if tied else ["no ties observed: patterns without ties"]
        return fit_orders(self, orders, PatternLaw(tied), labels, notes)
