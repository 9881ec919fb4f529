"""Sign tests of all pairs of a tally, against scipy and statsmodels."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evenhand.errors import NotIdentified, UnknownOption
from evenhand.ranking.tests import VARIANTS, sign_test, sign_test_pairs
from golden_numbers import golden
from tallies import dras, mirrored, renamed, shuffled, tally


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


def test_the_first_of_a_pair_is_the_one_preferred_more_often(table_1):
    found = sign_test_pairs(table_1)
    assert (found.better >= found.worse).all()


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


def test_neither_the_order_of_rows_nor_the_sides_matter(table_1):
    expected = sign_test_pairs(table_1).rows()
    assert sign_test_pairs(shuffled(table_1, 3)).rows() == expected
    assert sign_test_pairs(mirrored(table_1)).rows() == expected


def test_renaming_systems_renames_pairs(table_1):
    order = [2, 0, 3, 1]
    names = dict(zip("ABCD", ("CADB"), strict=True))
    turned = by_pair(sign_test_pairs(renamed(table_1, order)))
    for (first, second), row in by_pair(sign_test_pairs(table_1)).items():
        assert turned[names[first], names[second]]["holm"] == row["holm"]


def test_pairs_that_nobody_compared_are_counted():
    found = sign_test_pairs(tally(("A", "B", 3, 0, 1), ("B", "C", 2, 2, 2), ("A", "C", 0, 0, 0)))
    assert (len(found.p), found.untested) == (2, 1)


def test_what_cannot_be_tested_is_refused(table_1):
    with pytest.raises(NotIdentified, match=r"nobody compared a system 'E'. There are A, B, C, D"):
        sign_test_pairs(table_1, new="E")
    apart = tally(("A", "B", 3, 0, 1), systems=("A", "B", "C"))
    with pytest.raises(NotIdentified, match="nobody compared 'C' with another"):
        sign_test_pairs(apart, new="C")
    with pytest.raises(UnknownOption, match="importance weights are no counts"):
        sign_test_pairs(replace(table_1, squares=table_1.counts))
    with pytest.raises(UnknownOption, match="variant cannot be 'half'"):
        sign_test_pairs(table_1, variant="half")
