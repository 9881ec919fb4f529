"""What stands out among judge groups, and how it is said."""

import pytest
from statsmodels.stats.multitest import multipletests

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.fitted import find_effects
from golden_numbers import golden
from tallies import dras


@pytest.fixture(scope="module")
def table_1():
    return dras(golden("02_llbt_multi_pair_judges", "eq2_judge_covariate"))


def test_p_values_are_adjusted_for_all_interactions_by_holm(table_1):
    model = BradleyTerry(judge_covariates="judge", tie_covariates="judge")
    found = find_effects(model.fit(table_1), {}).interactions
    assert len(found) == 12
    expected = multipletests([one.coefficient.p for one in found], method="holm")[1]
    assert [one.p_holm for one in found] == pytest.approx(expected.tolist())
