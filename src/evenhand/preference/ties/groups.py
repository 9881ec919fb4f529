"""A tie parameter of its own for each group of judgments.

    log m[tie] = μ + γ + γ_l,   γ_l = 0 in the reference group        (METHODS 1, INFERENCE A1)

A group without a single tie has γ = −∞: not an error. Its cells for ties do not exist, its
preferences count as ever, and it has no parameter. Where that is the reference group, the first
level with ties takes its place for γ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.tally import Factor, Tally
from evenhand.preference.covariates import home_level, keep_levels, tag_of, unmerged
from evenhand.preference.design import Codes, Design, Matrix, Owner

Array = NDArray[np.float64]
NEVER: Final = -300.0
"""A γ at which a tie has no chance, to the last digit."""


@dataclass(frozen=True, eq=False)
class TieGroups:
    """The map from tie parameters to γ of groups of judgments.

    Attributes:
        groups: names of the U groups, by all covariates of the model.
        code: (C,) group of each entry of the tally.
        worth_group: (U,) group of the design that shares each group's worths.
        matrix: (U, q) γ by parameter.
        offset: (U,) what is added: 0, or NEVER where no tie was seen.
        names: names of the parameters, such as "g1" or "g1:J3".
        labels: the same in the user's words.
        endless: labels of levels with γ = −∞.
        endless_owners: covariate and level of each of them.
        owners: covariate and level of each parameter, ("", "") for the first.
        home: the group of all reference levels; None where no judgment is of that group.

    """

    groups: tuple[str, ...]
    code: Codes
    worth_group: Codes
    matrix: Matrix
    offset: Array
    names: tuple[str, ...]
    labels: tuple[str, ...]
    endless: tuple[str, ...]
    endless_owners: tuple[Owner, ...]
    owners: tuple[Owner, ...]
    home: int | None

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.groups)

    @property
    def tieless(self) -> NDArray[np.bool_]:
        """(C,) whether an entry is of a group in which a tie has no chance."""
        return np.asarray(self.offset < 0)[self.code]

    def gammas(self, parameters: Array) -> Array:
        """Return (U,) γ of the groups."""
        return np.asarray(self.matrix @ parameters + self.offset)

    def sums(self, values: Array) -> Array:
        """Sum values of entries by group: (U,)."""
        return np.bincount(self.code, values, minlength=self.size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Columns:
    """Columns over groups before those that add nothing are dropped."""

    matrix: Matrix
    owners: Sequence[Owner]
    tieless: NDArray[np.bool_]
    endless: tuple[Owner, ...]


def group_ties(
    tally: Tally,
    design: Design,
    covariates: tuple[Sequence[str], Sequence[str]],
    references: Mapping[str, str],
) -> TieGroups:
    """Return the groups of a tally in which ties have parameters of their own.

    Args:
        tally: counts that tell the levels of all covariates apart.
        design: the design of the worths, for the same entries.
        covariates: those of the worths, and those of the tie parameter.
        references: reference level by covariate; the first by default.

    Raises:
        UnknownOption: an unknown reference level, or a covariate whose levels were merged.

    """
    worths, ties = covariates
    names = list(dict.fromkeys([*worths, *ties]))
    factors = {name: unmerged(tally, name) for name in names}
    key = np.zeros(len(tally.left), dtype=np.int64)
    for factor in factors.values():
        key = key * factor.size + factor.codes
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    levels = {name: factor.codes[first] for name, factor in factors.items()}
    homes = {name: home_level(name, factor.labels, references) for name, factor in factors.items()}
    own = {name: factors[name] for name in ties}
    found = _columns(tally, own, levels, homes)
    keep = keep_levels(found.matrix)
    owners = [found.owners[i] for i in np.flatnonzero(keep).tolist()]
    tags = [tag_of(owner, alone=len(names) == 1) for owner in owners]
    at_home = np.flatnonzero(np.all([levels[name] == homes[name] for name in names], axis=0))
    named = [[factors[name].labels[level] for level in levels[name]] for name in names]
    return TieGroups(
        groups=tuple(map(", ".join, zip(*named, strict=True))),
        code=code.astype(np.int32),
        worth_group=design.group[design.left][first],
        matrix=found.matrix[:, keep],
        offset=np.where(found.tieless, NEVER, 0.0),
        names=tuple(f"g1{tag}" for tag in tags),
        labels=tuple(f"tie{tag}" for tag in tags),
        endless=tuple(f"tie{tag_of(owner, alone=len(names) == 1)}" for owner in found.endless),
        endless_owners=found.endless,
        owners=tuple(owners),
        home=int(at_home[0]) if at_home.size else None,
    )


def _columns(
    tally: Tally,
    factors: Mapping[str, Factor],
    levels: Mapping[str, Codes],
    homes: Mapping[str, int],
) -> _Columns:
    """Return a column for all groups with ties, and one for each level but the reference."""
    size = len(next(iter(levels.values())))
    tieless = np.zeros(size, dtype=np.bool_)
    columns, owners, endless = [np.ones(size)], [("", "")], []
    for name, factor in factors.items():
        seen = np.bincount(factor.codes, tally.ties, minlength=factor.size) > 0
        home = homes[name] if seen[homes[name]] else int(np.argmax(seen))
        for code, level in enumerate(factor.labels):
            if not seen[code]:
                tieless |= levels[name] == code
                endless.append((name, level))
            elif code != home:
                columns.append((levels[name] == code).astype(np.float64))
                owners.append((name, level))
    matrix = np.stack(columns, axis=1) * ~tieless[:, None]
    return _Columns(matrix, owners, tieless, tuple(endless))
