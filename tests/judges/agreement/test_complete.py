"""Judges who scored most join a complete block first."""

import numpy as np

from evenhand.judges.units import find_block
from score_tables import units_of

RNG = np.random.default_rng(3)


def test_judges_with_few_outputs_are_the_ones_left_out():
    matrix = RNG.integers(1, 6, (4, 20)).astype(float).tolist()
    matrix[0] = [*matrix[0][:2], *[None] * 18]  # first by name, last by outputs
    block = find_block(units_of(matrix))
    assert block.left_out == ("judge 0000",)
    assert block.scores.shape == (20, 3)
