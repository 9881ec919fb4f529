"""Items are drawn as they are counted: seen as bars, blind answers as marks."""

from __future__ import annotations

from evenhand.report.figures.judges import BLIND, SEEN, draw_shares, draw_sides
from evenhand.report.figures.judges import ITEM_SIDES as SIDES


def test_seen_and_blind_items_are_told_apart_by_mark_and_colour():
    rows = [
        {"share": share, "who": who, "items": items}
        for share, seen, blind in (("0–9 %", 3, 5.5), ("100 %", 7, 1.25))
        for who, items in ((SEEN, seen), (BLIND, blind))
    ]
    drawn = draw_shares(rows).to_dict()
    bars, ticks = drawn["layer"]
    assert (bars["mark"]["type"], ticks["mark"]["type"]) == ("bar", "tick")
    assert SEEN in bars["transform"][0]["filter"]
    assert BLIND in ticks["transform"][0]["filter"]
    assert bars["encoding"]["x"]["sort"] == ["0–9 %", "100 %"]
    assert bars["encoding"]["color"]["scale"]["domain"] == [SEEN, BLIND]


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
    drawn = draw_sides(rows, ["A", "B"]).to_dict()
    assert drawn["encoding"]["x"]["sort"] == ["A", "B"]
    assert drawn["encoding"]["y"]["sort"] == ["7", "3"]
    assert [row["side"] for row in rows] == ["wins there", "loses there", "wins there"]
    colours = drawn["encoding"]["color"]["scale"]["range"]
    shapes = drawn["encoding"]["shape"]["scale"]["range"]
    assert len({*colours}) == len({*shapes}) == 2
