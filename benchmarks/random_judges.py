"""``python -m benchmarks.random_judges``: what random judges cost, from a file and from a tally.

Judges have normal tastes for every system; pairs and judges are uniform, ties are Davidson's.
The file is written by a process of its own, so that peak memory is that of reading and fitting.
"""

import multiprocessing
import time
from math import inf
from pathlib import Path

import click
import duckdb
import numpy as np

from benchmarks.data import CHUNK, NU, quoted
from benchmarks.measure import ROOT
from benchmarks.worker import peak_mb

CPU_TARGET, MEMORY_TARGET = 30.0, 2_048.0
"""Seconds from the tally to the fit, and MB, for 100,000 judges with 20 answers each."""
RECIPE = 1
LABELLED = """
    SELECT format('system-{:05d}-instruct', a) AS left,
           format('system-{:05d}-instruct', b) AS right,
           ['left', 'tie', 'right'][outcome + 1] AS outcome,
           format('judge-{:08d}', judge) AS judge
    FROM codes
"""


def parquet(folder: Path, size: tuple[int, int, int], sigma: float) -> Path:
    """The file of (judges, systems, answers) in `folder`, made if it is not there."""
    judges, systems, answers = size
    path = folder / f"tastes-j{judges}-k{systems}-n{answers}-s{sigma:g}-v{RECIPE}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        process = multiprocessing.get_context("spawn").Process(
            target=write, args=(path, size, sigma)
        )
        process.start()
        process.join()
        if process.exitcode:
            raise click.ClickException(f"{path} could not be written")
    return path


def write(path: Path, size: tuple[int, int, int], sigma: float) -> None:
    """Write the file, a chunk of codes at a time, labelled by DuckDB."""
    judges, k, answers = size
    rng = np.random.default_rng(1)
    worth = rng.normal(size=k) + sigma * rng.normal(size=(judges, k))
    unfinished = path.with_suffix(".part")
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
        connection.execute(f"COPY ({LABELLED}) TO {quoted(unfinished)} (FORMAT parquet)")
    unfinished.replace(path)


@click.command()
@click.option("--judges", default=100_000, show_default=True)
@click.option("--systems", default=20, show_default=True)
@click.option("--each", default=20, show_default=True, help="Answers per judge, on average.")
@click.option("--sigma", default=0.5, show_default=True, help="Standard deviation of tastes.")
@click.option("--method", default="corrected", show_default=True, help="corrected or laplace.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench")
def main(*, judges: int, systems: int, each: int, sigma: float, method: str, folder: Path) -> None:
    """Read a file, tally it by judge, fit random judges; say CPU seconds and peak memory."""
    import evenhand
    from evenhand.preference.random_judges import RandomJudges

    path = parquet(folder, (judges, systems, judges * each), sigma)
    imported, began = peak_mb(), time.process_time()
    tally = evenhand.read(path).tally(by=("judge",))
    read, tallied = time.process_time() - began, peak_mb()
    began = time.process_time()
    fit = RandomJudges(method="laplace" if method == "laplace" else "corrected").fit(tally)
    fitted = time.process_time() - began
    click.echo(f"{judges:,} judges, {systems:,} systems, {judges * each:,} answers, {method}")
    click.echo(f"read and tally {read:6.2f} s of CPU, peak {tallied:6.0f} MB")
    click.echo(f"fit            {fitted:6.2f} s of CPU, peak {peak_mb():6.0f} MB")
    click.echo(f"both           {read + fitted:6.2f} s of CPU (imports: {imported:.0f} MB)")
    lower, upper = fit.sigma_interval or (0.0, inf)
    click.echo(f"sigma {fit.sigma:.4f} ({lower:.4f} to {upper:.4f})")
    met = fitted < CPU_TARGET and peak_mb() < MEMORY_TARGET
    click.echo(f"target {CPU_TARGET:g} s, {MEMORY_TARGET:,.0f} MB: {'met' if met else 'missed'}")


if __name__ == "__main__":
    main()
