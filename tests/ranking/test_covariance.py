"""Parts of a board without one cluster, against walks over the graph by hand."""

import numpy as np
import polars as pl
import pytest

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import covariance, sandwich
from evenhand.ranking.covariance import leave_each_out
from ranking.panels import comparisons, tally


def linked(seed, judges=9):
    """Seven systems in a row, each link of a few judges, drawn by chance."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"j{judge}", f"s{k}", f"s{k + 1}", side)
        for k in range(6)
        for judge in rng.choice(judges, int(rng.integers(1, 4)), replace=False)
        for side in ["left"] * int(rng.integers(3, 9)) + ["tie"] * 2 + ["right"] * 5
    ]
    rows += [(f"j{judge}", "s2", "s3", side) for judge in range(judges) for side in ("left", "tie")]
    return pl.DataFrame(rows, schema=["judge", "left", "right", "outcome"], orient="row")


def parts_by_walking(frame, judge):
    """Systems that others' comparisons link, by joining sets one pair at a time."""
    part = {system: {system} for system in sorted({*frame["left"], *frame["right"]})}
    for left, right in frame.filter(pl.col("judge") != judge).select("left", "right").iter_rows():
        joined = part[left] | part[right]
        for system in joined:
            part[system] = joined
    return list(part.values())


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("dense", [sandwich.MAX_DENSE, 10])
def test_parts_without_a_judge_are_those_that_walks_reach(seed, dense, monkeypatch):
    monkeypatch.setattr(covariance, "MAX_DENSE", dense)
    frame = linked(seed)
    found = BradleyTerry(ties="half-win").fit(comparisons(frame))
    way = leave_each_out(found, tally(frame, "judge"), "judge")
    assert way.kind == ("CR1" if dense == 10 else "CV3")
    resting = np.zeros((len(found.systems),) * 2, dtype=bool)
    for code, name in enumerate(way.factor.labels):
        walked = parts_by_walking(frame, name)
        apart = np.array([[s is not t for s in walked] for t in walked])
        resting |= apart
        assert (code in way.parts) == apart.any()
        if apart.any():
            part = way.parts[code]
            np.testing.assert_array_equal(part[:, None] != part, apart)
    assert resting.any()
    np.testing.assert_array_equal(way.resting >= 0, resting)


# Ways of clustering that are given up: what is said is then about these items alone.
