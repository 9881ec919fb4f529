"""Answers are counted, and called, alike in one table and in files counted one by one."""

import numpy as np
import polars as pl
import pytest

import evenhand
from days_of_votes import frame
from evenhand.errors import InvalidJudgments
from evenhand.formats.counting_files import count_files


def write_rankings(path, names, systems="abc"):
    """Write rankings in turn: the first system is best, then the second, and so on."""
    rows = [
        (name, system, 1 + (at + turn) % len(systems))
        for turn, name in enumerate(names)
        for at, system in enumerate(systems)
    ]
    pl.DataFrame(rows, schema=["ranking", "system", "rank"], orient="row").write_csv(path)


@pytest.mark.parametrize(("first", "second"), [("ab", "ab"), ("abc", "ab"), ("ab", "abc")])
def test_a_ranking_in_two_files_is_refused_with_a_cache_as_without(first, second, tmp_path):
    names = [f"r{i}" for i in range(20)]
    write_rankings(tmp_path / "a.csv", names, first)
    write_rankings(tmp_path / "b.csv", names, second)
    both = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for cache in (None, tmp_path / "kept", tmp_path / "kept"):
        for files in (both, both[::-1]):
            with pytest.raises(InvalidJudgments, match="ranking 'r0' stands in two"):
                evenhand.rank(count_files(files, cache=cache))


def weigh(votes, seed):
    """Give each vote a weight of one decimal, whose sums differ by their order."""
    rng = np.random.Generator(np.random.PCG64(seed))
    return votes.with_columns(weight=pl.Series(rng.integers(1, 19, len(votes)) / 10))


@pytest.mark.parametrize("task", [None, "task"])
def test_judgments_of_fractional_weights_are_judgments_however_they_are_split(task, tmp_path):
    for seed in range(2):
        for at in range(3):
            votes = weigh(frame(120, 10 * seed + at), seed + at)
            if task:
                votes = votes.with_columns(task=pl.Series(["x", "y"] * 60))
            votes.write_csv(tmp_path / f"{at}.csv")
        counted = evenhand.rank(count_files(tmp_path / "*.csv", weights="importance"))
        whole = evenhand.rank(evenhand.read(tmp_path / "*.csv", weights="importance"))
        pairs = [(counted[name], whole[name]) for name in whole] if task else [(counted, whole)]
        for one, other in pairs:
            assert one.answers == other.answers == "judgments"
            assert one.n_judgments == pytest.approx(other.n_judgments, rel=1e-12)
            np.testing.assert_allclose(one.log_worth, other.log_worth, atol=1e-9)


def test_rankings_count_by_their_weights_in_each_task(tmp_path):
    names = [f"r{i}" for i in range(42)]
    write_rankings(tmp_path / "a.csv", names)
    place = pl.col("ranking").str.slice(1).cast(pl.Int64)
    table = pl.read_csv(tmp_path / "a.csv").with_columns(
        weight=1 + place % 3, task=pl.when(place < 20).then(pl.lit("x")).otherwise(pl.lit("y"))
    )
    table.write_csv(tmp_path / "a.csv")
    whole = evenhand.rank(evenhand.read(tmp_path / "a.csv"))
    weights = [1 + i % 3 for i in range(42)]
    assert [whole[one].n_judgments for one in "xy"] == [sum(weights[:20]), sum(weights[20:])]
    for cache in (None, tmp_path / "kept", tmp_path / "kept"):
        counted = evenhand.rank(count_files(tmp_path / "a.csv", cache=cache))
        assert [counted[one].signature for one in "xy"] == [whole[one].signature for one in "xy"]
