"""Rankings dealt to judges at random: how much of σ is taste, where one answer is many comparisons.

Comparisons of one ranking hang together, whoever made it; a model that takes them for independent
given the judge books what they share as taste. With s_r the sum of score residuals r a over the
comparisons of ranking r at the pooled fit, and S_l = Σ_{r of l} s_r (start.py):

    U = Σ_l ‖S_l‖²,    p = (1 + #{U* ≥ U}) / (B + 1)

U* has the rankings of each task dealt to its judges at random, as many to each as they made. Where
judges do not differ every deal is as likely as the one that was seen, whatever hangs together
within a ranking.

Source: Phipson & Smyth (2010), Permutation p-values should never be zero, SAGMB 9:39.

When not to use it: where judges and items go together, a judge having made many rankings of one
item: what rankings of one item share is then taken for taste.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.judgments.joined_codes import join_codes
from evenhand.judgments.tally import Tally
from evenhand.preference.coefficients import format_p
from evenhand.preference.judges.likelihood import Panel
from evenhand.preference.judges.sites import Votes, slopes
from evenhand.preference.judges.start import Dispersion, Pooled, soften

Array = NDArray[np.float64]
Integers = NDArray[np.intp]
DEALS: Final = 199
"""Random deals: the smallest p is .005."""


@dataclass(frozen=True)
class DealTest:
    """The test that rankings of one judge are no more alike than those of different judges.

    Attributes:
        p: share of deals, the one that was seen among them, in which judges differ as much.
        deals: random deals.
        sigma: moment estimate of σ with the judges as they were.
        dealt: the same of the mean deal: what comparisons of one ranking share.

    """

    p: float
    deals: int
    sigma: float
    dealt: float

    def __str__(self) -> str:
        return (
            f"p {format_p(self.p)} ({self.deals} random deals of rankings to judges); estimated by"
            f" moments σ is {self.sigma:.2f}, and {self.dealt:.2f} where rankings are dealt"
            " to judges at random"
        )


def hang_together(tally: Tally) -> bool:
    """Say whether one answer makes several comparisons.

    Args:
        tally: the judgments, told apart by ranking (and task) where that is known.

    """
    if tally.n_judgments < tally.n_comparisons * (1 - 1e-9):
        return True
    if "ranking" not in tally.factors:
        return False
    key = _number(tally, ("task", "ranking"))
    return len(np.unique(key)) < len(key)


def _number(tally: Tally, names: Sequence[str]) -> NDArray[np.int64]:
    """Return a number for each entry, the same where all of some factors are the same."""
    factors = [tally.factors[name] for name in names if name in tally.factors]
    return join_codes([(one.codes, one.size) for one in factors])


def deal_rankings(
    tally: Tally, panel: Panel, pooled: Pooled, dispersion: Dispersion, seed: int
) -> DealTest:
    """Compare judges with random deals of the same rankings.

    Args:
        tally: the judgments that count, by judge, ranking and, where there are tasks, task.
        panel: judges' answers.
        pooled: the fit that takes all judges for one.
        dispersion: what the start knew of σ.
        seed: of the deals.

    """
    key = _number(tally, ("task", "ranking", "judge"))
    first, answer = np.unique(key, return_index=True, return_inverse=True)[1:]
    judge = tally.factors["judge"].codes[first].astype(np.intp)
    task = np.zeros_like(judge)
    if "task" in tally.factors:
        task = tally.factors["task"].codes[first].astype(np.intp)
    cells = _sum_scores(tally, answer, _score(tally, panel, pooled))
    k = len(tally.systems)
    seen = _spread(cells, judge, k)
    rng = np.random.Generator(np.random.PCG64(seed))
    found = np.array([_spread(cells, _deal(judge, task, rng), k) for _ in range(DEALS)])
    as_much = int((found >= seen * (1 - 1e-9)).sum())
    return DealTest(
        p=(1 + as_much) / (DEALS + 1),
        deals=DEALS,
        sigma=soften(dispersion.ratio(0.0)),
        dealt=soften(dispersion.ratio(float(found.mean()) - seen)),
    )


def _deal(judge: Integers, task: Integers, rng: np.random.Generator) -> Integers:
    """Return another judge for every answer, those of each task dealt among its answers."""
    dealt = np.empty_like(judge)
    dealt[np.argsort(task, kind="stable")] = judge[np.lexsort((rng.random(len(judge)), task))]
    return dealt


def _score(tally: Tally, panel: Panel, pooled: Pooled) -> Array:
    """Return (C,) score residuals by the log-odds of left against right."""
    theta, gamma, _ = panel.parts(np.append(pooled.beta, 0.0))
    won, tied, lost = tally.counts.T
    centre = theta[tally.left] - theta[tally.right]
    votes = Votes(won - lost, tied, won + tied + lost, centre, gamma, panel.nodes)
    return slopes(votes, np.zeros_like(centre)).x


def _sum_scores(tally: Tally, answer: Integers, score: Array) -> tuple[Integers, Integers, Array]:
    """Return answer, system and sum of scores, for each system in each answer."""
    k = len(tally.systems)
    places = np.concatenate((answer * k + tally.left, answer * k + tally.right))
    used, inverse = np.unique(places, return_inverse=True)
    sums = np.asarray(np.bincount(inverse, np.concatenate((score, -score))), dtype=np.float64)
    at, system = np.divmod(used, k)
    return at.astype(np.intp), system.astype(np.intp), sums


def _spread(cells: tuple[Integers, Integers, Array], judge: Integers, k: int) -> float:
    """Return U, given the judge of every answer."""
    answer, system, sums = cells
    return float((np.bincount(judge[answer] * k + system, sums) ** 2).sum())
