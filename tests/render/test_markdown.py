"""A table of a report in Markdown is read by a parser as what its rows hold."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from evenhand.render.document import Column, Table
from evenhand.render.latex import escape_control
from evenhand.render.markup import write_table

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
COLUMNS = (Column("system", "system"), Column("n", "of", "count"))


def read_cells(text: str) -> list[str]:
    """What a browser shows in the cells of all rows."""
    return [
        html.unescape(re.sub("<[^>]*>", "", cell))
        for cell in re.findall(r"<t[hd](?: [^>]*)?>(.*?)</t[hd]>", PARSER.render(text), re.DOTALL)
    ]


def write(names: list[str], *comments: str) -> str:
    rows = tuple({"system": name, "n": 1000 * place} for place, name in enumerate(names))
    return write_table(Table("t", "", COLUMNS, rows), comments)


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])), min_size=1, max_size=4))
def test_names_are_shown_as_they_stand(names):
    shown = read_cells(write(names))
    assert shown[:2] == ["system", "of"]
    # a browser shows no blanks at the ends of a cell
    assert [name.strip() for name in shown[2::2]] == [
        escape_control(name).strip() for name in names
    ]
    assert shown[3::2] == [f"{1000 * place:,}" for place in range(len(names))]


def test_markup_in_a_name_does_nothing():
    names = ["**a**", "<b>", "[x](y)", "`c`", "a|b", "&amp;", "~~d~~", "\\|", "![i](j)", "_e_"]
    assert read_cells(write(names))[2::2] == names


def test_numbers_stand_to_the_right_and_text_to_the_left():
    assert write(["A"]).splitlines()[1] == "| :-- | --: |"


def test_comments_are_not_shown_whatever_they_hold():
    text = write(["A"], "evenhand rank x.csv --where 'a --> b'", "two\nlines --!> <i>")
    assert len(re.findall("-->", text)) == 2
    assert "--where" not in re.sub("<!--.*?-->", "", PARSER.render(text), flags=re.DOTALL)
    assert read_cells(text) == ["system", "of", "A", "0"]
