"""How parameters make worths: λ of every (judge group, system) is a sum of parameters.

    λ_jl = λ_j + λ_jl(group)   or   λ_j = Σ_k β_k x_jk   (Dras 2015, eq. 2; METHODS 1)

A node is a system in the eyes of one judge group. The matrix maps the reported parameters to the
worths of the nodes; columns that add nothing within any group (a system that no judge of a group
saw, a covariate that is a sum of others) are aliased: dropped, counted for no df, shown as "—".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption, listing, suggest
from evenhand.judgments.tally import Tally

Codes = NDArray[np.int32]
Matrix = NDArray[np.float64]
Levels = dict[str, tuple[str, ...]]

DENSE: int = 3_000
"""Most nodes for which matrices over nodes are formed."""


@dataclass(frozen=True, eq=False)
class Design:
    """The map from parameters to worths.

    Attributes:
        systems: names of the K systems.
        reference: code of the system whose λ is zero.
        system: (N,) system of each node.
        group: (N,) judge group of each node.
        groups: names of the groups; ("",) without judge covariates.
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

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.system)

    @property
    def saturated(self) -> bool:
        """Whether every group has worths of its own, free of the others'."""
        return self.matrix is None or self.matrix.shape[1] == self.size - len(self.groups)

    def worths(self, beta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (N,) λ of the nodes."""
        if self.matrix is not None:
            return np.asarray(self.matrix @ beta)
        return np.insert(beta, self.reference, 0.0)

    def pull(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn derivatives by node, (N, ...), into derivatives by parameter, (p, ...)."""
        if self.matrix is not None:
            return np.asarray(self.matrix.T @ gradient)
        if self.reference == self.size - 1:
            return gradient[:-1]
        return np.delete(gradient, self.reference, axis=0)

    def rows(self, group: int) -> Matrix:
        """Return (K, p): λ of every system in one group; a system unseen there is refused."""
        found = {int(s): i for i, s in enumerate(self.system) if self.group[i] == group}
        if len(found) < len(self.systems):
            unseen = [name for i, name in enumerate(self.systems) if i not in found]
            raise NotIdentified(f"group {self.groups[group]} never saw {listing(unseen)}")
        nodes = np.array([found[i] for i in range(len(self.systems))])
        if self.matrix is not None:
            return self.matrix[nodes]
        return np.delete(np.eye(len(self.systems)), self.reference, axis=1)


def reference_code(systems: Sequence[str], reference: str | None) -> int:
    """Return the code of the reference system: the last one unless another is named.

    Raises:
        InvalidJudgments: no such system.

    """
    if reference is None:
        return len(systems) - 1
    if reference not in systems:
        hint = suggest(reference, systems) or f" There are {listing(systems)}."
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


def grouped_design(
    tally: Tally,
    reference: int,
    covariates: Sequence[str],
    references: Mapping[str, str],
    features: Mapping[str, Mapping[str, float | str]],
) -> Design:
    """Worths that depend on judge covariates, on system covariates, or on both."""
    k = len(tally.systems)
    combined, levels = _combine(tally, covariates)
    nodes, inverse = np.unique(
        np.concatenate([combined * k + tally.left, combined * k + tally.right]),
        return_inverse=True,
    )
    if len(nodes) > DENSE:
        raise UnknownOption(
            f"{' and '.join(covariates)} with {k:,} systems make {len(nodes):,} worths, more than"
            f" {DENSE:,}: merge levels of the covariate, or model judges as random"
        )
    seen, group = np.unique(nodes // k, return_inverse=True)
    system = (nodes % k).astype(np.int32)
    base, names, labels = _system_columns(tally.systems, reference, features)
    columns = [base[system]]
    parts = _level_codes(seen, [len(levels[c]) for c in covariates])
    for covariate, codes in zip(covariates, parts, strict=True):
        home = _reference_level(covariate, levels[covariate], references)
        for code, level in enumerate(levels[covariate]):
            if code == home:
                continue
            columns.append(base[system] * (codes[group] == code)[:, None])
            tag = level if len(covariates) == 1 else f"{covariate}={level}"
            names += [f"{name}:{tag}" for name in names[: base.shape[1]]]
            labels += [f"{label}:{tag}" for label in labels[: base.shape[1]]]
    matrix = np.concatenate(columns, axis=1)
    keep = _independent(matrix, group)
    groups = tuple(
        ", ".join(levels[c][parts[i][g]] for i, c in enumerate(covariates))
        for g in range(len(seen))
    )
    return Design(
        systems=tally.systems,
        reference=reference,
        system=system,
        group=group.astype(np.int32),
        groups=groups,
        left=inverse[: len(tally.left)].astype(np.int32),
        right=inverse[len(tally.left) :].astype(np.int32),
        names=tuple(name for name, kept in zip(names, keep, strict=True) if kept),
        labels=tuple(label for label, kept in zip(labels, keep, strict=True) if kept),
        matrix=np.ascontiguousarray(matrix[:, keep]),
        aliased=tuple(label for label, kept in zip(labels, keep, strict=True) if not kept),
    )


def _combine(tally: Tally, covariates: Sequence[str]) -> tuple[NDArray[np.int64], Levels]:
    """Return one code per entry for the combination of all covariates."""
    combined = np.zeros(len(tally.left), dtype=np.int64)
    levels: Levels = {}
    for covariate in covariates:
        factor = tally.factor(covariate)
        combined = combined * factor.size + factor.codes
        levels[covariate] = factor.labels
    return combined, levels


def _level_codes(combined: NDArray[np.int64], sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    codes = []
    for size in reversed(sizes):
        combined, code = np.divmod(combined, size)
        codes.append(code)
    return codes[::-1]


def _reference_level(covariate: str, levels: Sequence[str], references: Mapping[str, str]) -> int:
    """Return the code of the reference group: the first level unless another is named."""
    named = references.get(covariate)
    if named is None:
        return 0
    if named not in levels:
        hint = suggest(named, levels) or f" There are {listing(levels)}."
        raise UnknownOption(f"'{named}' is not a level of {covariate}.{hint}")
    return list(levels).index(named)


def _system_columns(
    systems: Sequence[str], reference: int, features: Mapping[str, Mapping[str, float | str]]
) -> tuple[Matrix, list[str], list[str]]:
    """Return (K, p) columns: an indicator of each system, or its covariates."""
    if not features:
        others = [i for i in range(len(systems)) if i != reference]
        names = [f"o{i + 1}" for i in others]
        return np.eye(len(systems))[:, others], names, [systems[i] for i in others]
    columns: list[NDArray[np.float64]] = []
    names = []
    for name, values in features.items():
        missing = [system for system in systems if system not in values]
        if missing:
            raise InvalidJudgments(f"system covariate '{name}' has no value for {listing(missing)}")
        own = [values[system] for system in systems]
        if any(isinstance(value, str) for value in own):
            texts = [str(value) for value in own]
            for level in sorted(set(texts))[1:]:
                columns.append(np.array([text == level for text in texts], dtype=np.float64))
                names.append(f"{name}:{level}")
        else:
            columns.append(np.array(own, dtype=np.float64))
            names.append(name)
    if not columns or not np.isfinite(np.stack(columns)).all():
        raise InvalidJudgments(
            f"system covariates {listing(list(features))} must vary between systems and be finite"
        )
    return np.stack(columns, axis=1), names, list(names)


def _independent(matrix: Matrix, group: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the columns that add something, within groups, to those before them.

    Worths are known up to a constant within a group, so that columns are centred there first; in a
    QR decomposition a column that depends on earlier ones leaves nothing on the diagonal.
    """
    sizes = np.bincount(group)
    means = np.zeros((len(sizes), matrix.shape[1]))
    np.add.at(means, group, matrix)
    centred = matrix - (means / sizes[:, None])[group]
    keep = np.zeros(matrix.shape[1], dtype=bool)
    basis = np.zeros((len(matrix), 0))
    scale = np.linalg.norm(centred, axis=0)
    for j in range(matrix.shape[1]):
        left = centred[:, j] - basis @ (basis.T @ centred[:, j])
        left = left - basis @ (basis.T @ left)
        size = np.linalg.norm(left)
        if size > 1e-8 * max(scale[j], 1.0):
            keep[j] = True
            basis = np.concatenate([basis, (left / size)[:, None]], axis=1)
    return keep
