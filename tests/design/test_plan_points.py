"""Plans of ratings: power for a difference in points, and what a pilot of ratings says."""

from dataclasses import replace
from math import sqrt

import narwhals as nw
import numpy as np
import polars as pl
import pytest
from scipy.stats import nct
from scipy.stats import t as student

import evenhand
from evenhand.design.expected_power import find_df, predict_errors
from evenhand.design.pilot import learn_from_pilot
from evenhand.design.plan import plan_campaign
from evenhand.design.power import Design, Simulated, Truth, draw_scores
from evenhand.design.spec import make_spec
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.models.means import Adjusted
from evenhand.ranking.inference import Settings
from evenhand.ranking.ratings import rank_scores

RATED = {"unit": "points", "judge_sd": 3.0, "item_sd": 6.0, "noise_sd": 10.0}
TRUTH = Truth.spaced(4, 4.0, judge_sd=3.0, item_sd=6.0, noise_sd=10.0)


def rate(truth, design, seed, *, severity=8.0, difficulty=10.0):
    """A campaign as people have it: judges are severe, items are hard."""
    rng = np.random.default_rng(seed)
    rows = draw_scores(truth, design, rng)
    score = rows.score + rng.normal(0, severity, design.judges)[rows.judge]
    score += rng.normal(0, difficulty, design.items)[rows.item]
    names = np.array(rows.systems)
    columns = {"judge": rows.judge, "item": rows.item, "system": names[rows.system]}
    return evenhand.read(pl.DataFrame({**columns, "score": score}))


@pytest.mark.parametrize(
    "design",
    [
        Design(12, 60, 480),
        Design(10, 30, 600, overlap=2),
        Design(20, 50, 800, loads="zipf"),
    ],
    ids=str,
)
def test_errors_in_closed_form_are_those_of_adjusted_scores(design):
    truth, apart = Truth.spaced(4, 0.0, judge_sd=3.0, item_sd=6.0, noise_sd=10.0), []
    for seed in range(300):
        rows = draw_scores(truth, design, np.random.default_rng(seed))
        estimate = Adjusted().fit(rows).estimate
        apart.append((estimate[:, None] - estimate)[np.triu_indices(4, 1)])
    simulated = np.mean(np.square(apart))
    expected = sum(predict_errors(truth, design).vary(design).values())[0, 1]
    assert simulated == pytest.approx(expected, rel=0.13)


def test_errors_are_drawn_as_large_as_rank_estimates_them():
    """The largest of three variances is larger than the variance, and the fewer judges the more."""
    truth, design = (
        Truth.spaced(4, 0.0, judge_sd=3.0, item_sd=6.0, noise_sd=10.0),
        Design(8, 30, 160),
    )
    shown = []
    for seed in range(40):
        rows = draw_scores(truth, design, np.random.default_rng(seed))
        ranking = rank_scores(rows, Settings(Adjusted(), "rank-sets", seed=1))
        shown.append(ranking.pair_stderr[np.triu_indices(4, 1)])
    inputs = predict_errors(truth, design)
    true = np.sqrt(np.sum(list(inputs.vary(design).values()), axis=0)[0, 1])
    drawn = inputs.draw_errors(design)
    assert drawn.mean() == pytest.approx(np.mean(shown) / true, rel=0.1)
    assert drawn.mean() > 1.02


def test_complete_blocks_have_the_errors_of_a_d_study():
    design = Design(10, 50, 2000)  # 500 scores of each of 4 systems, ten on each item
    parts = predict_errors(TRUTH, design).vary(design)
    severity = 1 - 9 / 1950  # nine effects of judges, of the dimensions that items leave
    assert parts["items"][0, 1] == pytest.approx(2 * 36 / 50 / severity)
    assert parts["chance"][0, 1] == pytest.approx(2 * 100 / 500 / severity)
    assert parts["judges"][0, 1] == pytest.approx(2 * 9 * (10 * 200 * 199 / 2000**2 + 1 / 500))


def test_the_least_difference_of_two_systems_is_that_of_a_noncentral_t():
    plan = plan_campaign(
        {**RATED, "systems": 2, "gap": 5.0, "judges": 12, "items": 60, "judgments": 900},
        campaigns=0,
    )
    error = sqrt(sum(plan.variance.values()))
    assert find_df(plan.design) == 11
    critical = student.ppf(0.975, 11)
    # critical values are those of drawn errors, to 2 %
    assert nct.sf(critical, 11, plan.detectable / error) == pytest.approx(0.8, abs=0.03)
    assert plan.weakest.expected == pytest.approx(nct.sf(critical, 11, 5.0 / error), abs=0.03)


