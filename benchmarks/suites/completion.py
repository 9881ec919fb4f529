"""Ratings that judges were not asked for: 10,000 outputs by 500 judges, one cell in ten seen.

Scores are severity + worth + two tastes that judges share (or none) + noise. A thousandth of the
cells that are not seen stand in a file beside, with what would have been said: `rmse` is the error
on these, and the difference is that from Evenhand's.
"""

from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

RECIPE, SEEN, ASKED = 1, 0.1, 0.01
LABELLED = """
    SELECT format('judge-{:08d}', judge) AS judge, format('item-{:09d}', output) AS item,
           'system-of-all-outputs' AS system, score
    FROM codes WHERE seen = SEEN
"""
LIKE = ("completion_evenhand.default",)


def peer(name: str, form: str, gives: str, package: str) -> Contender:
    """A peer that predicts ratings."""
    module = f"completion_{package.replace('scikit-', '')}"
    return Contender(name, "peer", module, (form,), gives, (package, "duckdb"), LIKE)


PEERS = (
    peer("surprise SVD", "svd", "predictions, 20 factors by 20 epochs", "scikit-surprise"),
    peer("surprise baseline", "baseline", "judge + output, penalised", "scikit-surprise"),
)
CONTENDERS = (
    Contender("floor", "floor", "completion_floor", ("group_by",), "counts", ("duckdb",)),
    Contender(
        "evenhand",
        "ours",
        "completion_evenhand",
        ("default",),
        "predictions with intervals, tau chosen, errors beside other methods",
        OURS,
    ),
    *PEERS,
)


def parquet(folder: Path, judges: int, outputs: int, tastes: int) -> Path:
    """The ratings that are seen, made if they are not there, beside some that are not."""
    path = folder / f"scores-j{judges}-o{outputs}-t{tastes}-v{RECIPE}.parquet"
    return data.make_once(path, lambda file: write(file, path, (judges, outputs, tastes)))


def asked_of(path: Path) -> Path:
    """The file of ratings that are asked for, beside those that are seen."""
    return path.with_name(f"{path.stem}-asked.parquet")


def write(unfinished: Path, path: Path, size: tuple[int, int, int]) -> None:
    """Write both files."""
    judges, outputs, tastes = size
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(judges, tastes)) @ rng.normal(size=(tastes, outputs)) / 2
    score = 3 + rng.normal(0, 0.5, (judges, 1)) + rng.normal(0, 0.7, outputs) + shared
    score += rng.normal(0, 0.6, score.shape)
    dart = rng.random(score.shape)
    kept = np.flatnonzero(dart < SEEN * (1 + ASKED))
    codes = {  # noqa: F841  read by name below
        "judge": kept // outputs,
        "output": kept % outputs,
        "score": score.ravel()[kept],
        "seen": dart.ravel()[kept] < SEEN,
    }
    with duckdb.connect() as connection:
        for file, seen in ((unfinished, "true"), (asked_of(path), "false")):
            rows = LABELLED.replace("SEEN", seen)
            connection.execute(f"COPY ({rows}) TO {data.quoted(file)} (FORMAT parquet)")


def case(judges: int, outputs: int, tastes: int) -> FileCase:
    """All contenders on so many judges and outputs."""
    name = f"{outputs:,} outputs, {judges:,} judges, {tastes} shared tastes"
    make = partial(parquet, judges=judges, outputs=outputs, tastes=tastes)
    return FileCase(name, make, CONTENDERS)


SUITE = Suite(
    "completion",
    "ratings that judges were not asked for",
    (case(500, 10_000, 2), case(500, 10_000, 0), case(100, 1_000, 2)),
    (case(50, 400, 2),),
)
