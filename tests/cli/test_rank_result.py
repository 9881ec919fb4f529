"""How a ranking is shown: terminal, JSON, CSV, LaTeX, files."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from evenhand.ranking.sides import LIMIT


def test_piped_output_is_plain_and_fits_80_columns(evenhand, tasks):
    text = evenhand("rank", tasks, "--elo", "--worth").out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_colour_only_adds_and_can_be_forbidden(evenhand, table1):
    plain = evenhand("rank", table1).out
    coloured = evenhand("rank", table1, color=True).out
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert evenhand("rank", table1, color=True, NO_COLOR="1").out == plain


def test_long_names_are_cut_in_the_middle_but_only_on_the_terminal(evenhand, folder):
    name = "newstest2012.fr-en." + "constrained-" * 9 + "primary"
    Path("long.csv").write_text(
        f"left,right,outcome\n{name},B,left\nB,{name},left\n", encoding="utf-8"
    )
    text = evenhand("rank", "long.csv").out
    row = next(line for line in text.splitlines() if "●" in line and " B " not in line)
    assert re.search(r" newst\w*….*primary ", row)
    assert len(row) <= 80
    systems = evenhand("rank", "long.csv", "--json").json["systems"]
    assert name in [row["system"] for row in systems]
    assert name in evenhand("rank", "long.csv", "--csv").out


def test_wide_letters_do_not_break_the_columns(evenhand, folder):
    Path("wide.csv").write_text(
        "left,right,outcome\n系统一,B,left\nB,系统一,left\n系统一,B,left\n", encoding="utf-8"
    )
    rows = [line for line in evenhand("rank", "wide.csv").out.splitlines() if "●" in line]
    # each of the three letters of the first row takes two columns of a terminal
    assert rows[0].index("0.") + 3 == rows[1].index("-0.") + 1


@pytest.fixture
def apart(folder):
    """Two judges who agree on the whole, asked for as clusters: nothing limits their spread."""
    rows = ["judge,left,right,outcome"]
    for judge, wins in (("a", (12, 9, 13)), ("b", (11, 14, 10))):
        for pair, won in zip(("x,y", "y,z", "x,z"), wins, strict=True):
            rows += [f"{judge},{pair},left"] * won + [f"{judge},{pair},right"] * (20 - won)
    Path("two.csv").write_text("\n".join(rows), encoding="utf-8")
    return ["two.csv", "--cluster", "judge"]


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_endless_intervals_are_no_intervals_in_every_form(evenhand, apart, columns):
    """Such a board could not be drawn: no end is a column of a terminal."""
    text = evenhand("rank", *apart, COLUMNS=columns).out
    assert re.search(r"^ 1-3† +x +0\.\d\d +–$", text, re.MULTILINE)
    assert "† some of its pairs cannot be decided" in text
    rows = evenhand("rank", *apart, "--json").json["systems"]
    assert {(row["lower"], row["upper"], row["stderr"]) for row in rows} == {(None, None, None)}
    assert [row["undecidable_pairs"] for row in rows] == [2, 2, 2]
    table = list(csv.DictReader(io.StringIO(evenhand("rank", *apart, "--csv").out)))
    assert {(row["lower"], row["upper"]) for row in table} == {("", "")}
    latex = evenhand("rank", *apart, "--latex").out
    assert latex.count(r"1--3$^\dagger$ & ") == 3
    assert latex.count(r" & -- \\") == 3
    for shown in (text, latex):
        assert not re.search(r"\b(inf|nan)\b", shown)
    assert "% † some of its pairs cannot be decided, however far apart: see note" in latex


@pytest.fixture
def new_first(folder):
    """Two equal systems, the new one always on the left, of which judges like the left one."""
    said = ["left"] * 20 + ["tie"] * 6 + ["right"] * 14
    chosen = [
        f"j{j},q{i},new,old,{said[(7 * i + 3 * j * j + i * j) % 40]}"
        for j in range(15)
        for i in range(40)
    ]
    Path("pos.csv").write_text("\n".join(["judge,item,left,right,outcome", *chosen]) + "\n")
    return "pos.csv"


def test_the_best_system_is_not_named_without_that_it_was_always_shown_first(evenhand, new_first):
    text = " ".join(evenhand("rank", new_first).out.split())
    assert text.startswith("new is the best: better than old")
    note = "Sides were not randomised: new stood first in 600 of 600 votes"
    assert f"warning {note}" in text
    found = json.loads(evenhand("rank", new_first, "--json").out)
    assert found["says"].endswith(f"{LIMIT})")
    (one,) = (one for one in found["findings"] if one["text"].startswith(note))
    assert (one["code"], one["severity"]) == ("one-order", "warning")
    for form in ("--csv", "--latex"):
        ran = evenhand("rank", new_first, form)
        assert note in " ".join((ran.out + ran.err).split())
