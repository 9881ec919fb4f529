"""Orders: whole rankings as arrays, each different one once, with its count.

What a model of rankings needs is not which pairs were compared but who stood above whom in one
answer. A ranking of 5 outputs said a thousand times is one row here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import floor, log2
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data import controls
from evenhand.data.coding import (
    bind_to_task,
    check_labels,
    explain_empty,
    name_levels,
    read_weights,
)
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import (
    COUNT,
    Columns,
    Frame,
    count_by,
    count_rows,
    fetch_columns,
    label_frame,
)
from evenhand.data.rankings import Rankings
from evenhand.data.tally import Codes, Counts, Factor, Tally, join_codes
from evenhand.data.texts import say
from evenhand.data.votes import LEFT, RIGHT, TIE, Votes
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.numerics import Integers

NONE = -1  # Stands behind the last output of a ranking that is shorter than the longest


@dataclass(frozen=True, eq=False)
class Orders:
    """Different rankings with their counts, best output first."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    # (R, n) codes of the ranked outputs, best first and ties by code; −1 behind them
    outputs: Codes
    places: Codes  # (R, n) place of each, 0 the best, ties share one and none is skipped; −1 behind
    weights: Counts  # (R,) how often each ranking was given
    # what each row belongs to, such as its judge; None where nothing is told apart
    level: Factor | None = None
    n_short: float = 0.0  # rankings of one output, which compare nothing and are no rows here
    zero_weight: int = 0  # rows of the table left out since their weight is zero
    notes: tuple[str, ...] = ()  # what must be said of the data, such as that tasks are pooled

    @property
    def lengths(self) -> NDArray[np.intp]:
        """(R,) number of ranked outputs."""
        return np.asarray((self.outputs != NONE).sum(axis=1), dtype=np.intp)

    @property
    def n_judgments(self) -> float:
        """Number of rankings that compare something."""
        return float(self.weights.sum())

    @property
    def n_comparisons(self) -> float:
        """Number of pairs that they hold, n(n − 1)/2 each."""
        n = self.lengths
        return float(self.weights @ (n * (n - 1) / 2))

    def sizes(self) -> NDArray[np.intp]:
        """(R, n) number of outputs that share a place; 0 where there is no such place."""
        rows, columns = self.outputs.shape
        flat = np.arange(rows)[:, None] * columns + self.places
        counted = np.bincount(flat[self.places != NONE], minlength=rows * columns)
        return np.asarray(counted.reshape(rows, columns), dtype=np.intp)

    def pool(self) -> Orders:
        """Forget whom rankings belong to; equal ones become one row."""
        return replace(pack_orders(self.systems, self, None), notes=self.notes)

    def tally(self) -> Tally:
        """Return the pairs that the rankings hold, folded; what connects systems is seen there."""
        n = self.outputs.shape[1]
        one, two = np.triu_indices(n, 1)
        both = self.outputs[:, two] != NONE
        row, pair = np.nonzero(both)
        first, second = self.outputs[row, one[pair]], self.outputs[row, two[pair]]
        tied = self.places[row, one[pair]] == self.places[row, two[pair]]
        weight = self.weights[row]
        none = np.zeros_like(weight)
        wins, ties = np.where(tied, none, weight), np.where(tied, weight, none)
        sides = first.astype(np.int32), second.astype(np.int32)
        pairs = Tally(self.systems, *sides, wins, ties, none, n_judgments=self.n_judgments)
        return pairs.fold() if len(row) else pairs


def pack_orders(systems: Sequence[str], orders: Orders, level: Factor | None) -> Orders:
    """Write equal rankings (of one level) as one row, in an order that the input does not change.

    systems: names behind the codes.
    """
    widest = int(orders.lengths.max(initial=0))
    outputs, places = orders.outputs[:, :widest], orders.places[:, :widest]
    level_codes = np.zeros(len(outputs), np.int32) if level is None else level.codes
    table = np.column_stack([level_codes, outputs, places]).astype(np.int32)
    rows, inverse = np.unique(table, axis=0, return_inverse=True)
    weights = np.bincount(inverse.reshape(-1), weights=orders.weights, minlength=len(rows))
    return replace(
        orders,
        systems=tuple(systems),
        outputs=np.ascontiguousarray(rows[:, 1 : 1 + widest]),
        places=np.ascontiguousarray(rows[:, 1 + widest :]),
        weights=np.asarray(weights, dtype=np.float64),
        level=None if level is None else replace(level, codes=np.ascontiguousarray(rows[:, 0])),
    )


