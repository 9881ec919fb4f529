"""Worths that depend on who judges and on what the systems are.

    λ_jl = λ_j + λ_jl(group)   or   λ_j = Σ_k β_k x_jk   (Dras 2015, eq. 2)

Columns that add nothing within any group (a system that no judge of a group saw, a covariate that
is a sum of others) are aliased: dropped, counted for no df, shown as "—".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.data.tally import Factor, Tally
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, listing, suggest
from evenhand.numerics import Array, Flags

# How parameters make worths: λ of every (judge group, system) is a sum of parameters.
#
# A node is a system in the eyes of one judge group; without judge covariates all judges are one
# group. The matrix maps the reported parameters to the worths of the nodes.

Codes = NDArray[np.int32]
Places = NDArray[np.intp]
Owner = tuple[str, str]

DENSE: int = 3_000  # Most nodes for which matrices over nodes are formed
# Systems of the plain design above which worths are found by products, covariances if asked
MANY: int = 200
# Nodes from which zeros of a matrix are left out, where few of its numbers are none
MIN_SPARSE_NODES: int = 200
MAX_SPARSE_SHARE: float = 0.05  # Share of numbers other than zero below which they are few


@dataclass(frozen=True, eq=False)
class Design:
    systems: tuple[str, ...]  # names of the K systems
    reference: int  # code of the system whose λ is zero
    system: Codes  # (N,) system of each node
    group: Codes  # (N,) judge group of each node
    groups: tuple[str, ...]  # names of the groups; ("",) without judge covariates
    left: Codes  # (C,) node shown first, for each entry of the tally
    right: Codes  # (C,) the other node
    names: tuple[str, ...]  # names of the reported parameters, such as "o1" or "o1:J3"
    labels: tuple[str, ...]  # the same in the user's words, such as "system-a"
    # (N, p) worths by parameter, or None for the plain design: every node but the reference is a
    # parameter
    matrix: Array | None = None
    aliased: tuple[str, ...] = ()  # parameters that are no others' equal, by name
    # the group of all reference levels; None where no judgment is of that group
    home: int | None = 0
    # covariate and level that each reported parameter belongs to, ("", "") for those of the
    # reference group; empty without judge covariates
    owners: tuple[Owner, ...] = ()

    @property
    def size(self) -> int:
        return len(self.system)

    @cached_property
    def ends(self) -> tuple[Places, Places]:
        """Left and right in numpy's own integers, which indexing and counting take uncopied."""
        return self.left.astype(np.intp), self.right.astype(np.intp)

    @cached_property
    def table_place(self) -> Places:
        return np.asarray(self.ends[0] * self.size + self.ends[1])

    @cached_property
    def _sparse(self) -> Any:
        """The matrix without its zeros; None where it is small or full of other numbers."""
        # worths of judge groups are sums of two or three parameters, whatever the number of systems
        if self.matrix is None or self.size < MIN_SPARSE_NODES:
            return None
        if np.count_nonzero(self.matrix) > MAX_SPARSE_SHARE * self.matrix.size:
            return None
        from scipy import sparse

        return sparse.csr_array(self.matrix)

    def laplacian(self, weights: Array) -> Array:
        """Return (p, p) information of the parameters; entries have these weights, by η."""
        n = self.size
        if self._sparse is None:
            table = np.bincount(self.table_place, weights, minlength=n * n).reshape(n, n)
            table += table.T
            degree = table.sum(axis=1)
            dense = np.negative(table, out=table, dtype=np.float64)
            dense[np.diag_indices(n)] = degree
            return self.pull(self.pull(dense).T)
        from scipy import sparse

        pairs = sparse.coo_array((weights, (self.left, self.right)), shape=(n, n)).tocsr()
        pairs = pairs + pairs.T
        whole = sparse.diags_array(np.asarray(pairs.sum(axis=1)).ravel()).tocsr() - pairs
        return np.asarray((self._sparse.T @ whole @ self._sparse).toarray())

    def worths(self, beta: Array) -> Array:
        """(N,) λ of the nodes."""
        if self._sparse is not None:
            return np.asarray(self._sparse @ beta)
        if self.matrix is not None:
            return np.asarray(self.matrix @ beta)
        return np.concatenate((beta[: self.reference], [0.0], beta[self.reference :]))

    def pull(self, gradient: Array) -> Array:
        """Turn derivatives by node, (N, ...), into derivatives by parameter, (p, ...)."""
        if self._sparse is not None:
            return np.asarray(self._sparse.T @ gradient)
        if self.matrix is not None:
            return np.asarray(self.matrix.T @ gradient)
        if self.reference == self.size - 1:
            return np.asarray(gradient[:-1])
        return np.delete(gradient, self.reference, axis=0)

    def pull_each(self, tables: Array) -> Array:
        """Turn (G, N, N) second derivatives by node, symmetric, into (G, p, p) by parameter."""
        if self.matrix is None:  # all nodes but one: no sums
            free = np.delete(np.arange(self.size), self.reference)
            return np.asarray(tables[:, free[:, None], free])
        p = self.matrix.shape[1]
        return np.array([self.pull(self.pull(one).T) for one in tables]).reshape(-1, p, p)

    def nodes(self, group: int | None, systems: Sequence[int]) -> Codes:
        chosen = self.home if group is None else group
        if chosen is None:
            raise refuse_home(self.groups)
        place = np.full(len(self.systems), -1, dtype=np.int32)
        nodes = np.flatnonzero(self.group == chosen)
        place[self.system[nodes]] = nodes
        unseen = [self.systems[i] for i in dict.fromkeys(systems) if place[i] < 0]
        if unseen:
            who = f"group {self.groups[chosen]}" if self.groups[chosen] else "any judgment"
            raise NotIdentified(f"{listing(unseen)} was never seen by {who}")
        return place[np.asarray(systems, dtype=np.intp)]

    def rows(self) -> Array:
        """Return (K, p): λ of every system in the reference group, the reference system at 0."""
        if self.matrix is None:
            return np.delete(np.eye(len(self.systems)), self.reference, axis=1)
        rows = self.matrix[self.nodes(None, range(len(self.systems)))]
        return np.asarray(rows - rows[self.reference])


