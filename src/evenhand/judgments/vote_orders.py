"""Votes become whole rankings again, where every answer is one; else each is a ranking of two.

An answer on n outputs is whole if each of its n(n − 1)/2 pairs was voted on and some order with
ties gives all of these outcomes. Part of an answer, such as what a random draw of votes leaves of
it, is none: if some answer is not whole, no answer is taken for one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownOption
from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.orders import NONE, Orders, orders_of_pairs, pack_orders
from evenhand.judgments.tally import Codes, Factor
from evenhand.judgments.votes import LEFT, RIGHT, TIE, Votes

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Members:
    """Systems of each answer: one entry per output that was ranked in it."""

    answer: Integers  # (m,) number of the answer
    system: Integers  # (m,) code of the system
    above: Integers  # (m,) how many of the others stood above it
    weight: Integers  # (answers,) how often each was given


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The different pairs of all answers."""

    answer: Integers  # (c,) number of the answer
    low: Codes  # (c,) code of the system that is first by name
    high: Codes  # (c,) code of the other
    told: NDArray[np.int8]  # (c,) LEFT where the first by name was preferred, TIE or RIGHT
    clear: NDArray[np.bool_]  # (c,) whether it was told once, or alike in all copies of the answer
    weight: Integers  # (answers,) how often each was given


def order_votes(votes: Votes, by: str | None = None) -> Orders:
    """Return the rankings that votes hold; systems that no vote is on keep their codes."""
    if by == "ranking":
        raise UnknownOption("rankings cannot be told apart by ranking: each is one answer")
    if votes.answer is None:
        return _pairs(votes, by)
    members, broken = _read_answers(votes, votes.answer)
    if members is None:
        said = f"{broken:,} answer{' is' if broken == 1 else 's are'} no whole ranking"
        note = f"{said}{'s' * (broken > 1)}: each comparison counts as a ranking of two"
        return replace(_pairs(votes, by), notes=(note,))
    rows = _write(votes, members)
    level = None if by is None else _level(votes, by, rows)
    return pack_orders(votes.systems, rows, level)


def _pairs(votes: Votes, by: str | None) -> Orders:
    """Return each vote as a ranking of two."""
    tally = votes.tally(() if by is None else (by,))
    return orders_of_pairs(replace(tally, n_judgments=tally.n_comparisons), by)


def _read_answers(votes: Votes, given: Codes) -> tuple[_Members | None, int]:
    """Return who stood where in each answer, or None and how many answers are not whole."""
    pairs = _pair_up(votes, given)
    answer, k = pairs.answer, len(votes.systems)
    keys = [answer * k + side for side in (pairs.low, pairs.high)]
    member, at = np.unique(np.concatenate(keys), return_inverse=True)
    one, other = at[: len(answer)], at[len(answer) :]
    beaten = np.where(pairs.told == LEFT, other, one)[pairs.told != TIE]
    above = np.bincount(beaten, minlength=len(member))
    lead = np.sign(above[other] - above[one])
    whole = np.ones(len(pairs.weight), dtype=np.bool_)
    whole[answer[~pairs.clear | (lead != 1 - pairs.told)]] = False
    owner, system = np.divmod(member, k)
    n = np.bincount(owner, minlength=len(whole))
    whole &= np.bincount(answer, minlength=len(whole)) == n * (n - 1) // 2
    if not whole.all():
        return None, int((~whole).sum())
    return _Members(owner, system, above.astype(np.int64), pairs.weight), 0


def _pair_up(votes: Votes, given: Codes) -> _Pairs:
    """Write each pair of an answer once, first by name first."""
    _, owner = np.unique(given, return_inverse=True)
    k, m = len(votes.systems), int(owner.max(initial=-1)) + 1
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    told = np.where(votes.left > votes.right, RIGHT - votes.outcome, votes.outcome)
    key = join_codes([(owner.astype(np.int32), m), (low, k), (high, k)])
    _, first, pair, times = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    agreed = np.bincount(pair, told != told[first][pair], minlength=len(first)) == 0
    answer = owner[first].astype(np.int64)
    weight = np.zeros(m, dtype=np.int64)
    weight[answer] = times
    once = (times == 1) | (votes.counted & (times == weight[answer]))
    return _Pairs(answer, low[first], high[first], told[first], agreed & once, weight)


def _write(votes: Votes, members: _Members) -> Orders:
    """Write one ranking in each row, best first and ties by code."""
    order = np.lexsort((members.system, members.above, members.answer))
    row, system, above = members.answer[order], members.system[order], members.above[order]
    n = np.bincount(row, minlength=len(members.weight))
    start = np.concatenate([[0], np.cumsum(n)])[:-1]
    column = np.arange(len(row)) - start[row]
    outputs = np.full((len(n), int(n.max(initial=0))), NONE, dtype=np.int32)
    places = outputs.copy()
    outputs[row, column] = system
    fresh = np.r_[np.zeros(1, np.bool_), above[1:] != above[:-1]][: len(row)] & (column > 0)
    place = np.cumsum(fresh)
    places[row, column] = place - place[start[row]]
    return Orders(votes.systems, outputs, places, members.weight.astype(np.float64))


def _level(votes: Votes, by: str, rows: Orders) -> Factor:
    """Return the level of each answer; loads are comparisons, as in a tally."""
    tally = votes.tally(("ranking", by))
    factor, owner = tally.factor(by), tally.factor("ranking").codes
    codes = np.zeros(len(rows.weights), dtype=np.int32)
    codes[owner] = factor.codes
    return replace(factor, codes=codes)
