from __future__ import annotations

import re
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from evenhand.render.document import Column, Document, Table
from evenhand.render.latex import escape, label_groups, render_latex, write_cell

# signs that mean something to LaTeX, wherever they stand unescaped
SPECIAL = re.compile(r"(?<!\\)[&%$#_]|[~^]")


@given(st.text())
def test_no_sign_of_a_name_means_anything_to_latex(text):
    plain = re.sub(
        r"\\text(tilde|asciitilde|asciicircum|backslash|less|greater|bar)\{\}", "", escape(text)
    )
    plain = plain.replace(r"\{", "").replace(r"\}", "")
    assert not SPECIAL.search(plain)
    assert "{" not in plain


def test_every_special_sign_is_written_as_latex_prints_it():
    assert escape("&%$#_{}") == r"\&\%\$\#\_\{\}"
    assert escape("~^\\") == r"\textasciitilde{}\textasciicircum{}\textbackslash{}"


def test_no_two_groups_have_the_same_label():
    groups = ["en-de", "en_de", "en-de-2", "系统", "", "群"]
    labels = label_groups(groups)
    assert len({*labels.values()}) == len(groups)
    assert (labels["en-de"], labels[""]) == ("en-de", "")


def test_tables_of_groups_have_captions_and_labels_of_their_own():
    table = Table("ranking", "Systems", (Column("n", "n", "count"),), ({"n": 1234},))
    drawn = render_latex(Document(basis="4 judgments.", parts=(table,)), "legal & news_1")
    assert r"\caption{legal \& news\_1: Systems}" in drawn
    assert r"\label{tab:legal-news-1-ranking}" in drawn
    assert drawn.startswith("% 4 judgments.\n")


def test_infinite_and_large_ends_are_set_in_mathematics():
    assert write_cell((-inf, 1234.0), "interval figures") == r"$[-\infty, 1{,}234]$"
    assert write_cell(inf, "figures") == r"$\infty$"


def test_labels_of_a_verb_begin_with_it_and_letters_without_a_font_are_named():
    assert label_groups(["en-de", ""], "rank") == {"en-de": "rank-en-de", "": "rank"}
    table = Table("judges", "Judges", (Column("judge", "judge", "name"),), ({"judge": "李 雷 é"},))
    drawn = render_latex(Document(parts=(table,)), stem="judges")
    assert r"\label{tab:judges-judges}" in drawn
    assert "% compile with XeLaTeX or LuaLaTeX, with a font that has 李 雷\n" in drawn


def test_a_minus_in_text_is_set_as_one_and_a_hyphen_is_not():
    assert write_cell("-0.40 to 0.31", "text") == "$-$0.40 to 0.31"
    assert write_cell("1-3 (-0.66)", "text") == "1-3 ($-$0.66)"
    assert write_cell("B -7b", "name") == "B -7b"
