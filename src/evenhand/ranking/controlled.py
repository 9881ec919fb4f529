"""A ranking with controls: who wins where outputs are alike in what is controlled for.

Rows are read once; the fit goes through them a few times, the sandwich once for each way of
clustering and once for their cells. Everything else is as in a ranking without controls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from evenhand.data.comparisons import Comparisons
from evenhand.data.groups import Levels, count_levels
from evenhand.data.streams import CodedRows
from evenhand.data.tally import Tally
from evenhand.models.controls import ControlEffect, ControlledFit, fit_rows, read_controls
from evenhand.numerics.sampling import one_blas_thread
from evenhand.ranking.clustering import MAX_CLUSTERS, Evidence
from evenhand.ranking.inference import find_intervals, number_places, order_systems
from evenhand.ranking.intervals import MIN_CLUSTERS, Intervals
from evenhand.ranking.ranking import Controlled, Ranking
from evenhand.ranking.sandwich import MAX_DENSE, gather_clusters, walk_information
from evenhand.ranking.settings import Settings

# What controls do where some clusters carry them: of one judge alone nothing is said of others.
#
# The effective clusters of a coefficient are those of a difference (`cluster_links`), with c the
# coefficient: a column that one judge alone varies rests on that judge, however many judged. With
# fewer than five there is no standard error and no p-value; with more, Student's t has one degree
# of freedom less than there are.

Array = NDArray[np.float64]


def find_control_effects(
    fit: ControlledFit, whole: Tally, intervals: Intervals, level: float
) -> tuple[ControlEffect, ...]:
    effects = list(fit.effects(intervals.parameters, level, intervals.df))
    clusterings = intervals.rank_sets.clusterings if intervals.rank_sets is not None else ()
    for name in (way for way in clusterings if way in fit.rows.levels):
        for at, effective in enumerate(count_carriers(fit, whole, name).tolist()):
            effect = effects[at]
            if effective < MIN_CLUSTERS * (1 - 1e-9):
                effects[at] = effect.without_error(
                    f"it rests on fewer than {MIN_CLUSTERS:.0f} effective {name}s"
                    f" ({effective:.1f}), and nothing shows how another {name} would differ"
                )
            elif not effect.rests and effective - 1 < intervals.df:
                estimate = effect.estimate, effect.stderr
                effects[at] = ControlEffect.make(
                    (effect.name, effect.sd), estimate, effect.level, effective - 1
                )
    return tuple(effects)


def count_carriers(fit: ControlledFit, whole: Tally, name: str) -> Array:
    """Return (q,) effective clusters of the coefficients of controls."""
    pieces, _ = gather_clusters(fit, whole, name)
    at = fit.likelihood.slopes(np.arange(len(fit.beta), dtype=np.float64)).astype(np.intp)
    rows = fit.raw_vcov[at]
    information = (some for _, some in walk_information(fit, pieces))
    shares = np.concatenate([np.einsum("qi,gij,qj->gq", rows, some, rows) for some in information])
    return np.asarray(shares.sum(axis=0) ** 2 / (shares**2).sum(axis=0))


@dataclass(frozen=True, eq=False)
class RowEvidence(Evidence):
    """Evidence of rows that tell all factors apart, whatever their counts are pooled over."""

    rows: CodedRows = field(kw_only=True)  # the judgments
    parameters: int = field(kw_only=True)  # number of parameters of the fit

    def together(self, names: Sequence[str]) -> Tally | None:
        cells = prod(self.rows.levels[name].size for name in names)
        return self.whole if cells * self.parameters <= MAX_DENSE else None


def rank_rows(table: Comparisons, clusterings: tuple[str, ...], settings: Settings) -> Ranking:
    limits = dict.fromkeys(clusterings, MAX_CLUSTERS)
    controls, rows = read_controls(table, settings.model.controls, by=clusterings, limits=limits)
    fit = fit_rows(settings.model, controls, rows)
    whole = rows.tally()
    tallies = {}
    for name in clusterings:
        unmerged = {name: partial(table.tally, (name,))} if rows.levels[name].merged else {}
        tallies[name] = replace(rows.tally((name,)), unmerged=unmerged)
    evidence = RowEvidence(tallies, whole, rows=rows, parameters=fit.likelihood.reported)
    loads = {name: factor.loads for name, factor in rows.levels.items()}
    if "judge" not in loads and table.has("judge"):
        loads["judge"] = count_levels(table, "judge")
    levels = Levels(loads)
    with one_blas_thread():
        clustered = find_intervals(fit, evidence, levels, settings)
    ranking, intervals = order_systems(fit, evidence, levels, clustered, settings), clustered[1]
    if intervals is None:
        return ranking
    places = []
    for log_worth in (fit.plain.log_worth, fit.log_worth):
        order, ranks = number_places(log_worth)
        places.append(ranks[np.argsort(order)].tolist())
    before, after = places
    moved = {
        fit.systems[i]: (before[i], after[i])
        for i in np.argsort(after, kind="stable").tolist()
        if before[i] != after[i]
    }
    effects = find_control_effects(fit, whole, intervals, settings.level)
    return replace(ranking, controlled=Controlled(effects, moved))
