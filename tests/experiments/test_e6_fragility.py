"""E6: the sets of votes and judges that are said to carry a conclusion do carry it.

60 campaigns: ten systems, θ = (.05, 0, −.2 ... −1.5), 5,000 independent judgments, no ties. The
conclusion is that the system observed first beats the one observed second. Every set that is
reported must turn the order when the model is fitted from scratch without it; in the first ten
campaigns taking votes away one at a time, with influences estimated again after each, may save at
most a tenth of them. The same for judges: 20 judges, σ_J = .5. A prototype took .1 s for all.
"""

import time
from functools import cache

import numpy as np
import pytest

from evenhand.data.tally import Factor, Tally
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.inference import Settings
from evenhand.ranking.robustness.claims import REVERSED, Claim, Flip
from evenhand.ranking.robustness.fragility import (
    Case,
    find_flip,
    make_case,
    subtract,
    vote_influence,
)
from experiments.campaign import generator

pytestmark = pytest.mark.slow

CAMPAIGNS = 60
WORTH = np.array([0.05, 0.0, *np.linspace(-0.2, -1.5, 8)])
MODEL = BradleyTerry(ties="discard")
SETTINGS = Settings(MODEL, "model", None, 0.95, 20131, None)


def simulate(arm: int, replicate: int, judges: int, judge_sd: float) -> Tally:
    """CAMPAIGN of the common rules, in its order of draws, with these worths."""
    rng = generator(6, arm, replicate)
    m, n = len(WORTH), 5000
    taste = rng.normal(0, judge_sd, (judges, m))
    rng.normal(0, 0.0, (1, m))
    judge = rng.permutation(np.arange(n) % judges)
    rng.permutation(np.zeros(n, dtype=int))
    low, high = np.triu_indices(m, 1)
    pair = rng.integers(len(low), size=n)
    stays = rng.random(n) < 0.5
    left, right = np.where(stays, low[pair], high[pair]), np.where(stays, high[pair], low[pair])
    eta = WORTH[left] - WORTH[right] + taste[judge, left] - taste[judge, right]
    won = rng.random(n) * (np.exp(eta / 2) + np.exp(-eta / 2)) < np.exp(eta / 2)
    factors = {}
    if judges > 1:
        labels = tuple(f"j{code:02d}" for code in range(judges))
        loads = np.bincount(judge, minlength=judges).astype(float)
        factors["judge"] = Factor(labels, judge.astype(np.int32), loads, judges)
    sides = left.astype(np.int32), right.astype(np.int32)
    counts = won.astype(float), np.zeros(n), 1.0 - won
    return Tally(tuple(f"s{k}" for k in range(m)), *sides, *counts, factors, n_judgments=float(n))


def first_two(case: Case) -> Claim:
    one, two = case.ranking.systems[:2]
    return Claim("first beats second", (one,), (two,))


@cache
def found(
    arm: int, unit: str, judges: int, judge_sd: float
) -> tuple[list[tuple[Case, Flip]], float]:
    boards, spent = [], 0.0
    for replicate in range(CAMPAIGNS):
        case = make_case(simulate(arm, replicate, judges, judge_sd), SETTINGS)
        start = time.process_time()
        flip = find_flip(case, first_two(case), unit, REVERSED)
        spent += time.process_time() - start
        boards.append((case, flip))
    return boards, spent


def gap_without(case: Case, flip: Flip) -> float:
    """The difference first − second of a fit from scratch, votes taken out by hand."""
    claim, tally = first_two(case), case.tally
    counts = tally.counts.copy()
    for one in flip.removed:
        if flip.unit == "judge":
            code = tally.factor("judge").labels.index(one.judge)
            counts[tally.factor("judge").codes == code] = 0
            continue
        better, worse = tally.systems.index(one.better), tally.systems.index(one.worse)
        rest = one.count
        for sides, outcome in (((better, worse), 0), ((worse, better), 2)):
            for row in np.flatnonzero((tally.left == sides[0]) & (tally.right == sides[1])):
                gone = min(counts[row, outcome], rest)
                counts[row, outcome] -= gone
                rest -= gone
        assert rest == 0
    fit = MODEL.fit(
        Tally(tally.systems, tally.left, tally.right, *counts.T, n_judgments=counts.sum())
    )
    place = fit.systems.index
    return float(fit.log_worth[place(claim.above[0])] - fit.log_worth[place(claim.below[0])])


@pytest.mark.parametrize(
    ("arm", "unit", "judges", "sd"), [(1, "vote", 1, 0.0), (2, "judge", 20, 0.5)]
)
def test_every_reported_set_turns_the_order_when_the_model_is_fitted_from_scratch(
    arm, unit, judges, sd
):
    boards, spent = found(arm, unit, judges, sd)
    reported = [(case, flip) for case, flip in boards if flip.fewest is not None]
    turned = sum(gap_without(case, flip) < 0 for case, flip in reported)
    sizes = [flip.fewest for _, flip in reported]
    print(  # noqa: T201 - an experiment shows its counts (pytest -rP)
        f"E6 {unit}s: {turned} of {len(reported)} sets turn the order, {CAMPAIGNS} campaigns;"
        f" sizes {min(sizes)} to {max(sizes)}, median {np.median(sizes):g}; {spent:.2f} s of CPU"
    )
    assert turned == len(reported)
    if unit == "vote":
        assert len(reported) == CAMPAIGNS
    else:
        assert len(reported) >= 55


def test_the_search_for_votes_takes_less_than_a_second_in_all():
    assert found(1, "vote", 1, 0.0)[1] < 1.0


def greedy(case: Case) -> int:
    """Votes taken away one at a time, with influences estimated again after each."""
    claim, tally, taken = first_two(case), case.tally, 0
    above, below = (tally.systems.index(names[0]) for names in (claim.above, claim.below))
    contrast = np.zeros((1, len(tally.systems)))
    contrast[0, [above, below]] = 1.0, -1.0
    while True:
        fit = MODEL.fit(tally.pool())
        if fit.log_worth[above] - fit.log_worth[below] < 0:
            return taken
        pulls = np.where(tally.counts > 0, vote_influence(fit, tally, contrast)[0], -np.inf)
        gone = np.zeros(tally.counts.size)
        gone[int(np.argmax(pulls))] = 1.0
        tally, taken = subtract(tally, gone.reshape(-1, 3), 1.0), taken + 1


def test_estimating_influences_again_after_each_vote_saves_at_most_a_tenth():
    sizes = [(flip.fewest, greedy(case)) for case, flip in found(1, "vote", 1, 0.0)[0][:10]]
    print(f"E6 (reported, greedy): {sizes}")  # noqa: T201 - an experiment shows its counts
    assert all(again >= 0.9 * reported for reported, again in sizes)
