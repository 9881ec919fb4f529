"""Vilar's score against single judgments and scipy, and the sort against brute force."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evenhand.ranking.rules import score_vilar, score_vilar_sort
from tallies import tally

ROWS = (("A", "B", 14, 6, 9), ("B", "C", 10, 5, 12), ("C", "A", 3, 2, 1))


def judgments(name, *rivals):
    """The r_i of a system: +1, 0, −1, one a comparison."""
    found = []
    for a, b, wins, ties, losses in ROWS:
        if name in (a, b) and (not rivals or {name, *rivals} == {a, b}):
            up, down = (wins, losses) if name == a else (losses, wins)
            found += [1] * up + [0] * ties + [-1] * down
    return np.array(found)


def test_scores_are_means_of_judgments_with_the_standard_error_of_a_mean():
    found = score_vilar(tally(*ROWS))
    for i, name in enumerate("ABC"):
        assert found.values[i] == pytest.approx(judgments(name).mean(), abs=1e-14)
        assert found.stderr[i] == pytest.approx(stats.sem(judgments(name)), abs=1e-14)


def test_a_single_comparison_has_no_standard_error_and_that_is_said():
    one = tally(("A", "B", 3, 1, 1), ("C", "A", 1, 0, 0))
    found = score_vilar(one)
    assert found.stderr is None
    assert found.notes == ("No standard errors: C had a single comparison.",)


def test_importance_weights_count_as_many_comparisons_as_they_are_worth():
    """Eight rows of weight ½ are worth (8 · ½)² / (8 · ¼) = 8 comparisons."""
    whole = tally(("A", "B", 5, 1, 2))
    counts = {"wins": whole.wins / 2, "ties": whole.ties / 2, "losses": whole.losses / 2}
    half = replace(whole, **counts, squares=whole.counts / 4)
    np.testing.assert_allclose(score_vilar(half).stderr, score_vilar(whole).stderr, rtol=1e-14)


def test_the_sort_returns_the_order_of_transitive_majorities():
    names = "DAFCBE"
    rows = [(a, b, 3, 1, 2) for i, a in enumerate(names) for b in names[i + 1 :]]
    found = score_vilar_sort(tally(*rows))
    assert "".join(found.order) == names
    assert found.notes[0].values["pairs"] == 15
    assert found.notes[0].values["asked"] <= 10  # Knuth: ten comparisons sort six


def test_the_sort_says_how_many_majorities_its_order_contradicts():
    circle = tally(("A", "B", 3, 0, 1), ("B", "C", 3, 0, 1), ("C", "A", 3, 0, 1))
    assert score_vilar_sort(circle).notes[-1] == "The order contradicts the majority of 1 pair."
