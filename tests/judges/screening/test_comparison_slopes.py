"""Slopes beside scipy and counts by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from evenhand.data.rating_rows import CONTROL
from evenhand.data.votes import LEFT, TIE, Votes
from evenhand.judges.comparison_evidence import (
    CONCENTRATION,
    GAP_RIDGE,
    MAX_LOG_RATIO,
    PSEUDO_ANSWERS,
    PSEUDO_JUDGES,
    SLOPE_RIDGE,
    find_slopes,
    find_vote_habits,
    leave_out_gaps,
    sum_other_votes,
    weigh_controls,
    weigh_repeats,
    weigh_seconds,
)
from evenhand.judges.rating_evidence import PAUSE, place_in_session
from evenhand.numerics.multiple_tests import benjamini_hochberg
from experiments.campaign import generator
from vote_campaigns import Panel, RankingPanel, make_votes


def few_votes() -> Votes:
    """Three judges on item 0 (a beats b twice, a tie), two on item 1; the last stood turned."""
    judge, item = np.array([0, 1, 2, 0, 1]), np.array([0, 0, 0, 1, 1])
    sides = np.array([[0, 0, 0, 0, 1], [1, 1, 1, 1, 0]])
    return make_votes((3, 2), judge, item, sides, np.array([0, 0, 1, 2, 0]))


def test_other_votes_are_counted_by_output_pair_whoever_stood_left():
    others = sum_other_votes(few_votes())
    assert others.lead.tolist() == [1, 1, 2, -1, 1]
    assert others.judges.tolist() == [2, 2, 2, 1, 1]
    assert others.agreed.tolist() == [False, False, True, False, False]


def test_slopes_and_errors_are_those_of_a_ridge_regression_by_scipy():
    votes = Panel(60, bad=3).simulate(generator(4, 51, 0))
    found = find_slopes(votes)
    for judge in (0, 4, 29):
        x, won = found.x[found.judge == judge], found.won[found.judge == judge]

        def loss(b, x=x, won=won):
            return float(np.logaddexp(0, -(2 * won - 1) * b * x).sum() + SLOPE_RIDGE / 2 * b**2)

        best = optimize.minimize_scalar(loss, bracket=(-1, 1), tol=1e-10).x
        step = 1e-3
        curve = (loss(best + step) - 2 * loss(best) + loss(best - step)) / step**2
        assert found.slope[judge] == pytest.approx(best, abs=1e-5)
        assert found.error[judge] == pytest.approx(curve**-0.5, rel=1e-4)


def test_random_rankings_of_five_count_for_half_of_their_comparisons():
    """Var Σ (y − ½) x over a random ranking of k is (k + 1)/3 of that of independent votes."""
    votes = RankingPanel(24, bad=30).simulate(generator(4, 56, 0))
    found = find_slopes(replace(votes, items=("",), item=np.zeros(votes.size, np.int32)))
    assert found.inflation == pytest.approx(2, abs=0.15)


# Leave-judge-out worths beside full refits by scipy, task by task.


def refit(votes: Votes, keep: np.ndarray, systems: int) -> np.ndarray:
    """Ridge worths by scipy's BFGS."""
    left, right = votes.left[keep], votes.right[keep]
    sign = np.where(votes.outcome[keep] == LEFT, 1.0, -1.0)

    def loss(worths):
        eta = sign * (worths[left] - worths[right])
        pull = -sign / (1 + np.exp(eta))
        slope = np.bincount(left, pull, systems) - np.bincount(right, pull, systems)
        value = np.logaddexp(0, -eta).sum() + GAP_RIDGE / 2 * worths @ worths
        return value, slope + GAP_RIDGE * worths

    return optimize.minimize(loss, np.zeros(systems), jac=True, method="BFGS").x


def errors_beside_refits(votes: Votes, systems: int, gaps: np.ndarray) -> tuple[float, float]:
    """Root mean square error of one step, and of leaving nobody out."""
    truth, whole = np.empty(len(gaps)), np.empty(len(gaps))
    for task in np.unique(votes.task):
        inside = votes.task == task
        everybody = refit(votes, inside, systems)
        whole[inside] = (everybody[votes.left] - everybody[votes.right])[inside]
        for judge in np.unique(votes.judge[inside]):
            own = inside & (votes.judge == judge)
            worths = refit(votes, inside & (votes.judge != judge), systems)
            truth[own] = (worths[votes.left] - worths[votes.right])[own]
    return tuple(float(np.sqrt(np.mean((one - truth) ** 2))) for one in (gaps, whole))


