"""How parameters make worths: λ of every (judge group, system) is a sum of parameters.

A node is a system in the eyes of one judge group; without judge covariates all judges are one
group. The matrix maps the reported parameters to the worths of the nodes; covariates.py makes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, listing, suggest
from evenhand.judgments.tally import Tally

Codes = NDArray[np.int32]
Places = NDArray[np.intp]
Matrix = NDArray[np.float64]
Owner = tuple[str, str]

DENSE: int = 3_000
"""Most nodes for which matrices over nodes are formed."""
MANY: int = 200
"""Systems of the plain design above which worths are found by products, covariances if asked."""
LARGE: int = 200
"""Nodes from which zeros of a matrix are left out, where few of its numbers are none."""
FILLED: float = 0.05
"""Share of numbers other than zero below which they are few."""


@dataclass(frozen=True, eq=False)
class Design:
    """The map from parameters to worths.

    Attributes:
        systems: names of the K systems.
        reference: code of the system whose λ is zero.
        system: (N,) system of each node.
        group: (N,) judge group of each node.
        groups: names of the groups; ("",) without judge covariates.
        home: the group of all reference levels; None where no judgment is of that group.
        owners: covariate and level that each reported parameter belongs to, ("", "") for those of
            the reference group; empty without judge covariates.
        left: (C,) node shown first, for each entry of the tally.
        right: (C,) the other node.
        names: names of the reported parameters, such as "o1" or "o1:J3".
        labels: the same in the user's words, such as "system-a".
        matrix: (N, p) worths by parameter, or None for the plain design: every node but the
            reference is a parameter.
        aliased: parameters that are no others' equal, by name.

    """

    systems: tuple[str, ...]
    reference: int
    system: Codes
    group: Codes
    groups: tuple[str, ...]
    left: Codes
    right: Codes
    names: tuple[str, ...]
    labels: tuple[str, ...]
    matrix: Matrix | None = None
    aliased: tuple[str, ...] = ()
    home: int | None = 0
    owners: tuple[Owner, ...] = ()

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.system)

    @property
    def saturated(self) -> bool:
        """Whether every group has worths of its own, free of the others'."""
        return self.matrix is None or self.matrix.shape[1] == self.size - len(self.groups)

    @cached_property
    def ends(self) -> tuple[Places, Places]:
        """Left and right in numpy's own integers, which indexing and counting take uncopied."""
        return self.left.astype(np.intp), self.right.astype(np.intp)

    @cached_property
    def table_place(self) -> Places:
        """(C,) place of each entry in an (N, N) table."""
        return np.asarray(self.ends[0] * self.size + self.ends[1])

    @cached_property
    def _sparse(self) -> Any:
        """The matrix without its zeros; None where it is small or full of other numbers.

        Worths of judge groups are sums of two or three parameters, whatever the number of systems.
        """
        if self.matrix is None or self.size < LARGE:
            return None
        if np.count_nonzero(self.matrix) > FILLED * self.matrix.size:
            return None
        from scipy import sparse

        return sparse.csr_array(self.matrix)

    def laplacian(self, weights: NDArray[np.float64]) -> Matrix:
        """Return (p, p) information of the parameters; entries have these weights, by η."""
        if self._sparse is None:
            return self.pull(self.pull(node_laplacian(self, weights)).T)
        from scipy import sparse

        shape = (self.size, self.size)
        table = sparse.coo_array((weights, (self.left, self.right)), shape=shape).tocsr()
        table = table + table.T
        whole = sparse.diags_array(np.asarray(table.sum(axis=1)).ravel()).tocsr() - table
        return np.asarray((self._sparse.T @ whole @ self._sparse).toarray())

    def worths(self, beta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (N,) λ of the nodes."""
        if self._sparse is not None:
            return np.asarray(self._sparse @ beta)
        if self.matrix is not None:
            return np.asarray(self.matrix @ beta)
        return np.concatenate((beta[: self.reference], [0.0], beta[self.reference :]))

    def pull(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn derivatives by node, (N, ...), into derivatives by parameter, (p, ...)."""
        if self._sparse is not None:
            return np.asarray(self._sparse.T @ gradient)
        if self.matrix is not None:
            return np.asarray(self.matrix.T @ gradient)
        if self.reference == self.size - 1:
            return np.asarray(gradient[:-1])
        return np.delete(gradient, self.reference, axis=0)

    def nodes(self, group: int | None, systems: Sequence[int]) -> Codes:
        """Return the nodes of some systems in one group, by default in the reference group.

        Raises:
            NotIdentified: the group never saw one of them, or no judgment is of that group.

        """
        chosen = self.home if group is None else group
        if chosen is None:
            raise NotIdentified(
                "no judgment is of the reference group of all covariates: name a group, one of"
                f" {listing(self.groups)}, or other reference levels"
            )
        place = np.full(len(self.systems), -1, dtype=np.int32)
        own = np.flatnonzero(self.group == chosen)
        place[self.system[own]] = own
        unseen = [self.systems[i] for i in dict.fromkeys(systems) if place[i] < 0]
        if unseen:
            who = f"group {self.groups[chosen]}" if self.groups[chosen] else "any judgment"
            raise NotIdentified(f"{listing(unseen)} was never seen by {who}")
        return place[np.asarray(systems, dtype=np.intp)]

    def rows(self) -> Matrix:
        """Return (K, p): λ of every system in the reference group, the reference system at 0.

        Raises:
            NotIdentified: that group never saw one of them, or does not exist.

        """
        if self.matrix is None:
            return np.delete(np.eye(len(self.systems)), self.reference, axis=1)
        rows = self.matrix[self.nodes(None, range(len(self.systems)))]
        return np.asarray(rows - rows[self.reference])


def node_laplacian(design: Design, weights: NDArray[np.float64]) -> Matrix:
    """Return the (N, N) weighted Laplacian of who was compared with whom."""
    n = design.size
    table = np.bincount(design.table_place, weights, minlength=n * n).reshape(n, n)
    table += table.T
    degree = table.sum(axis=1)
    laplacian = np.negative(table, out=table, dtype=np.float64)
    laplacian[np.diag_indices(n)] = degree
    return np.asarray(laplacian)


def reference_code(systems: Sequence[str], reference: str | None) -> int:
    """Return the code of the reference system: the last one unless another is named.

    Raises:
        InvalidJudgments: no such system.

    """
    if reference is None:
        return len(systems) - 1
    if reference not in systems:
        hint = suggest(reference, systems) or f" There are {listing(systems)}"
        raise InvalidJudgments(f"reference '{reference}' is not among the systems.{hint}")
    return list(systems).index(reference)


def plain_design(tally: Tally, reference: int) -> Design:
    """One worth per system."""
    k = len(tally.systems)
    others = [i for i in range(k) if i != reference]
    return Design(
        systems=tally.systems,
        reference=reference,
        system=np.arange(k, dtype=np.int32),
        group=np.zeros(k, dtype=np.int32),
        groups=("",),
        left=tally.left,
        right=tally.right,
        names=tuple(f"o{i + 1}" for i in others),
        labels=tuple(tally.systems[i] for i in others),
    )
