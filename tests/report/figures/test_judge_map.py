"""Judges stand where their numbers are; wild slopes stand at the edge and keep their number."""

from __future__ import annotations

import pytest

from drawn_figures import texts
from evenhand.report.figures.judges import EDGES, KINDS, draw_judge_map

OPEN_KINDS = ("too few judgments to tell", "too few judges to tell", "open who is right")


def row(judge, slope, kind="not flagged", **more):
    flags = "" if kind in ("not flagged", *OPEN_KINDS) else kind
    return {
        "judge": judge,
        "n": 20,
        "slope": slope,
        "ties": 0.2,
        "kind": kind,
        "flags": flags,
        "p_honest": 0.9,
        **more,
    }


def layers(rows, **settings):
    """The rows of points, and of names at the right and at the left."""
    _, points, *names = draw_judge_map(rows, **settings).rows
    return points, [row for side in names for row in side]


def test_a_wild_slope_stands_at_the_edge_and_keeps_its_number():
    (wild, calm), _ = layers([row("wild", 55.0), row("calm", 1.2)])
    assert wild["slope"] == 55.0
    assert wild["at"] == pytest.approx(EDGES[1] * 1.06)
    assert calm["at"] == 1.2


def test_flagged_judges_are_named_towards_the_middle_and_the_others_are_not():
    rows = [row("left", -1.0, "reversed"), row("right", 2.5, "careless"), row("plain", 1.0)]
    _, names = layers(rows)
    assert {one["judge"]: one["side"] for one in names} == {"left": "right", "right": "left"}
    drawn = texts(draw_judge_map(rows))
    assert {"left", "right"} <= {*drawn}
    assert "plain" not in drawn


def test_flagged_judges_beyond_the_eighth_are_counted():
    rows = [row(f"j{k}", k / 9, "careless") for k in range(9)]
    assert draw_judge_map(rows).unnamed == "8 of 9 flagged judges are named; the table names all"
    assert draw_judge_map(rows[1:]).unnamed == ""


def test_classes_differ_in_shape_as_well_as_in_colour():
    flagged = [look for kind, look in KINDS.items() if kind not in OPEN_KINDS]
    assert len({shape for shape, _ in flagged}) == len({colour for _, colour in flagged}) == 4


@pytest.mark.parametrize("kind", OPEN_KINDS[1:])
def test_where_nothing_is_decided_of_anybody_all_who_have_room_are_named(kind):
    rows = [row(f"j{k}", k / 2, kind, ties=0.1 * (k % 3)) for k in range(6)]
    names = [one["judge"] for one in layers(rows)[1]]
    assert sorted(names) == [f"j{k}" for k in range(6)]
