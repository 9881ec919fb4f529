"""The diagnosis runs on real campaigns with no hand work, task by task."""

import pytest

import evenhand
from evenhand import diagnose_groups, diagnose_judges

CAMPAIGNS = {"wmt07_scores": 14, "wmt22_calibration": 6, "esa_wmt23_ende": 8}


@pytest.mark.parametrize(("name", "tasks"), CAMPAIGNS.items())
def test_every_task_is_diagnosed(data_folder, name, tasks):
    found = diagnose_groups(evenhand.read(data_folder / name / "ratings.parquet"))
    assert (len(found), found.refused) == (tasks, {})
    for one in found.groups.values():
        assert one.says
        assert all(outliers.centre or outliers.why for outliers in one.outliers[:1])


def test_scores_of_wmt07_have_the_means_that_pandas_finds(data_folder):
    import pandas as pd

    path = data_folder / "wmt07_scores" / "ratings.parquet"
    table = pd.read_parquet(path)
    names = ["judge", "item", "system", "criterion"]
    table = table[table.task == "WMT07 German-English Europarl"].drop_duplicates(names)
    found = diagnose_judges(evenhand.read(path, task="WMT07 German-English Europarl"))
    means = table.groupby(["criterion", "judge"]).score.mean()
    ours = {(one.criterion, one.judge): one.mean for own in found.profiles.values() for one in own}
    assert ours == pytest.approx(means.to_dict())
    spread = table[table.criterion == "A"].groupby("judge").score.mean()
    outside = spread[(spread - spread.mean()).abs() > spread.std()]
    assert found.outliers_of("mean-score", "A").judges == tuple(sorted(outside.index))
