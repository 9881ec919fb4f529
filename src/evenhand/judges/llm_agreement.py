"""How far LLM judges agree with people, beside how far people agree with each other.

Of two judges of one unit (an output under a criterion, or an output pair) D is the squared distance
of their answers: of scores as they are, of preferences 1 where they differ. With the mean D over
all pairs of judges of a kind, and the D to expect if answers were exchanged between units,

    κ = 1 − D / D_expected

is the pairwise κ of preferences (neither system of a pair being the first one, so that chance is
that of ties), and the quadratically weighted κ of scores. The kinds are people with people, each
LLM judge with people, and LLM judges with each other. Of people first answers on a unit count;
those of an LLM judge, such as of both orders, share the weight of one.

When not to use it: to say that an LLM may replace a judge (`replacement`): κ with people is high
also where the LLM repeats what is easy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import RatingRows
from evenhand.data.votes import Votes
from evenhand.judges.counts import Ratio, draw_items, find_interval, refuse_interval
from evenhand.judges.preferences import leave_repeats
from evenhand.judges.units import Record, label_groups, sum_groups
from evenhand.numerics import Array, Flags, Integers
from evenhand.numerics.cluster_means import number_groups
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
    """Sums of the answers of some judges by unit."""

    name: str
    n: Array  # (U,) judges
    sums: Array  # (U, q) of their mean answers
    squares: Array  # (U,) of their mean squares
    own: Array  # (U,) of their variances: 0 where each answered once
    averaged: bool  # whether one answered several times

    @classmethod
    def of(cls, name: str, chosen: Flags, answers: _Answers) -> _Kind:
        unit, size = answers.unit[chosen], int(answers.unit.max(initial=-1)) + 1
        values, squares = answers.values[chosen], answers.squares[chosen]
        sums = sum_groups(unit, values, size)
        n = np.bincount(unit, minlength=size).astype(np.float64)
        own = np.bincount(unit, squares - (values**2).sum(axis=1), size)
        total = np.bincount(unit, squares, size)
        averaged = bool((answers.n[chosen] > 1).any())
        return cls(name, n, sums, total.astype(np.float64), own.astype(np.float64), averaged)

    def compare(self, other: _Kind) -> tuple[Array, Array]:
        """Return (U,) sums of D over pairs of judges, and numbers of pairs."""
        if other is self:
            apart = self.n * self.squares - (self.sums**2).sum(axis=1) - self.own
            return apart, self.n * (self.n - 1) / 2
        apart = other.n * self.squares + self.n * other.squares
        return apart - 2 * (self.sums * other.sums).sum(axis=1), self.n * other.n


@dataclass(frozen=True, eq=False)
class _Answers:
    """What each judge answered on each unit, (n,): a mean where several answers count."""

    judge: Integers
    unit: Integers
    values: Array  # (n, q)
    squares: Array
    n: Integers  # how many count

    @classmethod
    def of(cls, judge: NDArray[Any], unit: Integers, values: Array, several: Flags) -> _Answers:
        """several: (n,) answers of judges of whom all count; of others the first."""
        cell = number_groups(judge, unit)
        _, first = np.unique(cell, return_index=True)
        place = np.arange(len(cell))
        kept = np.flatnonzero(several | (place == first[cell]))
        n = np.bincount(cell[kept])
        sums = sum_groups(cell[kept], values[kept], len(first))
        squares = np.bincount(cell[kept], (values[kept] ** 2).sum(axis=1)) / n
        return cls(judge[first].astype(np.int64), unit[first], sums / n[:, None], squares, n)


def compare_kinds(
    data: Votes | RatingRows, llm_judges: Sequence[str], *, level: float, seed: int
) -> tuple[KindAgreement, ...]:
    """Compare people, LLM judges, and both; kinds that share no unit are left out."""
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
    answers = _Answers.of(data.judge, unit, values, np.isin(data.judge, codes))
    judge = answers.judge
    people = _Kind.of(PEOPLE, ~np.isin(judge, codes), answers)
    llms = [_Kind.of(data.judges[one], judge == one, answers) for one in codes]
    every = _Kind.of(LLMS, np.isin(judge, codes), answers)
    pairs = [(people, people), *((one, people) for one in llms), (every, every)]
    nominal = isinstance(data, Votes)
    found = (_measure(*pair, item, nominal=nominal, level=level, seed=seed) for pair in pairs)
    return tuple(one for one in found if one is not None)


def _measure(
    one: _Kind, other: _Kind, item: Integers, *, nominal: bool, level: float, seed: int
) -> KindAgreement | None:
    apart, pairs = one.compare(other)
    if not pairs.any():
        return None
    columns = [apart[:, None], pairs[:, None]]
    for kind in (one, other):
        columns += [kind.sums, kind.squares[:, None], kind.n[:, None]]
    values = np.concatenate(columns, axis=1)
    code = number_groups(item)
    by_item = sum_groups(code, values, int(code.max()) + 1)
    whole = by_item.sum(axis=0, keepdims=True)
    kappa = _correct(whole, nominal=nominal).value
    lower = upper = None
    held = by_item[by_item[:, 1] > 0]
    if kappa is not None and refuse_interval(len(held), "item") is None:
        interval = find_interval(_correct(draw_items(by_item, seed), nominal=nominal), level)
        lower, upper = interval.lower, interval.upper
    return KindAgreement(
        one.name,
        other.name,
        units=int((pairs > 0).sum()),
        pairs=int(pairs.sum()),
        same=1 - float(whole[0, 0] / whole[0, 1]) if nominal else None,
        kappa=kappa,
        lower=lower,
        upper=upper,
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
            *("κ is weighted by squared distances of scores",) * scores,
            *("several verdicts of an LLM judge on one output share the weight of one",) * averaged,
        ),
        without=("of",),
    )
