"""Directed graphs on edge arrays: who can be reached from whom, and which differences can hold.

Everything is a few sweeps of array operations over the edges. Only `strong_components`, which is
asked for when something has failed and must be named, walks node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy import sparse


IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

# Sweeps over all edges before they are sorted by source: graphs of judgments are a few steps wide.
_SWEEPS: Final = 12


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph on the nodes 0 to n − 1; an edge may be repeated."""

    n_nodes: int  # number of nodes n
    source: IntArray  # node that each edge leaves, shape (edges,)
    target: IntArray  # node that each edge enters, shape (edges,)

    def reversed(self) -> Graph:
        """Return the graph with every edge turned round."""
        return Graph(self.n_nodes, self.target, self.source)


@dataclass(frozen=True, eq=False)
class Differences:
    """Constraints x[target] − x[source] ≤ bound: a solution, or a proof of none."""

    # integers that meet all constraints, largest 0, shape (n,); None if there are none
    solution: IntArray | None
    # edges of a closed walk whose bounds sum to less than 0, in walking order; None if there is a
    # solution
    cycle: IntArray | None


def is_strongly_connected(graph: Graph, roots: IntArray | Sequence[int] = (0,)) -> bool:
    """Return whether every node reaches a root and is reached from one.

    With one root in each of several blocks that no edge joins, every block is tested at once.

    roots: one node of each block. >>> is_strongly_connected(Graph(3, np.array([0, 1, 2]),
        np.array([1, 2, 0]))) True >>> is_strongly_connected(Graph(2, np.array([0]), np.array([1])))
        False
    """
    starts = np.asarray(roots, dtype=np.intp)
    return bool(reached(graph, starts).all() and reached(graph.reversed(), starts).all())


def reached(graph: Graph, roots: IntArray) -> BoolArray:
    """Return which nodes some walk from a root reaches, roots included, shape (n,)."""
    seen = np.zeros(graph.n_nodes, dtype=np.bool_)
    seen[roots] = True
    n_seen = np.count_nonzero(seen)
    for _ in range(_SWEEPS):
        seen[graph.target[seen[graph.source] & ~seen[graph.target]]] = True
        n_before, n_seen = n_seen, np.count_nonzero(seen)
        if n_seen in {n_before, graph.n_nodes}:
            return seen
    return _reached_by_layers(graph, seen)


def weak_components(graph: Graph) -> IntArray:
    """Return the component of each node when edges are walked either way, shape (n,).

    Components are numbered from 0 in the order of their lowest nodes.

    >>> weak_components(Graph(4, np.array([2, 3]), np.array([0, 1]))).tolist()
    [0, 1, 0, 1]
    """
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


def strong_components(graph: Graph) -> IntArray:
    """Return the strongly connected component of each node, shape (n,).

    Components are numbered from 0 so that every edge between two of them leads from the lower
    number to the higher. Source: the two depth-first passes of Kosaraju and Sharir (1981), after
    the component of the busiest node, usually nearly all of the graph, has been shrunk to a node.

    >>> strong_components(Graph(3, np.array([0, 1, 1]), np.array([1, 0, 2]))).tolist()
    [0, 0, 1]
    """
    if graph.n_nodes == 0:
        return np.zeros(0, dtype=np.intp)
    degree = np.bincount(graph.source, minlength=graph.n_nodes)
    hub = np.array([np.argmax(degree + np.bincount(graph.target, minlength=graph.n_nodes))])
    core = reached(graph, hub) & reached(graph.reversed(), hub)
    shrunk = np.where(core, hub, np.arange(graph.n_nodes))
    outside = ~(core[graph.source] & core[graph.target])
    small = Graph(graph.n_nodes, shrunk[graph.source[outside]], shrunk[graph.target[outside]])
    found = _kosaraju(_neighbours(small), _neighbours(small.reversed()))[shrunk]
    return np.unique(found, return_inverse=True)[1].reshape(-1)


