"""Perceived differences given qualities and answers: the conditional law of each."""

import numpy as np
import pytest
from scipy import stats

from evenhand.data.votes import LEFT, RIGHT, TIE
from evenhand.models.irt_gaussian import Scales, draw_differences, order_pairs
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
