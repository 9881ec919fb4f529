"""E24: how often is an LLM judge said to prefer its own systems when it does not?

Log-worths by the LLM differ from people's by N(0, τ = .2) for each system, whatever its family, and
by noise of the judgments (standard error .08): arms of K systems, |O| of them its own. R = 1,000.

Controls in the same run: the test by the noise of judgments alone ("for these systems") finds a
preference in .30 or more of the LLMs that have none; and where the LLM spreads systems three times
as widely as people do, and its own are the best, the test of the differences alone in .30 or more.

Pass: across systems, at most .05 + 3.09 (.05 .95 / R)^½ = .071, also where spreads differ; with a
preference of γ = .5, K = 12 and |O| = 3, at least .80 are found. And from votes of people and of
the LLM (`find_llm_bias`, R = 60; half where a preference is to be found or spreads differ):
these-systems errors at least .25, across systems at most .137 (of 30, .173).
"""

from math import sqrt

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.numerics.distributions import two_sided_p
from evenhand.ranking.llm_bias import compare_own
from experiments.campaign import generator, method_seed, part_of

R, ALPHA, TAU, ERROR = 1000, 0.05, 0.2, 0.08
R_VOTES = part_of(60)
MOST = ALPHA + 3.09 * sqrt(ALPHA * (1 - ALPHA) / R)
ARMS = ((12, 3), (8, 2), (20, 6), (12, 1))


def draw(systems, own, gamma, rng):
    d = rng.normal(0, TAU, systems) + rng.normal(0, ERROR, systems)
    d[:own] += gamma
    return d


def run(arm, systems, own, gamma):
    across, votes_only = [], []
    for r in range(R):
        d = draw(systems, own, gamma, generator(24, arm, r))
        seed = method_seed(24, arm, r) % 2**32
        across.append(compare_own(d[:own], d[own:], level=0.95, seed=seed)[0].p <= ALPHA)
        error = ERROR * sqrt(1 / own + 1 / (systems - own))
        votes_only.append(two_sided_p((d[:own].mean() - d[own:].mean()) / error) <= ALPHA)
    return float(np.mean(across)), float(np.mean(votes_only))


@pytest.mark.slow
@pytest.mark.parametrize("arm", range(len(ARMS)))
def test_an_llm_without_preference_is_rarely_said_to_have_one(arm, record_property):
    across, votes_only = run(arm, *ARMS[arm], 0.0)
    record_property("across systems", across)
    record_property("votes only", votes_only)
    assert across <= MOST
    assert votes_only >= 0.30


@pytest.mark.slow
def test_a_preference_is_found(record_property):
    found, _ = run(10, 12, 3, 0.5)
    record_property("power", found)
    assert found >= 0.80


def vote(worths, rng, items, judge):
    """Each item: all pairs once, in a random order; ties do not occur."""
    k = len(worths)
    low, high = np.triu_indices(k, 1)
    left, right = (np.tile(side, items) for side in (low, high))
    turn = rng.random(len(left)) < 0.5
    left, right = np.where(turn, right, left), np.where(turn, left, right)
    won = rng.random(len(left)) < 1 / (1 + np.exp(worths[right] - worths[left]))
    item = np.repeat(np.arange(items), len(low))
    names = np.array([f"s{at:02d}" for at in range(k)])
    return pl.DataFrame(
        {
            "judge": [judge] * len(left) if judge else [f"p{at % 10}" for at in item.tolist()],
            "item": item,
            "left": names[left],
            "right": names[right],
            "winner": np.where(won, "left", "right"),
        }
    )


def run_votes(arm, replicates, gamma, spread):
    """Shares of: preferences claimed; p across systems; p of these systems."""
    k, own = 12, 3
    families = {f"s{at:02d}": "own" if at < own else f"x{at}" for at in range(k)} | {"gpt": "own"}
    counts = np.zeros(3)
    for r in range(replicates):
        rng = generator(24, arm, r)
        worths = np.linspace(0.6, -0.6, k) if spread != 1 else rng.normal(0, 0.4, k)
        by_llm = spread * worths + rng.normal(0, TAU, k) + gamma * (np.arange(k) < own)
        data = pl.concat([vote(worths, rng, 80, ""), vote(by_llm, rng, 80, "gpt")])
        (one,) = evenhand.find_llm_bias(data, llm_judges="gpt", own=families)["gpt"].own
        counts += [one.prefers(ALPHA), one.p <= ALPHA, one.these_p <= ALPHA]
    return (counts / replicates).tolist()


@pytest.mark.slow
def test_votes_of_an_llm_without_preference(record_property):
    replicates = 60  # of 30 the control finds too few
    claimed, across, these = run_votes(20, replicates, 0.0, 1.0)
    record_property("claimed, across, these", (claimed, across, these))
    assert across <= ALPHA + 3.09 * sqrt(ALPHA * (1 - ALPHA) / replicates)
    assert claimed <= across
    assert these >= 0.25


@pytest.mark.slow
def test_votes_of_an_llm_that_prefers_its_own(record_property):
    claimed, across, these = run_votes(21, R_VOTES, 0.7, 1.0)
    record_property("claimed, across, these", (claimed, across, these))
    assert claimed >= 0.70


@pytest.mark.slow
def test_an_llm_that_spreads_systems_more_widely_prefers_nothing(record_property):
    claimed, across, these = run_votes(22, R_VOTES, 0.0, 3.0)
    record_property("claimed, across, these", (claimed, across, these))
    assert across >= 0.30
    assert claimed <= ALPHA + 3.09 * sqrt(ALPHA * (1 - ALPHA) / R_VOTES)
