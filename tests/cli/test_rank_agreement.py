"""`evenhand rank --method all`: what agreement of methods is worth."""

import pytest

UNDECIDED = ["a,b,left,j1", "a,b,left,j2", "b,a,left,j3", "a,b,left,j4", "a,b,right,j5"]


@pytest.fixture
def two(folder):
    """Two systems that five judgments, three to two, do not distinguish."""
    (folder / "two.csv").write_text("\n".join(["left,right,outcome,judge", *UNDECIDED]))
    return "two.csv"


def test_agreement_of_methods_does_not_hide_that_no_pair_is_decided(evenhand, two):
    words = ("rank", two, "--method", "bradley-terry", "--method", "bojar")
    said = " ".join(evenhand(*words).out.split())
    assert "All methods agree on the order of 1 pair." in said
    assert "bradley-terry decides 0 of 1 pair at level 0.95." in said
    assert "Methods share the same judgments" in said
    assert "a & $1$ & $1$ \\\\" in evenhand(*words, "--latex").out


def test_decided_pairs_are_counted_from_the_ranking(evenhand, table1):
    words = ("--method", "bradley-terry", "--method", "bojar", "--json")
    found = evenhand("rank", table1, *words).json
    decided = sum(row["better_than"] for row in evenhand("rank", table1, "--json").json["systems"])
    assert found["says"].endswith(f"bradley-terry decides {decided} of 6 pairs at level 0.95.")
