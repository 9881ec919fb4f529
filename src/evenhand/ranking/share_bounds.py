"""Bounds of the share of votes that a system wins, a tie being half, from chances of counts.

Of n independent votes with w wins, t ties and l losses

    p(s) = P(W − L ≥ w − l),   W, T, L ~ Multinomial(n; the chances that make w, t, l most likely
                               of those with P(win) + P(tie)/2 = s)

tests whether the share is s at most, and the lower bound at 1 − α is the s where p(s) = α. Where
all votes are alike, or none is a tie, it is the exact binomial one (Clopper & Pearson); else the
share of ties is the likeliest under the hypothesis (Newcombe 1998, method 5). Student's t alone
passes too much where votes are few and most are ties: as few as go against a system, so small its
error seems. Experiment E22 measures both.

Votes of the same judges or items count as as many independent ones, n at most, as have their error.

Source: Newcombe (1998), Statistics in Medicine 17:2635-2650, on differences of paired proportions,
as wins less losses are. When not to use it: votes with a trend, such as of systems that change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Final

import numpy as np

from evenhand.numerics.distributions import MIN_P, net_wins_chances, t_quantile
from evenhand.ranking.ranking import Ranking

MOST_COUNTED: Final = 10_000  # Votes up to which counts are summed; of more, t holds
HALVINGS: Final = 30  # Of the interval in which a bound lies: to the ninth digit


@dataclass(frozen=True)
class Votes:
    """Votes between two systems, as so many independent ones."""

    wins: float  # shares of the three, which add up to 1
    ties: float
    losses: float
    units: int  # n

    def turn(self) -> Votes:
        """Return them as the other system sees them."""
        return replace(self, wins=self.losses, losses=self.wins)

    def find_p(self, share: float) -> float:
        """Return p of the claim that the system wins more than a share.

        >>> abs(Votes(0.0, 1.0, 0.0, 20).find_p(0.45) - 0.9**20) < 1e-12
        True
        """
        half = find_half_ties(self, share)
        chances = np.array([[share - half, 2 * half, 1 - share - half]])
        each = net_wins_chances(np.maximum(chances, 0.0), np.array([self.units]))
        tails = np.cumsum(each[::-1])[::-1]
        steps = np.arange(0, len(tails), 1 if self.ties else 2)  # a net of wins is even or odd
        place = self.units * (1 + self.wins - self.losses)
        return float(np.clip(np.interp(place, steps, tails[steps]), MIN_P, 1.0))

    def find_t(self, share: float, df: float) -> float:
        """Return the t of that p; infinite where p is as small as can be told."""
        p = self.find_p(share)
        return inf if p <= MIN_P else t_quantile(max(1 - p, MIN_P), df)

    def find_lower(self, alpha: float) -> float:
        """Return the lower bound at 1 − α.

        >>> round(Votes(0.0, 1.0, 0.0, 20).find_lower(0.05) * 2, 6) == round(0.05**0.05, 6)
        True
        """
        low, high = 0.0, self.wins + self.ties / 2
        for _ in range(HALVINGS):  # scipy.optimize takes as long to import as all of these
            middle = (low + high) / 2
            low, high = (middle, high) if self.find_p(middle) <= alpha else (low, middle)
        return low


def find_half_ties(votes: Votes, share: float) -> float:
    """Return half of the chance of a tie that makes votes most likely where a share is won.

    With y that half, the chances are s − y, 2y and 1 − s − y, and y solves
    y² − (t + w(1 − s) + l s) y + t s (1 − s) = 0.
    """
    middle = (votes.ties + votes.wins * (1 - share) + votes.losses * share) / 2
    root = sqrt(max(middle**2 - votes.ties * share * (1 - share), 0.0))
    return min(max(middle - root, 0.0), share, 1 - share)


def count_votes(ranking: Ranking, pair: tuple[str, str], error: float) -> Votes | None:
    """Return votes on two systems as so many independent ones as have their error.

    None where the estimate is no share of votes, as with verdicts of LLM judges, or they are many.

    error: the clustered standard error of the share.
    """
    if ranking.tally is None or ranking.fused is not None:
        return None
    counts = np.array(ranking.tally.between(*pair))
    n = ranking.tally.count_effective(*pair)
    wins, ties, losses = (counts / counts.sum()).tolist()
    variance = wins + ties / 4 - (wins + ties / 2) ** 2
    if counts.max() == counts.sum():  # all alike: no error of theirs is known
        units = min(n, ranking.df + 1)
    else:
        units = min(n, variance / error**2 * n / (n - 1))
    if units > MOST_COUNTED:
        return None
    return Votes(wins, ties, losses, max(1, int(units + 1e-9)))
