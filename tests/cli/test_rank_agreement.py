"""`evenhand rank --method all`: what agreement of methods is worth, and how distances print."""

import pytest

from evenhand import compare_methods, read
from evenhand.cli.methods import abbreviate, draw_distances

UNDECIDED = ["a,b,left,j1", "a,b,left,j2", "b,a,left,j3", "a,b,left,j4", "a,b,right,j5"]


@pytest.fixture
def two(folder):
    """Two systems that five judgments, three to two, do not tell apart."""
    (folder / "two.csv").write_text("\n".join(["left,right,outcome,judge", *UNDECIDED]))
    return "two.csv"


def test_agreement_of_methods_does_not_hide_that_no_pair_is_decided(evenhand, two):
    text = evenhand("rank", two, "--method", "bradley-terry", "--method", "bojar").out
    assert " a       1-2   1\n b       1-2   2\n" in text
    said = " ".join(text.split())
    assert "says methods share the same judgments: their agreement is no evidence;" in said
    assert "bradley-terry decides 0 of 1 pair " in said
    assert "Kendall distances, of 1 pair: 0 between any two methods" in said
    assert "nowhere: no two methods order the pair differently" in said
    latex = evenhand("rank", two, "--method", "bradley-terry", "--method", "bojar", "--latex").out
    assert "a & 1--2 & 1 \\\\" in latex


def test_decided_pairs_are_counted_from_the_ranking(evenhand, table1):
    words = ("--method", "bradley-terry", "--method", "bojar", "--json")
    found = evenhand("rank", table1, *words).json
    decided = sum(row["better_than"] for row in evenhand("rank", table1, "--json").json["systems"])
    assert found["says"].endswith(f"; bradley-terry decides {decided} of 6 pairs")


def test_without_the_model_no_pair_is_said_to_be_decided(evenhand, two):
    found = evenhand("rank", two, "--method", "origwmt", "--method", "bojar", "--json").json
    assert found["says"].endswith("and no method here says which pairs are decided")


def test_a_refused_method_stands_above_the_table(evenhand, folder):
    (folder / "one.csv").write_text("left,right,outcome\na,b,left\nb,c,left\n")
    lines = evenhand("rank", "one.csv", "--method", "all").out.splitlines()
    refused = next(i for i, x in enumerate(lines) if x.startswith("error  bradley-terry refused: "))
    assert refused < next(i for i, line in enumerate(lines) if line.startswith(" system "))


def test_a_further_block_of_distances_has_no_empty_rows(evenhand, folder):
    rows = ["a,b,left", "b,c,left", "c,a,left", "a,c,tie", "a,b,right", "b,c,tie", "c,b,left"]
    (folder / "three.csv").write_text("\n".join(["left,right,outcome", *rows]))
    found = compare_methods(read("three.csv"))
    heads = abbreviate(found.methods)
    whole, narrow = (draw_distances(found, heads, columns) for columns in (120, 40))
    assert len(whole) == 2 + len(found.scores)  # a title, the heads, a row for each method
    starts = [i for i, line in enumerate(narrow) if line.startswith("    ")]
    assert len(starts) > 1
    assert all(len(line.split()) > 1 for line in narrow[starts[1] + 1 :] if line.strip())
    assert narrow[-1].split()[-1] == whole[-1].split()[-1]
