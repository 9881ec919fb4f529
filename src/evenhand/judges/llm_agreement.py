"""How far LLM judges agree with people, beside how far people do, and with themselves.

Of two judges of one unit (an output under a criterion, or an output pair) D is the squared distance
of their answers: of scores as they are, of preferences 1 where they differ. With the mean D over
all pairs of judges of a kind, and the D to expect if answers were exchanged between units,

    κ = 1 − D / D_expected

is the pairwise κ of preferences (neither system of a pair being the first one), and the
quadratically weighted κ of scores. Of people first answers on a unit count; those of an LLM judge,
such as of both orders, share the weight of one.

Two answers of an LLM judge to one output pair correlate by r; the reliability of their mean is
2r/(1 + r) (Spearman and Brown). People's means Ȳ of n answers have the reliability 1 − s² mean(1/n)
/ Var(Ȳ), s² being the variance within pairs. No judge correlates with them better than √(rel_Y
rel_F); divided by it, a correlation is disattenuated. Intervals draw items again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import SEED
from evenhand.data.rating_rows import RatingRows
from evenhand.data.votes import Votes
from evenhand.judges.counts import (
    Interval,
    Ratio,
    bound_by_items,
    draw_items,
    find_interval,
    refuse_interval,
)
from evenhand.judges.preferences import leave_repeats
from evenhand.judges.units import Record, label_groups, sum_groups
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import upper_tail
from evenhand.render.document import Column, Table

PEOPLE: Final = "people"
LLMS: Final = "LLM judges"


@dataclass(frozen=True)
class KindAgreement(Record):
    """How far judges of two kinds agree, pair by pair."""

    first: str  # "people", "LLM judges", or the name of an LLM judge
    second: str  # likewise
    units: int  # that both judged
    pairs: int  # pairs of answers
    same: float | None  # share of pairs with the same preference; None of scores
    kappa: float | None  # None where answers are all alike
    lower: float | None  # ends of its interval, items drawn; None with few items
    upper: float | None
    averaged: bool  # whether an LLM judge gave several verdicts on a unit, which share one weight


@dataclass(frozen=True, eq=False)
class _Kind:
    name: str
    n: Array  # (U,) judges
    sums: Array  # (U, q) of their mean answers
    squares: Array  # (U,) of their mean squares
    own: Array  # (U,) of their variances: 0 where each answered once
    averaged: bool  # whether one answered several times


def compare_kinds(
    data: Votes | RatingRows, llm_judges: Sequence[str], *, level: float, seed: int
) -> tuple[KindAgreement, ...]:
    """Compare people, LLM judges, and both; kinds that share no unit are not in it."""
    if isinstance(data, Votes):
        data = leave_repeats(data)
        unit = data.pair
        values = np.eye(3)[data.preferred.astype(np.int64) + 1] / np.sqrt(2)
    else:
        data = data.targets()
        unit, values = number_groups(data.unit), data.score[:, None]
    unit = number_groups(unit)
    item = label_groups(unit, data.item)
    codes = [data.judges.index(name) for name in llm_judges if name in data.judges]
    # what a judge answered on a unit: the first answer, of LLM judges the mean of all
    cell = number_groups(data.judge, unit)
    _, first = np.unique(cell, return_index=True)
    counts = np.isin(data.judge, codes) | (np.arange(len(cell)) == first[cell])
    cell, values = cell[counts], values[counts]
    n = np.bincount(cell)
    means = sum_groups(cell, values, len(first)) / n[:, None]
    squares = np.bincount(cell, (values**2).sum(axis=1)) / n
    judge, unit = data.judge[first], unit[first]
    size = int(unit.max(initial=-1)) + 1

    def take(name: str, chosen: Flags) -> _Kind:
        at, mean, square = unit[chosen], means[chosen], squares[chosen]
        own = square - (mean**2).sum(axis=1)
        sums = (
            np.bincount(at, weights, size).astype(np.float64) for weights in (None, square, own)
        )
        judges, total, variance = sums
        several = bool((n[chosen] > 1).any())
        return _Kind(name, judges, sum_groups(at, mean, size), total, variance, several)

    people = take(PEOPLE, ~np.isin(judge, codes))
    llms = [take(data.judges[one], judge == one) for one in codes]
    every = take(LLMS, np.isin(judge, codes))
    pairs = [(people, people), *((one, people) for one in llms), (every, every)]
    nominal = isinstance(data, Votes)
    found = (_measure(*pair, item, nominal=nominal, level=level, seed=seed) for pair in pairs)
    return tuple(one for one in found if one is not None)


def _measure(
    one: _Kind, other: _Kind, item: Integers, *, nominal: bool, level: float, seed: int
) -> KindAgreement | None:
    # (U,) sums of D over pairs of judges, and numbers of pairs
    if other is one:
        apart = one.n * one.squares - (one.sums**2).sum(axis=1) - one.own
        pairs = one.n * (one.n - 1) / 2
    else:
        apart = other.n * one.squares + one.n * other.squares
        apart -= 2 * (one.sums * other.sums).sum(axis=1)
        pairs = one.n * other.n
    if not pairs.any():
        return None
    columns = [apart[:, None], pairs[:, None]]
    for kind in (one, other):
        columns += [kind.sums, kind.squares[:, None], kind.n[:, None]]
    values = np.concatenate(columns, axis=1)
    by_item = sum_items(values, item)
    whole = by_item.sum(axis=0, keepdims=True)
    kappa, interval = _correct(whole, nominal=nominal).value, Interval(None, None)
    held = by_item[by_item[:, 1] > 0]
    if kappa is not None and refuse_interval(len(held), "item") is None:
        interval = find_interval(_correct(draw_items(by_item, seed), nominal=nominal), level)
    return KindAgreement(
        one.name,
        other.name,
        units=int((pairs > 0).sum()),
        pairs=int(pairs.sum()),
        same=1 - float(whole[0, 0] / whole[0, 1]) if nominal else None,
        kappa=kappa,
        lower=interval.lower,
        upper=interval.upper,
        averaged=one.averaged or other.averaged,
    )


def _correct(sums: Array, *, nominal: bool) -> Ratio:
    """Return κ of (B, 2 + 2 (q + 2)) sums over items."""
    q = (sums.shape[1] - 2) // 2 - 2
    known = (sums[:, 1] > 0) & (sums[:, q + 3] > 0) & (sums[:, -1] > 0)
    total = np.where(known[:, None], sums, 1.0)
    means, squares = [], []
    for start in (2, q + 4):
        n = total[:, start + q + 1]
        mean = total[:, start : start + q] / n[:, None]
        means.append((mean + mean[:, ::-1]) / 2 if nominal else mean)
        squares.append(total[:, start + q] / n)
    expected = squares[0] + squares[1] - 2 * (means[0] * means[1]).sum(axis=1)
    known &= expected > 1e-12 * (squares[0] + squares[1])
    over = expected - total[:, 0] / total[:, 1]
    return Ratio(np.where(known, over, 0.0), np.where(known, expected, 0.0))


def tabulate_kinds(kinds: Sequence[KindAgreement], level: float) -> Table:
    rows: list[dict[str, Any]] = [
        {**vars(one), "of": f"{one.first} – {one.second}"} for one in kinds
    ]
    scores = any(one.same is None for one in kinds)
    averaged = any(one.averaged for one in kinds)
    return Table(
        "llm",
        "People and LLM judges, pair by pair",
        (
            Column("of", "pairs of", "name"),
            Column("units", "outputs" if scores else "output pairs", "count"),
            Column("pairs", "pairs", "count"),
            *([] if scores else [Column("same", "same", "share")]),
            Column("kappa", "κ", "three"),
            Column(("lower", "upper"), f"{100 * level:g} % interval", "interval three"),
        ),
        tuple(rows),
        legend=(
            *("same: share of all pairs; “same answer”: mean over output pairs",) * (not scores),
            *("κ is weighted by squared distances of scores",) * scores,
            *("several verdicts of an LLM judge on one output share the weight of one",) * averaged,
        ),
        without=("of",),
    )


MAX_COPIES: Final = 0.99  # Share of repeats that are equal, above which they are copies
MIN_RELIABILITY: Final = 0.3  # Of people's means and of the LLM, to correct a correlation by
ORDERS: Final = "orders"
AGAIN: Final = "again"


@dataclass(frozen=True)
class Repeated:
    """Two answers of one judge to the same output pairs."""

    asked: str  # "orders": with either output first; "again": in the same order
    # (3, 3) counts: the first system by name, a tie or the other with the one first x with the
    # other first; of `again` x when asked again
    table: tuple[tuple[int, ...], ...]
    pairs: int  # output pairs
    consistent: float  # share with the same answer
    kappa: float | None  # κ of both answers; None where all are alike
    lower: float | None  # ends of its interval, items drawn; None with few
    upper: float | None
    reliability: float | None  # of the mean of both answers
    first_twice: int | None  # of `orders`: the output shown first, twice
    second_twice: int | None  # the other
    p: float | None  # exact p-value of one being as likely as the other
    copies: bool  # whether repeats are so alike that they measure nothing

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "table": [list(row) for row in self.table]}


@dataclass(frozen=True)
class Ceiling:
    """How far an LLM judge correlates with people, and how far it could."""

    pairs: int  # output pairs that people judged and the LLM twice
    correlation: float  # of people's means and the LLM's
    of_people: float  # reliability of people's means
    of_llm: float  # reliability of the mean of the LLM's two answers
    ceiling: float | None  # √ of both; None where one is not positive
    # correlation / ceiling where both reliabilities are above .3; may be above 1
    disattenuated: float | None
    lower: float | None  # ends of its interval, items drawn
    upper: float | None

    @property
    def holds(self) -> bool:
        """Whether both reliabilities suffice, and the correlation is not above the ceiling."""
        return self.disattenuated is not None and self.disattenuated <= 1

    def shown(self) -> dict[str, Any]:
        """Return the numbers of a table, without a ceiling that does not hold."""
        hidden = dict.fromkeys(("ceiling", "disattenuated", "lower", "upper"))
        return asdict(self) | ({} if self.holds else hidden)


@dataclass(frozen=True, eq=False)
class Answers:
    unit: Integers  # number of the output pair
    item: Integers  # code of the item
    first: Integers  # 1, 0 or −1: the system first by name, neither, the other
    second: Integers
    single: bool  # whether all are of one pair of systems

    @classmethod
    def find(cls, votes: Votes, judge: str, asked: str) -> Answers:
        """Find output pairs that a judge answered twice; the first two answers count."""
        rows = np.flatnonzero(votes.judge == votes.judges.index(judge))
        low_first = (votes.left < votes.right)[rows]
        if asked == ORDERS:
            first, second = (_take_once(votes.pair, rows[side]) for side in (low_first, ~low_first))
            both = np.intersect1d(votes.pair[first], votes.pair[second], assume_unique=True)
            first, second = (one[np.isin(votes.pair[one], both)] for one in (first, second))
        else:
            first = _take_once(votes.shown, rows)
            second = _take_once(votes.shown, np.setdiff1d(rows, first))
            first = first[np.isin(votes.shown[first], votes.shown[second])]
        sides = np.sort(np.stack([votes.left[first], votes.right[first]]), axis=0)
        single = not len(first) or bool((sides == sides[:, :1]).all())
        answer = votes.preferred.astype(np.int64)
        item = votes.item[first].astype(np.int64)
        return cls(votes.pair[first], item, answer[first], answer[second], single)

    def table(self) -> Array:
        """(n, 9) which cell each pair of answers is in, counted also with systems exchanged."""
        cells = np.zeros((len(self.unit), 3, 3))
        cells[np.arange(len(self.unit)), 1 - self.first, 1 - self.second] = 1
        if not self.single:
            cells = (cells + cells[:, ::-1, ::-1].transpose(0, 2, 1)) / 2
        return cells.reshape(-1, 9)


def _take_once(keys: Integers, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the first row of each key, in the order of keys."""
    return rows[np.unique(keys[rows], return_index=True)[1]]


