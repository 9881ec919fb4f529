"""Panels of judges with tastes, for tests of random judges."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.data.tally import Factor, Tally
from evenhand.models.random_judges_likelihood import Method, Panel, make_panel


def tastes(size: tuple[int, int, int], sigma: float, seed: int, *, nu: float = 0.5) -> Tally:
    """Draw answers of (judges, systems, answers of each judge); log-worths from 1 to -1."""
    judges, k, each = size
    rng = np.random.Generator(np.random.PCG64(seed))
    worth = np.linspace(1, -1, k) + rng.normal(0, sigma, (judges, k))
    judge = np.repeat(np.arange(judges), each)
    left = rng.integers(0, k, len(judge))
    right = (left + rng.integers(1, k, len(judge))) % k
    half = np.exp((worth[judge, left] - worth[judge, right]) / 2)
    dart = rng.random(len(judge)) * (half + nu + 1 / half)
    outcome = (dart >= half).astype(int) + (dart >= half + nu)
    labels = tuple(f"judge {i:03d}" for i in range(judges))
    factor = Factor(labels, judge.astype(np.int32), np.full(judges, float(each)), judges)
    names = tuple(f"s{i}" for i in range(k))
    sides = left.astype(np.int32), right.astype(np.int32)
    counts = np.eye(3)[outcome].T.copy()
    return Tally(names, *sides, *counts, {"judge": factor}, float(len(judge)))


def panel_of(tally: Tally, method: Method = "corrected") -> Panel:
    """The panel of a tally, the last system as reference."""
    folded = tally.fold()
    codes = folded.factor("judge").codes.astype(np.intp)
    return make_panel(folded, codes, len(tally.systems) - 1, method)


def relabelled(tally: Tally, order: Sequence[int]) -> Tally:
    """The same answers; what judge i said is said by the judge at place order[i]."""
    factor = tally.factor("judge")
    codes = np.asarray(order, dtype=np.int32)[factor.codes]
    return replace(tally, factors={"judge": replace(factor, codes=codes)})
