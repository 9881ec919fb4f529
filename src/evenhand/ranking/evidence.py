"""The counts behind a ranking: whole, and told apart by the candidates for clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evenhand.judgments.tally import Factor, Tally


@dataclass(frozen=True, eq=False)
class Evidence:
    """The same judgments, told apart in one tally or in several.

    Attributes:
        tallies: candidate for clusters → a tally that tells its levels apart.
        whole: the counts by pair.

    """

    tallies: Mapping[str, Tally]
    whole: Tally

    @classmethod
    def of(cls, tally: Tally) -> Evidence:
        """Take one tally that tells all candidates apart."""
        return cls(dict.fromkeys(tally.factors, tally), tally.pool())

    @classmethod
    def apart(cls, tallies: Mapping[str, Tally]) -> Evidence:
        """Take a tally for each candidate, none of which tells two of them apart."""
        return cls(tallies, next(iter(tallies.values())).pool())

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

    def at_least(self, answers: float) -> float:
        """Return a number of answers; importance weights do not tell it, but cells are no more."""
        if self.whole.squares is None:
            return answers
        return float(max(len(tally.left) for tally in (self.whole, *self.tallies.values())))
