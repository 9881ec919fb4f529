"""Row by row readings of published judgments have the counts that their sources state."""

import numpy as np

from evenhand.data.rating_rows import CONTROL
from evenhand.data.ratings import Ratings
from evenhand.formats.reading import read


def rows_of(data_folder, name, **wishes):
    data = read(data_folder / name / "ratings.parquet", **wishes)
    assert isinstance(data, Ratings)
    return data.rows()


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