@pytest.mark.parametrize(
    ("panel", "tasks"), [(Panel(60), 1), (Panel(30, judges=9), 1), (Panel(30, systems=5), 3)]
)
def test_one_step_is_a_full_refit_but_for_a_tenth_of_what_leaving_out_changes(panel, tasks):
    votes = panel.simulate(generator(4, 50, 0))
    votes = votes.take(votes.outcome != TIE)
    votes = replace(votes, task=votes.item % tasks, tasks=tuple("abc"[:tasks]))
    gaps, passed_over = leave_out_gaps(votes)
    one_step, nobody_out = errors_beside_refits(votes, panel.systems, gaps)
    assert passed_over == 0
    assert one_step < 0.1 * nobody_out
    assert one_step < 0.05


# Controls and repeats beside scipy.stats and counts by hand.


def controls(outcomes: list[list[int]]) -> Votes:
    """Left is the good output in every control; a row of outcomes per judge."""
    n = len(outcomes[0])
    judge = np.repeat(np.arange(len(outcomes)), n)
    sides = np.stack([np.zeros(len(judge)), np.ones(len(judge))])
    votes = make_votes((len(outcomes), 2), judge, np.arange(len(judge)), sides, np.ravel(outcomes))
    kinds, expected = np.full(len(judge), CONTROL, np.int8), np.zeros(len(judge), np.int8)
    return replace(votes, kind=kinds, expected=expected)


def test_controls_are_counted_as_expected_neither_and_contrary():
    found = weigh_controls(controls([[0, 0, 1], [0, 2, 2]]), tied=0.2)
    assert found.seen.tolist() == [[2, 1, 0], [1, 0, 2]]
    assert found.usual == pytest.approx([0.5, 1 / 6, 1 / 3])
    assert found.chance[0] == pytest.approx([0.4, 0.2, 0.4])


def test_controls_are_dirichlet_multinomial_around_the_other_judges():
    found = weigh_controls(controls([[0] * 6, [0] * 5 + [1], [2] * 4 + [0] * 2]), tied=0.2)
    chance = np.array([0.4, 0.2, 0.4])
    others = np.array([11.0, 1.0, 0.0]) + PSEUDO_ANSWERS * chance
    honest = others / others.sum()
    laws = [honest, chance, honest[::-1]]
    seen = [2, 0, 4]
    logs = [stats.dirichlet_multinomial.logpmf(seen, CONCENTRATION * law, 6) for law in laws]
    assert found.logs[2] - found.logs[2, 0] == pytest.approx(np.array(logs) - logs[0])
    assert found.logs[2, 2] > found.logs[2, 0]
    assert found.logs[0].argmax() == 0


def twice(first: list[int], second: list[int], *, turned: bool) -> Votes:
    """One judge, each pair asked twice, the second time perhaps with sides exchanged."""
    n = len(first)
    item = np.tile(np.arange(n), 2)
    left = np.concatenate([np.zeros(n), np.full(n, float(turned))])
    sides = np.stack([left, 1 - left])
    return make_votes((1, 2), np.zeros(2 * n, int), item, sides, np.array(first + second))


def test_repeats_compare_preferences_and_not_sides():
    assert weigh_repeats(twice([0, 0, 2, 1], [2, 0, 0, 1], turned=True)).seen.tolist() == [[3, 1]]
    assert weigh_repeats(twice([0, 0, 2, 1], [2, 0, 0, 1], turned=False)).seen.tolist() == [[2, 2]]


def test_repeats_are_beta_binomial_around_the_other_judges():
    one, two = twice([0] * 9 + [2], [0] * 9 + [0], turned=False), twice([0], [2], turned=False)
    n = one.size + two.size
    joined = make_votes(
        (2, 2),
        np.repeat([0, 1], [one.size, two.size]),
        np.concatenate([one.item, two.item + 50]),
        np.concatenate([[one.left, one.right], [two.left, two.right]], axis=1),
        np.concatenate([one.outcome, two.outcome]),
    )
    assert joined.size == n
    found = weigh_repeats(joined)
    chance = found.chance[1, 0]
    honest = (9 + PSEUDO_ANSWERS * chance) / (10 + PSEUDO_ANSWERS)
    expected = [
        stats.betabinom.logpmf(0, 1, CONCENTRATION * p, CONCENTRATION * (1 - p))
        for p in (honest, chance, honest)
    ]
    assert found.logs[1] - found.logs[1, 0] == pytest.approx(np.array(expected) - expected[0])


# Time weighs what these judges show, no more than 2 nats, and nothing where nobody is suspect.