def solve_differences(graph: Graph, bound: IntArray) -> Differences:
    """Solve x[target] − x[source] ≤ bound in whole numbers, or find a cycle that forbids it.

    Bellman and Ford's relaxation from x = 0, all edges that leave changed nodes at once. The
    parents are searched for a cycle after 1, 2, 4, ... sweeps: a cycle among them has a negative
    sum, and they come to hold one whenever there is one (Cherkassky & Goldberg 1999).

    bound: right-hand sides, integers, shape (edges,). >>> solve_differences(Graph(2, np.array([0]),
        np.array([1])), np.array([-1])).solution.tolist() [0, -1] >>> loop = Graph(2, np.array([0,
        1]), np.array([1, 0])) >>> sorted(solve_differences(loop, np.array([1, -2])).cycle.tolist())
        [0, 1]
    """
    order, starts = _by_source(graph)
    edges = Graph(graph.n_nodes, graph.source[order], graph.target[order])
    bounds = bound[order]
    x = np.zeros(graph.n_nodes, dtype=np.intp)
    parent = np.full(graph.n_nodes, -1, dtype=np.intp)
    frontier = np.arange(graph.n_nodes)
    sweep = 0
    while frontier.size:
        frontier = _relax(x, parent, (edges, bounds), _leaving(starts, frontier))
        sweep += 1
        if sweep & (sweep - 1) == 0:
            cycle = _cycle_among(parent, edges)
            if cycle is not None:
                return Differences(None, order[cycle])
    return Differences(x, None)


def _relax(
    x: IntArray, parent: IntArray, constraints: tuple[Graph, IntArray], active: IntArray
) -> IntArray:
    """Lower x along the active edges, in place, and return the nodes that were lowered."""
    graph, bound = constraints
    target = graph.target[active]
    offer = x[graph.source[active]] + bound[active]
    lower = np.flatnonzero(offer < x[target])
    target, offer, active = target[lower], offer[lower], active[lower]
    np.minimum.at(x, target, offer)
    best = offer == x[target]
    parent[target[best]] = active[best]
    return _distinct(target, x.size)


def _cycle_among(parent: IntArray, graph: Graph) -> IntArray | None:
    """Return the edges of a cycle among the parent edges (−1: no parent), or None."""
    n = graph.n_nodes
    if not graph.source.size:
        return None
    before = np.append(np.where(parent >= 0, graph.source[parent], n), n)
    ancestor = before
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


def _reached_by_layers(graph: Graph, seen: BoolArray) -> BoolArray:
    """Finish a search that is many steps deep: each edge is now touched once."""
    order, starts = _by_source(graph)
    target = graph.target[order]
    frontier = np.flatnonzero(seen)
    while frontier.size:
        ahead = target[_leaving(starts, frontier)]
        frontier = _distinct(ahead[~seen[ahead]], graph.n_nodes)
        seen[frontier] = True
    return seen


def _distinct(nodes: IntArray, n_nodes: int) -> IntArray:
    """Return each node once: by sorting if they are few of all nodes, else by marking."""
    if 16 * nodes.size < n_nodes:
        return np.unique(nodes)
    marked = np.zeros(n_nodes, dtype=np.bool_)
    marked[nodes] = True
    return np.flatnonzero(marked)


def _by_source(graph: Graph) -> tuple[IntArray, IntArray]:
    """Return the order of the edges by source, and where each node's begin, shape (n + 1,)."""
    small = graph.n_nodes <= np.iinfo(np.uint16).max  # numpy sorts 16 bits by radix, 8 × faster
    key = graph.source.astype(np.uint16) if small else graph.source
    counts = np.bincount(graph.source, minlength=graph.n_nodes)
    return np.argsort(key, kind="stable"), np.concatenate(([0], np.cumsum(counts)))


