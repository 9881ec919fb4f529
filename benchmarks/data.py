"""Seeded judgments in Parquet files, made once and kept: string labels, five columns.

Worths are normal with standard deviation 1, ties are Davidson's with nu = 0.5, pairs, judges and
items are uniform. Labels are longer than twelve characters, as real ones are: DuckDB keeps
shorter ones in place, which would flatter everything that groups by them.
"""

from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
from numpy.typing import NDArray

JUDGES, ITEMS, NU, CHUNK = 1_000, 5_000, 0.5, 1_000_000
RECIPE = 1
"""Part of the file name; raise it when the contents of the files change."""

LABELLED = """
    SELECT format('system-{:05d}-instruct', a) AS model_a,
           format('system-{:05d}-instruct', b) AS model_b,
           ['model_a', 'tie', 'model_b'][outcome + 1] AS winner,
           format('judge-{:08d}', judge) AS judge,
           format('item-{:09d}', item) AS item
    FROM codes
"""


def make_once(path: Path, write: Callable[[Path], None]) -> Path:
    """A file, written if it is not there; one that is left unfinished is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        write(unfinished)
        unfinished.replace(path)
    return path


def parquet(folder: Path, n: int, k: int, seed: int = 1, judges: int = JUDGES) -> Path:
    """The file of `n` judgments on `k` systems in `folder`, made if it is not there."""
    crowd = "" if judges == JUDGES else f"-j{judges}"
    path = folder / f"judgments-n{n}-k{k}{crowd}-seed{seed}-v{RECIPE}.parquet"
    return make_once(path, lambda file: write(file, (n, k, judges), seed))


def write(path: Path, size: tuple[int, int, int], seed: int) -> None:
    """Write judgments, systems, judges: a chunk of codes at a time, labelled by DuckDB."""
    n, k, judges = size
    rng = np.random.default_rng(seed)
    log_worth = rng.normal(size=k)
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE codes (a INT, b INT, outcome TINYINT, judge INT, item INT)"
        )
        for start in range(0, n, CHUNK):
            chunk = codes(rng, log_worth, (min(CHUNK, n - start), judges))  # noqa: F841  read by name below
            connection.execute("INSERT INTO codes SELECT a, b, outcome, judge, item FROM chunk")
        connection.execute(f"COPY ({LABELLED}) TO {quoted(path)} (FORMAT parquet)")


def codes(
    rng: np.random.Generator, log_worth: NDArray[np.float64], size: tuple[int, int]
) -> dict[str, NDArray[np.integer]]:
    """Rows, by judges: two different systems, outcome 0, 1, 2 (left, tie, right), judge, item."""
    (n, judges), k = size, len(log_worth)
    a = rng.integers(0, k, n)
    b = (a + rng.integers(1, k, n)) % k
    half = np.exp((log_worth[a] - log_worth[b]) / 2)
    dart = rng.random(n) * (half + NU + 1 / half)
    outcome = (dart >= half).astype(np.int8) + (dart >= half + NU)
    return {
        "a": a,
        "b": b,
        "outcome": outcome,
        "judge": rng.integers(0, judges, n),
        "item": rng.integers(0, ITEMS, n),
    }


def csv(folder: Path, n: int = 200, k: int = 5) -> Path:
    """The small CSV that the command line is started on."""
    path = folder / f"judgments-n{n}-k{k}-v{RECIPE}.csv"
    if not path.exists():
        rows = quoted(parquet(folder, n, k))
        duckdb.execute(f"COPY (FROM {rows}) TO {quoted(path)} (FORMAT csv, HEADER)")
    return path


def quoted(path: Path) -> str:
    """A path as a literal of SQL."""
    return "'{}'".format(str(path).replace("'", "''"))
