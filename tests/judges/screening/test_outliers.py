"""Limits around the mean of the judges' values."""

import numpy as np
import pytest

from evenhand.judges.outliers import (
    JudgeProfile,
    Limits,
    find_by_mean_agreement,
    find_by_mean_score,
    outside_limits,
)

VALUES = {"a": 1.1, "b": 2.0, "c": 2.5, "d": 3.0, "e": 6.0}


def profile(judge, mean, gap, far):
    return JudgeProfile(judge, "", 10, 10, mean, mean - gap, gap, far)


def test_centre_and_sd_are_numpys_over_judges_by_either_divisor():
    numbers = np.array([*VALUES.values()])
    for ddof in (0, 1):
        found = outside_limits("m", "", VALUES, Limits(1, ddof), two_sided=True)
        assert found.centre == pytest.approx(numbers.mean())
        assert found.sd == pytest.approx(numbers.std(ddof=ddof))
        assert (found.low, found.high) == (() if ddof else ("a",), ("e",))


def test_a_judge_on_the_limit_is_within():
    """Of two judges both are exactly one sd (of the divisor J) from their mean."""
    found = outside_limits("m", "", {"a": 0.1, "b": 0.7}, Limits(1, 0), two_sided=True)
    assert found.judges == ()


@pytest.mark.parametrize("value", [0.1 + 0.2, 3.3, 71.0])
def test_judges_who_are_all_alike_are_all_within(value):
    found = outside_limits("m", "", dict.fromkeys("abcdefg", value), Limits(), two_sided=True)
    assert found.judges == ()


def test_the_two_readings_of_the_mean_score_differ_for_who_saw_worse_outputs():
    """a saw bad outputs and scores them as the others do; d is two points above the others."""
    judges = [
        profile("a", 1.0, 0.0, 1),
        profile("b", 3.0, 0.0, 1),
        profile("c", 3.0, 0.0, 1),
        profile("d", 3.0, 2.0, 1),
    ]
    assert find_by_mean_score(judges).judges == ("a",)
    assert find_by_mean_score(judges, reading="gap").judges == ("d",)


def test_mean_agreement_finds_who_is_far_and_never_who_is_near():
    judges = [profile(name, 3, 0, far) for name, far in zip("abcd", (0.0, 1, 1, 3), strict=True)]
    found = find_by_mean_agreement(judges)
    assert (found.high, found.low) == (("d",), ())


def test_gaps_that_are_rounding_alone_put_nobody_outside():
    far = [1e-14, 0.0, -1e-14, 0.0, 5e-14]
    judges = [profile(name, 71.3, gap, 1) for name, gap in zip("abcde", far, strict=True)]
    assert find_by_mean_score(judges, reading="gap").judges == ()
