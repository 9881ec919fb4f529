"""The counts behind a ranking: whole, and told apart by the candidates for clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final

from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.counting import count_outcomes, count_ways
from evenhand.judgments.levels import Levels, count_levels
from evenhand.judgments.row_counting import Apart, CrossedRows
from evenhand.judgments.tally import Factor, Tally, merge_levels

CLUSTERS: Final = 200
"""Most clusters of one way: more are merged at random into as many of about equal load."""
JOINT: Final = 10_000_000
"""Most judgments of which the cells of judge and item are known."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """The same judgments, told apart in one tally or in several.

    Attributes:
        tallies: candidate for clusters → a tally that tells its levels apart.
        whole: the counts by pair.
        crossed: which cell of two candidates each judgment belongs to, where tallies do not say.

    """

    tallies: Mapping[str, Tally]
    whole: Tally
    crossed: CrossedRows | None = None

    @classmethod
    def of(cls, tally: Tally) -> Evidence:
        """Take one tally that tells all candidates apart."""
        return cls(dict.fromkeys(tally.factors, tally), tally.pool())

    @classmethod
    def apart(cls, tallies: Mapping[str, Tally], crossed: CrossedRows | None = None) -> Evidence:
        """Take a tally for each candidate, none of which tells two of them apart."""
        return cls(tallies, next(iter(tallies.values())).pool(), crossed)

    @cached_property
    def factors(self) -> Mapping[str, Factor]:
        """The candidates, with their loads."""
        return {name: tally.factor(name) for name, tally in self.tallies.items()}

    def together(self, names: Sequence[str]) -> Tally | None:
        """Return a tally that tells all of these apart; None where each has one of its own."""
        if not names:
            return self.whole
        tally = self.tallies[names[0]]
        return tally if all(name in tally.factors for name in names) else None

    def alone(self, name: str) -> Tally:
        """Return a tally that tells this candidate apart and no other, which has fewer entries."""
        tally = self.tallies[name]
        if len(tally.factors) == 1:
            return tally
        if name not in self._counted:
            self._counted[name] = tally.pool((name,))
        return self._counted[name]

    @cached_property
    def _counted(self) -> dict[str, Tally]:
        """What `alone` has counted already: of millions of entries each count is dear."""
        return {}

    def at_least(self, answers: float) -> float:
        """Return a number of answers; importance weights tell only how many there are at least."""
        if self.whole.squares is None:
            return answers
        return max(_count_least(tally) for tally in (self.whole, *self.tallies.values()))


def merge_factors(tally: Tally) -> Tally:
    """Merge the levels of factors that have more than clusters may be."""
    factors = {name: merge_levels(one, CLUSTERS, SEED) for name, one in tally.factors.items()}
    merged = [name for name, one in factors.items() if one is not tally.factors[name]]
    unmerged = {name: partial(tally.pool, (name,)) for name in merged}
    return replace(tally, factors=factors, unmerged={**tally.unmerged, **unmerged})


def gather_evidence(
    table: Comparisons, ways: tuple[str, ...], *, apart: bool
) -> tuple[Evidence, Levels]:
    """Count a table, told apart by the candidates for clusters; also the loads of judges.

    Args:
        table: comparisons.
        ways: the candidates.
        apart: whether each way may be counted by itself, where judgments are very many.

    """
    limits = dict.fromkeys(ways, CLUSTERS)
    counted: Tally | Apart
    if apart and len(ways) > 1:  # cells of all ways may be too many to hold (INFERENCE B3)
        counted = count_ways(table, ways, limits, JOINT)
    else:
        counted = count_outcomes(table, ways, limits)
    if isinstance(counted, Tally):
        evidence = Evidence.of(counted)
    else:
        evidence = Evidence.apart(counted.tallies, counted.crossed)
    loads = {name: factor.loads for name, factor in evidence.factors.items()}
    if "judge" not in loads and table.has("judge"):
        loads["judge"] = count_levels(table, "judge")
    return evidence, Levels(loads)


def _count_least(tally: Tally) -> float:
    """Return Σ (Σ w)²/Σ w² over outcomes of cells: each is at most its number of weights."""
    if tally.squares is None:
        return tally.n_comparisons
    weighed = tally.squares > 0
    return round(float((tally.counts[weighed] ** 2 / tally.squares[weighed]).sum()), 6)
