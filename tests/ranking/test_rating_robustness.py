"""What would change a ranking by ratings: choices, and how few judges and items carry it."""

import re
from dataclasses import replace
from itertools import combinations

import narwhals as nw
import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.ranking.inference import Settings
from evenhand.ranking.robustness.fragility import leave_levels_out
from evenhand.ranking.robustness.sensitivity import check_ratings

DEFAULT = Settings(evenhand.Adjusted(), "rank-sets")


def make(n=300, judges=8, seed=4):
    """Simulate ratings in which the lead of system a over b rests on two of the judges."""
    rng = np.random.default_rng(seed)
    judge, item = rng.integers(0, judges, n), rng.integers(0, 25, n)
    system = rng.integers(0, 3, n)
    score = 10 + np.array([-0.3, 0.0, -3.0])[system] + 0.5 * rng.normal(size=n)
    score += np.where((judge < 2) & (system == 0), 3.0, 0.0)
    return pl.DataFrame(
        {
            "judge": [f"judge-{one}" for one in judge],
            "item": [f"item-{one}" for one in item],
            "system": ["abc"[one] for one in system],
            "score": score,
        }
    )


def rows(frame):
    return evenhand.read(frame).rows()


def leads(frame):
    fit = evenhand.Adjusted().fit(evenhand.read(frame))
    return fit.systems[int(np.argmax(fit.estimate))]


@pytest.mark.parametrize("judges", [8, 10])  # of so many all sets are tried, or not
def test_the_named_judges_carry_the_lead_and_no_fewer_do(judges):
    frame = make(judges=judges)
    found = check_ratings(rows(frame), DEFAULT)
    (flip,) = [one for one in found.fragility.flips if one.unit == "judge" and "first" in one.claim]
    assert {one.judge for one in flip.removed} >= {"judge-0", "judge-1"}
    rest = frame.filter(~pl.col("judge").is_in([one.judge for one in flip.removed]))
    assert leads(rest) == flip.ahead == "b"
    smaller = combinations(sorted(set(frame["judge"])), flip.fewest - 1)
    assert all(leads(frame.filter(~pl.col("judge").is_in(some))) == "a" for some in smaller)


def by_gaps(**gaps):
    """Every judge scores a and others on three items; gaps: by how much a is ahead of each."""
    return pl.DataFrame(
        [
            (f"judge-{judge}", f"item-{item}", system, 50.0 + judge + item - gap)
            for system, of_judges in {"a": [0] * 10, **gaps}.items()
            for judge, gap in enumerate(of_judges)
            for item in range(3)
        ],
        schema=["judge", "item", "system", "score"],
        orient="row",
    )


@pytest.mark.parametrize(
    ("gaps", "predicted", "fewest"),
    [
        ([9, 9, *[-1] * 8], 2, 2),
        ([*[5] * 5, *[-3] * 5], 3, 3),
        ([*[9] * 4, *[-2] * 6], 4, 3),
        ([9, 9, 3, 3, 2, 2, *[-2] * 4], None, 3),
    ],
)
def test_cumulated_influence_predicts_how_many_judges_carry_the_lead(gaps, predicted, fewest):
    """Without judge j the mean gap g changes by (g - gap_j) / 9; the sums give both numbers."""
    for others in ({"b": gaps}, {"b": gaps, "c": [30, 30, *[2] * 8]}):  # two alone do for no c
        flips = evenhand.find_fragility(by_gaps(**others), pairs=[("a", "b")], most=1).flips
        flips += evenhand.find_fragility(by_gaps(**others), most=1).flips
        for flip in (one for one in flips if one.unit == "judge"):
            assert (flip.predicted, flip.fewest, flip.ahead) == (predicted, fewest, "b")


def test_influence_is_close_to_a_refit_without_the_judge():
    frame = make()
    fit = evenhand.Adjusted().fit(evenhand.read(frame))
    factor = fit.data.factors["judge"]
    changes = leave_levels_out(fit, factor.codes, factor.size)
    for at, judge in enumerate(factor.labels):
        again = evenhand.Adjusted().fit(evenhand.read(frame.filter(pl.col("judge") != judge)))
        centred = [one.estimate - one.estimate.mean() for one in (again, fit)]
        assert np.allclose(changes[at], centred[0] - centred[1], atol=0.02)


def test_every_choice_is_a_ranking_of_its_own():
    found = check_ratings(rows(make()), DEFAULT).sensitivity
    names = [one.name for one in found.choices]
    assert names[:4] == ["default", "model mean", "model z", "model mixed"]
    assert "clustered by judge alone" in names
    alone = evenhand.rank(evenhand.read(make()), cluster="judge")
    (by_judge,) = [one for one in found.choices if one.name == "clustered by judge alone"]
    assert by_judge.rank_upper == tuple(alone.rank_upper.tolist())


