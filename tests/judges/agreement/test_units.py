"""Units: who scored what, each judge once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.errors import InvalidJudgments
from evenhand.judges.units import find_units
from score_tables import rows_of, units_of

MATRIX = [[1, 2, None], [3, 2, 5], [None, 4, None]]


def said(units):
    """Unit → judge → score, the slow way."""
    found = {}
    for u in range(units.size):
        at = slice(units.starts[u], units.starts[u] + units.sizes[u])
        scores = units.points[units.code[at]]
        found[int(units.rows.unit[units.first[u]])] = dict(
            zip(units.judge[at].tolist(), scores.tolist(), strict=True)
        )
    return found


def test_scores_stand_unit_by_unit_with_judges_by_name():
    units = units_of(MATRIX)
    assert said(units) == {0: {0: 1, 1: 3}, 1: {0: 2, 1: 2, 2: 4}, 2: {1: 5}}
    assert units.sizes.tolist() == [2, 3, 1]
    assert units.several.tolist() == [True, True, False]
    assert units.points.tolist() == [1, 2, 3, 4, 5]


@given(st.permutations(range(6)))
def test_the_order_of_rows_changes_nothing(order):
    rows = rows_of(MATRIX)
    assert said(find_units(rows.take(np.array(order)))) == said(find_units(rows))


def test_the_first_answer_stays_in_the_order_of_the_table():
    rows = rows_of([[1, 4], [2, 5]])
    twice = rows.take(np.array([0, 1, 2, 3, 0]))
    twice = replace(twice, score=np.array([1.0, 4, 2, 5, 3]))
    units = find_units(twice)
    assert (units.again, said(units)[0]) == (1, {0: 1, 1: 2})
    turned = find_units(twice.take(np.array([4, 0, 1, 2, 3])))
    assert (turned.again, said(turned)[0]) == (1, {0: 3, 1: 2})


def test_the_first_answer_is_the_earliest_where_moments_are_known():
    rows = rows_of([[1, 4], [2, 5]]).take(np.array([0, 1, 2, 3, 0]))
    moments = np.array([50.0, 1, 2, 3, 10])
    units = find_units(replace(rows, score=np.array([1.0, 4, 2, 5, 3]), moment=moments))
    assert (units.again, said(units)[0]) == (1, {0: 3, 1: 2})


def test_repeats_and_controls_are_left_out_and_counted():
    kind = np.array([TARGET, REPEAT, TARGET, CONTROL], dtype=np.int8)
    units = find_units(replace(rows_of([[1, 4], [2, 5]]), kind=kind))
    assert (units.repeats, units.controls, said(units)) == (1, 1, {0: {0: 1, 1: 2}})


@pytest.mark.parametrize("role", ["item", "judge"])
def test_a_table_that_does_not_say_what_or_who_is_refused(role):
    names = {"item": "items", "judge": "judges"}[role]
    with pytest.raises(InvalidJudgments, match=f"--column {role}=NAME"):
        find_units(replace(rows_of(MATRIX), **{names: ("",)}))


@pytest.mark.parametrize("moment", [None, np.array([6.0, 5, 4, 3, 2, 1])])
def test_labels_too_many_for_one_number_are_sorted_all_the_same(monkeypatch, moment):
    rows = replace(rows_of(MATRIX).take(np.array([0, 1, 2, 3, 4, 0])), moment=moment)
    packed = find_units(rows)
    monkeypatch.setattr("evenhand.judges.units.MAX_KEY_BITS", 0)
    assert said(find_units(rows)) == said(packed)
