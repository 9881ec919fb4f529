"""Evidence of direct votes between two systems, which holds however often it is looked at.

Of votes between the two, S for the new and F for the old system, each with half of the ties, and
p₀ = ½ − margin,

    e = ∫ p^S (1 − p)^F dp over p₀ < p < 1, with weight 1/(1 − p₀), / (p₀^S (1 − p₀)^F)

has a mean of at most 1, at any time, wherever the new system wins p₀ or less: with x of a vote 1, ½
or 0, (p/p₀)^x ((1 − p)/(1 − p₀))^(1 − x) is convex in x, so that its mean is at most that of wins
and losses alone. Hence e ≥ 1/α happens with probability α (Ville). It assumes that votes are
independent. Where judges or items are known, S and F are multiplied by min(1, V_model/V) (z/q)²,
with V the clustered variance of the difference, V_model that of independent votes, and z and q the
1 − α quantiles of the normal and of Student's t: votes count as so many independent ones as have
the same error. V is estimated, so that this is no proof, and the clustered test is asked as well:
experiment E23 measures how often both pass what is worse.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.tally import Tally
from evenhand.errors import UnknownOption
from evenhand.models.log_linear import Fit
from evenhand.models.rating_fit import RatingFit
from evenhand.numerics import Integers
from evenhand.numerics.distributions import t_quantile
from evenhand.ranking.ranking import MAX_TIMES, Ranking


def find_log_evidence(wins: float, losses: float, least: float) -> float:
    """Return log e against every share of wins up to `least`, p₀.

    >>> round(find_log_evidence(60, 52, 0.45), 6)
    0.071699
    """
    from scipy.special import betainc, betaln

    tail = float(betainc(1 + losses, 1 + wins, 1 - least))
    mean = float(betaln(1 + wins, 1 + losses)) + (log(tail) if tail > 0 else -inf)
    return mean - log(1 - least) - wins * log(least) - losses * log(1 - least)


@dataclass(frozen=True)
class Evidence:
    """Log e of direct votes for what a gate may say."""

    wins: float  # of the new system, with half of the ties, as so many independent votes
    losses: float
    least: float  # share of wins that does not suffice
    passes: float  # not worse by the margin
    worse: float  # worse by more than it
    better: float  # better than the old system
    within: float  # better by less than the margin

    def find_times(self, needed: float) -> float | None:
        """Return how many times as many votes with the same shares pass; None if none do."""
        from scipy.optimize import brentq

        def lack(times: float) -> float:
            return needed - find_log_evidence(times * self.wins, times * self.losses, self.least)

        if lack(1.0) <= 0:
            return 1.0
        most = float(MAX_TIMES)
        return None if lack(most) > 0 else float(brentq(lack, 1.0, most))


def weigh_votes(
    ranking: Ranking, pair: tuple[str, str], margin: float, *, alpha: float, error: float
) -> Evidence:
    """Weigh direct votes of the new and the old system, half of the ties for each.

    error: the clustered standard error of their difference.

    Raises:
        UnknownOption: there are no votes, or they have weights.

    """
    if isinstance(ranking.fit, RatingFit) or ranking.tally is None:
        raise UnknownOption("an anytime decision needs comparisons: leave it out for ratings")
    wins, ties, losses = ranking.tally.between(*pair)
    part = find_independent_part(ranking, pair, error, alpha)
    wins, losses = part * (wins + ties / 2), part * (losses + ties / 2)
    if ranking.tally.squares is not None:
        raise UnknownOption("an anytime decision counts votes, and these have weights")
    least = 0.5 - margin
    return Evidence(
        wins,
        losses,
        least,
        find_log_evidence(wins, losses, least),
        find_log_evidence(losses, wins, 1 - least),
        find_log_evidence(wins, losses, 0.5),
        find_log_evidence(losses, wins, least),
    )


def find_independent_part(
    ranking: Ranking, pair: tuple[str, str], error: float, alpha: float
) -> float:
    """Return as what part of themselves clustered votes count, were they independent."""
    if all(way.name == "judgment" for way in ranking.ways) or not isinstance(ranking.fit, Fit):
        return 1.0
    (alone,) = ranking.fit.contrasts([pair])
    z, q = (t_quantile(1 - alpha, df) for df in (inf, ranking.df))
    return float(min(1.0, (alone.stderr / error) ** 2) * (z / q) ** 2)


@dataclass(frozen=True)
class Unanimous:
    """Direct votes that all prefer the same of two systems: no worths fit them.

    Where votes of different judges on different items are independent, and a system wins a share s
    of all, it wins n of these with probability s^n: that it won all shows s > α^(1/n) at 1 − α. So
    it does at any time, since n grows with votes that nobody has seen the answers of.
    """

    table: Comparisons
    tally: Tally
    wins: bool  # whether they prefer the new system
    votes: float
    judges: int
    ways: tuple[str, ...]  # in which no two of the votes that count are alike
    units: int  # n, the most votes that have no judge and no item in common


WAYS: Final = ("judge", "item")


def find_unanimous(
    table: Comparisons, pair: tuple[str, str], ways: tuple[str, ...] = WAYS
) -> Unanimous | None:
    """Return the direct votes of two systems where all prefer the same; None if not, or unknown.

    ways: by which votes are not independent, those of them that are known.
    """
    if not table.has("judge") or len(table.tasks()) > 1:
        return None
    tally = table.tally(by=[name for name in WAYS if table.has(name)])
    if tally.squares is not None or not tally.of_pairs or not {*pair} <= {*tally.systems}:
        return None
    wins, ties, losses = tally.between(*pair)
    if ties or (wins > 0) == (losses > 0):
        return None
    one, other = map(tally.systems.index, pair)
    left, right = tally.left, tally.right
    direct = ((left == one) & (right == other)) | ((left == other) & (right == one))
    held = tuple(name for name in ways if name in tally.factors)
    codes = {name: tally.factor(name).codes[direct] for name in (*held, "judge")}
    judges = len(np.unique(codes["judge"]))
    units = _count_apart([codes[name] for name in held]) if held else int(wins + losses)
    return Unanimous(table, tally, wins > 0, wins + losses, judges, held, units)


def _count_apart(codes: list[Integers]) -> int:
    """Return the most rows of which no two are alike in any of one or two codes."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if len(codes) == 1:
        return len(np.unique(codes[0]))
    cells = csr_array((np.ones(len(codes[0]), dtype=np.int8), (codes[0], codes[1])))
    return int((maximum_bipartite_matching(cells, perm_type="column") >= 0).sum())
