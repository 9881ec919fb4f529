"""Rankings for tests: from text such as "P>Q=R>S", by brute force, at random."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import narwhals as nw
import numpy as np
import polars as pl

from evenhand.data.orders import NONE, Orders, pack_orders
from evenhand.data.rankings import Rankings


def ranked(rows: Sequence[tuple[str, float]], systems: Sequence[str] = ()) -> Orders:
    """Orders from texts with counts; systems are single words, "=" ties and ">" puts below."""
    parsed = [[group.split("=") for group in text.split(">")] for text, _ in rows]
    used = {name for groups in parsed for group in groups for name in group}
    names = tuple(systems) or tuple(sorted(used))
    entries = [
        [(names.index(name), place) for place, group in enumerate(groups) for name in sorted(group)]
        for groups in parsed
    ]
    widest = max(map(len, entries))
    table = np.full((2, len(rows), widest), NONE, dtype=np.int32)
    for i, entry in enumerate(entries):
        table[:, i, : len(entry)] = np.array(entry).T
    weights = np.array([count for _, count in rows], dtype=float)
    return pack_orders(names, Orders(names, table[0], table[1], weights), None)


def table_of(rows: Sequence[tuple[str, int]], judges: str = "abcdefg", weight: int = 1) -> Rankings:
    """A table with one ranked output a row, its ranking repeated as often as it counts.

    Judges take turns.
    """
    names = ("ranking", "judge", "system", "rank", "weight")
    columns: dict[str, list] = {name: [] for name in names}
    number = 0
    for text, count in rows:
        for _ in range(count):
            number += 1
            for rank, group in enumerate(text.split(">"), start=1):
                for name in group.split("="):
                    columns["ranking"].append(f"r{number}")
                    columns["judge"].append(judges[(number - 1) % len(judges)])
                    columns["system"].append(name)
                    columns["rank"].append(rank)
                    columns["weight"].append(weight)
    return Rankings(nw.from_native(pl.DataFrame(columns)))


@cache
def all_rankings(outputs: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """Every ranking of some outputs with ties."""
    return tuple(_walk(outputs))


def _walk(outputs: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ...]]:
    if not outputs:
        yield ()
    for size in range(1, len(outputs) + 1):
        for first in combinations(outputs, size):
            rest = tuple(name for name in outputs if name not in first)
            for behind in _walk(rest):
                yield (first, *behind)


def draw_luce(worths: np.ndarray, n: int, among: int, rng: np.random.Generator) -> np.ndarray:
    """(n, among) codes best first: Plackett-Luce rankings of random sets of outputs."""
    k = len(worths)
    shown = np.argsort(rng.random((n, k)), axis=1)[:, :among]
    # arriving first of independent exponentials with rates π is Luce's choice, again and again
    arrival = rng.exponential(size=(n, among)) / np.exp(worths[shown])
    return np.take_along_axis(shown, np.argsort(arrival, axis=1), axis=1)


def without_ties(codes: np.ndarray, systems: Sequence[str]) -> Orders:
    """Orders from (n, m) codes best first."""
    places = np.tile(np.arange(codes.shape[1], dtype=np.int32), (len(codes), 1))
    rows = Orders(tuple(systems), codes.astype(np.int32), places, np.ones(len(codes)))
    return pack_orders(rows.systems, rows, None)
