"""Worths as they were if all had met evenly: those, as finely as they are tabled, if they did."""

import numpy as np
import pytest

from evenhand.models.likelihood import MAX_EVEN_START, find_even_worths
from evenhand.models.ties import Davidson, GlennDavid, RaoKupper, TwoOutcomes

LAWS = [(Davidson(), -0.4), (RaoKupper(), -0.9), (GlennDavid(), -1.2), (TwoOutcomes(), 0.0)]
WORTHS = np.random.Generator(np.random.PCG64(1)).normal(0, 0.6, 400)


def expect(law, tie):
    """Points gained and given by each where every pair meets a thousand times; share of ties."""
    apart = WORTHS[:, None] - WORTHS
    chances = np.exp(law.log_chances(apart.ravel(), tie)).reshape(400, 400, 3)
    chances[np.diag_indices(400)] = 0
    won, tied, lost = 1000 * chances.sum(axis=1).T
    return (won + tied / 2, lost + tied / 2), tied.sum() / (won + tied + lost).sum()


@pytest.mark.parametrize(("law", "tie"), LAWS)
def test_they_are_those_that_the_points_were_drawn_from(law, tie):
    points, tied = expect(law, tie)
    worths, found = find_even_worths(law, points, tied, law.start(np.array([[1.0, tied, 1.0]])))
    np.testing.assert_allclose(worths - worths.mean(), WORTHS - WORTHS.mean(), rtol=0, atol=0.03)
    assert found == pytest.approx(tie, abs=0.02)


def test_a_system_that_nearly_always_wins_does_not_start_at_the_end_of_the_world():
    gained = np.array([1e7, 30.0, 20.0, 1.0])
    worths, _ = find_even_worths(TwoOutcomes(), (gained, gained[::-1]), 0.0, 0.0)
    assert worths[0] == MAX_EVEN_START
    assert (np.diff(worths) < 0).all()
