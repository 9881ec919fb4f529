"""E23: gates that are looked at after every ten votes.

Two systems, looks after 20, 30, ..., 2,000 votes. A gate at a fixed time that is asked at every
look passes a system that is worse by exactly the margin far more often than α; `anytime` does not.
Where judges differ its evidence, which takes votes as independent, does not hold either (INFERENCE
A8), and the clustered bounds are asked as well.
"""

import numpy as np
import pytest
from scipy.stats import norm

import evenhand
from evenhand.ranking.gate import find_log_evidence
from experiments.test_e22_gates import find_centre

MARGIN, ALPHA = 0.05, 0.05
LOOKS = np.arange(20, 2001, 10)


def look(won: np.ndarray) -> tuple[bool, bool]:
    """Say whether a campaign passes at any look: by evidence, and by a gate of a fixed time."""
    wins = np.cumsum(won)[LOOKS - 1]
    least = 0.5 - MARGIN
    evidence = any(
        find_log_evidence(one, n - one, least) >= -np.log(ALPHA)
        for one, n in zip(wins.tolist(), LOOKS.tolist(), strict=True)
    )
    share = (wins + 0.5) / (LOOKS + 1)
    error = np.sqrt(share * (1 - share) / LOOKS)
    return evidence, bool((share - norm.ppf(1 - ALPHA) * error > least).any())


def count_passed(share: float, campaigns: int, seed: int) -> tuple[float, float]:
    draw = np.random.default_rng(seed)
    passed = [look(draw.random(LOOKS[-1]) < share) for _ in range(campaigns)]
    return tuple(np.mean(passed, axis=0).tolist())


@pytest.mark.slow
def test_looking_often_does_not_pass_what_is_worse():
    evidence, fixed = count_passed(0.45, 1000, 2301)
    equal, _ = count_passed(0.5, 400, 2302)
    better, _ = count_passed(0.55, 200, 2303)
    print(  # noqa: T201 - counts of an experiment
        f"worse by the margin: evidence {evidence}, fixed {fixed}; equal {equal}; better {better}"
    )
    assert evidence <= 0.071
    assert fixed >= 0.2
    assert equal >= 0.8
    assert better >= 0.98


@pytest.mark.slow
def test_ties_count_half():
    """Half of the votes are ties; the new system wins .45 with them: neither claim may be made."""
    draw, campaigns = np.random.default_rng(2305), 600
    scores = draw.choice([1.0, 0.5, 0.0], p=[0.2, 0.5, 0.3], size=(campaigns, LOOKS[-1]))
    passed, worse = (
        np.mean([look(one)[0] for one in scores]),
        np.mean([look_worse(one) for one in scores]),
    )
    print(f"ties: passed {passed}, worse {worse}")  # noqa: T201 - counts of an experiment
    assert passed <= 0.071
    assert worse <= 0.071


def look_worse(scores: np.ndarray) -> bool:
    """Say whether evidence of being worse by more than the margin is enough at any look."""
    wins = np.cumsum(scores)[LOOKS - 1]
    return any(
        find_log_evidence(n - one, one, 0.5 + MARGIN) >= -np.log(ALPHA)
        for one, n in zip(wins.tolist(), LOOKS.tolist(), strict=True)
    )


@pytest.mark.slow
def test_where_judges_differ_the_clustered_bounds_are_asked_too():
    """Ten judges with taste, worse by the margin; ten looks, the last of which is the end."""
    judges, n, taste, campaigns = 10, 1000, 0.8, 300
    draw, mean = np.random.default_rng(2304), find_centre(0.45, taste)
    passed = dict.fromkeys(("evidence at any look", "evidence at the end", "gate at the end"), 0)
    judge = np.arange(n) % judges
    for _ in range(campaigns):
        odds = mean + taste * draw.standard_normal(judges)
        won = draw.random(n) < 1 / (1 + np.exp(-odds[judge]))
        sure = [
            find_log_evidence(int(won[:at].sum()), int((~won[:at]).sum()), 0.45) >= -np.log(ALPHA)
            for at in range(100, n + 1, 100)
        ]
        passed["evidence at any look"] += any(sure)
        passed["evidence at the end"] += sure[-1]
        if not sure[-1]:
            continue  # the gate asks both
        new_left = draw.random(n) < 0.5
        votes = {
            "left": np.where(new_left, "new", "old"),
            "right": np.where(new_left, "old", "new"),
            "winner": np.where(won == new_left, "left", "right"),
            "judge": judge.astype(str),
        }
        found = evenhand.gate(votes, new="new", old="old", margin=MARGIN, anytime=True)
        passed["gate at the end"] += found.exit_code == 0
    shares = {name: count / campaigns for name, count in passed.items()}
    print(shares)  # noqa: T201 - counts of an experiment
    assert shares["evidence at any look"] >= 0.1  # the control: votes are not independent
    assert shares["gate at the end"] <= 0.05 + 3.1 * np.sqrt(0.05 * 0.95 / campaigns)
