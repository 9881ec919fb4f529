"""`evenhand impute`."""

import numpy as np
import polars as pl
import pytest

from ratings.rated_matrices import make_rows, simulate
from ratings.test_reliability import campaign


def write(rows, name: str) -> str:
    table = {
        "judge": [rows.judges[code] for code in rows.judge],
        "item": [rows.items[code] for code in rows.item],
        "system": [rows.systems[code] for code in rows.system],
        "score": rows.score.round(3),
    }
    for factor, one in rows.factors.items():
        table[factor] = [one.labels[code] for code in one.codes]
    pl.DataFrame(table).write_csv(name)
    return name


@pytest.fixture
def rated(folder) -> str:
    return write(simulate(1).rows(), "scores.csv")


@pytest.fixture
def full(folder) -> str:
    return write(campaign(), "full.csv")


def test_it_tells_apart_the_two_held_out_sets(evenhand, rated):
    said = " ".join(evenhand("impute", rated).out.split())
    assert "on 320 held-out cells that nothing was learned or chosen on" in said
    assert "On 240 further held-out cells, which serve this choice alone, shared tastes" in said
    assert "intercepts" not in said


def test_judges_without_bounds_are_counted_beside_the_widths_of_the_others(evenhand, folder):
    """Of 90 % intervals only judges with nine held-out ratings or more have any bounds."""
    sheet = evenhand("impute", write(uneven(), "uneven.csv"), "--judge-group", "judge")
    said = " ".join(sheet.out.split())
    assert " points for 2 of 10 judges; for the others they have no bounds" in said


def uneven():
    """Two judges rated 100 of 120 outputs, eight 10."""
    rng = np.random.default_rng(5)
    seen = rng.random((10, 120)).argsort(axis=1) < np.where(np.arange(10) < 2, 100, 10)[:, None]
    judge, item = np.nonzero(seen)
    return make_rows(judge, item, rng.normal(size=len(judge)), seen.shape)


def test_where_nothing_is_missing_groups_have_no_width(evenhand, full):
    words = ("impute", full, "--judge-group", "judge")
    assert "± 0" not in evenhand(*words).out
    for line in evenhand(*words).out.splitlines():
        assert not line.startswith(" j0") or line.split()[-2:] == ["–", "–"]
    widths = evenhand(*words, "--json").json["intervals"]
    assert {one["widest"] for one in widths} == {None}
    assert "& --" in evenhand(*words, "--latex").out
