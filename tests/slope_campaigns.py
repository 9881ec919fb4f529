"""Campaigns of judges with slopes, and their likelihood by brute force (scipy's quad)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import integrate, stats

from evenhand.data.tally import Factor, Tally
from evenhand.models.judge_slopes import SlopeLikelihood, make_slope_cells
from evenhand.models.likelihood import Davidson, TwoOutcomes

WORTHS = (0.8, 0.3, -0.2, 0.0)
LAWS = {"davidson": Davidson(), "discard": TwoOutcomes()}


def campaign(judges: int, each: int, tau: float, seed: int, *, worths=WORTHS, gamma=-0.5) -> Tally:
    """Judges with log-normal slopes, each of whom compares random pairs."""
    rng = np.random.Generator(np.random.PCG64(seed))
    value, n, k = np.asarray(worths), judges * each, len(worths)
    judge = np.repeat(np.arange(judges), each)
    left = rng.integers(0, k, n)
    right = (left + rng.integers(1, k, n)) % k
    eta = np.exp(tau * rng.standard_normal(judges))[judge] * (value[left] - value[right])
    scores = np.exp(np.stack([eta, np.full(n, gamma), -eta], axis=1))
    chances = (scores / scores.sum(axis=1, keepdims=True)).cumsum(axis=1)
    counts = np.eye(3)[(rng.random(n)[:, None] > chances[:, :2]).sum(axis=1)].T.copy()
    names = tuple(f"j{i:05d}" for i in range(judges))
    by = Factor(names, judge.astype(np.int32), np.full(judges, float(each)), judges)
    sides = left.astype(np.int32), right.astype(np.int32)
    systems = tuple(f"s{i}" for i in range(k))
    return Tally(systems, *sides, *counts, {"judge": by}, float(n)).pool(("judge",))


def outcome_logs(eta: float, gamma: float, ties: str) -> np.ndarray:
    """Log-chances as METHODS 1 writes them, by scalars."""
    terms = np.array([eta, gamma if ties == "davidson" else -np.inf, -eta])
    return terms - np.logaddexp.reduce(terms)


@dataclass(frozen=True)
class Brute:
    """The model at one point, written out."""

    tally: Tally
    worths: Sequence[float]
    gamma: float
    tau: float
    ties: str

    def integral(self, judge: int, end: float = 9.0) -> float:
        """∫ φ(z) Π p dz over the cells of one judge, up to some z, by adaptive quadrature."""
        one = self.tally
        rows = np.flatnonzero(one.factors["judge"].codes == judge)
        kept = [0, 1, 2] if self.ties == "davidson" else [0, 2]

        def joint(z: float) -> float:
            total = stats.norm.logpdf(z)
            for i in rows:
                eta = np.exp(self.tau * z) * (self.worths[one.left[i]] - self.worths[one.right[i]])
                total += one.counts[i][kept] @ outcome_logs(eta, self.gamma, self.ties)[kept]
            return np.exp(total)

        points = np.linspace(-9, end, 19)[1:-1].tolist()
        found = integrate.quad(joint, -9, end, points=points, epsabs=0, epsrel=1e-11, limit=400)
        return found[0]

    def loglik(self) -> float:
        judges = range(self.tally.factors["judge"].size)
        return float(sum(np.log(self.integral(judge)) for judge in judges))


def likelihood_of(one: Tally, ties: str, nodes: int) -> SlopeLikelihood:
    folded = one.fold()
    used = folded if ties == "davidson" else replace(folded, ties=0 * folded.ties)
    cells, _ = make_slope_cells(used, len(one.systems) - 1, LAWS[ties])
    return SlopeLikelihood(cells, nodes)
