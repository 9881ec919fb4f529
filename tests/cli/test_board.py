from __future__ import annotations

from pathlib import Path

import pytest
from click import unstyle

import evenhand
from evenhand.render.text import draw_table


def draw_board(ranking, more=(), columns=80):
    """Return the lines of the table of systems, with more columns."""
    return [unstyle(line) for line in draw_table(ranking.document(*more).tables[0], columns)]


@pytest.fixture
def ranking(table1):
    return evenhand.rank(evenhand.read(table1))


def test_names_are_cut_before_bars_go(folder):
    names = ("a" * 40, "b" * 40)
    rows = [f"{names[0]},{names[1]},{o}" for o in ("left", "right", "tie")] * 5
    Path("long.csv").write_text("\n".join(["left,right,outcome", *rows]), encoding="utf-8")
    lines = draw_board(evenhand.rank(evenhand.read("long.csv")))
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


def test_marginal_rank_sets_are_a_column_of_their_own(folder):
    rows = ["judge,left,right,outcome"]
    for judge in range(12):
        for k, (a, b) in enumerate(["ab", "bc", "ac"]):
            sides = ["left"] * (8 + (judge * (k + 3)) % 7) + ["right"] * 8
            rows += [f"j{judge},{a},{b},{side}" for side in sides]
    Path("near.csv").write_text("\n".join(rows), encoding="utf-8")
    found = evenhand.rank(evenhand.read("near.csv"))
    title, *lines = draw_board(found, ["marginal"])
    assert title.startswith(" rank  marginal  system")
    low, high = found.rank_sets.marginal
    own = [f"{a}-{b}" if a < b else f"{a}" for a, b in zip(low, high, strict=True)]
    assert [line.split()[1] for line in lines if "●" in line] == own


@pytest.mark.parametrize("name", evenhand.datasets.names())
def test_a_small_clean_file_is_ranked_on_one_screen(evenhand, folder, name):
    """Of 24 lines of 80 columns, with three notes at most."""
    evenhand("demo", name, "-o", "small.csv")
    if len(evenhand("rank", "small.csv", "--json").json["systems"]) > 6:
        pytest.skip("more systems than stand on a screen with what is said of them")
    lines = evenhand("rank", "small.csv").out.splitlines()
    assert len(lines) <= 24
    assert sum(line.startswith(("note ", "warning ")) for line in lines) <= 3
