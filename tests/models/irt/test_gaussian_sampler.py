"""Perceived differences given qualities and answers: the conditional law of each."""

from itertools import islice

import numpy as np
import pytest
from scipy import stats

from evenhand.data.votes import LEFT, RIGHT, TIE
from evenhand.models.irt_gaussian import Scales, draw_differences, order_pairs, walk
from evenhand.models.irt_outputs import pair_outputs
from few_votes import votes_of

RADIUS = 0.4
SCALES = Scales(1.0, 0.5, 2**0.5, RADIUS)


def _posterior(*outcomes):
    rows = [(0, item, 0, 1, outcome) for item, outcome in enumerate(outcomes)]
    return order_pairs(pair_outputs(votes_of(rows)), SCALES)


@pytest.mark.parametrize("centre", [-3.0, 0.2, 4.0])
@pytest.mark.parametrize(("outcome", "ends"), [(LEFT, (RADIUS, np.inf)), (TIE, (-RADIUS, RADIUS))])
def test_a_difference_is_normal_within_what_the_answer_says(outcome, ends, centre):
    rng = np.random.default_rng(20131)
    drawn = draw_differences(_posterior(outcome), rng, np.full((1, 20_000), centre))[0]
    sd = 2**0.5
    low, high = ((end - centre) / sd for end in ends)
    law = stats.truncnorm(low, high, loc=centre, scale=sd)
    assert stats.kstest(drawn, law.cdf).pvalue > 0.001


def test_the_preferred_output_counts_plus_one_whichever_side_it_stood():
    posterior = _posterior(LEFT, TIE, RIGHT)
    rows = posterior.differ.toarray()
    assert posterior.decided == 2
    authors = [posterior.author[np.argmax(row)] for row in rows[:2]]
    assert len(set(authors)) == 2
    assert (rows.sum(axis=1) == 0).all()


def test_chains_start_farther_apart_than_the_prior_and_meet():
    rows = [(0, i % 10, i % 4, (i + 1 + i // 7 % 3) % 4, i % 3) for i in range(200)]
    posterior = order_pairs(pair_outputs(votes_of(rows)), SCALES)
    sweeps = list(islice(walk(posterior, 400, np.random.default_rng(5)), 60))
    first, last = sweeps[0][0], sweeps[-1][0]
    compared = np.unique(posterior.author)
    assert first[compared].std(axis=1).min() > 1.3 * last[compared].std(axis=1).max()


def test_sweeps_hold_as_many_chains_as_were_asked_for():
    means, abilities, qualities = next(walk(_posterior(LEFT, TIE), 3, np.random.default_rng(1)))
    assert means.shape == abilities.shape == (10, 3)
    assert qualities.shape == (4, 3)
