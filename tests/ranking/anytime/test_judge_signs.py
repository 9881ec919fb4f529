"""Judges, one vote each."""

from itertools import product
from math import log

import numpy as np
import pytest

from evenhand.ranking.sequential.likelihood import Budget
from evenhand.ranking.sequential.votes import JudgeSigns, count_needed


def judge_all(signs, preferred, ends=(0, 1)):
    """Each judge votes once."""
    for number, sign in enumerate(preferred):
        signs.observe(f"j{number}", ends, sign)
    return signs


def test_the_evidence_is_the_product_that_its_docstring_says():
    """κ = 2 · 5/5.5 − 1, then 2 · 6/6.5 − 1 after one for, 2 · 6/7.5 − 1 after one against too."""
    signs = judge_all(JudgeSigns(1), [1, -1, 1])
    expected = (1 + (10 / 5.5 - 1)) * (1 - (12 / 6.5 - 1)) * (1 + (12 / 7.5 - 1))
    assert np.exp(signs.log_value(0, 1)) == pytest.approx(expected)


def test_its_mean_is_one_where_preferences_are_symmetric():
    for n in (1, 3, 6):
        said = product([1, 0, -1], repeat=n)
        mean = sum(3.0**-n * np.exp(judge_all(JudgeSigns(1), one).log_value(0, 1)) for one in said)
        assert mean == pytest.approx(1, rel=1e-12)


def test_a_judge_counts_once_when_the_batch_is_full():
    signs = JudgeSigns(3)
    for sign in (1, 1):
        signs.observe("ann", (0, 1), sign)
    assert signs.log_value(0, 1) == 0.0
    signs.observe("ann", (0, 2), -1)
    once = signs.log_value(0, 1)
    assert once == pytest.approx(log(10 / 5.5))
    assert signs.log_value(2, 0) == pytest.approx(once)
    for _ in range(20):
        signs.observe("ann", (0, 1), -1)
    assert signs.log_value(0, 1) == once


def test_as_many_judges_of_one_mind_as_it_says_decide_a_pair():
    least = Budget(0.05, 6).judges
    needed = count_needed(least)
    assert needed == 11  # log2(30 / .05) is 9.2
    assert judge_all(JudgeSigns(1), [1] * (needed - 1)).reached(least) == []
    assert judge_all(JudgeSigns(1), [1] * needed).reached(least) == [(0, 1)]


def test_judges_with_strong_tastes_do_not_fool_it():
    """Five hundred boards of thirty judges with private tastes: at most the level, 5 %."""
    rng = np.random.default_rng(4)
    least, false = Budget(0.05, 4).judges, 0
    low, high = np.triu_indices(4, 1)
    for _ in range(500):
        signs = JudgeSigns(24)
        taste = rng.normal(0, 1.0, (30, 4))
        for judge in range(30):
            for pair in rng.integers(6, size=24):
                ends = (int(low[pair]), int(high[pair]))
                gap = taste[judge, ends[0]] - taste[judge, ends[1]]
                signs.observe(str(judge), ends, 1 if rng.random() < 1 / (1 + np.exp(-gap)) else -1)
        false += bool(signs.reached(least))
    assert false / 500 <= 0.05
