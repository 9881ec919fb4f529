"""A stated mix of judges and items: how much each part of the judgments counts.

A ranking is of abilities relative to who judges and what is judged (Hopkins & May 2013, section 2):
<P_X, P_J>, a distribution over items and one over judges. A file has whatever mix it happens to
have. A mix states another: shares for the levels of columns, and within these the same weight for
every judgment, every judge or every item. For a cell c of levels with share p(c), and unit u (a
judge or an item) with n(c, u) of the cell's comparisons,

    w = p(c) / (units in c · n(c, u)),        p(c) = ∏ over columns of the share of its level

scaled so that the comparisons weigh as many as there are. So a ranking of five outputs, ten
comparisons, gives a judge no more than ten answers on pairs do. Weights are importance weights:
standard errors come from a sandwich with squared weights. The effective number of judgments is
(Σ w)² / Σ w² over judgments, with w the weight of all their comparisons (Kish 1965, Survey
Sampling, section 11.7).

When not to use it: to make a small part speak for a large one that was hardly asked; the effective
number says how little is left. A part that nobody was asked in cannot be weighed at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import fsum, isfinite, prod
from numbers import Real
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import (
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    listing,
    require_option,
    suggest,
)
from evenhand.judgments.engine import COUNT
from evenhand.judgments.mix_cells import ROWS, Cells, count_cells, refuse_missing, weigh_cells
from evenhand.judgments.mixing import Mixed, attach_weights, refuse_weighted
from evenhand.judgments.signature import exactly

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings

Array = NDArray[np.float64]
EACH: Final = ("judgment", "judge", "item")
ROUNDING: Final = 1e-9  # How far shares may be from a sum of 1
_AS_SHARES: Final = "write them as {'judge_group': {'expert': 0.8, 'crowd': 0.2}}"


@dataclass(frozen=True)
class Mix:
    """A stated mix of judgments.

    Attributes:
        shares: column → level → share; the shares of a column sum to 1. Several columns are mixed
            independently: a cell of their levels has the product of their shares.
        each: what weighs the same within a cell: every judgment, every judge, or every item.

    >>> Mix({"group": {"expert": 0.8, "crowd": 0.2}}, each="judge").name
    'mix group=expert:0.8,crowd:0.2 per judge'
    """

    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    each: Literal["judgment", "judge", "item"] = "judgment"

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        require_option("each", self.each, EACH)
        if not isinstance(self.shares, Mapping):
            raise UnknownOption(f"shares cannot be {self.shares!r}: {_AS_SHARES}")
        if not self.shares and self.each == "judgment":
            raise UnknownOption(
                "a mix of nothing: state shares, such as {'domain': {'news': 0.5, 'web': 0.5}}, or"
                " that every judge or every item weighs the same (each='judge')"
            )
        for column, shares in self.shares.items():
            _check_shares(column, shares)

    @property
    def name(self) -> str:
        """The mix in the words of the signature."""
        parts = []
        for column, shares in self.shares.items():
            levels = [f"{level}:{exactly(float(share))}" for level, share in shares.items()]
            parts.append(f"{column}={','.join(levels)}")
        return " ".join(["mix", *parts, f"per {self.each}"])

    def weigh(self, data: Comparisons | Rankings) -> Comparisons:
        """Give every judgment the weight that makes the judgments this mix.

        Shares are of comparisons; a ranking is all of its own. Rows of a level with
        share 0 are left out, and counted in `mix.notes` of what is returned.

        Raises:
            UnknownColumn: a column that is not there.
            UnknownOption: a level of the data without a share, or judgments with weights already.
            InvalidJudgments: rows without a level, judge or item.
            NotIdentified: a level with a share of which there are no judgments.

        """
        from evenhand.judgments.controls import take_pairs

        table = take_pairs(data)
        refuse_weighted(table)
        columns = [_require(table, name) for name in self.shares]
        cells = count_cells(table, columns, self._units(table))
        refuse_missing(table, cells)
        wanted = self._share_cells(table, columns, cells)
        kept = wanted > 0
        weights = weigh_cells(cells, columns, wanted, kept)
        mixed = self._describe(cells, weights, kept)
        labels = {name: cells[name][kept].tolist() for name in cells if name not in (COUNT, ROWS)}
        return replace(attach_weights(table, labels, weights), mix=mixed)

    def _units(self, table: Comparisons) -> list[str]:
        """Return the columns that tell apart what weighs the same."""
        if self.each == "judgment":
            return []
        if not table.has(self.each):
            raise UnknownColumn(
                f"{table.source.name} names no {self.each}s, so that none can weigh the same: map"
                f" a column (--column {self.each}=NAME), or let every judgment weigh the same"
            )
        unit = table.require(self.each)
        return ["task", unit] if unit == "item" and table.has("task") else [unit]

    def _share_cells(self, table: Comparisons, columns: list[str], cells: Cells) -> Array:
        """Return (C,) the share of each entry's cell."""
        shares = np.ones(len(cells[COUNT]))
        for column, (name, own) in zip(columns, self.shares.items(), strict=True):
            found = sorted(set(cells[column].tolist()))
            _match_levels(table, name, own, found)
            shares *= np.array([own[level] for level in cells[column].tolist()])
        names = list(self.shares)
        seen = set(zip(*(cells[column].tolist() for column in columns), strict=True))
        for cell, share in _product(self.shares).items():
            if columns and share > 0 and cell not in seen:
                said = ", ".join(f"{n} {level}" for n, level in zip(names, cell, strict=True))
                raise NotIdentified(
                    f"no judgments of {said} in {table.source.name}: nothing can stand for their"
                    f" share of {share:g}",
                    ["collect some", "state another mix"],
                )
        return shares

    def _describe(self, cells: Cells, weights: Array, kept: NDArray[np.bool_]) -> Mixed:
        """Return what the mix made of the judgments."""
        answers, rows = cells[COUNT][kept].astype(float), cells[ROWS][kept].astype(float)
        whole = weights * rows / answers
        dropped = int(cells[ROWS][~kept].sum())
        notes: tuple[str, ...] = ()
        if dropped:
            lost = ", ".join(
                f"{name} {level}"
                for name, own in self.shares.items()
                for level, share in own.items()
                if not share
            )
            notes = (f"{dropped:,} comparisons of {lost} have share 0 and are left out",)
        return Mixed(
            name=self.name,
            shares={name: dict(own) for name, own in self.shares.items()},
            each=self.each,
            n_judgments=float(answers.sum()),
            n_comparisons=float(rows.sum()),
            effective=fsum(answers * whole) ** 2 / fsum(answers * whole**2),
            left_out=dropped,
            notes=notes,
        )


