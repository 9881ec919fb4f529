"""How a ranking prints in a terminal and in a notebook."""

from html import escape

import polars as pl
from click import unstyle

from evenhand.ranking import rank, ranking
from evenhand.ranking.ranking import Ranking
from evenhand.render.text import draw_table
from ranking.panels import comparisons, panel


def draw(found: Ranking) -> list[str]:
    """Return the lines of the table."""
    return [unstyle(line) for line in draw_table(found.document().tables[0])]


def test_the_terminal_shows_answer_table_notes_and_signature():
    found = rank(comparisons(panel(judges=3)))
    text = str(found)
    said = " ".join(text.split())
    assert found.headline == "for these 3 judges only and for these 8 items only"
    assert f"; {found.headline})." in said
    assert said.endswith(found.signature)
    assert all(note in said for note in found.notes if note.severity != "info")
    assert repr(found) == text
    lines = draw(found)
    assert lines[0].split()[:3] == ["rank", "system", "log-worth"]
    shown = [line.split()[1] for line in lines[1:] if "┈" not in line]
    assert tuple(shown) == found.systems


def test_a_line_stands_between_clusters():
    found = rank(comparisons(panel(n=3000, systems=3, taste=0.0).drop("judge", "item")))
    assert found.cluster.tolist() == [1, 2, 3]
    assert ["┈" in line for line in draw(found)[1:6]] == [False, True, False, True, False]


def test_names_are_escaped_in_a_notebook():
    evil = "<script>alert('x')</script>&"
    frame = panel(judges=3).with_columns(pl.col("left", "right").replace({"s1": evil}))
    html = rank(comparisons(frame))._repr_html_()
    assert f"<td>{escape(evil)}</td>" in html
    assert "<script" not in html


def test_of_very_many_systems_the_best_are_shown(monkeypatch):
    monkeypatch.setattr(ranking, "MAX_SYSTEMS_SHOWN", 2)
    found = rank(comparisons(panel(judges=9)))
    assert "... and 2 more" in str(found)
    assert not any(line.split()[1] == found.systems[3] for line in draw(found)[1:3])
    assert len(found.rows()) == 4
