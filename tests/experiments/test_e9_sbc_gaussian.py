"""E9 (Gaussian): are posterior draws drawn from the posterior? Simulation-based calibration.

Truth is drawn from the prior, data from the truth, chains from the data: among draws, the truth
then has each rank equally often (Talts, Betancourt, Simpson, Vehtari & Gelman 2018,
arXiv:1804.06788). All replicates are sampled as one problem that falls into parts.
"""

from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import pytest
from scipy.special import log_ndtr, ndtr
from scipy.stats import chi2

from evenhand.models.irt_gaussian import IRTGaussian, make_posterior, walk
from evenhand.numerics.sampling import split_r_hat

SYSTEMS, ITEMS, COMPARISONS, RADIUS = 4, 3, 60, 0.4
SCALES = IRTGaussian(ability_sd=1.0, item_sd=0.5, noise_sd=1.0, radius=RADIUS)
REPLICATES, BURN_IN, KEPT, THIN, BINS = 200, 200, 99, 10, 20
NAMES = ("ability 1 less mean", "ability 2 less 3", "mean ability", "quality 1 less 4", "loglik")


@dataclass(frozen=True, eq=False)
class Replicates:
    """R problems side by side: (R·4,) abilities, (R·12,) qualities, (R·60,) comparisons."""

    abilities: np.ndarray
    qualities: np.ndarray
    author: np.ndarray
    better: np.ndarray
    worse: np.ndarray
    decided: int

    def loglik(self, qualities):
        """(R, c) log-likelihood of each problem given (R·12, c) qualities."""
        gap = (qualities[self.better] - qualities[self.worse]) / 2**0.5
        at, r = self.decided, RADIUS / 2**0.5
        logs = np.empty_like(gap)
        logs[:at] = log_ndtr(gap[:at] - r)
        logs[at:] = np.log(ndtr(r - gap[at:]) - ndtr(-r - gap[at:]))
        problem = self.better // (SYSTEMS * ITEMS)
        found = np.zeros((REPLICATES, gap.shape[1]))
        np.add.at(found, problem, logs)
        return found

    def measure(self, abilities, qualities):
        """(5, R, c) the quantities that are ranked."""
        own = abilities.reshape(REPLICATES, SYSTEMS, -1)
        made = qualities.reshape(REPLICATES, SYSTEMS * ITEMS, -1)
        mean = own.mean(axis=1)
        return np.stack(
            (
                own[:, 0] - mean,
                own[:, 1] - own[:, 2],
                mean,
                made[:, 0] - made[:, ITEMS],
                self.loglik(qualities),
            )
        )


def _draw_sides(rng):
    """Outputs of every comparison: a pair of systems, an output of each; all outputs are seen."""
    low, high = np.triu_indices(SYSTEMS, 1)
    while True:
        pair = rng.integers(len(low), size=COMPARISONS)
        sides = np.stack((low[pair], high[pair])) * ITEMS
        sides += rng.integers(ITEMS, size=sides.shape)
        if len(np.unique(sides)) == SYSTEMS * ITEMS:
            return sides


def simulate(rng):
    """Truth from the prior, answers from the truth."""
    author = np.repeat(np.arange(REPLICATES * SYSTEMS), ITEMS)
    abilities = SCALES.ability_sd * rng.normal(size=REPLICATES * SYSTEMS)
    qualities = abilities[author] + SCALES.item_sd * rng.normal(size=len(author))
    parts = [_draw_sides(rng) + at * SYSTEMS * ITEMS for at in range(REPLICATES)]
    left, right = np.concatenate(parts, axis=1)
    seen = qualities[left] - qualities[right] + SCALES.difference_sd * rng.normal(size=len(left))
    better, worse = np.where(seen > 0, (left, right), (right, left))
    order = np.argsort(np.abs(seen) < RADIUS, kind="stable")
    decided = int((np.abs(seen) >= RADIUS).sum())
    return Replicates(abilities, qualities, author, better[order], worse[order], decided)


def calibrate(truth, scales, rng):
    """(5, R) rank of the truth among 99 draws, and (R,) highest R̂ of contrasts of abilities."""
    sides = truth.better, truth.worse
    systems = REPLICATES * SYSTEMS
    posterior = make_posterior(scales, systems, truth.author, sides, truth.decided)
    target = truth.measure(truth.abilities[:, None], truth.qualities[:, None])[:, :, 0]
    ranks = np.zeros(target.shape, dtype=int)
    contrasts = []
    sweeps = islice(walk(posterior, 2, rng), BURN_IN + KEPT * THIN)
    for at, (_, abilities, qualities) in enumerate(sweeps):
        if at < BURN_IN:
            continue
        own = abilities.reshape(REPLICATES, SYSTEMS, 2)
        contrasts.append((own - own.mean(axis=1, keepdims=True)).reshape(-1, 2))
        if (at - BURN_IN + 1) % THIN == 0:
            ranks += truth.measure(abilities[:, :1], qualities[:, :1])[:, :, 0] < target
    r_hat = split_r_hat(np.stack(contrasts).transpose(2, 0, 1))
    return ranks, r_hat.reshape(REPLICATES, SYSTEMS).max(axis=1)


def uniformity(ranks):
    """(q,) p of χ² on 19 df for ranks 0..99 in 20 bins, and the counts."""
    counts = np.stack([np.bincount(row * BINS // (KEPT + 1), minlength=BINS) for row in ranks])
    expected = REPLICATES / BINS
    return chi2.sf(((counts - expected) ** 2 / expected).sum(axis=1), BINS - 1), counts


@pytest.mark.slow
def test_ranks_of_the_truth_are_uniform_and_chains_meet():
    rng = np.random.default_rng(20131)
    ranks, r_hat = calibrate(simulate(rng), SCALES, rng)
    p, counts = uniformity(ranks)
    print()  # noqa: T201 - a line of its own
    for name, own, row in zip(NAMES, p, counts, strict=True):
        print(f"{name:>20} p {own:.3f}  {' '.join(map(str, row))}")  # noqa: T201 - counts of an experiment
    met = float((r_hat < 1.05).mean())
    print(f"highest R-hat below 1.05 in {met:.1%} of {REPLICATES} fits, worst {r_hat.max():.3f}")  # noqa: T201 - counts of an experiment
    assert p.min() > 0.001
    assert met >= 0.95


@pytest.mark.slow
def test_a_sampler_that_knows_the_wrong_scale_does_not_pass():
    rng = np.random.default_rng(20131)
    ranks, _ = calibrate(simulate(rng), replace(SCALES, noise_sd=0.7 / 2**0.5), rng)
    p, _ = uniformity(ranks)
    print("p with noise sd .5 for 1: " + " ".join(f"{own:.1e}" for own in p))  # noqa: T201 - counts of an experiment
    assert p.min() < 0.001
