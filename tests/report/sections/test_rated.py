"""Items on which systems or judges are apart: counted by hand, planted, drawn towards the mean."""

import pytest

from evenhand.ratings.matrix import SHRINKAGE, spread_items
from evenhand.report.sections.data import write_section_rated as write_section
from rated_studies import is_plain, make_rows, study, table


def test_differences_are_counted_by_judge_and_drawn_towards_all_items():
    rows = [
        {"judge": judge, "item": item, "system": system, "score": score}
        for judge, item, system, score in (
            ("a", "1", "x", 5.0),
            ("a", "1", "y", 1.0),
            ("b", "1", "x", 4.0),
            ("b", "1", "y", 2.0),
            ("a", "2", "x", 3.0),
            ("a", "2", "y", 3.5),
            ("b", "2", "x", 1.0),  # b scored one system of item 2: no difference
        )
    ]
    first, second = spread_items(study(rows).rated.targets)
    mean = (4 + 2 + 0.5) / 3
    assert (first.item, first.differences, first.difference) == ("1", 2, 3.0)
    assert first.drawn == pytest.approx((6 + SHRINKAGE * mean) / (2 + SHRINKAGE))
    assert (first.high, first.low) == ("x", "y")
    assert second.difference == 0.5
    assert (second.high, second.low) == ("y", "x")


def test_a_planted_item_comes_first_for_systems():
    rows = [
        {**row, "score": row["score"] + 15 * (row["system"] == "poor") * (row["item"] == "i07")}
        for row in make_rows()
    ]
    section = write_section(study(rows))
    first = table(section, "systems").rows[0]
    assert (first["item"], first["high"]) == ("i07", "poor")
    assert "on item i07:" in section.says[0]
    assert is_plain(section)


def test_a_planted_item_comes_first_for_judges():
    rows = [
        {**row, "score": row["score"] + 20 * (int(row["judge"][1:]) % 2) * (row["item"] == "i05")}
        for row in make_rows()
    ]
    section = write_section(study(rows))
    assert table(section, "judges").rows[0]["item"] == "i05"
    assert "Judges are farthest apart on item i05" in section.says[-1]


def test_one_judge_an_output_leaves_the_systems():
    rows = [row for row in make_rows() if int(row["item"][1:]) % 9 == int(row["judge"][1:])]
    section = write_section(study(rows))
    assert [one.name for one in section.tables] == ["systems"]
    assert section.says[-1].startswith("Where judges differ cannot be seen: no output was judged")


def test_without_items_it_says_so():
    section = write_section(study(make_rows(), drop=("item",)))
    assert section.says == (
        "No column of items was found: it is unknown which outputs belong together.",
    )
