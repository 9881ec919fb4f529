"""Judgments with what was concluded from them, ready to be taken apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.levels import Levels
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Factor, Tally
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.fit import Fit
from evenhand.ranking.clustering import wanted_factors
from evenhand.ranking.evidence import Evidence, merge_factors
from evenhand.ranking.fragility_pull import lower_worths
from evenhand.ranking.fragility_removal import sort_entries
from evenhand.ranking.rank import make_ranking
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.settings import Settings
from evenhand.ranking.signature import name_model

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
EMPTY: Final = float(np.finfo(float).tiny)
"""Stands for zero in a denominator."""


@dataclass(frozen=True, eq=False)
class Case:
    """Judgments with what was concluded from them.

    Attributes:
        tally: the judgments, told apart by judge and item, whose codes do not go by names: rank
            sets of what is left draw the same signs whatever judges are called.
        ranking: what was concluded.
        fit: the model behind it.
        settings: of the ranking.
        units: vote (or ranking), judge, item: what can be taken away.
        falls: factor → (K, G) how far each log-worth falls without each of its levels.

    """

    tally: Tally
    ranking: Ranking
    fit: Fit
    settings: Settings
    units: tuple[str, ...]
    falls: Mapping[str, Array] = field(repr=False)

    def pull(self, unit: str, contrasts: Array) -> Array:
        """Return (Q, G): how far each contrast falls (log-odds) without each judge or item.

        Args:
            unit: ranking, judge or item.
            contrasts: (Q, K) weights of the systems' log-worths.

        """
        return np.asarray(contrasts @ self.falls[unit])

    @property
    def signature(self) -> str:
        """What makes the numbers."""
        parts = ["fragility", name_model(self.fit), f"rank sets, level {self.settings.level:g}"]
        parts += [] if self.settings.cluster is None else [f"by {self.settings.cluster}"]
        parts += [] if self.settings.mix is None else [self.settings.mix.name]
        parts.append(f"seed={self.settings.seed}")
        return write_signature(parts, self.tally.n_judgments, self.tally.digest)


def open_case(
    data: Comparisons | Rankings,
    model: BradleyTerry,
    *,
    cluster: str | None = None,
    level: float,
    seed: int = SEED,
    board: Ranking | None = None,
) -> Case:
    """Count and rank judgments of one task.

    Args:
        data: comparisons or rankings.
        model: settings of the log-linear model.
        cluster: judgments that hang together, or None for what the data have.
        level: of rank sets (proportion).
        seed: of rank sets.
        board: their ranking, where it is known.

    Raises:
        UnknownOption: several tasks, or a model that knows controls.
        UnknownColumn: a column of the clusters is not there.
        NotIdentified: the data determine no worths.

    """
    table = take_pairs(data)
    if len(table.tasks()) > 1:
        raise UnknownOption("conclusions are of one board: choose a task")
    if model.controls:
        raise UnknownOption("votes are not taken away under controls: leave the controls out")
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    wanted_factors(cluster, set(present))
    settings = Settings(model, "rank-sets", cluster, level, seed, None, table.mix)
    return make_case(table.tally(by=present), settings, board)


def make_case(tally: Tally, settings: Settings, board: Ranking | None = None) -> Case:
    """Rank judgments that are counted by judge, item and ranking, as far as these are known.

    Args:
        tally: judgments.
        settings: of the ranking.
        board: their ranking under these settings, where it is known.

    Raises:
        NotIdentified: the data determine no worths, or systems are too many for a covariance.
        UnknownOption: the ranking is of other systems.

    """
    tally = sort_entries(tally)
    loads = {name: factor.loads for name, factor in tally.factors.items()}
    if board is not None and set(board.systems) != set(tally.systems):
        raise UnknownOption("the board is of other systems: give the ranking of these judgments")
    ranking = board or make_ranking(merge_evidence(tally), Levels(loads), settings)
    fit = ranking.fit
    if not isinstance(fit, Fit) or fit.vcov is None:
        raise NotIdentified(f"{len(tally.systems):,} systems are too many to ask what carries them")
    falls = {name: lower_worths(fit, tally, name) for name in tally.factors}
    orders = {name: order_levels(fit, tally, name, own) for name, own in falls.items()}
    falls = {name: own[:, orders[name]] for name, own in falls.items()}
    return Case(renumber(tally, orders), ranking, fit, settings, _choose_units(tally), falls)


def order_levels(fit: Fit, tally: Tally, name: str, falls: Array) -> Integers:
    """Put judges or items in order by load and by what they say, instead of by name.

    Random signs go by number. Numbered by name, the fewest votes that leave a pair undecided hang
    on what judges are called: 5 or 12 of 900 in one campaign.

    Args:
        fit: the model behind the ranking.
        tally: judgments.
        name: the factor.
        falls: (K, G) how far each log-worth falls without each of its levels.

    """
    worth = fit.log_worth - fit.log_worth.mean()
    ends = np.zeros(len(worth))
    ends[[int(worth.argmax()), int(worth.argmin())]] = 1.0, -1.0
    own = np.stack([worth, ends]) @ falls
    along, apart = np.round(own / max(float(np.abs(own).max()), EMPTY), 9)
    return np.lexsort((apart, along, tally.factor(name).loads))


def renumber(tally: Tally, orders: Mapping[str, Integers]) -> Tally:
    """Number the levels of factors anew.

    Args:
        tally: judgments.
        orders: factor → (G,) its levels in their new order.

    """
    factors = {}
    for name, factor in tally.factors.items():
        order = orders[name]
        codes = np.empty(len(order), dtype=np.int32)
        codes[order] = np.arange(len(order), dtype=np.int32)
        labels = tuple(factor.labels[code] for code in order.tolist())
        factors[name] = Factor(labels, codes[factor.codes], factor.loads[order], factor.size)
    return replace(tally, factors=factors)


def merge_evidence(tally: Tally) -> Evidence:
    """Return the counts for a ranking; more than 200 clusters of a kind are merged."""
    return Evidence.of(merge_factors(tally))


def _choose_units(tally: Tally) -> tuple[str, ...]:
    """Return what can be taken away: answers, and judges and items that gave or got several."""
    answer = "ranking" if "ranking" in tally.factors else "vote"
    several = [
        name
        for name in ("judge", "item")
        if name in tally.factors and 1 < len(tally.factors[name].labels) < tally.n_judgments
    ]
    return (answer, *several)