def _check_shares(column: str, shares: Mapping[str, float]) -> None:
    if not isinstance(shares, Mapping):
        raise UnknownOption(f"shares of {column} cannot be {shares!r}: {_AS_SHARES}")
    if not shares:
        raise UnknownOption(f"no shares for the levels of {column}: state them, or leave it out")
    for level, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, Real):
            raise UnknownOption(f"share {share!r} of {column} {level} is no number: {_AS_SHARES}")
        if not (isfinite(share) and 0 <= share <= 1):
            raise UnknownOption(f"share {share:g} of {column} {level}: shares lie between 0 and 1")
    total = fsum(shares.values())
    if abs(total - 1) > ROUNDING:
        raise UnknownOption(
            f"shares of {column} sum to {total:g}, not to 1: {listing(list(shares))} are to be the"
            " whole of it"
        )


def _require(table: Comparisons, name: str) -> str:
    """Return a column whose levels may have shares."""
    from evenhand.judgments.comparisons import refuse_judged

    column = table.require(name)
    refuse_judged(name, column)
    return column


def _match_levels(
    table: Comparisons, name: str, shares: Mapping[str, float], found: list[str]
) -> None:
    """Refuse levels without a share, and shares of levels that nobody has."""
    unnamed = [level for level in found if level not in shares]
    absent = [level for level, share in shares.items() if share > 0 and level not in found]
    if unnamed:
        raise UnknownOption(_say_unnamed(table, name, unnamed, [*shares.keys() - {*found}]))
    if absent:
        raise NotIdentified(
            f"no judgments of {name} {listing(absent)} in {table.source.name}: nothing can stand"
            f" for a share of {shares[absent[0]]:g}",
            ["collect some", "state another mix"],
        )


def _say_unnamed(table: Comparisons, name: str, unnamed: list[str], unknown: list[str]) -> str:
    """Say which levels lack a share, and first which shares are of no level there is."""
    lacking = f"{listing(unnamed)} of {table.source.name} has no share in the mix"
    state = "state one, 0 leaves its judgments out"
    if not unknown:
        return f"{name} {lacking}: {state}"
    wrong = sorted(unknown)
    hint = next((said for one in wrong if (said := suggest(one, unnamed))), "")
    first = f"no judgment of {table.source.name} has {name} {listing(wrong)}"
    return f"{first}.{hint}" if hint else f"{first}, and {lacking}: {state}"


def _product(shares: Mapping[str, Mapping[str, float]]) -> dict[tuple[str, ...], float]:
    """Return the share of every cell of levels."""
    cells: dict[tuple[str, ...], tuple[float, ...]] = {(): ()}
    for own in shares.values():
        cells = {
            (*cell, level): (*so_far, share)
            for cell, so_far in cells.items()
            for level, share in own.items()
        }
    return {cell: prod(parts) for cell, parts in cells.items()}
