"""From settings to a plan."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from evenhand.design import plan as planning
from evenhand.design.plan import find_growth, plan_campaign
from evenhand.design.power import simulate_power
from evenhand.design.spec import make_spec
from evenhand.errors import UnknownOption

SMALL = {"systems": 3, "gap": 0.5, "judge_sd": 0.3, "judges": 25, "items": 50}


@pytest.fixture(scope="module")
def plan():
    return plan_campaign(SMALL, campaigns=60)


def test_the_found_design_reaches_the_power_in_simulation(plan):
    assert plan.weakest.power >= 0.8 - 2 * (0.16 / 60) ** 0.5
    assert plan.says[1].startswith("All 3 pairs are decided with power 0.")
    assert plan.enough is None


def test_a_stated_design_that_falls_short_says_what_would_do():
    found = plan_campaign({**SMALL, "judgments": 120}, campaigns=40)
    assert found.design.judgments == 120
    assert found.weakest.power < 0.8
    assert found.enough.judges == 25
    assert found.enough.judgments > 120
    assert any(said.startswith("Enough would be ") for said in found.says)


def test_the_weakest_pair_is_the_one_that_was_decided_least_often(plan):
    counts = np.array([[0, 50, 30], [50, 0, 60], [30, 60, 0]])
    found = replace(plan, simulated=replace(plan.simulated, right=counts))
    assert min(found.asked, key=lambda one: one.expected).pair != "S1 > S3"
    assert found.weakest.pair == "S1 > S3"
    assert found.weakest.power == 0.5


@pytest.fixture(scope="module")
def unreached():
    """Two rounds that both fall short: systems so far apart that few votes give no estimate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "MAX_ROUNDS", 2)
        return plan_campaign({"systems": 2, "gap": 4.0, "judges": 8}, campaigns=20)


def test_a_design_that_is_not_reached_is_the_one_simulated_last_and_says_why(unreached):
    first, last = unreached.rounds
    assert last.judgments == unreached.design.judgments
    assert 1.15 <= last.judgments / first.judgments <= 2.0
    again = simulate_power(unreached.spec.truth, unreached.design, campaigns=20)
    assert unreached.simulated.right.tolist() == again.right.tolist()
    assert last.power == unreached.weakest.power < 0.8
    assert [row["judgments"] for row in unreached.to_dict()["rounds"]] == [
        one.judgments for one in unreached.rounds
    ]
    first, last = unreached.rounds
    low = replace(unreached, simulated=replace(unreached.simulated, right=np.full((2, 2), 8)))
    tried = f"2 sizes were simulated, of {first.judgments} to {last.judgments} judgments"
    assert any(one.startswith(tried) for one in low.says)
    assert f"({last.unranked} of 20)" in " ".join(low.says)
    assert low.falls_short
    assert low.is_contradicted
    assert not any("As many judgments with" in one for one in low.says)


def test_a_stated_design_that_only_the_closed_form_thinks_enough_has_a_way_out():
    found = plan_campaign({"systems": 2, "gap": 4.0, "judges": 8, "judgments": 39}, campaigns=20)
    assert found.enough is None
    assert any("state more judgments." in one for one in found.says)
    assert any("Campaigns whose worths have no" in one for one in found.says)


@pytest.mark.parametrize(("power", "critical"), [(0.6, 1.96), (0.7, 2.4), (0.5, 3.1)])
def test_growth_is_what_the_normal_says_and_never_more_than_twice(power, critical):
    times = find_growth(power, 0.8, critical)
    size = (critical + norm.ppf(power)) * times**0.5
    assert norm.cdf(size - critical) == pytest.approx(0.8)
    assert find_growth(0.0, 0.8, critical) == find_growth(0.02, 0.8, critical) == 2.0


@pytest.mark.parametrize(
    ("many", "said"),
    [
        (3, None),
        (4, "In 4 of 60 campaigns something false was decided, more than the 5 % of level 0.95"),
        (16, "In 16 of 60 campaigns something false was decided: level 0.95 does not hold"),
    ],
)
def test_more_false_decisions_than_the_level_allows_are_said(plan, many, said):
    found = replace(plan, simulated=replace(plan.simulated, any_false=many))
    notes = [note for note in found.notes if "something false" in note]
    assert len(notes) == (said is not None)
    assert all(note.startswith(said) for note in notes)


def test_specs_are_taken_as_they_are_and_one_campaign_or_ratings_with_verdicts_refused(plan):
    assert plan_campaign(make_spec(SMALL), campaigns=0).design.judges == 25
    with pytest.raises(UnknownOption, match="campaigns cannot be 1"):
        plan_campaign(SMALL, campaigns=1)
    settings = {"unit": "points", "systems": 2, "gap": 5.0, "judges": 10}
    with pytest.raises(UnknownOption, match="for comparisons"):
        plan_campaign(settings, campaigns=0, llm_agreement=0.7, verdicts=100)


def test_thin_designs_and_items_that_are_not_reached_are_said():
    thin = plan_campaign({**SMALL, "judgments": 29}, campaigns=0)
    assert any(note.startswith("Fewer than 10 output pairs for each") for note in thin.notes)
    assert "29 judgments show 29 of the 50 items." in thin.notes
    assert not any(
        "output pairs for each" in note for note in plan_campaign(SMALL, campaigns=0).notes
    )


SIZED = {"systems": 2, "gap": 0.8, "judges": 10, "judgments": 100, "items": 50}


@pytest.fixture(scope="module")
def sized():
    return plan_campaign(SIZED, campaigns=0)


@pytest.mark.parametrize("correlation", [0.3, 0.6, 0.8, 0.9])
@pytest.mark.parametrize(("at", "verdicts"), [(0, 100), (1, 1000), (2, 10000)])
def test_verdicts_gain_what_the_formula_says(golden, sized, correlation, at, verdicts):
    expected = golden("prediction_powered", "ess_gain_formula").expected[f"{correlation}"][at]
    chance = sized.pairs[0].chance
    # both prefer the better system as often: P = 1 - 2 q (1 - q) (1 - rho)
    agreement = 1 - 2 * chance * (1 - chance) * (1 - correlation)
    found = replace(sized, llm=(agreement, verdicts))
    (gain,) = found.gains
    assert gain.correlation == pytest.approx(correlation)
    assert gain.gain == pytest.approx(expected, abs=1e-9)
    assert found.to_dict()["llm"]["pairs"] == [vars(gain)]
    assert "Within a pair of systems" in " ".join(map(str, found.says))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"llm_agreement": 0.7}, "--verdicts 3000"),
        ({"verdicts": 100}, "--llm-agreement .75"),
        ({"llm_agreement": 75, "verdicts": 100}, "from 0 to 1"),
        ({"llm_agreement": 0.7, "verdicts": 0}, "one verdict or more"),
    ],
)
def test_a_gain_needs_agreement_and_verdicts(asked, words):
    with pytest.raises(UnknownOption, match=words):
        plan_campaign({"systems": 2, "gap": 0.8, "judges": 10}, campaigns=0, **asked)
