"""Sums over batches beside exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from evenhand.numerics.sampling import RunningSum


def test_many_small_terms_beside_a_large_one_are_not_lost():
    terms = np.random.Generator(np.random.PCG64(1)).random(20_000) * 1e-9
    total = RunningSum.of_shape((2,))
    total = total.plus(np.array([1e9, 0.0]))
    for term in terms:
        total = total.plus(np.array([term, -term]))
    exact = sum(map(Fraction, terms.tolist()))
    assert Fraction(float(total.total[0])) - 10**9 == pytest.approx(exact, abs=1e-7)
    assert total.total[1] == -float(exact)


def test_a_term_larger_than_the_sum_keeps_the_sum():
    total = RunningSum.of_shape(())
    for term in (1.0, 1e100, 1.0, -1e100):
        total = total.plus(term)
    assert total.total == 2.0
