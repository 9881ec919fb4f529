"""Systems under two criteria: the table of `rank`, and figure 1 of Hamon et al. (2007)."""

import evenhand
from evenhand.report.sections.systems import write_section_criteria as write_section
from rated_studies import WORTH, is_plain, make_rows, study


def test_places_are_those_of_the_verb_and_the_figure_has_both_means():
    turned = dict(zip(WORTH, list(WORTH.values())[::-1], strict=True))
    rows = [
        *make_rows(criteria=("adequacy",)),
        *make_rows(criteria=("fluency",), worth=turned, seed=3),
    ]
    section = write_section(study(rows))
    (places,) = section.tables
    found = {row["system"]: (row["in adequacy"], row["in fluency"]) for row in places.rows}
    assert {name: cell[0] for name, (cell, _) in found.items()} == {
        "good": "1",
        "fair": "2",
        "poor": "3",
    }
    assert {name: cell[0] for name, (_, cell) in found.items()} == {
        "good": "3",
        "fair": "2",
        "poor": "1",
    }
    (figure,) = section.figures
    assert "for adequacy; upwards, for fluency" in figure.alt
    assert is_plain(section)
    assert evenhand.rank(study(rows).data).document().tables[0].rows == places.rows
