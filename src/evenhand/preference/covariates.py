"""Worths that depend on who judges and on what the systems are.

    λ_jl = λ_j + λ_jl(group)   or   λ_j = Σ_k β_k x_jk   (Dras 2015, eq. 2; METHODS 1)

Columns that add nothing within any group (a system that no judge of a group saw, a covariate that
is a sum of others) are aliased: dropped, counted for no df, shown as "—".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, listing, suggest
from evenhand.judgments.tally import Factor, Tally
from evenhand.preference.design import DENSE, Codes, Design, Matrix, Owner

Name = TypeVar("Name", str, tuple[str, str])
Features = Mapping[str, Mapping[str, float | str]]
ADDS: Final = 1e-8
"""Share of a column's length that must be left once earlier columns are taken out."""
BLOCK: Final = 64


@dataclass(frozen=True, eq=False)
class _Nodes:
    """Systems in the eyes of judge groups.

    Attributes:
        system: (N,) system of each node.
        group: (N,) group of each node.
        levels: by covariate, (groups,) its level in each group.
        left: (C,) node shown first, for each entry of the tally.
        right: (C,) the other node.

    """

    system: Codes
    group: Codes
    levels: Mapping[str, NDArray[np.int64]]
    left: Codes
    right: Codes


def grouped_design(
    tally: Tally,
    reference: int,
    covariates: Sequence[str],
    references: Mapping[str, str],
    features: Features,
) -> Design:
    """Return the design of worths that depend on judge covariates, system covariates, or both.

    Args:
        tally: counts that tell the covariates' levels apart.
        reference: code of the system whose λ is zero.
        covariates: factors of the tally whose levels have worths of their own.
        references: reference level by covariate; the first by default.
        features: system covariate → system → number or level.

    Raises:
        UnknownColumn: the tally does not tell a covariate apart.
        UnknownOption: an unknown reference level, a covariate whose levels were merged, or more
            worths than a matrix can hold.
        InvalidJudgments: a system without a value, or covariates that do not vary.

    """
    factors = {name: unmerged(tally, name) for name in covariates}
    homes = {name: home_level(name, factor.labels, references) for name, factor in factors.items()}
    nodes = _find_nodes(tally, factors)
    names, labels, base = system_columns(tally.systems, reference, features)
    of_groups, owners = _group_columns(nodes, factors, homes)
    own_base = base[nodes.system]
    columns = np.concatenate([own_base * one[nodes.group, None] for one in of_groups.T], axis=1)
    tags = [tag_of(owner, alone=len(factors) == 1) for owner in owners]
    keep = _keep(base, of_groups, nodes, columns)
    if not keep[: len(names)].any():
        raise _no_variation(features)
    own = np.all([nodes.levels[name] == home for name, home in homes.items()], axis=0)
    at_home = np.flatnonzero(own)
    all_labels = [label + tag for tag in tags for label in labels]
    return Design(
        systems=tally.systems,
        reference=reference,
        system=nodes.system,
        group=nodes.group,
        groups=_group_names(factors, nodes),
        left=nodes.left,
        right=nodes.right,
        names=_chosen([name + tag for tag in tags for name in names], keep),
        labels=_chosen(all_labels, keep),
        matrix=columns if keep.all() else np.ascontiguousarray(columns[:, keep]),
        aliased=_chosen(all_labels, ~keep),
        home=int(at_home[0]) if at_home.size else None,
        owners=_chosen([owner for owner in owners for _ in names], keep),
    )


def _keep(base: Matrix, of_groups: Matrix, nodes: _Nodes, columns: Matrix) -> NDArray[np.bool_]:
    """Mark the columns that add something to those before them.

    Where every group saw every system each column is one over groups times one over systems, and
    adds something if both of them do.

    Args:
        base: (K, P) columns over systems.
        of_groups: (groups, B) columns over groups.
        nodes: systems in the eyes of groups.
        columns: (N, B P) their products over nodes.

    """
    if len(nodes.system) < len(base) * len(of_groups):
        return find_independent(columns, nodes.group)
    plain = len(base) == base.shape[1] + 1 and (base.sum(axis=0) == 1).all() and base.max() == 1
    one_group = np.zeros(len(base), dtype=np.int32)
    systems = np.ones(base.shape[1], bool) if plain else find_independent(base, one_group)
    return np.outer(keep_levels(of_groups), systems).ravel()


def keep_levels(matrix: Matrix) -> NDArray[np.bool_]:
    """Mark the columns that add something to those before them, constants included."""
    mirrored = np.concatenate([matrix, -matrix])  # its columns have mean zero
    return find_independent(mirrored, np.zeros(len(mirrored), dtype=np.int32))


def tag_of(owner: Owner, *, alone: bool) -> str:
    """Return what a covariate and its level add to the name of a parameter.

    >>> tag_of(("judge", "J3"), alone=True), tag_of(("SEX", "2"), alone=False)
    (':J3', ':SEX=2')
    """
    covariate, level = owner
    if not covariate:
        return ""
    return f":{level}" if alone else f":{covariate}={level}"


