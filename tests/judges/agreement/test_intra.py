"""Judges against themselves: scipy, scikit-learn and statsmodels on answers laid side by side."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import fleiss_kappa

from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET, RatingRows, read_scale
from evenhand.errors import NotIdentified
from evenhand.judges.agreement_intervals import form_blocks
from evenhand.judges.coefficients import fleiss_kappa as our_fleiss
from evenhand.judges.coefficients import krippendorff_alpha, n_agreement
from evenhand.judges.counts import Sums, count_coincidences
from evenhand.judges.self_agreement import (
    correlate_repeats,
    find_answer_units,
    find_repeats,
)
from score_tables import names

FIRST = [1, 2, 3, 4, 5, 5, 2, 3]
AGAIN = [1, 2, 4, 4, 3, 5, 1, 3]
JUDGE = [0, 0, 0, 0, 0, 1, 1, 1]


def rows_of_answers(judge, item, score, **more):
    """Scores by judge and item, of one system."""
    none = np.zeros(len(score), dtype=np.int32)
    codes = (np.array(column, dtype=np.int32) for column in (judge, item))
    judges, items = names("judge", max(judge) + 1), names("item", max(item) + 1)
    scores = np.array(score, dtype=float)
    return RatingRows(("",), judges, items, ("s",), ("",), none, *codes, none, none, scores, **more)


def asked_twice():
    """Two judges who scored five and three outputs twice."""
    items = list(range(len(FIRST)))
    return rows_of_answers(JUDGE * 2, items * 2, FIRST + AGAIN)


def test_pooled_coefficients_are_those_of_answers_laid_side_by_side():
    units = find_answer_units(asked_twice(), read_scale("1-5"))
    sums = Sums(count_coincidences(units, form_blocks(units, "item", 1)))
    assert (units.size, units.sizes.tolist()) == (8, [2] * 8)
    apart = np.abs(np.array(FIRST) - AGAIN)
    for n in range(5):
        assert n_agreement(sums, n).value == pytest.approx((apart <= n).mean())
    table = [[(a == c) + (b == c) for c in range(1, 6)] for a, b in zip(FIRST, AGAIN, strict=True)]
    assert our_fleiss(sums).value == pytest.approx(fleiss_kappa(np.array(table)))
    both = FIRST + AGAIN
    spread = np.var(both) * 2 * len(both) / (len(both) - 1)  # α: D_o / D_e of squared differences
    assert krippendorff_alpha(sums).value == pytest.approx(1 - (apart**2).mean() / spread)


def test_the_earlier_answer_is_correlated_with_the_later():
    found = correlate_repeats(find_repeats(asked_twice()))
    assert found.value == pytest.approx(stats.pearsonr(FIRST, AGAIN).statistic)
    assert (found.units, found.ratings) == (8, 16)


def test_first_is_what_was_not_asked_again_then_what_was_earlier():
    kind = np.array([REPEAT, REPEAT, TARGET, TARGET], dtype=np.int8)
    marked = rows_of_answers([0] * 4, [0, 1, 0, 1], [5, 4, 1, 2], kind=kind)
    assert find_repeats(marked).earlier.tolist() == [1, 2]
    timed = rows_of_answers([0] * 4, [0, 1, 0, 1], [5, 4, 1, 2], moment=np.array([9.0, 1, 2, 8]))
    assert sorted(find_repeats(timed).earlier.tolist()) == [1, 4]


def test_judges_who_repeat_themselves_throughout_or_always_say_the_same():
    sure = rows_of_answers([0] * 6, [0, 1, 2] * 2, [1, 2, 4] * 2)
    assert correlate_repeats(find_repeats(sure)).value == 1
    found = correlate_repeats(find_repeats(rows_of_answers([0] * 4, [0, 1] * 2, [3] * 4)))
    assert "all alike" in found.why


def test_controls_are_no_repeats_and_without_repeats_there_is_nothing():
    kind = np.array([TARGET, CONTROL], dtype=np.int8)
    rows = rows_of_answers([0, 0], [0, 0], [1, 2], kind=kind)
    assert find_repeats(rows).units == 0
    with pytest.raises(NotIdentified, match="no judge scored an output twice"):
        find_answer_units(rows)
    found = correlate_repeats(find_repeats(rows))
    assert (found.value, found.why) == (None, "no judge scored an output twice")
