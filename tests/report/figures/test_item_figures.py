"""Who wins on the most one-sided items, drawn in the order of board and table."""

from __future__ import annotations

from drawn_figures import marks, texts
from evenhand.report.figures.judges import ITEM_SIDES as SIDES
from evenhand.report.figures.judges import draw_sides
from evenhand.report.figures.style import ACCENT, CONTRAST


def test_systems_stand_in_the_order_of_the_board_and_items_in_that_of_the_table():
    rows = [
        {
            "item": item,
            "system": system,
            "net": net,
            "strength": abs(net),
            "votes": 4,
            "side": SIDES[net < 0],
        }
        for item, system, net in (("7", "B", 1.0), ("7", "A", -1.0), ("3", "A", 0.5))
    ]
    chart = draw_sides(rows, ["A", "B"])
    assert [word for word in texts(chart) if word in {"A", "B", "7", "3"}] == ["A", "B", "7", "3"]
    assert [row["side"] for row in rows] == ["wins there", "loses there", "wins there"]
    assert (marks(chart, ACCENT), marks(chart, CONTRAST)) == (3, 2), "with those of the legend"
