"""How a ranking is shown: terminal, JSON, CSV, LaTeX, files."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest


def test_csv_holds_what_json_holds(evenhand, table1):
    systems = evenhand("rank", table1, "--json").json["systems"]
    rows = list(csv.DictReader(io.StringIO(evenhand("rank", table1, "--csv").out)))
    assert [list(row) for row in rows] == [list(row) for row in systems]
    for row, system in zip(rows, systems, strict=True):
        assert row == {key: str(value) for key, value in system.items()}


def test_what_csv_has_no_place_for_goes_to_the_error_stream(evenhand, table1):
    assert "about these 4 judges only" in evenhand("rank", table1, "--csv").err


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


def test_the_terminal_says_what_was_read_what_was_done_and_what_came_out(evenhand, table1):
    lines = evenhand("rank", table1).out.splitlines()
    assert lines[0] == "about these 4 judges only"
    said = "\n".join(lines)
    for label in ("read ", "model", "says ", "sign "):
        assert re.search(rf"^{label}  \S", said, re.MULTILINE)
    assert "960 judgments, 4 judges, 4 systems, 4 % ties" in said
    assert re.search(r"^ 1 +A +1\.92 .*●.* 3 of 3$", said, re.MULTILINE)


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


def test_clusters_are_parted_by_a_rule(evenhand, table1):
    clusters = [row["cluster"] for row in evenhand("rank", table1, "--json").json["systems"]]
    assert clusters == [1, 2, 3, 4]
    assert evenhand("rank", table1).out.count("\n ┈┈┈") == 3


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
    ("name", "first"), [("b.json", "{"), ("b.csv", "s"), ("b.tex", "%"), ("b.txt", "a")]
)
def test_the_ending_of_the_output_file_chooses_the_format(evenhand, table1, name, first):
    ran = evenhand("rank", table1, "-o", name)
    assert (ran.out, ran.err.splitlines()[-1]) == ("", f"wrote  {name}")
    assert Path(name).read_text(encoding="utf-8")[0] == first


def test_a_file_holds_what_the_terminal_would_show(evenhand, table1):
    evenhand("rank", table1, "--json", "-o", "board.txt")
    assert Path("board.txt").read_text() == evenhand("rank", table1, "--json").out
