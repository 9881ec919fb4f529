"""The coefficient table as people read it; numbers of Dras (2015), Figure 1(c)."""

from evenhand.models.bradley_terry import BradleyTerry
from tallies import tally

MODPREF = BradleyTerry().fit(tally(("new", "old", 61, 24, 35)))


def test_a_pair_prints_as_in_the_paper_and_its_odds():
    """o1 .2778 (.1060) z 2.620 p .0088; g1 −.6551 (.2300) z −2.848 p .0044; odds 1.74."""
    lines = str(MODPREF.summary()).splitlines()
    assert lines[0].split() == ["name", "λ", "s.e.", "z", "p"]
    assert lines[1].split() == ["o1", "new", "0.2778", "0.1060", "2.620", ".0088"]
    assert lines[2].split() == ["o2", "old", "0.0000", "—", "—", "—"]
    assert lines[3].split() == ["g1", "tie", "-0.6551", "0.2300", "-2.848", ".0044"]
    assert "deviance 0.0000 on 0 df" in lines
    assert "odds    new to old 1.74 to 1" in lines
    assert "(assuming independent judgments)" in lines[-1]


def test_odds_below_one_are_turned_round():
    fit = BradleyTerry().fit(tally(("new", "old", 35, 24, 61)))
    assert "new to old 1 to 1.74" in str(fit.summary())


def test_more_systems_print_no_odds_but_how_well_the_model_fits():
    rows = [(a, b, 9, 8, 7) for a in "ABC" for b in "ABC" if a != b]
    text = str(BradleyTerry().fit(tally(*rows)).summary())
    assert "odds" not in text
    assert "Pearson X² 0.0000, p 1.0000" in text
    assert "fewer than 5" not in text


def test_thin_cells_are_warned_of():
    rows = [(a, b, 3, 1, 2) for a in "ABC" for b in "ABC" if a < b]
    assert "100% of cells expect fewer than 5" in str(BradleyTerry().fit(tally(*rows)).summary())


def test_notes_stand_below():
    text = str(BradleyTerry().fit(tally(("A", "B", 9, 0, 4))).summary())
    assert text.splitlines()[-1].startswith("note    no ties observed: γ = −∞")


def test_a_notebook_shows_the_same_cells_with_names_escaped():
    fit = BradleyTerry().fit(tally(("<b>", "a&b", 9, 2, 4)))
    html = fit.summary()._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html
    assert "<b>" not in html
    for row in fit.summary().cells():
        for cell in row[2:]:
            assert f"<td>{cell}</td>" in html
