"""Parts of a board without one cluster, against walks over the graph by hand."""

import numpy as np
import polars as pl
import pytest

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking import covariance, sandwich
from evenhand.ranking.covariance import leave_each_out
from evenhand.ranking.rank import rank
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


def on_items(seed: int, items: int) -> tuple[pl.DataFrame, np.ndarray]:
    """600 answers of 20 judges on four systems that are equal over all items, not on each.

    Returns:
        The answers, and (4,) log-worths over these items alone.

    """
    rng = np.random.Generator(np.random.PCG64(seed))
    own = rng.normal(0, 0.6, (items, 4))
    item, left = rng.integers(0, items, 600), rng.integers(0, 4, 600)
    right = (left + rng.integers(1, 4, 600)) % 4
    chance = 1 / (1 + np.exp(own[item, right] - own[item, left]))
    frame = pl.DataFrame(
        {
            "left": [f"s{i}" for i in left],
            "right": [f"s{i}" for i in right],
            "outcome": np.where(rng.random(600) < chance, "left", "right").tolist(),
            "judge": [f"j{i:02d}" for i in rng.integers(0, 20, 600)],
            "item": [f"i{i}" for i in item],
        }
    )
    first, second = np.triu_indices(4, 1)
    wins = (1 / (1 + np.exp(own[:, second] - own[:, first]))).mean(axis=0)
    sides = {"left": [f"s{i}" for i in first], "right": [f"s{i}" for i in second]}
    expected = [
        pl.DataFrame({**sides, "outcome": who, "weight": np.round(1e6 * share).astype(int)})
        for who, share in (("left", wins), ("right", 1 - wins))
    ]
    return frame, BradleyTerry().fit(comparisons(pl.concat(expected))).log_worth


@pytest.mark.parametrize("items", [3, 4, 5])
def test_few_items_are_spoken_of_alone_and_of_these_it_is_true(items):
    """Of four equal systems most boards decide something; of these items that is no false claim."""
    decided = wrong = 0
    for seed in range(20):
        frame, truth = on_items(seed, items)
        found = rank(comparisons(frame))
        assert found.headline == f"for these {items} items only"
        assert found.says.endswith(f"for these {items} items only)")
        of_these = truth[[int(name[1]) for name in found.systems]]
        apart = np.sign(of_these[:, None] - of_these)
        claims = found.rank_sets.decided
        decided += bool(claims.any())
        wrong += bool((claims * apart < 0).any())
    assert decided >= 10
    assert wrong <= 3  # of 20 at level .95: more in 2 of 100 tests
