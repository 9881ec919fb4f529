"""Lopez's rule: the order that contradicts the fewest judgments, a minimum feedback arc set.

    cost(order) = Σ over pairs, j placed before i, of weight(i, j)

rule                     weight(i, j), with w_ij: how often i was preferred to j, t_ij: ties
feedback-arc-set         max(0, w_ij − w_ji)                              net
feedback-arc-set-raw     w_ij                                             raw
feedback-arc-set-share   max(0, w_ij − w_ji) / (w_ij + t_ij + w_ji)       share

Lopez (2012), "Putting Human Assessments of Machine Translation Systems in Order", WMT. Raw costs
are net costs plus a constant, so that both have the same best orders. Lopez's repository
alopez/wmt-ranking calls the net rule `mfas_raw_diff` and the rule of shares, where a pair weighs
the same however often it was judged, `mfas_max_net_wins`. Ties count only in the size of a pair;
pairs that never met, or are even, may stand either way at no cost.

Several orders may be best. All are counted; the one reported is, place by place, that of the
highest expected net wins among the systems that may come next, then by name. The proof is a search
over sets of systems (`numerics.linear_order`). It reaches 40 systems, and up to 60, unless they are
so even that majorities are coin flips; else a local search gives an order, and a note its gap to a
lower bound.

When not to use it: there is no number behind the order, so no distance between places and no
uncertainty. A pair decided by 51 to 49 is as good as one by 2 to 0; where many orders are best, or
nearly so, the one shown means little.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.tally import Tally
from evenhand.data.votes import Scores
from evenhand.errors import require_option
from evenhand.numerics.linear_order import find_best_orders
from evenhand.ranking.rules import list_meetings, note_loose, score_expected_net_wins
from evenhand.ranking.texts import say

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
WEIGHTS: Final = ("net", "raw", "share")


@dataclass(frozen=True, eq=False)
class FeedbackArcSet:
    systems: tuple[str, ...]  # the K systems, sorted by name
    weights: str  # "net", "raw" or "share"
    cost: float  # weight that the orders contradict
    bound: float  # no order contradicts less; `cost` where the orders are proven to be best
    # best orders, the one reported first; all if there are no more than were asked for
    orders: tuple[tuple[str, ...], ...]
    count: int | None  # how many there are, None where the best is not proven
    # (K,) best place of each system in any best order, None where not proven
    best_place: Integers | None
    worst_place: Integers | None  # (K,) worst place
    undecided: tuple[str, ...]  # systems without a decided comparison, which may stand anywhere

    @property
    def gap(self) -> float:
        """By how much a better order could undercut `cost` at most; 0 where proven."""
        return self.cost - self.bound

    @property
    def moving(self) -> tuple[str, ...]:
        """Systems that have different places in different best orders."""
        if self.best_place is None or self.worst_place is None:
            return ()
        rows = np.flatnonzero(self.best_place != self.worst_place)
        return tuple(self.systems[i] for i in rows.tolist())


def find_feedback_arc_set(
    tally: Tally, *, weights: str = "net", limit: int = 100, seed: int = SEED
) -> FeedbackArcSet:
    require_option("weights", weights, WEIGHTS)
    met = list_meetings(tally)
    prefer = score_expected_net_wins(tally).values
    k = len(met.systems)
    costs = np.zeros((k, k))
    weight = met.wins if weights == "raw" else np.maximum(met.wins - met.losses, 0.0)
    costs[met.system, met.opponent] = weight / met.totals if weights == "share" else weight
    best = find_best_orders(costs, prefer, limit=limit, seed=seed)
    undecided = np.flatnonzero(met.sum(met.decided) == 0).tolist()
    return FeedbackArcSet(
        systems=tally.systems,
        weights=weights,
        cost=best.cost,
        bound=best.bound,
        orders=tuple(tuple(tally.systems[i] for i in order) for order in best.orders),
        count=best.count,
        best_place=None if best.first is None else best.first + 1,
        worst_place=None if best.last is None else best.last + 1,
        undecided=tuple(tally.systems[i] for i in undecided),
    )


def _score(rule: str, weights: str, tally: Tally, *, seed: int = SEED) -> Scores:
    best = find_feedback_arc_set(tally, weights=weights, limit=1, seed=seed)
    place = {name: i for i, name in enumerate(best.orders[0], start=1)}
    values = -np.array([place[name] for name in best.systems], dtype=np.float64)
    settings = () if best.count is not None else (f"seed={seed}",)
    unit = {"net": "net win", "raw": "win", "share": "net share"}[best.weights]
    digits = 4 if best.weights == "share" else 10
    contradicted = f"{best.cost:,.{digits}g} {unit}{'' if best.cost == 1 else 's'}"
    notes = [say("contradicted", cost=contradicted)]
    if best.count is None:
        notes += [say("not-proven", "warning", gap=best.gap), *note_loose(len(best.systems))]
    elif best.count > 1:
        notes.append(say("several-orders", orders=best.count, systems=best.moving))
    if best.undecided:
        notes.append(say("no-decided", systems=best.undecided))
    return Scores(rule, best.systems, values, "place", settings=settings, notes=tuple(notes))


score_feedback_arc_set = partial(_score, "feedback-arc-set", "net")
# By raw weights: the same orders, all lost wins counted
score_feedback_arc_set_raw = partial(_score, "feedback-arc-set-raw", "raw")
# By net shares: every pair weighs alike
score_feedback_arc_set_share = partial(_score, "feedback-arc-set-share", "share")
