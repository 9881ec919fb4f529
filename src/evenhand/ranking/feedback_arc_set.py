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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing, require_option
from evenhand.judgments.coding import SEED
from evenhand.judgments.model import Scores
from evenhand.judgments.tally import Tally
from evenhand.numerics.linear_order import find_best_orders
from evenhand.ranking.rules import Meetings, list_meetings, say_loose, score_expected_net_wins

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
WEIGHTS: Final = ("net", "raw", "share")


@dataclass(frozen=True, eq=False)
class FeedbackArcSet:
    """The orders that contradict least."""

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
    """Find the orders of systems that contradict the fewest judgments."""
    require_option("weights", weights, WEIGHTS)
    met = list_meetings(tally)
    prefer = score_expected_net_wins(tally).values
    found = find_best_orders(_costs(met, weights), prefer, limit=limit, seed=seed)
    undecided = np.flatnonzero(met.sum(met.decided) == 0).tolist()
    return FeedbackArcSet(
        systems=tally.systems,
        weights=weights,
        cost=found.cost,
        bound=found.bound,
        orders=tuple(_name(tally.systems, order) for order in found.orders),
        count=found.count,
        best_place=None if found.first is None else found.first + 1,
        worst_place=None if found.last is None else found.last + 1,
        undecided=_name(tally.systems, undecided),
    )


def score_feedback_arc_set(tally: Tally, *, seed: int = SEED) -> Scores:
    """Order systems by Lopez's rule with net weights."""
    found = find_feedback_arc_set(tally, weights="net", limit=1, seed=seed)
    return _score("feedback-arc-set", found, seed)


def score_feedback_arc_set_raw(tally: Tally, *, seed: int = SEED) -> Scores:
    """Order systems by Lopez's rule with raw weights: the same orders, all lost wins counted.

    Args, returns and errors are those of `score_feedback_arc_set`.
    """
    found = find_feedback_arc_set(tally, weights="raw", limit=1, seed=seed)
    return _score("feedback-arc-set-raw", found, seed)


def score_feedback_arc_set_share(tally: Tally, *, seed: int = SEED) -> Scores:
    """Order systems by Lopez's rule with net shares: every pair weighs alike.

    Args, returns and errors are those of `score_feedback_arc_set`.
    """
    found = find_feedback_arc_set(tally, weights="share", limit=1, seed=seed)
    return _score("feedback-arc-set-share", found, seed)


def _costs(met: Meetings, weights: str) -> Array:
    """Return (K, K) what it costs to place the column's system before the row's."""
    k = len(met.systems)
    costs = np.zeros((k, k))
    kept = met.wins if weights == "raw" else np.maximum(met.wins - met.losses, 0.0)
    costs[met.system, met.opponent] = kept / met.totals if weights == "share" else kept
    return costs


def _name(systems: Sequence[str], order: Sequence[int]) -> tuple[str, ...]:
    return tuple(systems[i] for i in order)


def _score(rule: str, found: FeedbackArcSet, seed: int) -> Scores:
    place = {name: i for i, name in enumerate(found.orders[0], start=1)}
    values = -np.array([place[name] for name in found.systems], dtype=np.float64)
    settings = () if found.count is not None else (f"seed={seed}",)
    return Scores(rule, found.systems, values, "place", settings=settings, notes=_notes(found))


def _notes(found: FeedbackArcSet) -> tuple[str, ...]:
    unit = {"net": "net win", "raw": "win", "share": "net share"}[found.weights]
    digits = 4 if found.weights == "share" else 10
    said = f"contradicts {found.cost:,.{digits}g} {unit}{'' if found.cost == 1 else 's'}"
    if found.count is None:
        said += (
            f"; not proven to be best: the systems are too many or too even, and a better order"
            f" could contradict {found.gap:,.4g} less at most{say_loose(len(found.systems))}"
        )
    elif found.count > 1:
        moving = listing(found.moving)
        said += f"; one of {found.count:,} best orders: places of {moving} differ between them"
    if not found.undecided:
        return (said,)
    alone = f"{listing(found.undecided)}: no decided comparison, any place is as good"
    return (said, alone)
