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

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.controls import Judgments
from evenhand.data.orders import Orders, count_orders
from evenhand.data.taking import Openable, takes_judgments
from evenhand.errors import InvalidJudgments
from evenhand.models.orders import (
    Choices,
    Moments,
    OrderFit,
    OrderSettings,
    fit_orders,
    observed_sizes,
    unique_sets,
)
from evenhand.models.texts import say
from evenhand.numerics import Array

# Whole rankings as patterns: the law of the pattern model (Mallows-Bradley-Terry).
#
# The sum over all rankings of a set goes output by output, or tied group by tied group, through its
# subsets: 2^m m steps instead of m! terms (Held & Karp 1962), 3^m with ties. See also Critchlow &
# Fligner (1991), Psychometrika 56:517-533.

LONGEST_PLAIN: Final = 12  # Most outputs of a ranking without ties: 24,576 steps
LONGEST_TIED: Final = 9  # Most outputs of a ranking where ties are modelled: 19,171 steps


@dataclass(frozen=True)
class PatternLaw:
    ties: bool  # whether tied groups are patterns too, with a parameter for each tied pair

    @property
    def extras(self) -> tuple[str, ...]:
        return ("g1",) if self.ties else ()

    def count_rivals(self, m: int) -> float:
        counts = [1.0]
        for size in range(1, m + 1):
            first = range(1, size + 1) if self.ties else (1,)
            counts.append(sum(comb(size, group) * counts[size - group] for group in first))
        return counts[m]

    def load(self, m: int) -> int:
        return (1 << m) * (m + len(self.extras)) ** 2

    def impossible(self, orders: Orders) -> NDArray[np.bool_]:
        return np.asarray((orders.sizes() > 1).any(axis=1) & (not self.ties))

    def take_apart(self, orders: Orders) -> tuple[Choices, ...]:
        """Return each ranking as one choice, by number of outputs."""
        choices = []
        for m in np.unique(orders.lengths).tolist():
            row = np.flatnonzero(orders.lengths == m)
            outputs, places = orders.outputs[row, :m], orders.places[row, :m]
            order = np.argsort(outputs, axis=1)
            places = np.take_along_axis(places, order, axis=1)
            worse = places[:, None, :] - places[:, :, None]
            net = np.sign(worse).sum(axis=2) / 2  # of log-worths, which are 2λ
            tied = ((worse == 0).sum(axis=(1, 2)) - m) / 2
            observed = np.column_stack([net, tied]) if self.ties else net
            sets, which = unique_sets(np.take_along_axis(outputs, order, axis=1))
            choices.append(Choices(sets, row, which, np.asarray(observed, dtype=np.float64)))
        return tuple(choices)

    def moments(self, worths: Array, extras: Array) -> Moments:
        n, m = worths.shape
        q = m + len(extras)
        centred = worths - worths.mean(axis=1, keepdims=True)
        whole = np.concatenate([centred, np.broadcast_to(extras, (n, len(extras)))], axis=1)
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
        for last in range(1, m + 1):
            for first in range(0 if self.ties else last - 1, last):
                gain = (m - last - first) / 2 * (sums[:, last] - sums[:, first])
                gain += value[:, first] + gamma * comb(last - first, 2)
                start[:, last] = np.where(gain > value[:, last], first, start[:, last])
                value[:, last] = np.maximum(gain, value[:, last])
        # walk back through the tied groups from the last output
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


@cache
def _steps(m: int, *, ties: bool) -> tuple[tuple[int, int, tuple[float, ...]], ...]:
    """Return the steps from a set placed to the set then placed, and what each adds to x."""
    steps = []
    for joined in range(1, 1 << m):
        group = joined
        while group:  # a tied group, placed below the outputs placed so far
            if ties or group & (group - 1) == 0:
                above, size = (joined ^ group).bit_count(), group.bit_count()
                net = (m - joined.bit_count() - above) / 2
                inside = tuple(net if group >> i & 1 else 0.0 for i in range(m))
                steps.append((joined ^ group, joined, (*inside, float(comb(size, 2)))))
            group = (group - 1) & joined
    return tuple(steps)


@dataclass(frozen=True)
class PatternModel(OrderSettings):
    """Settings of a pattern model.

    Attributes:
        ties: davidson: a parameter γ for each tied pair; where no ties were observed, rankings
            without ties only.
        reference: the system with log-worth 0; the last by default.
        prior: pseudo-comparisons of every system with a ghost, half of them won; 0 for none.

    >>> from evenhand.data.orders import Orders
    >>> import numpy as np
    >>> best_first = np.array([[0, 1, 2], [1, 0, 2], [0, 2, 1], [2, 1, 0]], np.int32)
    >>> places = np.tile(np.arange(3, dtype=np.int32), (4, 1))
    >>> counts = np.array([6.0, 4.0, 5.0, 3.0])
    >>> fit = PatternModel().fit(Orders(("new", "old", "plain"), best_first, places, counts))
    >>> {name: round(worth, 2) for name, worth in fit.worths.items()}
    {'new': 0.51, 'old': 0.29, 'plain': 0.2}
    """

    @takes_judgments("data")
    def fit(self, data: Judgments | Orders | Openable) -> OrderFit:
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
        longest = int(orders.lengths.max(initial=0))
        if longest > (most := LONGEST_TIED if tied else LONGEST_PLAIN):
            raise InvalidJudgments(
                f"a ranking of {longest} outputs is too long for the pattern model, which sums over"
                f" all rankings of its outputs (at most {most} here): use PlackettLuce, or expand"
                " the rankings into comparisons"
            )
        labels = ["tie"] if tied else []
        notes = [] if tied else [say("plain-pattern")]
        return fit_orders(self, orders, PatternLaw(tied), labels, notes)
