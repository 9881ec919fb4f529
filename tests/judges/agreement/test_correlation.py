"""Correlations of judges against scipy and pandas, on random scores and on WMT 2022's."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import evenhand
from evenhand.judges.judge_pairs import (
    compare_judges,
    correlate_pairs,
    correlate_within,
)
from evenhand.judges.units import find_units, walk_overlaps
from score_tables import units_of

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=25
)


@pytest.mark.parametrize("ranks", [False, True])
@given(rows=ROWS)
def test_each_group_has_the_correlation_of_scipy_or_none(ranks, rows):
    groups, x, y = np.array(rows).T
    groups = np.unique(groups, return_inverse=True)[1].reshape(-1)
    found = correlate_within(groups, x.astype(float), y.astype(float), ranks=ranks)
    measure = stats.spearmanr if ranks else stats.pearsonr
    for group in np.unique(groups):
        a, b = x[groups == group], y[groups == group]
        if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
            assert np.isnan(found[group])
        else:
            assert found[group] == pytest.approx(measure(a, b).statistic, abs=1e-12)


def test_pairs_are_correlated_on_what_both_scored():
    matrix = [[1, 2, 3, 5, None], [2, 1, 4, 4, 1], [None, 3, 3, 3, 3]]
    (overlap,) = walk_overlaps(units_of(matrix))
    pairs = list(zip(overlap.first.tolist(), overlap.second.tolist(), strict=True))
    assert pairs == [(0, 1), (0, 2), (1, 2)]
    assert overlap.units.tolist() == [4, 3, 4]
    found = correlate_pairs(overlap).values
    assert found[0] == pytest.approx(stats.pearsonr([1, 2, 3, 5], [2, 1, 4, 4]).statistic)
    assert np.isnan(found[1:]).all()  # the third judge gave one score throughout


def test_wmt22_calibration_gives_the_known_mean_correlations(data_folder):
    # rows of segments; first answers, where a judge answered twice, and pairs of judges with few
    # common segments count little: the known values are computed so for tasks without repeats
    data = evenhand.read(data_folder / "wmt22_calibration" / "ratings.parquet")
    rows = data.where("not is_doc").rows()
    known = {"eng-ces": 0.54, "eng-hrv": 0.54, "eng-zho": 0.17, "zho-eng": 0.34}
    found = {}
    for (task,), part in rows.split(["task"]).items():
        found[task] = compare_judges(find_units(part)).mean("pearson").value
    assert len(found) == 6
    for task, value in known.items():
        assert found[task] == pytest.approx(value, abs=0.0051), task


def test_wmt22_calibration_pairs_are_those_of_pandas(data_folder):
    frame = pl.read_parquet(data_folder / "wmt22_calibration" / "ratings.parquet")
    own = frame.filter(~pl.col("is_doc"), pl.col("task") == "eng-jpn").sort("t0", "t1")
    first = own.unique(["judge", "item", "system"], keep="first", maintain_order=True).to_pandas()
    wide = first.pivot_table(index=["item", "system"], columns="judge", values="score")
    data = evenhand.read(data_folder / "wmt22_calibration" / "ratings.parquet")
    rows = data.where("not is_doc and task = 'eng-jpn'").rows()
    pairs = compare_judges(find_units(rows))
    for method in ("pearson", "spearman"):
        expected = wide.corr(method=method, min_periods=3)
        for one in pairs.records():
            theirs = expected.loc[one["first"], one["second"]]
            assert one[method] == pytest.approx(theirs, abs=1e-9)
