"""A fit as people read it; numbers of Dras (2015), Figure 1(c)."""

from evenhand.models.bradley_terry import BradleyTerry
from tallies import tally

MODPREF = BradleyTerry().fit(tally(("new", "old", 61, 24, 35)))


def test_a_pair_prints_as_in_the_paper_and_its_odds():
    """o1 .2778 (.1060) z 2.620 p .0088; g1 −.6551 (.2300) z −2.848 p .0044; odds 1.74."""
    lines = [" ".join(line.split()) for line in repr(MODPREF).splitlines()]
    assert lines[0] == "new is preferred to old at odds of 1.74 to 1."
    at = lines.index("name parameter λ s.e. z p worth")
    worth = 61 / (61 + 35)
    assert lines[at + 1] == f"o1 new 0.2778 0.1060 2.620 0.009 {worth:.4f}"
    assert lines[at + 2] == f"o2 old 0.0000 – – – {1 - worth:.4f}"
    assert lines[at + 3] == "g1 tie -0.6551 0.2300 -2.848 0.004 –"
    assert any(line.startswith("0.0000 0 ") for line in lines)  # deviance and df
    assert "take judgments as independent" in " ".join(lines)


def test_odds_are_of_the_better_system():
    fit = BradleyTerry().fit(tally(("new", "old", 35, 24, 61)))
    assert repr(fit).startswith("old is preferred to new at odds of 1.74 to 1.")


def test_more_systems_print_no_odds_but_how_well_the_model_fits():
    rows = [(a, b, 9, 8, 7) for a in "ABC" for b in "ABC" if a != b]
    fit = BradleyTerry().fit(tally(*rows))
    assert "odds" not in repr(fit)
    (row,) = fit.document().tables[1].rows
    assert (row["pearson"], row["pearson_p"]) == (fit.pearson, 1)
    assert "fewer than 5" not in repr(fit)


def test_thin_cells_are_warned_of():
    rows = [(a, b, 3, 1, 2) for a in "ABC" for b in "ABC" if a < b]
    fit = BradleyTerry().fit(tally(*rows))
    assert "100 % of cells expect fewer than 5" in repr(fit)


def test_notes_stand_below():
    text = repr(BradleyTerry().fit(tally(("A", "B", 9, 0, 4))))
    assert "note   No ties observed: γ = −∞" in text.splitlines()[-1]


def test_a_notebook_shows_the_same_cells_with_names_escaped():
    fit = BradleyTerry().fit(tally(("<b>", "a&b", 9, 2, 4)))
    html = fit._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html
    assert "<b>" not in html
    for one in fit.coefficients:
        assert f"<td>{one.estimate:z.4f}</td>" in html


def test_settings_of_a_model_are_said_in_one_line():
    lines = repr(BradleyTerry(order_effect=True, prior=1).fit(tally(("new", "old", 61, 24, 35))))
    said = "Bradley-Terry, Davidson ties, order effect, prior 1"
    assert said in " ".join(lines.split())
