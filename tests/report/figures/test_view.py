"""Copies of a chart share its parts while a report is drawn, and are whole elsewhere."""

import copy

import altair as alt

from evenhand.report.figures.view import begin_chart, draw_unchecked


def draw():
    base = begin_chart([{"a": 1, "b": 2}, {"a": 3, "b": 5}]).encode(x=alt.X("a:Q"))
    return alt.layer(base.mark_point(size=9).encode(y="b:Q"), base.mark_rule()).properties(width=9)


def test_a_drawing_is_the_same_however_its_layers_were_copied():
    with draw_unchecked():
        shared = draw().to_dict(validate=False)
    assert shared == draw().to_dict()
    assert [one["mark"]["type"] for one in shared["layer"]] == ["point", "rule"]


def test_parts_are_shared_inside_a_report_alone():
    with draw_unchecked():
        chart = begin_chart([{"a": 1}]).mark_point().encode(x="a:Q")
        assert chart.copy().encoding is chart.encoding
        assert chart.copy() is not chart
    for whole in (chart.copy(), copy.deepcopy(chart)):
        assert whole.encoding is not chart.encoding
        assert whole.to_dict() == chart.to_dict()


def test_who_changes_a_copy_of_a_figure_leaves_the_figure_as_it_was():
    chart = draw()
    chart.copy().layer[0].encoding.x.title = "other"
    assert "other" not in str(chart.to_dict())
