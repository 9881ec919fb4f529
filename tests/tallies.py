"""Tallies and tables of comparisons for tests: by hand, from golden entries, at random."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from hypothesis import assume
from hypothesis import strategies as st

from evenhand.data.comparisons import Comparisons
from evenhand.data.tally import Factor, Tally
from evenhand.models.existence import check_existence
from golden_numbers import Golden


def tally(*rows: tuple, systems: Sequence[str] = (), factor: str = "judge") -> Tally:
    """Count (left, right, wins, ties, losses), perhaps with the level of a factor at the end."""
    names = tuple(systems) or tuple(sorted({name for row in rows for name in row[:2]}))
    sides = (np.array([names.index(row[side]) for row in rows], dtype=np.int32) for side in (0, 1))
    counts = np.array([row[2:5] for row in rows], dtype=float).reshape(-1, 3)
    factors = {}
    if rows and len(rows[0]) > 5:
        labels, codes = np.unique([row[5] for row in rows], return_inverse=True)
        loads = np.bincount(codes, counts.sum(axis=1))
        levels = tuple(labels.tolist())
        factors = {factor: Factor(levels, codes.astype(np.int32), loads, len(labels))}
    return Tally(names, *sides, *counts.T.copy(), factors, float(counts.sum()))


def dras(entry: Golden) -> Tally:
    """Table 1 of Dras (2015), by judge, as the entries of golden 02 and 06 hold it."""
    systems, judges = entry.input["systems"], entry.input["judges"]
    rows = [(systems[i], systems[j], *n, judges[g]) for g, i, j, *n in entry.input["cells"]]
    return tally(*rows)


def table(rows: Sequence[Sequence[Any]], columns: Sequence[str], **settings: Any) -> Comparisons:
    """Comparisons on a Polars frame, whose columns play the role of their name."""
    frame = pl.DataFrame([list(row) for row in rows], schema=list(columns), orient="row")
    return Comparisons(nw.from_native(frame), **settings)


def shuffled(one: Tally, seed: int) -> Tally:
    """The same entries in another order."""
    order = np.random.Generator(np.random.PCG64(seed)).permutation(len(one.left))
    return _rows(one, order)


def doubled(one: Tally) -> Tally:
    """Every judgment counted twice."""
    return replace(
        one,
        wins=2 * one.wins,
        ties=2 * one.ties,
        losses=2 * one.losses,
        n_judgments=2 * one.n_judgments,
    )


def mirrored(one: Tally) -> Tally:
    """Left and right exchanged, and so the outcomes."""
    return replace(one, left=one.right, right=one.left, wins=one.losses, losses=one.wins)


def renamed(one: Tally, order: Sequence[int]) -> Tally:
    """The same judgments; what was system i is now the name at place order[i]."""
    place = np.asarray(order, dtype=np.int32)
    return replace(one, left=place[one.left], right=place[one.right])


def _rows(one: Tally, rows: np.ndarray) -> Tally:
    factors = {name: replace(f, codes=f.codes[rows]) for name, f in one.factors.items()}
    kept = ("left", "right", "wins", "ties", "losses")
    return replace(one, **{name: getattr(one, name)[rows] for name in kept}, factors=factors)


def simulate(
    worths: Sequence[float], n: int, seed: int, *, gamma: float = -0.5, order: float = 0.0
) -> Tally:
    """Draw n comparisons of random pairs from Davidson's model; worths on the λ scale."""
    rng = np.random.Generator(np.random.PCG64(seed))
    k, value = len(worths), np.asarray(worths)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    eta = value[left] - value[right] + order
    scores = np.exp(np.stack([eta, np.full(n, gamma), -eta], axis=1))
    chances = (scores / scores.sum(axis=1, keepdims=True)).cumsum(axis=1)
    seen = (rng.random(n)[:, None] > chances[:, :2]).sum(axis=1)
    counts = np.eye(3)[seen].T.copy()
    names = tuple(f"s{i:04d}" for i in range(k))
    sides = left.astype(np.int32), right.astype(np.int32)
    return Tally(names, *sides, *counts, {}, float(n)).pool()


@st.composite
def connected_tallies(draw: st.DrawFn, *, ties: str = "davidson", order: bool = False) -> Tally:
    """Small tallies in both orders of which a maximum-likelihood estimate exists."""
    k = draw(st.integers(2, 4))
    names = tuple("ABCD"[:k])
    pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
    cell = st.tuples(*[st.integers(0, 6)] * 3)
    counts = draw(st.lists(cell, min_size=len(pairs), max_size=len(pairs)))
    rows = [(names[i], names[j], *n) for (i, j), n in zip(pairs, counts, strict=True) if any(n)]
    assume(rows)
    one = tally(*rows, systems=names)
    rule = "rao-kupper" if ties == "glenn-david" else ties
    try:
        check_existence(one, ties=rule, order_effect=order)
    except ValueError:
        assume(condition=False)
    return one