# The same through the public functions, which take ratings as `rank` does.


def test_public_functions_take_ratings_as_the_verb_does():
    frame = make()
    found = check_ratings(rows(frame), DEFAULT)
    assert evenhand.find_fragility(frame).flips == found.fragility.flips
    assert evenhand.vary_choices(frame).choices == found.sensitivity.choices
    watched = evenhand.watch(frame)
    assert watched.to_dict() == evenhand.rank(frame).to_dict()


def test_one_conclusion_and_one_pair_may_be_asked_about():
    frame = make()
    (pair,) = {one.claim for one in evenhand.find_fragility(frame, pairs=("b", "c")).flips}
    assert pair == "b is ahead of c"
    (first,) = {one.claim for one in evenhand.find_fragility(frame, most=1).flips}
    assert first == "a is first"


def test_a_ranking_that_is_known_says_the_direction():
    frame = make()
    board = evenhand.rank(frame, lower_is_better=True)
    assert board.systems[0] == "c"
    assert evenhand.find_fragility(frame, board=board).flips[0].subject == "c"
    varied = evenhand.vary_choices(frame, board=board)
    assert {one.systems[0] for one in varied.choices} == {"c"}


def test_the_name_of_a_criterion_says_which_scores_are_better_where_nobody_does():
    frame = make().with_columns(criterion=pl.lit("errors"))
    board = evenhand.rank(frame)
    assert (board.lower_is_better, board.systems[0]) == (True, "c")
    assert evenhand.vary_choices(frame).choices[1].systems[0] == "c"
    assert evenhand.find_fragility(frame, most=1).flips[0].subject == "c"
    assert evenhand.find_differences(frame).lower_is_better
    assert evenhand.compare_methods(frame, methods=["adjusted", "wmt-da"]).systems[0] == "c"


def test_references_that_are_ranked_are_ranked_by_every_choice():
    frame = make().with_columns(system=pl.col("system").replace("c", "ref-A"))
    for references, systems in ((None, {"a", "b"}), ((), {"a", "b", "ref-A"})):
        found = check_ratings(rows(frame), replace(DEFAULT, references=references)).sensitivity
        assert {frozenset(one.systems) for one in found.ranked} == {frozenset(systems)}


def test_controls_are_excluded_and_counted_once():
    frame = make().with_columns(kind=pl.lit("target"))
    control = frame.head(20).with_columns(kind=pl.lit("control"), score=pl.lit(0.0))
    both = pl.concat([frame, control])
    for work in (evenhand.find_fragility, evenhand.vary_choices, evenhand.watch):
        (excluded,) = work(both).excluded
        assert (excluded.code, excluded.rows, excluded.of_rows) == ("controls", 20, 320)


@pytest.mark.parametrize(
    ("work", "settings", "says"),
    [
        (evenhand.find_fragility, {"after": [1]}, "after: of comparisons"),
        (evenhand.find_fragility, {"outcomes": ["undecided"]}, "outcomes: of comparisons"),
        (evenhand.find_fragility, {"model": "mixed"}, "adjusted, mean and z"),
        (evenhand.find_fragility, {"pairs": [("b", "a")]}, "does not have b ahead of a"),
        (evenhand.vary_choices, {"judge_cap": "median"}, "judge_cap: of comparisons"),
        (evenhand.watch, {"order": "item"}, "order: of comparisons"),
    ],
)
def test_settings_of_votes_are_refused(work, settings, says):
    with pytest.raises(UnknownOption, match=says):
        work(make(), **settings)


def test_several_criteria_are_refused_with_what_chooses_one(tmp_path):
    both = pl.concat([make(seed=k).with_columns(criterion=pl.lit(f"c{k}")) for k in (4, 5)])
    path = tmp_path / "both.csv"
    both.write_csv(path)
    for work in (evenhand.find_fragility, evenhand.vary_choices):
        with pytest.raises(InvalidJudgments, match=r"\(c4, c5\).*choose one") as said:
            work(path)
        role = re.search(r"data\.where\(nw\.col\('(\w+)'\) == 'NAME'\)", str(said.value))[1]
        for data in (evenhand.read(path), evenhand.read(both)):
            assert work(data.where(nw.col(role) == "c4")).to_dict()


def test_a_campaign_is_planned_from_a_pilot_alone():
    plan = evenhand.plan_campaign(pilot=make(seed=6), campaigns=0)
    assert plan.to_dict() == evenhand.plan_campaign({}, pilot=make(seed=6), campaigns=0).to_dict()
    with pytest.raises(UnknownOption, match="nothing to plan from"):
        evenhand.plan_campaign()
