"""Sign tests of all pairs of a tally, against scipy and statsmodels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.ranking.sign_tests import VARIANTS, sign_test
from evenhand.ranking.significance import sign_test_pairs
from golden_numbers import golden
from tallies import dras, tally


@pytest.fixture(scope="module")
def table_1():
    return dras(golden("02_llbt_multi_pair_judges", "eq1_with_ties"))


def by_pair(found):
    return {(row["first"], row["second"]): row for row in found.rows()}


def test_every_pair_of_table_1_has_its_binomial_p_and_its_adjustments(table_1):
    found = sign_test_pairs(table_1)
    rows = by_pair(found)
    # sums over judges of Dras (2015), Table 1
    assert [rows["A", "D"][name] for name in ("better", "ties", "worse")] == [113, 8, 39]
    assert rows["A", "D"]["p"] == pytest.approx(stats.binomtest(113, 152).pvalue)
    assert sorted(found.p) == found.p.tolist()
    for adjusted, method in ((found.holm, "holm"), (found.fdr, "fdr_bh")):
        np.testing.assert_allclose(adjusted, multipletests(found.p, method=method)[1])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_pair_gives_what_its_counts_give(table_1, variant):
    for row in sign_test_pairs(table_1, variant=variant).rows():
        one = sign_test(row["better"], row["ties"], row["worse"], variant=variant)
        assert row["p"] == pytest.approx(one.p, rel=1e-12)


def test_a_new_system_is_tested_one_sided_and_alone(table_1):
    found = sign_test_pairs(table_1, variant="against", new="B")
    rows = by_pair(found)
    assert {pair[0] for pair in rows} == {"B"}
    assert len(rows) == 3
    row = rows["B", "C"]
    expected = stats.binomtest(row["better"], 160, alternative="greater").pvalue
    assert row["p"] == pytest.approx(expected)
    assert rows["B", "A"]["p"] == pytest.approx(1)


def test_what_cannot_be_tested_is_refused(table_1):
    with pytest.raises(NotIdentified, match=r"nobody compared a system 'E'. There are A, B, C, D"):
        sign_test_pairs(table_1, new="E")
    apart = tally(("A", "B", 3, 0, 1), systems=("A", "B", "C"))
    with pytest.raises(NotIdentified, match="nobody compared 'C' with another"):
        sign_test_pairs(apart, new="C")
    with pytest.raises(UnknownOption, match="importance weights are no counts"):
        sign_test_pairs(replace(table_1, squares=table_1.counts))
    with pytest.raises(UnknownOption, match="ties_as cannot be 'half'"):
        sign_test_pairs(table_1, variant="half")
