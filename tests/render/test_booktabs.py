"""A table of a report in LaTeX prints what its rows hold."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from evenhand.render.document import Column, Table
from evenhand.render.latex import typeset, write_cell, write_table

BOARD = Table(
    "board",
    "Systems",
    (
        Column("system", "system"),
        Column("estimate", "log-worth", "two"),
        Column("n", "of", "count"),
        Column("share", "share won", "share"),
        Column("p", "p", "p"),
    ),
    (
        {"system": "A_1 & B|50%", "estimate": 1.005, "n": 12345, "share": 0.955, "p": 0.0001},
        {"system": "κ→{x}\\y~^#$", "estimate": -0.5, "n": 0, "share": 0.0, "p": 0.25},
        {"system": "C", "estimate": None, "n": None, "share": None, "p": None},
    ),
    lines=(1,),
)


def test_the_board_is_the_table_that_booktabs_asks_for():
    assert write_table(BOARD, ["made by evenhand"]) == "\n".join(
        [
            "% made by evenhand",
            r"\begin{table}",
            r"\centering",
            r"\caption{Systems}",
            r"\label{tab:board}",
            r"% \usepackage{booktabs}",
            r"\begin{tabular}{@{}lrrrr@{}}",
            r"\toprule",
            r"system & log-worth & of & share won & p \\",
            r"\midrule",
            r"A\_1 \& B\textbar{}50\% & $1.00$ & $12{,}345$ & $96\,\%$ & $< 0.001$ \\",
            r"\midrule",
            r"$\kappa$$\to$\{x\}\textbackslash{}y\textasciitilde{}\textasciicircum{}\#\$"
            r" & $-0.50$ & $0$ & $0\,\%$ & $0.250$ \\",
            r"C & -- & -- & -- & -- \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def test_a_line_break_in_a_name_or_a_comment_ends_no_row_and_no_comment():
    table = Table("t", "", (Column("a", "a"),), ({"a": "one\ntwo"},))
    text = write_table(table, ["first\nsecond"])
    assert text.startswith("% first\n% second\n")
    assert r"one\textbackslash{}ntwo \\" in text


def test_a_table_without_rows_still_has_its_head():
    text = write_table(Table("t", "", (Column("a", "a"),), ()))
    assert text.count(r"\\") == 1
    assert r"\bottomrule" in text


def test_a_cell_of_text_in_a_column_of_numbers_is_written_as_text():
    assert write_cell("none", "two") == "none"
    assert typeset("≤ 50 %") == r"$\le$ 50 \%"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
def test_latex_compiles_it(tmp_path):
    page = "\n".join(
        [r"\documentclass{article}\usepackage{booktabs}\begin{document}", write_table(BOARD)]
    )
    (tmp_path / "t.tex").write_text(page + r"\end{document}", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]
