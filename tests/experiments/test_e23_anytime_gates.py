"""E23: gates that are looked at after every ten votes.

Two systems, looks after 20, 30, ..., 2,000 votes. A gate at a fixed time that is asked at every
look passes a system that is worse by exactly the margin far more often than α; `anytime` does not.
Where judges differ evidence of independent votes does not hold either (INFERENCE A8), nor does it
with the clustered bounds of each look: `anytime` counts votes as fewer.
"""

import numpy as np
import pytest
from scipy.stats import norm

import evenhand
from evenhand.ranking.direct_votes import find_log_evidence
from experiments.campaign import part_of
from experiments.test_e22_gates import find_centre, tally_pair

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


def count_looks(
    judges: int, n: int, taste: float, *, share: float, seed: int, campaigns: int, each: int = 50
) -> dict[str, float]:
    """Return how often campaigns pass at any look: by three rules, looked at after `each` votes.

    By evidence as if votes were independent; by that and the clustered bounds of each look; and by
    the gate, whose evidence counts fewer votes where judges differ.
    """
    draw, mean = np.random.default_rng(seed), find_centre(share, taste)
    passed = dict.fromkeys(("evidence", "evidence and bounds", "gate"), 0)
    judge = np.arange(n) % judges
    for _ in range(campaigns):
        odds = mean + taste * draw.standard_normal(judges)
        won = draw.random(n) < 1 / (1 + np.exp(-odds[judge]))
        new_left = draw.random(n) < 0.5
        hit = dict.fromkeys(passed, False)
        for at in range(each, n + 1, each):
            wins = int(won[:at].sum())
            if find_log_evidence(wins, at - wins, 0.5 - MARGIN) < -np.log(ALPHA):
                continue  # the other rules ask for more
            hit["evidence"] = True
            votes = tally_pair(new_left[:at], won[:at], judge=judge[:at])
            found = evenhand.gate(votes, new="new", old="old", margin=MARGIN, anytime=True)
            p = found.comparisons[0].p
            hit["evidence and bounds"] |= p is not None and p <= ALPHA
            if found.exit_code == 0:
                hit["gate"] = True
                break
        for name, one in hit.items():
            passed[name] += one
    return {name: count / campaigns for name, count in passed.items()}


@pytest.mark.slow
def test_where_judges_differ_evidence_counts_fewer_votes():
    """Forty looks at ten judges with taste, worse by the margin; and fifty judges, better."""
    campaigns = part_of(600)
    shares = count_looks(10, 2000, 0.8, share=0.45, seed=2304, campaigns=campaigns)
    better = count_looks(50, 4000, 0.5, share=0.55, seed=2306, campaigns=40, each=200)
    print(f"worse by the margin {shares}; better {better}")  # noqa: T201 - counts
    assert shares["evidence"] >= 0.15  # the controls: votes are not independent,
    assert shares["evidence and bounds"] >= 0.06  # and bounds of each look are looked at often
    assert shares["gate"] <= 0.05
    assert better["gate"] >= 0.8


def test_a_few_campaigns_of_judges_with_taste():
    passed = count_looks(10, 600, 0.8, share=0.45, seed=2307, campaigns=30, each=100)
    assert passed["gate"] <= 6 / 30  # more is chance once in a thousand
