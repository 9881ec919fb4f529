"""Random effects: judges with normal tastes for every system; pairs and judges are uniform.

Ties are Davidson's. `sigma` is the standard deviation of tastes, 0.5 in the files. Peers drop ties.
"""

import multiprocessing
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite
from benchmarks.data import CHUNK, NU

RECIPE, SIGMA = 1, 0.5
LABELLED = """
    SELECT format('system-{:05d}-instruct', a) AS left,
           format('system-{:05d}-instruct', b) AS right,
           ['left', 'tie', 'right'][outcome + 1] AS outcome,
           format('judge-{:08d}', judge) AS judge
    FROM codes
"""
FLOOR = Contender("floor", "floor", "random_floor", ("group_by",), "counts by judge", ("duckdb",))
EVENHAND = Contender(
    "evenhand", "ours", "random_evenhand", ("corrected",), "worths, sigma with interval", OURS
)
DISCARD = Contender(
    "evenhand, ties dropped", "ours", "random_evenhand", ("discard",), "the same", OURS
)
PEERS = (
    Contender(
        "statsmodels",
        "peer",
        "random_statsmodels",
        ("variational",),
        "worths, sigma (variational Bayes)",
        ("statsmodels", "duckdb"),
        ("random_evenhand.discard",),
    ),
    Contender(
        "gpboost",
        "peer",
        "random_gpboost",
        ("laplace",),
        "worths, a sigma for each system (Laplace)",
        ("gpboost", "duckdb"),
        ("random_evenhand.discard",),
    ),
)


def parquet(folder: Path, size: tuple[int, int, int], sigma: float = SIGMA) -> Path:
    """The file of (judges, systems, answers) in `folder`, made if it is not there."""
    judges, systems, answers = size
    path = folder / f"tastes-j{judges}-k{systems}-n{answers}-s{sigma:g}-v{RECIPE}.parquet"
    return data.make_once(path, lambda file: write_apart(file, size, sigma))


def write_apart(path: Path, size: tuple[int, int, int], sigma: float) -> None:
    """Write the file in a process of its own: judges by systems are many numbers."""
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=write, args=(path, size, sigma))
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{path} could not be written")


def write(path: Path, size: tuple[int, int, int], sigma: float) -> None:
    """Write the file, a chunk of codes at a time, labelled by DuckDB."""
    judges, k, answers = size
    rng = np.random.default_rng(1)
    worth = rng.normal(size=k) + sigma * rng.normal(size=(judges, k))
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE codes (a INT, b INT, outcome TINYINT, judge INT)")
        for start in range(0, answers, CHUNK):
            n = min(CHUNK, answers - start)
            judge, a = rng.integers(0, judges, n), rng.integers(0, k, n)
            b = (a + rng.integers(1, k, n)) % k
            half = np.exp((worth[judge, a] - worth[judge, b]) / 2)
            dart = rng.random(n) * (half + NU + 1 / half)
            outcome = (dart >= half).astype(np.int8) + (dart >= half + NU)
            chunk = {"a": a, "b": b, "outcome": outcome, "judge": judge}  # noqa: F841  by name
            connection.execute("INSERT INTO codes SELECT a, b, outcome, judge FROM chunk")
        connection.execute(f"COPY ({LABELLED}) TO {data.quoted(path)} (FORMAT parquet)")


def case(judges: int, systems: int, answers: int, *peers: Contender) -> FileCase:
    """Random judges of so many judges, systems and answers."""
    name = f"{judges:,} judges, {systems:,} systems, {answers:,} answers"
    make = partial(parquet, size=(judges, systems, answers))
    ours = (FLOOR, EVENHAND, DISCARD) if peers else (FLOOR, EVENHAND)
    return FileCase(name, make, (*ours, *peers))


QUICK = case(40, 5, 4_000, *PEERS)
SUITE = Suite(
    "random-judges",
    "random effects of judges",
    (
        QUICK,
        case(1_000, 20, 300_000, *PEERS),
        case(50, 300, 500_000),
        case(100_000, 20, 2_000_000),
    ),
    (QUICK,),
)