def _leaving(starts: IntArray, nodes: IntArray) -> IntArray:
    """Return the positions, in the order by source, of all edges that leave the nodes."""
    counts = starts[nodes + 1] - starts[nodes]
    shift = np.repeat(starts[nodes] - (np.cumsum(counts) - counts), counts)
    positions: IntArray = shift + np.arange(shift.size)
    return positions


def _neighbours(graph: Graph) -> list[list[int]]:
    """Return the targets of each node's edges as lists, each target once."""
    key = np.unique(graph.source * graph.n_nodes + graph.target)
    source, target = np.divmod(key, graph.n_nodes)
    starts = np.searchsorted(source, np.arange(graph.n_nodes + 1)).tolist()
    ahead = target.tolist()
    return [ahead[starts[node] : starts[node + 1]] for node in range(graph.n_nodes)]


def _kosaraju(ahead: list[list[int]], behind: list[list[int]]) -> IntArray:
    component = np.full(len(ahead), -1, dtype=np.intp)
    label = 0
    for root in reversed(_finishing_order(ahead)):
        if component[root] >= 0:
            continue
        component[root] = label
        stack = [root]
        while stack:
            for node in behind[stack.pop()]:
                if component[node] < 0:
                    component[node] = label
                    stack.append(node)
        label += 1
    return component


def _finishing_order(ahead: list[list[int]]) -> list[int]:
    """Return the nodes in the order in which a depth-first walk leaves them."""
    seen = [False] * len(ahead)
    finished: list[int] = []
    for root in range(len(ahead)):
        if seen[root]:
            continue
        seen[root] = True
        stack = [(root, iter(ahead[root]))]
        while stack:
            node, rest = stack[-1]
            for child in rest:
                if not seen[child]:
                    seen[child] = True
                    stack.append((child, iter(ahead[child])))
                    break
            else:
                finished.append(node)
                stack.pop()
    return finished


# Is there a direction that no constraint forbids, where constraints are too many to list?
#
# A concave log-likelihood has a finite, unique maximum if and only if b = 0 is the only direction
# in which no observed choice falls behind a rival, (x_observed − x_rival)·b ≥ 0 for every rival.
# Choices among sets of outputs have exponentially many rivals, but the best one in a given
# direction is quickly found: constraints are added as they are broken (a cutting-plane method). A
# direction b ≠ 0 of the cone has c·b ≠ 0 for almost every c, so that maximising ±c·b within a box
# finds one if there is one. Source of the criterion: Albert & Anderson (1984), Biometrika 71:1-10.

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

# Constraints that a direction within ±1 breaks by less are met; HiGHS itself allows 1e-7
LEAST: Final = 1e-6
_SEED: Final = 20131


def find_direction(broken: Callable[[Vector], Matrix], size: int) -> Vector | None:
    """Return a direction b ≠ 0 of a cone, largest entry ±1, or None if there is none.

    broken: b → (rows, size) constraints z with z·b < −1e-6, none where b is in the cone.
    """
    draw = np.random.Generator(np.random.PCG64(_SEED)).uniform(0.5, 1.0, size)
    known = np.zeros((0, size))
    for aim in (draw, -draw):
        b = np.sign(aim)
        while np.abs(b).max() > LEAST and len(rows := broken(b)):
            known = np.unique(np.vstack([known, rows]), axis=0)
            b = _furthest(aim, known)
        if np.abs(b).max() > LEAST:
            return np.asarray(b / np.abs(b).max())
    return None


def _furthest(aim: Vector, rows: Matrix) -> Vector:
    """Maximise aim·b within the box and the known constraints."""
    from scipy.optimize import linprog

    answer: Any = linprog(
        -aim, A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * len(aim), method="highs"
    )
    if not answer.success:
        raise RuntimeError(f"the linear programme for existence was not solved: {answer.message}")
    return np.asarray(answer.x)


