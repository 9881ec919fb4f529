"""Whether the model fits: planted pairs fail, simulated worlds pass, refusals are said."""

from __future__ import annotations

import random
from itertools import permutations

import pandas as pd
import pytest

import evenhand
from evenhand.data.comparisons import Comparisons
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.render.document import Table, write_p
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.answer import CIRCLES, LADDER, MINDS, PLACE
from evenhand.report.document import UNDECIDED, Check, Section
from evenhand.report.sections.model import (
    Doubt,
    adjust_doubts,
    check_open,
    list_doubts,
    write_section_model,
)
from evenhand.report.sections.model import write_section_circles as write_circles

WORTH = {"a": 0.9, "b": 0.4, "c": 0.0, "d": -0.4, "e": -0.9}


def simulate(planted: float = 0.0, *, full: bool = False, task: str = "") -> Analysis:
    """Return votes on five systems; b beats d by so many log-odds more than worths say."""
    rng = random.Random(8)
    rows = []
    for _ in range(2400):
        left, right = rng.sample("abcde", 2)
        gap = WORTH[left] - WORTH[right]
        gap += planted * ((left == "b" and right == "d") - (left == "d" and right == "b"))
        won = rng.random() < 1 / (1 + 2.718281828**-gap)
        rows.append((left, right, "left" if won else "right"))
    votes = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome"]))
    return Analysis(votes, Settings(full=full), task)


def check(section: Section) -> Check:
    (found,) = section.checks
    assert found.name == "model"
    return found


def table(section: Section, name: str) -> Table:
    return next(one for one in section.tables if one.name == name)


def test_judgments_that_follow_the_model_pass() -> None:
    section = write_section_model(simulate())
    assert check(section).state == "passed"
    assert check(section).says.startswith("not significant (p ")
    assert all(row["p"] > 0.05 for row in table(section, "deviations").rows)


def test_a_planted_pair_warns_and_is_named_with_its_shares() -> None:
    section = write_section_model(simulate(1.5))
    found = check(section)
    assert found.state == "warning"  # b won more of d than its worth says, and is better anyway
    assert "Each against each" in found.recommendation
    assert found.recommendation.startswith("The decided order stays. ")
    worst = table(section, "deviations").rows[0]
    assert (worst["first"], worst["second"]) == ("b", "d")
    assert worst["won"] == pytest.approx(0.91, abs=0.04)  # 1 / (1 + exp(-(.8 + 1.5)))


def read(rows: list[tuple[str, ...]], *more: str) -> Comparisons:
    found = evenhand.read(pd.DataFrame(rows, columns=["left", "right", "outcome", *more]))
    assert isinstance(found, Comparisons)
    return found


def test_a_planted_advantage_of_the_first_is_a_warning_although_pairs_fit() -> None:
    rng = random.Random(3)
    rows = []
    for _ in range(1500):
        left, right = rng.sample("abcd", 2)
        gap = WORTH[left] - WORTH[right] + 1.0
        rows.append(
            (left, right, "left" if rng.random() < 1 / (1 + 2.718281828**-gap) else "right")
        )
    study = Analysis(read(rows))
    found = check(write_section_model(study))
    assert not study.cycles.real
    assert found.state == "warning"  # sides were randomised: the order stays
    assert found.says.startswith("no: there is a position bias (p ")
    assert found.issues == (PLACE,)
    assert "Is there a position bias?" in found.recommendation
    taken = Analysis(study.pairs, Settings(model=BradleyTerry(order_effect=True)))
    assert check(write_section_model(taken)).state == "passed"


def test_judges_of_opposite_minds_are_a_warning_although_pairs_fit() -> None:
    rng = random.Random(4)
    rows = []
    for at in range(1600):
        left, right = rng.sample("abcd", 2)
        gap = (WORTH[left] - WORTH[right]) * (-1.5 if at % 8 == 0 else 1.5)
        won = rng.random() < 1 / (1 + 2.718281828**-gap)
        rows.append((left, right, "left" if won else "right", f"j{at % 8}"))
    found = check(write_section_model(Analysis(read(rows, "judge"))))
    assert found.state == "warning"  # all judged equally much: seven of eight carry the order
    assert "judges differ in what they prefer" in found.says
    assert found.issues == (MINDS,)


def test_few_votes_on_equal_systems_do_not_make_the_light_green() -> None:
    rows = [(one, two, out) for one, two in permutations("abcde", 2) for out in ("left", "right")]
    section = write_section_model(Analysis(read(rows * 3)))
    assert check(section).state == UNDECIDED
    assert check(section).says.startswith("too few judgments")


def test_the_p_of_the_light_are_adjusted_for_its_tests() -> None:
    study = simulate(0.9)
    doubts = list_doubts(study, study.cycles, None)
    small, large = sorted(one.p for one in doubts)
    assert len(doubts) == 2
    assert large > 2 * small
    assert f"(p {write_p(2 * small)})" in check(write_section_model(study)).says


def test_whoever_passed_a_prior_is_not_told_to_pass_one() -> None:
    rows = [("a", "b", "left")] * 6 + [("b", "a", "left")] * 4 + [("c", "d", "left")] * 6
    study = Analysis(read(rows), Settings(model=BradleyTerry(prior=1.0)))
    section = write_section_model(study)
    assert check(section).state == "not run"
    assert "--prior" not in check(section).says + "".join(section.says)
    assert "takes no prior" in check(section).says


def circle(wins: int, losses: int) -> Analysis:
    """Return votes of 8 judges on 20 items in which each of three beats the next so often."""
    pairs = [("a", "b"), ("b", "c"), ("c", "a")]
    rows = [
        (*(pair if at % 2 else pair[::-1]), "left" if (at < wins) == bool(at % 2) else "right")
        for pair in pairs
        for at in range(wins + losses)
    ]
    frame = pd.DataFrame(rows, columns=["left", "right", "outcome"])
    frame["judge"] = [f"j{at % 8}" for at in range(len(frame))]
    frame["item"] = [f"i{at * 7 % 20}" for at in range(len(frame))]
    return Analysis(evenhand.read(frame))


def test_a_sure_circle_fails_the_light_whatever_else_is_tested_beside_it() -> None:
    """The circle is real by itself; the answer must not stand without a word of it."""
    study = circle(240, 60)
    found = check(write_section_model(study))
    assert write_circles(study).checks[0].state == found.state == "failed"
    assert {*found.issues} & {LADDER, CIRCLES}


def test_what_a_test_finds_by_itself_alone_is_not_called_too_few_judgments() -> None:
    """Of three tests of p .02, .5 and .9 the first is .06 by Holm: that is open, and no silence."""
    doubts = (
        Doubt(LADDER, 0.02),
        *(Doubt(MINDS, p) for p in (0.5, 0.9)),
    )
    found = check_open(adjust_doubts(doubts), 0.05)
    assert found is not None
    assert found.state == UNDECIDED
    assert found.says == (
        "perhaps not: one ranking does not fit all judgments (unadjusted p 0.020, 0.060 in 3 tests)"
    )
