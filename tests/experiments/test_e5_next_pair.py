"""E5: does choosing pairs reach the truth with fewer judgments than pairs at random?

Log-worths θ ~ N(0, s²), no ties, one judge, batches of 20: (m, s) = (20, 1) and (50, 1.5), 60
campaigns each. The same θ for the policy and for uniformly random pairs; both fit with a ridge of ¼
after every batch. The policy: successive random perfect matchings until 5 judgments per system,
then 6 random and 14 chosen pairs in each batch.

τ̄(n) is the mean over campaigns of Kendall's τ_b(θ̂, θ), n* the end of the first batch with
τ̄ ≥ .84 (m = 20) or .88 (m = 50); campaigns end at 1,400 or 2,800 judgments. The campaign draws θ
and the answers, in this order; what the policy draws has a seed of its own. Campaigns go on side by
side, batch by batch, and no further than what is asked of them.

As it was stated first, the experiment is not passed on these seeds. It had 60 campaigns for m = 20,
in which the errors at n = 5m may be 1.05 times those of random pairs: they are 1.078 times
(`closest` 1.084). And it had 20 for m = 50, in which n* may be .72 times that of random pairs: it
is .787 times (`closest` .713). Experiments of that size are nearly the toss of a coin: of sets of
60 campaigns at m = 20, drawn from 400, 54 % pass on all three counts, of sets of 20 at m = 50,
drawn from 200, 82 %. Those campaigns had seeds that nothing had been tried on (95 % intervals by
bootstrap of campaigns):

    m   rule     campaigns  ratio of n*         coverage  ratio of errors at 5m
    20  order    400        .750 [.683, .811]   .936      1.026 [1.002, 1.052]
    20  closest  400        .800 [.738, .865]   .940      1.030
    50  order    200        .657 [.630, .698]   .950      .947
    50  closest  200        .707 [.691, .758]   .949      .971

order to closest, in the same campaigns: n* .938 [.871, 1.000] (m = 20), .929 [.877, .971] (m = 50).
So the tests here take 60 campaigns for m = 50, and 400 for the errors of m = 20, or half of each.

All that was measured when pairs at random were drawn of those that were not out. Drawn of all, the
tests here give n* ratios of .643 and .649, coverage .945 and .954, ratios of errors 1.022 and .914.

An independent prototype measured for the nearest pair of a draw (here "closest"): n* ratios .78 and
.71, coverage .938 and .946, ratio of errors 1.04 and .88.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from evenhand.design.policy import Policy, make_tally, number_pairs, read_state
from evenhand.numerics.newton import one_blas_thread
from experiments.campaign import generator, part_of

BATCH = 20


@dataclass(frozen=True)
class Arm:
    """One size of campaign, and what it must reach."""

    number: int
    systems: int
    sd: float
    n: int
    tau: float
    ratio: float
    early: int


REPLICATES = part_of(60)
ARMS = {
    20: Arm(1, 20, 1.0, 1400, 0.84, 0.80, part_of(400)),
    50: Arm(2, 50, 1.5, 2800, 0.88, 0.72, REPLICATES),
}


def campaign(arm, replicate, policy):
    """After each batch τ_b, share of covered differences and root mean square error."""
    rng, own = (generator(5, arm.number, replicate, *further) for further in ((), (1,)))
    worth = rng.normal(0, arm.sd, arm.systems)
    names = [f"s{i:02d}" for i in range(arm.systems)]
    code = {name: i for i, name in enumerate(names)}
    state = read_state(None, systems=names)
    gap = worth[state.low] - worth[state.high]
    answers = np.zeros((len(gap), 3))
    while True:
        if policy is None:
            pairs = own.integers(len(gap), size=BATCH)
        else:
            chosen = policy.choose(state, BATCH, own)
            ends = [[code[getattr(one, side)] for one in chosen] for side in ("left", "right")]
            pairs = number_pairs(*ends, arm.systems)
        lost = rng.random(BATCH) > 1 / (1 + np.exp(-gap[pairs]))
        np.add.at(answers, (pairs, 2 * lost), 1)
        state = replace(state, tally=make_tally(state.systems, answers), near=state.belief.mean)
        belief = state.belief
        estimate, variance = belief.gap(state.low, state.high)
        covered = np.abs(estimate - gap) < 1.96 * np.sqrt(variance)
        error = belief.mean - (worth - worth.mean())
        tau = np.sign(estimate * gap).mean()  # nothing ties: τ_b is τ
        yield tau, covered.mean(), np.sqrt(np.mean(error**2))


@cache
def reach(systems, rule):
    """n* and the coverage there; rule None is uniformly random pairs."""
    arm = ARMS[systems]
    for batch, (tau, covered, _) in enumerate(read_means(systems, rule, REPLICATES), start=1):
        if tau >= arm.tau:
            print(  # noqa: T201 - an experiment shows its counts (pytest -rP)
                f"E5 m={systems}, {REPLICATES} campaigns, {rule or 'uniform pairs'}:"
                f" n* {BATCH * batch}, coverage there {covered:.3f}"
            )
            return BATCH * batch, covered
    pytest.fail(f"{rule} does not reach {arm.tau} in {arm.n} judgments")


@cache
def start(systems, rule, replicates):
    """Means that were drawn so far, and the source of further ones."""
    return [], simulate(ARMS[systems], rule, replicates)


def read_means(systems, rule, replicates):
    """What `simulate` gives; campaigns that another test began are not drawn again."""
    drawn, more = start(systems, rule, replicates)
    for batch in range(ARMS[systems].n // BATCH):
        if batch == len(drawn):
            drawn.append(next(more))
        yield drawn[batch]


def simulate(arm, rule, replicates):
    """Means over campaigns of all three, batch by batch."""
    policy = None if rule is None else Policy(rule)
    campaigns = [campaign(arm, r, policy) for r in range(replicates)]
    with one_blas_thread():
        for _ in range(arm.n // BATCH):
            yield np.mean([next(one) for one in campaigns], axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("systems", [20, 50])
def test_the_policy_saves_judgments_and_its_intervals_cover(systems):
    (chosen, covered), (random, _) = (reach(systems, rule) for rule in ("order", None))
    print(f"E5 m={systems}: ratio of n* {chosen / random:.3f}")  # noqa: T201 - as above
    assert chosen / random <= ARMS[systems].ratio
    assert covered >= 0.92  # although answers chose the pairs


@pytest.mark.slow
@pytest.mark.parametrize("systems", [20, 50])
def test_early_estimates_are_hardly_worse_than_those_of_random_pairs(systems):
    early, batches = ARMS[systems].early, -(-5 * systems // BATCH)
    n = batches * BATCH  # the batch that ends with 5m judgments, or just after
    chosen, random = (
        [*islice(read_means(systems, rule, early), batches)][-1][2] for rule in ("order", None)
    )
    print(  # noqa: T201 - as above
        f"E5 m={systems}, {early} campaigns: errors at n={n} {chosen:.3f} and {random:.3f},"
        f" ratio {chosen / random:.3f}"
    )
    assert chosen / random <= 1.05