def orders_of_pairs(tally: Tally, by: str | None = None) -> Orders:
    if tally.squares is not None:
        raise importance_refused()
    if tally.n_judgments < tally.n_comparisons * (1 - 1e-9):
        raise InvalidJudgments(
            "these are pairs that were expanded from rankings or merged outputs, and no longer say"
            " which belong to one answer: fit the model to the rankings themselves"
        )
    left, right = tally.left, tally.right
    low, high = np.minimum(left, right), np.maximum(left, right)
    outputs = np.concatenate([np.stack(p, 1) for p in ((left, right), (low, high), (right, left))])
    places = np.zeros_like(outputs)
    places[:, 1] = np.repeat([1, 0, 1], len(left))
    weights = np.concatenate([tally.wins, tally.ties, tally.losses])
    held = weights > 0
    rows = Orders(
        tally.systems, outputs[held], places[held], weights[held], zero_weight=tally.zero_weight
    )
    level = None if by is None else tally.factor(by)
    if level is not None:
        level = replace(level, codes=np.tile(level.codes, 3)[held])
    return pack_orders(tally.systems, rows, level)


def importance_refused() -> InvalidJudgments:
    return InvalidJudgments(
        "importance weights do not count rankings: a model of whole rankings takes frequencies"
        " (a row stands for that many); expand them into comparisons to weigh them"
    )


# Votes become whole rankings again, where every answer is one; else each is a ranking of two.
#
# An answer on n outputs is whole if each of its n(n − 1)/2 pairs was voted on and some order with
# ties gives all of these outcomes. Part of an answer, such as what a random draw of votes leaves of
# it, is none: if some answer is not whole, no answer is taken for one.


@dataclass(frozen=True, eq=False)
class _Triples:
    """One entry per ranked output: row of the ranking, system, rank; and what each row counts."""

    row: Integers
    system: Integers
    rank: Integers
    weights: Counts
    levels: list[str] = field(default_factory=list)


def order_votes(votes: Votes, by: str | None = None) -> Orders:
    """Return the rankings that votes hold; systems that no vote is on keep their codes."""
    if by == "ranking":
        raise UnknownOption("rankings cannot be distinguished by ranking: each is one answer")
    if votes.answer is None:
        return _pairs(votes, by)
    answers = _read_answers(votes, votes.answer)
    if isinstance(answers, int):
        return replace(_pairs(votes, by), notes=(say("broken-rankings", answers=answers),))
    rows = Orders(votes.systems, *_write_rows(answers), answers.weights)
    level = None
    if by is not None:  # of each answer; loads are comparisons, as in a tally
        tally = votes.tally(("ranking", by))
        codes = np.zeros(len(rows.weights), dtype=np.int32)
        codes[tally.factor("ranking").codes] = tally.factor(by).codes
        level = replace(tally.factor(by), codes=codes)
    return pack_orders(votes.systems, rows, level)


def _write_rows(ranked: _Triples) -> tuple[Codes, Codes]:
    """Write one ranking in each row, best first and ties by code; return outputs and places."""
    order, size = np.lexsort((ranked.system, ranked.rank, ranked.row)), len(ranked.weights)
    row, system, rank = ranked.row[order], ranked.system[order], ranked.rank[order]
    n = np.bincount(row, minlength=size)
    start = np.concatenate([[0], np.cumsum(n)])[:-1]
    column = np.arange(len(row)) - start[row]
    outputs = np.full((size, int(n.max(initial=0))), NONE, dtype=np.int32)
    places = outputs.copy()
    outputs[row, column] = system
    fresh = np.r_[np.zeros(1, np.bool_), rank[1:] != rank[:-1]][: len(row)] & (column > 0)
    place = np.cumsum(fresh)
    places[row, column] = place - place[start[row]]
    return outputs, places


def _pairs(votes: Votes, by: str | None) -> Orders:
    tally = votes.tally(() if by is None else (by,))
    return orders_of_pairs(replace(tally, n_judgments=tally.n_comparisons), by)


def _read_answers(votes: Votes, given: Codes) -> _Triples | int:
    """Return how many others stood above each output, or how many answers are not whole."""
    _, owner = np.unique(given, return_inverse=True)
    k, m = len(votes.systems), int(owner.max(initial=-1)) + 1
    # Each pair of an answer once, first by name first
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    outcome = np.where(votes.left > votes.right, RIGHT - votes.outcome, votes.outcome)
    key = join_codes([(owner.astype(np.int32), m), (low, k), (high, k)])
    _, first, pair, times = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    agreed = np.bincount(pair, outcome != outcome[first][pair], minlength=len(first)) == 0
    answer, outcome = owner[first].astype(np.int64), outcome[first]
    weight = np.zeros(m, dtype=np.int64)
    weight[answer] = times
    # A pair is told once, or alike in all copies of the answer
    clear = agreed & ((times == 1) | (votes.counted & (times == weight[answer])))
    keys = [answer * k + side[first] for side in (low, high)]
    member, at = np.unique(np.concatenate(keys), return_inverse=True)
    one, other = at[: len(answer)], at[len(answer) :]
    beaten = np.where(outcome == LEFT, other, one)[outcome != TIE]
    above = np.bincount(beaten, minlength=len(member))
    lead = np.sign(above[other] - above[one])
    whole = np.ones(m, dtype=np.bool_)
    whole[answer[~clear | (lead != 1 - outcome)]] = False
    owner, system = np.divmod(member, k)
    n = np.bincount(owner, minlength=m)
    whole &= np.bincount(answer, minlength=m) == n * (n - 1) // 2
    if not whole.all():
        return int((~whole).sum())
    return _Triples(owner, system, above.astype(np.int64), weight.astype(np.float64))


