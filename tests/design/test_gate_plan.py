"""`plan --gate`: how many judges and judgments a gate needs."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import evenhand
from evenhand.cli.main import main
from evenhand.design import gate_plan
from evenhand.design.gate_plan import find_worse
from evenhand.design.power import Truth
from evenhand.errors import NotIdentified, UnknownOption
from evenhand.ranking import plans


def test_independent_votes_need_what_the_textbook_says():
    """Without tastes δ̂ has variance 1/(n p (1 − p)), and n is that of a one-sided test."""
    plan = evenhand.plan_gate(0.05, {"judges": 1000, "power": 0.8}, campaigns=0)
    delta = np.log(0.55 / 0.45)
    n = 4 * ((stats.norm.ppf(0.95) + stats.norm.ppf(0.8)) / delta) ** 2
    assert plan.design.judgments == pytest.approx(max(n, 1000), rel=0.02)
    plan = evenhand.plan_gate(0.05, {"judges": 200, "power": 0.8}, campaigns=0)
    assert plan.design.judgments == pytest.approx(n, rel=0.04)
    # of ratings the variance of a difference is 4 σ²/n where nothing else varies
    settings = {"judges": 200, "noise_sd": 10.0, "judge_sd": 0.0, "item_sd": 0.0}
    plan = evenhand.plan_gate(2.0, settings, campaigns=0)
    n = 4 * (10 * (stats.norm.ppf(0.95) + stats.norm.ppf(0.8)) / 2) ** 2
    # half as many again, since items and judges are adjusted for
    assert n < plan.design.judgments < 2.5 * n


def test_the_gap_that_must_not_pass_is_of_all_judges_together():
    for ties, taste in ((0.0, 0.0), (0.2, 0.0), (0.2, 0.6)):
        truth = Truth(("new", "old"), (0.0, 0.0), ties=ties, judge_sd=taste)
        gap = find_worse(truth, 0.05)
        draw = np.random.default_rng(1)
        x = gap + np.sqrt(2) * taste * draw.standard_normal(400_000)
        won, lost, tied = np.exp(x / 2), np.exp(-x / 2), truth.tie
        share = ((won + tied / 2) / (won + lost + tied)).mean()
        assert share == pytest.approx(0.45, abs=0.001)
    assert find_worse(Truth.spaced(2, 0.0, noise_sd=1.0), 2.0) == -2.0


def test_simulation_agrees_with_the_closed_form():
    plan = evenhand.plan_gate(0.1, {"judges": 20, "judge_sd": 0.3, "ties": 0.1}, campaigns=60)
    null, stated = plan.decisions
    assert (null.truth, stated.truth) == ("worse by the margin", "as good")
    assert null.passed + null.worse + null.undecided == 60
    assert null.passed <= 9  # more of 60 at .05 is chance once in a thousand
    assert plan.power == stated.passed / 60 >= 0.8 - 3 * np.sqrt(0.16 / 60)
    assert abs(plan.expected - plan.power) <= 3.3 * np.sqrt(0.16 / 60)


def test_judges_who_differ_and_better_systems():
    panels = {one.judges: one for one, _ in evenhand.plan_gate(0.1, campaigns=0).panels}
    tastes = {"judge_sd": 0.4}
    differing = evenhand.plan_gate(0.1, {"judges": 50, **tastes}, campaigns=0)
    assert differing.design.judgments > panels[50].judgments
    better = evenhand.plan_gate(0.1, {"judges": 50, "gap": 0.2, **tastes}, campaigns=0)
    assert better.design.judgments < differing.design.judgments
    assert next(one.judges for one, _ in differing.panels) > 6
    sized = evenhand.plan_gate(0.05, {"judges": 20, "judgments": 200}, campaigns=0)
    assert sized.design.judgments == 200
    assert sized.expected < 0.8
    assert "less than the 80 %" in str(sized.document().answer[1])


def test_what_a_pilot_says_of_ties_and_tastes_is_planned_with():
    draw = np.random.default_rng(2)
    judge = np.arange(900) % 15
    far = 0.8 * draw.standard_normal(15)[judge]
    votes = {
        "left": ["A"] * 900,
        "right": ["B"] * 900,
        "winner": np.where(draw.random(900) < 1 / (1 + np.exp(-far)), "left", "right"),
        "judge": judge.astype(str),
    }
    votes["winner"] = np.where(draw.random(900) < 0.2, "tie", votes["winner"])
    plan = evenhand.plan_gate(0.15, {"judges": 100}, pilot=votes, campaigns=0)
    assert plan.spec.truth.judge_sd > 0.2
    assert plan.spec.truth.ties > 0.1
    assert plan.spec.truth.systems == ("new", "old")
    draw, judge = np.random.default_rng(6), np.arange(600) % 12
    votes = {
        "left": ["A"] * 600,
        "right": ["B"] * 600,
        "winner": np.where(draw.random(600) < 0.5, "left", "right"),
        "judge": judge.astype(str),
    }
    part = evenhand.estimate_components(votes).find("judge x system")
    assert part.sd == 0 < part.upper
    plan = evenhand.plan_gate(0.15, {"judges": 100}, pilot=votes, campaigns=0)
    assert plan.spec.truth.judge_sd == pytest.approx(part.upper)
    assert "judge sd at the end of its interval" in " ".join(str(plan).split())
    stated = evenhand.plan_gate(0.15, {"judges": 100, "judge_sd": 0.0}, pilot=votes, campaigns=0)
    assert stated.spec.truth.judge_sd == 0


@pytest.mark.parametrize(
    ("settings", "refusal"),
    [
        ({"systems": 3}, "leave out systems"),
        ({"resolve": "top"}, "leave out resolve"),
        (
            {"judges": 3},
            r"3 judges are too few to stand .* \(gate --cluster item\), which has no plan",
        ),
        (
            {"judges": 5, "judgments": 51},
            r"5 judges \(4.99 effective\) are .* plan 6 judges or more",
        ),
        ({"judges": 6, "loads": "zipf"}, r"6 judges \(4.0 effective\) are .* plan 9 judges"),
        ({"gap": "a"}, "gap cannot be 'a'"),
        ({"judges": 10, "judge_sd": 2.0}, "no number of judgments"),
    ],
)
def test_what_cannot_be_planned_is_refused(settings, refusal):
    with pytest.raises((UnknownOption, NotIdentified), match=refusal):
        evenhand.plan_gate(0.05, settings, campaigns=0)


def test_five_judges_judge_alike_much_since_fewer_than_five_effective_ones_decide_nothing():
    settings = {"judges": 5, "gap": 0.5}
    plan = evenhand.plan_gate(0.1, settings, campaigns=30)
    assert plan.design.judgments % 5 == 0
    assert {one.judgments % 5 for one, _ in plan.panels if one.judges == 5} <= {0}
    assert plan.decisions[-1].passed > 15
    for judgments, passes in ((200, True), (203, False)):
        drawn = gate_plan.simulate_gate(
            plan.spec,
            plan.spec.truth,
            replace(plan.design, judgments=judgments),
            plans.Asked(("new",), "old", 0.1),
            (10, lambda _: None),
        )
        assert (drawn.passed > 0) == passes
        assert passes or drawn.undecided == 10


def test_a_gate_that_nothing_passes_is_refused_with_the_reason():
    with pytest.raises(NotIdentified, match=r"better it is \(--gap, in Python gap=\)"):
        evenhand.plan_gate(0.0, {"judges": 40}, campaigns=0)
    assert evenhand.plan_gate(0.0, {"judges": 40, "gap": 0.5}, campaigns=0).expected >= 0.8
    with pytest.raises(NotIdentified, match=r"judge sd 4.5, assumed\).*--judge-sd SD"):
        evenhand.plan_gate(2.0, {"unit": "points", "judges": 6}, campaigns=0)
    with pytest.raises(NotIdentified, match=r"\(judge sd 1.5\)"):
        evenhand.plan_gate(0.05, {"judges": 20, "judge_sd": 1.5}, campaigns=0)


def test_panels_of_ratings_grow_as_simulation_asks():
    settings = {"unit": "points", "judges": 12, "judge_sd": 3.0, "item_sd": 6.0, "noise_sd": 10.0}
    plan = evenhand.plan_gate(5.0, settings, campaigns=60)
    (same,) = [one for one, _ in plan.panels if one.judges == 12]
    assert same.judgments == pytest.approx(plan.design.judgments, abs=2)


@pytest.mark.parametrize("settings", [{"items": 20}, {"items": 34, "judges": 20}])
def test_no_plan_has_more_judgments_than_judges_and_items_can_give(settings):
    for seed in range(3):
        design = evenhand.plan_gate(0.05, {**settings, "seed": seed}, campaigns=10).design
        assert design.judgments <= design.judges * settings["items"]


def test_the_command():
    words = ["plan", "--gate", ".1", "--judges", "50", "--campaigns", "0", "--cost-judgment", "2"]
    found = CliRunner().invoke(main, [*words, "--json"])
    assert found.exit_code == 0, found.output
    panels = {one["judges"]: one for one in json.loads(found.output)["panels"]}
    assert panels[50]["cost"] == 2 * panels[50]["judgments"]
    for more, refusal in (
        (["--llm-agreement", ".7", "--verdicts", "100"], "leave out --gate"),
        (["--systems", "4"], "leave out systems"),
    ):
        found = CliRunner().invoke(main, [*words, *more])
        assert found.exit_code == 2
        assert refusal in " ".join(found.output.split())
    found = CliRunner().invoke(main, ["plan", "--systems", "2", "--gap", "1", "--alpha", ".1"])
    assert found.exit_code == 2
    assert "say its margin too" in " ".join(found.output.split())


def test_what_was_not_stated_is_said_to_be_assumed():
    """15 points of chance and .3 and .6 times that, as `docs/planning.md` says."""
    settings = {"unit": "points", "judges": 300}
    text = str(evenhand.plan_gate(2.0, settings, campaigns=0))
    assert "as assumed: judge sd 4.5, item sd 9, noise sd 15" in " ".join(text.split())
    assert "Assumed, since not stated: judge_sd = 4.5, item_sd = 9, noise_sd = 15" in (
        " ".join(text.split())
    )
    some = evenhand.plan_gate(2.0, {**settings, "judge_sd": 2.0, "item_sd": 5.0}, campaigns=0)
    assert "not stated: noise_sd = 15 (points)" in some.notes[0]
    sds = {"judge_sd": 2.0, "item_sd": 5.0, "noise_sd": 9.0}
    text = str(evenhand.plan_gate(2.0, {**settings, **sds}, campaigns=0))
    assert "as stated: judge sd 2, item sd 5, noise sd 9" in " ".join(text.split())
    assert "Assumed" not in text
    found = evenhand.plan_gate(0.1, {"judges": 30}, campaigns=0)
    assert "not stated: ties = 0, judge_sd = 0" in found.notes[0]
    stated = evenhand.plan_gate(0.1, {"judges": 30, "ties": 0.2}, campaigns=0)
    assert "ties" not in stated.notes[0]
    fewest = min(one.judgments for one, _ in found.panels)
    assert max(one.judges for one, _ in found.panels) <= fewest


def test_where_prices_are_stated_the_cheapest_panel_is_planned():
    settings = {"judge_sd": 0.3, "cost_judgment": 1.0, "cost_judge": 30.0}
    plan = evenhand.plan_gate(0.1, settings, campaigns=0)
    costs = {one.judges: cost for one, cost in plan.panels}
    assert costs[plan.design.judges] == min(costs.values())
    free = evenhand.plan_gate(0.1, {**settings, "cost_judge": 300.0}, campaigns=0)
    assert free.design.judges < plan.design.judges
    assert evenhand.plan_gate(0.1, {"judge_sd": 0.3}, campaigns=0).design.judges == 20
    plan = evenhand.plan_gate(0.05, {"judge_sd": 0.3, "ties": 0.1}, campaigns=0)
    assert plan.design.judgments <= 2 * min(one.judgments for one, _ in plan.panels)


def test_a_plan_tells_what_simulation_showed_of_it_where_that_falls_short(monkeypatch):
    simulated, passes = [], gate_plan.Decisions("as good", 0.0, 20, 10, 0, 10)
    monkeypatch.setattr(
        gate_plan, "simulate_gate", lambda *given: simulated.append(given[2]) or passes
    )
    plan = evenhand.plan_gate(0.1, {"judges": 30}, campaigns=20)
    assert len(simulated) == gate_plan.ROUNDS + 1
    assert plan.design == simulated[-1] == simulated[-2]
    assert "That is less than the 80 % that are wanted." in str(plan)
    assert min(one.judgments for one, _ in plan.panels if one.judges == 30) > plan.design.judgments
