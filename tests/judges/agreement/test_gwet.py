"""AC1, AC2, Brennan-Prediger and π against tests/golden/10 (R's irrCAC among its sources)."""

import pytest
from hypothesis import assume, given

from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.judges.coefficients import (
    brennan_prediger,
    fleiss_kappa,
    gwet_ac,
    gwet_pi,
    weighted_agreement,
)
from evenhand.judges.counts import Sums
from golden_numbers import entries
from score_tables import coincidences_of, complete_tables, counts_of, declared

COMPUTED = {
    "pa": weighted_agreement,
    "gwet": gwet_ac,
    "fleiss": gwet_pi,
    "brennan_prediger": brennan_prediger,
}
WEIGHTINGS = {"id": "identity", "linear": "linear", "quadratic": "quadratic"}


@pytest.mark.parametrize("scale", ["observed_categories", "declared_scale"])
@pytest.mark.parametrize("weights", WEIGHTINGS)
@pytest.mark.parametrize("entry", entries("10_agreement_coefficients"), ids=lambda one: one.id)
def test_all_are_the_golden_ones_with_missing_scores(entry, weights, scale):
    points = entry.expected["declared_categories"]
    known = declared(points) if scale == "declared_scale" else None
    sums = Sums(coincidences_of(entry.input["matrix"], known))
    expected = entry.expected[f"gwet_and_friends_{scale}"][weights]
    for name, compute in COMPUTED.items():
        found = compute(sums, WEIGHTINGS[weights]).value
        assert found == pytest.approx(expected[name], abs=entry.tolerance["ac"]), name


@pytest.mark.parametrize("entry", entries("10_agreement_coefficients"), ids=lambda one: one.id)
def test_they_are_those_of_irrcac_to_its_five_digits(entry):
    sums = Sums(coincidences_of(entry.input["matrix"]))
    theirs, slack = entry.expected["irrCAC_5_digits"], entry.tolerance["irrCAC_abs"]
    ours = {
        "gwet_ac1": gwet_ac(sums),
        "gwet_ac2_linear": gwet_ac(sums, "linear"),
        "gwet_ac2_quadratic": gwet_ac(sums, "quadratic"),
        "fleiss_kappa_raw_missing": gwet_pi(sums),
        "brennan_prediger": brennan_prediger(sums),
    }
    for name, found in ours.items():
        assert found.value == pytest.approx(theirs[name]["coeff"], abs=slack), name


@given(complete_tables())
def test_pi_is_fleiss_kappa_where_nothing_is_missing(matrix):
    assume((counts_of(matrix).sum(axis=0) > 0).sum() > 1)
    sums = Sums(coincidences_of(matrix))
    assert gwet_pi(sums).value == pytest.approx(fleiss_kappa(sums).value, abs=1e-10)


def test_the_declared_scale_changes_what_chance_is():
    matrix = [[1, 1, 2, 2], [1, 2, 2, 2]]
    seen = brennan_prediger(Sums(coincidences_of(matrix))).value
    whole = brennan_prediger(Sums(coincidences_of(matrix, declared([1, 2, 3, 4, 5])))).value
    assert seen == pytest.approx((0.75 - 1 / 2) / (1 - 1 / 2))
    assert whole == pytest.approx((0.75 - 1 / 5) / (1 - 1 / 5))


def test_thousands_of_different_scores_are_no_categories():
    matrix = [[i + 0.5 * j for i in range(1200)] for j in range(2)]
    with pytest.raises(NotIdentified, match="different scores are no categories"):
        gwet_ac(Sums(coincidences_of(matrix)))


def test_ratio_weights_need_scores_from_zero_up():
    with pytest.raises(InvalidJudgments, match="use quadratic weights"):
        gwet_ac(Sums(coincidences_of([[-2, 1], [1, 2]])), "ratio")
