"""n-agreement against tests/golden/09, statsmodels, and the figures published with WMT07."""

import numpy as np
import pytest
from hypothesis import given
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

import evenhand
from evenhand.judges.coefficients import fleiss_parts, n_agreement, pair_judges
from evenhand.judges.counts import Sums
from evenhand.judges.units import find_units
from golden_numbers import golden
from hamon_records import hamon_coincidences
from score_tables import coincidences_of, complete_tables, counts_of


def test_the_golden_campaign_has_the_shares_of_the_paper_s_definition():
    entry = golden("09_hamon_judge_diagnosis", "hamon")
    sums = Sums(hamon_coincidences(entry))
    found = [n_agreement(sums, n).value for n in range(5)]
    assert found == pytest.approx(entry.expected["n_agreement"], abs=entry.tolerance["abs"])


@given(complete_tables())
def test_zero_agreement_is_the_observed_agreement_of_fleiss(matrix):
    coincidences = coincidences_of(matrix)
    zero = n_agreement(Sums(coincidences), 0).value
    assert zero == pytest.approx(fleiss_parts(coincidences).observed, abs=1e-12)
    if zero < 1:  # P_o from statsmodels' κ: with uniform chance, κ = (P_o − 1/k) / (1 − 1/k)
        counts = counts_of(matrix)
        uniform = statsmodels_fleiss(counts, method="rand")
        k = counts.shape[1]
        assert zero == pytest.approx(uniform * (1 - 1 / k) + 1 / k, abs=1e-12)


def test_more_judges_count_by_the_mean_over_their_pairs():
    # pairs of 1 1 2 5: one equal, two a point apart, then 3, 4, 4
    sums = Sums(coincidences_of([[1], [1], [2], [5]]))
    assert [n_agreement(sums, n).value * 6 for n in range(5)] == pytest.approx([1, 3, 3, 4, 6])


@pytest.mark.parametrize(
    ("criterion", "printed", "outputs"),
    [("A", (0.385, 0.819, 0.972), 1987), ("B", (0.383, 0.850, 0.977), 1990)],
)
def test_published_shares_of_wmt07_are_those_of_the_first_two_judges_cut_to_three_digits(
    data_folder, criterion, printed, outputs
):
    # The README of wmt07_scores: one pair of judges per output, of 1,997 outputs with two judges.
    # 10 of the pairs lack a score under A, 7 under B; A's second share is .81983, printed .819.
    rows = evenhand.read(data_folder / "wmt07_scores" / "ratings.parquet").rows()
    whole = find_units(rows)
    judged = np.unique(
        np.column_stack([rows.output, rows.judge.astype(np.int64)]), axis=0, return_counts=False
    )[:, 0]
    assert (np.unique(judged, return_counts=True)[1] > 1).sum() == 1997
    paired = pair_judges(whole)
    names, codes = paired.labels("criterion")
    part = paired.take(codes == names.index(criterion))
    assert part.size == outputs
    sums = Sums(coincidences_of_units(part))
    found = [n_agreement(sums, n).value for n in range(3)]
    assert [int(1000 * share) / 1000 for share in found] == list(printed)


def coincidences_of_units(units):
    """Pairs of scores, clustered by item."""
    from evenhand.judges.agreement_intervals import form_blocks
    from evenhand.judges.counts import count_coincidences

    return count_coincidences(units, form_blocks(units, "item", 1))
