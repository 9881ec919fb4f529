"""E7: does one share of wins by PPI++ hold the truth, and save judgments?

Two systems; people prefer the first with chance .55. An LLM agrees with them with chance `right`,
and says more often than that that the first is better, by `lean` (0 or .1): Y ~ Bern(.55),
F | Y = 1 ~ Bern(min(right + lean, 1)), F | Y = 0 ~ Bern(1 − right + lean). n answers of people have
a verdict beside them, N verdicts have none. The log-worths of `rank --llm-method ppi++` are the
log-odds of Ȳ + λ (mean of all N less mean of the n), λ = cov(Y, F) / ((1 + n/N) var F).

Two intervals about it: the published one (log-odds ± 1.96 errors), and that of INFERENCE.md B8, on
t with one more answer in each cell of people by verdicts. Rivals in the same run: people alone, and
verdicts alone (share ± 1.96 errors).

Pass, in each of 36 cells: the estimate is that of the formula; the second interval covers at least
.935, but for one time in a thousand; the mean squared error of people alone is at least 1.35 times
as large where the LLM is right with .8, and nowhere less than .98 times. Verdicts alone cover at
most .60 where they lean. The published interval covers at most .92 of 30 answers of people where
the LLM is right with .9 and leans: hardly any of its mistakes is among them.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import t as student

from evenhand.ranking.prediction_powered import PairSums, fit_worths
from experiments.campaign import generator, part_of

R, TRUTH = part_of(1000), 0.55
CELLS = [*product((30, 50, 100), (1000, 2000), (0.65, 0.8, 0.9), (0.0, 0.1))]
FLOOR = 0.935 - 3.09 * (0.0475 / R) ** 0.5


def sum_pair(table):
    """The sums of one pair from its (2, 2) counts, people by verdicts."""
    y, f = np.indices((2, 2)).reshape(2, 4)
    left, right = np.zeros(4, dtype=int), np.ones(4, dtype=int)
    return PairSums.of(2, left, right, y.astype(float), f.astype(float), n=table.ravel())


def by_formula(beside, others):
    """The share by PPI++ as Angelopoulos, Duchi and Zrnic (2023) have it, and λ."""
    n, m = beside.sum(), others.sum()
    own, llm, both = beside[1].sum() / n, beside[:, 1].sum() / n, beside[1, 1] / n
    whole = (beside[:, 1].sum() + others[1]) / (n + m)
    spread = whole * (1 - whole) * (n + m) / (n + m - 1)
    weight = np.clip((both - own * llm) / ((1 + n / m) * spread), 0, 1)
    return own + weight * (others[1] / m - llm), weight


def reach(beside, others, weight):
    """Half of the interval on t, with a further answer in each cell."""
    n, m, more = beside.sum(), others.sum(), (beside + 1) / (beside.sum() + 4)
    y, f = np.indices((2, 2))
    rest = y - weight * f
    spread = (more * rest**2).sum() - (more * rest).sum() ** 2
    theirs = others[1] / m * (1 - others[1] / m)
    variance = (n + 4) / (n + 2) * spread / n + weight**2 * theirs / m
    return quantile(n - 2) * np.sqrt(variance)


@cache
def quantile(df):
    return student.ppf(0.975, df)


@cache
def run(at):
    """(R,) share less that of the formula; published, second cover; squares; verdicts cover."""
    n, m, right, lean = CELLS[at]
    said = np.array([1 - right + lean, min(right + lean, 1)])
    chance = np.stack([1 - said, said], axis=1) * [[1 - TRUTH], [TRUTH]]
    found = np.empty((R, 6))
    for r in range(R):
        rng = generator(7, at, r)
        beside = rng.multinomial(n, chance.ravel()).reshape(2, 2).astype(float)
        others = rng.multinomial(m, chance.sum(axis=0)).astype(float)
        fresh = np.stack([others / 2, others / 2])  # nobody judged them: Y is not used
        powered = fit_worths(sum_pair(beside), sum_pair(fresh))
        odds = powered.values[0] - powered.values[1]
        error = np.sqrt(powered.vcov[0, 0] + powered.vcov[1, 1] - 2 * powered.vcov[0, 1])
        share, weight = by_formula(beside, others)
        published = abs(odds - np.log(TRUTH / (1 - TRUTH))) <= 1.96 * error
        own = abs(share - TRUTH) <= reach(beside, others, weight)
        alone = others[1] / m
        theirs = abs(alone - TRUTH) <= 1.96 * np.sqrt(alone * (1 - alone) / m)
        mine = 1 / (1 + np.exp(-odds))
        squares = (mine - TRUTH) ** 2, (beside[1].sum() / n - TRUTH) ** 2
        found[r] = mine - share, published, own, *squares, theirs
    return found


@pytest.mark.slow
@pytest.mark.parametrize("at", range(len(CELLS)), ids=lambda at: "-".join(map(str, CELLS[at])))
def test_one_share_is_covered_and_saves_judgments(at):
    n, m, right, lean = CELLS[at]
    apart, published, own, powered, people, alone = run(at).T
    saved = people.mean() / powered.mean()
    print(  # noqa: T201 - counts of an experiment
        f"n={n} N={m} right {right} lean {lean}: covered {own.sum():.0f}/{R}, published"
        f" {published.sum():.0f}/{R}, verdicts alone {alone.sum():.0f}/{R}; saved {saved:.2f}"
    )
    assert np.abs(apart).max() < 1e-9
    assert own.mean() >= FLOOR
    assert saved >= (1.35 if right == 0.8 else 0.98)
    if lean:
        assert alone.mean() <= 0.60
    if (n, right, lean) == (30, 0.9, 0.1):
        assert published.mean() <= 0.92
