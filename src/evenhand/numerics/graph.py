"""Directed graphs on edge arrays: who can be reached from whom, and which differences can hold.

Everything is a few sweeps of array operations over the edges. Only `strong_components`, which is
asked for when something has failed and must be named, is scipy's, whose import takes time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.numerics import Array, Flags

if TYPE_CHECKING:
    from scipy import sparse

    Design: TypeAlias = Array | sparse.csr_array

Integers = NDArray[np.intp]

# Sweeps over all edges before they are sorted by source: graphs of judgments are a few steps wide.
SWEEPS: Final = 12


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph on the nodes 0 to n − 1; an edge may be repeated."""

    n_nodes: int
    source: Integers  # node that each edge leaves, shape (edges,)
    target: Integers  # node that each edge enters, shape (edges,)


@dataclass(frozen=True, eq=False)
class Differences:
    """Constraints x[target] − x[source] ≤ bound: a solution, or a proof of none."""

    solution: Integers | None  # (n,) integers that meet all constraints, largest 0
    cycle: Integers | None  # edges of a closed walk whose bounds sum to less than 0, in order


def is_strongly_connected(graph: Graph, roots: Integers | Sequence[int] = (0,)) -> bool:
    starts = np.asarray(roots, dtype=np.intp)
    back = Graph(graph.n_nodes, graph.target, graph.source)
    return bool(reached(graph, starts).all() and reached(back, starts).all())


def reached(graph: Graph, roots: Integers) -> Flags:
    """Return (n,) which nodes some walk from a root reaches, roots included."""
    seen = np.zeros(graph.n_nodes, dtype=np.bool_)
    seen[roots] = True
    n_seen = np.count_nonzero(seen)
    for _ in range(SWEEPS):
        seen[graph.target[seen[graph.source] & ~seen[graph.target]]] = True
        n_before, n_seen = n_seen, np.count_nonzero(seen)
        if n_seen in {n_before, graph.n_nodes}:
            return seen
    # a search that is many steps deep: from here on each edge is touched once
    order, starts = _by_source(graph)
    target = graph.target[order]
    frontier = np.flatnonzero(seen)
    while frontier.size:
        ahead = target[_leaving(starts, frontier)]
        frontier = _distinct(ahead[~seen[ahead]], graph.n_nodes)
        seen[frontier] = True
    return seen


def weak_components(graph: Graph) -> Integers:
    """Return (n,) components when edges are walked either way, by their lowest nodes."""
    label = np.arange(graph.n_nodes, dtype=np.intp)
    while True:
        ends = label[graph.source], label[graph.target]
        lowest = label.copy()
        # the root of the higher tree is hung on the lower one, so trees merge in few rounds
        np.minimum.at(lowest, np.maximum(*ends), np.minimum(*ends))
        while not np.array_equal(lowest, lowest[lowest]):
            lowest = lowest[lowest]
        lowest = lowest[label]
        if np.array_equal(lowest, label):
            return np.unique(label, return_inverse=True)[1].reshape(-1)
        label = lowest


def strong_components(graph: Graph) -> Integers:
    """Return the strongly connected component of each node, shape (n,).

    Components are numbered from 0 so that every edge between two of them leads from the lower
    number to the higher.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n, ends = graph.n_nodes, (graph.source, graph.target)
    if n == 0:
        return np.zeros(0, dtype=np.intp)
    edges = coo_array((np.ones(len(graph.source), dtype=np.int8), ends), shape=(n, n))
    # Pearce's algorithm numbers a component after all that it leads to
    count, label = connected_components(edges, connection="strong")
    return np.asarray(count - 1 - label, dtype=np.intp)


def solve_differences(graph: Graph, bound: Integers) -> Differences:
    """Solve x[target] − x[source] ≤ bound in whole numbers, or find a cycle that forbids it.

    Bellman and Ford's relaxation from x = 0, all edges that leave changed nodes at once. The
    parents are searched for a cycle after 1, 2, 4, ... sweeps: a cycle among them has a negative
    sum, and they come to hold one whenever there is one (Cherkassky & Goldberg 1999).
    """
    order, starts = _by_source(graph)
    edges = Graph(graph.n_nodes, graph.source[order], graph.target[order])
    bounds = bound[order]
    x = np.zeros(graph.n_nodes, dtype=np.intp)
    parent = np.full(graph.n_nodes, -1, dtype=np.intp)
    frontier = np.arange(graph.n_nodes)
    sweep = 0
    while frontier.size:
        # lower x along the edges that leave changed nodes, and remember by which edge
        active = _leaving(starts, frontier)
        target = edges.target[active]
        offer = x[edges.source[active]] + bounds[active]
        lower = np.flatnonzero(offer < x[target])
        target, offer, active = target[lower], offer[lower], active[lower]
        np.minimum.at(x, target, offer)
        best = offer == x[target]
        parent[target[best]] = active[best]
        frontier = _distinct(target, x.size)
        sweep += 1
        if sweep & (sweep - 1) == 0:
            cycle = _cycle_among(parent, edges)
            if cycle is not None:
                return Differences(None, order[cycle])
    return Differences(x, None)


def _cycle_among(parent: Integers, graph: Graph) -> Integers | None:
    n = graph.n_nodes
    if not graph.source.size:
        return None
    ancestor = np.append(np.where(parent >= 0, graph.source[parent], n), n)
    for _ in range(n.bit_length()):  # to the ancestor at least n steps back: on a cycle, or none
        ancestor = ancestor[ancestor]
    caught = np.flatnonzero(ancestor < n)
    if not caught.size:
        return None
    first = int(ancestor[caught[0]])
    edges = [int(parent[first])]
    while (node := int(graph.source[edges[-1]])) != first:
        edges.append(int(parent[node]))
    return np.array(edges[::-1], dtype=np.intp)


def _distinct(nodes: Integers, n_nodes: int) -> Integers:
    if 16 * nodes.size < n_nodes:
        return np.unique(nodes)
    marked = np.zeros(n_nodes, dtype=np.bool_)
    marked[nodes] = True
    return np.flatnonzero(marked)


def _by_source(graph: Graph) -> tuple[Integers, Integers]:
    """Return the order of the edges by source, and where each node's begin, shape (n + 1,)."""
    small = graph.n_nodes <= np.iinfo(np.uint16).max  # numpy sorts 16 bits by radix, 8 × faster
    key = graph.source.astype(np.uint16) if small else graph.source
    counts = np.bincount(graph.source, minlength=graph.n_nodes)
    return np.argsort(key, kind="stable"), np.concatenate(([0], np.cumsum(counts)))


