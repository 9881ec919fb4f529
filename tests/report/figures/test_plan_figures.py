"""Curves of a plan."""

from itertools import pairwise

import pytest

from evenhand.design.plan import plan_campaign
from evenhand.report.figures.predictions import HARDEST, draw_plan, mark_numbers


@pytest.fixture(scope="module")
def plan():
    return plan_campaign({"systems": 3, "gap": 0.6, "judges": 20}, campaigns=10)


@pytest.mark.parametrize("by", ["judgments", "judges"])
def test_the_curve_shows_every_point_and_the_simulated_design(plan, by):
    wish, planned, curve, point = draw_plan(plan)[f"power-by-{by}"].rows
    drawn = [row for row in curve if row["pairs"] == HARDEST]
    points = plan.by_judges if by == "judges" else plan.by_judgments
    assert [row["power"] for row in drawn] == [one.weakest for one in points]
    assert [row[by] for row in drawn] == [getattr(one, by) for one in points]
    assert wish == [{"power": 0.8}]
    assert point[0]["power"] == plan.weakest.power
    assert point[0]["lower"] == plan.weakest.lower
    assert planned == [{by: getattr(plan.design, by)}]


def test_one_pair_is_drawn_once_and_named():
    found = plan_campaign({"systems": 2, "gap": 0.6, "judges": 20}, campaigns=0)
    curve = draw_plan(found)["power-by-judgments"].rows[2]
    assert {row["pairs"] for row in curve} == {"S1 > S2"}


@pytest.mark.parametrize(
    ("least", "most", "planned"), [(434, 13872, 3468), (5, 160, 40), (2, 9, 7)]
)
def test_the_axis_marks_the_planned_number_and_no_two_too_near_each_other(least, most, planned):
    marks = mark_numbers(least, most, planned)
    assert planned in marks
    assert all(later / now >= 1.5 for now, later in pairwise(marks))
    assert all(least <= mark <= most for mark in marks)
