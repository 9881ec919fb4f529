"""How a ranking is shown: terminal, JSON, CSV, LaTeX, files."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from click import unstyle

from evenhand.ranking.sides import LIMIT
from evenhand.render import text as words


def test_what_csv_has_no_place_for_goes_to_the_error_stream(evenhand, table1):
    said = " ".join(evenhand("rank", table1, "--csv").err.split())
    assert "for these 4 judges only" in said


def test_latex_is_a_booktabs_table_with_the_signature_as_a_comment(evenhand, folder):
    Path("odd.csv").write_text(
        "left,right,outcome\na_b,50%,left\n50%,a_b,left\na_b,50%,left\n", encoding="utf-8"
    )
    lines = evenhand("rank", "odd.csv", "--latex").out.splitlines()
    assert lines[0].startswith("% evenhand ")
    for word in (r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"):
        assert lines.count(word) == 1
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert [row.split(" & ")[1] for row in body] == [r"a\_b", r"50\%"]
    assert all(row.count("&") == 3 and row.endswith(r"\\") for row in body)
    assert "| davidson |" in evenhand("rank", "odd.csv").out


def test_the_terminal_says_what_is_decided_first_and_signs_last(evenhand, table1):
    lines = evenhand("rank", table1).out.splitlines()
    assert lines[0] == "A is the best: better than each of the other 3 (for these 4 judges only)."
    text = "\n".join(lines)
    assert "960 judgments, 4 judges, 4 systems, 4 % ties." in text
    assert re.search(r"^ 1 +A +1\.92 .*●.* D, B, C$", text, re.MULTILINE)
    assert any(line.startswith("sign   evenhand ") for line in lines[-4:])


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


@pytest.mark.parametrize(
    ("name", "first"), [("b.json", "{"), ("b.csv", "s"), ("b.tex", "%"), ("b.txt", "A")]
)
def test_the_ending_of_the_output_file_chooses_the_format(evenhand, table1, name, first):
    ran = evenhand("rank", table1, "-o", name)
    assert (ran.out, ran.err.splitlines()[-1]) == ("", f"wrote  {name}")
    assert Path(name).read_text(encoding="utf-8")[0] == first


def test_a_file_holds_what_the_terminal_would_show(evenhand, table1):
    evenhand("rank", table1, "--json", "-o", "board.txt")
    assert Path("board.txt").read_text() == evenhand("rank", table1, "--json").out


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


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_a_signature_is_broken_between_its_parts_or_settings_and_no_line_is_too_long(columns):
    long = "rank sets CV3 by judge+item (519 items in 200), max-|t| step-down, B=999, level 0.95"
    whole = f"evenhand 0.1.0 | davidson | {long} | seed=20131 | n=1259 J=43 | sha256 4b36caed84d4"
    lines = unstyle(words.sign(whole, columns)).splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(line[7:] for line in lines) == whole
    assert not any(line.lstrip().startswith("|") for line in lines)


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


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_the_ending_of_a_file_may_ask_for_the_figure(evenhand, table1, folder, ending, start):
    evenhand("rank", table1, "-o", f"board.{ending}")
    assert (folder / f"board.{ending}").read_bytes().startswith(start)


def test_a_figure_is_refused_where_there_is_none(evenhand, table1, folder):
    assert "test draws no figure" in evenhand("test", table1, "-o", "tests.svg", code=2).err
    assert not (folder / "tests.svg").exists()