def _leaving(starts: Integers, nodes: Integers) -> Integers:
    """Return the positions, in the order by source, of all edges that leave the nodes."""
    counts = starts[nodes + 1] - starts[nodes]
    shift = np.repeat(starts[nodes] - (np.cumsum(counts) - counts), counts)
    positions: Integers = shift + np.arange(shift.size)
    return positions


# A concave log-likelihood has a finite, unique maximum if and only if b = 0 is the only direction
# in which no observed choice falls behind a rival, (x_observed − x_rival)·b ≥ 0 for every rival
# (Albert & Anderson 1984, Biometrika 71:1-10). Choices among sets of outputs have exponentially
# many rivals, but the best one in a given direction is quickly found: constraints are added as they
# are broken (a cutting-plane method). A direction b ≠ 0 of the cone has c·b ≠ 0 for almost every c,
# so that maximising ±c·b within a box finds one if there is one.

# Constraints that a direction within ±1 breaks by less are met; HiGHS itself allows 1e-7
CONE_TOLERANCE: Final = 1e-6
SEED: Final = 20131


def find_direction(broken: Callable[[Array], Array], size: int) -> Array | None:
    """Return a direction b ≠ 0 of a cone, if any; `broken`: constraints z with z·b < 0."""
    draw = np.random.Generator(np.random.PCG64(SEED)).uniform(0.5, 1.0, size)
    known = np.zeros((0, size))
    for aim in (draw, -draw):
        b = np.sign(aim)
        while np.abs(b).max() > CONE_TOLERANCE and len(rows := broken(b)):
            known = np.unique(np.vstack([known, rows]), axis=0)
            # maximise aim·b within the box and the known constraints
            b = _solve_programme(-aim, -known, np.zeros(len(known)), [(-1, 1)] * size)
        if np.abs(b).max() > CONE_TOLERANCE:
            return np.asarray(b / np.abs(b).max())
    return None


def _solve_programme(costs: Array, rows: Any, right: Array, bounds: list[Any]) -> Array:
    from scipy.optimize import linprog

    answer: Any = linprog(costs, A_ub=rows, b_ub=right, bounds=bounds, method="highs")
    if not answer.success:
        raise RuntimeError(f"the linear programme for existence was not solved: {answer.message}")
    return np.asarray(answer.x)


# Where the constraints can be listed, a linear programme answers for any design: Z b ≥ 0, where Z
# has one row z = x_observed − x_other for each observed cell and each other cell of its set. The
# programme is that of Konis (2007, Oxford DPhil thesis) with a slack for each row, so that no
# separated row is missed.

# Relative to the largest entry of the scaled design: smaller pivots are rounding.
RANK_TOLERANCE: Final = 1e-9
ROWS_AT_ONCE: Final = 4096


@dataclass(frozen=True, eq=False)
class Recession:
    aliased: Array | None  # (columns,) b, largest entry ±1, Z b = 0; None if Z has full rank
    separated: Integers  # rows that some direction with Z b ≥ 0 makes positive, ascending
    # columns that those directions move, to ±∞; those that are aliased to others are left out
    infinite: Integers

    @property
    def exists(self) -> bool:
        return self.aliased is None and self.separated.size == 0


