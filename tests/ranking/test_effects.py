"""What stands out among judge groups, and how it is said."""

from dataclasses import replace

import pytest
from statsmodels.stats.multitest import multipletests

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.fitted import find_effects
from golden_numbers import golden
from tallies import dras, tally


@pytest.fixture(scope="module")
def table_1():
    return dras(golden("02_llbt_multi_pair_judges", "eq2_judge_covariate"))


def test_in_table_1_two_coefficients_of_the_third_judge_stand_out(table_1):
    """Dras (2015), section 5: o1:SUBJ3 and o2:SUBJ3; every other |z| < 1."""
    found = find_effects(BradleyTerry(judge_covariates="judge").fit(table_1), {}).interactions
    expected = golden("02_llbt_multi_pair_judges", "eq2_judge_covariate").expected["coef"]
    assert len(found) == 9
    for one in found:
        assert one.coefficient.estimate == pytest.approx(
            expected[one.coefficient.name]["est"], abs=1e-6
        )
    assert [one.say() for one in found if one.stands_out] == [
        "J3 likes A less than J1 does, against D (−1.868, z −6.5)",
        "J3 likes B less than J1 does, against D (−1.281, z −4.1)",
    ]
    assert all(abs(one.coefficient.z) < 1 for one in found[2:])


def test_p_values_are_adjusted_for_all_interactions_by_holm(table_1):
    model = BradleyTerry(judge_covariates="judge", tie_covariates="judge")
    found = find_effects(model.fit(table_1), {}).interactions
    assert len(found) == 12
    expected = multipletests([one.coefficient.p for one in found], method="holm")[1]
    assert [one.p_holm for one in found] == pytest.approx(expected.tolist())


def test_judges_who_are_the_groups_are_no_clusters(table_1):
    fit = BradleyTerry(judge_covariates="judge").fit(table_1)
    (test,) = find_effects(fit, {"judge": table_1}).tests
    assert test.walds == ()
    assert test.notes == ("every group is one judge: no test by judge", "for these 4 judges only")


def test_a_level_that_never_tied_leaves_the_likelihood_ratio_alone():
    """γ = −∞ is no place of the estimate: a Wald test of the others is another hypothesis."""
    rows = [("A", "B", 5, 2 * (j > 0), 4, f"j{j}") for j in range(6)]
    fit = BradleyTerry(tie_covariates="judge").fit(tally(*rows))
    (test,) = find_effects(fit, {"item": items_of(tally(*rows))}).tests
    assert test.walds == ()
    assert test.notes == ("j0 never tied: no clustered test",)
    assert test.lr.df == 5


def items_of(counted):
    """The same counts, each judge's on items of their own besides."""
    items = replace(counted.factors["judge"], labels=tuple("abcdef"))
    return replace(counted, factors={**counted.factors, "item": items})
