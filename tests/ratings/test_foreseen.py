"""Predictions that mix draws of the parameters."""

import numpy as np
import pytest

from evenhand.errors import UnknownOption
from evenhand.ratings.judge_process import mix


def test_variances_add_up_within_and_between_draws():
    parts = [(np.array([mean]), np.array([4.0]), np.array([1.0])) for mean in (0.0, 2.0)]
    found = mix(parts)
    assert (found.mean[0], found.variance[0], found.noise[0]) == (1.0, 5.0, 1.0)


@pytest.mark.parametrize("level", [90, 1.0, 0.0, 1.2])
def test_a_level_that_is_no_proportion_is_refused(level):
    found = mix([(np.zeros(1), np.ones(1), np.ones(1))])
    with pytest.raises(UnknownOption, match=f"level cannot be {level}: it lies between 0 and 1"):
        found.interval(level)
