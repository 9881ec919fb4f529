"""Sensitivity: each choice is the ranking that `rank` makes, and designed conclusions are lost."""

import numpy as np
import pandas as pd
import pytest

import evenhand
from evenhand.errors import UnknownOption
from evenhand.ranking.robustness.sensitivity import Choice, Sensitivity

NAMES = ["judge", "item", "left", "right", "outcome"]


def votes(rows, columns=NAMES):
    return evenhand.read(pd.DataFrame(rows, columns=columns))


def campaign(seed=1, judges=12, n=900):
    rng = np.random.default_rng(seed)
    worth = {"A": 1.0, "B": 0.7, "C": -0.5}
    rows = []
    for i in range(n):
        one, other = rng.choice(list(worth), 2, replace=False)
        won = rng.random() < 1 / (1 + np.exp(worth[other] - worth[one]))
        outcome = "tie" if rng.random() < 0.15 else "left" if won else "right"
        rows.append((f"j{int(rng.integers(judges)):02d}", f"q{i % 25}", one, other, outcome))
    return rows


def decided(ranking):
    return {tuple(pair) for pair in ranking.to_dict()["rank_sets"]["decided"]}


def test_each_choice_is_the_ranking_by_that_choice():
    data = votes(campaign())
    found = {one.name: one for one in evenhand.vary_choices(data).choices}
    assert evenhand.rank(data).rank_sets.clusterings == ("judge", "item")
    assert "clustered by judge and item" not in found  # which is the default
    same = {
        "default": evenhand.rank(data),
        "ties excluded": evenhand.rank(data, model=evenhand.BradleyTerry(ties="discard")),
        "ties as half wins": evenhand.rank(data, model=evenhand.BradleyTerry(ties="half-win")),
        "clustered by judge alone": evenhand.rank(data, cluster="judge"),
        "judgments taken as independent": evenhand.rank(data, cluster="judgment"),
        "busy judges capped at the median": evenhand.rank(data, judge_cap="median"),
        "advantage of the first output": evenhand.rank(
            data, model=evenhand.BradleyTerry(order_effect=True)
        ),
    }
    for name, ranking in same.items():
        assert found[name].systems == ranking.systems
        assert set(found[name].decided) == decided(ranking)
        assert found[name].rank_upper == tuple(ranking.rank_upper.tolist())


def test_a_lead_that_one_busy_judge_makes_is_lost_when_busy_judges_are_capped():
    rows = [("busy", f"q{i}", "A", "B", "left") for i in range(400)]
    rows += [
        (f"j{j}", f"q{i}", "A", "B", "left" if (i + j) % 10 < 3 else "right")
        for j in range(10)
        for i in range(30)
    ]
    found = evenhand.vary_choices(votes(rows))
    assert found.leaders == ("A", "B")
    assert "A leads, but not in these rankings: busy judges capped at the median" in found.says[0]


def test_a_pair_that_only_independent_votes_decide_does_not_survive():
    rows = [
        (f"j{j}", f"q{j}{i}", "A", "B", "left" if j < 6 else "right")
        for j in range(10)
        for i in range(40)
    ]
    data = votes(rows)
    found = evenhand.vary_choices(data)
    (one,) = [each for each in found.conclusions if (each.better, each.worse) == ("A", "B")]
    assert not one.by_default
    assert one.under == ("clustered by item alone", "judgments taken as independent")
    assert not one.survives
    assert not any(each.survives for each in found.conclusions)
    assert "decides no pair" in found.says[1]


def test_who_is_level_neither_leads_nor_is_turned_round():
    level = Choice("default", ("A", "B", "C"), (1, 1, 3), (1, 1, 3), (2, 2, 3), ())
    same = Choice("same", ("A", "B", "C"), (1, 1, 3), (1, 1, 3), (2, 2, 3), ())
    apart = Choice("apart", ("A", "B", "C"), (1, 2, 3), (1, 1, 3), (2, 2, 3), ())
    behind = Choice("behind", ("B", "A", "C"), (1, 2, 2), (1, 1, 3), (2, 2, 3), ())
    found = Sensitivity((level, same), 0.95, (), "")
    assert found.leaders == ("A", "B")
    assert found.says[0].endswith("A and B lead, level, in all 2 rankings.")
    assert found.changes(same) == ()
    assert found.changes(apart) == ("A ahead of B",)
    assert found.changes(behind) == ("B ahead of A", "A and C level")
    assert Sensitivity((apart, level), 0.95, (), "").changes(level) == ("A and B level",)
    assert Sensitivity((level,), 0.95, (), "").says[0] == (
        "A and B lead, level, in the only ranking there is."
    )
    mixed = Sensitivity((apart, level), 0.95, (), "").says[0]
    assert mixed.endswith("A leads, but not in these rankings: default (A level with B).")


def test_each_choice_differs_from_what_was_asked_in_one_thing():
    data = votes(campaign())
    model = evenhand.BradleyTerry(ties="half-win", order_effect=True)
    found = {
        one.name: one
        for one in evenhand.vary_choices(data, model=model, judge_cap="median").choices
    }
    assert "default" not in found
    own = evenhand.rank(data, model=model, judge_cap="median")
    assert set(found["as asked"].decided) == decided(own)
    full = evenhand.rank(data, model=model)
    assert set(found["busy judges count in full"].decided) == decided(full)
    davidson = evenhand.BradleyTerry(order_effect=True)
    other = evenhand.rank(data, model=davidson, judge_cap="median")
    assert found["ties by Davidson"].rank_upper == tuple(other.rank_upper.tolist())


def test_orders_alone_are_the_orders_of_the_choices_that_change_any():
    data = votes(campaign())
    whole = {one.name: one for one in evenhand.vary_choices(data).choices}
    found = evenhand.vary_choices(data, board=evenhand.rank(data), decide=False)
    names = [one.name for one in found.choices]
    assert names == [name for name in whole if "clustered" not in name and "indep" not in name]
    for one in found.choices:
        assert (one.systems, one.rank) == (whole[one.name].systems, whole[one.name].rank)
    assert found.choices[0].decided == whole["default"].decided
    assert all(not one.decided for one in found.choices[1:])
    (lead,) = found.says
    assert lead.endswith(f"A leads in all {len(names)} rankings.")
    assert "was not asked" in found.notes[-1]


def test_several_tasks_are_refused():
    rows = [(t, "A", "B", o) for t in ("x", "y") for o in ("left", "right", "left")]
    with pytest.raises(UnknownOption, match="choose a task"):
        evenhand.vary_choices(votes(rows, ["task", "left", "right", "outcome"]))