# Has a log-linear likelihood a maximum? A linear programme answers for any design.
#
# A multinomial logit with linear predictors x·b stays as it is or rises for ever in a direction b
# exactly if no observed cell falls behind another cell of its set, Z b ≥ 0, where Z has one row
# z = x_observed − x_other for each. A finite, unique maximum exists if and only if b = 0 is the
# only such direction. Source: Albert & Anderson (1984), Biometrika 71:1-10; the programme is that
# of Konis (2007, Oxford DPhil thesis) with a slack for each row, so that no separated row is
# missed.

if TYPE_CHECKING:
    MatrixRecession: TypeAlias = NDArray[np.float64] | sparse.csr_array

FloatArray = NDArray[np.float64]

# Relative to the largest entry of the scaled design: smaller pivots are rounding.
_RANK_TOLERANCE: Final = 1e-9
_ROWS_AT_ONCE: Final = 4096


@dataclass(frozen=True, eq=False)
class Recession:
    """The directions in which a likelihood never falls."""

    # a direction b, largest entry ±1, in which the likelihood is constant (Z b = 0), shape
    # (columns,); None if the design has full rank
    aliased: FloatArray | None
    separated: IntArray  # rows that some direction with Z b ≥ 0 makes positive, ascending
    # columns that those directions move: their estimates run off to ±∞. Columns that are aliased
    # to others are left out of the question.
    infinite: IntArray

    @property
    def exists(self) -> bool:
        """Whether a finite and unique maximum exists."""
        return self.aliased is None and self.separated.size == 0


def find_recession(Z: MatrixRecession) -> Recession:
    """Find out whether a maximum exists, and what stands in its way.

    Z: x_observed − x_other for each observed cell and each other cell of its set, dense or sparse,
        shape (rows, columns). Cells without weight must have been left out.
    """
    scale = _column_scale(Z)
    scaled = Z / scale if isinstance(Z, np.ndarray) else Z.multiply(1 / scale).tocsr()
    null, kept = _null_space(scaled)
    aliased = None
    if null.shape[1]:
        aliased = null[:, 0] / scale
        aliased /= np.abs(aliased).max()
    independent = scaled[:, kept]
    separated = find_separated(independent)
    undecided = np.setdiff1d(np.arange(Z.shape[0]), separated)
    moved = (
        np.abs(_null_space(independent[undecided])[0]).max(axis=1, initial=0.0) > _RANK_TOLERANCE
    )
    return Recession(aliased, separated, kept[moved] if separated.size else kept[:0])


def find_separated(Z: MatrixRecession) -> IntArray:
    """Return the rows z for which some b has z·b > 0 while Z b ≥ 0 everywhere, ascending.

    Maximises Σ s subject to Z b ≥ s, 0 ≤ s ≤ 1, b free. Directions can be added and lengthened, so
    at the optimum s is 1 for every such row and 0 for all others. Independent problems may be
    asked at once as the blocks of a block-diagonal Z.

    Z: dense or sparse, shape (rows, columns).
    """
    from scipy import sparse
    from scipy.optimize import linprog

    n_rows, n_columns = Z.shape
    if n_rows == 0 or n_columns == 0:
        return np.zeros(0, dtype=np.intp)
    slack = sparse.eye_array(n_rows, format="csr")
    answer: Any = linprog(
        np.concatenate((np.zeros(n_columns), -np.ones(n_rows))),
        A_ub=sparse.hstack((-sparse.csr_array(Z), slack), format="csr"),
        b_ub=np.zeros(n_rows),
        bounds=[(None, None)] * n_columns + [(0, 1)] * n_rows,
        method="highs",
    )
    if not answer.success:
        raise RuntimeError(f"the linear programme for existence was not solved: {answer.message}")
    return np.flatnonzero(answer.x[n_columns:] > 0.5)


