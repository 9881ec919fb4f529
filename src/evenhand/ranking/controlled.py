"""A ranking with controls: who wins where outputs are alike in what is controlled for.

Rows are read once; the fit goes through them a few times, the sandwich once for each way of
clustering and once for their cells. Everything else is as in a ranking without controls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from typing import Any, Final

import numpy as np

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import Levels, count_levels, split_table
from evenhand.judgments.streaming import CodedRows
from evenhand.judgments.tally import Tally
from evenhand.numerics.threads import one_blas_thread
from evenhand.preference.controls.columns import ControlEffect, read_controls
from evenhand.preference.controls.fit import ControlledFit, fit_rows
from evenhand.ranking.control_effects import find_control_effects, list_effects
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.inference import find_intervals
from evenhand.ranking.intervals import Intervals
from evenhand.ranking.ordering import number_places, order_systems
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.sandwich import DENSE
from evenhand.ranking.settings import Settings

SHOWN: Final = 6
"""Most systems that are named for having changed place."""


@dataclass(frozen=True)
class Controlled:
    """What controls do, and what they change.

    Attributes:
        effects: each control's, with intervals as for systems.
        moved: system → place without controls and with them, where the two differ.

    """

    effects: tuple[ControlEffect, ...]
    moved: Mapping[str, tuple[int, int]]

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people."""
        return (*(effect.says for effect in self.effects), self._say_moved())

    def _say_moved(self) -> str:
        if not self.moved:
            return "no system stands in another place than without controls"
        steps = [f"{name} {old} → {new}" for name, (old, new) in self.moved.items()]
        more = f" and {len(steps) - SHOWN} more" if len(steps) > SHOWN else ""
        return f"places without and with controls: {', '.join(steps[:SHOWN])}{more}"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract."""
        return {
            "controls": list_effects(self.effects),
            "moved": [
                {"system": name, "without": old, "with": new}
                for name, (old, new) in self.moved.items()
            ],
        }


@dataclass(frozen=True, eq=False)
class RowEvidence(Evidence):
    """Evidence of rows that tell all factors apart, whatever their counts are pooled over.

    Attributes:
        rows: the judgments.
        parameters: number of parameters of the fit.

    """

    rows: CodedRows = field(kw_only=True)
    parameters: int = field(kw_only=True)

    def together(self, names: Sequence[str]) -> Tally | None:
        """Return a tally if scores of all cells of these factors can be held."""
        cells = prod(self.rows.levels[name].size for name in names)
        return self.whole if cells * self.parameters <= DENSE else None


def rank_rows(table: Comparisons, ways: tuple[str, ...], settings: Settings, limit: int) -> Ranking:
    """Rank systems with controls.

    Args:
        table: comparisons, one a row.
        ways: factors that may cluster.
        settings: what was asked; the model names controls.
        limit: most clusters of one way.

    Raises:
        NotIdentified: the data determine no worths or no effect of a control.
        InvalidJudgments: a value in the data that cannot be.
        UnknownColumn: a column that is not there.
        UnknownOption: a setting that does not fit.

    """
    limits = dict.fromkeys(ways, limit)
    controls, rows = read_controls(table, settings.model.controls, by=ways, limits=limits)
    fit = fit_rows(settings.model, controls, rows)
    whole = rows.tally()
    tallies = {name: _tell_apart(table, rows, name) for name in ways} or {"": whole}
    evidence = RowEvidence(
        {name: one for name, one in tallies.items() if name},
        whole,
        rows=rows,
        parameters=fit.likelihood.reported,
    )
    loads = {name: factor.loads for name, factor in rows.levels.items()}
    if "judge" not in loads and table.has("judge"):
        loads["judge"] = count_levels(table, "judge")
    levels = Levels(loads)
    with one_blas_thread():
        found = find_intervals(fit, evidence, levels, settings)
    ranking = order_systems(fit, evidence, levels, found, settings)
    return replace(ranking, controlled=_compare(fit, whole, found[1], settings.level))


def _tell_apart(table: Comparisons, rows: CodedRows, name: str) -> Tally:
    """Count rows by the levels of a factor."""
    unmerged = {name: partial(table.tally, (name,))} if rows.levels[name].merged else {}
    return replace(rows.tally((name,)), unmerged=unmerged)


def _compare(
    fit: ControlledFit, whole: Tally, intervals: Intervals | None, level: float
) -> Controlled | None:
    """Say what controls do, and which systems they move."""
    if intervals is None:
        return None
    before, after = (_places(one.log_worth) for one in (fit.plain, fit))
    moved = {
        fit.systems[i]: (before[i], after[i])
        for i in np.argsort(after, kind="stable").tolist()
        if before[i] != after[i]
    }
    return Controlled(find_control_effects(fit, whole, intervals, level), moved)


def _places(log_worth: np.ndarray[Any, np.dtype[np.float64]]) -> list[int]:
    """Return (K,) the place of each system."""
    order, places = number_places(log_worth)
    found = np.empty(len(order), dtype=np.int64)
    found[order] = places
    return found.tolist()


def rank_rows_apart(
    table: Comparisons, by: str, ways: tuple[str, ...], settings: Settings, limit: int
) -> tuple[dict[str, Ranking], dict[str, str]]:
    """Rank the levels of a column apart; return rankings, and why others have none."""
    rankings: dict[str, Ranking] = {}
    refused: dict[str, str] = {}
    for name, part in split_table(table, by).items():
        try:
            rankings[name] = rank_rows(part, ways, settings, limit)
        except (NotIdentified, NotConverged) as refusal:
            refused[name] = str(refusal)
    return rankings, refused