def _chosen(names: Sequence[Name], keep: NDArray[np.bool_]) -> tuple[Name, ...]:
    return tuple(name for name, kept in zip(names, keep, strict=True) if kept)


def unmerged(tally: Tally, name: str) -> Factor:
    """Return a factor whose levels can be told apart.

    Raises:
        UnknownColumn: the tally does not tell the covariate apart.
        UnknownOption: its levels were merged.

    """
    factor = tally.factor(name)
    if factor.merged:
        raise UnknownOption(f"the levels of {name} were merged: tally without a limit for it")
    return factor


def home_level(covariate: str, levels: Sequence[str], references: Mapping[str, str]) -> int:
    """Return the code of the reference level: the first unless another is named.

    Raises:
        UnknownOption: no such level.

    """
    named = references.get(covariate)
    if named is None:
        return 0
    if named not in levels:
        hint = suggest(named, levels) or f" There are {listing(levels)}"
        raise UnknownOption(f"'{named}' is not a level of {covariate}.{hint}")
    return list(levels).index(named)


def _find_nodes(tally: Tally, factors: Mapping[str, Factor]) -> _Nodes:
    """Number the groups that occur, and the systems that each has seen."""
    k, combined = len(tally.systems), np.zeros(len(tally.left), dtype=np.int64)
    for factor in factors.values():
        combined = combined * factor.size + factor.codes
    sides = [combined * k + tally.left, combined * k + tally.right]
    nodes, inverse = np.unique(np.concatenate(sides), return_inverse=True)
    if len(nodes) > DENSE:
        by = f"{' and '.join(factors)} with " if factors else ""
        raise UnknownOption(
            f"{by}{k:,} systems make {len(nodes):,} worths, more than {DENSE:,} that covariates can"
            " be fitted to: merge levels, or fit a part of the systems"
        )
    seen, group = np.unique(nodes // k, return_inverse=True)
    levels = {}
    for name, factor in reversed(list(factors.items())):
        seen, levels[name] = np.divmod(seen, factor.size)
    left, right = np.split(inverse.astype(np.int32), 2)
    return _Nodes((nodes % k).astype(np.int32), group.astype(np.int32), levels, left, right)


def _group_names(factors: Mapping[str, Factor], nodes: _Nodes) -> tuple[str, ...]:
    named = [
        [factor.labels[code] for code in nodes.levels[name]] for name, factor in factors.items()
    ]
    return tuple(map(", ".join, zip(*named, strict=True))) if named else ("",)


def _group_columns(
    nodes: _Nodes, factors: Mapping[str, Factor], homes: Mapping[str, int]
) -> tuple[Matrix, list[Owner]]:
    """Return (groups, B) columns, of ones and for each level, and whose each of them is."""
    columns, owners = [np.ones(int(nodes.group.max()) + 1)], [("", "")]
    for name, factor in factors.items():
        for code, level in enumerate(factor.labels):
            if code != homes[name]:
                columns.append((nodes.levels[name] == code).astype(np.float64))
                owners.append((name, level))
    return np.stack(columns, axis=1), owners


def system_columns(
    systems: Sequence[str], reference: int, features: Features
) -> tuple[list[str], list[str], Matrix]:
    """Return names, labels and (K, p) columns: indicators of systems, or their covariates."""
    if not features:
        others = [i for i in range(len(systems)) if i != reference]
        names = [f"o{i + 1}" for i in others]
        return names, [systems[i] for i in others], np.eye(len(systems))[:, others]
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
    if not columns or not np.isfinite(columns).all():
        raise _no_variation(features)
    return names, list(names), np.stack(columns, axis=1)


def _no_variation(features: Features) -> InvalidJudgments:
    return InvalidJudgments(
        f"system covariates {listing(list(features))} must vary between systems and be finite"
    )


def find_independent(matrix: Matrix, group: Codes) -> NDArray[np.bool_]:
    """Mark the columns that add something, within groups, to those before them.

    Worths are known up to a constant within a group, so that columns are centred there first; by
    Gram and Schmidt's process, a block of columns at a time.

    >>> matrix = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    >>> find_independent(matrix, np.zeros(3, dtype=np.int32)).tolist()
    [True, True, False]
    """
    sizes = np.bincount(group)
    means = np.zeros((len(sizes), matrix.shape[1]))
    np.add.at(means, group, matrix)
    centred = matrix - (means / sizes[:, None])[group]
    smallest = ADDS * np.linalg.norm(matrix, axis=0)
    keep = np.zeros(matrix.shape[1], dtype=bool)
    basis, found = np.zeros(matrix.shape, order="F"), 0
    for start in range(0, matrix.shape[1], BLOCK):
        before = basis[:, :found]
        block = centred[:, start : start + BLOCK]
        for _ in range(2):
            block = block - before @ (before.T @ block)
        for j in range(block.shape[1]):
            left, own = block[:, j], basis[:, len(before.T) : found]
            for _ in range(2):
                left = left - own @ (own.T @ left)
            size = np.linalg.norm(left)
            if size > smallest[start + j]:
                keep[start + j] = True
                basis[:, found] = left / size
                found += 1
    return keep
