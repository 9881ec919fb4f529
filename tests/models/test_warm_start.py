"""A fit that starts from an earlier one finds the same maximum, in fewer Newton steps."""

import numpy as np
import pytest

from evenhand.data.adding import add_tallies
from evenhand.errors import UnknownOption
from evenhand.models import bradley_terry
from evenhand.models.bradley_terry import BradleyTerry
from tallies import simulate, tally

WORTHS = np.random.Generator(np.random.PCG64(7)).normal(0, 1.2, 25)
MONDAY = simulate(WORTHS, 30_000, seed=1, order=0.2)
TUESDAY = simulate(WORTHS, 300, seed=2, order=0.2)
BOTH = add_tallies([MONDAY, TUESDAY])


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize(
    "model",
    [
        BradleyTerry(),
        BradleyTerry(ties="rao-kupper", order_effect=True, reference="s0003"),
        BradleyTerry(ties="discard"),
    ],
)
def test_a_day_more_takes_fewer_steps_to_the_same_estimates(model, dense, monkeypatch):
    if not dense:
        monkeypatch.setattr(bradley_terry, "DENSE", 1)
    cold = model.fit(BOTH)
    warm = model.fit(BOTH, start=model.fit(MONDAY))
    assert warm.steps < cold.steps
    np.testing.assert_allclose(warm.estimate, cold.estimate, rtol=0, atol=1e-9)
    assert warm.loglik == pytest.approx(cold.loglik, rel=1e-12)


def test_a_prior_and_another_reference_carry_over():
    before = BradleyTerry(reference="s0001").fit(MONDAY)
    model = BradleyTerry(reference="s0009", prior=1.0)
    cold, warm = model.fit(BOTH), model.fit(BOTH, start=before)
    assert warm.steps <= cold.steps
    np.testing.assert_allclose(warm.estimate, cold.estimate, rtol=0, atol=1e-9)


def test_systems_that_are_new_start_in_the_middle_and_end_where_they_belong():
    new = tally(("s0000", "young", 30, 5, 12), ("young", "s0004", 20, 4, 9))
    both = add_tallies([MONDAY, new])
    cold, warm = (
        BradleyTerry().fit(both),
        BradleyTerry().fit(both, start=BradleyTerry().fit(MONDAY)),
    )
    np.testing.assert_allclose(warm.log_worth, cold.log_worth, rtol=0, atol=1e-8)


def test_a_start_that_is_far_off_is_not_taken():
    turned = BradleyTerry().fit(simulate(-3 * WORTHS, 30_000, seed=3))
    cold, warm = BradleyTerry().fit(MONDAY), BradleyTerry().fit(MONDAY, start=turned)
    assert warm.steps == cold.steps
    np.testing.assert_array_equal(warm.beta, cold.beta)


def test_what_is_no_fit_is_refused():
    with pytest.raises(UnknownOption, match="start cannot be of type list"):
        BradleyTerry().fit(MONDAY, start=[0.0])
    with pytest.raises(UnknownOption, match="leave out start"):
        BradleyTerry(controls=("length",)).fit(MONDAY, start=BradleyTerry().fit(MONDAY))
