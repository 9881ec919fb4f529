"""A ranking with controls: who wins where outputs are alike in what is controlled for.

Rows are read once; the fit goes through them a few times, the sandwich once for each way of
clustering and once for their cells. Everything else is as in a ranking without controls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.levels import Levels, count_levels, split_table
from evenhand.judgments.streaming import CodedRows
from evenhand.judgments.tally import Tally
from evenhand.models.controls import ControlEffect, ControlledFit, fit_rows, read_controls
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.clustering import Evidence
from evenhand.ranking.inference import find_intervals, number_places, order_systems
from evenhand.ranking.intervals import FEW, Intervals
from evenhand.ranking.ranking import Controlled, Ranking
from evenhand.ranking.sandwich import DENSE, gather_clusters, walk_information
from evenhand.ranking.settings import Settings

# What controls do where some clusters carry them: of one judge alone nothing is said of others.
#
# The effective clusters of a coefficient are those of a difference (INFERENCE B2), with c the
# coefficient: a column that one judge alone varies rests on that judge, however many judged. With
# fewer than five there is no standard error and no p-value; with more, Student's t has one degree
# of freedom less than there are.

Array = NDArray[np.float64]


def find_control_effects(
    fit: ControlledFit, whole: Tally, intervals: Intervals, level: float
) -> tuple[ControlEffect, ...]:
    """Return what each control does, with errors by the clusters that carry it.

    level: nominal level (proportion).
    """
    effects = list(fit.effects(intervals.parameters, level, intervals.df))
    ways = intervals.rank_sets.ways if intervals.rank_sets is not None else ()
    for name in (way for way in ways if way in fit.rows.levels):
        for at, effective in enumerate(count_carriers(fit, whole, name).tolist()):
            effects[at] = _judge(effects[at], name, effective, intervals.df)
    return tuple(effects)


def count_carriers(fit: ControlledFit, whole: Tally, name: str) -> Array:
    """Return (q,) effective clusters of the coefficients of controls."""
    pieces, _ = gather_clusters(fit, whole, name)
    at = fit.likelihood.slopes(np.arange(len(fit.beta), dtype=np.float64)).astype(np.intp)
    rows = fit.raw_vcov[at]
    shares = np.concatenate([_share(rows, own) for _, own in walk_information(fit, pieces)])
    return np.asarray(shares.sum(axis=0) ** 2 / (shares**2).sum(axis=0))


def _share(rows: Array, own: Array) -> Array:
    """Return (g, q) a_g of each coefficient."""
    return np.asarray(np.einsum("qi,gij,qj->gq", rows, own, rows))


def _judge(effect: ControlEffect, name: str, effective: float, df: float) -> ControlEffect:
    if effective < FEW * (1 - 1e-9):
        return effect.without_error(
            f"it rests on fewer than {FEW:.0f} effective {name}s ({effective:.1f}), and nothing"
            f" shows how another {name} would differ"
        )
    if effect.rests or effective - 1 >= df:
        return effect
    found = effect.estimate, effect.stderr
    return ControlEffect.make((effect.name, effect.sd), found, effect.level, effective - 1)


@dataclass(frozen=True, eq=False)
class RowEvidence(Evidence):
    """Evidence of rows that tell all factors apart, whatever their counts are pooled over."""

    rows: CodedRows = field(kw_only=True)  # the judgments
    parameters: int = field(kw_only=True)  # number of parameters of the fit

    def together(self, names: Sequence[str]) -> Tally | None:
        """Return a tally if scores of all cells of these factors can be held."""
        cells = prod(self.rows.levels[name].size for name in names)
        return self.whole if cells * self.parameters <= DENSE else None


def rank_rows(table: Comparisons, ways: tuple[str, ...], settings: Settings, limit: int) -> Ranking:
    """Rank systems with controls."""
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
