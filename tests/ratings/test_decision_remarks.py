"""What is said beside decisions from fewer ratings."""

import numpy as np

from evenhand.ratings.reliability import (
    say_even,
)


def test_the_closest_of_many_pairs_are_named_first():
    """With two systems at 0.3 and two at 0 (± 1), one at 9: the six pairs of four are open."""
    truth = np.array([[0.0, 0.3, 0.3, 9.0, 0.3, 0.3, 9.0, 0.1, 9.0, 9.0]])
    moved = np.vstack([truth, truth - 1, truth + 1])
    (said,) = say_even(list("abcde"), moved, 0.9)
    assert said.startswith("6 of 10 pairs of systems not distinguished")
    assert "a and b (0 points apart), c and d (0.1 points apart), a and c" in said
    assert "and 3 more" in said
