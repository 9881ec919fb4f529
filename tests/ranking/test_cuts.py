"""Parts of a board without one cluster, against walks over the graph by hand."""

import numpy as np
import polars as pl
import pytest

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.controls import fit_rows, read_controls
from evenhand.ranking import covariance, sandwich
from evenhand.ranking.covariance import count_across, find_across, leave_each_out
from ranking.panels import comparisons, panel, tally


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
            np.testing.assert_array_equal(find_across(way.parts[code]), apart)
            assert count_across(way.parts[code]) == apart.sum() // 2
    assert resting.any()
    np.testing.assert_array_equal(way.resting >= 0, resting)


def test_boards_with_controls_know_their_cuts_at_every_size(monkeypatch):
    frame = panel(3, n=900, judges=12, systems=4)
    more = frame.filter(pl.col("right") == "s3", pl.col("judge") == "j004")
    frame = pl.concat([frame, more.with_columns(right=pl.lit("new"))])
    length = np.random.default_rng(1).normal(size=len(frame))
    table = comparisons(frame.with_columns(length=pl.Series(length)))
    controls, rows = read_controls(table, ("length",), by=("judge",), limits={})
    found = fit_rows(BradleyTerry(controls=("length",)), controls, rows)
    exact = leave_each_out(found, rows.tally(("judge",)), "judge")
    monkeypatch.setattr(covariance, "MAX_DENSE", 10)
    monkeypatch.setattr(sandwich, "MAX_DENSE", 150)  # three clusters at a time
    way = leave_each_out(found, rows.tally(("judge",)), "judge")
    assert (way.kind, exact.kind) == ("CR1", "CV3")
    assert (exact.resting >= 0).sum() == 8
    np.testing.assert_array_equal(way.resting, exact.resting)
    np.testing.assert_allclose(way.effective, exact.effective, rtol=1e-9)


def test_a_judge_on_whom_worths_and_the_order_effect_hang_together_is_found_at_every_size(
    monkeypatch,
):
    """All others saw s0 left of s1 left of s2: only j8 tells the side from the systems."""
    rng = np.random.default_rng(5)
    rows = [
        (f"j{judge}", f"s{k}", f"s{k + 1}", side)
        for judge in range(9)
        for k in range(2)
        for side in rng.choice(["left", "right"], 9)
    ]
    rows += [("j8", "s1", "s0", side) for side in ["left", "right", "right"] * 5]
    frame = pl.DataFrame(rows, schema=["judge", "left", "right", "outcome"], orient="row")
    found = BradleyTerry(order_effect=True).fit(comparisons(frame))
    exact = leave_each_out(found, tally(frame, "judge"), "judge")
    monkeypatch.setattr(covariance, "MAX_DENSE", 10)
    way = leave_each_out(found, tally(frame, "judge"), "judge")
    assert (way.kind, exact.kind) == ("CR1", "CV3")
    assert (exact.resting[np.triu_indices(3, 1)] == 8).all()
    np.testing.assert_array_equal(way.resting, exact.resting)
