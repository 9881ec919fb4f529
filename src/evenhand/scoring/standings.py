"""What the rules count: each system's wins, ties and losses, in all and against each opponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing
from evenhand.judgments.tally import Tally
from evenhand.scoring.linked import find_apart, require_linked

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
_DIGITS: Final = 12


@dataclass(frozen=True, eq=False)
class Meetings:
    """Counts of every pair that met, seen from both sides: two rows a pair.

    Attributes:
        systems: the K systems, sorted by name.
        system: (M,) whose wins they are.
        opponent: (M,) against whom.
        wins: (M,) how often the system was preferred.
        ties: (M,) how often neither was.
        losses: (M,) how often the opponent was.

    """

    systems: tuple[str, ...]
    system: Codes
    opponent: Codes
    wins: Array
    ties: Array
    losses: Array

    @property
    def totals(self) -> Array:
        """(M,) comparisons."""
        return self.wins + self.ties + self.losses

    @property
    def decided(self) -> Array:
        """(M,) comparisons that were no ties."""
        return self.wins + self.losses

    def only(self, rows: NDArray[np.bool_]) -> Meetings:
        """Return some of the rows."""
        counts = self.wins[rows], self.ties[rows], self.losses[rows]
        return Meetings(self.systems, self.system[rows], self.opponent[rows], *counts)

    def sum(self, values: Array) -> Array:
        """(K,) sums of a column over the opponents of each system."""
        return np.bincount(self.system, values, minlength=len(self.systems)).astype(np.float64)

    @property
    def opponents(self) -> Array:
        """(K,) number of opponents of each system."""
        return self.sum(np.ones(len(self.system)))

    def mean(self, shares: Array, among: Array | int) -> Array:
        """(K,) means of shares over opponents, without the rounding of sums of quotients.

        Thirds and sixths added up in another order differ in the last digit, so that equal scores
        would get different places, by the names of opponents.

        Args:
            shares: (M,) of each row.
            among: (K,) number of opponents, or one for all.

        """
        return np.asarray(np.round(self.sum(shares) / among, _DIGITS) + 0.0)  # + 0: no minus zero


def list_meetings(tally: Tally) -> Meetings:
    """Count all pairs that met; who was shown first is forgotten, weights multiply counts.

    Raises:
        NotIdentified: no chain of comparisons joins all systems, so that no score of one group can
            be held against one of another.

    """
    require_linked(tally)
    pooled = tally.pool().fold()
    left, right = pooled.left.astype(np.intp), pooled.right.astype(np.intp)
    meetings = Meetings(
        tally.systems,
        np.concatenate([left, right]),
        np.concatenate([right, left]),
        np.concatenate([pooled.wins, pooled.losses]),
        np.concatenate([pooled.ties, pooled.ties]),
        np.concatenate([pooled.losses, pooled.wins]),
    )
    return meetings.only(meetings.totals > 0)


def require_decided(met: Meetings, rule: str) -> None:
    """Refuse a share of decided comparisons where there are none.

    Args:
        met: the counts.
        rule: the rule, for the message.

    Raises:
        NotIdentified: names the systems that only ever tied, or a group of them that only ever tied
            with the rest.

    """
    decided = met.only(met.decided > 0)
    tied = [met.systems[i] for i in np.flatnonzero(decided.opponents == 0).tolist()]
    if tied:
        raise NotIdentified(
            f"{rule} is a share of decided comparisons, and all of {listing(tied)} are ties:"
            " collect more, leave those systems out, or take a rule that counts ties (origwmt,"
            " win-rate, expected-net-wins)"
        )
    groups, apart = find_apart(met.systems, decided.system, decided.opponent)
    if groups > 1:
        raise NotIdentified(
            f"{rule} is a share of decided comparisons, and without ties the systems fall into"
            f" {groups} groups: only ties join {listing(apart)} to the rest; collect more, rank"
            " them apart, or take a rule that counts ties (origwmt, win-rate, expected-net-wins)"
        )
