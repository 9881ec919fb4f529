"""Pairs of one judge's votes are no agreement between judges, whatever WMT's key lets through."""

import numpy as np
import polars as pl
import pytest

import evenhand
from evenhand.judges.preferences import compare_votes

SAID = ("left", "tie", "right")


def campaign(*, opposite, repeats="repeat"):
    """Two judges of forty items see opposite orders, or the same; the first answers ten again."""
    rng = np.random.default_rng(11)
    rows = []
    for item in range(40):
        for place, judge in enumerate("xy"):
            sides = ("B", "A") if opposite and place else ("A", "B")
            again = judge == "x" and item % 4 == 0
            for time in range(1 + again):
                kind = repeats if time else "target"
                rows.append((f"i{item}", judge, *sides, SAID[rng.integers(3)], kind))
    names = ("item", "judge", "left", "right", "outcome", "kind")
    return pl.DataFrame(rows, schema=names, orient="row")


def tables(rows):
    """The same table from memory, and from an engine."""
    return [evenhand.measure_agreement(evenhand.read(one)) for one in (rows, rows.lazy())]


def test_kappa_of_wmt_does_not_exist_where_every_counted_pair_is_one_judges():
    why = (
        "no two judges saw the same two outputs in the same order: all 10 pairs of votes that WMT"
        " counts are of one judge, asked again"
    )
    for table in tables(campaign(opposite=True)):
        assert "kappa-wmt" not in [one.name for one in table.whole.coefficients]
        assert why in table.whole.notes
    asked = evenhand.measure_agreement(
        evenhand.read(campaign(opposite=True)), coefficients="kappa-wmt"
    )
    assert (asked.whole["kappa-wmt"].value, asked.whole["kappa-wmt"].why) == (None, why)


def test_kappa_of_wmt_says_how_many_pairs_are_one_judges():
    """By hand: 40 pairs of x and y, 10 of x and y's second answer more, 10 of x with himself."""
    for table in tables(campaign(opposite=False)):
        note = "10 of 60 pairs of votes (17 %) are of one judge, asked again."
        assert table.whole["kappa-wmt"].notes[-1] == note
        assert table.whole["kappa-wmt"].value is not None


def test_rows_marked_as_repeats_are_no_part_of_kappa_between_judges():
    """The κ and the share of the first answers alone, read as a table of their own."""
    rows = campaign(opposite=False)
    first = evenhand.read(rows.filter(pl.col("kind") == "target"))
    alone = compare_votes(first.votes())
    for table in tables(rows):
        strict = table.whole["kappa-strict"]
        assert strict.value == pytest.approx(alone.kappa)
        assert (strict.units, strict.ratings) == (40, 80)
        assert alone.observed == pytest.approx(table.whole["n-agreement-0"].value)
        assert f"same answer in {100 * alone.observed:.1f} %; pairwise κ" in table.says[0]
        assert "10 repeats excluded." in table.notes


def test_second_answers_that_nothing_marks_stay_in_kappa_and_the_note_says_so():
    rows = campaign(opposite=False).drop("kind")
    for table in tables(rows):
        assert table.whole["kappa-strict"].ratings == 90
        assert {"again", "again-in-kappa"} <= {one.code for one in table.notes}
        assert "Fleiss' κ " in table.says[0]
