"""Multi-task processes on ratings of WMT22, where EVENHAND_DATA names their folder."""

import pytest

import evenhand
from evenhand.ratings.features import OutputFeatures
from evenhand.ratings.process_comparison import HeldOut, compare_processes


@pytest.mark.slow
def test_judges_of_wmt22_who_share_are_predicted_better(data_folder):
    """With a fifth of zho-eng seen; docs/papers/cohn_specia2013.md has the means over tasks."""
    file = data_folder / "wmt22_calibration" / "ratings.parquet"
    ratings = evenhand.read(file, where="is_doc = false", task="zho-eng")
    features = OutputFeatures(("seg",), ("each output", "doc", "system"))
    table = compare_processes(ratings, features, HeldOut(folds=2, splits=1, share=0.4)).tabulate()
    for row in table[1:]:
        assert row.mae_these.lower > 0, row.method
