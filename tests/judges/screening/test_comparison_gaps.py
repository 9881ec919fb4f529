"""Leave-judge-out worths beside full refits by scipy, task by task."""

import numpy as np
import pytest
from scipy import optimize

from evenhand.data.votes import LEFT, TIE
from evenhand.judges import comparison_evidence
from evenhand.judges.comparison_evidence import GAP_RIDGE, Ballot, leave_out_gaps
from experiments.campaign import generator
from vote_campaigns import Panel


def ballot_of(panel: Panel, tasks: int = 1) -> Ballot:
    votes = panel.simulate(generator(4, 50, 0))
    rows = np.flatnonzero(votes.outcome != TIE)
    won = (votes.outcome[rows] == LEFT).astype(float)
    task = votes.item[rows] % tasks
    return Ballot(task, votes.judge[rows], votes.left[rows], votes.right[rows], won)


def refit(ballot: Ballot, keep: np.ndarray, systems: int) -> np.ndarray:
    """Ridge worths by scipy's BFGS."""
    sign, left, right = 2 * ballot.won[keep] - 1, ballot.left[keep], ballot.right[keep]

    def loss(worths):
        eta = sign * (worths[left] - worths[right])
        pull = -sign / (1 + np.exp(eta))
        slope = np.bincount(left, pull, systems) - np.bincount(right, pull, systems)
        value = np.logaddexp(0, -eta).sum() + GAP_RIDGE / 2 * worths @ worths
        return value, slope + GAP_RIDGE * worths

    return optimize.minimize(loss, np.zeros(systems), jac=True, method="BFGS").x


def errors_beside_refits(ballot: Ballot, systems: int, gaps: np.ndarray) -> tuple[float, float]:
    """Root mean square error of one step, and of leaving nobody out."""
    truth, whole = np.empty(len(gaps)), np.empty(len(gaps))
    for task in np.unique(ballot.task):
        inside = ballot.task == task
        everybody = refit(ballot, inside, systems)
        whole[inside] = (everybody[ballot.left] - everybody[ballot.right])[inside]
        for judge in np.unique(ballot.judge[inside]):
            own = inside & (ballot.judge == judge)
            worths = refit(ballot, inside & (ballot.judge != judge), systems)
            truth[own] = (worths[ballot.left] - worths[ballot.right])[own]
    return tuple(float(np.sqrt(np.mean((one - truth) ** 2))) for one in (gaps, whole))


@pytest.mark.parametrize(
    ("panel", "tasks"), [(Panel(60), 1), (Panel(30, judges=9), 1), (Panel(30, systems=5), 3)]
)
def test_one_step_is_a_full_refit_but_for_a_tenth_of_what_leaving_out_changes(panel, tasks):
    ballot = ballot_of(panel, tasks)
    gaps, passed_over = leave_out_gaps(ballot)
    one_step, nobody_out = errors_beside_refits(ballot, panel.systems, gaps)
    assert passed_over == 0
    assert one_step < 0.1 * nobody_out
    assert one_step < 0.05


@pytest.mark.parametrize(("rounds", "few"), [(200, 0), (3, 0), (200, 10_000)])
def test_solving_by_pairs_or_by_systems_makes_no_difference(monkeypatch, rounds, few):
    """By conjugate gradients, by elimination where they are stopped, and pair by pair."""
    ballot = ballot_of(Panel(60, systems=12))
    expected, _ = leave_out_gaps(ballot)
    monkeypatch.setattr(comparison_evidence, "MAX_GRADIENT_STEPS", rounds)
    monkeypatch.setattr(comparison_evidence, "MAX_PAIRS_SOLVED", few)
    assert leave_out_gaps(ballot)[0] == pytest.approx(expected, abs=1e-7)


def test_a_gap_that_rests_on_one_judge_alone_is_nothing_without_that_judge():
    """0 and 1 are compared by judge 7 alone; 1 and 2 by judges 0 to 5."""
    judge = np.array([7, 7, 7, *range(6)])
    left, right = np.array([0, 0, 0, *[1] * 6]), np.array([1, 1, 1, *[2] * 6])
    gaps, _ = leave_out_gaps(Ballot(np.zeros(9, int), judge, left, right, np.ones(9)))
    inner = gaps[3]  # what the others say of 1 and 2 is about as much
    assert abs(gaps[0]) < inner
    assert np.isfinite(gaps).all()


def test_tasks_that_are_too_large_are_counted_and_give_no_gap(monkeypatch):
    monkeypatch.setattr(comparison_evidence, "MAX_SYSTEMS", 7)
    gaps, passed_over = leave_out_gaps(ballot_of(Panel(30)))
    assert passed_over == 8
    assert not gaps.any()
