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


def test_where_there_is_no_room_the_bars_go_first_then_better_than_never_numbers(ranking):
    scales = Scales(elo=True, worth=True)
    numbers = ["rank", "system", "log-worth", "95", "%", "interval", "Elo", "worth"]
    without_bars = draw_board(ranking, scales, 70)
    assert "●" not in "".join(without_bars)
    assert without_bars[0].split() == [*numbers, "better", "than"]
    assert draw_board(ranking, scales, 56)[0].split() == numbers


def test_the_ends_of_intervals_stand_beside_the_bars_on_eighty_columns(ranking):
    title, first, *_ = draw_board(ranking, Scales(), 80)
    assert "95 % interval" in title
    assert f"{ranking.lower[0]:.2f} to  {ranking.upper[0]:.2f}" in first
    assert "●" in first


def test_names_are_cut_before_bars_go(folder):
    names = ("a" * 40, "b" * 40)
    rows = [f"{names[0]},{names[1]},{o}" for o in ("left", "right", "tie")] * 5
    Path("long.csv").write_text("\n".join(["left,right,outcome", *rows]), encoding="utf-8")
    lines = draw_board(evenhand.rank(evenhand.read("long.csv")), Scales(), 80)
    assert "…" in lines[1]
    assert "●" in lines[1]


def test_control_characters_in_names_never_reach_the_terminal(evenhand, folder):
    rows = ['"a\nb",c\x1b[31m,left', 'c\x1b[31m,"a\nb",left'] * 3
    Path("odd.csv").write_text("\n".join(["left,right,outcome", *rows]), encoding="utf-8")
    for words in ("rank", "fit", "inspect", "rank --latex", "fit --latex"):
        verb, *options = words.split()
        out = evenhand(verb, "odd.csv", *options).out
        assert "\x1b" not in out
        assert "x1b[31m" in out or verb == "inspect"  # which names two systems only
    assert r"a\nb" in evenhand("rank", "odd.csv").out


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
    assert title[6:8] == [low, high]


def test_further_columns_are_added_to_rows_only_when_asked(ranking):
    assert "elo" not in Scales().extend(ranking)[0]
    row = Scales(elo=True, worth=True).extend(ranking)[0]
    assert {"elo", "worth"} <= set(row)
    assert isinstance(row["wins"], int)


def test_a_rounded_zero_has_no_sign(evenhand):
    evenhand("demo", "pudding", "-o", "pudding.csv")  # brand 4 lies at -0.004
    assert " -0.00 " not in evenhand("rank", "pudding.csv").out
