"""Judgments that tests of rankings share, and the same written out answer by answer."""

from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from evenhand.data.comparisons import Comparisons
from evenhand.data.tally import Tally
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.log_linear import Fit


def panel(
    seed: int = 1,
    *,
    n: int = 240,
    systems: int = 4,
    judges: int = 6,
    items: int = 8,
    ties: float = 0.8,
    taste: float = 0.6,
) -> pl.DataFrame:
    """Simulated judgments: judges with tastes of their own, one row an answer."""
    rng = np.random.Generator(np.random.PCG64(seed))
    worth = np.linspace(0.8, -0.8, systems) + rng.normal(0, taste, (judges, systems))
    judge, item = rng.integers(0, judges, n), rng.integers(0, items, n)
    left = rng.integers(0, systems, n)
    right = (left + rng.integers(1, systems, n)) % systems
    half = (worth[judge, left] - worth[judge, right]) / 2
    chances = np.stack([np.exp(half), np.full(n, ties), np.exp(-half)], axis=1)
    drawn = rng.random((n, 1)) * chances.sum(axis=1, keepdims=True)
    outcome = (drawn > chances.cumsum(axis=1)).sum(axis=1)
    return pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.array(["left", "tie", "right"])[outcome].tolist(),
            "judge": [f"j{i:03d}" for i in judge],
            "item": [f"i{i:03d}" for i in item],
        }
    )


def comparisons(frame: pl.DataFrame) -> Comparisons:
    """A handle on a frame that has our column names."""
    return Comparisons(nw.from_native(frame))


def tally(frame: pl.DataFrame, *by: str) -> Tally:
    """Counts, distinguished by some columns."""
    return comparisons(frame).tally(by=by)


@dataclass(frozen=True)
class Answers:
    """A fit written out answer by answer; parameters are λ of all systems but the last, γ, δ.

    Attributes:
        scores: (n, p) derivatives of each answer's log-likelihood.
        information: (n, p, p) minus the expected second derivatives.

    """

    scores: np.ndarray
    information: np.ndarray

    def jackknife(self, groups: list[str]) -> np.ndarray:
        """CV3 by groups of answers."""
        codes = np.unique(groups, return_inverse=True)[1]
        parts = [codes == g for g in range(codes.max() + 1)]
        return jackknife(
            np.array([self.scores[part].sum(axis=0) for part in parts]),
            np.array([self.information[part].sum(axis=0) for part in parts]),
        )

    def pooled(self, groups: list) -> np.ndarray:
        """CR0 by its formula: H⁻¹ (Σ s_g s_gᵀ) H⁻¹."""
        codes = np.unique(groups, return_inverse=True)[1]
        bread = np.linalg.inv(self.information.sum(axis=0))
        sums = np.array([self.scores[codes == g].sum(axis=0) for g in range(codes.max() + 1)])
        return bread @ sums.T @ sums @ bread


def jackknife(scores: np.ndarray, information: np.ndarray) -> np.ndarray:
    """CV3 by its formula: (G − 1)/G Σ (d − d̄)(d − d̄)ᵀ, d = (H − H_g)⁻¹ s_g."""
    total = information.sum(axis=0)
    changes = [np.linalg.inv(total - h) @ s for s, h in zip(scores, information, strict=True)]
    spread = np.array(changes) - np.mean(changes, axis=0)
    return (len(scores) - 1) / len(scores) * spread.T @ spread


def write_out(
    frame: pl.DataFrame, fit: Fit, *, order: bool = False, weights: np.ndarray | None = None
) -> Answers:
    """Davidson's model as a multinomial logit with three cells, one answer after another."""
    k, size = len(fit.systems), len(fit.systems) - 1 + 1 + order
    beta = np.array([c.estimate for c in fit.coefficients if c.stderr is not None])
    assert len(beta) == size
    scores, information = [], []
    for row in frame.iter_rows(named=True):
        pair = np.zeros(size + 1)
        at = [fit.systems.index(row[side]) for side in ("left", "right")]
        worth = np.zeros(k)
        worth[at] = 1, -1
        pair[: k - 1] = worth[:-1]
        pair[k] = 1  # the order effect, after the tie parameter
        tie = np.eye(size + 1)[k - 1]
        cells = np.stack([pair, tie, -pair])[:, :size]
        chances = np.exp(cells @ beta)
        chances /= chances.sum()
        mean = chances @ cells
        observed = ["left", "tie", "right"].index(row["outcome"])
        scores.append(cells[observed] - mean)
        information.append((cells.T * chances) @ cells - np.outer(mean, mean))
    weight = np.ones(len(scores)) if weights is None else weights
    return Answers(
        np.array(scores) * weight[:, None], np.array(information) * weight[:, None, None]
    )


def fit(frame: pl.DataFrame, **settings: object) -> Fit:
    """The fit of a frame."""
    return BradleyTerry(**settings).fit(comparisons(frame))
