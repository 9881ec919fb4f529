"""How the equations are arranged, and when they are too many."""

import numpy as np
import pytest

from evenhand.models import components
from evenhand.models.components import Term, arrange, make_terms
from models.scored import simulate


def mean(n: int) -> Term:
    return Term("mean", np.zeros(n, dtype=np.int64), 1)


def test_every_effect_stands_once_in_a_block_or_in_the_border():
    rows = simulate(1, {}, n=150)
    terms = make_terms(rows)
    made = arrange(terms, mean(rows.size))
    inside = np.concatenate([batch.effects.ravel() for batch in made.batches])
    everything = np.concatenate([inside[inside < made.effects], made.border])
    assert sorted(everything.tolist()) == list(range(1 + sum(term.size for term in terms)))


@pytest.mark.parametrize("sizes", [(4, 60, 3), (60, 4, 3)])
def test_the_factor_with_more_levels_is_eliminated(sizes):
    rows = simulate(2, {}, n=400, sizes=sizes)
    made = arrange(make_terms(rows), mean(rows.size))
    assert len(made.border) < 60


def test_too_many_shared_effects_are_left_to_moments(monkeypatch):
    monkeypatch.setattr(components, "MAX_BORDER", 3)
    rows = simulate(2, {}, n=100)
    assert arrange(make_terms(rows), mean(rows.size)) is None
