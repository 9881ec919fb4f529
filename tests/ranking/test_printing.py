"""How a ranking prints in a terminal and in a notebook."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from click import unstyle

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import rank, ranking
from evenhand.ranking.ranking import Ranking
from evenhand.render.text import draw_table
from ranking.panels import comparisons, panel

EVIL = "<script>alert('x')</script>&"


class Reader(HTMLParser):
    """Collects tags, refuses those that are not closed, and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the base class calls it so
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


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
    frame = panel(judges=3).with_columns(pl.col("left", "right").replace({"s1": EVIL}))
    found = rank(comparisons(frame))
    reader = read(found._repr_html_())
    assert "script" not in reader.tags
    assert EVIL in reader.text
    assert "for these 3 judges only" in reader.text
    assert found.signature in reader.text


def test_names_of_groups_are_escaped_in_a_notebook():
    frame = panel(judges=9).with_columns(task=pl.lit(EVIL))
    ties = frame.filter(pl.col("outcome") == "tie").with_columns(task=pl.lit("<b>ties"))
    found = rank(comparisons(pl.concat([frame, ties])))
    reader = read(found._repr_html_())
    assert not {"script", "b"} & set(reader.tags)
    assert EVIL in reader.text
    assert "<b>ties" in reader.text
    assert f"task {EVIL}" in str(found)


def test_of_very_many_systems_the_best_are_shown(monkeypatch):
    monkeypatch.setattr(ranking, "MAX_SYSTEMS_SHOWN", 2)
    found = rank(comparisons(panel(judges=9)))
    assert "... and 2 more" in str(found)
    assert not any(line.split()[1] == found.systems[3] for line in draw(found)[1:3])
    assert len(found.rows()) == 4


def test_without_intervals_ranks_are_places(monkeypatch):
    from evenhand.models import bradley_terry

    monkeypatch.setattr(bradley_terry, "DENSE", 3)
    found = rank(comparisons(panel(judges=9)))
    lines = draw(found)
    assert [line.split()[0] for line in lines[1:5]] == ["1", "2", "3", "4"]
    assert not any("┈" in line for line in lines)
    assert "leads by its estimate" in found.says


def test_equal_estimates_print_the_same_range():
    rows = [(a, b, o) for a, b in ("xy", "yz", "zx") for o in ("left", "right", "tie")]
    frame = pl.DataFrame(rows, schema=["left", "right", "outcome"], orient="row")
    found = rank(comparisons(frame), model=BradleyTerry())
    assert {line.split()[0] for line in draw(found)[1:]} == {"1-3"}
    assert np.unique(found.rank).tolist() == [1]


@pytest.mark.parametrize("n", [0, 1])
def test_a_short_list_is_not_cut(n, monkeypatch):
    monkeypatch.setattr(ranking, "MAX_SYSTEMS_SHOWN", 4 + n)
    assert "... and" not in str(rank(comparisons(panel(judges=9))))


def thinned() -> Ranking:
    """A board whose second system has no interval, nor a pair with the last to be decided."""
    found = rank(comparisons(panel(judges=9)))
    ends = {name: getattr(found, name).copy() for name in ("lower", "upper")}
    ends["lower"][1], ends["upper"][1] = -np.inf, np.inf
    resting = np.zeros((4, 4), dtype=bool)
    resting[1, 3] = resting[3, 1] = True
    return replace(found, **ends, rank_sets=replace(found.rank_sets, resting=resting))


def test_a_system_without_an_interval_shows_a_dash_and_no_infinity():
    found = thinned()
    lines = [line for line in draw(found)[1:] if "┈" not in line][:4]
    assert [line.split()[3] == "–" for line in lines] == [False, True, False, False]
    for text in (str(found), found._repr_html_()):
        assert "inf" not in text
        assert "nan" not in text
    assert "<td>–</td>" in found._repr_html_()


def test_systems_with_pairs_that_may_not_be_decided_are_marked_and_the_mark_is_explained():
    found = thinned()
    lines = [line for line in draw(found)[1:] if "┈" not in line][:4]
    assert [line.split()[0].endswith("†") for line in lines] == [False, True, False, True]
    legend = "† some of its pairs cannot be decided, however far apart: see note"
    assert legend in str(found)
    assert legend in read(found._repr_html_()).text
    plain = rank(comparisons(panel(judges=9)))
    assert "†" not in str(plain) + plain._repr_html_()