def timed(seconds: list[list[float]]) -> Votes:
    n = len(seconds[0])
    judge = np.repeat(np.arange(len(seconds)), n)
    sides = np.stack([np.zeros(len(judge)), np.ones(len(judge))])
    votes = make_votes((len(seconds), 2), judge, np.arange(len(judge)), sides, 0 * judge)
    return replace(votes, seconds=np.ravel(seconds))


def sure(*careless: int, judges: int = 10) -> np.ndarray:
    posterior = np.tile([1.0, 0.0, 0.0], (judges, 1))
    posterior[list(careless)] = [0.0, 1.0, 0.0]
    return posterior


def test_log_likelihoods_are_those_of_the_normals_that_were_learnt():
    seconds = np.array([20.0, 22, 25, 18, 21, 24, 19, 23, 20, 6])
    t = np.log1p(seconds)
    found = weigh_seconds(timed([[s] for s in seconds.tolist()]), sure(9))
    centre, square = t[:9].mean(), t[:9].var()
    quick = (t[9] + PSEUDO_JUDGES * centre) / (1 + PSEUDO_JUDGES)
    ratio = ((t - centre) ** 2 - (t - quick) ** 2) / (2 * square)
    assert found.logs[:, 1] == pytest.approx(np.clip(ratio, -MAX_LOG_RATIO, MAX_LOG_RATIO))
    assert found.logs[9, 1] == MAX_LOG_RATIO
    assert not found.logs[:, [0, 2]].any()


def test_time_that_is_unknown_or_always_the_same_is_not_used():
    assert weigh_seconds(replace(timed([[1.0], [2.0]]), seconds=None), sure(judges=2)) is None
    assert weigh_seconds(timed([[np.nan], [np.nan]]), sure(judges=2)) is None
    assert weigh_seconds(timed([[7.0], [7.0]]), sure(judges=2)) is None


# Habits with known truth: who has one is found, and hardly anybody else.


def habits(votes: Votes) -> dict:
    return {one.name: one for one in find_vote_habits(votes, find_slopes(votes))}


def test_a_judge_who_takes_the_left_output_too_often_stands_out():
    votes = Panel(120).simulate(generator(4, 60, 0))
    rng = np.random.Generator(np.random.PCG64(1))
    lazy = (votes.judge == 4) & (rng.random(votes.size) < 0.7)
    found = habits(replace(votes, outcome=np.where(lazy, 0, votes.outcome).astype(np.int8)))
    position = found["position-biased"]
    assert position.p.argmin() == 4
    assert benjamini_hochberg(position.p)[4] < 0.01
    assert position.value[4] > 1


def with_moments(votes: Votes, seed: int) -> tuple[Votes, np.ndarray]:
    """Half a minute between answers, in random order; and who is in the second half."""
    rng = np.random.Generator(np.random.PCG64(seed))
    place = np.empty(votes.size)
    late = np.zeros(votes.size, dtype=bool)
    for judge in range(len(votes.judges)):
        own = rng.permutation(np.flatnonzero(votes.judge == judge))
        place[own] = np.arange(len(own))
        late[own[len(own) // 2 :]] = True
    return replace(votes, moment=30.0 * place), late


def test_a_judge_who_stops_to_care_within_a_session_drifts():
    votes, late = with_moments(Panel(600).simulate(generator(4, 63, 0)), 4)
    rng = np.random.Generator(np.random.PCG64(5))
    tired = (votes.judge == 2) & late
    drawn = np.where(rng.random(votes.size) < 0.5, 0, 2)
    outcome = np.where(tired, drawn, votes.outcome).astype(np.int8)
    drifting = habits(replace(votes, outcome=outcome))["drifting"]
    assert drifting.p.argmin() == 2
    assert benjamini_hochberg(drifting.p)[2] < 0.05
    assert drifting.value[2] < -0.5


# Places in sessions, by hand.


def test_places_run_from_minus_half_to_half_in_the_order_of_time():
    moment = np.array([30.0, 10.0, 20.0, 0.0, 40.0])
    found = place_in_session(np.zeros(5, int), moment, enough=5)
    assert found.tolist() == [0.25, -0.25, 0, -0.5, 0.5]


def test_a_pause_ends_a_session_and_judges_have_their_own():
    judge = np.array([0, 0, 0, 0, 1, 1])
    moment = np.array([0.0, 1, PAUSE + 2, PAUSE + 3, 0, 1])
    found = place_in_session(judge, moment, enough=2)
    assert found.tolist() == [-0.5, 0.5] * 3
