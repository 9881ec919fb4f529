"""What is taken away, in which order, and the judgments that are left."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.joined_codes import first_of_each, join_codes
from evenhand.judgments.tally import Factor, Tally
from evenhand.judgments.votes import LEFT, TIE

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Removed:
    """Judgments that are taken away.

    Attributes:
        judge: who gave them; None where nobody is known, or where any votes that are alike do.
        item: on what, or None likewise.
        better: the system that was preferred; the first by name of a tie. None of a whole judge.
        worse: the other.
        tie: whether neither was preferred.
        count: how many comparisons.
        of: how many votes of this kind there are: same systems, same outcome and, where the model
            knows an order effect, same sides. None of a whole judge.
        first: the system shown first, where the model knows an order effect.

    """

    judge: str | None
    item: str | None
    better: str | None
    worse: str | None
    tie: bool
    count: float
    of: float | None = None
    first: str | None = None

    @property
    def kind(self) -> str:
        """What was answered; empty of a whole judge."""
        if self.better is None:
            return ""
        side = "" if self.first is None else f" ({self.first} first)"
        pair = f"{self.better} {'and' if self.tie else 'over'} {self.worse}{side}"
        return f"ties of {pair}" if self.tie else pair


@dataclass(frozen=True, eq=False)
class Queue:
    """Units in the order in which they are taken away: the one that pulls hardest first.

    Attributes:
        unit: vote, ranking, judge or item.
        tally: the judgments.
        pulls: (U,) how far the difference falls without one copy; all above zero.
        copies: (U,) whole number of units that are alike.
        cells: (U,) 3 × entry + outcome of votes, else the code of the cluster.
        total: units that there are, whichever way they pull.
        sided: whether votes that differ in who stood first are of two kinds.

    """

    unit: str
    tally: Tally
    pulls: Array
    copies: Integers
    cells: Integers
    total: int
    sided: bool = False

    @property
    def most(self) -> int:
        """How many there are to take."""
        return int(self.copies.sum())

    def foresee(self, difference: float) -> int | None:
        """Return how many pull a difference down to zero, by cumulated pulls; None if all do not.

        Args:
            difference: what has to be pulled down (log-odds).

        """
        reached = np.cumsum(self.pulls * self.copies)
        at = int(np.searchsorted(reached, difference, side="right"))
        if at == len(reached):
            return None
        before = reached[at] - self.pulls[at] * self.copies[at]
        some = int(np.floor((difference - before) / self.pulls[at])) + 1
        return int(self.copies[:at].sum()) + min(some, int(self.copies[at]))

    def _taken(self, number: int) -> Integers:
        """Return (U,) copies among the first so many units."""
        before = np.cumsum(self.copies) - self.copies
        return np.asarray(np.clip(number - before, 0, self.copies), dtype=np.int64)

    def count(self, number: int) -> Array:
        """Return (C, 3) comparisons among the first so many units."""
        taken = self._taken(number)
        if self.unit == "vote":
            counts = np.zeros(self.tally.counts.size)
            counts[self.cells] = taken
            return counts.reshape(-1, 3)
        gone = np.isin(self.tally.factor(self.unit).codes, self.cells[taken > 0])
        return np.asarray(self.tally.counts * gone[:, None])

    def leave(self, number: int, *, told_apart: bool = True) -> Tally:
        """Return what is left without the first so many units.

        Args:
            number: of units.
            told_apart: whether it is still known who said what; orders do not ask.

        """
        answers = float(number) if self.unit in ("vote", "ranking") else None
        tally = self.tally if told_apart else replace(self.tally, factors={})
        return take_away(tally, self.count(number), answers)

    def listing(self, number: int) -> tuple[Removed, ...]:
        """Name the first so many units, in their order."""
        taken = self._taken(number)
        rows = np.flatnonzero(taken)
        if self.unit != "vote":
            return tuple(self._cluster(int(self.cells[row])) for row in rows)
        alike: dict[Removed, float] = {}  # the same vote with the outputs the other way round
        kinds = count_kinds(self.tally, sided=self.sided)
        for row in rows:
            cell = int(self.cells[row])
            one = self._vote(cell, float(kinds[cell]))
            alike[one] = alike.get(one, 0.0) + float(taken[row])
        return tuple(replace(one, count=count) for one, count in alike.items())

    def _vote(self, cell: int, of: float) -> Removed:
        entry, outcome = divmod(cell, 3)
        shown = [self.tally.systems[side[entry]] for side in (self.tally.left, self.tally.right)]
        tie = outcome == TIE
        better, worse = sorted(shown) if tie else shown[:: 1 if outcome == LEFT else -1]
        who = {name: f.labels[f.codes[entry]] for name, f in self.tally.factors.items()}
        first = shown[0] if self.sided else None
        judge, item = who.get("judge"), who.get("item")
        return Removed(judge, item, better, worse, tie=tie, count=1.0, of=of, first=first)

    def _cluster(self, code: int) -> Removed:
        factor = self.tally.factor(self.unit)
        name = factor.labels[code]
        judge = name if self.unit == "judge" else None
        item = name if self.unit in ("item", "ranking") else None
        return Removed(judge, item, None, None, tie=False, count=float(factor.loads[code]))


def queue_votes(tally: Tally, pulls: Array, effects: Array, *, sided: bool) -> Queue:
    """Put single votes that speak for a difference in order, the largest effect first.

    Args:
        tally: judgments, told apart by whom and what is to be named.
        pulls: (C, 3) how far a difference falls without one vote.
        effects: (C, 3) what votes are put in order by. Sums in another order leave other last
            digits: they are rounded, so that names do not order votes that are alike.
        sided: whether votes that differ in who stood first are of two kinds.

    """
    copies = np.floor(tally.counts.reshape(-1)).astype(np.int64)
    flat, effect = pulls.reshape(-1), effects.reshape(-1)
    scale = max(float(np.abs(effect).max(initial=0.0)), np.finfo(float).tiny)
    order = np.argsort(-np.round(effect / scale, 9), kind="stable")
    order = order[(flat[order] > 0) & (copies[order] > 0)]
    return Queue("vote", tally, flat[order], copies[order], order, int(copies.sum()), sided)


def count_kinds(tally: Tally, *, sided: bool) -> Array:
    """Return (3 C,) how many votes are of the kind of each cell: same systems, same outcome.

    Args:
        tally: judgments, told apart in any way.
        sided: whether who stood first makes two kinds.

    """
    size = len(tally.systems)
    left, right = (np.repeat(side.astype(np.int64), 3) for side in (tally.left, tally.right))
    outcome = np.tile(np.arange(3), len(tally.left))
    turned = (left > right) & (not sided)
    low, high = np.where(turned, right, left), np.where(turned, left, right)
    outcome = np.where(turned, 2 - outcome, outcome)
    _, kind = np.unique((low * size + high) * 3 + outcome, return_inverse=True)
    return np.asarray(np.bincount(kind, tally.counts.reshape(-1))[kind])


def queue_clusters(tally: Tally, name: str, pulls: Array) -> Queue:
    """Put judges, items or rankings in order.

    Args:
        tally: judgments, told apart by them.
        name: the factor.
        pulls: (G,) how far a difference falls without each.

    """
    order = np.argsort(-pulls, kind="stable")
    order = order[pulls[order] > 0]
    ones = np.ones(len(order), dtype=np.int64)
    return Queue(name, tally, pulls[order], ones, order, len(pulls))


def take_away(tally: Tally, gone: Array, answers: float | None) -> Tally:
    """Return a tally without some of its comparisons; systems keep their codes.

    Args:
        tally: judgments.
        gone: (C, 3) comparisons to take away.
        answers: how many answers they are; None where that goes by the share of comparisons.

    """
    left = tally.counts - gone
    kept = left.sum(axis=1) > 0
    factors = {name: _relevel(one, kept, left) for name, one in tally.factors.items()}
    share = float(left.sum()) / tally.n_comparisons
    number = tally.n_judgments * share if answers is None else tally.n_judgments - answers
    wins, ties, losses = left[kept].T
    return replace(
        tally,
        left=tally.left[kept],
        right=tally.right[kept],
        wins=wins,
        ties=ties,
        losses=losses,
        factors=factors,
        n_judgments=float(round(number)),
        squares=None if tally.squares is None else tally.squares[kept],
    )


def _relevel(factor: Factor, kept: NDArray[np.bool_], left: Array) -> Factor:
    codes = factor.codes[kept]
    loads = np.bincount(codes, left[kept].sum(axis=1), minlength=len(factor.labels))
    used = np.flatnonzero(np.bincount(codes, minlength=len(factor.labels)))
    numbers = np.zeros(len(factor.labels), dtype=np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    labels = tuple(factor.labels[code] for code in used.tolist())
    return Factor(labels, numbers[codes], loads[used].astype(float, copy=False), len(used))


def sort_entries(tally: Tally) -> Tally:
    """Pool, and put entries in an order that does not depend on that of the table."""
    pooled = tally.pool(tuple(tally.factors))
    size = len(pooled.systems)
    digits = [(pooled.left, size), (pooled.right, size)]
    digits += [(factor.codes, factor.size) for factor in pooled.factors.values()]
    order, _ = first_of_each(join_codes(digits))
    return replace(
        pooled,
        left=pooled.left[order],
        right=pooled.right[order],
        wins=pooled.wins[order],
        ties=pooled.ties[order],
        losses=pooled.losses[order],
        factors={name: replace(f, codes=f.codes[order]) for name, f in pooled.factors.items()},
        squares=None if pooled.squares is None else pooled.squares[order],
    )
