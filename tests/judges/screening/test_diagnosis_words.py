"""What a diagnosis says."""

from evenhand import diagnose_judges
from four_judges import LINES
from rating_tables import ratings

FOUR = ("judge", "item", "system", "score", "criterion")


def test_judges_by_chance_are_counted_at_the_limits_that_were_asked():
    says = diagnose_judges(ratings(LINES), k=0.5).says
    assert any("0.5 sd would put outside: 2.7 of 4 by mean score" in one for one in says)


def test_judges_by_chance_are_counted_under_each_criterion_where_their_numbers_differ():
    lines = [(*one, "adequacy") for one in LINES]
    lines += [(*one, "fluency") for one in LINES if one[0] != "w"]
    (said,) = [
        one for one in diagnose_judges(ratings(lines, FOUR)).says if "would put outside" in one
    ]
    assert "1.3 of 4 by mean score under adequacy, 1.0 of 3 by mean score under fluency" in said


def test_judges_outside_with_a_handful_of_scores_are_named():
    notes = diagnose_judges(ratings(LINES)).notes
    assert any(
        note.startswith("Outside by mean score with fewer than 5 scores") and note.endswith(": z.")
        for note in notes
    )
    many = [(j, f"{i}", s, score) for i in range(5) for j, _, s, score in LINES]
    assert not any("fewer than 5" in note for note in diagnose_judges(ratings(many)).notes)
