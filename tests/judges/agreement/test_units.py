"""Units: who scored what, each judge once."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import fleiss_kappa

import evenhand
from evenhand.data.rating_rows import CONTROL, REPEAT, TARGET, RatingRows, read_scale
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.judges.agreement import correlate_repeats, find_answer_units
from evenhand.judges.coefficients import fleiss_kappa as our_fleiss
from evenhand.judges.coefficients import krippendorff_alpha, n_agreement
from evenhand.judges.counts import Sums, count_coincidences, form_blocks
from evenhand.judges.units import find_units
from score_tables import names, rows_of

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


# Judges against themselves: scipy, scikit-learn and statsmodels on answers laid side by side.

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
    found = correlate_repeats(asked_twice())
    assert found.value == pytest.approx(stats.pearsonr(FIRST, AGAIN).statistic)
    assert (found.units, found.ratings) == (8, 16)


def test_controls_are_no_repeats_and_without_repeats_there_is_nothing():
    kind = np.array([TARGET, CONTROL], dtype=np.int8)
    rows = rows_of_answers([0, 0], [0, 0], [1, 2], kind=kind)
    with pytest.raises(NotIdentified, match="no judge scored an output twice"):
        find_answer_units(rows)
    found = correlate_repeats(rows)
    assert (found.units, found.value, found.why) == (0, None, "no judge scored an output twice")


# How far judges of a unit are apart, and what is said of scores that hardly exist.

RNG = np.random.default_rng(5)


def _scores(scores, systems):
    n = len(scores)
    table = {"judge": ["a", "b"] * (n // 2), "item": [str(i // 2) for i in range(n)]}
    return evenhand.read(pl.DataFrame(table | {"system": systems, "score": scores}))


def test_constant_scores_of_a_part_have_no_alpha_however_fine_the_whole_scale():
    rest = RNG.normal(0, 1, 1200).tolist()
    data = _scores([3.0] * 40 + rest, ["flat"] * 40 + ["fine"] * 1200)
    part = evenhand.measure_agreement(data, by=["system"]).part("flat")
    for name in ("alpha-interval", "alpha-ordinal"):
        assert part[name].value is None
        assert "all scores are alike" in part[name].why


@pytest.mark.parametrize("name", ["fleiss", "alpha-nominal", "ac1"])
def test_continuous_scores_are_no_categories(name):
    data = _scores(RNG.normal(0, 1, 2400).tolist(), ["s"] * 2400)
    whole = evenhand.measure_agreement(data, coefficients=name).whole
    assert whole[name].value is None
    assert "2,400 different scores are no categories" in whole[name].why


def test_coefficients_between_judges_are_left_out_where_pairs_of_judges_are_many(monkeypatch):
    monkeypatch.setattr("evenhand.judges.agreement.MAX_PAIRS_UNASKED", 11)
    data = _scores([1.0, 2, 2, 3, 3, 4, 5, 5, 1, 1, 2, 2], ["s"] * 12)
    assert "cohen" in {one.name for one in evenhand.measure_agreement(data).whole.coefficients}
    monkeypatch.setattr("evenhand.judges.agreement.MAX_PAIRS_UNASKED", 5)
    found = evenhand.measure_agreement(data)
    assert "cohen" not in {one.name for one in found.whole.coefficients}
    assert any("more than 5 pairs of judges of one output" in note for note in found.notes)