def _column_scale(Z: MatrixRecession) -> FloatArray:
    """Return the largest absolute entry of each column, 1 for a column of zeros."""
    if Z.shape[0] == 0:
        return np.ones(Z.shape[1])
    largest = abs(Z).max(axis=0)
    dense = largest if isinstance(largest, np.ndarray) else largest.toarray()
    scale = np.asarray(dense, dtype=np.float64).reshape(-1)
    return np.where(scale > 0, scale, 1.0)


def _null_space(Z: MatrixRecession) -> tuple[FloatArray, IntArray]:
    """Return vectors that span Z b = 0, shape (columns, dimension), and independent columns.

    Each vector expresses one dependent column by the independent ones.
    """
    from scipy.linalg import qr, solve_triangular

    triangle, pivots = qr(_triangle(Z), mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(diagonal > _RANK_TOLERANCE * diagonal.max(initial=0.0)))
    null = np.zeros((Z.shape[1], Z.shape[1] - rank))
    if null.shape[1]:
        null[pivots[:rank]] = -solve_triangular(triangle[:rank, :rank], triangle[:rank, rank:])
        null[pivots[rank:]] = np.eye(null.shape[1])
    return null, np.sort(pivots[:rank]).astype(np.intp)


def _triangle(Z: MatrixRecession) -> FloatArray:
    """Return the R of Z = QR, shape (columns, columns), from some thousand rows at a time."""
    n_columns = Z.shape[1]
    triangle = np.zeros((n_columns, n_columns))
    for start in range(0, Z.shape[0], _ROWS_AT_ONCE):
        rows = Z[start : start + _ROWS_AT_ONCE]
        dense = rows if isinstance(rows, np.ndarray) else rows.toarray()
        triangle = np.asarray(np.linalg.qr(np.vstack((triangle, dense)), mode="r"))
    return triangle


# Where 64-bit hashes stand in a list of known ones, without sorting what is looked up.

Hashes = NDArray[np.uint64]

_SPARE: Final = 8  # Places of a table for each hash: about one in twenty then finds its place taken
_SMALLEST: Final = 10
# Bits by which hashes are turned to look elsewhere for those whose place was taken
_TURN: Final = 11


def find_hashes(hashes: Hashes, known: Hashes) -> NDArray[np.int32]:
    """Return the place of every hash among known ones.

    Tables are filled by the lowest bits of the known hashes, one after another: what finds its
    place taken goes into the next table, by other bits. A million hashes among fifty thousand
    take a tenth of what a binary search takes.

    hashes: (n,) what is looked up; each is known.
    known: (m,) different hashes. >>> known = np.array([7, 2**40, 9], dtype=np.uint64) >>>
        find_hashes(known[[2, 2, 0, 1]], known).tolist() [2, 2, 0, 1]
    """
    size = 1 << max(_SMALLEST, (_SPARE * len(known)).bit_length())
    waiting = np.arange(len(known), dtype=np.int32)
    rows: NDArray[np.intp] | None = None
    places = np.zeros(len(hashes), dtype=np.int32)
    turned = 0
    while len(waiting):
        table = np.zeros(size, dtype=np.int32)
        own = _slots(known[waiting], turned, size)
        table[own] = waiting
        waiting = waiting[table[own] != waiting]
        looked = hashes if rows is None else hashes[rows]
        guess = table[_slots(looked, turned, size)]
        if rows is None:
            places = guess
        else:
            places[rows] = guess
        if len(waiting):  # else every place that is looked at holds what is looked for
            missed = np.flatnonzero(known[guess] != looked)
            rows = missed if rows is None else rows[missed]
        turned += _TURN
    return places


def _slots(hashes: Hashes, turned: int, size: int) -> NDArray[np.int64]:
    """Return the place in a table of a power of two by the bits from `turned` on."""
    bits = turned % 64
    low = hashes if not bits else hashes >> np.uint64(bits) | hashes << np.uint64(64 - bits)
    return (low & np.uint64(size - 1)).view(np.int64)
