"""A pilot gives back the truth that it was drawn from."""

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.design.expected_power import predict_errors
from evenhand.design.pilot import learn_from_pilot
from evenhand.design.power import Design, Truth, draw_campaign
from evenhand.design.spec import CampaignSpec, make_spec
from evenhand.errors import NotIdentified, UnknownOption

TRUTH = Truth.spaced(6, 0.3, ties=0.2, judge_sd=0.5, item_sd=0.4)


def draw(design, seed, truth=TRUTH, *, judges=True):
    tally = draw_campaign(truth, design, np.random.default_rng(seed))
    names = np.array(truth.systems)
    rows = {"left": names[tally.left], "right": names[tally.right]}
    rows["outcome"] = np.array(["left", "tie", "right"])[tally.counts.argmax(axis=1)]
    for name in ("judge", "item") if judges else ("item",):
        factor = tally.factor(name)
        rows[name] = np.array(factor.labels)[factor.codes]
    return evenhand.read(pl.DataFrame(rows))


@pytest.fixture(scope="module")
def pilots():
    return [learn_from_pilot(draw(Design(40, 60, 3000, overlap=2), seed)) for seed in range(8)]


@pytest.mark.parametrize(
    ("name", "truth", "within"),
    [("judge_sd", 0.5, 0.08), ("item_sd", 0.4, 0.1), ("ties", 0.2, 0.1)],
)
def test_components_are_those_that_it_was_drawn_from(pilots, name, truth, within):
    found = np.mean([getattr(one.truth, name) for one in pilots])
    assert found == pytest.approx(truth, rel=within)


def test_worths_are_on_the_scale_of_one_judge_and_drawn_together(pilots):
    centred = TRUTH.worth - TRUTH.worth.mean()
    slopes = []
    for one in pilots:
        worth = np.array([one.truth.log_worth[one.truth.find(name)] for name in TRUTH.systems])
        slopes.append(worth @ centred / (centred @ centred))
        assert 0 < one.shrinkage_factor < 1
    kept = np.mean([one.shrinkage_factor for one in pilots])
    assert np.mean(slopes) == pytest.approx(kept, abs=0.1)


def test_the_uncertainty_of_the_pilot_is_stated(pilots):
    one = pilots[0]
    assert any(said.startswith("judge x system: sd 0.") for said in one.says)
    worst = one.worst()
    assert worst.judge_sd > one.truth.judge_sd
    assert worst.item_sd > one.truth.item_sd


def test_a_taste_that_is_stated_beside_a_pilot_leaves_the_pooled_worths(pilots):
    design, pilot = Design(60, 30, 4000), CampaignSpec(pilots[0].truth, source="from the pilot")
    stated = make_spec({"judge_sd": 1.2}, pilot).truth
    assert stated.judge_sd == 1.2
    base, strong = predict_errors(pilot.truth, design).apart, predict_errors(stated, design).apart
    assert strong[0, -1] == pytest.approx(base[0, -1], rel=0.03)


def test_pilots_that_say_nothing_of_one_task_are_refused():
    rows = {"left": ["A", "B"] * 2, "right": ["B", "A"] * 2, "outcome": ["left", "left"] * 2}
    rows |= {"judge": ["x", "y"] * 2, "task": ["de-en", "de-en", "fr-en", "fr-en"]}
    with pytest.raises(
        UnknownOption, match=r"2 tasks, de-en, fr-en: name one of them \(--task NAME, in"
    ):
        learn_from_pilot(evenhand.read(pl.DataFrame(rows)))
    with pytest.raises(NotIdentified, match="says nothing of how judges differ"):
        learn_from_pilot(draw(Design(10, 50, 1000), 1, judges=False))
    with pytest.raises(UnknownOption, match="a pilot is comparisons, rankings or ratings"):
        learn_from_pilot({"judge": ["a", "b"]})


def test_a_pilot_that_shows_no_differences_is_refused():
    same = Truth.spaced(4, 0.0, judge_sd=0.4)
    refused = 0
    for seed in range(6):
        try:
            learn_from_pilot(draw(Design(15, 200, 400), seed, same))
        except NotIdentified as refusal:
            refused += "shows no differences between systems" in str(refusal)
    assert refused >= 2


def test_controls_of_a_pilot_of_ratings_are_no_systems_to_plan_for():
    rng = np.random.default_rng(2)
    j, i, k = (part.ravel() for part in np.meshgrid(range(8), range(10), range(3), indexing="ij"))
    columns = {
        "judge": [f"j{one}" for one in j],
        "item": [f"i{one}" for one in i],
        "system": [f"s{one}" for one in k],
        "score": 50 + 3.0 * k + rng.normal(0, 5, 8)[j] + rng.normal(0, 5, len(j)),
    }
    plain = pl.DataFrame(columns).with_columns(kind=pl.lit("target"))
    bad = plain.head(24).with_columns(
        system=pl.lit("spoilt"), kind=pl.lit("bad"), score=pl.lit(5.0)
    )
    found, alone = (
        evenhand.plan_campaign({"gap": 3.0}, pilot=table, campaigns=0)
        for table in (pl.concat([plain, bad]), plain)
    )
    assert found.spec.truth == alone.spec.truth
    assert {*found.spec.truth.systems} == {"s0", "s1", "s2"}
    assert found.excluded[0].rows == 24


def test_a_pilot_of_strong_tastes_is_refused_with_what_plan_can_do():
    pilot = draw(Design(12, 60, 1200), 3, Truth.spaced(4, 0.3, judge_sd=4))
    with pytest.raises(NotIdentified, match=r"evenhand plan --systems 4 --gap 0\.5") as refused:
        learn_from_pilot(pilot)
    assert "(--method" not in str(refused.value)
