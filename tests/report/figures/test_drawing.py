"""Figures as files."""

import pytest

from evenhand.errors import UnknownOption
from evenhand.report.figures.style import Axis, Chart, plot, render, write_figures
from evenhand.report.figures.style import check_figure_folder as check_folder


@pytest.fixture
def chart():
    """Two points."""
    x, y = Axis(0, 3, "a"), Axis.of_rows(["$x$ & y", "z"])
    drawn = [plot([(1, 0), (2, 1)], size=7)]
    return Chart(([{"a": 1, "b": 2}],), x, y, drawn, title="Costs $5 & more")


@pytest.mark.filterwarnings("error")
def test_every_form_can_be_drawn(chart, tmp_path):
    written = write_figures({"one": chart}, tmp_path / "new", ("svg", "png", "pdf"))
    assert [path.suffix for path in written] == [".svg", ".png", ".pdf"]
    heads = [path.read_bytes()[:4] for path in written]
    assert heads == [b"<svg", b"\x89PNG", b"%PDF"]


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_the_same_figure_is_the_same_bytes(chart, form):
    assert render(chart.draw(), form) == render(chart.draw(), form)


def test_nothing_is_loaded_from_outside_and_words_stay_words(chart):
    drawn = render(chart.draw(), "svg").decode()
    assert "http://" not in drawn.replace("http://www.w3.org", "")
    assert ">$x$ &amp; y</text>" in drawn, "a dollar is no mathematics"
    assert ">Costs $5 &amp; more</text>" in drawn
    assert "<!--" not in drawn


def test_drawing_leaves_the_settings_of_matplotlib_alone(chart):
    import matplotlib

    before = dict(matplotlib.rcParams)
    render(chart.draw(), "svg")
    assert dict(matplotlib.rcParams) == before


def test_a_form_that_does_not_exist_is_refused(chart, tmp_path):
    with pytest.raises(UnknownOption, match="no figure as gif: choose svg"):
        write_figures({"one": chart}, tmp_path, ("gif",))


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
    monkeypatch.setattr("evenhand.report.figures.style.access", lambda *_: False)
    with pytest.raises(UnknownOption, match="permission denied"):
        check_folder(tmp_path)
