"""Whether the place matters: planted advantages are found, judges named, refusals said."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest

from evenhand.report.analysis import Analysis
from evenhand.report.answer import PLACE, SIDES
from evenhand.report.document import Check, Section
from evenhand.report.sections.robustness import write_section_order as write_section
from studied_judges import open_votes


def simulate(advantage: float, always_first: tuple[int, ...] = ()) -> Analysis:
    """Return 20 judges' votes on four systems, some of whom always take the first output."""
    rng = random.Random(5)
    worth = {"a": 0.6, "b": 0.2, "c": -0.2, "d": -0.6}
    rows = []
    for at in range(1600):
        left, right = rng.sample("abcd", 2)
        won = rng.random() < 1 / (1 + 2.718281828 ** -(worth[left] - worth[right] + advantage))
        outcome = "left" if won or at % 20 in always_first else "right"
        rows.append((left, right, outcome, f"j{at % 20:02d}"))
    return open_votes(rows, "judge")


def check(section: Section) -> Check:
    (found,) = section.checks
    assert found.name == "order"
    return found


def test_without_an_advantage_the_check_is_passed() -> None:
    section = write_section(simulate(0.0))
    assert check(section).state == "passed"
    assert check(section).recommendation == ""
    assert check(section).p > 0.05
    assert check(section).says.startswith("not significant: the first wins ")
    assert section.says[0].startswith("No significant position bias: ")


def test_a_planted_advantage_warns_with_its_size_where_the_order_stays() -> None:
    section = write_section(simulate(0.8))
    found = check(section)
    assert found.state == "warning"
    assert found.recommendation.startswith(
        "With the order effect in the model the decided order stays."
    )
    assert found.p < 1e-6  # z is about 15
    assert "rank FILE --order-effect" in found.recommendation
    assert found.says.startswith("yes, for the first")
    share = float(found.says.split("first wins ")[1].split(" %")[0])
    assert share == pytest.approx(69, abs=4)  # 1 / (1 + exp(-.8))
    assert section.says[0].startswith("Position bias: ")


def test_judges_who_always_take_the_first_are_named_and_drawn() -> None:
    section = write_section(simulate(0.0, (3, 8)))
    found = check(section)
    assert found.state == "warning"
    assert found.says.endswith("; 2 of 20 judges differ")
    assert "j03" in section.says[2]
    assert "j08" in section.says[2]
    rows = [row for rows in section.figures[0].datasets.values() for row in rows]
    assert {row["judge"] for row in rows if row.get("kind") == "stands out"} == {"j03", "j08"}


def sided(first: int, of: int, repeats: int = 1) -> Analysis:
    """Return votes of equal systems of which so many of each pair go to the output shown first."""
    rows = [
        (one, two, "left" if at < first else "right")
        for one, two in permutations("abc", 2)
        for at in range(of)
        for _ in range(repeats)
    ]
    return open_votes(rows)


def test_an_advantage_of_the_second_is_said_to_be_one() -> None:
    section = write_section(sided(30, 100))
    assert check(section).state == "warning"
    assert check(section).says.startswith(
        "yes, for the second: the first wins 30.0 % between equals"
    )
    assert section.says[0].startswith("Position bias: ")


def test_a_slight_advantage_is_said_with_its_side_and_is_no_alarm() -> None:
    found = check(write_section(sided(48, 100, 12)))
    assert found.says.startswith("slight, for the second: the first wins 48.0 %")
    assert found.state == "passed"


def test_a_wide_interval_around_one_half_is_no_green_light() -> None:
    section = write_section(sided(11, 20))
    found = check(section)
    assert found.state == "cannot tell"  # 66 of 120: 46 to 64 %
    assert found.says.startswith("undecided: the first wins 55.0 % between equals (45.9")


def test_decided_pairs_that_turn_round_are_counted() -> None:
    rows = [("a", "b", "left")] * 500 + [("a", "b", "right")] * 300
    rows += [("b", "a", "left")] * 140 + [("b", "a", "right")] * 60
    study = open_votes(rows)
    assert study.ranking.rank_sets is not None
    assert study.ranking.rank_sets.decided[0, 1]
    found = check(write_section(study))
    assert found.state == "failed"
    assert "With the order effect in the model b and not a is first." in found.recommendation


def shown(times: tuple[int, int]) -> Analysis:
    """Of three systems each pair in either order so often by 8 judges; two take the first."""
    rows = [
        (*pair, "left" if judge < 2 or at % 2 else "right", f"j{judge}", f"i{at}")
        for judge in range(8)
        for first, second in combinations("abc", 2)
        for pair, n in zip(((first, second), (second, first)), times, strict=True)
        for at in range(n)
    ]
    return open_votes(rows, "judge", "item")


def test_who_showed_both_orders_is_not_told_to() -> None:
    found = check(write_section(shown((10, 10))))
    assert found.state == "warning"
    assert "both orders" not in found.recommendation
    assert "both orders" in check(write_section(shown((18, 2)))).recommendation


def test_judges_who_lean_to_a_side_are_told_from_a_place_that_matters() -> None:
    assert check(write_section(simulate(0.0, (3, 8)))).issues == (SIDES,)
    assert check(write_section(simulate(0.8))).issues == (PLACE,)
