"""What is said beside decisions from fewer ratings."""

import numpy as np

from evenhand.ratings.reliability import (
    DECIDERS,
    DecisionPoint,
    Design,
    Estimate,
    say_ends,
    say_even,
    study_decisions,
)
from ratings.test_reliability import several


def twins(apart: float):
    """Two systems, rated by all of six judges, with means that are so far apart."""
    rng = np.random.default_rng(7)
    judge, item, system = (
        one.ravel() for one in np.meshgrid(*map(np.arange, (6, 12, 2)), indexing="ij")
    )
    score = rng.normal(0, 3, (12, 2))
    score += [apart / 2, -apart / 2] - score.mean(axis=0)
    return several(judge, item, system, score[item, system] + rng.normal(size=6)[judge])


def test_a_dead_heat_is_named():
    notes = study_decisions(twins(0.02), draws=1).notes
    said = "The two systems are not distinguished by all ratings either: s00 and s01 (0.02 points"
    assert [note for note in notes if note.startswith(said)]
    assert not any("distinguished" in note for note in study_decisions(twins(20), draws=1).notes)


def test_the_closest_of_many_pairs_are_named_first():
    """With two systems at 0.3 and two at 0 (± 1), one at 9: the six pairs of four are open."""
    truth = np.array([[0.0, 0.3, 0.3, 9.0, 0.3, 0.3, 9.0, 0.1, 9.0, 9.0]])
    moved = np.vstack([truth, truth - 1, truth + 1])
    (said,) = say_even(list("abcde"), moved, 0.9)
    assert said.startswith("6 of 10 pairs of systems not distinguished")
    assert "a and b (0 points apart), c and d (0.1 points apart), a and c" in said
    assert "and 3 more" in said


def point(value: float, lower: float, upper: float) -> DecisionPoint:
    share = dict.fromkeys(DECIDERS, Estimate(value, lower, upper))
    return DecisionPoint(Design("spread", 0.5), share, {}, {}, {}, 0.0)


def test_an_interval_that_ends_at_its_estimate_is_explained():
    (said,) = say_ends([point(0.5, 0.2, 0.8), point(0.5, 0.25, 0.5)])
    assert said.startswith("Some intervals end at their estimates: few pairs and draws")
    assert not say_ends([point(1.0, 0.2, 1.0), point(0.5, 0.4, 0.6), point(0.7, 0.7, 0.7)])
