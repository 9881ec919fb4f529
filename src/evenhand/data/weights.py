"""How much each judgment counts: a stated mix of judges and items, or a cap on judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from math import fsum, isfinite, prod
from numbers import Real
from typing import Any, Final, Literal, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from evenhand.data.coding import name_levels
from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import advise_without
from evenhand.data.controls import Openable, take_pairs, takes_judgments
from evenhand.data.engine import COUNT, count_by, small_table
from evenhand.data.rankings import Rankings
from evenhand.data.tables import AppliedMix, refuse_judged
from evenhand.data.texts import say
from evenhand.errors import (
    InvalidJudgments,
    NotIdentified,
    UnknownColumn,
    UnknownOption,
    listing,
    require_option,
    suggest,
)
from evenhand.numerics import Array
from evenhand.render.document import exactly

_WEIGHT: Final = "evenhand_weight"


def refuse_weighted(table: Comparisons) -> None:
    if table.mix is not None:
        raise UnknownOption(f"these judgments are mixed already ({table.mix.name}): mix them once")
    if table.has("weight"):
        raise UnknownOption(
            f"judgments of {table.source.name} have weights already (column"
            f" '{table.source.named('weight')}'), and a mix weighs them: read the file without"
            " weights, one row for each judgment"
        )


def attach_weights(
    table: Comparisons, labels: Mapping[str, list[str]], weights: NDArray[np.float64]
) -> Comparisons:
    """Give rows the weight of their labels; rows whose labels are not listed are excluded."""
    # labels: column → (C,) labels, each combination once.
    # weights: (C,) a row's weight; written as text to the last digit, so that every engine has the
    # same.
    frame = name_levels(table, list(labels), table.frame)
    columns = {**labels, _WEIGHT: [repr(weight) for weight in weights.tolist()]}
    listed = small_table(frame, columns, table.source.connection)
    joined = frame.join(listed, on=list(labels), how="inner")  # type: ignore[arg-type]
    weighed = joined.with_columns(weight=nw.col(_WEIGHT).cast(nw.Float64)).drop(_WEIGHT)
    return replace(table, frame=weighed, weights="importance")


ROWS: Final = "evenhand_rows"
# One entry per cell of levels and unit: their labels, its judgments (COUNT) and its rows
Cells: TypeAlias = dict[str, NDArray[Any]]


def count_cells(table: Comparisons, columns: list[str], units: list[str]) -> Cells:
    """Count judgments and rows by levels and unit; a ranking is one judgment."""
    keys = list(dict.fromkeys([*columns, *units]))
    frame = name_levels(table, keys, table.frame)
    if not table.expanded:
        cells = count_by(frame, keys)
        return {**cells, ROWS: cells[COUNT]}
    answers = frame.group_by(*dict.fromkeys([*keys, *table.answer_key])).agg(nw.len().alias(ROWS))
    return count_by(answers, keys, nw.len().alias(COUNT), nw.col(ROWS).sum())


def refuse_missing(table: Comparisons, cells: Cells) -> None:
    for name, labels in cells.items():
        if name in (COUNT, ROWS):
            continue
        missing = np.array([label is None for label in labels.tolist()])
        if missing.any():
            column, rows = table.source.named(name), int(cells[ROWS][missing].sum())
            raise InvalidJudgments(
                f"{rows:,} comparisons of {table.source.name} have no {column}, so that no mix"
                " tells what they weigh: leave them out"
                f" ({advise_without(table.frame, {column: []})}), or fill them in"
            )


# A stated mix of judges and items: how much each part of the judgments counts.
#
# A ranking is of abilities relative to who judges and what is judged (Hopkins & May 2013, section
# 2): <P_X, P_J>, a distribution over items and one over judges. A file has whatever mix it happens
# to have. A mix states another: shares for the levels of columns, and within these the same weight
# for every judgment, every judge or every item. For a cell c of levels with share p(c), and unit u
# (a judge or an item) with n(c, u) of the cell's comparisons,
#
#     w = p(c) / (units in c · n(c, u)),        p(c) = ∏ over columns of the share of its level
#
# scaled so that the comparisons weigh as many as there are. So a ranking of five outputs, ten
# comparisons, gives a judge no more than ten answers on pairs do. Weights are importance weights:
# standard errors come from a sandwich with squared weights. The effective number of judgments is
# (Σ w)² / Σ w² over judgments, with w the weight of all their comparisons (Kish 1965, Survey
# Sampling, section 11.7).
#
# When not to use it: to make a small part speak for a large one that was hardly asked; the
# effective number says how little is left. A part that nobody was asked in cannot be weighed at
# all.
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

    @takes_judgments("data")
    def weigh(self, data: Comparisons | Rankings | Openable) -> Comparisons:
        """Give every judgment the weight that makes the judgments this mix.

        Shares are of comparisons; a ranking is all of its own. Rows of a level with
        share 0 are excluded, and counted in `mix.notes` of what is returned.

        Raises:
            UnknownColumn: a column that is not there.
            UnknownOption: a level of the data without a share, or judgments with weights already.
            InvalidJudgments: rows without a level, judge or item.
            NotIdentified: a level with a share of which there are no judgments.
        """
        table = take_pairs(data)
        refuse_weighted(table)
        columns = [table.require(name) for name in self.shares]
        for name, column in zip(self.shares, columns, strict=True):
            refuse_judged(name, column)
        cells = count_cells(table, columns, self._units(table))
        refuse_missing(table, cells)
        wanted = self._share_cells(table, columns, cells)
        included = wanted > 0
        # Shares are of comparisons, which is what models count: a ranking of five outputs is ten of
        # them, and would otherwise outweigh ten judges who ranked two.
        rows = cells[ROWS][included].astype(float)
        keys = zip(*(cells[name][included].tolist() for name in columns), strict=True)
        cell = list(keys) if columns else [()] * len(rows)
        units: dict[tuple[str, ...], int] = {}
        for one in cell:
            units[one] = units.get(one, 0) + 1
        raw = wanted[included] / (np.array([units[one] for one in cell]) * rows)
        weights = np.asarray(raw * (rows.sum() / fsum(raw * rows)))
        dropped = int(cells[ROWS][~included].sum())
        left_out: tuple[str, ...] = ()
        if dropped:
            levels = [
                f"{name} {level}"
                for name, level_shares in self.shares.items()
                for level, share in level_shares.items()
                if not share
            ]
            left_out = (say("mix", comparisons=dropped, levels=levels),)
        mixed = AppliedMix(
            name=self.name,
            shares={name: dict(level_shares) for name, level_shares in self.shares.items()},
            each=self.each,
            **_count_effective(cells[COUNT][included].astype(float), rows, weights),
            left_out=dropped,
            notes=left_out,
        )
        labels = {
            name: cells[name][included].tolist() for name in cells if name not in (COUNT, ROWS)
        }
        return replace(attach_weights(table, labels, weights), mix=mixed)

    def _units(self, table: Comparisons) -> list[str]:
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
        for column, (name, level_shares) in zip(columns, self.shares.items(), strict=True):
            levels = sorted(set(cells[column].tolist()))
            # Refuse levels without a share, and shares of levels that nobody has.
            where = table.source.name
            unnamed = [level for level in levels if level not in level_shares]
            absent = [
                level for level, share in level_shares.items() if share > 0 and level not in levels
            ]
            if unnamed:
                lacking = f"{listing(unnamed)} of {where} has no share in the mix"
                advice = f"{lacking}: state one, 0 leaves its judgments out"
                unknown = sorted(level_shares.keys() - {*levels})
                if not unknown:
                    raise UnknownOption(f"{name} {advice}")
                hint = next((hint for level in unknown if (hint := suggest(level, unnamed))), "")
                first = f"no judgment of {where} has {name} {listing(unknown)}"
                raise UnknownOption(f"{first}.{hint}" if hint else f"{first}, and {advice}")
            if absent:
                raise NotIdentified(
                    f"no judgments of {name} {listing(absent)} in {where}: nothing can stand"
                    f" for a share of {level_shares[absent[0]]:g}",
                    ["collect some", "state another mix"],
                )
            shares *= np.array([level_shares[level] for level in cells[column].tolist()])
        names = list(self.shares)
        seen = set(zip(*(cells[column].tolist() for column in columns), strict=True))
        for cell in product(*self.shares.values()):
            share = prod(self.shares[name][level] for name, level in zip(names, cell, strict=True))
            if columns and share > 0 and cell not in seen:
                cell_name = ", ".join(f"{n} {level}" for n, level in zip(names, cell, strict=True))
                raise NotIdentified(
                    f"no judgments of {cell_name} in {table.source.name}: nothing can stand for"
                    f" their share of {share:g}",
                    ["collect some", "state another mix"],
                )
        return shares


def _count_effective(answers: Array, rows: Array, weights: Array) -> dict[str, float]:
    whole = weights * rows / answers
    return {
        "n_judgments": float(answers.sum()),
        "n_comparisons": float(rows.sum()),
        "effective": fsum(answers * whole) ** 2 / fsum(answers * whole**2),
    }


def _check_shares(column: str, shares: Mapping[str, float]) -> None:
    if not isinstance(shares, Mapping):
        raise UnknownOption(f"shares of {column} cannot be {shares!r}: {_AS_SHARES}")
    if not shares:
        raise UnknownOption(f"no shares for the levels of {column}: state them, or leave it out")
    for level, share in shares.items():
        if isinstance(share, bool) or not isinstance(share, Real):
            raise UnknownOption(
                f"share {share!r} of {column} {level} is not a number: {_AS_SHARES}"
            )
        if not (isfinite(share) and 0 <= share <= 1):
            raise UnknownOption(f"share {share:g} of {column} {level}: shares lie between 0 and 1")
    total = fsum(shares.values())
    if abs(total - 1) > ROUNDING:
        raise UnknownOption(
            f"shares of {column} sum to {total:g}, not to 1: {listing(list(shares))} are to be the"
            " whole of it"
        )


# A cap on how much one judge counts: above the median load, a judge weighs as the median judge.
#
#     w_g = min(1, median n / n_g)        on every judgment of judge g
#
# It changes what is estimated: the average over judgments becomes one over capped judges. The two
# are the same only if a judge's load has nothing to do with the judge's taste. It is not needed to
# make intervals valid; rank sets are, whatever the loads.
@dataclass(frozen=True)
class Capped(AppliedMix):
    limit: float  # comparisons above which a judge is capped
    judges: int  # number of judges above it

    @property
    def said(self) -> str:
        who = "1 judge is" if self.judges == 1 else f"{self.judges:,} judges are"
        return f"{who} capped at the median of {self.limit:,g} comparisons"

    def to_dict(self) -> dict[str, Any]:
        return {
            "judge_cap": "median",
            "limit": self.limit,
            "capped_judges": self.judges,
            "effective_judgments": self.effective,
        }


@dataclass(frozen=True)
class JudgeCap:
    at: str = "median"  # where the cap lies; the median load is the one there is

    def __post_init__(self) -> None:
        require_option("judge_cap", self.at, ("median",))

    @property
    def name(self) -> str:
        return f"judge cap {self.at}"

    def weigh(self, data: Comparisons | Rankings) -> Comparisons:
        table = take_pairs(data)
        refuse_weighted(table)
        if not table.has("judge"):
            raise UnknownColumn(
                f"{table.source.name} names no judges, so that none can be capped: map a column"
                " (--column judge=NAME), or leave the cap out"
            )
        column = table.require("judge")
        cells = count_cells(table, [], [column])
        refuse_missing(table, cells)
        rows, answers = cells[ROWS].astype(float), cells[COUNT].astype(float)
        weights = cap_loads(rows)
        weighed = attach_weights(table, {column: cells[column].tolist()}, weights)
        capped = Capped(
            name=self.name,
            shares={},
            each="judge",
            **_count_effective(answers, rows, weights),
            left_out=0,
            notes=(),
            limit=float(np.median(rows)),
            judges=int((weights < 1).sum()),
        )
        return replace(weighed, mix=capped)


def cap_loads(loads: Array) -> Array:
    return np.minimum(1.0, np.median(loads) / loads)


def choose_weights(mix: Mix | JudgeCap | None, judge_cap: str | None) -> Mix | JudgeCap | None:
    if judge_cap is None:
        return mix
    if mix is not None:
        raise UnknownOption(
            "a mix beside a judge cap: both weigh judgments; state one (a mix 'per judge' makes"
            " every judge weigh the same)"
        )
    return JudgeCap(judge_cap)
