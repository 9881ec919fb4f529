"""The map of judges: where they stand, by which shape and under which name."""

from dataclasses import replace
from itertools import combinations

from evenhand.judges.cards import Card, Evidence, Screening
from evenhand.web.findings import LEFT, Mark, draw_map

HONEST = {"honest": 1.0, "careless": 0.0, "reversed": 0.0}
NOTHING = Screening((), 0.05, "ratings", 0, None, "", (), (), "")


def card(judge: str, slope: float, gap: float, *flags: str) -> Card:
    seen = (
        Evidence("others' scores", "", slope, slope - 0.5, slope + 0.5),
        Evidence("severity", "", gap, gap - 1, gap + 1),
    )
    return Card(judge, 40, HONEST, flags, seen)


def draw(*cards: Card, kind: str = "ratings") -> dict[str, Mark]:
    return {one.judge: one for one in draw_map(replace(NOTHING, cards=cards, kind=kind)).marks}


def test_who_follows_the_others_stands_right_and_the_severe_stand_high() -> None:
    drawn = draw(card("ann", 1.0, 0.0), card("ben", -1.0, 0.0), card("cy", 1.0, -3.0))
    assert drawn["ben"].x < drawn["ann"].x == drawn["cy"].x
    assert drawn["cy"].y < drawn["ann"].y  # three points below the others: severe
    assert drawn["cy"].up == 3.0


def test_judges_of_whom_too_little_is_known_are_named_and_not_drawn() -> None:
    dumb = Card("new", 2, HONEST, (), (Evidence("others' scores", "no slope"),))
    found = draw_map(replace(NOTHING, cards=(card("ann", 1, 0), dumb)))
    assert [one.judge for one in found.marks] == ["ann"]
    assert found.absent == (("new", 2),)
    assert draw_map(replace(NOTHING, cards=(dumb,))).marks == ()


def test_each_flag_has_a_shape_of_its_own() -> None:
    drawn = draw(
        card("a", 1, 0),
        card("b", 0, 1, "careless"),
        card("c", -1, 0, "reversed"),
        card("d", 1, 2, "coarse"),
        card("e", 0, 2, "careless", "coarse"),
    )
    shapes = [drawn[name].shape for name in "abcde"]
    assert shapes == ["circle", "triangle", "diamond", "square", "triangle"]
    assert drawn["a"].label is not None  # there is room beside it


def test_no_name_stands_over_another_one_or_outside() -> None:
    """Twelve flagged judges in nearly one place; names are as wide as their letters at least."""
    cards = [card(f"judge-{k:02}", 0.1 + k / 400, k / 50, "careless") for k in range(12)]
    boxes = []
    for one in draw(card("x", 1.5, -4), card("y", -1.5, 4), *cards).values():
        if one.label is None:
            continue
        x, y, anchor = one.label
        wide = 6 * len(" ".join((one.judge, *one.flags)))
        left = x if anchor == "start" else x - wide
        boxes.append((left, y - 9, left + wide, y + 1))
        assert left >= LEFT
        assert left + wide <= 360
    assert len(boxes) >= 12  # all who are flagged
    for (a, b, c, d), (e, f, g, h) in combinations(boxes, 2):
        assert c <= e or g <= a or d <= f or h <= b
