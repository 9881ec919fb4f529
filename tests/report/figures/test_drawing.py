"""Figures as files."""

import json
import sys

import pytest

from evenhand.errors import UnknownOption
from evenhand.report.figures.drawing import check_figure_folder as check_folder
from evenhand.report.figures.drawing import render, write_figures
from evenhand.report.figures.view import begin_chart, dress


@pytest.fixture
def chart():
    """Two points."""
    return dress(begin_chart([{"a": 1, "b": 2}, {"a": 2, "b": 1}]).mark_point().encode(x="a:Q"))


def test_every_form_can_be_drawn(chart, tmp_path):
    written = write_figures({"one": chart}, tmp_path / "new", ("svg", "png", "pdf", "json"))
    assert [path.suffix for path in written] == [".svg", ".png", ".pdf", ".json"]
    assert all(path.stat().st_size > 100 for path in written)


def test_nothing_is_loaded_from_outside(chart):
    assert b"http://" not in render(chart, "svg").replace(b"http://www.w3.org", b"")


def test_the_house_looks_survive(chart):
    spec = json.loads(render(chart, "json"))
    assert spec["config"]["view"]["stroke"] is None
    assert spec["config"]["font"].startswith("Helvetica")


def test_a_form_that_does_not_exist_is_refused(chart, tmp_path):
    with pytest.raises(UnknownOption, match="no figure as gif: choose svg"):
        write_figures({"one": chart}, tmp_path, ("gif",))


def test_a_folder_that_is_a_file_is_refused(chart, tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(UnknownOption, match="cannot be written"):
        write_figures({"one": chart}, tmp_path / "taken")


def test_a_missing_renderer_says_what_to_install(chart, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UnknownOption, match=r"pip install 'evenhand\[images\]'"):
        render(chart, "png")
    assert render(chart, "json")


def test_nothing_is_written_where_one_of_the_forms_cannot_be_drawn(chart, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UnknownOption, match="take json"):
        write_figures({"one": chart}, tmp_path / "new", ("json", "svg"))
    assert not (tmp_path / "new").exists()


def test_a_folder_is_checked_without_being_made(tmp_path):
    check_folder(tmp_path / "new" / "deeper")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "taken").write_text("a file")
    for folder in (tmp_path / "taken", tmp_path / "taken" / "below"):
        with pytest.raises(UnknownOption, match=r"cannot be written to .*: not a directory"):
            check_folder(folder)
    with pytest.raises(UnknownOption, match="file name too long"):
        check_folder(tmp_path / ("x" * 300))
    with pytest.raises(UnknownOption, match="gif"):
        check_folder(tmp_path, ("gif",))


def test_a_folder_without_leave_to_write_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("evenhand.report.figures.drawing.access", lambda *_: False)
    with pytest.raises(UnknownOption, match="permission denied"):
        check_folder(tmp_path)


def test_a_missing_renderer_is_noticed_beforehand(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    check_folder(tmp_path, ("json",))
    with pytest.raises(UnknownOption, match="evenhand\\[images\\]"):
        check_folder(tmp_path, ("json", "png"))