# How a table of rankings becomes orders, in the engine that holds it.
#
# Ranks become digits: with the base b above the largest rank, a ranking is the number
# Σ rank(system) · b^code(system), a few such numbers where systems are many. The engine sums within
# rankings and counts equal sums, so that only different rankings leave it. An engine that cannot be
# handed the table of powers gives its rows instead.
EXACT: Final = 53  # Bits of a sum that every engine keeps, as a whole number or not
NUMBERS: Final = 16  # Most numbers a ranking may be written as; beyond it rows are fetched


@dataclass(frozen=True, eq=False)
class _Digits:
    """How rankings are written as numbers: `per_number` systems each, in base `base`."""

    systems: list[str]
    base: int

    @property
    def per_number(self) -> int:
        return max(floor(EXACT / log2(self.base)), 1)

    @property
    def names(self) -> list[str]:
        return [f"evenhand_{i}" for i in range(-(-len(self.systems) // self.per_number))]

    def powers(self) -> dict[str, Sequence[str] | Integers]:
        """One row a system: its power in its own number, 0 in the others."""
        at = np.arange(len(self.systems))
        power = np.array([self.base ** int(i % self.per_number) for i in at], dtype=np.int64)
        number = at // self.per_number
        powers = {name: np.where(number == i, power, 0) for i, name in enumerate(self.names)}
        return {"system": self.systems, **powers}

    def read(self, cells: Columns) -> tuple[Integers, Integers, Integers]:
        triples = []
        for i, name in enumerate(self.names):
            rest = cells[name].astype(np.int64)
            for place in range(self.per_number):
                rest, rank = np.divmod(rest, self.base)
                held = np.flatnonzero(rank)
                triples.append((held, np.full(len(held), i * self.per_number + place), rank[held]))
        row, system, rank = (np.concatenate(part) for part in zip(*triples, strict=True))
        return row, system, rank


def count_orders(data: controls.Judgments | Orders, by: str | None = None) -> Orders:
    if not isinstance(data, Comparisons | Rankings):
        return _count(data, by)
    remaining = controls.leave_out_controls(data)
    orders = _count(remaining, by)
    return replace(orders, notes=(*controls.say_left_out(data, remaining), *orders.notes))


def _count(data: controls.Judgments | Orders, by: str | None) -> Orders:
    if isinstance(data, Comparisons) and data.rankings is not None:
        rankings = data.rankings
        if not isinstance(rankings, Rankings) or data.weights == "importance":
            raise importance_refused()
        if count_rows(data.frame) != count_rows(rankings.comparisons().frame):
            raise InvalidJudgments(
                f"some pairs of the rankings of {data.source.name} were excluded, so that what is"
                " left are no whole rankings: choose rows when reading (where=), not after"
            )
        data = rankings
    if isinstance(data, Rankings):
        return _count_rankings(data, by)
    if isinstance(data, Orders) and by is not None:
        raise UnknownOption(f"counted rankings are not distinguished by {by}: give the rankings")
    if isinstance(data, Orders):
        return data.pool()
    if isinstance(data, Votes):
        orders = order_votes(data, by)
        return replace(orders, notes=(*controls.note_tasks(data), *orders.notes))
    if not isinstance(data, Comparisons | Tally):
        raise controls.refuse_form(data, "rankings")
    if isinstance(data, Tally):
        return orders_of_pairs(data, by)
    level = None if by is None else data.require(by)
    tally = data.tally() if level is None else data.tally(by=(level,))
    return replace(orders_of_pairs(tally, level), notes=controls.note_tasks(data))


def _count_rankings(data: Rankings, by: str | None) -> Orders:
    data.check()
    if data.parts is not None:
        counted = Counter(data.parts.labels)
        merged = max(counted, key=counted.__getitem__)
        raise InvalidJudgments(
            f"output '{merged}' of {data.source.name} stands for {counted[merged]} systems, and a"
            " model of whole rankings has no place for systems without an order among them: expand"
            " the rankings into comparisons (BradleyTerry does), which leaves such pairs out"
        )
    pairs = data.comparisons()
    level = None if by is None else pairs.require(by)
    if level in ("ranking", "weight"):
        raise UnknownOption(f"rankings cannot be distinguished by {by}: each is one answer")
    frame, zero = data.frame, 0
    if data.has("weight"):
        zero = read_weights(pairs).zero
        frame = frame.filter(nw.col("weight") > 0)
    labels = ["system", *([level] if level else [])]
    named = bind_to_task(pairs, labels, name_levels(pairs, labels, frame))
    ranked = named.filter(nw.col("rank") > 0)
    top = (nw.len().alias(COUNT), nw.col("rank").max().alias("evenhand_top"))
    seen = count_by(ranked, ["system"], *top)
    if not len(seen[COUNT]):
        raise explain_empty(pairs, zero)
    _check_names(pairs, ranked, "system", seen["system"].tolist())
    systems, base = sorted(seen["system"].tolist()), int(seen["evenhand_top"].max()) + 1
    parts = (name for name in ("task", "weight") if data.has(name))
    keys = list(dict.fromkeys(["ranking", *parts, *labels[1:]]))
    # The engine writes rankings as numbers and counts them, where it can
    digits, summed = _Digits(systems, base), None
    if len(digits.names) <= NUMBERS:
        table = label_frame(ranked, digits.powers(), data.source.connection)
        if table is not None:
            joined = ranked.join(table, on="system", how="inner")  # type: ignore[arg-type]
            rank = nw.col("rank").cast(nw.Int64)
            moved = joined.with_columns(
                *[(rank * nw.col(name)).alias(name) for name in digits.names]
            )
            each = moved.group_by(*keys).agg(*[nw.col(name).sum() for name in digits.names])
            count = nw.col("weight").sum() if "weight" in keys else nw.len()
            groups = [*digits.names, *([level] if level else [])]
            cells = count_by(each, groups, count.alias(COUNT))
            row, system, place = digits.read(cells)
            levels = cells[level].tolist() if level else []
            summed = _Triples(row, system, place, cells[COUNT].astype(np.float64), levels)
    triples = summed if summed is not None else _fetch_rows(ranked, systems, keys, level)
    if level is not None:
        _check_names(pairs, ranked, level, triples.levels)
    orders = _pack(systems, triples, told_apart=level is not None)
    if not len(orders.weights):
        raise explain_empty(pairs, zero)
    return replace(orders, zero_weight=zero, notes=controls.note_tasks(pairs))


def _check_names(pairs: Comparisons, frame: Frame, column: str, names: list[str]) -> None:
    different: dict[str, Sequence[str | None]] = {column: list(dict.fromkeys(names))}
    check_labels(pairs, frame, {**different, "outcome": []})


def _fetch_rows(ranked: Frame, systems: list[str], keys: list[str], level: str | None) -> _Triples:
    cells = fetch_columns(ranked.select(*dict.fromkeys([*keys, "system", "rank"])))
    code = {system: i for i, system in enumerate(systems)}
    system = np.fromiter(map(code.__getitem__, cells["system"].tolist()), dtype=np.int64)
    rank = cells["rank"].astype(np.int64)
    names = list(zip(*(cells[key].tolist() for key in keys), strict=True))
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    row = np.fromiter(map(number.__getitem__, names), dtype=np.int64)
    weights = np.ones(len(number))
    if "weight" in keys:
        weights = np.array([name[keys.index("weight")] for name in number], dtype=np.float64)
    levels = [name[keys.index(level)] for name in number] if level else []
    return _Triples(row, system, rank, weights, levels)


def _pack(systems: list[str], triples: _Triples, *, told_apart: bool) -> Orders:
    """Put one ranking in each row, count those of one output, and write equal ones once."""
    outputs, places = _write_rows(triples)
    long = (outputs != NONE).sum(axis=1) > 1
    used = np.unique(outputs[long][outputs[long] != NONE])
    at = np.full(len(systems) + 1, NONE, dtype=np.int32)
    at[used] = np.arange(len(used))
    rows = Orders(
        tuple(systems[i] for i in used.tolist()),
        at[outputs[long]],
        places[long],
        triples.weights[long],
        n_short=float(triples.weights[~long].sum()),
    )
    level = None
    if told_apart:  # loads are comparisons, as in a tally
        labels = np.array([triples.levels[i] for i in np.flatnonzero(long)], dtype=object)
        names, codes = np.unique(labels, return_inverse=True)
        pairs = rows.weights * (rows.lengths * (rows.lengths - 1) / 2)
        loads = np.bincount(codes, weights=pairs, minlength=len(names)).astype(np.float64)
        level = Factor(tuple(names.tolist()), codes.astype(np.int32), loads, len(names))
    return pack_orders(rows.systems, rows, level)
