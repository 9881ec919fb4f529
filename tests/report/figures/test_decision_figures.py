"""The figure of decisions holds the numbers of the curve."""

from drawn_figures import texts
from evenhand.ratings.reliability import study_decisions
from evenhand.report.figures.predictions import draw_decisions
from ratings.test_reliability import campaign


def test_every_point_and_method_is_drawn():
    curve = study_decisions(campaign(), draws=1)
    chart = draw_decisions(curve)
    (rows,) = chart.datasets.values()
    assert {"raw mean", *{row["design"] for row in rows}} <= {*texts(chart)}
    assert len(rows) == 3 * len(curve.points)
    drawn = {(row["design"], row["seen"], row["method"]): row["reliability"] for row in rows}
    first = curve.points[0]
    key = ("several judges per output", first.design.share, "raw mean")
    assert drawn[key] == first.reliability["raw mean"].value
