"""The board of comparisons as a graph: who was compared, and which steps the judgments allow.

A node is a system, or a system in the eyes of one judge group where groups have worths of their
own; no step leads from one group to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evenhand.numerics.graph import Differences, Graph, IntArray, solve_differences
from evenhand.preference.cells import Cells, Counts


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps from node to node, each with what it asks of a direction in which no cell falls behind.

    In a direction that moves the log-worths by x, the tie parameter by g and the order effect by e,
    a step asks for x[target] − x[source] ≤ slope · e + gain · g. Source: INFERENCE A1, A2.

    Attributes:
        graph: wins lead from the preferred to the other; ties lead both ways.
        slope: 1 for a step from the system shown first to the second, −1 for the others.
        gain: −1 for a win, 1 for a tie.

    """

    graph: Graph
    slope: IntArray
    gain: IntArray

    def solve(self, *, e: int, g: int) -> Differences:
        """Find places x of the nodes for given e and g, or a closed walk that forbids them."""
        return solve_differences(self.graph, self.slope * e + self.gain * g)


@dataclass(frozen=True, eq=False)
class Board:
    """Rows that hold a judgment, on nodes.

    Attributes:
        systems: names of the K systems.
        groups: names of the judge groups, empty without groups.
        system: system of each node.
        group: group of each node.
        left: node of one side of each row, shape (C,).
        right: node of the other side.
        wins: how often left was preferred.
        ties: how often neither was.
        losses: how often right was preferred.

    """

    systems: Sequence[str]
    groups: Sequence[str]
    system: IntArray
    group: IntArray
    left: IntArray
    right: IntArray
    wins: Counts
    ties: Counts
    losses: Counts

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return self.system.size

    @property
    def roots(self) -> IntArray:
        """One node of each group; all nodes are one group without groups."""
        return np.unique(self.group, return_index=True)[1]

    def compared(self) -> Graph:
        """Return who was compared with whom, an edge for each row."""
        return Graph(self.n_nodes, self.left, self.right)

    def names(self, nodes: IntArray) -> list[str]:
        """Return the names of the systems of some nodes."""
        return [self.systems[system] for system in self.system[nodes].tolist()]

    def steps(self, *, ties: bool) -> Steps:
        """Return the steps that the judgments allow, those of ties only if asked for."""
        won, lost = np.flatnonzero(self.wins), np.flatnonzero(self.losses)
        tied = np.flatnonzero(self.ties) if ties else won[:0]
        sizes = (won.size, lost.size, tied.size, tied.size)
        left, right = self.left, self.right
        graph = Graph(
            self.n_nodes,
            np.concatenate((left[won], right[lost], left[tied], right[tied])),
            np.concatenate((right[won], left[lost], right[tied], left[tied])),
        )
        return Steps(graph, np.repeat((1, -1, 1, -1), sizes), np.repeat((-1, -1, 1, 1), sizes))

    def only(self, group: int) -> Board:
        """Return the part of one judge group, with the systems that it saw."""
        nodes = np.flatnonzero(self.group == group)
        part = self._rows(np.flatnonzero(self.group[self.left] == group))
        return replace(
            part,
            system=self.system[nodes],
            group=self.group[nodes],
            left=np.searchsorted(nodes, part.left),
            right=np.searchsorted(nodes, part.right),
        )

    def sampled(self, rows_per_node: int = 16) -> Board:
        """Return some of the rows on the same nodes; itself if it is hardly larger."""
        every = self.left.size // max(1, rows_per_node * self.n_nodes)
        return self if every < 2 else self._rows(slice(None, None, every))

    def _rows(self, rows: IntArray | slice) -> Board:
        return replace(
            self,
            left=self.left[rows],
            right=self.right[rows],
            wins=self.wins[rows],
            ties=self.ties[rows],
            losses=self.losses[rows],
        )


def make_board(cells: Cells) -> Board:
    """Put cells on a board: rows without a judgment are left out, groups get nodes of their own."""
    held = np.flatnonzero(cells.wins + cells.ties + cells.losses)
    rows = slice(None) if held.size == len(cells.left) else held
    k = len(cells.systems)
    left, right = cells.left[rows].astype(np.intp), cells.right[rows].astype(np.intp)
    node = np.arange(k)
    if cells.group is not None:
        offset = cells.group[rows].astype(np.intp) * k
        used = np.zeros(k * len(cells.groups), dtype=np.bool_)
        used[left + offset] = used[right + offset] = True
        place = np.cumsum(used) - 1
        left, right, node = place[left + offset], place[right + offset], np.flatnonzero(used)
    return Board(
        systems=cells.systems,
        groups=() if cells.group is None else cells.groups,
        system=node % k,
        group=node // k,
        left=left,
        right=right,
        wins=cells.wins[rows],
        ties=cells.ties[rows],
        losses=cells.losses[rows],
    )
