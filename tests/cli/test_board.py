from __future__ import annotations

from pathlib import Path

import pytest
from click import unstyle

import evenhand
from evenhand.cli.board import Scales
from evenhand.cli.board import draw_board as draw_in_colour
from evenhand.cli.terminal import width


def draw_board(ranking, scales, columns):
    return [unstyle(line) for line in draw_in_colour(ranking, scales, columns)]


@pytest.fixture
def ranking(table1):
    return evenhand.rank(evenhand.read(table1))


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("scales", [Scales(), Scales(elo=True, worth=True)])
def test_a_board_never_exceeds_its_columns(ranking, columns, scales):
    assert max(map(width, draw_board(ranking, scales, columns))) <= columns


def test_where_there_is_no_room_the_bars_go_first(ranking):
    everything = draw_board(ranking, Scales(elo=True, worth=True), 54)
    assert "●" not in "".join(everything)
    assert everything[0].split() == [
        "rank",
        "system",
        "log-worth",
        "Elo",
        "worth",
        "better",
        "than",
    ]


def test_rank_ranges_show_what_is_open(folder):
    Path("even.csv").write_text(
        "left,right,outcome\n" + "A,B,left\nB,A,left\nA,B,tie\n" * 5, encoding="utf-8"
    )
    lines = draw_board(evenhand.rank(evenhand.read("even.csv")), Scales(), 80)
    assert [line.split()[0] for line in lines] == ["rank", "1-2", "1-2"]
    assert [line.split()[-3:] for line in lines[1:]] == [["0", "of", "1"]] * 2


def test_the_ends_of_the_scale_are_those_of_the_widest_intervals(ranking):
    title = draw_board(ranking, Scales(), 80)[0].split()
    low, high = f"{ranking.lower.min():.1f}", f"{ranking.upper.max():.1f}"
    assert title[3:5] == [low, high]


def test_further_columns_are_added_to_rows_only_when_asked(ranking):
    assert "elo" not in Scales().extend(ranking)[0]
    row = Scales(elo=True, worth=True).extend(ranking)[0]
    assert {"elo", "worth"} <= set(row)
    assert isinstance(row["wins"], int)


def test_a_rounded_zero_has_no_sign(evenhand):
    evenhand("demo", "pudding", "-o", "pudding.csv")  # brand 4 lies at -0.004
    assert " -0.00 " not in evenhand("rank", "pudding.csv").out
