"""How far a source cancels in a difference of two system means."""

import numpy as np
import pytest

from evenhand.models.components import make_terms
from evenhand.models.rating_components import share_levels
from models.scored import indicator, rows_of, simulate


def test_it_is_the_squared_distance_of_the_systems_shares():
    rows = simulate(6, {}, n=90)
    terms = make_terms(rows)
    system = terms[0]
    found = share_levels(terms, system)
    for term in terms:
        share = indicator(term).T @ indicator(system) / system.counts
        pairs = [
            ((share[:, s] - share[:, t]) ** 2).sum() for s in range(system.size) for t in range(s)
        ]
        assert found[term.name] == pytest.approx(np.mean(pairs))


def test_judges_cancel_where_all_score_all_systems():
    judge, item, system = np.indices((5, 6, 3))
    terms = make_terms(rows_of(judge, item, system, np.zeros(90)))
    found = share_levels(terms, terms[0])
    assert found["judge"] == pytest.approx(0)
    assert found["judge x system"] == pytest.approx(2 / 5)
    assert found["item x system"] == pytest.approx(2 / 6)
