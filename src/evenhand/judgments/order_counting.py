"""How a table of rankings becomes orders, in the engine that holds it.

Ranks become digits: with the base b above the largest rank, a ranking is the number
Σ rank(system) · b^code(system), a few such numbers where systems are many. The engine sums within
rankings and counts equal sums, so that only different rankings leave it. An engine that cannot be
handed the table of powers gives its rows instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log2
from typing import Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.judgments.checks import check_labels, explain_empty, read_weights
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import leave_out_controls, say_left_out
from evenhand.judgments.counting import bind_to_task, name_levels
from evenhand.judgments.engine import COUNT, Columns, Frame, fetch_columns, label_frame
from evenhand.judgments.forms import Judgments, note_tasks, refuse_form
from evenhand.judgments.orders import NONE, Orders, importance_refused, orders_of_pairs, pack_orders
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.tally import Counts, Factor, Tally
from evenhand.judgments.vote_orders import order_votes
from evenhand.judgments.votes import Votes

EXACT: Final = 53  # Bits of a sum that every engine keeps, as a whole number or not
NUMBERS: Final = 16  # Most numbers a ranking may be written as; beyond it rows are fetched

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Triples:
    """One entry per ranked output: row of the ranking, system, rank; and what each row counts."""

    row: Integers
    system: Integers
    rank: Integers
    weights: Counts
    levels: list[str]


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
        own = at // self.per_number
        columns: dict[str, Sequence[str] | Integers] = {"system": self.systems}
        return columns | {name: np.where(own == i, power, 0) for i, name in enumerate(self.names)}

    def read(self, cells: Columns) -> tuple[Integers, Integers, Integers]:
        """Take numbers apart: row, system and rank of each ranked output."""
        found = []
        for i, name in enumerate(self.names):
            rest = cells[name].astype(np.int64)
            for place in range(self.per_number):
                rest, rank = np.divmod(rest, self.base)
                held = np.flatnonzero(rank)
                found.append((held, np.full(len(held), i * self.per_number + place), rank[held]))
        row, system, rank = (np.concatenate(part) for part in zip(*found, strict=True))
        return row, system, rank


def count_orders(data: Judgments | Orders, by: str | None = None) -> Orders:
    """Count the different rankings, perhaps by judge, item, task or a covariate."""
    if not isinstance(data, Comparisons | Rankings):
        return _count(data, by)
    kept = leave_out_controls(data)
    orders = _count(kept, by)
    return replace(orders, notes=(*say_left_out(data, kept), *orders.notes))


def _count(data: Judgments | Orders, by: str | None) -> Orders:
    if isinstance(data, Comparisons) and data.rankings is not None:
        data = _whole_rankings(data)
    if isinstance(data, Rankings):
        return _count_rankings(data, by)
    if isinstance(data, Orders):
        return _of_orders(data, by)
    if isinstance(data, Votes):
        orders = order_votes(data, by)
        return replace(orders, notes=(*note_tasks(data), *orders.notes))
    if not isinstance(data, Comparisons | Tally):
        raise refuse_form(data, "rankings")
    if isinstance(data, Tally):
        return orders_of_pairs(data, by)
    level = None if by is None else data.require(by)
    tally = data.tally() if level is None else data.tally(by=(level,))
    return replace(orders_of_pairs(tally, level), notes=note_tasks(data))


def _of_orders(data: Orders, by: str | None) -> Orders:
    if by is not None:
        raise UnknownOption(f"counted rankings are not told apart by {by}: give the rankings")
    return data.pool()


def _whole_rankings(pairs: Comparisons) -> Rankings:
    """Go back from pairs to the rankings that they were expanded from."""
    rankings = pairs.rankings
    if rankings is None or pairs.weights == "importance":
        raise importance_refused()
    rows = (
        int(fetch_columns(table.frame.select(nw.len().alias(COUNT)))[COUNT][0])
        for table in (pairs, rankings.comparisons())
    )
    if len(set(rows)) > 1:
        raise InvalidJudgments(
            f"some pairs of the rankings of {pairs.source.name} were left out, so that what is left"
            " are no whole rankings: choose rows when reading (where=), not after"
        )
    return rankings


def _count_rankings(data: Rankings, by: str | None) -> Orders:
    data.check()
    _refuse_merged(data)
    pairs = data.comparisons()
    level = None if by is None else pairs.require(by)
    if level in ("ranking", "weight"):
        raise UnknownOption(f"rankings cannot be told apart by {by}: each is one answer")
    kept, zero = data.frame, 0
    if data.has("weight"):
        zero = read_weights(pairs).zero
        kept = kept.filter(nw.col("weight") > 0)
    labels = ["system", *([level] if level else [])]
    named = bind_to_task(pairs, labels, name_levels(pairs, labels, kept))
    ranked = named.filter(nw.col("rank") > 0)
    top = (nw.len().alias(COUNT), nw.col("rank").max().alias("evenhand_top"))
    seen = fetch_columns(ranked.group_by("system").agg(*top))
    if not len(seen[COUNT]):
        raise explain_empty(pairs, zero)
    _check_names(pairs, ranked, "system", seen["system"].tolist())
    systems, base = sorted(seen["system"].tolist()), int(seen["evenhand_top"].max()) + 1
    parts = (name for name in ("task", "weight") if data.has(name))
    keys = list(dict.fromkeys(["ranking", *parts, *labels[1:]]))
    found = _sum_in_engine(data, ranked, _Digits(systems, base), keys, level)
    triples = found if found is not None else _fetch_rows(ranked, systems, keys, level)
    if level is not None:
        _check_names(pairs, ranked, level, triples.levels)
    orders = _pack(systems, triples, told_apart=level is not None)
    if not len(orders.weights):
        raise explain_empty(pairs, zero)
    return replace(orders, zero_weight=zero, notes=note_tasks(pairs))


def _check_names(pairs: Comparisons, frame: Frame, column: str, names: list[str]) -> None:
    """Refuse missing names and outer blanks, as in comparisons."""
    different: dict[str, Sequence[str | None]] = {column: list(dict.fromkeys(names))}
    check_labels(pairs, frame, {**different, "outcome": []})


def _refuse_merged(data: Rankings) -> None:
    """Refuse rankings in which one output stands for several systems."""
    if data.parts is not None:
        named = Counter(data.parts.labels)
        merged = max(named, key=named.__getitem__)
        raise InvalidJudgments(
            f"output '{merged}' of {data.source.name} stands for {named[merged]} systems, and a"
            " model of whole rankings has no place for systems without an order among them: expand"
            " the rankings into comparisons (BradleyTerry does), which leaves such pairs out"
        )


def _sum_in_engine(
    data: Rankings, ranked: Frame, digits: _Digits, keys: list[str], level: str | None
) -> _Triples | None:
    """Let the engine write rankings as numbers and count them; None where it cannot."""
    if len(digits.names) > NUMBERS:
        return None
    table = label_frame(ranked, digits.powers(), data.source.connection)
    if table is None:
        return None
    joined = ranked.join(table, on="system", how="inner")  # type: ignore[arg-type]
    rank = nw.col("rank").cast(nw.Int64)
    moved = joined.with_columns(*[(rank * nw.col(name)).alias(name) for name in digits.names])
    each = moved.group_by(*keys).agg(*[nw.col(name).sum() for name in digits.names])
    count = nw.col("weight").sum() if "weight" in keys else nw.len()
    groups = [*digits.names, *([level] if level else [])]
    cells = fetch_columns(each.group_by(*groups).agg(count.alias(COUNT)))
    row, system, place = digits.read(cells)
    levels = cells[level].tolist() if level else []
    return _Triples(row, system, place, cells[COUNT].astype(np.float64), levels)


def _fetch_rows(ranked: Frame, systems: list[str], keys: list[str], level: str | None) -> _Triples:
    """Fetch every ranked output; rankings are told apart here."""
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
    order = np.lexsort((triples.system, triples.rank, triples.row))
    row, system, rank = triples.row[order], triples.system[order], triples.rank[order]
    n = np.bincount(row, minlength=len(triples.weights))
    start = np.concatenate([[0], np.cumsum(n)])[:-1]
    column = np.arange(len(row)) - start[row]
    outputs = np.full((len(n), int(n.max())), NONE, dtype=np.int32)
    places = outputs.copy()
    outputs[row, column] = system
    fresh = np.r_[False, (rank[1:] != rank[:-1])] & (column > 0)
    place = np.cumsum(fresh)
    places[row, column] = place - place[start[row]]
    long = n > 1
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
    level = _level([triples.levels[i] for i in np.flatnonzero(long)], rows) if told_apart else None
    return pack_orders(rows.systems, rows, level)


def _level(labels: list[str], rows: Orders) -> Factor:
    """Return the factor of one label a ranking; loads are comparisons, as in a tally."""
    names, codes = np.unique(np.array(labels, dtype=object), return_inverse=True)
    n = rows.lengths
    pairs = rows.weights * (n * (n - 1) / 2)
    loads = np.asarray(np.bincount(codes, weights=pairs, minlength=len(names)), dtype=np.float64)
    return Factor(tuple(names.tolist()), codes.astype(np.int32), loads, len(names))
