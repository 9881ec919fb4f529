"""Other tastes, the same answers of all together."""

import numpy as np
import pytest

from evenhand.design.expected_power import predict_errors
from evenhand.design.power import Design, Truth, average_answers, change_tastes

DESIGN = Design(60, 30, 4000)


@pytest.mark.parametrize("ties", [0.0, 0.25])
@pytest.mark.parametrize("sds", [(0.0, 0.0), (0.6, 0.0), (1.2, 0.8)])
def test_pooled_worths_and_ties_stay_as_they_were(ties, sds):
    truth = Truth.spaced(4, 0.4, ties=ties, judge_sd=0.3, item_sd=0.3)
    changed = change_tastes(truth, *sds)
    assert (changed.judge_sd, changed.item_sd) == sds
    before, after = predict_errors(truth, DESIGN), predict_errors(changed, DESIGN)
    assert after.apart[0] == pytest.approx(before.apart[0], rel=0.03)
    tied = [average_answers(np.zeros(1), one)[0][1, 0] for one in (truth, changed)]
    assert tied[1] == pytest.approx(tied[0], abs=1e-6)


def test_average_answers_are_those_of_many_draws():
    truth = Truth.spaced(2, 0.7, ties=0.2, judge_sd=0.6, item_sd=0.5)
    rng = np.random.default_rng(5)
    x = 0.7 + rng.normal(0, np.sqrt(2 * (0.36 + 0.25)), 400_000)
    won, lost = np.exp(x / 2), np.exp(-x / 2)
    total = won + lost + truth.tie
    drawn = [(won / total).mean(), (truth.tie / total).mean(), (lost / total).mean()]
    shares, _ = average_answers(np.array([0.7]), truth)
    assert shares[:, 0] == pytest.approx(drawn, abs=0.002)