def sum_items(values: Array, item: Integers) -> Array:
    items, code = np.unique(item, return_inverse=True)
    return sum_groups(code, values, len(items))


def correct_agreement(cells: Array) -> Ratio:
    """Return κ of (B, 9) counts."""
    tables = cells.reshape(-1, 3, 3)
    n = tables.sum(axis=(1, 2))
    n = np.where(n > 0, n, np.nan)
    observed = np.trace(tables, axis1=1, axis2=2) / n
    chance = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1) / n**2
    known = chance < 1
    return Ratio(np.where(known, observed - chance, 0.0), np.where(known, 1 - chance, 0.0))


def correlate(moments: Array) -> Array:
    """Return (B,) Pearson's r of (B, 6) sums of 1, x, y, x², y² and xy; NaN where none exists."""
    n, x, y, xx, yy, xy = moments.T
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = (xx - x**2 / n) * (yy - y**2 / n)
        return np.where(scale > 1e-12 * n**2, (xy - x * y / n) / np.sqrt(np.abs(scale)), np.nan)


def _list_moments(x: Array, y: Array, *, single: bool) -> Array:
    """Return (n, 6) terms of `correlate`; means are 0 where no system is the first."""
    sums = np.stack([np.ones(len(x)), x, y, x**2, y**2, x * y], axis=1)
    if not single:
        sums[:, 1:3] = 0.0
    return sums


