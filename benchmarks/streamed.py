"""``python -m benchmarks.streamed``: fits with a continuous control, rows held or streamed.

Each run is a process of its own, so that peak memory is that of one fit. The files are made once
and kept: 100 systems, 2,000 judges, one column with a normal number for each comparison. Rows are
held up to `--most`; beyond that only the streamed form is measured.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import duckdb

from benchmarks.data import quoted
from benchmarks.sizes import whole

ROOT = Path(__file__).resolve().parents[1]
RECIPE = """
    SELECT format('system-{{:05d}}-instruct', a) AS left,
           format('system-{{:05d}}-instruct', b) AS right,
           CASE WHEN dart < .15 THEN 'tie'
                WHEN dart - .15 < .85 / (1 + exp(-(.02 * (b - a) + .4 * length))) THEN 'left'
                ELSE 'right' END AS outcome,
           format('judge-{{:08d}}', judge) AS judge, length
    FROM (
        SELECT (hash(i, 1) % 100)::INT AS a, (a + 1 + (hash(i, 2) % 99)::INT) % 100 AS b,
               (hash(i, 3) % 2000)::INT AS judge, (hash(i, 4) % 1000000007) / 1000000007.0 AS dart,
               sqrt(-2 * ln((hash(i, 5) % 1000000007 + 1) / 1000000008.0))
               * cos(2 * pi() * (hash(i, 6) % 1000000007) / 1000000007.0) AS length
        FROM range({n}) rows(i)
    )
"""
RUN = """
import json, sys, time
import evenhand
from benchmarks.worker import peak_mb
from evenhand.data import row_reading
path, what, form = sys.argv[1:]
row_reading.HELD = 0 if form == "streamed" else 10**12
data = evenhand.read(path)
if what == "fit":
    fit = evenhand.BradleyTerry(controls=("length",)).fit(data)
else:
    fit = evenhand.rank(data, controls=("length",), cluster="judge").fit
found = {"cpu": time.process_time(), "peak": peak_mb(), "steps": fit.steps}
print(json.dumps(found | {"estimate": fit.estimate.tolist()}))
"""


def parquet(folder: Path, n: int) -> Path:
    """The file of `n` rows in `folder`, made if it is not there."""
    path = folder / f"continuous-n{n}.parquet"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        with duckdb.connect() as connection:
            connection.execute("SET preserve_insertion_order = false")
            recipe = RECIPE.format(n=n)
            connection.execute(f"COPY ({recipe}) TO {quoted(unfinished)} (FORMAT parquet)")
        unfinished.replace(path)
    return path


def measured(file: Path, what: str, form: str) -> dict[str, Any]:
    """Run one fit, or one ranking clustered by judge, in a process of its own."""
    words = [sys.executable, "-c", RUN, str(file), what, form]
    single = os.environ | dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    ran = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT, env=single)
    return dict(json.loads(ran.stdout))


@click.command()
@click.option("--rows", default="1e6,1e7", show_default=True, help="Sizes with commas between.")
@click.option("--what", default="fit,rank", show_default=True, help="fit, rank, or both.")
@click.option("--most", default="1e7", show_default=True, help="Most rows that are held.")
@click.option("--folder", type=click.Path(path_type=Path), default=ROOT / ".bench")
def main(rows: str, what: str, most: str, folder: Path) -> None:
    """Measure and print: CPU seconds, peak memory, and how far the two forms are apart."""
    click.echo(f"{'rows':>14} {'what':>5} {'form':>8} {'CPU s':>7} {'MB':>6} {'steps':>5}  apart")
    for n in map(whole, rows.split(",")):
        file = parquet(folder, n)
        for one in what.split(","):
            kept = None
            for form in ("held", "streamed") if n <= whole(most) else ("streamed",):
                found = measured(file, one, form)
                estimate = found.pop("estimate")
                kept = kept or estimate
                apart = max(abs(a - b) for a, b in zip(estimate, kept, strict=True))
                click.echo(
                    f"{n:>14,} {one:>5} {form:>8} {found['cpu']:>7.1f} {found['peak']:>6.0f}"
                    f" {found['steps']:>5}  {apart:.1e}"
                )


if __name__ == "__main__":
    main()
