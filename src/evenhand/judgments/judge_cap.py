"""A cap on how much one judge counts: above the median load, a judge weighs as the median judge.

    w_g = min(1, median n / n_g)        on every judgment of judge g                (INFERENCE B4)

with n_g the comparisons of judge g. The weight is everywhere: in estimates, intervals, clusters,
effective numbers and counts. It is a choice of efficiency and changes what is estimated: the
average over judgments becomes one over capped judges. The two are the same only if a judge's load
has nothing to do with the judge's taste.

When not to use it: to make intervals valid; rank sets are, whatever the loads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import UnknownColumn, UnknownOption, require_option
from evenhand.judgments.engine import COUNT
from evenhand.judgments.mix import Mix
from evenhand.judgments.mix_cells import ROWS, count_cells, refuse_missing
from evenhand.judgments.mixing import Mixed, attach_weights, refuse_weighted

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings

Array = NDArray[np.float64]
CAPS: Final = ("median",)


@dataclass(frozen=True)
class Capped(Mixed):
    """What a cap made of judgments."""

    limit: float  # comparisons above which a judge is capped
    judges: int  # number of judges above it

    @property
    def said(self) -> str:
        """The cap in words."""
        who = "1 judge is" if self.judges == 1 else f"{self.judges:,} judges are"
        return f"{who} capped at the median of {self.limit:,g} comparisons"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "judge_cap": "median",
            "limit": self.limit,
            "capped_judges": self.judges,
            "effective_judgments": self.effective,
        }


@dataclass(frozen=True)
class JudgeCap:
    """A cap on judges."""

    # where the cap lies; the median load is the one there is. >>> JudgeCap().name 'judge cap
    # median'
    at: str = "median"

    def __post_init__(self) -> None:
        """Refuse a cap that does not exist."""
        require_option("judge_cap", self.at, CAPS)

    @property
    def name(self) -> str:
        """The cap in the words of the signature."""
        return f"judge cap {self.at}"

    def weigh(self, data: Comparisons | Rankings) -> Comparisons:
        """Give every judgment the weight of its judge."""
        from evenhand.judgments.controls import take_pairs

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
        return replace(weighed, mix=self._describe(rows, answers, weights))

    def _describe(self, rows: Array, answers: Array, weights: Array) -> Capped:
        """Return what the cap made of the judgments."""
        whole = weights * rows / answers
        return Capped(
            name=self.name,
            shares={},
            each="judge",
            n_judgments=float(answers.sum()),
            n_comparisons=float(rows.sum()),
            effective=fsum(answers * whole) ** 2 / fsum(answers * whole**2),
            left_out=0,
            notes=(),
            limit=float(np.median(rows)),
            judges=int((weights < 1).sum()),
        )


def cap_loads(loads: Array) -> Array:
    """Return (G,) weights of judges by their loads.

    >>> cap_loads(np.array([10.0, 20.0, 80.0])).tolist()
    [1.0, 1.0, 0.25]
    """
    return np.minimum(1.0, np.median(loads) / loads)


def choose_weights(mix: Mix | JudgeCap | None, judge_cap: str | None) -> Mix | JudgeCap | None:
    """Return what weighs judgments: a mix, a cap, or nothing."""
    if judge_cap is None:
        return mix
    if mix is not None:
        raise UnknownOption(
            "a mix beside a judge cap: both weigh judgments; state one (a mix 'per judge' makes"
            " every judge weigh the same)"
        )
    return JudgeCap(judge_cap)
