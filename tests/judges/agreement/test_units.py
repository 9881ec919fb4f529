"""Units: who scored what, each judge once."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET
from evenhand.errors import InvalidJudgments
from evenhand.judges.agreement_intervals import form_blocks
from evenhand.judges.coefficients import fleiss_parts
from evenhand.judges.counts import Sums, count_coincidences
from evenhand.judges.units import find_units
from score_tables import declared, rows_of, units_of

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


def test_codes_are_positions_on_the_declared_scale():
    units = units_of([[2, 4], [4, 4]], declared([1, 2, 3, 4, 5]))
    assert units.code.tolist() == [1, 3, 3, 3]


@pytest.mark.parametrize("scores", [[[0.5, 1.25], [2, 0.5]], [[-3, 7], [9000, 1]], [[1e9, 2e9]]])
def test_any_finite_scores_are_coded(scores):
    units = units_of(scores)
    flat = sorted({score for row in scores for score in row})
    assert units.points.tolist() == flat


def test_scores_off_the_declared_scale_are_refused_by_value():
    with pytest.raises(InvalidJudgments, match=r"1 score is not on the scale 1 to 5: 7"):
        units_of([[1, 7], [2, 3]], declared([1, 2, 3, 4, 5]))
    with pytest.raises(InvalidJudgments, match=r"2\.5"):
        units_of([[1, 2.5], [2, 3]], declared([1, 2, 3, 4, 5]))


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


def test_taking_units_keeps_their_scores():
    units = units_of(MATRIX)
    part = units.take(np.array([True, False, True]))
    assert said(part) == {0: {0: 1, 1: 3}, 2: {1: 5}}


def test_outputs_with_unequal_numbers_of_judges_that_average_a_whole_one_keep_their_scores():
    """P_o is the mean of 1/3 and 0; P_e of 2, 5, 5, 3, 2 is .36."""
    units = units_of([[2, 3, 5], [5, 2, None], [5, None, None]])
    assert units.sizes.tolist() == [3, 2, 1]
    parts = fleiss_parts(
        Sums(count_coincidences(units, form_blocks(units, "item", 1))).coincidences
    )
    assert parts.observed == pytest.approx(1 / 6)
    assert parts.kappa == pytest.approx((1 / 6 - 0.36) / 0.64)