def lengthen(r: Array) -> Array:
    """Return the reliability of the mean of two answers that correlate by r."""
    return np.asarray(2 * r / (1 + r))


def measure_repeats(
    votes: Votes, judge: str, asked: str, *, level: float = 0.95, seed: int = SEED
) -> Repeated | None:
    """Compare two answers of a judge to the same output pairs; None if there are none."""
    answers = Answers.find(votes, judge, asked)
    n = len(answers.unit)
    if not n:
        return None
    by_item = sum_items(answers.table(), answers.item)
    whole = by_item.sum(axis=0)
    kappa, interval = correct_agreement(whole[None]).value, Interval(None, None)
    if kappa is not None:
        interval = bound_by_items(by_item, correct_agreement, level=level, seed=seed)
    counts = np.zeros((3, 3), dtype=np.int64)
    np.add.at(counts, (1 - answers.first, 1 - answers.second), 1)
    x, y = answers.first.astype(np.float64), answers.second.astype(np.float64)
    moments = _list_moments(x, y, single=answers.single).sum(axis=0)
    r = float(correlate(moments[None])[0])
    first = second = p = None
    copies = False
    if asked == ORDERS:
        first, second = int(counts[0, 2]), int(counts[2, 0])
        tail = upper_tail(np.array([max(first, second)]), np.array([first + second]))
        p = min(1.0, 2 * float(tail[0]))
    else:
        copies = float(np.trace(counts)) > MAX_COPIES * n
    return Repeated(
        asked=asked,
        table=tuple(tuple(row) for row in counts.tolist()),
        pairs=n,
        consistent=float(np.trace(counts)) / n,
        kappa=kappa,
        lower=interval.lower,
        upper=interval.upper,
        reliability=float(lengthen(np.array(r))) if np.isfinite(r) and r > -1 else None,
        first_twice=first,
        second_twice=second,
        p=p,
        copies=copies,
    )