def refuse_home(groups: Sequence[str]) -> NotIdentified:
    return NotIdentified(
        "no judgment is of the reference group of all covariates: name a group, one of"
        f" {listing(groups)}, or other reference levels"
    )


def reference_code(systems: Sequence[str], reference: str | None) -> int:
    if reference is None:
        return len(systems) - 1
    if reference not in systems:
        hint = suggest(reference, systems) or f" There are {listing(systems)}"
        raise InvalidJudgments(f"reference '{reference}' is not among the systems.{hint}")
    return list(systems).index(reference)


def name_worths(systems: Sequence[str], reference: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names and labels of all worths but that of the reference."""
    others = [i for i in range(len(systems)) if i != reference]
    return tuple(f"o{i + 1}" for i in others), tuple(systems[i] for i in others)


def plain_design(tally: Tally, reference: int) -> Design:
    k = len(tally.systems)
    names, labels = name_worths(tally.systems, reference)
    return Design(
        systems=tally.systems,
        reference=reference,
        system=np.arange(k, dtype=np.int32),
        group=np.zeros(k, dtype=np.int32),
        groups=("",),
        left=tally.left,
        right=tally.right,
        names=names,
        labels=labels,
    )


Name = TypeVar("Name", str, tuple[str, str])
Features = Mapping[str, Mapping[str, float | str]]
# Share of a column's length that must be left once earlier columns are taken out
MIN_INDEPENDENT_SHARE: Final = 1e-8
BLOCK: Final = 64


def grouped_design(
    tally: Tally,
    reference: int,
    covariates: Sequence[str],
    references: Mapping[str, str],
    features: Features,
) -> Design:
    factors, homes, combined = combine_levels(tally, covariates, references)
    # nodes: each system in the eyes of each group of judges that saw it
    k = len(tally.systems)
    sides = [combined * k + tally.left, combined * k + tally.right]
    nodes, inverse = np.unique(np.concatenate(sides), return_inverse=True)
    if len(nodes) > DENSE:
        by = f"{' and '.join(factors)} with " if factors else ""
        raise UnknownOption(
            f"{by}{k:,} systems make {len(nodes):,} worths, more than {DENSE:,} that covariates can"
            " be fitted to: merge levels, or fit a part of the systems"
        )
    seen, of_node = np.unique(nodes // k, return_inverse=True)
    system, group = (nodes % k).astype(np.int32), of_node.astype(np.int32)
    level_of = {}  # by covariate, (groups,) its level in each group
    for name, factor in reversed(list(factors.items())):
        seen, level_of[name] = np.divmod(seen, factor.size)
    left, right = np.split(inverse.astype(np.int32), 2)
    names, labels, base = system_columns(tally.systems, reference, features)
    # (groups, B) columns, of ones and for each level, and whose each of them is
    levels, owners = [np.ones(int(group.max()) + 1)], [("", "")]
    for name, factor in factors.items():
        for code, level in enumerate(factor.labels):
            if code != homes[name]:
                levels.append((level_of[name] == code).astype(np.float64))
                owners.append((name, level))
    by_group, by_node = np.stack(levels, axis=1), base[system]
    columns = np.concatenate([by_node * level[group, None] for level in levels], axis=1)
    if len(system) < len(base) * len(by_group):
        keep = find_independent(columns, group)
    else:
        # every group saw every system: each column is one over groups times one over systems, and
        # adds something if both of them do
        plain = len(base) == base.shape[1] + 1 and (base.sum(axis=0) == 1).all() and base.max() == 1
        one_group = np.zeros(len(base), dtype=np.int32)
        systems = np.ones(base.shape[1], bool) if plain else find_independent(base, one_group)
        keep = np.outer(keep_levels(by_group), systems).ravel()
    if not keep[: len(names)].any():
        raise _no_variation(features)
    at_reference = [level_of[name] == home for name, home in homes.items()]
    at_home = np.flatnonzero(np.all(at_reference, axis=0))
    tags = [tag_of(owner, alone=len(factors) == 1) for owner in owners]
    all_labels = [label + tag for tag in tags for label in labels]
    named = [[factor.labels[code] for code in level_of[name]] for name, factor in factors.items()]
    return Design(
        systems=tally.systems,
        reference=reference,
        system=system,
        group=group,
        groups=tuple(map(", ".join, zip(*named, strict=True))) if named else ("",),
        left=left,
        right=right,
        names=_chosen([name + tag for tag in tags for name in names], keep),
        labels=_chosen(all_labels, keep),
        matrix=columns if keep.all() else np.ascontiguousarray(columns[:, keep]),
        aliased=_chosen(all_labels, ~keep),
        home=int(at_home[0]) if at_home.size else None,
        owners=_chosen([owner for owner in owners for _ in names], keep),
    )


def combine_levels(
    tally: Tally, covariates: Sequence[str], references: Mapping[str, str]
) -> tuple[dict[str, Factor], dict[str, int], NDArray[np.int64]]:
    """Return covariates of judges, their reference levels, and (C,) one number of all levels."""
    factors = {name: tally.whole_factor(name) for name in covariates}
    homes = {name: home_level(name, factor.labels, references) for name, factor in factors.items()}
    combined = np.zeros(len(tally.left), dtype=np.int64)
    for factor in factors.values():
        combined = combined * factor.size + factor.codes
    return factors, homes, combined


def keep_levels(matrix: Array) -> Flags:
    """Mark the columns that add something to those before them, constants included."""
    mirrored = np.concatenate([matrix, -matrix])  # its columns have mean zero
    return find_independent(mirrored, np.zeros(len(mirrored), dtype=np.int32))


def tag_of(owner: Owner, *, alone: bool) -> str:
    """Return what a covariate and its level add to the name of a parameter, as ":J3"."""
    covariate, level = owner
    if not covariate:
        return ""
    return f":{level}" if alone else f":{covariate}={level}"


def _chosen(names: Sequence[Name], keep: Flags) -> tuple[Name, ...]:
    return tuple(name for name, chosen in zip(names, keep, strict=True) if chosen)


def require_counts(tally: Tally) -> None:
    if tally.squares is not None:
        raise UnknownOption(
            "importance weights are no counts, which this model needs: use weights that count rows,"
            " or bradley-terry"
        )


def require_few(systems: Sequence[str]) -> None:
    if len(systems) > DENSE:
        raise NotIdentified(
            f"{len(systems):,} systems are too many for this model (at most {DENSE:,})",
            ["leave some out", "take bradley-terry"],
        )


def home_level(covariate: str, levels: Sequence[str], references: Mapping[str, str]) -> int:
    named = references.get(covariate)
    if named is None:
        return 0
    if named not in levels:
        hint = suggest(named, levels) or f" There are {listing(levels)}"
        raise UnknownOption(f"'{named}' is not a level of {covariate}.{hint}")
    return list(levels).index(named)


def system_columns(
    systems: Sequence[str], reference: int, features: Features
) -> tuple[Sequence[str], Sequence[str], Array]:
    """Return names, labels and (K, p) columns: indicators of systems, or their covariates."""
    if not features:
        others = np.delete(np.arange(len(systems)), reference)
        return *name_worths(systems, reference), np.eye(len(systems))[:, others]
    columns: list[Array] = []
    names: list[str] = []
    for name, values in features.items():
        missing = [system for system in systems if system not in values]
        if missing:
            raise InvalidJudgments(f"system covariate '{name}' has no value for {listing(missing)}")
        of_systems = [values[system] for system in systems]
        if any(isinstance(value, str) for value in of_systems):
            texts = [str(value) for value in of_systems]
            for level in sorted(set(texts))[1:]:
                columns.append(np.array([text == level for text in texts], dtype=np.float64))
                names.append(f"{name}:{level}")
        else:
            columns.append(np.array(of_systems, dtype=np.float64))
            names.append(name)
    if not columns or not np.isfinite(columns).all():
        raise _no_variation(features)
    return names, names, np.stack(columns, axis=1)


def _no_variation(features: Features) -> InvalidJudgments:
    return InvalidJudgments(
        f"system covariates {listing(list(features))} must vary between systems and be finite"
    )


def find_independent(matrix: Array, group: Codes) -> Flags:
    """Mark the columns that add something, within groups, to those before them."""
    # Worths are known up to a constant within a group, so that columns are centred there first; by
    # Gram and Schmidt's process, a block of columns at a time.
    sizes = np.bincount(group)
    means = np.zeros((len(sizes), matrix.shape[1]))
    np.add.at(means, group, matrix)
    centred = matrix - (means / sizes[:, None])[group]
    smallest = MIN_INDEPENDENT_SHARE * np.linalg.norm(matrix, axis=0)
    keep = np.zeros(matrix.shape[1], dtype=bool)
    basis, rank = np.zeros(matrix.shape, order="F"), 0
    for start in range(0, matrix.shape[1], BLOCK):
        before = basis[:, :rank]
        block = centred[:, start : start + BLOCK]
        for _ in range(2):
            block = block - before @ (before.T @ block)
        for j in range(block.shape[1]):
            left, within = block[:, j], basis[:, len(before.T) : rank]
            for _ in range(2):
                left = left - within @ (within.T @ left)
            size = np.linalg.norm(left)
            if size > smallest[start + j]:
                keep[start + j] = True
                basis[:, rank] = left / size
                rank += 1
    return keep
