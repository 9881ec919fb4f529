"""A report leaves as a page, as JSON, as figures, and as a few words in a notebook."""

from __future__ import annotations

import json

import pytest

from drawn_figures import marks, texts, values
from evenhand.errors import UnknownOption
from evenhand.render.document import Column, Table
from evenhand.report.document import Check, Part, Section
from evenhand.report.figures.style import Axis, Chart, plot, take_chart
from evenhand.report.html import Report

ROWS = [{"system": "A<B", "score": 1.5}, {"system": "C", "score": -0.5}]


def make_report(*, wide: bool = False) -> Report:
    x, y = Axis(-1, 2, "score"), Axis.of_rows([row["system"] for row in ROWS])
    drawn = [plot([(row["score"], at) for at, row in enumerate(ROWS)], size=7)]
    chart = Chart((ROWS,), x, y, drawn)
    figure = take_chart(chart, "points", "Scores of systems", "two points", wide=wide)
    columns = (Column("system", "system"), Column("score", "score", "two"))
    board = Table("board", "Systems", columns, tuple(ROWS))
    check = Check("judges", "Are judges good?", "failed", "2 of 9 <flagged>")
    section = Section("ranking", "Who", checks=(check,), figures=(figure,), tables=(board,))
    part = Part("fr-en", ("A<B is best.", "C is last."), (section,), "evenhand 0.1.0 | n=2")
    return Report("Votes & more", (part,), "evenhand report v.csv", "0.1.0")


@pytest.mark.parametrize("wide", [False, True])
def test_a_figure_is_one_of_matplotlib_with_its_title_and_its_rows_beside_it(wide):
    report = make_report(wide=wide)
    assert values(report.charts["fr-en/ranking/points"]) == ROWS
    drawn = report.figures["fr-en/ranking/points"]
    assert {"Scores of systems", "A<B", "score"} <= {*texts(drawn)}
    assert marks(drawn, "#0b6e99") == 2


def test_the_ending_of_a_file_says_what_is_written(tmp_path):
    report = make_report()
    report.write(tmp_path / "r.json")
    report.write(tmp_path / "r.html")
    assert json.loads((tmp_path / "r.json").read_text("utf-8")) == report.to_dict()
    assert "A&lt;B is best." in (tmp_path / "r.html").read_text("utf-8")
    with pytest.raises(UnknownOption, match=r"take \.html or \.json"):
        report.write(tmp_path / "r.docx")
    with pytest.raises(UnknownOption, match="cannot be written"):
        report.write(tmp_path / "nowhere" / "r.html")


def test_a_number_that_is_none_is_never_written(tmp_path):
    table = Table("t", "t", (Column("x", "x", "two"),), ({"x": float("nan")},))
    report = Report("t", (Part("", ("?",), (Section("s", "s", tables=(table,)),)),), "", "0")
    with pytest.raises(ValueError, match="not JSON compliant"):
        report.write(tmp_path / "r.json")


def test_its_text_is_the_first_screen():
    lines = str(make_report()).splitlines()
    assert lines[:5] == ["Votes & more", "", "fr-en", "A<B is best.", "C is last."]
    assert " failed  Are judges good?  2 of 9 <flagged>" in lines
    assert " A<B      1.50" in lines
    assert lines[-1] == "sign   evenhand report v.csv"


def test_a_notebook_shows_answer_checks_and_board_escaped():
    html = make_report()._repr_html_()
    assert "<strong>fr-en</strong><br>A&lt;B is best.<br>C is last." in html
    assert "<td>failed</td><td>Are judges good?</td><td>2 of 9 &lt;flagged&gt;</td>" in html
    assert "<tr><td>A&lt;B</td><td>1.50</td></tr><tr><td>C</td><td>-0.50</td></tr>" in html
    assert "Votes &amp; more" in html
