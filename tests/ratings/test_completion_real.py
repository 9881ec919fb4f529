"""Completion of the calibration ratings of WMT22, where EVENHAND_DATA names their folder."""

import pytest

import evenhand


@pytest.fixture(scope="module")
def ratings(data_folder):
    file = data_folder / "wmt22_calibration" / "ratings.parquet"
    return evenhand.read(file, where="is_doc = false", task="eng-jpn")


def test_the_folder_s_counts_are_read_and_shared_tastes_predict_better(ratings):
    """19 judges by 95 outputs, 1,821 scores of 1,731 cells: the README beside the data."""
    fit = evenhand.NuclearNorm().fit(ratings)
    assert fit.matrix.shape == (19, 95)
    assert fit.matrix.cells.weight.sum() == 1821
    assert len(fit.matrix.value) == 1731
    assert not fit.abstained
    errors = {row.method: row for row in fit.table}
    assert errors["judge + output"].mae_more.lower > 0


def test_decisions_gain_from_more_ratings_and_not_from_shared_tastes(ratings):
    curve = evenhand.study_decisions(ratings, draws=3)
    assert (curve.systems, curve.pairs) == (7, 21)
    first, last = curve.points[0], curve.points[-6]
    assert last.design.share == 0.9
    assert last.reliability["raw mean"].value > first.reliability["raw mean"].value
    for point in curve.points:
        assert abs(point.gains["judge + output"].value) < 0.06
