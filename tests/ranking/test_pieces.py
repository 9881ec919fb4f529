"""A fit taken apart: other ways to the same sums, and derivatives by differences."""

from collections.abc import Callable

import numpy as np
import pytest

from evenhand.models.log_linear import Fit
from evenhand.ranking import sandwich as boards
from evenhand.ranking.sandwich import cluster_covariance, crossed_covariance
from ranking.panels import fit, jackknife, panel, tally

STEP = 1e-4


@pytest.mark.parametrize("order", [False, True])
def test_the_dense_and_the_sparse_way_to_cells_agree(order, monkeypatch):
    frame = panel()
    fitted, counts = fit(frame, order_effect=order), tally(frame, "judge", "item")
    dense = crossed_covariance(fitted, counts, ("judge", "item"))
    monkeypatch.setattr(boards, "MAX_DENSE", 48 * len(dense) - 1)  # 6 × 8 cells do not fit
    numbered = crossed_covariance(fitted, counts, ("judge", "item"))
    monkeypatch.setattr(boards, "MAX_DENSE", 0)
    sparse = crossed_covariance(fitted, counts, ("judge", "item"))
    np.testing.assert_allclose(numbered, dense, rtol=1e-12)
    np.testing.assert_allclose(sparse, dense, rtol=1e-10, atol=1e-15)


def judge_loglik(part, whole: Fit) -> Callable[[np.ndarray], float]:
    """The log-likelihood of one judge's answers as a function of (λ, τ)."""
    codes = [[whole.systems.index(name) for name in part[side]] for side in ("left", "right")]
    outcome = [["left", "tie", "right"].index(name) for name in part["outcome"]]

    def value(at: np.ndarray) -> float:
        worth = np.append(at[:-1], 0.0)
        eta = worth[codes[0]] - worth[codes[1]]
        chances = whole.likelihood.law.log_chances(eta, np.log(at[-1]))
        return float(chances[np.arange(len(eta)), outcome].sum())

    return value


def gradient(value: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """First derivatives by central differences."""
    unit = np.eye(len(at)) * STEP
    return np.array([(value(at + e) - value(at - e)) / (2 * STEP) for e in unit])


def bend(value: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Minus the second derivatives by central differences."""
    unit = np.eye(len(at)) * STEP
    return -np.array(
        [(gradient(value, at + e) - gradient(value, at - e)) / (2 * STEP) for e in unit]
    )


@pytest.mark.parametrize("ties", ["rao-kupper", "glenn-david"])
def test_cv3_of_thresholds_is_its_formula_with_differences_for_derivatives(ties):
    frame = panel(n=160, judges=4)
    whole = fit(frame, ties=ties)
    parts = [frame.filter(frame["judge"] == judge) for judge in sorted(set(frame["judge"]))]
    values = [judge_loglik(part, whole) for part in parts]
    scores = np.array([gradient(value, whole.estimate) for value in values])
    information = np.array([bend(value, whole.estimate) for value in values])
    found, _ = cluster_covariance(whole, tally(frame, "judge"), "judge")
    scale = np.where(np.array(whole.names) == "tau", whole.estimate, 1.0)  # from log τ to τ
    expected = jackknife(scores, information)
    np.testing.assert_allclose(found * scale * scale[:, None], expected, rtol=2e-4, atol=1e-7)
