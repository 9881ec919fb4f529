"""The strongest circle is found, not the first."""

import numpy as np

from evenhand.models.melo import Circle, strongest_circle


def test_the_strongest_circle_is_named_wherever_it_stands():
    for weak, strong in ((0, 3), (3, 0)):
        odds = np.zeros((6, 6))
        for start, size in ((weak, 0.1), (strong, 2.0)):
            for i, j in ((0, 1), (1, 2), (2, 0)):
                odds[start + i, start + j], odds[start + j, start + i] = size, -size
        systems = (strong, strong + 1, strong + 2)
        assert strongest_circle(odds) == Circle(systems, (2.0, 2.0, 2.0))
