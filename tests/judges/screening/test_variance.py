"""Variance components of ratings and comparisons, and what designs would give."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.data.results import ITEM_SYSTEM, JUDGE_SYSTEM, Component
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.judges.variance import (
    DesignRequest,
    find_design,
    note_unknown,
    plan_design,
    say_answer,
)
from evenhand.models.random_judges import RandomJudges
from experiments.campaign import Campaign, generator
from golden_numbers import golden
from models.scored import rows_of, simulate


def table(replicate: int, judge: float = 0.5, item: float = 0.4, tie: float = 0.5) -> pl.DataFrame:
    """One vote a row."""
    made = Campaign(0.3, judge, item, systems=5, judges=20, items=40, n=3000, tie=tie)
    tally = made.simulate(generator(13, 70, replicate))
    labels = {name: tally.factor(name) for name in ("judge", "item")}
    outcome = [
        "left" if w else "tie" if t else "right"
        for w, t in zip(tally.wins, tally.ties, strict=True)
    ]
    return pl.DataFrame(
        {
            "left": [tally.systems[code] for code in tally.left],
            "right": [tally.systems[code] for code in tally.right],
            "outcome": outcome,
            **{name: [f.labels[code] for code in f.codes] for name, f in labels.items()},
        }
    )


def voted(replicate: int, judge: float = 0.5, item: float = 0.4) -> Comparisons:
    """The same, opened."""
    return Comparisons(nw.from_native(table(replicate, judge, item)))


# One entry for ratings, comparisons and rankings.

SDS = {"system": 1.0, "judge": 2.0, "judge x system": 1.0, "item x system": 1.0}


def frame(**columns):
    rows = simulate(1, SDS)
    plain = {
        "judge": [rows.judges[c] for c in rows.judge],
        "item": [rows.items[c] for c in rows.item],
        "system": [rows.systems[c] for c in rows.system],
        "score": rows.score,
    }
    return pl.DataFrame(plain).with_columns(**columns)


def test_several_tasks_or_criteria_are_refused_in_words():
    mixed = frame(criterion=pl.Series(["fluency", "adequacy"] * 150))
    with pytest.raises(InvalidJudgments, match="several criteria \\(adequacy, fluency\\)"):
        evenhand.estimate_components(evenhand.read(mixed))


def test_controls_are_left_out_and_repeats_averaged_as_is_said():
    kinds = pl.Series(["control"] * 20 + ["repeat"] * 10 + ["target"] * 270)
    table = frame(kind=kinds)
    found = evenhand.estimate_components(evenhand.read(table))
    means = table.tail(280).group_by("judge", "item", "system").agg(pl.col("score").mean())
    assert found.observed.judgments == 280
    alone = evenhand.estimate_components(evenhand.read(means))
    assert [one.sd for one in found.components] == pytest.approx(
        [one.sd for one in alone.components], abs=1e-6
    )
    assert any("20 controls excluded" in note for note in found.notes)
    assert any(f"leaves {len(means)} of 280 scores" in note for note in found.notes)


def test_the_likelihood_puts_random_judges_in_the_place_of_moments():
    found = evenhand.estimate_components(voted(1), method="likelihood")
    fit = RandomJudges().fit(voted(1))
    one = found.find("judge x system")
    assert one.how == "likelihood"
    assert one.sd == pytest.approx(fit.sigma)
    assert (one.lower, one.upper) == fit.sigma_interval
    assert found.find("item x system").how == "moments"
    assert any("comes from the likelihood" in note for note in found.notes)


def test_rankings_are_taken_apart_and_their_likelihood_is_not_claimed():
    rng = np.random.Generator(np.random.PCG64(4))
    taste = rng.normal(0, 0.7, (12, 4))
    rows = []
    for ranking in range(360):
        judge, item = ranking % 12, int(rng.integers(0, 40))
        worth = np.array([0.9, 0.5, 0.2, 0.0]) + taste[judge] + rng.gumbel(size=4)
        place = np.argsort(np.argsort(-worth)) + 1
        rows += [
            {
                "ranking": str(ranking),
                "judge": f"j{judge}",
                "item": str(item),
                "system": "ABCD"[s],
                "rank": int(place[s]),
            }
            for s in range(4)
        ]
    data = evenhand.read(pl.DataFrame(rows))
    found = evenhand.estimate_components(data, method="likelihood")
    assert found.kind == "rankings"
    assert found.find("judge x system").how == "moments"
    assert found.find("judge x system").p < 0.001
    assert any("upper bound" in note for note in found.notes)
    assert found.observed.judgments == 360


def test_judges_who_scored_everything_cancel_in_wmt22(data_folder):
    rows = evenhand.read(data_folder / "wmt22_calibration" / "ratings.parquet").rows()
    part = rows.split(["task", "criterion"])["eng-hrv", "da_sqm"]
    found = evenhand.estimate_components(part)
    # every judge scored all of 100 outputs, each document being of one system
    assert found.find("item").carries == ("item x system",)
    assert found.sharing["judge"] == pytest.approx(0, abs=1e-12)


def test_what_a_judge_says_twice_of_an_output_counts_once():
    rows = frame().unique(["judge", "item", "system"], maintain_order=True).head(120)
    one = evenhand.estimate_components(evenhand.read(rows))
    twice = evenhand.estimate_components(evenhand.read(pl.concat([rows, rows])))
    for own, other in zip(one.components, twice.components, strict=True):
        assert other.sd == pytest.approx(own.sd, rel=1e-6, abs=1e-6)
        assert other.p == pytest.approx(own.p) if own.p is not None else other.p is None
    assert twice.stderr == pytest.approx(one.stderr)
    assert any(f"{len(rows):,} scores repeat one of the same judge" in note for note in twice.notes)
    assert not any("repeat" in note for note in one.notes)


def test_tastes_too_strong_for_moments_are_left_to_the_likelihood():
    strong = voted(3, judge=4.0)
    with pytest.raises(NotIdentified, match="--method likelihood"):
        evenhand.estimate_components(strong)
    found = evenhand.estimate_components(strong, method="likelihood")
    one = found.find("judge x system")
    assert one.sd == RandomJudges().fit(strong).sigma
    assert one.sd > 2
    assert found.find("item x system") is None
    assert found.stderr is None
    with pytest.raises(NotIdentified, match="so strong"):
        found.plan(5, 20)


def test_a_zero_of_which_nothing_is_known_is_said_to_be_unknown():
    components = (
        Component(ITEM_SYSTEM, 0.0, 6, 0.0, float("inf"), 0.7),
        Component(JUDGE_SYSTEM, 0.0, 6, 0.0, 0.3, 0.7),
    )
    (note,) = note_unknown(components)
    assert "Nothing is known about item x system" in note
    assert "assume that there is none" in note


# Designs: Brennan's figures, the formulas, and searches that keep their word.

PLAN_SDS = {
    "system": 2.0,
    "judge": 3.0,
    "item": 2.0,
    "residual": 3.0,
    "judge x system": 1.0,
    "item x system": 1.5,
    "judge x item": 1.0,
}


@pytest.fixture(scope="module")
def found():
    return evenhand.estimate_components(simulate(1, PLAN_SDS, n=500, sizes=(8, 20, 5)))


def test_a_design_of_the_size_that_was_judged_has_brennans_errors():
    entry = golden("variance_components", "brennan_p_i_o")
    scores = np.array(entry.input["scores"], dtype=float).reshape(10, 2, 4)
    system, judge, item = np.indices(scores.shape)
    made = evenhand.estimate_components(rows_of(judge, item, system, scores))
    v = entry.expected
    relative = v["judge x system"] / 2 + v["item x system"] / 4 + v["residual"] / 8
    absolute = relative + v["judge"] / 2 + v["item"] / 4 + v["judge x item"] / 8
    plan = made.plan(2, 4)
    assert plan.stderr == pytest.approx(np.sqrt(2 * relative), rel=1e-3)
    assert plan.reliability == pytest.approx(v["system"] / (v["system"] + relative), rel=1e-3)
    assert plan.dependability == pytest.approx(v["system"] / (v["system"] + absolute), rel=1e-3)
    assert made.stderr == pytest.approx(plan.stderr)
    assert made.reliability == pytest.approx(plan.reliability)


def test_raters_within_tasks_as_they_were_have_the_generalizability_that_brennan_prints():
    entry = golden("variance_components", "brennan_p_r_in_t")
    scores = np.array(entry.input["scores"], dtype=float).reshape(10, 3, 4)
    system, item, rater = np.indices(scores.shape)
    made = evenhand.estimate_components(rows_of(4 * item + rater, item, system, scores))
    assert made.stderr**2 / 2 == pytest.approx(entry.expected["relative error"], abs=1e-4)
    assert made.reliability == pytest.approx(entry.expected["generalizability"], abs=1e-4)
    plan = made.plan(12, 3, 4)
    assert plan.stderr**2 / 2 == pytest.approx(entry.expected["relative error"], abs=1e-4)


def test_where_differences_cannot_be_known_no_design_is_planned():
    judge, item = np.indices((4, 20))
    noise = np.random.Generator(np.random.PCG64(3)).normal(0, 1, (4, 20))
    triple = np.indices((3, 4, 2))
    for rows, why in (
        (simulate(1, PLAN_SDS, sizes=(8, 20, 1)), "there is one system"),
        (rows_of(judge, item, judge, noise), "a judge of its own"),
        (rows_of(*triple, np.full(24, 3.0)), "all scores are equal"),
    ):
        made = evenhand.estimate_components(rows)
        assert made.stderr is None
        with pytest.raises(NotIdentified, match=why):
            made.plan(3, 10)


def test_what_cannot_be_told_apart_counts_as_what_falls_most_slowly():
    judge, item = np.indices((6, 24))
    rng = np.random.Generator(np.random.PCG64(4))
    score = rng.normal(0, 1, (6, 24)) + rng.normal(0, 2, 24)[item]
    made = evenhand.estimate_components(rows_of(judge, item, item % 3, score))
    item_variance = made.find("item").variance
    assert made.find("item").carries == ("item x system",)
    assert plan_design(made, 1000, 10).stderr ** 2 >= 2 * item_variance / 10


@pytest.mark.parametrize("wish", [{"stderr": 1.5}, {"reliability": 0.9}])
@pytest.mark.parametrize("each", [None, 2])
def test_the_design_that_is_found_keeps_the_wish_and_none_smaller_does(found, wish, each):
    answer = find_design(found, DesignRequest(**wish, each=each))
    best = answer.best
    assert best.stderr <= answer.wish + 1e-9
    if "reliability" in wish:
        assert best.reliability >= 0.9 - 1e-9
    for judges in range(2, best.judges * best.items):
        fewer = (best.judges * best.items - 1) // judges
        if fewer >= 1:
            assert plan_design(found, judges, fewer, each).stderr > answer.wish
    if answer.least > 2:
        assert plan_design(found, answer.least - 1, 100_000, each).stderr > answer.wish


def test_a_wish_beyond_a_thousand_judges_has_no_design(found):
    assert find_design(found, DesignRequest(stderr=0.001)).best is None


def test_no_output_has_more_judges_than_there_are(found):
    assert found.plan(3, 20, 5) == found.plan(3, 20, 3) == found.plan(3, 20)


def test_no_reliability_is_promised_where_systems_do_not_differ():
    rows = simulate(1, PLAN_SDS)
    means = np.bincount(rows.system, rows.score) / np.bincount(rows.system)
    level = rows_of(rows.judge, rows.item, rows.system, rows.score - means[rows.system])
    made = evenhand.estimate_components(level)
    assert made.find("system").variance == 0
    assert made.plan(5, 10).reliability is None
    with pytest.raises(NotIdentified, match="none between systems"):
        find_design(made, DesignRequest(reliability=0.9))


def test_of_comparisons_the_fewest_are_planned_and_then_the_fewest_items():
    made = evenhand.estimate_components(voted(1))
    answer = find_design(made, DesignRequest(stderr=0.2))
    best = answer.best
    assert best.stderr <= 0.2
    assert plan_design(made, best.judges - 1, 100_000).stderr > 0.2
    assert plan_design(made, best.judges, best.items - 1).stderr > 0.2
    said = " ".join(say_answer(made, answer, "It"))
    assert f"With fewer than {answer.least} judges of 150 comparisons each no number" in said


def test_comparisons_have_the_variance_of_tastes_and_chance():
    made = evenhand.estimate_components(voted(1))
    judge, item = (made.find(f"{name} x system").variance for name in ("judge", "item"))
    plan = made.plan(10, 50, 100)
    tastes = (2 * judge / 10 + 2 * item / 50) / made.growth
    assert plan.stderr**2 == pytest.approx(tastes + made.per_vote / 1000)
    assert plan.judgments == 1000
    assert plan.dependability is None
