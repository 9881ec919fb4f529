"""Orders: whole rankings as arrays, each different one once, with its count.

What a model of rankings needs is not which pairs were compared but who stood above whom in one
answer. A ranking of 5 outputs said a thousand times is one row here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data import coding, controls
from evenhand.data.comparisons import Comparisons
from evenhand.data.engine import count_rows
from evenhand.data.rankings import Rankings
from evenhand.data.tally import Codes, Counts, Factor, Tally, join_codes, number_codes
from evenhand.data.texts import say
from evenhand.data.votes import LEFT, RIGHT, TIE, Votes
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.numerics import Integers
from evenhand.numerics.cluster_means import number_groups

NONE = -1  # Stands behind the last output of a ranking that is shorter than the longest


@dataclass(frozen=True, eq=False)
class Orders:
    """Different rankings with their counts, best output first."""

    systems: tuple[str, ...]  # the K systems, sorted by name
    # (R, n) codes of the ranked outputs, best first and ties by code; −1 behind them
    outputs: Codes
    places: Codes  # (R, n) place of each, 0 the best, ties share one and none is skipped; −1 behind
    weights: Counts  # (R,) how often each ranking was given
    # what each row belongs to, such as its judge; None where nothing is distinguished
    level: Factor | None = None
    n_short: float = 0.0  # rankings of one output, which compare nothing and are no rows here
    zero_weight: int = 0  # rows of the table left out since their weight is zero
    notes: tuple[str, ...] = ()  # what must be said of the data, such as that tasks are pooled

    @property
    def lengths(self) -> NDArray[np.intp]:
        return np.asarray((self.outputs != NONE).sum(axis=1), dtype=np.intp)

    @property
    def n_judgments(self) -> float:
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
        one, two = np.triu_indices(self.outputs.shape[1], 1)
        row, pair = np.nonzero(self.outputs[:, two] != NONE)
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
    digits = [(column + 1, len(systems) + 1) for column in outputs.T]
    digits += [(column + 1, widest + 1) for column in places.T]
    if level is not None or not digits:
        codes = np.zeros(len(outputs), np.int32) if level is None else level.codes
        digits = [(codes, 1 if level is None else level.size), *digits]
    _, first, inverse = np.unique(join_codes(digits), return_index=True, return_inverse=True)
    weights = np.bincount(inverse.reshape(-1), weights=orders.weights, minlength=len(first))
    return replace(
        orders,
        systems=tuple(systems),
        outputs=outputs[first],
        places=places[first],
        weights=np.asarray(weights, dtype=np.float64),
        level=None if level is None else replace(level, codes=level.codes[first]),
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


# An answer on n outputs is whole if each of its n(n − 1)/2 pairs was voted on and some order with
# ties gives all of these outcomes. If some answer is not whole, none is taken for a ranking.


@dataclass(frozen=True, eq=False)
class _Triples:
    """One entry per ranked output: row of the ranking, system, rank; and what each row counts."""

    row: Integers
    system: Integers
    rank: Integers
    weights: Counts


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
        zero = coding.read_weights(pairs).zero
        frame = frame.filter(nw.col("weight") > 0)
    labels = ["system", *([level] if level else [])]
    names = [*dict.fromkeys((*labels, *data.key))]
    named = coding.bind_to_task(pairs, labels, coding.name_levels(pairs, names, frame))
    ranked = named.filter(nw.col("rank") > 0)
    numbers = ["rank", *(["weight"] if data.has("weight") else [])]
    known, fetch = coding.read_labels(ranked, names, numbers, data.source.connection)
    if not known["system"].names:
        raise coding.explain_empty(pairs, zero)
    for name in labels:
        coding.check_labels(pairs, ranked, {name: known[name].names, "outcome": []})
    columns = fetch()
    row = number_groups(*(columns[name] for name in dict.fromkeys((*data.key, *labels[1:]))))
    weights = np.ones(int(row.max()) + 1)
    if data.has("weight"):
        weights[row] = columns["weight"]
    rank = columns["rank"].astype(np.int64)
    outputs, places = _write_rows(_Triples(row, columns["system"], rank, weights))
    # Rankings of one output compare nothing
    long = (outputs != NONE).sum(axis=1) > 1
    present, codes = number_codes(outputs[long] + 1, len(known["system"].names) + 1)
    codes = codes - (0 in present)  # NONE is −1 again
    rows = Orders(
        tuple(known["system"].texts[at - 1] for at in present.tolist() if at),
        codes.astype(np.int32),
        places[long],
        weights[long],
        n_short=float(weights[~long].sum()),
        zero_weight=zero,
        notes=controls.note_tasks(pairs),
    )
    if not len(rows.weights):
        raise coding.explain_empty(pairs, zero)
    factor = None
    if level is not None:  # loads are comparisons, as in a tally
        of_row = np.empty(len(weights), dtype=np.int32)
        of_row[row] = columns[level]
        factor = Factor.of(known[level].texts, of_row[long])
        n = rows.weights * (rows.lengths * (rows.lengths - 1) / 2)
        loads = np.bincount(factor.codes, weights=n, minlength=factor.size)
        factor = replace(factor, loads=loads.astype(np.float64))
    return pack_orders(rows.systems, rows, factor)
