"""Systems ranked by ratings: adjusted for judges and items, means, and z-scores.

    score = 50 + worth + severity_j + difficulty_i + taste_js + (item x system)_is + noise

Each rating is of a judge, an item and a system at random, none twice; normal worths (sd 3),
severity (8), difficulty (10), tastes (3), item x system (5) and noise (12); whole points from 0 to
100. statsmodels has judges and items as dummy variables, or as crossed random effects with systems
fixed: both of a size that they can do.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

RECIPE = 3
LABELLED = """
    SELECT format('judge-{:08d}', judge) AS judge, format('item-{:09d}', item) AS item,
           format('system-{:05d}-instruct', system) AS system, score
    FROM codes
"""


@dataclass(frozen=True)
class Size:
    """The size of a file."""

    ratings: int
    systems: int
    judges: int
    items: int


def ours(name: str, form: str, gives: str) -> Contender:
    """A line of Evenhand's."""
    return Contender(name, "ours", "ratings_evenhand", (form,), gives, OURS)


def peer(name: str, place: str, gives: str, packages: tuple[str, ...], like: str) -> Contender:
    """A peer, compared with a form of Evenhand's."""
    module, _, form = place.partition(".")
    return Contender(name, "peer", module, (form,), gives, packages, (f"ratings_evenhand.{like}",))


RANK_SETS = "rank sets by judge and item"
PANDAS = peer(
    "pandas, z-scores",
    "ratings_pandas.z",
    "means of z, no errors",
    ("pandas", "pyarrow"),
    "z",
)
CONTENDERS = (
    Contender("floor", "floor", "ratings_floor", ("group_by",), "means", ("duckdb",)),
    ours("evenhand", "adjusted", f"adjusted scores, {RANK_SETS}"),
    ours("evenhand, means", "mean", f"mean scores, {RANK_SETS}"),
    ours("evenhand, z-scores", "z", f"means of z, {RANK_SETS}"),
    PANDAS,
)
STATSMODELS = ("statsmodels", "pandas", "pyarrow")
SMALL = (
    *CONTENDERS,
    ours("evenhand, mixed", "mixed", "REML, rank sets by the model"),
    peer(
        "statsmodels, OLS with dummies",
        "ratings_statsmodels.dummies",
        "adjusted scores, model SE",
        STATSMODELS,
        "adjusted",
    ),
    peer(
        "statsmodels, MixedLM",
        "ratings_statsmodels.crossed",
        "REML, model SE",
        STATSMODELS,
        "mixed",
    ),
)


def parquet(folder: Path, size: Size) -> Path:
    """The file of a size in `folder`, made if it is not there."""
    name = f"ratings-n{size.ratings}-k{size.systems}-j{size.judges}-i{size.items}-v{RECIPE}"
    return data.make_once(folder / f"{name}.parquet", lambda file: write(file, size))


def write(path: Path, size: Size) -> None:
    """Write ratings."""
    rng = np.random.default_rng(1)
    n, k = size.ratings, size.systems
    worth, severity = rng.normal(0, 3, k), rng.normal(0, 8, size.judges)
    difficulty, taste = rng.normal(0, 10, size.items), rng.normal(0, 3, (size.judges, k))
    cell = rng.choice(size.judges * size.items * k, n, replace=False, shuffle=False)
    rest, system = np.divmod(cell, k)
    judge, item = np.divmod(rest, size.items)
    score = 50 + worth[system] + severity[judge] + difficulty[item] + taste[judge, system]
    score += rng.normal(0, 5, (size.items, k))[item, system]
    score = np.clip(np.round(score + rng.normal(0, 12, n)), 0, 100)
    codes = {"judge": judge, "item": item, "system": system, "score": score}  # noqa: F841  read by name below
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({LABELLED}) TO {data.quoted(path)} (FORMAT parquet)")


def case(size: Size, contenders: tuple[Contender, ...]) -> FileCase:
    """Contenders on a size."""
    name = (
        f"{size.ratings:,} ratings, {size.systems} systems, {size.judges} judges,"
        f" {size.items:,} items"
    )
    return FileCase(name, partial(parquet, size=size), contenders)


CASES = (
    case(Size(1_000_000, 50, 200, 5_000), CONTENDERS),
    case(Size(20_000, 10, 50, 500), SMALL[:-1]),
    case(Size(2_000, 6, 20, 60), SMALL),
)
SUITE = Suite("ratings", "systems ranked by ratings", CASES, CASES[2:])
