"""Row by row readings of published judgments have the counts that their sources state."""

import numpy as np
import pytest

from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import CONTROL
from evenhand.data.ratings import Ratings
from evenhand.formats.reading import read


def rows_of(data_folder, name, **wishes):
    data = read(data_folder / name / "ratings.parquet", **wishes)
    assert isinstance(data, Ratings)
    return data.rows()


def test_wmt07_has_two_scores_of_each_of_11363_outputs(data_folder):
    """README: 11,363 outputs, 1,997 of them with two or more judges; 100 judges, 14 tasks."""
    rows = rows_of(data_folder, "wmt07_scores")
    assert (len(rows.judges), len(rows.tasks), rows.criteria) == (100, 14, ("A", "B"))
    judged = np.unique(np.stack([rows.output, rows.judge.astype(np.int64)]), axis=1)
    _, judges = np.unique(judged[0], return_counts=True)
    assert (len(judges), int((judges > 1).sum())) == (11_363, 1_997)


def test_esa_tells_16535_targets_from_damaged_controls(data_folder):
    """README: 18,980 rows, 16,535 of them TGT; BAD are deliberately damaged."""
    rows = rows_of(data_folder, "esa_wmt23_ende")
    assert (rows.size, rows.targets().size) == (18_980, 16_535)
    assert set(rows.direction[rows.kind == CONTROL].tolist()) == {-1}


def test_wmt22_keeps_document_scores_apart(data_folder):
    """The file marks 1,139 of its 10,751 rows as scores of documents."""
    rows = rows_of(data_folder, "wmt22_calibration")
    loads = np.bincount(rows.criterion).tolist()
    assert dict(zip(rows.criteria, loads, strict=True)) == {
        "da_sqm": 9_612,
        "da_sqm (document)": 1_139,
    }


def test_arguments_have_moments_and_no_expected_outcome(data_folder):
    """README: 84,445 judgments, 3,815 workers, 16,927 pairs, tie share .226; times are UTC."""
    data = read(data_folder / "ukpconvarg1" / "pairwise.parquet")
    assert isinstance(data, Comparisons)
    votes = data.votes()
    assert (votes.size, len(votes.judges), len(votes.items)) == (84_445, 3_815, 16_927)
    assert np.mean(votes.outcome == 1) == pytest.approx(0.226, abs=5e-4)
    assert votes.expected is None
    first = np.datetime64("2016-01-31T16:59:52").astype(np.int64)
    assert first in votes.moment


def test_wmt16_rankings_know_how_long_they_took(data_folder):
    """README: 150 judges; `duration_s` is the time spent on a ranking."""
    data = read(data_folder / "wmt16_rankings" / "rankings_collapsed.parquet")
    assert isinstance(data, Rankings)
    votes = data.comparisons().votes()
    assert (votes.size, len(votes.judges)) == (302_480, 150)
    seconds = [set(votes.seconds[votes.answer == answer].tolist()) for answer in range(5)]
    assert all(len(one) == 1 for one in seconds)