def find_recession(Z: Design) -> Recession:
    """Find out whether a maximum exists, and what stands in its way.

    Z: (rows, columns) x_observed − x_other for each observed cell and each other cell of its set,
        dense or sparse. Cells without weight must have been excluded.
    """
    scale = np.ones(Z.shape[1])
    if Z.shape[0]:
        largest = abs(Z).max(axis=0)
        dense = largest if isinstance(largest, np.ndarray) else largest.toarray()
        scale = np.asarray(dense, dtype=np.float64).reshape(-1)
        scale = np.where(scale > 0, scale, 1.0)
    scaled = Z / scale if isinstance(Z, np.ndarray) else Z.multiply(1 / scale).tocsr()
    null, columns = _null_space(scaled)
    aliased = None
    if null.shape[1]:
        aliased = null[:, 0] / scale
        aliased /= np.abs(aliased).max()
    independent = scaled[:, columns]
    separated = find_separated(independent)
    null = _null_space(independent[np.setdiff1d(np.arange(Z.shape[0]), separated)])[0]
    moved = np.abs(null).max(axis=1, initial=0.0) > RANK_TOLERANCE
    return Recession(aliased, separated, columns[moved] if separated.size else columns[:0])


def find_separated(Z: Design) -> Integers:
    """Return the rows z for which some b has z·b > 0 while Z b ≥ 0 everywhere, ascending.

    Maximises Σ s subject to Z b ≥ s, 0 ≤ s ≤ 1, b free. Directions can be added and lengthened, so
    at the optimum s is 1 for every such row and 0 for all others. Independent problems may be
    asked at once as the blocks of a block-diagonal Z.
    """
    from scipy import sparse

    n_rows, n_columns = Z.shape
    if n_rows == 0 or n_columns == 0:
        return np.zeros(0, dtype=np.intp)
    slack = sparse.eye_array(n_rows, format="csr")
    solution = _solve_programme(
        np.concatenate((np.zeros(n_columns), -np.ones(n_rows))),
        sparse.hstack((-sparse.csr_array(Z), slack), format="csr"),
        np.zeros(n_rows),
        [(None, None)] * n_columns + [(0, 1)] * n_rows,
    )
    return np.flatnonzero(solution[n_columns:] > 0.5)


def _null_space(Z: Design) -> tuple[Array, Integers]:
    """Return (columns, dimension) vectors that span Z b = 0, and the independent columns."""
    from scipy.linalg import qr, solve_triangular

    triangle = np.zeros((Z.shape[1], Z.shape[1]))  # the R of Z = QR
    for start in range(0, Z.shape[0], ROWS_AT_ONCE):
        rows = Z[start : start + ROWS_AT_ONCE]
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        triangle = np.asarray(np.linalg.qr(np.vstack((triangle, dense)), mode="r"))
    triangle, pivots = qr(triangle, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(diagonal > RANK_TOLERANCE * diagonal.max(initial=0.0)))
    null = np.zeros((Z.shape[1], Z.shape[1] - rank))
    if null.shape[1]:
        null[pivots[:rank]] = -solve_triangular(triangle[:rank, :rank], triangle[:rank, rank:])
        null[pivots[rank:]] = np.eye(null.shape[1])
    return null, np.sort(pivots[:rank]).astype(np.intp)


# Where 64-bit hashes stand in a list of known ones, without sorting what is looked up.

Hashes = NDArray[np.uint64]

# Places of a table for each hash: about one in twenty then finds its place taken
PLACES_PER_HASH: Final = 8
MIN_TABLE_BITS: Final = 10
# Bits by which hashes are turned to look elsewhere for those whose place was taken
TURN: Final = 11


def find_hashes(hashes: Hashes, known: Hashes) -> NDArray[np.int32]:
    """Return the place of every (n,) hash, all of which are known, among (m,) known ones.

    Tables are filled by the lowest bits of the known hashes, one after another: what finds its
    place taken goes into the next table, by other bits. A million hashes among fifty thousand
    take a tenth of what a binary search takes.
    """
    size = 1 << max(MIN_TABLE_BITS, (PLACES_PER_HASH * len(known)).bit_length())
    waiting = np.arange(len(known), dtype=np.int32)
    rows: NDArray[np.intp] | None = None
    places = np.zeros(len(hashes), dtype=np.int32)
    turned = 0
    while len(waiting):
        table = np.zeros(size, dtype=np.int32)
        slots = _slots(known[waiting], turned, size)
        table[slots] = waiting
        waiting = waiting[table[slots] != waiting]
        looked = hashes if rows is None else hashes[rows]
        guess = table[_slots(looked, turned, size)]
        if rows is None:
            places = guess
        else:
            places[rows] = guess
        if len(waiting):  # else every place that is looked at holds what is looked for
            missed = np.flatnonzero(known[guess] != looked)
            rows = missed if rows is None else rows[missed]
        turned += TURN
    return places


def _slots(hashes: Hashes, turned: int, size: int) -> NDArray[np.int64]:
    """Return the place in a table of a power of two by the bits from `turned` on."""
    bits = turned % 64
    low = hashes if not bits else hashes >> np.uint64(bits) | hashes << np.uint64(64 - bits)
    return (low & np.uint64(size - 1)).view(np.int64)
