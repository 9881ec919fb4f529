"""Directed graphs on edge arrays: who can be reached from whom, and which differences can hold.

Everything is a few sweeps of array operations over the edges. Only `strong_components`, which is
asked for when something has failed and must be named, walks node by node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

# Sweeps over all edges before they are sorted by source: graphs of judgments are a few steps wide.
_SWEEPS: Final = 12


@dataclass(frozen=True, eq=False)
class Graph:
    """A directed graph on the nodes 0 to n − 1; an edge may be repeated.

    Attributes:
        n_nodes: number of nodes n.
        source: node that each edge leaves, shape (edges,).
        target: node that each edge enters, shape (edges,).

    """

    n_nodes: int
    source: IntArray
    target: IntArray

    def reversed(self) -> Graph:
        """Return the graph with every edge turned round."""
        return Graph(self.n_nodes, self.target, self.source)


@dataclass(frozen=True, eq=False)
class Differences:
    """What is known of constraints x[target] − x[source] ≤ bound: a solution, or a proof of none.

    Attributes:
        solution: integers that meet all constraints, largest 0, shape (n,); None if there are none.
        cycle: edges of a closed walk whose bounds sum to less than 0, in walking order; None if
            there is a solution.

    """

    solution: IntArray | None
    cycle: IntArray | None


def is_strongly_connected(graph: Graph, roots: IntArray | Sequence[int] = (0,)) -> bool:
    """Return whether every node reaches a root and is reached from one.

    With one root in each of several blocks that no edge joins, every block is tested at once.

    Args:
        graph: the graph.
        roots: one node of each block.

    >>> is_strongly_connected(Graph(3, np.array([0, 1, 2]), np.array([1, 2, 0])))
    True
    >>> is_strongly_connected(Graph(2, np.array([0]), np.array([1])))
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

    Args:
        graph: one edge for each constraint.
        bound: right-hand sides, integers, shape (edges,).

    >>> solve_differences(Graph(2, np.array([0]), np.array([1])), np.array([-1])).solution.tolist()
    [0, -1]
    >>> loop = Graph(2, np.array([0, 1]), np.array([1, 0]))
    >>> sorted(solve_differences(loop, np.array([1, -2])).cycle.tolist())
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