def test_a_system_called_like_a_reference_is_one_of_a_simulated_campaign():
    named = {"systems": ["A", "B", "human"], "worths": [2.0, 1.0, 0.0], "judges": 10}
    named["judgments"] = 300
    plan = plan_campaign({**named, "unit": "points", "noise_sd": 5.0}, campaigns=4)
    assert plan.simulated.campaigns == 4


@pytest.mark.parametrize("items", [{}, {"items": 10}])
def test_an_item_that_is_rated_in_part_is_none_too_few(items):
    asked = {"systems": ["A", "B", "C"], "worths": [9.0, 0.0, -9.0], "unit": "points"}
    stated = {"judges": 6, "overlap": 6, "judgments": 42, "noise_sd": 5.0, **items}
    with pytest.raises(NotIdentified, match="2 items: with fewer than 6 nothing shows"):
        plan_campaign({**asked, **stated}, campaigns=0)


@pytest.mark.parametrize("sd", [0.0, 1.0])
def test_more_judgments_than_the_most_items_hold_are_refused_with_items_that_do(sd):
    asked = {"systems": ["A", "B"], "gap": 0.3, "item_sd": sd, "judges": 10}
    with pytest.raises(NotIdentified, match=r"on 5,000 items are more .* plan 6,000 items or more"):
        plan_campaign({**asked, "judgments": 60_000}, campaigns=0)
    assert plan_campaign({**asked, "judgments": 60_000, "items": 6_000}, campaigns=0).design


def test_a_campaign_of_a_stated_size_says_what_it_decides():
    settings = {**RATED, "systems": 3, "judges": 15, "items": 60, "judgments": 900}
    plan = plan_campaign(settings, campaigns=60)
    first, second, third = plan.spec.truth.log_worth
    assert first - second == pytest.approx(second - third)
    assert plan.weakest.expected == pytest.approx(0.8, abs=0.02)
    assert abs(plan.weakest.power - 0.8) < 3 * sqrt(0.16 / 60)
    assert plan.to_dict()["unit"] == "points"
    # with others equal all pairs are undecided, which asks for more than where some are far apart
    assert plan.detectable > first - second
    half = plan_campaign({**settings, "judgments": 450}, campaigns=0)
    assert half.spec.truth.log_worth[0] > first


def test_what_is_not_stated_is_assumed_by_name():
    plan = plan_campaign({"unit": "points", "systems": 2, "gap": 8.0}, campaigns=0)
    assert plan.spec.truth.sds == {"judge_sd": 4.5, "item_sd": 9.0, "noise_sd": 15.0}
    assert plan.notes[0].code == "assumed"
    assert "judge_sd = 4.5, item_sd = 9, noise_sd = 15" in str(plan.notes[0])
    stated = plan_campaign({"noise_sd": 1.0, "systems": 2, "gap": 0.5}, campaigns=0)
    assert stated.spec.truth.sds == {"judge_sd": 0.3, "item_sd": 0.6, "noise_sd": 1.0}
    assert "noise_sd" not in stated.to_dict()["assumed"]
    whole = plan_campaign({**RATED, "systems": 2, "gap": 8.0}, campaigns=0)
    assert not whole.spec.assumed
    assert "assumed" not in [note.code for note in whole.notes]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"ties": 0.2}, "leave out ties"),
        ({"compare": [["S1", "S2"]]}, "leave out compare"),
        ({"unit": "log-worth"}, "noise_sd is of scores"),
        ({"unit": "stars"}, "'stars'"),
        ({"noise_sd": -1.0}, "noise_sd cannot be -1: it is 0 or more, in points"),
        ({"noise_sd": "much"}, "noise_sd cannot be 'much': it is a number"),
        ({"resolve": "best"}, "0.3, a difference in points"),
    ],
)
def test_settings_that_do_not_fit_ratings_are_refused(settings, said):
    with pytest.raises(UnknownOption, match=said):
        _ = make_spec({**RATED, "systems": 2, "gap": 4.0, **settings}).targets


@pytest.fixture(scope="module")
def pilots():
    return [
        learn_from_pilot(rate(TRUTH, Design(16, 40, 960, overlap=3), seed)) for seed in range(5)
    ]


