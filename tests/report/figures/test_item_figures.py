"""Items are drawn as they are counted: seen as bars, blind answers as marks."""

from __future__ import annotations

import re

from drawn_figures import marks, svg, texts
from evenhand.report.figures.judges import BLIND, SEEN, draw_shares, draw_sides
from evenhand.report.figures.judges import ITEM_SIDES as SIDES
from evenhand.report.figures.style import ACCENT, CONTRAST


def test_seen_and_blind_items_are_told_apart_by_mark_and_colour():
    rows = [
        {"share": share, "who": who, "items": items}
        for share, seen, blind in (("0–9 %", 3, 5.5), ("100 %", 7, 1.25))
        for who, items in ((SEEN, seen), (BLIND, blind))
    ]
    drawn = svg(draw_shares(rows))
    (bars,) = re.findall(rf'<path d="([^"]*)"[^>]*fill: {ACCENT}', drawn)
    assert len({*re.findall(r"M ([\d.]+)", bars)}) == 2
    assert (
        len(re.findall(rf"<path [^>]*fill: none; stroke: {CONTRAST}; stroke-width: 3", drawn)) == 2
    )
    assert [word for word in texts(draw_shares(rows)) if "%" in word] == ["0–9 %", "100 %"]
    assert {SEEN, BLIND} <= {*texts(draw_shares(rows))}


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
