"""The conditional law of one output, however often it was judged, against sums of logarithms."""

import numpy as np
import pytest

from categorical_truth import votes_on
from evenhand.models.irt_categorical import IRTCategorical, _make_step, _weigh, plan_colours
from evenhand.models.irt_outputs import pair_outputs


@pytest.mark.parametrize("times", [3, 20, 100, 400])
def test_contrary_answers_cancel_however_many_there_are(times):
    law = IRTCategorical().law
    votes = votes_on([(0, 0, 1, 0)] * times + [(0, 0, 1, 2)] * times, 2)
    plan = plan_colours(pair_outputs(votes))
    step = _make_step(plan.colours[0], plan.author[:, None] + np.arange(1) * 2, 8)
    even = np.full((2, 8), 1 / 8, law.rows.dtype)
    weights = _weigh(step, even, np.full((2, 1), 3), law)[0].astype(float)
    logs = times * (np.log(law.chances[0][:, 3]) + np.log(law.chances[2][:, 3]))
    exact = np.exp(logs - logs.max())
    np.testing.assert_allclose(weights / weights.sum(), exact / exact.sum(), rtol=1e-4, atol=1e-9)
