"""Majority vote: shares, no label where there is no majority, agreement with the others."""

import pytest
from scipy import stats

from evenhand.models.labels import MajorityVote, count_agreements
from label_crowds import given

ROWS = [
    *[("u1", judge, "x") for judge in "abc"],
    ("u1", "d", "y"),
    ("u2", "a", "x"),
    ("u2", "b", "y"),
    ("u3", "d", "y"),
]


def test_shares_are_the_posterior_and_a_draw_has_no_label():
    fit = MajorityVote().fit(given(ROWS))
    assert fit.posterior.tolist() == [[0.75, 0.25], [0.5, 0.5], [0, 1]]
    assert fit.labels == ("c0", None, "c1")
    assert any("1 unit has no label" in note for note in fit.notes)
    assert any("1 unit has one answer only" in note for note in fit.notes)


def test_agreement_is_with_the_other_answers_only():
    """a: 2/3 of the others on u1, 0 on u2. d: 0 on u1; alone on u3, which counts nowhere."""
    agreed, others = count_agreements(given(ROWS))
    assert agreed == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0])
    assert others.tolist() == [2, 2, 1, 1]


def test_intervals_of_agreement_are_those_of_jeffreys():
    skill = MajorityVote().fit(given(ROWS)).skills[0]
    beta = stats.beta(2 / 3 + 0.5, 4 / 3 + 0.5)
    assert (skill.value, skill.stderr) == pytest.approx((beta.mean(), beta.std()))
    assert (skill.lower, skill.upper) == pytest.approx(tuple(beta.interval(0.95)))