@pytest.mark.parametrize(
    ("name", "truth", "within"),
    [("judge_sd", 3.0, 0.2), ("item_sd", 6.0, 0.15), ("noise_sd", 10.0, 0.05)],
)
def test_a_pilot_gives_back_the_components_that_it_was_drawn_from(pilots, name, truth, within):
    found = np.mean([getattr(one.truth, name) for one in pilots])
    assert found == pytest.approx(truth, rel=within)


def test_a_pilot_gives_back_differences_adjusted_and_drawn_together(pilots):
    centred = TRUTH.worth - TRUTH.worth.mean()
    slopes = []
    for one in pilots:
        worth = np.array([one.truth.log_worth[one.truth.find(name)] for name in TRUTH.systems])
        slopes.append(worth @ centred / (centred @ centred))
        assert 0.5 < one.shrinkage_factor < 1
    assert np.mean(slopes) == pytest.approx(1.0, abs=0.15)
    # severity and difficulty, 8 and 10 points, are no part of the error
    error = np.sqrt(np.mean([one.gap_stderr**2 for one in pilots]))
    design = Design(16, 40, 960, overlap=3)
    expected = sum(predict_errors(TRUTH, design).vary(design).values())[0, 1]
    assert error == pytest.approx(sqrt(expected), rel=0.15)


def test_penalties_in_a_column_of_that_name_are_better_when_lower(pilots):
    table = rate(TRUTH, Design(16, 40, 960, overlap=3), 0)
    columns = {"score": "penalty"}
    frame = table.frame.with_columns(nw.col("score") + 200).rename(columns)
    turned = learn_from_pilot(evenhand.read(frame.to_native(), columns=columns))
    best = (one.truth.systems[int(np.argmax(one.truth.worth))] for one in (pilots[0], turned))
    assert [*best] == ["S1", "S4"]


def test_a_gap_in_points_is_planned_with_the_components_of_a_pilot():
    equal = rate(replace(TRUTH, log_worth=(0.0,) * 4), Design(16, 40, 960, overlap=3), 1)
    plan = plan_campaign({"gap": 4.0}, pilot=equal, campaigns=0)
    assert set(plan.spec.truth.systems) == {"S1", "S2", "S3", "S4"}
    assert plan.spec.truth.log_worth == (12.0, 8.0, 4.0, 0.0)
    assert plan.weakest.gap == 4.0
    assert plan.weakest.expected >= 0.8
    codes = [said.code for said in plan.pilot.says]
    assert "pilot-shrinkage" not in codes


def test_what_a_pilot_cannot_tell_from_items_counts_as_theirs():
    # one score of each output: item x system cannot be told from chance
    pilot = learn_from_pilot(rate(TRUTH, Design(16, 120, 480), 4))
    assert pilot.truth.item_sd == pytest.approx(sqrt(6.0**2 + 10.0**2), rel=0.15)
    assert pilot.truth.noise_sd < 5
    assert "pilot-items-confounded" in [note.code for note in pilot.notes]


def test_systems_so_close_that_power_takes_minutes_are_simulated_a_few_times(monkeypatch):
    asked = []

    def simulate(truth, design, *, campaigns, **_):
        asked.append((campaigns, design.judgments))
        k = len(truth.systems)
        right = np.full((k, k), round(0.3 * campaigns))
        return Simulated(campaigns, right, np.zeros_like(right), 0, 0, float(k))

    monkeypatch.setattr("evenhand.design.plan.simulate_power", simulate)
    near = {**RATED, "systems": 3, "gap": 1.5}
    plan = plan_campaign(near)
    assert sum(campaigns * judgments for campaigns, judgments in asked) <= 6_000_000
    assert 20 <= asked[-1][0] < 200
    assert f"More than {plan.design.judgments:,} judgments are needed" in " ".join(plan.says)
    assert any(one.code == "campaigns-fewer" for one in plan.notes)
    # who says how many gets as many
    asked.clear()
    plan = plan_campaign(near, campaigns=200)
    assert {campaigns for campaigns, _ in asked} == {200}
    assert not any(one.code == "campaigns-fewer" for one in plan.notes)
    # of campaigns that are larger still none is simulated, and it is said
    asked.clear()
    plan = plan_campaign({**near, "judges": 1000, "judgments": 400_000, "items": 2000})
    assert not asked
    assert [one.code for one in plan.notes if one.code in ("too-large", "closed-form-only")] == [
        "too-large"
    ]
