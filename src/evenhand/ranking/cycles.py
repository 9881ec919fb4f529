"""Cycles: do preferences go round in circles, more than noise makes them, and whose votes do?

The part of the log-odds of pairs that no worths explain goes round in circles (HodgeRank: Jiang,
Lim, Yao & Ye 2011, Mathematical Programming 127:203-244). Noise makes some of it, and judges with
tastes make more: raw counts of circles show nothing. Here the statistic T = Σ r²/w is set beside
worlds without circles in which judges, items and both together keep their residuals with random
signs; only where judges are not known are votes drawn one by one (INFERENCE B9). T also says how
well the Bradley-Terry model fits.

When not to use it: to choose a model. Cycles can be real and too small to foresee anything by.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

from evenhand.errors import UnknownOption, require_level, require_seed
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import say_left_out
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.signature import write_signature
from evenhand.judgments.tally import Tally
from evenhand.judgments.wrong_kind import require_pairs
from evenhand.numerics.threads import one_blas_thread
from evenhand.ranking.clustering import (
    Clustering,
    choose_clustering,
    choose_ways,
    wanted_factors,
)
from evenhand.ranking.cycles_pairs import list_deviations
from evenhand.ranking.cycles_residuals import PairResiduals, find_residuals
from evenhand.ranking.cycles_result import Cycle, Cycles
from evenhand.ranking.cycles_sides import choose_sides
from evenhand.ranking.cycles_triples import list_triples, name_cycles, weigh_triples
from evenhand.ranking.cycles_worlds import WORLDS, Worlds, draw_worlds
from evenhand.ranking.evidence import Evidence
from evenhand.ranking.fragility_case import merge_evidence

Array = NDArray[np.float64]


def find_cycles(
    data: Comparisons | Rankings,
    *,
    cluster: str | None = None,
    order_effect: bool | None = None,
    level: float = 0.95,
    seed: int = SEED,
) -> Cycles:
    """Ask whether preferences go round in circles more than noise makes them.

    Args:
        data: comparisons or rankings of one task; ties are left out.
        cluster: judgments that hang together, as in `rank`; by default what the data have.
        order_effect: whether the output shown first may have an advantage that makes no cycle; by
            default where sides were not drawn by lot.
        level: at which cycles are called real (proportion).
        seed: of the worlds.

    Raises:
        UnknownOption: several tasks, or importance weights without judges.
        NotIdentified: decisive votes determine no worths or, if asked for, no order effect; or
            clusters were asked for of which there is only one.
        UnknownColumn: a column of the clusters that were asked for is not there.
        InvalidJudgments: neither comparisons nor rankings; says what to do.

    >>> import evenhand, pandas as pd
    >>> round_ = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    >>> rows = [(*pair, "left") for pair in round_] * 15 + [(*pair, "right") for pair in round_] * 5
    >>> turned = {"left": "right", "right": "left"}
    >>> rows += [(other, one, turned[outcome]) for one, other, outcome in rows]
    >>> votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    >>> found = evenhand.find_cycles(votes)
    >>> found.real, found.cycles[0].systems
    (True, ('paper', 'rock', 'scissors'))
    """
    require_level(level)
    require_seed(seed)
    table = require_pairs(data, "cycles are sought in comparisons or rankings, not in")
    if len(table.tasks()) > 1:
        raise UnknownOption("cycles are of one board: choose a task")
    present = tuple(name for name in ("judge", "item", "ranking") if table.has(name))
    wanted_factors(cluster, set(present))
    tally = table.tally(by=present)
    if table.rankings is not None:
        tally = replace(tally, positions_known=False)
    with one_blas_thread():
        sided, notes = choose_sides(tally, asked=order_effect)
        found = look_for_cycles(tally, level, seed, cluster=cluster, order_effect=sided)
    return replace(found, notes=(*say_left_out(data, table), *notes, *found.notes))


def look_for_cycles(
    tally: Tally,
    level: float,
    seed: int,
    *,
    cluster: str | None = None,
    order_effect: bool = False,
) -> Cycles:
    """Ask the same of counts.

    Args:
        tally: judgments, told apart by judge, item and ranking as far as these are known.
        level: at which cycles are called real (proportion).
        seed: of the worlds.
        cluster: what hangs together, or None for what the data have.
        order_effect: fit an advantage of the output shown first beside worths.

    Raises:
        UnknownOption: importance weights without judges.
        NotIdentified: decisive votes determine no worths, or no order effect.

    """
    whole, _ = find_residuals(tally, order_effect=order_effect)
    evidence = merge_evidence(tally)
    rng = Generator(PCG64(SeedSequence(seed)))
    worlds, chosen = draw_worlds(whole, evidence, _choose(cluster, evidence), rng)
    bare = whole.df <= 0
    p = None if bare else worlds.p(whole)
    real = p is not None and p <= 1 - level
    drawn = list(worlds.drawn.values())
    cycles, notes = _name(whole, tally, drawn, level) if real else ((), ())
    return Cycles(
        statistic=whole.statistic,
        df=whole.df,
        noise=worlds.noise(whole),
        p=p,
        share=0.0 if bare else find_share(whole, worlds),
        ways=worlds.ways,
        order_effect=order_effect,
        worlds=WORLDS,
        level=level,
        cycles=cycles,
        deviations=() if bare else list_deviations(whole, drawn),
        headline=chosen.headline,
        notes=(*chosen.notes, *notes),
        signature=_sign(tally, worlds, seed, order_effect=order_effect),
    )


def _sign(tally: Tally, worlds: Worlds, seed: int, *, order_effect: bool) -> str:
    by = "+".join(worlds.ways)
    parts = ["cycles", *(["order effect"] if order_effect else [])]
    parts += [f"wild by {by}" if by else "parametric", f"B={WORLDS}", f"seed={seed}"]
    return write_signature(parts, tally.n_judgments, tally.digest)


def find_share(whole: PairResiduals, worlds: Worlds) -> float:
    """Return the share of the variance of log-odds that goes round, noise subtracted from both.

    Args:
        whole: residuals of all judgments.
        worlds: without circles, which say how much is noise.

    """
    round_ = max(0.0, whole.statistic - worlds.noise(whole))
    along_worths = max(0.0, whole.explained - worlds.spurious)
    return round_ / (round_ + along_worths) if round_ else 0.0


def _choose(cluster: str | None, evidence: Evidence) -> Clustering:
    return choose_ways(evidence) if cluster is None else choose_clustering(cluster, evidence)


def _name(
    whole: PairResiduals, tally: Tally, worlds: list[Array], level: float
) -> tuple[tuple[Cycle, ...], tuple[str, ...]]:
    """Return circles of three that are more than noise."""
    triples = list_triples(whole)
    if triples is None:
        return (), ("circles of three are too many to be tested: rank fewer systems",)
    if not len(triples.systems):
        return (), ()
    z, p = weigh_triples(whole, triples, worlds)
    return name_cycles(whole, tally, (triples, z, p), level), ()
