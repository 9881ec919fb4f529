"""Items on which judges are farthest apart are the same ones whichever engine holds the scores."""

from fractions import Fraction
from itertools import combinations

import duckdb
import numpy as np
import polars as pl
import pytest

from evenhand import measure_agreement, read


def draw(seed, points, items=40):
    """Scores of two to six judges on two outputs of every item, in an order of their own."""
    rng = np.random.Generator(np.random.PCG64(seed))
    rows = [
        (f"i{item:02}", system, f"j{judge}", int(rng.integers(len(points))))
        for item in range(items)
        for system in "ab"
        for judge in rng.choice(6, rng.integers(2, 7), replace=False)
    ]
    rng.shuffle(rows)
    return rows


def list_exactly(rows, points):
    """The worst items by Fraction: sums of whole fractions have no last digit that is lost."""
    scores: dict[tuple[str, str], list[Fraction]] = {}
    for item, system, _, at in rows:
        scores.setdefault((item, system), []).append(Fraction(str(points[at])))
    gaps: dict[str, list[Fraction]] = {}
    for (item, _), own in scores.items():
        pairs = [abs(a - b) for a, b in combinations(own, 2)]
        gaps.setdefault(item, []).append(sum(pairs, Fraction(0)) / len(pairs))
    every = [gap for own in gaps.values() for gap in own]
    mean = sum(every) / len(every)
    drawn = {item: (sum(own) + 5 * mean) / (len(own) + 5) for item, own in gaps.items()}
    return sorted(drawn, key=lambda item: (-drawn[item], item))[:10]


def make_tables(rows, points):
    """The scores in memory, in Polars' hands, and in DuckDB's."""
    columns = {
        "judge": [judge for _, _, judge, _ in rows],
        "item": [item for item, *_ in rows],
        "system": [system for _, system, *_ in rows],
        "score": [points[at] for *_, at in rows],
    }
    table = pl.DataFrame(columns)
    yield table
    yield table.lazy()
    with duckdb.connect() as connection:
        yield connection.from_arrow(table.to_arrow())


SCALES = {
    "two": (1, 2),
    "whole": (1, 2, 3, 4, 5),
    "tenths": (0.1, 0.2, 0.3, 0.4, 0.5),
    "tenths that are uneven": (33.3, 66.7, 100.0),
    "no step in common": (0.0, 0.7071067811865, 1.0, 1.61803398874989),
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(4))
def test_equal_items_are_equal_on_every_engine_and_stand_by_name(scale, seed):
    points = SCALES[scale]
    rows = draw(seed, points)
    assert_listed(rows, points, list_exactly(rows, points))


def assert_listed(rows, points, expected):
    for table in make_tables(rows, points):
        whole = measure_agreement(read(table), coefficients="agreement").whole
        assert [one.item for one in whole.doubtful] == expected


@pytest.mark.parametrize("scale", [(1, 2, 3, 4), SCALES["no step in common"]])
def test_six_pairs_of_ten_are_nine_of_fifteen(scale):
    # of eight outputs 48 x (1 / 10) and 72 x (1 / 15) differ in the last digit
    rows = [
        (f"i{item:02}", system, f"j{at}", 1 if at < 3 else 2)
        for item in range(30)
        for system in "abcdefgh"
        for at in range(5 + item % 2)
    ]
    rows += [(f"z{at}", "a", f"j{judge}", at) for at in range(4) for judge in range(2)]
    assert_listed(rows, scale, [f"i{item:02}" for item in range(10)])
