"""E9: the categorical item-response sampler is calibrated on campaigns drawn from its own prior.

200 campaigns of 4 systems, 3 outputs each, 60 comparisons: a pair of systems uniform, an output of
each uniform; Λ = 4, α = .5, σ = 1, r = 0. Abilities, qualities and what two judges' eyes see are
drawn here from the prior; the sampler walks 200 sweeps of burn-in and 99 draws, every tenth, of all
campaigns as one, since nothing joins them. If the chain keeps the posterior, the rank of the truth
among the 99 draws is uniform on 0 … 99 (Cook, Gelman & Rubin 2006; Talts et al. 2018).

Quantities: mean quality of the first system, its difference to the second, chance of the lowest
quality for the first, log-likelihood given qualities; equal values are put in order by a coin.
Pass: χ² on 19 df of 20 bins has p > .001 for each; split R̂ of the mean qualities less their mean,
of two chains from both ends of the scale, stays below 1.05 in 95 % of campaigns.
"""

from itertools import islice

import numpy as np
import pytest
from scipy.stats import chi2

from evenhand.models.irt_categorical import (
    Law,
    noise_matrix,
    plan_colours,
    preference_chances,
    walk,
)
from evenhand.models.irt_outputs import OutputPairs
from evenhand.numerics.sampling import split_r_hat

CAMPAIGNS, SYSTEMS, EACH, COMPARISONS = 200, 4, 3, 60
CATEGORIES, ALPHA = 4, 0.5
BURN_IN, KEPT, THIN, BINS = 200, 99, 10, 20
NAMES = ("mean quality", "difference", "chance of the lowest", "log-likelihood")
STEPS = np.arange(1.0, CATEGORIES + 1)


def draw_truth(rng):
    """Abilities (200, 4, Λ), qualities (200, 4, 3) and the comparisons of them all."""
    ability = rng.dirichlet(np.full(CATEGORIES, ALPHA), (CAMPAIGNS, SYSTEMS))
    ends = ability.cumsum(axis=-1)[:, :, None, :-1]
    quality = (rng.random((CAMPAIGNS, SYSTEMS, EACH, 1)) > ends).sum(axis=-1)
    shape = (CAMPAIGNS, COMPARISONS)
    left = rng.integers(0, SYSTEMS, shape)
    right = (left + rng.integers(1, SYSTEMS, shape)) % SYSTEMS
    campaign = np.arange(CAMPAIGNS)[:, None]
    outputs = [
        ((campaign * SYSTEMS + side) * EACH + rng.integers(0, EACH, shape)).reshape(-1)
        for side in (left, right)
    ]
    seen = [look(rng, quality.reshape(-1)[output]) for output in outputs]
    outcome = 1 - np.sign(seen[0] - seen[1])
    author = np.repeat(np.arange(CAMPAIGNS * SYSTEMS), EACH)
    names = tuple(f"s{i:03d}" for i in range(CAMPAIGNS * SYSTEMS))
    code = np.arange(len(names))
    pairs = OutputPairs(names, code, author, *outputs, outcome, float(outcome.size))
    return ability, quality.reshape(-1), pairs


def look(rng, quality):
    """What judges see: normal noise, kept to whole steps on the scale, as the paper says."""
    steps = np.arange(CATEGORIES)
    density = np.exp(-((steps - quality[:, None]) ** 2) / 2)
    ends = density.cumsum(axis=1) / density.sum(axis=1, keepdims=True)
    return (rng.random((len(quality), 1)) > ends[:, :-1]).sum(axis=1)


def quantities(ability, quality, pairs, log_chances):
    """(4, 200): what is ranked, of abilities (800, Λ) and qualities (2400,)."""
    mean = (ability @ STEPS).reshape(CAMPAIGNS, SYSTEMS)
    told = log_chances[pairs.outcome, quality[pairs.one], quality[pairs.other]]
    lowest = ability[:, 0].reshape(CAMPAIGNS, SYSTEMS)[:, 0]
    loglik = told.reshape(CAMPAIGNS, COMPARISONS).sum(axis=1)
    return np.stack((mean[:, 0], mean[:, 0] - mean[:, 1], lowest, np.round(loglik, 9)))


@pytest.mark.slow
def test_ranks_of_the_truth_are_uniform_and_chains_meet():
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([20131, 9, 1])))
    ability, quality, pairs = draw_truth(rng)
    law = Law(preference_chances(noise_matrix(CATEGORIES, 1.0), 0.0), ALPHA)
    logs, plan = np.log(law.chances), plan_colours(pairs, 2, CATEGORIES)
    truth = quantities(ability.reshape(-1, CATEGORIES), quality, pairs, logs)
    drawn, means = [], []
    sweeps = islice(walk(plan, law, rng), BURN_IN, BURN_IN + KEPT * THIN)
    for number, state in enumerate(sweeps, start=1):
        means.append((state.ability @ STEPS).reshape(2, CAMPAIGNS, SYSTEMS))
        if number % THIN == 0:
            qualities = state.quality[plan.place, 0]
            drawn.append(quantities(state.ability[0], qualities, pairs, logs))
    below, same = ((compare(drawn, truth)).sum(axis=0) for compare in (np.less, np.equal))
    ranks = below + rng.integers(0, same + 1)
    levels = np.stack(means, axis=1)
    contrasts = levels - levels.mean(axis=3, keepdims=True)
    r_hat = split_r_hat(contrasts.reshape(2, KEPT * THIN, -1)).reshape(CAMPAIGNS, SYSTEMS)
    apart = int((r_hat.max(axis=1) >= 1.05).sum())
    p = {}
    for name, rank in zip(NAMES, ranks, strict=True):
        counts = np.bincount(rank * BINS // (KEPT + 1), minlength=BINS)
        expected = CAMPAIGNS / BINS
        p[name] = chi2.sf(((counts - expected) ** 2 / expected).sum(), BINS - 1)
        print(f"E9 {name}: {counts.tolist()}, p {p[name]:.4f}")  # noqa: T201 - counts (pytest -rP)
    print(f"E9 campaigns with R-hat of 1.05 or more: {apart} of {CAMPAIGNS}")  # noqa: T201 - count
    assert ranks.shape == (4, CAMPAIGNS)
    assert ranks.max() <= KEPT
    assert min(p.values()) > 0.001
    assert apart <= 0.05 * CAMPAIGNS
