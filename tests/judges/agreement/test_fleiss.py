"""Fleiss' κ against tests/golden/09 and 10, statsmodels, and the paper's own arithmetic."""

import pytest
from hypothesis import assume, given
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from evenhand.errors import NotIdentified
from evenhand.judges.agreement import Request, tabulate_votes
from evenhand.judges.coefficients import fleiss_kappa, fleiss_parts
from evenhand.judges.counts import Sums
from few_votes import votes_of
from golden_numbers import golden
from hamon_records import hamon_coincidences
from score_tables import broken_tables, coincidences_of, complete_tables, counts_of


def test_the_three_numbers_of_the_paper_s_table_are_those_of_the_golden_campaign():
    entry = golden("09_hamon_judge_diagnosis", "hamon")
    found = fleiss_parts(hamon_coincidences(entry))
    assert [found.observed, found.chance, found.kappa] == pytest.approx(
        [entry.expected[name] for name in ("Po", "Pe", "kappa")], abs=entry.tolerance["abs"]
    )


def test_kappa_is_that_of_irr():
    entry = golden("10_agreement_coefficients", "rel_full")
    found = fleiss_kappa(Sums(coincidences_of(entry.input["matrix"]))).value
    assert found == pytest.approx(entry.expected["fleiss_irr"]["value"], abs=1e-12)


@given(complete_tables())
def test_kappa_is_that_of_statsmodels(matrix):
    counts = counts_of(matrix)
    assume((counts.sum(axis=0) > 0).sum() > 1)
    found = fleiss_kappa(Sums(coincidences_of(matrix))).value
    assert found == pytest.approx(statsmodels_fleiss(counts), abs=1e-10)


@given(broken_tables())
def test_unequal_numbers_of_judges_follow_the_formula_with_each_unit_s_own_number(matrix):
    counts = counts_of(matrix)
    counts = counts[counts.sum(axis=1) > 1]
    assume((counts.sum(axis=0) > 0).sum() > 1)
    n = counts.sum(axis=1)
    observed = ((counts * (counts - 1)).sum(axis=1) / (n * (n - 1))).mean()
    chance = ((counts.sum(axis=0) / n.sum()) ** 2).sum()
    found = fleiss_parts(coincidences_of(matrix))
    assert [found.observed, found.chance] == pytest.approx([observed, chance], abs=1e-12)
    assert found.kappa == pytest.approx((observed - chance) / (1 - chance), abs=1e-10)


def test_nothing_shared_is_refused():
    with pytest.raises(NotIdentified, match="no output was judged by two judges"):
        fleiss_parts(coincidences_of([[1, None], [None, 2]]))


def test_resamples_in_which_no_two_judges_share_an_output_are_counted_as_lost():
    """Two items of nine have two judges: (7/9)⁹ of resamples hold neither."""
    rows = [(0, item, 0, 1, item % 3) for item in range(9)]
    rows.append((1, 0, 0, 1, 0))
    rows.append((1, 1, 0, 1, 0))
    votes = votes_of(rows)
    table = tabulate_votes(votes, Request((), ("fleiss", "ac1"), 0.95, "item", 3))
    for one in table.whole.coefficients[:2]:
        assert (one.value is not None, one.lower) == (True, None)