def find_ceiling(
    votes: Votes,
    judge: str,
    people: Sequence[str],
    asked: str,
    *,
    level: float = 0.95,
    seed: int = SEED,
) -> Ceiling | None:
    """Compare a judge's two answers with people's; None where too little is known."""
    answers = Answers.find(votes, judge, asked)
    codes = [votes.judges.index(one) for one in people]
    ours: Flags = np.isin(votes.judge, codes) & np.isin(votes.pair, answers.unit)
    unit, place = np.unique(votes.pair[ours], return_inverse=True)
    answer = votes.preferred[ours].astype(np.float64)
    n = np.bincount(place).astype(np.float64)
    if len(unit) < 2 or not (n > 1).any():
        return None
    mean = np.bincount(place, answer) / n
    within = np.maximum(np.bincount(place, answer**2) - n * mean**2, 0.0)
    order = np.argsort(answers.unit)
    at = order[np.searchsorted(answers.unit, unit, sorter=order)]
    first, second = (one[at].astype(np.float64) for one in (answers.first, answers.second))
    sides = (votes.left[ours].astype(np.int64), votes.right[ours].astype(np.int64))
    single = len(np.unique(np.sort(np.stack(sides), axis=0), axis=1).T) == 1
    terms = np.concatenate(
        [
            _list_moments(mean, (first + second) / 2, single=single),
            _list_moments(first, second, single=single),
            np.stack([1 / n, within, n - 1], axis=1),
        ],
        axis=1,
    )
    by_item = sum_items(terms, answers.item[at])
    whole = _disattenuate(by_item.sum(axis=0, keepdims=True), single=single)
    correlation, of_people, of_llm, ceiling = (float(one[0]) for one in whole)
    if not np.isfinite([correlation, of_people, of_llm]).all():
        return None
    corrected, interval = None, Interval(None, None)
    if min(of_people, of_llm) > MIN_RELIABILITY:
        corrected = correlation / ceiling

        def compute(sums: Array) -> Ratio:
            drawn, *_, limits = _disattenuate(sums, single=single)
            known = np.isfinite(drawn) & (limits > 0)
            return Ratio(np.where(known, drawn, 0.0), np.where(known, limits, 0.0))

        interval = bound_by_items(by_item, compute, level=level, seed=seed)
    reached = ceiling if ceiling > 0 else None
    numbers = (correlation, of_people, of_llm, reached, corrected)
    return Ceiling(len(unit), *numbers, interval.lower, interval.upper)


def _disattenuate(sums: Array, *, single: bool) -> tuple[Array, Array, Array, Array]:
    """Return (B,) correlation, reliability of people and of the LLM, and √ of their product."""
    n, y, _, yy = sums[:, :4].T
    inverse, within, spare = sums[:, 12:].T
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (yy - y**2 / n) / (n - single)  # where no system is the first, the mean is known
        people = 1 - within / spare * (inverse / n) / between
        llm = lengthen(correlate(sums[:, 6:12]))
        ceiling = np.sqrt(np.where((people > 0) & (llm > 0), people * llm, 0.0))
    return correlate(sums[:, :6]), people, llm, ceiling
