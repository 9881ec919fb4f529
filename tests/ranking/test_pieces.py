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


@pytest.mark.parametrize("by", ["judge", "item"])
def test_clusters_taken_in_blocks_give_the_same(by, monkeypatch):
    frame = panel()
    fitted, counts = fit(frame), tally(frame, by)
    whole, _ = cluster_covariance(fitted, counts, by)
    monkeypatch.setattr(boards, "MAX_BLOCK_NUMBERS", 1)
    np.testing.assert_allclose(cluster_covariance(fitted, counts, by)[0], whole, rtol=1e-9)


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


def test_scores_of_clusters_add_up_to_nought_and_information_to_the_whole():
    frame = panel()
    fitted, counts = fit(frame, order_effect=True), tally(frame, "judge")
    judges = counts.factor("judge")
    taken = boards.take_apart(fitted, counts, judges.codes, judges.size)
    scores = boards.cluster_scores(fitted, taken)
    np.testing.assert_allclose(scores.sum(axis=0), 0, atol=1e-6)
    total = boards.cluster_information(fitted, taken).sum(axis=0)
    np.testing.assert_allclose(np.linalg.inv(total), fitted.raw_vcov, rtol=1e-7)


@pytest.mark.parametrize("ties", ["davidson", "rao-kupper", "half-win", "discard"])
@pytest.mark.parametrize("order", [True, False])
def test_consecutive_clusters_by_themselves_are_those_of_the_whole(ties, order):
    frame = panel(n=3000, systems=3, judges=20)
    fitted, counts = fit(frame, ties=ties, order_effect=order), tally(frame, "judge")
    judges = counts.factor("judge")
    entries = boards.take_apart(fitted, counts, judges.codes, judges.size)
    whole = boards.cluster_information(fitted, entries)
    some = boards.cluster_information(fitted, entries.between(1, 3))
    np.testing.assert_allclose(some, whole[1:3], rtol=1e-9, atol=1e-9)
