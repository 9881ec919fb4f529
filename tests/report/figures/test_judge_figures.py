"""The figures hold the numbers of the diagnosis."""

import pytest

from drawn_figures import values
from evenhand.design import simulate
from evenhand.judges.diagnosis import diagnose_judges
from evenhand.report.figures.judges import draw_judges
from evenhand.report.figures.style import take_chart
from four_judges import LINES
from rating_tables import ratings


@pytest.fixture(scope="module")
def found():
    """The simulated campaign of 125 judges."""
    data = ratings(zip(*simulate("hamon2007_simulated").columns.values(), strict=True), COLUMNS)
    return diagnose_judges(data, input_type="input", references=("Human-FTE", "Human-Verbatim"))


FOUR = ("judge", "item", "system", "score")
COLUMNS = ("judge", "item", "system", "input", "criterion", "score", "easy")


def test_the_paper_s_figures_are_drawn_for_both_criteria(found):
    names = set(draw_judges(found))
    assert names == {
        "systems",
        *(
            f"{kind}-{criterion}"
            for kind in ("judges-mean", "judges-distance", "removal")
            for criterion in ("adequacy", "fluency")
        ),
    }


def test_one_criterion_has_no_figure_of_two():
    data = ratings([("x", 1, "a", 5), ("y", 1, "a", 3), ("x", 2, "b", 1), ("y", 2, "b", 2)])
    assert "systems" not in draw_judges(diagnose_judges(data))


def test_the_limits_are_drawn_where_they_are():
    rows = values(draw_judges(diagnose_judges(ratings(LINES)))["judges-mean"])
    drawn = {row["what"]: row["at"] for row in rows if "what" in row}
    expected = {"centre": 8 / 3, "lower limit": 4 / 3, "upper limit": 4.0}
    assert drawn == pytest.approx(expected)


def test_the_figure_of_removal_holds_the_scores_by_those_kept():
    rows = values(draw_judges(diagnose_judges(ratings(LINES)))["removal"])
    by = "without those outside by mean score"
    assert {row["system"]: row["score"] for row in rows if row["by"] == by} == {
        "a": 1,
        "b": 2,
        "c": 3,
    }


def test_criteria_that_would_share_a_file_have_files_of_their_own():
    lines = [(*one, name) for name in ("a b", "a/b", "/") for one in LINES]
    names = draw_judges(diagnose_judges(ratings(lines, (*FOUR, "criterion"))))
    means = {name for name in names if name.startswith("judges-mean")}
    assert means == {"judges-mean-a-b", "judges-mean-a-b-2", "judges-mean-unnamed"}


def test_names_without_room_are_counted():
    lines = [(j, i, f"{s}{n}", v, c) for c in "uv" for n in range(12) for j, i, s, v in LINES]
    chart = draw_judges(diagnose_judges(ratings(lines, (*FOUR, "criterion"))))["systems"]
    held = [row for row in values(chart) if "system" in row]
    named = len(held) - 36  # every point is there, and again with its name
    said = f"{named} of 36 systems are named; the table names all"
    assert 0 < named < 36
    assert chart.below == f"mean scores by all judges; {said}"
    assert take_chart(chart, "systems", "Systems", "Points.").alt == f"Points. {said}."
